/* Decides the result of a run. */
#include "conformance.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    bool good;
    const char *words, *word, *sentence;
} conformances[] = {
#define CONFORMANCE(name, good, words, word, sentence) {good, words, word, sentence},
    TOPK_CONFORMANCE_LIST(CONFORMANCE)
#undef CONFORMANCE
};

/* Returns what the judge makes of a run in which nothing failed; COUNT if the judge is trusted. */
static enum topk_conformance judged_by(enum topk_judge judge)
{
    switch (judge) {
    case TOPK_JUDGE_APART:
        return TOPK_CONFORMANCE_COUNT;
    case TOPK_JUDGE_IN_PROCESS:
        return TOPK_CONFORMANCE_IN_PROCESS;
    case TOPK_JUDGE_UNKNOWN:
        return TOPK_CONFORMANCE_UNKNOWN_JUDGE;
    default:
        return TOPK_CONFORMANCE_BY_WORKER;
    }
}

enum topk_conformance topk_conformance_of(const struct topk_standing *standing)
{
    const uint64_t *totals = standing->totals;
    const enum topk_conformance by = judged_by(standing->judge);
    uint64_t failures = 0;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        failures += topk_verdict_failure((enum topk_verdict)i) ? totals[i] : 0;
    }
    const struct topk_gate *gate = standing->gate;
    const bool required = topk_gate_required(gate, standing->tested);
    const bool enough = topk_gate_enough(gate, standing->tested, totals);
    /* A run that tested something meets requirements that nobody made. */
    const bool asked = gate != NULL && gate->given;
    const bool declared = standing->contract != NULL && !topk_contract_plain(standing->contract);
    const bool more = totals[TOPK_VERDICT_UNSUPPORTED] > standing->tested->by_contract;
    const bool ended = (standing->complete || standing->early) && topk_totals_sum(totals) > 0;
    return !ended                                          ? TOPK_CONFORMANCE_INCOMPLETE
           : failures > totals[TOPK_VERDICT_HARNESS_ERROR] ? TOPK_CONFORMANCE_FAILED
           : failures > 0                                  ? TOPK_CONFORMANCE_UNJUDGED
           : !standing->complete                           ? TOPK_CONFORMANCE_INCOMPLETE
           : !topk_gate_clean(gate, standing->tested)      ? TOPK_CONFORMANCE_UNCLEAN
           : !topk_gate_steady(gate, standing->tested)     ? TOPK_CONFORMANCE_UNSTEADY
           : !topk_gate_lasts(gate)                        ? TOPK_CONFORMANCE_EXPIRED
           : !required                                     ? TOPK_CONFORMANCE_LACKING
           : !enough && asked                              ? TOPK_CONFORMANCE_TOO_LITTLE
           : topk_tested_nothing(standing->tested, totals) ? TOPK_CONFORMANCE_UNTESTED
           : !enough                                       ? TOPK_CONFORMANCE_TOO_LITTLE
           : by != TOPK_CONFORMANCE_COUNT                  ? by
           : totals[TOPK_VERDICT_EXPECTED_FAIL] > 0        ? TOPK_CONFORMANCE_WAIVED
           : !standing->whole                              ? TOPK_CONFORMANCE_PASSED
           : declared && more                              ? TOPK_CONFORMANCE_DECLARED_PARTLY
           : declared                                      ? TOPK_CONFORMANCE_DECLARED
           : totals[TOPK_VERDICT_UNSUPPORTED] > 0          ? TOPK_CONFORMANCE_PARTLY
                                                           : TOPK_CONFORMANCE_WHOLE;
}

bool topk_conformance_good(enum topk_conformance conformance)
{
    return conformances[conformance].good;
}

const char *topk_conformance_words(enum topk_conformance conformance)
{
    return conformances[conformance].words;
}

const char *topk_conformance_word(enum topk_conformance conformance)
{
    return conformances[conformance].word;
}

const char *topk_conformance_sentence(enum topk_conformance conformance)
{
    return conformances[conformance].sentence;
}

/* Adds the rules that were tested against, if they differ from DirectML's and something was
 * judged. */
static void put_contract(enum topk_conformance conformance, const struct topk_standing *standing,
                         char *text, size_t size)
{
    char rules[TOPK_CONTRACT_RULES] = "";
    /* A comma is needed after words about who judged. */
    const bool by_whom = conformance == TOPK_CONFORMANCE_BY_WORKER ||
                         conformance == TOPK_CONFORMANCE_IN_PROCESS ||
                         conformance == TOPK_CONFORMANCE_UNKNOWN_JUDGE;
    const char *before = by_whom ? ", by the declared contract" : " by the declared contract";
    if (standing->contract != NULL) {
        topk_contract_rules_print(standing->contract, rules);
    }
    if (conformance == TOPK_CONFORMANCE_FAILED) {
        before = " to the declared contract";
    } else if (conformance == TOPK_CONFORMANCE_DECLARED ||
               conformance == TOPK_CONFORMANCE_DECLARED_PARTLY) {
        before = ""; /* the wording of the result already says it */
    }
    text[0] = 0;
    if (rules[0] != 0) {
        snprintf(text, size, "%s (%s)", before, rules);
    }
}

void topk_conformance_lead(enum topk_conformance conformance, const struct topk_standing *standing,
                           char *text, size_t size)
{
    const struct topk_share share = topk_share_of(standing->tested, standing->totals);
    char served[TOPK_SHARE_TEXT];
    char by[TOPK_CONTRACT_RULES + 64];
    put_contract(conformance, standing, by, sizeof by);
    topk_share_print(&share, served, sizeof served);
    if (conformance == TOPK_CONFORMANCE_INCOMPLETE || conformance == TOPK_CONFORMANCE_UNTESTED ||
        topk_share_percent(&share) == 100) {
        snprintf(text, size, "%s%s", topk_conformance_words(conformance), by);
    } else {
        snprintf(text, size, "%s%s, %s served", topk_conformance_words(conformance), by, served);
    }
}

/* Appends " BEFORE NUMBER AFTER" unless the number is 0. Returns the new length of the text. */
static size_t put_count(char *text, size_t size, size_t used, const char *before, uint64_t number,
                        const char *after)
{
    if (number > 0 && used < size) {
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRIu64 "%s", before, number, after);
    }
    return used;
}

void topk_passed_sentence(const struct topk_standing *standing, char *text, size_t size)
{
    const uint64_t *totals = standing->totals;
    const struct topk_tested *tested = standing->tested;
    const uint64_t unsupported = totals[TOPK_VERDICT_UNSUPPORTED];
    const uint64_t waived = totals[TOPK_VERDICT_EXPECTED_FAIL];
    topk_gate_sentence(standing->gate, tested, totals, text, size);
    size_t used = strlen(text);
    if (used > 0 && used < size) {
        used += (size_t)snprintf(text + used, size - used, "; ");
    }
    if (used < size) {
        used += (size_t)snprintf(text + used, size - used, "%" PRIu64 " passed",
                                 topk_totals_sum(totals) - unsupported - waived);
    }
    used = put_count(text, size, used, " (", tested->by_status, " by status alone)");
    used += used < size ? (size_t)snprintf(text + used, size - used, ", 0 failed") : 0;
    used = put_count(text, size, used, ", ", waived, " failed as expected");
    if (used < size) {
        used +=
            (size_t)snprintf(text + used, size - used, ", %" PRIu64 " unsupported", unsupported);
    }
    char ended[TOPK_ENDED_TEXT];
    topk_tested_ended(tested, ended);
    if (ended[0] != 0 && used < size) {
        snprintf(text + used, size - used, "; %s", ended);
    }
}

bool topk_totals_print(FILE *out, const char *before, const uint64_t totals[TOPK_VERDICT_COUNT],
                       uint64_t by_status)
{
    bool any = false;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (totals[i] > 0) {
            fprintf(out, "%s%" PRIu64 " %s", any ? ", " : before, totals[i],
                    topk_verdict_word((enum topk_verdict)i));
            any = true;
        }
    }
    if (by_status > 0) {
        fprintf(out, "; %" PRIu64 " of the passes by status alone", by_status);
    }
    return any;
}
