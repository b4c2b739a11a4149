/* What a run comes to, in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary.h"

static const struct {
    const char *words;
    bool good;
} conformances[] = {
    [TOPK_CONFORMANT] = {"CONFORMANT", true},
    [TOPK_CONFORMANT_IN_PART] = {"CONFORMANT in what it supports", true},
    [TOPK_PASSED] = {"PASSED", true},
    [TOPK_NOT_CONFORMANT] = {"NOT CONFORMANT", false},
    [TOPK_NOT_JUDGED] = {"NOT JUDGED", false},
    [TOPK_NOT_TESTED] = {"NOT TESTED", false},
    [TOPK_INCOMPLETE] = {"INCOMPLETE", false},
};

static const char *const claims[] = {
#define CLAIM(name, word) word,
    TOPK_CLAIM_LIST(CLAIM)
#undef CLAIM
};

enum topk_summary_verdict topk_summary_verdict(const struct topk_summary *summary)
{
    uint64_t unsupported = summary->totals[TOPK_VERDICT_UNSUPPORTED];
    /* who ends a run early on purpose knows enough of it */
    const bool ended = summary->complete || summary->early.by != TOPK_EARLY_NOT;
    if (summary->failures > summary->totals[TOPK_VERDICT_HARNESS_ERROR]) {
        return ended ? TOPK_NOT_CONFORMANT : TOPK_INCOMPLETE;
    }
    if (summary->failures > 0 && ended) {
        return TOPK_NOT_JUDGED;
    }
    if (!summary->complete || summary->recorded == 0) {
        return TOPK_INCOMPLETE;
    }
    if (topk_tested_nothing(&summary->tested, summary->totals)) {
        return TOPK_NOT_TESTED;
    }
    return !summary->whole   ? TOPK_PASSED
           : unsupported > 0 ? TOPK_CONFORMANT_IN_PART
                             : TOPK_CONFORMANT;
}

const char *topk_summary_verdict_words(enum topk_summary_verdict conformance)
{
    return conformances[conformance].words;
}

bool topk_summary_verdict_good(enum topk_summary_verdict conformance)
{
    return conformances[conformance].good;
}

void topk_summary_sentence(const struct topk_summary *summary, char *text, size_t size)
{
    uint64_t unsupported = summary->totals[TOPK_VERDICT_UNSUPPORTED];
    char left[40] = "";
    if (summary->early.by != TOPK_EARLY_NOT) {
        topk_early_print(&summary->early, text, size);
        snprintf(left, sizeof left, ", %" PRIu64 " were not run", summary->early.left);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, ": ");
        text += used + 2;
        size -= used + 2;
    }
    switch (topk_summary_verdict(summary)) {
    case TOPK_INCOMPLETE:
        snprintf(text, size, "%" PRIu64 " of %" PRIu64 " cases have a result, %" PRIu64 " failed",
                 summary->recorded, summary->selected, summary->failures);
        return;
    case TOPK_NOT_TESTED:
        topk_tested_sentence(summary->totals, text, size);
        return;
    case TOPK_NOT_CONFORMANT:
    case TOPK_NOT_JUDGED:
        snprintf(text, size, "%" PRIu64 " of %" PRIu64 " cases failed%s", summary->failures,
                 summary->recorded, left);
        return;
    case TOPK_CONFORMANT:
    case TOPK_CONFORMANT_IN_PART:
    case TOPK_PASSED:
        break;
    }
    snprintf(text, size, "%" PRIu64 " passed, 0 failed, %" PRIu64 " unsupported",
             summary->recorded - unsupported, unsupported);
}

/* ---- clauses --------------------------------------------------------------------------------- */

enum topk_claim topk_summary_claim(const struct topk_summary *summary, enum topk_clause clause)
{
    const struct topk_clause_count *count = &summary->clauses[clause];
    enum topk_grade grade = topk_clause_row(clause)->grade;
    bool open = grade == TOPK_GRADE_PRACTICE || grade == TOPK_GRADE_OBSERVE;
    return count->failing > 0                 ? TOPK_CLAIM_BROKEN
           : count->waived > 0                ? TOPK_CLAIM_WAIVED
           : count->cases + count->maybe == 0 ? TOPK_CLAIM_UNTESTED
           : open                             ? TOPK_CLAIM_OPEN
           : count->passing == count->cases   ? TOPK_CLAIM_HELD
           : count->passing > 0               ? TOPK_CLAIM_PARTLY
                                              : TOPK_CLAIM_UNSHOWN;
}

const char *topk_claim_word(enum topk_claim claim)
{
    return claims[claim];
}

double topk_time_limit(unsigned bucket)
{
    return (bucket & 1) != 0 ? (double)(UINT64_C(1) << (bucket / 2 + 1))
                             : (double)(UINT64_C(1) << bucket / 2) * 1.4142135623730951;
}

unsigned topk_summary_quantile(const struct topk_summary *summary, double share)
{
    uint64_t needed = (uint64_t)ceil((double)summary->recorded * share);
    uint64_t seen = 0;
    unsigned bucket = 0;
    while (bucket + 1 < TOPK_TIME_BUCKETS && (seen += summary->times[bucket]) < needed) {
        bucket++;
    }
    return bucket;
}
