/* The summary of a run: counts, and what they mean. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_lookup.h"
#include "log/log.h"
#include "protocol/protocol.h"
#include "session.h"

#define REASONS_SHOWN 8
/* so many accepted invalid calls, or more, give a hint */
#define HINT_ACCEPTED 20

static void add_reason(struct cli_tally *tally, const char *reason)
{
    for (size_t i = 0; i < tally->reason_count; i++) {
        if (strcmp(tally->reasons[i].text, reason) == 0) {
            tally->reasons[i].count++;
            return;
        }
    }
    char *text = tally->reason_count < CLI_REASONS_MAX ? strdup(reason) : NULL;
    if (text == NULL) {
        return;
    }
    struct cli_reason *row = &tally->reasons[tally->reason_count++];
    row->text = text;
    row->count = 1;
}

void cli_tally_start(struct cli_tally *tally, const struct cli_backend *backend)
{
    tally->judge = cli_judge(backend);
    tally->trust_worker = backend->trust_worker;
    tally->gate.unclean = TOPK_GATE_UNCLEAN;
    tally->gate.restarts = TOPK_GATE_RESTARTS;
}

uint64_t cli_tally_ask(const struct cli_tally *tally, const char *id)
{
    return topk_gate_ask(&tally->gate, &cli_asks, id);
}

void cli_tally_add(struct cli_tally *tally, uint64_t asked, enum topk_verdict verdict,
                   bool by_status, bool by_contract, enum topk_clause clause,
                   const struct topk_clause_set *broken, uint32_t observations, const char *reason)
{
    tally->totals[verdict]++;
    tally->done++;
    topk_tested_add(&tally->tested, &tally->gate, asked, verdict, clause, by_status, by_contract);
    for (int i = 0; observations != 0; i++, observations >>= 1) {
        tally->observations[i] += observations & 1;
    }
    if (verdict == TOPK_VERDICT_UNSUPPORTED) {
        add_reason(tally, reason);
    }
    if (verdict == TOPK_VERDICT_PASS || !topk_verdict_failure(verdict)) {
        return;
    }
    bool counted = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        bool has = topk_clause_set_has(broken, (enum topk_clause)i);
        tally->clauses[i] += has;
        counted |= has;
    }
    if (!counted && clause < TOPK_CLAUSE_COUNT) {
        tally->clauses[clause]++;
    }
}

void cli_tally_protocol(struct cli_tally *tally, const struct cli_backend *backend,
                        const struct topk_result *result,
                        void (*note)(void *context, const char *text), void *context)
{
    if (tally->protocol || backend->command == NULL ||
        strstr(result->reason, TOPK_BROKE_PROTOCOL) == NULL) {
        return;
    }
    tally->protocol = true;
    char *word = cli_need(topk_text_shell(backend->command));
    char *text = cli_need(topk_text_make(
        "the program breaks the backend protocol. To see which rules: topk-cts check-backend %s",
        word));
    note(context, text);
    free(text);
    free(word);
}

void cli_tally_ended(struct cli_tally *tally, enum topk_process_end end)
{
    tally->tested.ended[end]++;
}

void cli_tally_move(struct cli_tally *tally, enum topk_verdict from, enum topk_verdict to,
                    const struct topk_clause_set *broken)
{
    tally->totals[from]--;
    tally->totals[to]++;
    for (int i = 0; !topk_verdict_failure(to) && i < TOPK_CLAUSE_COUNT; i++) {
        tally->clauses[i] -= topk_clause_set_has(broken, (enum topk_clause)i);
    }
}

void cli_tally_free(struct cli_tally *tally)
{
    for (size_t i = 0; i < tally->reason_count; i++) {
        free(tally->reasons[i].text);
    }
    tally->reason_count = 0;
}

uint64_t cli_tally_failures(const struct cli_tally *tally)
{
    uint64_t failures = 0;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        failures += topk_verdict_failure((enum topk_verdict)i) ? tally->totals[i] : 0;
    }
    return failures;
}

/* the standing of a run; verdict: NULL for a complete run that is of no profile */
static struct topk_standing standing_of(const struct cli_tally *tally,
                                        const struct cli_verdict *verdict)
{
    return (struct topk_standing){
        .totals = tally->totals,
        .tested = &tally->tested,
        .judge = tally->judge,
        .complete = verdict == NULL || verdict->early.by == TOPK_EARLY_NOT,
        .early = verdict != NULL && verdict->early.by != TOPK_EARLY_NOT,
        .whole = verdict != NULL && !verdict->selected && !verdict->shard && verdict->limit == 0,
        .gate = &tally->gate,
        .contract = &tally->contract,
    };
}

int cli_conformance_exit(enum topk_conformance conformance, bool trust_worker)
{
    switch (conformance) {
    case TOPK_CONFORMANCE_INCOMPLETE:
        return CLI_INCOMPLETE;
    case TOPK_CONFORMANCE_UNJUDGED:
        return CLI_HARNESS;
    case TOPK_CONFORMANCE_UNTESTED:
        return CLI_SKIPPED;
    case TOPK_CONFORMANCE_BY_WORKER:
        return cli_judge_exit(TOPK_JUDGE_WORKER, trust_worker);
    default:
        return topk_conformance_good(conformance) ? CLI_CONFORMANT : CLI_FAILURES;
    }
}

int cli_judge_exit(enum topk_judge judge, bool trust_worker)
{
    return judge == TOPK_JUDGE_APART || (judge == TOPK_JUDGE_WORKER && trust_worker)
               ? CLI_CONFORMANT
               : CLI_FAILURES;
}

int cli_tally_exit(const struct cli_tally *tally)
{
    const struct topk_standing standing = standing_of(tally, NULL);
    return cli_conformance_exit(topk_conformance_of(&standing), tally->trust_worker);
}

/* the most frequent reasons; the log has all */
static void print_reasons(FILE *out, const struct cli_tally *tally)
{
    bool printed[CLI_REASONS_MAX] = {false};
    uint64_t rest = tally->totals[TOPK_VERDICT_UNSUPPORTED];
    fputs(rest > 0 ? "unsupported:\n" : "", out);
    for (int lines = 0; lines < REASONS_SHOWN && rest > 0; lines++) {
        size_t most = CLI_REASONS_MAX;
        for (size_t i = 0; i < tally->reason_count; i++) {
            if (!printed[i] &&
                (most == CLI_REASONS_MAX || tally->reasons[i].count > tally->reasons[most].count)) {
                most = i;
            }
        }
        if (most == CLI_REASONS_MAX) {
            break;
        }
        const struct cli_reason *row = &tally->reasons[most];
        printed[most] = true;
        rest -= row->count;
        fprintf(out, "  %6" PRIu64 " cases  ", row->count);
        topk_text_print(out, row->text[0] == 0 ? "(no reason given)" : row->text);
        fputc('\n', out);
    }
    if (rest > 0) {
        fprintf(out, "  %6" PRIu64 " cases  for other reasons, see the log\n", rest);
    }
}

/* prints the observations of one kind, a line for each clause; of: TOPK_OBSERVATION_OF_..., or -1
 * for all */
static void print_observed(FILE *out, const struct cli_tally *tally, const char *title, int of)
{
    bool any = false;
    enum topk_clause last = TOPK_CLAUSE_NONE;
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (tally->observations[i] > 0 && (of < 0 || (int)row->of == of)) {
            fputs(any ? "" : title, out);
            if (any && row->clause == last) {
                putc(',', out);
            } else {
                fprintf(out, "\n  %-4s", topk_clause_id(row->clause));
            }
            fprintf(out, " %s (%" PRIu64 ")", row->word, tally->observations[i]);
            any = true;
            last = row->clause;
        }
    }
    fputs(any ? "\n" : "", out);
}

/* A backend that accepts many invalid calls probably leaves the validation of descriptions to its
 * callers. */
static void print_own_rules_hint(FILE *out, const struct cli_tally *tally)
{
    const uint64_t accepted = tally->totals[TOPK_VERDICT_ACCEPTED];
    if (accepted >= HINT_ACCEPTED && accepted > tally->tested.by_status) {
        fprintf(out,
                "%" PRIu64
                " invalid calls were accepted. If this backend does not check descriptions as "
                "DirectML does, let it say so: invalid=own, docs/contracts.md\n",
                accepted);
    }
}

void cli_tally_print(FILE *out, const struct cli_tally *tally, bool software_device)
{
    bool any = topk_totals_print(out, "results: ", tally->totals, tally->tested.by_status);
    fputs(any ? "\n" : "results: none\n", out);
    print_own_rules_hint(out, tally);
    char ended[TOPK_ENDED_TEXT];
    topk_tested_ended(&tally->tested, ended);
    fprintf(out, "%s%s%s", ended[0] == 0 ? "" : "processes: ", ended, ended[0] == 0 ? "" : "\n");
    any = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (tally->clauses[i] > 0) {
            char text[TOPK_CONTRACT_SENTENCE];
            topk_contract_sentence_print(&tally->contract, (enum topk_clause)i, text);
            fputs(any ? "" : "clauses broken:\n", out);
            fprintf(out, "  %-4s %6" PRIu64 " cases  %s\n", topk_clause_id((enum topk_clause)i),
                    tally->clauses[i], text + 2);
            any = true;
        }
    }
    print_reasons(out, tally);
    if (software_device) {
        print_observed(out, tally, "observed:", TOPK_OBSERVATION_OF_BACKEND);
        print_observed(out, tally, "observed of the software device, not of the backend:",
                       TOPK_OBSERVATION_OF_DEVICE);
    } else {
        print_observed(out, tally, "observed:", -1);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void print_broken_clauses(FILE *out, const struct cli_tally *tally)
{
    bool any = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (tally->clauses[i] > 0) {
            fprintf(out, "%s%s", any ? ", " : ", clauses ", topk_clause_id((enum topk_clause)i));
            any = true;
        }
    }
}

void cli_level_print(FILE *out, uint32_t level, bool limited)
{
    if (limited || level < TOPK_LEVEL_5_0) {
        fprintf(out, " up to feature level %u.%u", (unsigned)(level >> 12),
                (unsigned)(level >> 8 & 15));
    }
}

/* what was tested, "(topk core v6, cpu 1.0)" */
static void print_subject(FILE *out, const struct cli_verdict *verdict)
{
    fputs("(topk ", out);
    topk_text_print(out, verdict->profile);
    fprintf(out, " v%" PRIu32, verdict->profile_version);
    cli_level_print(out, verdict->level, verdict->limit != 0);
    fputs(", ", out);
    cli_name_print(out, verdict->backend, verdict->version);
    putc(')', out);
}

static void print_passed(FILE *out, const struct topk_standing *standing,
                         const struct cli_verdict *verdict)
{
    char sentence[TOPK_SENTENCE_TEXT];
    topk_passed_sentence(standing, sentence, sizeof sentence);
    fprintf(out, "%s ", sentence);
    print_subject(out, verdict);
}

/* the results of a run that ended early, up to its end */
static void print_early(FILE *out, const struct cli_tally *tally, const struct cli_verdict *verdict)
{
    const uint64_t failures = cli_tally_failures(tally);
    const uint64_t unsupported = tally->totals[TOPK_VERDICT_UNSUPPORTED];
    const uint64_t waived = tally->totals[TOPK_VERDICT_EXPECTED_FAIL];
    char why[TOPK_EARLY_TEXT];
    topk_early_print(&verdict->early, why, sizeof why);
    fprintf(out, "%s: %" PRIu64 " passed, %" PRIu64 " failed", why,
            tally->done - failures - unsupported - waived, failures);
    if (waived > 0) {
        fprintf(out, ", %" PRIu64 " failed as expected", waived);
    }
    fprintf(out, ", %" PRIu64 " unsupported, %" PRIu64 " not run", unsupported,
            verdict->early.left);
    print_broken_clauses(out, tally);
    putc(' ', out);
    print_subject(out, verdict);
}

int cli_verdict_exit(const struct cli_tally *tally, const struct cli_verdict *verdict)
{
    const struct topk_standing standing = standing_of(tally, verdict);
    const enum topk_conformance conformance = topk_conformance_of(&standing);
    return verdict->strict > 0 && topk_conformance_good(conformance)
               ? CLI_FAILURES
               : cli_conformance_exit(conformance, tally->trust_worker);
}

/* the part of the line after the lead, and before what every run can have */
static void print_sentence(FILE *out, const struct cli_tally *tally,
                           const struct cli_verdict *verdict, const struct topk_standing *standing,
                           enum topk_conformance conformance)
{
    char sentence[TOPK_SENTENCE_TEXT];
    switch (verdict->early.by != TOPK_EARLY_NOT ? TOPK_CONFORMANCE_INCOMPLETE : conformance) {
    case TOPK_CONFORMANCE_INCOMPLETE:
        print_early(out, tally, verdict);
        break;
    case TOPK_CONFORMANCE_UNTESTED:
        topk_tested_sentence(tally->totals, sentence, sizeof sentence);
        fputs(sentence, out);
        break;
    case TOPK_CONFORMANCE_FAILED:
    case TOPK_CONFORMANCE_UNJUDGED:
        fprintf(out, "%" PRIu64 " of %" PRIu64 " cases failed", cli_tally_failures(tally),
                tally->done);
        print_broken_clauses(out, tally);
        topk_gate_sentence(&tally->gate, &tally->tested, tally->totals, sentence, sizeof sentence);
        fprintf(out, "%s%s", sentence[0] == 0 ? "" : "; ", sentence);
        topk_tested_ended(&tally->tested, sentence);
        fprintf(out, "%s%s", sentence[0] == 0 ? "" : "; ", sentence);
        break;
    default:
        print_passed(out, standing, verdict);
        break;
    }
}

/* what --strict adds to the line: a lead if nothing else is wrong, else one more part */
static void print_strict(FILE *out, bool here, const char *before,
                         const struct cli_verdict *verdict)
{
    if (here && verdict->strict > 0) {
        fprintf(out, "%sSTRICT: %zu expectation%s not hold%s", before, verdict->strict,
                verdict->strict == 1 ? " does" : "s do", before[0] == 0 ? "; " : "");
    }
}

static void print_verdict(FILE *out, const struct cli_tally *tally,
                          const struct cli_verdict *verdict)
{
    cli_need_memory(true); /* no verdict on results that may be incomplete */
    const struct topk_standing standing = standing_of(tally, verdict);
    const enum topk_conformance conformance = topk_conformance_of(&standing);
    const bool passed = topk_conformance_good(conformance);
    char words[TOPK_LEAD_TEXT];
    topk_conformance_lead(conformance, &standing, words, sizeof words);
    const char *lead = passed && verdict->strict > 0 ? "" : words;
    fprintf(out, "%s%s", lead, lead[0] == 0 ? "" : ": ");
    print_strict(out, passed, "", verdict);
    print_sentence(out, tally, verdict, &standing, conformance);
    print_strict(out, !passed, "; ", verdict);
    if (verdict->findings > 0) {
        fprintf(out, "; %" PRIu64 " %s a finding", verdict->findings,
                verdict->findings == 1 ? "probe has" : "probes have");
    }
    if (tally->judge != TOPK_JUDGE_APART && conformance != TOPK_CONFORMANCE_BY_WORKER) {
        fprintf(out, "; %s", topk_judge_phrase(tally->judge));
    }
    fputs(!passed             ? "\n"
          : verdict->selected ? "; only a whole profile shows conformance\n"
          : verdict->shard    ? "; only all shards together show conformance\n"
                              : "\n",
          out);
}

char *cli_verdict_line(const struct cli_tally *tally, const struct cli_verdict *verdict)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = cli_need(topk_memory_stream(&line, &size));
    print_verdict(out, tally, verdict);
    const bool whole = ferror(out) == 0;
    cli_need_memory(fclose(out) == 0 && whole);
    return line;
}

void cli_judge_note(const struct cli_tally *tally)
{
    if (tally->judge != TOPK_JUDGE_APART) {
        cli_error("note: %s", topk_judge_phrase(tally->judge));
    }
}

/* ---- probes ---------------------------------------------------------------------------------- */

void cli_probe_print_finding(FILE *out, const struct topk_probe *probe)
{
    fprintf(out, "PROBE %s: %s", topk_probe_verdict_word(probe->verdict), probe->name);
    fprintf(out, "%s%s: %s\n", probe->value[0] == 0 ? "" : ", ", probe->value, probe->detail);
}

void cli_probe_print_all(FILE *out, const struct topk_probes *probes)
{
    uint32_t counts[TOPK_PROBE_VERDICT_COUNT] = {0};
    for (uint32_t i = 0; i < probes->count; i++) {
        counts[probes->list[i].verdict]++;
    }
    fputs("probes:", out);
    const char *before = " ";
    for (int verdict = 0; verdict < TOPK_PROBE_VERDICT_COUNT; verdict++) {
        if (counts[verdict] > 0) {
            fprintf(out, "%s%" PRIu32 " %s", before, counts[verdict],
                    topk_probe_verdict_word((enum topk_probe_verdict)verdict));
            before = ", ";
        }
    }
    fputs("; `topk-cts probe' shows what they saw\n", out);
}
