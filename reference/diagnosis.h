/* The diagnosis of a wrong result: which misreading of which clause gives exactly these outputs.
 * The judge says what is wrong with single elements; one cause may break many clauses there. This
 * recomputes the result under each misreading of readings.def and compares it whole. */
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

struct topk_reading_row {
    const char *word;        /* "flat-index": what the result line and the log carry */
    enum topk_clause clause; /* TOPK_CLAUSE_NONE: that of the first finding */
    const char *sentence;    /* what would explain the result */
};
/* The row of a reading other than TOPK_READING_NONE. */
const struct topk_reading_row *topk_reading_row(enum topk_reading reading);

/* The clause that a wrong result with this reading breaks: that of its row, where it applies to the
 * operator, or of the judgement's first finding; always that of TOPK_READING_NONE. */
enum topk_clause topk_reading_clause(enum topk_reading reading, const struct topk_operator *op,
                                     const struct topk_judgement *judgement);

/* The first misreading that explains every output of a wrong result of a valid operator; one that
 * would part values from their indices only if the judge saw that they are. TOPK_READING_NONE if
 * none does. If a NaN is involved, if the input has more than 65,536 elements, or if memory is
 * short, only TOPK_READING_UNWRITTEN is tried, and that only where outputs before the call are
 * known: where `before` is not `after`. Readings are of DirectML's rules: of one whose clause is
 * another under a contract (NULL: DirectML's), nothing is said. exhibits, judgement: of the judge.
 */
enum topk_reading topk_diagnose(const struct topk_operator *op,
                                const struct topk_contract *contract,
                                const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                const struct topk_judgement *judgement);

#endif
