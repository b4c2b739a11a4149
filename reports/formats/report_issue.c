/* Drafts issues for the maintainers of an implementation, one for each bug of a run: the call, what
 * the documents promise, the actual outputs, and how to reproduce it. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "markdown_text.h"
#include "report.h"

/* How many bugs get a draft. */
#define BUGS_SHOWN 20

static void put_item(FILE *out, const char *name, const char *text)
{
    fprintf(out, "- **%s**: ", name);
    topk_markdown_text(out, text);
    fputc('\n', out);
}

static void put_implementation(FILE *out, const struct topk_summary *summary)
{
    static const struct {
        enum topk_fact fact;
        const char *before;
    } parts[] = {{TOPK_FACT_VERSION, " "}, {TOPK_FACT_DEVICE, ", on "}, {TOPK_FACT_DRIVER, ", "}};
    fputs("- **Implementation**: ", out);
    topk_markdown_text(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (summary->facts[parts[i].fact][0] != 0) {
            fputs(parts[i].before, out);
            topk_markdown_text(out, summary->facts[parts[i].fact]);
        }
    }
    fputs(topk_log_software_note(summary->facts[TOPK_FACT_SOFTWARE]), out);
    fputc('\n', out);
}

/* Writes text inside a code block or code span so that nothing in it can end the block. */
static void put_plain(FILE *out, const char *text)
{
    char piece[TOPK_TEXT_PIECE];
    while (*text != 0) {
        text = topk_text_xml_piece(text, piece);
        fputs(piece[0] == '`' ? "'" : piece, out);
    }
}

/* Writes the broken rule in the words of the contract, and where it is documented. */
static void put_promise(FILE *out, const struct topk_summary *summary, enum topk_clause clause)
{
    const struct topk_contract *contract = &summary->contract;
    char sentence[TOPK_CONTRACT_SENTENCE];
    if (clause != TOPK_CLAUSE_NONE) {
        fprintf(out, "- **Expected**: %s", topk_clause_id(clause));
        topk_contract_sentence_print(contract, clause, sentence);
        topk_markdown_text(out, sentence);
        fputc('\n', out);
    }
    fputs("- **Documented at**: `", out);
    put_plain(out,
              contract->source[0] != 0
                  ? contract->source
                  : "the DirectML reference, DML_TOP_K1_OPERATOR_DESC and DML_TOP_K_OPERATOR_DESC");
    fputs("`\n", out);
}

static void put_counts(FILE *out, const struct topk_group *group)
{
    const struct topk_entry *entry = group->entry;
    fprintf(out, "- **Seen in**: %" PRIu64 " case%s", group->count, group->count == 1 ? "" : "s");
    if (entry != NULL && entry->bug.inside > 0) {
        fprintf(out, "; of the %" PRIu64 " for which the condition holds %" PRIu64 " fail",
                entry->bug.inside, entry->bug.failed);
        if (entry->bug.fresh_inside > 0) {
            fprintf(out, ", and %" PRIu64 " of %" PRIu64 " that were made to try it",
                    entry->bug.fresh_failed, entry->bug.fresh_inside);
        }
    }
    fputs(".\n", out);
}

static void put_input(FILE *out, const struct topk_summary *summary, const char *id)
{
    char *call = summary->lookup->describe == NULL ? NULL : summary->lookup->describe(id);
    fputs("\n### Smallest input\n\n```text\n", out);
    put_plain(out, call == NULL ? id : call);
    fputs("\n```\n", out);
    free(call);
}

static void put_cell(FILE *out, const char *value, const char *bits, uint64_t index)
{
    fputs(" | ", out);
    topk_markdown_text(out, value);
    fputs(" (", out);
    topk_markdown_text(out, bits);
    fprintf(out, ") | %" PRIu64, index);
}

static void put_outputs(FILE *out, const struct topk_example *example)
{
    const struct topk_expected *expected = &example->expected;
    if (example->window_count == 0) {
        return;
    }
    fprintf(out, "\n### Outputs of sequence %" PRIu64 "\n\n", example->sequence);
    fprintf(out, "| position | expected value%s | index | actual value | index |\n",
            expected->one_of ? " (one that is allowed)" : "");
    fputs("|---:|---|---:|---|---:|\n", out);
    for (uint32_t i = 0; i < example->window_count; i++) {
        fprintf(out, "| %" PRIu32, example->window_from + i);
        if (i < expected->count) {
            put_cell(out, expected->outputs[i].value, expected->outputs[i].bits,
                     expected->outputs[i].index);
        } else {
            fputs(" | not worked out |", out);
        }
        put_cell(out, example->window[i].value, example->window[i].bits, example->window[i].index);
        fputs(" |\n", out);
    }
}

/* What the failing cases share. Without a cause, the words of a group end with its clause, which
 * may not be the one that the example breaks. */
static char *what_they_share(const struct topk_group *group, enum topk_clause clause)
{
    char sentence[TOPK_BUG_TEXT];
    if (group->entry == NULL || group->entry->readings != 0 || clause == group->clause) {
        return topk_group_says(group);
    }
    topk_bug_print(&group->entry->bug, sentence);
    return strdup(sentence);
}

/* False if memory is short. */
static bool put_actual(FILE *out, const struct topk_group *group,
                       const struct topk_example *example, enum topk_clause clause)
{
    char *words = what_they_share(group, clause);
    if (example != NULL && example->finding_count > 0) {
        fputs("- **Actual**: ", out);
        topk_markdown_text(out, example->findings[0].place);
        fputs(": ", out);
        topk_markdown_text(out, example->findings[0].sentence);
        fputc('\n', out);
    }
    if (words == NULL) {
        return false;
    }
    put_item(out, "When", words);
    free(words);
    if (example != NULL && example->reason[0] != 0) {
        put_item(out, "It said", example->reason);
    }
    if (example != NULL && example->crash != NULL) {
        char site[TOPK_CRASH_TEXT];
        topk_crash_site_print(example->crash, site);
        put_item(out, "Crash", site);
    }
    return true;
}

/* False if memory is short. */
static bool put_bug(FILE *out, const struct topk_summary *summary, const struct topk_group *group,
                    size_t number)
{
    const struct topk_example *example = topk_group_smallest(summary, group);
    const enum topk_clause clause =
        example != NULL && example->finding_count > 0 ? example->findings[0].clause : group->clause;
    const bool known = clause < TOPK_CLAUSE_COUNT;
    fprintf(out, "\n## %zu. ", number);
    topk_markdown_text(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    fputs(": ", out);
    fprintf(out, "%s%s%s", topk_verdict_word(group->verdict), known ? " " : "",
            known ? topk_clause_id(clause) : "");
    fputs("\n\n", out);
    put_implementation(out, summary);
    put_promise(out, summary, clause);
    if (!put_actual(out, group, example, clause)) {
        return false;
    }
    put_counts(out, group);
    if (example == NULL) {
        return true;
    }
    put_input(out, summary, example->id);
    put_outputs(out, example);
    char *quoted = topk_text_shell(example->id);
    fputs("\n"
          "### To reproduce it\n"
          "\n"
          "Without this suite: (fill in a program that calls the library itself)\n"
          "\n"
          "With it:\n"
          "\n",
          out);
    if (quoted == NULL) {
        return false;
    }
    topk_markdown_code(out, summary->replay, quoted);
    free(quoted);
    return true;
}

bool topk_issue_write(FILE *out, const struct topk_summary *summary)
{
    size_t failures = 0;
    while (failures < summary->group_count &&
           topk_verdict_failure(summary->groups[summary->order[failures]].verdict)) {
        failures++;
    }
    fprintf(out, "# %zu draft%s, one for each bug of the run\n", failures,
            failures == 1 ? "" : "s");
    char lead[TOPK_LEAD_TEXT];
    topk_summary_lead(summary, lead, sizeof lead);
    fprintf(out, "\nOf a run that is %s.\n", lead);
    fputs("\nRead each one, look whether it is known, and reproduce it without this suite before "
          "you send it.\n",
          out);
    if (summary->judge != TOPK_JUDGE_APART) {
        fprintf(out, "\nThe run was %s.\n", topk_judge_phrase(summary->judge));
    }
    bool good = true;
    for (size_t i = 0; good && i < failures && i < BUGS_SHOWN; i++) {
        good = put_bug(out, summary, &summary->groups[summary->order[i]], i + 1);
    }
    if (failures > BUGS_SHOWN) {
        fprintf(out, "\nand %zu more.\n", failures - BUGS_SHOWN);
    }
    return good;
}
