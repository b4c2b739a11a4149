/* The diagnosis of a wrong result: which misreadings of the clauses give exactly these outputs. The
 * judge reports wrong elements; one cause may break many clauses there. The diagnosis recomputes
 * the result under each misreading in readings.def and compares all of it.
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

/* A set of readings: of each the bit (uint64_t)1 << enum topk_reading; that of NONE is never set.
 */
typedef uint64_t topk_reading_set;
_Static_assert(TOPK_READING_COUNT <= 64, "readings are a 64-bit mask");

/* The set of one reading. */
topk_reading_set topk_reading_only(enum topk_reading reading);
/* The first reading of a set, the one to be said: the special before the general.
 * TOPK_READING_NONE of none. */
enum topk_reading topk_readings_first(topk_reading_set set);

struct topk_reading_row {
    const char *word;        /* "flat-index": what the result line and the log carry */
    enum topk_clause clause; /* TOPK_CLAUSE_NONE: that of the first finding */
    const char *sentence;    /* what would explain the result */
};
/* The row of a reading other than TOPK_READING_NONE. */
const struct topk_reading_row *topk_reading_row(enum topk_reading reading);
/* The reading of a word of `length` characters; TOPK_READING_NONE if there is none. */
enum topk_reading topk_reading_parse(const char *word, size_t length);

/* The clause that a wrong result with this reading breaks: that of its row, where it applies to the
 * operator, or of the judgement's first finding; always that of TOPK_READING_NONE. */
enum topk_clause topk_reading_clause(enum topk_reading reading, const struct topk_operator *op,
                                     const struct topk_judgement *judgement);

/* What is known of why a result is wrong. */
struct topk_diagnosis {
    topk_reading_set readings; /* each gives every output; 0: none that is known does */
    bool guess;                /* there are so few outputs that they show little: see below */
};

/* The misreadings that explain every output of a wrong result of a valid operator; those that would
 * part values from their indices only if the judge saw that they are. If a NaN is involved, if the
 * input has more than TOPK_DIAGNOSED_ELEMENTS elements, or if memory is short, only
 * TOPK_READING_UNWRITTEN is tried, and that only where outputs before the call are known: where
 * `before` is not `after`. Readings are of DirectML's rules: of one whose clause is another under a
 * contract (NULL: DirectML's), nothing is said. exhibits, judgement: of the judge.
 *
 * It is a guess if sequences have fewer than three elements, or if those that came out wrong have
 * fewer than three different outputs (pairs of value and index): almost anything explains these. Of
 * a group of cases that one reading explains it is one if it is one of each of them. */
#define TOPK_DIAGNOSED_ELEMENTS ((uint64_t)65536)
struct topk_diagnosis topk_diagnose(const struct topk_operator *op,
                                    const struct topk_contract *contract,
                                    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                    const struct topk_judgement *judgement);

/* Which of `set` would have given a wrong result of this call: that the call passed contradicts
 * them. The others make no difference to it, or say too little to be contradicted (what was left as
 * it was). op, contract: as of topk_diagnose; input: of the judge. Returns false where that is not
 * known, *contradicted is then 0: of more than TOPK_CONTRADICTED_ELEMENTS elements, or bytes of an
 * output, if a NaN is involved, if outputs share memory, or if memory is short. */
#define TOPK_CONTRADICTED_ELEMENTS ((uint64_t)4096)
#define TOPK_CONTRADICTED_BYTES    ((uint64_t)1 << 20)
bool topk_readings_contradicted(const struct topk_operator *op,
                                const struct topk_contract *contract,
                                const struct topk_exhibit *input, topk_reading_set set,
                                topk_reading_set *contradicted);

#endif
