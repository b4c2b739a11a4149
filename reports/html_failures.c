/* The page's section of what did not pass: a group for each cause, with examples. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html_part.h"
#include "text.h"

/* Groups that are listed at once, and those that have more than one example. */
#define OPEN 15
#define FULL 30

static void write_clause(FILE *out, enum topk_clause clause)
{
    if (clause < TOPK_CLAUSE_COUNT) {
        const struct topk_clause_row *row = topk_clause_row(clause);
        fprintf(out, "<p><a href=\"#clause-%s\">%s</a> (%s): ", row->id, row->id,
                topk_grade_name(row->grade));
        topk_html_text(out, row->sentence);
        fputs("</p>\n", out);
    }
}

static void write_findings(FILE *out, const struct topk_example *example)
{
    if (example->finding_count == 0) {
        return;
    }
    fputs(
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">clause</th><th scope=\"col\">place"
        "</th><th scope=\"col\">what is wrong</th><th scope=\"col\">expected</th><th scope=\"col\">"
        "actual</th><th scope=\"col\">places</th></tr></thead><tbody>\n",
        out);
    for (size_t i = 0; i < example->finding_count; i++) {
        const struct topk_example_finding *finding = &example->findings[i];
        fprintf(out, "<tr><td>%s</td><td>", topk_clause_id(finding->clause));
        topk_html_text(out, finding->place);
        fputs("</td><td>", out);
        topk_html_text(out, finding->sentence);
        fputs("</td><td>", out);
        topk_html_text(out, finding->expected);
        fputs("</td><td>", out);
        topk_html_text(out, finding->actual);
        fputs("</td><td class=\"n\">", out);
        topk_html_number(out, finding->count);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_output(FILE *out, const char *value, const char *bits, uint64_t index)
{
    fputs("<td class=\"n\">", out);
    topk_html_text(out, value);
    fputs(" <code>", out);
    topk_html_text(out, bits);
    fprintf(out, "</code></td><td class=\"n\">%" PRIu64 "</td>", index);
}

/* expected and actual side by side, as far as both are known */
static void write_window(FILE *out, const struct topk_example *example)
{
    const struct topk_expected *expected = &example->expected;
    if (example->window_count == 0) {
        return;
    }
    fprintf(out,
            "<div class=\"wide\"><table><caption>sequence %" PRIu64 ", first wrong output %" PRIu32
            "%s</caption><thead><tr><th scope=\"col\">position</th>",
            example->sequence, example->position,
            expected->one_of ? "; expected is one of several that are allowed" : "");
    if (expected->count > 0) {
        fputs("<th scope=\"col\">expected</th><th scope=\"col\">index</th>", out);
    }
    fputs("<th scope=\"col\">actual</th><th scope=\"col\">index</th><th scope=\"col\"></th></tr>"
          "</thead><tbody>\n",
          out);
    for (size_t i = 0; i < example->window_count; i++) {
        const struct topk_example_output *actual = &example->window[i];
        bool known = i < expected->count;
        bool differs = known && (strcmp(expected->outputs[i].bits, actual->bits) != 0 ||
                                 expected->outputs[i].index != actual->index);
        fprintf(out, "<tr%s><td class=\"n\">%" PRIu64 "</td>", differs ? " class=\"differs\"" : "",
                (uint64_t)example->window_from + i);
        if (known) {
            write_output(out, expected->outputs[i].value, expected->outputs[i].bits,
                         expected->outputs[i].index);
        } else if (expected->count > 0) {
            fputs("<td></td><td></td>", out);
        }
        write_output(out, actual->value, actual->bits, actual->index);
        fprintf(out, "<td>%s</td></tr>\n", differs ? "differs" : "");
    }
    fputs("</tbody></table></div>\n", out);
}

void topk_html_replay(FILE *out, const char *replay, const char *id)
{
    if (strlen(id) > TOPK_HTML_CASE) {
        fputs("<p class=\"note\">The case is too long for this page: take its id from the log, and "
              "give it to <code>topk-cts replay</code>.</p>\n",
              out);
        return;
    }
    char *quoted = topk_text_shell(id);
    fputs("<p>To run it again:</p>\n<pre>", out);
    topk_html_text(out, replay);
    fputc(' ', out);
    topk_html_text(out, quoted == NULL ? id : quoted);
    fputs("</pre>\n", out);
    free(quoted);
}

/* behind its heading */
static void write_example(FILE *out, const struct topk_summary *summary,
                          const struct topk_example *example)
{
    fputs("<p><code>", out);
    topk_html_cut(out, example->id, TOPK_HTML_CASE);
    fputs("</code></p>\n", out);
    if (example->reason[0] != 0) {
        fputs("<p>", out);
        topk_html_text(out, example->reason);
        fputs("</p>\n", out);
    }
    write_findings(out, example);
    write_window(out, example);
    topk_html_replay(out, summary->replay, example->id);
}

static void write_shrunk(FILE *out, const struct topk_summary *summary,
                         const struct topk_group *group)
{
    for (size_t i = 0; i < group->shrunk_count; i++) {
        const struct topk_shrunk_example *shrunk = &summary->shrunk[group->shrunk[i]];
        fprintf(out, "<h3>Shrunk case%s</h3>\n",
                shrunk->minimal ? "" : ", which might become smaller yet");
        write_example(out, summary, &shrunk->example);
    }
}

/* place: of the group among those that are shown */
static void write_group(FILE *out, const struct topk_summary *summary, size_t place)
{
    uint32_t number = summary->order[place];
    const struct topk_group *group = &summary->groups[number];
    bool failure = topk_verdict_failure(group->verdict);
    fprintf(out, "<details class=\"group\" id=\"cause-%" PRIu32 "\"><summary>", number + 1);
    topk_html_verdict(out, group->verdict);
    fprintf(out, " %s ", group->clause < TOPK_CLAUSE_COUNT ? topk_clause_id(group->clause) : "");
    topk_html_cut(out, group->cause[0] == 0 ? "no reason given" : group->cause, 300);
    fputs(" <span class=\"count\">", out);
    topk_html_number(out, group->count);
    fprintf(out, " case%s</span></summary><div>\n", group->count == 1 ? "" : "s");
    write_clause(out, group->clause);
    write_shrunk(out, summary, group);
    fprintf(out, "<p><a href=\"#cases?group=%" PRIu32 "\">%s</a>; the smallest:</p>\n", number + 1,
            group->count == 1 ? "The case in the list" : "All of them in the list of cases");
    /* of what is not supported there is no more to see than one */
    size_t examples = failure && place < FULL ? group->example_count : 1;
    for (size_t i = 0; i < examples && i < group->example_count; i++) {
        fprintf(out, "<h3>Case %" PRIu64 "</h3>\n", group->examples[i].number);
        write_example(out, summary, &group->examples[i]);
    }
    fputs("</div></details>\n", out);
}

void topk_html_failures(FILE *out, const struct topk_summary *summary)
{
    size_t shown =
        summary->group_count < TOPK_HTML_GROUPS ? summary->group_count : TOPK_HTML_GROUPS;
    if (summary->group_count == 0) {
        fputs("<p>Nothing: every case that has a result passed.</p>\n", out);
    }
    for (size_t i = 0; i < shown; i++) {
        if (i == OPEN) {
            fprintf(out, "<details class=\"more\"><summary>%zu more causes</summary>\n", shown - i);
        }
        write_group(out, summary, i);
    }
    fputs(shown > OPEN ? "</details>\n" : "", out);
    if (shown < summary->group_count) {
        fprintf(out, "<p>%zu more causes of fewer cases each are in the list of cases only.</p>\n",
                summary->group_count - shown);
    }
}
