/* Writes a run's summary as Markdown for GitHub and GitLab. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "markdown_text.h"
#include "report.h"

/* How many causes are shown, and the maximum length of a case's text. */
#define CAUSES_SHOWN 10
#define CASE_SHOWN   1000

static void put_verdict(FILE *out, const struct topk_summary *summary)
{
    const struct topk_share share = topk_share_of(&summary->tested, summary->totals);
    char sentence[TOPK_SUMMARY_SENTENCE];
    char lead[TOPK_LEAD_TEXT];
    topk_summary_sentence(summary, sentence, sizeof sentence);
    topk_summary_lead(summary, lead, sizeof lead);
    fprintf(out, "## %s\n\n", lead);
    topk_markdown_text(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    fputc(' ', out);
    topk_markdown_text(out, summary->facts[TOPK_FACT_VERSION]);
    if (summary->facts[TOPK_FACT_DEVICE][0] != 0) {
        fputs(" on ", out);
        topk_markdown_text(out, summary->facts[TOPK_FACT_DEVICE]);
    }
    fputs(topk_log_software_note(summary->facts[TOPK_FACT_SOFTWARE]), out);
    fputs(", profile ", out);
    topk_markdown_text(out, summary->facts[TOPK_FACT_PROFILE]);
    fputs(": ", out);
    topk_markdown_text(out, sentence);
    fputs(".\n", out);
    fprintf(out, "Served: %" PRIu64 " of %" PRIu64 " %s.\n", share.served, share.asked,
            share.all ? "cases" : "valid calls");
    if (summary->judge != TOPK_JUDGE_APART) {
        fprintf(out, "The run was %s.\n", topk_judge_phrase(summary->judge));
    }
    if (summary->probe_findings > 0) {
        fprintf(out, "%" PRIu64 " probes have a finding.\n", summary->probe_findings);
    }
    if (summary->cut) {
        fputs("The log was truncated: it has no end record.\n", out);
    }
    fputs("\n| verdict | cases |\n|---|---:|\n", out);
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (summary->totals[i] > 0) {
            fprintf(out, "| %s | %" PRIu64 " |\n", topk_verdict_word((enum topk_verdict)i),
                    summary->totals[i]);
        }
    }
    char again[TOPK_SUMMARY_AGAIN];
    topk_summary_again(summary, again);
    if (again[0] != 0) {
        fprintf(out, "\nFailures were %s.\n", again);
    }
    char ended[TOPK_ENDED_TEXT];
    topk_tested_ended(&summary->tested, ended);
    if (ended[0] != 0) {
        fprintf(out, "\nProcesses that ran the cases: %s.\n", ended);
    }
    if (summary->tested.by_status > 0) {
        fprintf(out, "\nPasses by status alone: %" PRIu64 ".\n", summary->tested.by_status);
    }
}

static void put_clauses(FILE *out, const struct topk_summary *summary)
{
    const char *title = "\n### Clauses broken\n\n| clause | grade | failing | cases | promise |\n"
                        "|---|---|---:|---:|---|\n";
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_count *count = &summary->clauses[i];
        if (count->failing > 0) {
            const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
            fprintf(out, "%s| %s | %s | %" PRIu64 " | %s%" PRIu64 " | ", title, row->id,
                    topk_grade_name(row->grade), count->failing,
                    count->maybe > 0 ? "at least " : "", count->cases);
            topk_markdown_text(out, row->sentence);
            fputs(" |\n", out);
            title = "";
        }
    }
}

/* Writes how many clauses ended in each state: "Clauses: 40 held, 3 broken". */
static void put_claims(FILE *out, const struct topk_summary *summary)
{
    size_t counts[TOPK_CLAIM_COUNT] = {0};
    const char *before = "\nClauses: ";
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        counts[topk_summary_claim(summary, (enum topk_clause)i)]++;
    }
    for (int i = 0; i < TOPK_CLAIM_COUNT; i++) {
        if (counts[i] > 0) {
            fprintf(out, "%s%zu %s", before, counts[i], topk_claim_word((enum topk_claim)i));
            before = "; ";
        }
    }
    fputs(".\n", out);
}

/* False if memory is short. */
static bool put_cause(FILE *out, const struct topk_summary *summary, const struct topk_group *group)
{
    char title[TOPK_GROUP_TITLE];
    char *words = topk_group_says(group);
    if (words == NULL) {
        return false;
    }
    topk_group_title(group, title);
    fprintf(out, "\n**%s**, %" PRIu64 " case%s: ", title, group->count,
            group->count == 1 ? "" : "s");
    topk_markdown_text(out, words);
    free(words);
    fputs("\n\n", out);
    const struct topk_example *smallest = topk_group_smallest(summary, group);
    const char *id = smallest == NULL ? "" : smallest->id;
    char *quoted = topk_text_shell(id);
    if (quoted == NULL) {
        return false;
    }
    if (strlen(id) <= CASE_SHOWN) {
        topk_markdown_code(out, summary->replay, quoted);
    }
    free(quoted);
    return true;
}

/* False if memory is short. */
static bool put_causes(FILE *out, const struct topk_summary *summary)
{
    size_t failures = 0;
    while (failures < summary->group_count &&
           topk_verdict_failure(summary->groups[summary->order[failures]].verdict)) {
        failures++;
    }
    fputs(failures > 0 ? "\n### Causes, with the smallest case of each\n" : "", out);
    bool good = true;
    for (size_t i = 0; good && i < failures && i < CAUSES_SHOWN; i++) {
        good = put_cause(out, summary, &summary->groups[summary->order[i]]);
    }
    if (failures > CAUSES_SHOWN) {
        fprintf(out, "\nand %zu more causes.\n", failures - CAUSES_SHOWN);
    }
    return good;
}

static void put_observations(FILE *out, const struct topk_summary *summary)
{
    const char *before = "\nObserved: ";
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (summary->observations[i] > 0) {
            bool another = summary->software && row->of == TOPK_OBSERVATION_OF_DEVICE;
            fprintf(out, "%s%s %s (%" PRIu64 "%s)", before, topk_clause_id(row->clause), row->word,
                    summary->observations[i], another ? ", of the software device" : "");
            before = "; ";
        }
    }
    fputs(*before == ';' ? "\n" : "", out);
}

bool topk_markdown_write(FILE *out, const struct topk_summary *summary)
{
    put_verdict(out, summary);
    put_claims(out, summary);
    put_clauses(out, summary);
    if (!put_causes(out, summary)) {
        return false;
    }
    put_observations(out, summary);
    char tested[TOPK_PART_WORDS];
    topk_identity_brief(&summary->parts, tested, sizeof tested);
    fputs("\nTested: ", out);
    topk_markdown_text(out, tested);
    fputs("\n\ntopk-cts ", out);
    topk_markdown_text(out, summary->facts[TOPK_FACT_SUITE]);
    fputs(", started ", out);
    topk_markdown_text(out, summary->started);
    if (summary->facts[TOPK_FACT_DRIVER][0] != 0) {
        fputs(", driver ", out);
        topk_markdown_text(out, summary->facts[TOPK_FACT_DRIVER]);
    }
    fputc('\n', out);
    return true;
}
