/* The diagnosis of a wrong result: which misreadings of the clauses give exactly these outputs. The
 * judge reports wrong elements, where one cause can break many clauses. The diagnosis recomputes
 * the result under each misreading of readings.def and compares all outputs.
 *
 * Several misreadings can give the same small result, so all of them are reported. The cause of a
 * group of failures is the misreading that all of them share and that no passing case contradicts.
 */
#ifndef TOPK_DIAGNOSIS_H
#define TOPK_DIAGNOSIS_H

#include "judge.h"

enum topk_reading {
    TOPK_READING_NONE,
#define READING(name, word, clause, sentence, ...) TOPK_READING_##name,
#include "readings.def"
#undef READING
    TOPK_READING_COUNT
};

/* A set of readings: bit (uint64_t)1 << enum topk_reading for each; the bit of NONE is never
 * set. */
typedef uint64_t topk_reading_set;
_Static_assert(TOPK_READING_COUNT <= 64, "readings are a 64-bit mask");

/* Returns the set of one reading. */
topk_reading_set topk_reading_only(enum topk_reading reading);
/* Returns the first reading of a set, which is reported; special ones come before general ones.
 * TOPK_READING_NONE for the empty set. */
enum topk_reading topk_readings_first(topk_reading_set set);

struct topk_reading_row {
    const char *word;        /* as in the result line and the log */
    enum topk_clause clause; /* TOPK_CLAUSE_NONE: that of the first finding */
    const char *sentence;    /* the explanation of the result */
};
/* Returns the row of a reading other than TOPK_READING_NONE. */
const struct topk_reading_row *topk_reading_row(enum topk_reading reading);
/* Returns the reading with a word of `length` characters; TOPK_READING_NONE if there is none. */
enum topk_reading topk_reading_parse(const char *word, size_t length);

/* Returns the clause that a wrong result with this reading breaks: that of the reading's row, if it
 * applies to the operator; otherwise, and for TOPK_READING_NONE, that of the first finding. */
enum topk_clause topk_reading_clause(enum topk_reading reading, const struct topk_operator *op,
                                     const struct topk_judgement *judgement);

/* What explains a wrong result. */
struct topk_diagnosis {
    topk_reading_set readings; /* each gives all outputs; 0: no known one does */
    bool guess;                /* there are too few outputs to be certain: see below */
};

/* Returns the misreadings that explain every output of a wrong result of a valid operator. A
 * misreading that separates values from their indices counts only if the judge found that they are
 * separated. If a NaN is involved, if the input has more than TOPK_DIAGNOSED_ELEMENTS elements, or
 * if memory is short, only TOPK_READING_UNWRITTEN is tried, and only if outputs before the call are
 * known, that is, if `before` is not `after`. Readings refer to DirectML's rules: a reading whose
 * clause the contract replaces (NULL: DirectML's) is not tried. exhibits, judgement: as for the
 * judge.
 *
 * The result is a guess if sequences have fewer than three elements, or if the wrong sequences have
 * fewer than three different outputs (pairs of value and index), because almost any reading
 * explains these. For a group of cases with one reading, it is a guess if it is one for each of
 * them.
 */
#define TOPK_DIAGNOSED_ELEMENTS ((uint64_t)65536)
struct topk_diagnosis topk_diagnose(const struct topk_operator *op,
                                    const struct topk_contract *contract,
                                    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                    const struct topk_judgement *judgement);

/* Sets *contradicted to the readings of `set` that would have given a wrong result for this call,
 * so that a pass contradicts them. The others do not affect this call, or predict too little
 * (unwritten outputs). op, contract: as for topk_diagnose; input: as for the judge. Returns false,
 * with *contradicted 0, if this is unknown: for more than TOPK_CONTRADICTED_ELEMENTS elements or
 * TOPK_CONTRADICTED_BYTES of an output, if a NaN is involved, if outputs share memory, or if memory
 * is short. */
#define TOPK_CONTRADICTED_ELEMENTS ((uint64_t)4096)
#define TOPK_CONTRADICTED_BYTES    ((uint64_t)1 << 20)
bool topk_readings_contradicted(const struct topk_operator *op,
                                const struct topk_contract *contract,
                                const struct topk_exhibit *input, topk_reading_set set,
                                topk_reading_set *contradicted);

#endif
