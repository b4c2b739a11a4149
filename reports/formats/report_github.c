/* Writes a run's summary as workflow commands of GitHub Actions, which become annotations of the
 * step that prints them.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "report.h"

/* How many annotations of one level GitHub shows per step. */
#define SHOWN 10
/* Maximum length of a case's text. */
#define CASE_SHOWN 1000
/* Room for a line of text from a log. */
#define LINE_BYTES 8192

/* In a property, commas and colons must be escaped too. */
static void put_escaped(FILE *out, const char *text, bool property)
{
    for (const char *at = text; *at != 0; at++) {
        const bool special =
            *at == '%' || *at == '\r' || *at == '\n' || (property && (*at == ':' || *at == ','));
        if (special) {
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*at);
        } else {
            fputc(*at, out);
        }
    }
}

/* Writes text from a log as one line of UTF-8 without control characters, so that nothing in it can
 * act as a command. */
static void put_line(FILE *out, const char *text)
{
    char line[LINE_BYTES];
    topk_text_line(text, line, sizeof line);
    put_escaped(out, line, false);
}

static void begin(FILE *out, const char *level, const char *title)
{
    fprintf(out, "::%s title=", level);
    put_escaped(out, title, true);
    fputs("::", out);
}

static void put_verdict(FILE *out, const struct topk_summary *summary)
{
    const bool good = topk_conformance_good(topk_summary_conformance(summary)) && !summary->cut;
    char sentence[TOPK_SUMMARY_SENTENCE];
    char lead[TOPK_LEAD_TEXT];
    topk_summary_lead(summary, lead, sizeof lead);
    topk_summary_sentence(summary, sentence, sizeof sentence);
    begin(out, good ? "notice" : "error", "topk-cts");
    fprintf(out, "%s: ", lead);
    put_line(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    fputc(' ', out);
    put_line(out, summary->facts[TOPK_FACT_VERSION]);
    if (summary->facts[TOPK_FACT_DEVICE][0] != 0) {
        fputs(" on ", out);
        put_line(out, summary->facts[TOPK_FACT_DEVICE]);
    }
    fputs(topk_log_software_note(summary->facts[TOPK_FACT_SOFTWARE]), out);
    fputs(", profile ", out);
    put_line(out, summary->facts[TOPK_FACT_PROFILE]);
    fputs(": ", out);
    put_line(out, sentence);
    if (summary->judge != TOPK_JUDGE_APART) {
        fprintf(out, "; the run was %s", topk_judge_phrase(summary->judge));
    }
    fputs(summary->cut ? "; the log was truncated\n" : "\n", out);
}

/* False if memory is short. */
static bool put_group(FILE *out, const struct topk_summary *summary, const char *level,
                      const struct topk_group *group)
{
    const struct topk_example *smallest = topk_group_smallest(summary, group);
    char title[TOPK_GROUP_TITLE];
    char whole[TOPK_GROUP_TITLE + 32];
    char *words = topk_group_says(group);
    topk_group_title(group, title);
    snprintf(whole, sizeof whole, "%s, %" PRIu64 " case%s", title, group->count,
             group->count == 1 ? "" : "s");
    if (words == NULL) {
        return false;
    }
    begin(out, level, whole);
    put_line(out, words);
    free(words);
    if (smallest != NULL && strlen(smallest->id) <= CASE_SHOWN) {
        char *quoted = topk_text_shell(smallest->id);
        if (quoted == NULL) {
            return false;
        }
        fputs("%0A", out);
        put_line(out, summary->replay);
        fputc(' ', out);
        put_line(out, quoted);
        free(quoted);
    }
    fputc('\n', out);
    return true;
}

static bool known(enum topk_verdict verdict)
{
    return verdict == TOPK_VERDICT_EXPECTED_FAIL || verdict == TOPK_VERDICT_UNEXPECTED_PASS;
}

/* Writes the groups that which() selects. GitHub shows `most` annotations, so the last one says how
 * many more groups there are. False if memory is short. */
static bool put_groups(FILE *out, const struct topk_summary *summary, const char *level,
                       bool (*which)(enum topk_verdict verdict), size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->group_count; i++) {
        count += which(summary->groups[i].verdict);
    }
    const size_t shown = count <= most ? count : most - 1;
    bool good = true;
    for (size_t i = 0, put = 0; good && i < summary->group_count && put < shown; i++) {
        const struct topk_group *group = &summary->groups[summary->order[i]];
        if (which(group->verdict)) {
            good = put_group(out, summary, level, group);
            put++;
        }
    }
    if (count > shown) {
        char title[64];
        snprintf(title, sizeof title, "%zu more causes", count - shown);
        begin(out, level, title);
        fputs("The report and the log have them.\n", out);
    }
    return good;
}

bool topk_github_write(FILE *out, const struct topk_summary *summary)
{
    put_verdict(out, summary);
    return put_groups(out, summary, "error", topk_verdict_failure, SHOWN - 1) &&
           put_groups(out, summary, "warning", known, SHOWN);
}
