#include "words.h"

#include <stddef.h>
#include <string.h>

#include "bench/bench.h"
#include "compare/compare.h"
#include "log/log.h"
#include "reference/sentence.h"
#include "summary/summary.h"

/* LIST(function, name, count, word): `word` is the expression for word number i, `name` the name of
 * the type that lists them */
#define TOPK_WORDS_LIST(LIST)                                                                      \
    LIST(again, "again-kind", TOPK_AGAIN_COUNT, topk_again_word((enum topk_again_kind)i))          \
    LIST(bench_subject, "bench-subject", TOPK_BENCH_SUBJECTS,                                      \
         topk_bench_subject_word((enum topk_bench_subject)i))                                      \
    LIST(change, "change", TOPK_CHANGE_COUNT, topk_change_name((enum topk_change)i, 1))            \
    LIST(changes, "changes", TOPK_CHANGE_COUNT, topk_change_name((enum topk_change)i, 2))          \
    LIST(claim, "claim", TOPK_CLAIM_COUNT, topk_claim_word((enum topk_claim)i))                    \
    LIST(clause, "clause", TOPK_CLAUSE_COUNT, topk_clause_id((enum topk_clause)i))                 \
    LIST(conformance, "conformance", TOPK_CONFORMANCE_COUNT,                                       \
         topk_conformance_word((enum topk_conformance)i))                                          \
    LIST(standing, "conformance-words", TOPK_CONFORMANCE_COUNT,                                    \
         topk_conformance_words((enum topk_conformance)i))                                         \
    LIST(document, "document", TOPK_DOCUMENT_COUNT, topk_document_row((enum topk_document)i)->id)  \
    LIST(early, "early-by", TOPK_EARLY_COUNT, topk_early_word((enum topk_early_by)i))              \
    LIST(facet, "facet", TOPK_FACET_COUNT, topk_facet_name((enum topk_facet)i))                    \
    LIST(fact, "fact", TOPK_FACT_COUNT, topk_fact_name((enum topk_fact)i))                         \
    LIST(grade, "grade", TOPK_CLAUSE_COUNT,                                                        \
         topk_grade_name(topk_clause_row((enum topk_clause)i)->grade))                             \
    LIST(judge, "judge", TOPK_JUDGE_COUNT, topk_judge_word((enum topk_judge)i))                    \
    LIST(mismatch, "mismatch", TOPK_MISMATCH_COUNT,                                                \
         topk_mismatch_row((enum topk_mismatch)i)->word)                                           \
    LIST(observed, "observed", TOPK_OBSERVATION_COUNT,                                             \
         topk_observation_row((enum topk_observation)i)->word)                                     \
    LIST(part, "part-role", TOPK_LOG_PART_ROLE_COUNT,                                              \
         topk_log_part_role_word((enum topk_log_part_role)i))                                      \
    LIST(probe_verdict, "probe-verdict", TOPK_PROBE_VERDICT_COUNT,                                 \
         topk_probe_verdict_word((enum topk_probe_verdict)i))                                      \
    LIST(process, "process-end", TOPK_PROCESS_COUNT, topk_process_word((enum topk_process_end)i))  \
    LIST(reading, "reading", TOPK_READING_COUNT - 1,                                               \
         topk_reading_row((enum topk_reading)(i + 1))->word)                                       \
    LIST(rule, "shard-rule", TOPK_SHARD_BY_COUNT - 1,                                              \
         topk_shard_rule_word((enum topk_shard_rule)(i + 1)))                                      \
    LIST(tensor, "tensor", TOPK_ROLE_COUNT, topk_role_name((enum topk_role)i))                     \
    LIST(verdict, "verdict", TOPK_VERDICT_COUNT, topk_verdict_word((enum topk_verdict)i))

#define LIST(function, name, count, shown)                                                         \
    static const char *function##_word(int i)                                                      \
    {                                                                                              \
        return shown;                                                                              \
    }
TOPK_WORDS_LIST(LIST)
#undef LIST

static const struct topk_words lists[] = {
#define LIST(function, name, count, shown) {name, count, function##_word},
    TOPK_WORDS_LIST(LIST)
#undef LIST
};

const struct topk_words *topk_words_find(const char *name)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(lists[i].name, name) == 0) {
            return &lists[i];
        }
    }
    return NULL;
}
