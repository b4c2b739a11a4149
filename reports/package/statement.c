/* Writes statements of conformance as text. */
#include "statement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "summary/summary.h"

/* Writes a line of the description; nothing if the text is empty. */
static void put_fact(FILE *out, const char *name, const char *text)
{
    if (text[0] != 0) {
        fprintf(out, "  %-13s ", name);
        topk_text_print(out, text);
        fputc('\n', out);
    }
}

static void put_level(FILE *out, uint32_t level)
{
    fprintf(out, "%u.%u", (unsigned)(level >> 12), (unsigned)(level >> 8 & 15));
}

/* Writes what was tested. */
static void put_identity(FILE *out, const struct topk_audit *audit)
{
    const struct topk_log_backend *backend = &audit->header.backend;
    fputs("What was tested\n", out);
    put_fact(out, "backend", backend->name);
    put_fact(out, "version", backend->version);
    put_fact(out, "device", backend->device);
    put_fact(out, "driver", backend->driver);
    put_fact(out, "features", backend->features);
    if ((backend->flags & TOPK_LOG_SOFTWARE_DEVICE) != 0) {
        put_fact(out, "note", "the device is software");
    }
    put_fact(out, "opened as",
             backend->spec[0] != 0      ? backend->spec
             : backend->command[0] != 0 ? backend->command
                                        : backend->worker);
    fputs("  feature level ", out);
    put_level(out, backend->level);
    fputs("\n  The lines above are what the backend reports. The parts below were seen on the "
          "machine of "
          "the run,\n  except those marked `told':\n",
          out);
    topk_identity_print(out, &audit->parts);
}

/* Writes a rule that differs from DirectML's, and its effect on clauses. */
static void put_rule(FILE *out, const struct topk_contract *contract, enum topk_contract_rule rule)
{
    static const struct topk_contract directml;
    const enum topk_contract_option option = topk_contract_chosen(contract, rule);
    char value[TOPK_CONTRACT_RULES];
    char usual[TOPK_CONTRACT_RULES];
    topk_contract_value_print(contract, rule, value);
    topk_contract_value_print(&directml, rule, usual);
    if (strcmp(value, usual) == 0) {
        return;
    }
    fprintf(out, "  %s=%s: %s\n", topk_contract_rule_row(rule)->key, value,
            option == TOPK_OPTION_COUNT ? topk_contract_rule_row(rule)->about
                                        : topk_contract_option_row(option)->sentence);
    for (int p = TOPK_PROMISE_RESTATED; p <= TOPK_PROMISE_NOT_OBSERVED; p++) {
        char made[TOPK_CONTRACT_RULES];
        topk_contract_made_print(contract, option, (enum topk_promise)p, made);
        if (made[0] != 0) {
            fprintf(out, "    clauses %s: %s\n", topk_promise_words((enum topk_promise)p), made);
        }
    }
}

/* Writes the rules that were tested against. */
static void put_contract(FILE *out, const struct topk_contract *contract)
{
    fputs("\nContract\n", out);
    if (topk_contract_plain(contract)) {
        fputs("  DirectML's documents, as `topk-cts spec' lists their clauses\n", out);
        return;
    }
    fputs("  declared: these rules instead of DirectML's. Nothing here shows conformance to\n"
          "  DirectML's documents.\n",
          out);
    if (contract->name[0] != 0) {
        put_fact(out, "of", contract->name);
    }
    if (contract->source[0] != 0) {
        put_fact(out, "documented at", contract->source);
    }
    for (int i = 0; i < TOPK_CONTRACT_RULE_COUNT; i++) {
        put_rule(out, contract, (enum topk_contract_rule)i);
    }
}

/* Writes how much of what was required was supported. */
static void put_share(FILE *out, const struct topk_audit *audit)
{
    char text[TOPK_SHARE_TEXT];
    const struct topk_share share = topk_audit_share(audit, text);
    const struct topk_gate *gate = &audit->gate;
    fprintf(out, "\nShare served\n  %s: %" PRIu64 " of %" PRIu64 "\n", text, share.served,
            share.asked);
    if (gate->least > 0) {
        fprintf(out, "  at least %" PRIu32 " %% had to be served\n", gate->least);
    }
    for (size_t i = 0; i < gate->count; i++) {
        const struct topk_required *required = &audit->tested.required[i];
        fprintf(out, "  %s is required: ", gate->words[i]);
        if (required->cases == 0) {
            fputs("no case asks for it\n", out);
        } else if (required->lacking == 0) {
            fprintf(out, "all of its %" PRIu64 " cases are served\n", required->cases);
        } else {
            fprintf(out, "%" PRIu64 " of its %" PRIu64 " cases are not served\n", required->lacking,
                    required->cases);
        }
    }
}

/* Writes who judged, and with what. */
static void put_judging(FILE *out, const struct topk_audit *audit)
{
    const struct topk_log_header *header = &audit->header;
    fputs("\nHow it was judged\n", out);
    put_fact(out, "judge", topk_judge_phrase(header->judge));
    if (header->guard_pages[0] != 0) {
        put_fact(out, "guard pages", topk_log_guard_pages_phrase(header->guard_pages));
    }
    put_fact(out, "topk-cts", header->suite);
    put_fact(out, "revision", header->revision[0] == 0 ? "not known" : header->revision);
    fputs("  profile       ", out);
    topk_text_print(out, header->profile);
    fprintf(out, ", version %" PRIu32 "\n", header->profile_version);
    put_fact(out, "digest", header->profile_digest);
    put_fact(out, "started", header->started);
    if (header->merged > 0) {
        fprintf(out, "  shards        %" PRIu32 ", run separately and merged\n", header->merged);
    }
    fprintf(out, "  with all %" PRIu64 " cases of the profile up to feature level ", header->cases);
    put_level(out, header->level);
    fprintf(out, ", and %g seconds for a call\n", header->timeout);
}

static const char *cases_word(uint64_t count)
{
    return count == 1 ? "case" : "cases";
}

static void put_levels(FILE *out, const struct topk_audit *audit)
{
    for (size_t i = 0; i < audit->level_count; i++) {
        const struct topk_audit_level *level = &audit->levels[i];
        fputs("  Cases of feature level ", out);
        put_level(out, level->level);
        fprintf(out, ": it %s; %" PRIu64 " %s: ",
                topk_conformance_sentence(topk_audit_conformance(audit, level)),
                topk_totals_sum(level->totals), cases_word(topk_totals_sum(level->totals)));
        topk_totals_print(out, "", level->totals, level->tested.by_status);
        if (level->tested.asked > 0) {
            fprintf(out, "; %" PRIu64 " of %" PRIu64 " valid calls served", level->tested.served,
                    level->tested.asked);
        }
        fputc('\n', out);
    }
}

static void put_clauses(FILE *out, const struct topk_audit *audit)
{
    bool any = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (audit->clauses[i] > 0) {
            const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
            fputs(any ? "" : "\nClauses that it breaks\n", out);
            fprintf(out, "  %-4s in %" PRIu64 " %s: %s\n", row->id, audit->clauses[i],
                    cases_word(audit->clauses[i]), row->sentence);
            any = true;
        }
    }
}

/* Writes what is waived, by whom and until when. */
static void put_waivers(FILE *out, const struct topk_audit *audit)
{
    for (size_t i = 0; i < audit->expectations.count; i++) {
        const struct topk_expectation *rule = &audit->expectations.rules[i];
        fputs(i == 0 ? "\nWaivers that the run declares (see expectations.txt)\n" : "", out);
        fprintf(out, "  line %" PRIu32 ", ", rule->line);
        topk_expectation_print(out, rule);
        if (rule->applies) {
            fprintf(out, ": %" PRIu64 " of %" PRIu64 " cases failed as it says, %" PRIu64 " passed",
                    rule->failed, rule->cases, rule->passed);
            if (rule->others > 0) {
                fprintf(out, ", %" PRIu64 " failed in another way", rule->others);
            }
            fputc('\n', out);
        } else {
            fputs(": for another backend, version or driver\n", out);
        }
        fprintf(out, "    %s %s; owner ", rule->expired ? "expired on" : "until", rule->expires);
        topk_text_print(out, rule->owner);
        fputs("; reason: ", out);
        topk_text_print(out, rule->reason);
        fputs(rule->link[0] == 0 ? "" : "; ", out);
        topk_text_print(out, rule->link);
        fputc('\n', out);
    }
}

static void put_fingerprint(FILE *out, const struct topk_audit *audit)
{
    fputs("\nWhat the backend does where the documents leave a choice\n", out);
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if (audit->observations[i] > 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            fprintf(out, "  %-4s %s, in %" PRIu64 " %s\n", topk_clause_id(row->clause), row->word,
                    audit->observations[i], cases_word(audit->observations[i]));
        }
    }
    for (size_t i = 0; i < audit->probe_count; i++) {
        const struct topk_probe *probe = &audit->probes[i];
        fprintf(out, "%s  %s: %s%s%s\n",
                i == 0 ? "\nProbes of the platform below the backend\n" : "", probe->name,
                topk_probe_verdict_word(probe->verdict), probe->value[0] == 0 ? "" : ", ",
                probe->value);
    }
}

/* Writes what can and cannot be concluded from verifying the statement. */
static void put_limits(FILE *out)
{
    fputs(
        "\nWhat the signature shows\n"
        "  - The holder of the secret key of key.pub signed the SHA-256 of each file of this\n"
        "    package. No file was changed since then.\n"
        "  - `topk-cts verify' checks in addition that mustpass.txt has the cases of the profile,\n"
        "    that results.jsonl has one result for each of them, that no line of it was removed "
        "or\n"
        "    changed, and that this statement follows from it.\n"
        "What it does not show\n"
        "  - Whose key it is. Get the public key from the signer in another way, and pass it to\n"
        "    `topk-cts verify --key' or --trust.\n"
        "  - That the results come from the backend named above: a signer can invent a log.\n"
        "    `topk-cts verify --rerun' runs some of the cases again, on a backend that you have.\n"
        "  - When the run took place: the time is that of the clock of the machine.\n"
        "  - Anything about calls that are not among these cases, or were not served.\n",
        out);
}

/* Writes how processes ended apart from cases, and how many such ends are allowed. */
static void put_ends(FILE *out, const struct topk_audit *audit)
{
    char ended[TOPK_ENDED_TEXT];
    topk_tested_ended(&audit->tested, ended);
    fprintf(out,
            "  Processes: %s. The limits were %" PRIu32 " that end badly, and %" PRIu32
            " that are ended from outside.\n",
            ended[0] == 0 ? "all ended as they should, except where a case says otherwise" : ended,
            audit->gate.unclean, audit->gate.restarts);
}

static void put_all(FILE *out, const struct topk_audit *audit, const struct topk_summary *summary)
{
    fputs("Statement of conformance\n\n", out);
    put_identity(out, audit);
    put_contract(out, &audit->header.contract);
    put_share(out, audit);
    put_judging(out, audit);
    fprintf(out, "\nResult\n  It %s, as far as these cases tell: ",
            topk_conformance_sentence(topk_audit_conformance(audit, NULL)));
    topk_totals_print(out, "", audit->totals, audit->tested.by_status);
    fputs(".\n", out);
    put_ends(out, audit);
    fputc('\n', out);
    put_levels(out, audit);
    put_clauses(out, audit);
    put_waivers(out, audit);
    put_fingerprint(out, audit);
    if (summary != NULL) {
        topk_statement_trace(out, summary);
    }
    fputs("\nThe log, results.jsonl, has each case; mustpass.txt lists the cases of the profile.\n",
          out);
    put_limits(out);
}

char *topk_statement_text(const struct topk_audit *audit, const struct topk_summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    put_all(out, audit, summary);
    bool written = ferror(out) == 0;
    if (fclose(out) != 0 || !written) {
        free(text);
        return NULL;
    }
    return text;
}
