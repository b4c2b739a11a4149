/* The results of cases and probes in a comparison, in words. */
#include <stdio.h>

#include "compare.h"

/* Appends a word; a word that does not fit is left out. */
static void put(char text[TOPK_OUTCOME_TEXT], size_t *used, const char *before, const char *word,
                const char *more)
{
    int length = snprintf(text + *used, TOPK_OUTCOME_TEXT - *used, "%s%s%s", before, word, more);
    if (length > 0 && (size_t)length < TOPK_OUTCOME_TEXT - *used) {
        *used += (size_t)length;
    } else {
        text[*used] = 0;
    }
}

/* "fail S09 F01", "no result" */
static void outcome_words(const struct topk_outcome *outcome, char text[TOPK_OUTCOME_TEXT])
{
    size_t used = 0;
    if (outcome->verdict == TOPK_VERDICT_COUNT) {
        put(text, &used, "", "no result", "");
        return;
    }
    put(text, &used, "", topk_verdict_word(outcome->verdict), "");
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(&outcome->clauses, (enum topk_clause)i)) {
            put(text, &used, " ", topk_clause_id((enum topk_clause)i), "");
        }
    }
}

/* "V03 accepts, M07 native", "nothing" */
static void observed_words(uint32_t observations, char text[TOPK_OUTCOME_TEXT])
{
    size_t used = 0;
    const char *before = "";
    put(text, &used, "", observations == 0 ? "nothing" : "", "");
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if ((observations >> i & 1) != 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            put(text, &used, before, topk_clause_id(row->clause), " ");
            put(text, &used, row->word, "", "");
            before = ", ";
        }
    }
}

void topk_probe_words(const struct topk_probe *probe, char text[TOPK_OUTCOME_TEXT])
{
    size_t used = 0;
    if (probe == NULL) {
        put(text, &used, "", "no record", "");
        return;
    }
    put(text, &used, probe->value, "", "");
    if (probe->verdict != TOPK_PROBE_OBSERVED || probe->value[0] == 0) {
        put(text, &used, probe->value[0] == 0 ? "" : ", ", topk_probe_verdict_word(probe->verdict),
            "");
    }
}

void topk_group_words(const struct topk_comparison *comparison,
                      const struct topk_change_group *group, char before[TOPK_OUTCOME_TEXT],
                      char after[TOPK_OUTCOME_TEXT])
{
    const struct topk_change_case *c = &comparison->cases[group->first];
    if (c->change == TOPK_CHANGE_OBSERVATIONS) {
        observed_words(c->before->observations, before);
        observed_words(c->after->observations, after);
    } else {
        outcome_words(c->before, before);
        outcome_words(c->after, after);
    }
}
