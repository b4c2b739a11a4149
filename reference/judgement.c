/* The result of the judge: its findings, grouped by kind, and their texts. */
#include "judge.h"

static const struct topk_mismatch_row mismatches[] = {
#define MISMATCH(name, word, sentence) {word, sentence},
#include "mismatches.def"
#undef MISMATCH
};

static const struct topk_observation_row observations[] = {
#define OBSERVATION(name, clause, word, of) {TOPK_CLAUSE_##clause, word, TOPK_OBSERVATION_OF_##of},
#include "observations.def"
#undef OBSERVATION
};

const struct topk_mismatch_row *topk_mismatch_row(enum topk_mismatch mismatch)
{
    return &mismatches[mismatch];
}

const struct topk_observation_row *topk_observation_row(enum topk_observation observation)
{
    return &observations[observation];
}

void topk_judgement_add(struct topk_judgement *judgement, const struct topk_finding *finding)
{
    for (uint32_t i = 0; i < judgement->count; i++) {
        struct topk_finding *known = &judgement->findings[i];
        if (known->clause == finding->clause && known->mismatch == finding->mismatch &&
            known->role == finding->role) {
            known->count += finding->count;
            return;
        }
    }
    if (judgement->count < TOPK_FINDINGS_MAX) {
        judgement->findings[judgement->count++] = *finding;
    }
}
