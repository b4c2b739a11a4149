/* The page of a comparison: what became of each run that is held against the first. */
#include <inttypes.h>
#include <string.h>

#include "compare_report.h"
#include "html_part.h"
#include "page.h"

/* Kinds of change that are shown of each change; of the others their number. */
#define GROUPS 200

/* ---- the head -------------------------------------------------------------------------------- */

static bool any_worse(const struct topk_compare_report *report)
{
    for (size_t i = 1; i < report->count; i++) {
        if (topk_comparison_worse(&report->runs[i].comparison)) {
            return true;
        }
    }
    return false;
}

static void write_name(FILE *out, const struct topk_compared *compared)
{
    char *const *facts = compared->run.facts;
    topk_html_text(out, topk_name_shown(facts[TOPK_FACT_BACKEND]));
    fputc(' ', out);
    topk_html_text(out, facts[TOPK_FACT_VERSION]);
    fputs(" on ", out);
    topk_html_text(out, facts[TOPK_FACT_DEVICE]);
}

static void write_heading(FILE *out, const struct topk_compare_report *report)
{
    for (size_t i = 1; i < report->count; i++) {
        fputs(i == 1 ? "" : i + 1 == report->count ? " and " : ", ", out);
        write_name(out, &report->runs[i]);
    }
    fputs(" against ", out);
    write_name(out, &report->runs[0]);
}

static void write_title(FILE *out, const struct topk_compare_report *report)
{
    fputs(any_worse(report) ? "WORSE: " : "NOT WORSE: ", out);
    write_heading(out, report);
}

static void write_links(FILE *out, const struct topk_compare_report *report)
{
    for (size_t i = 1; i < report->count; i++) {
        char letter = report->runs[i].letter;
        fprintf(out, "<a href=\"#run-%c\">%c against A</a>\n", letter, letter);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void write_banner(FILE *out, const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    bool worse = topk_comparison_worse(comparison);
    const char *before = "";
    fprintf(out, "<div class=\"banner %s\"><strong>%c IS %s A</strong>\n<p>",
            worse ? "bad" : "good", b->letter, topk_comparison_words(comparison));
    for (int i = 0; i < TOPK_CHANGE_COUNT; i++) {
        if (comparison->counts[i] > 0) {
            enum topk_change change = (enum topk_change)i;
            fprintf(out, "%s<a href=\"#change-%c-%d\">", before, b->letter, i);
            topk_html_number(out, comparison->counts[i]);
            fprintf(out, " %s</a>", topk_change_name(change, comparison->counts[i]));
            before = ", ";
        }
    }
    if (comparison->case_count == 0) {
        fputs("every case came to the same", out);
        before = ", ";
    }
    if (comparison->probe_count > 0) {
        fprintf(out, "%s<a href=\"#probes-%c\">%zu %s</a>", before, b->letter,
                comparison->probe_count,
                comparison->probe_count == 1 ? "probe differs" : "probes differ");
    }
    fputs(".</p>\n", out);
    if (b->run.cut || !b->run.complete) {
        fprintf(out, "<p>Run %c is incomplete: ", b->letter);
        topk_html_number(out, b->run.recorded);
        fputs(" of ", out);
        topk_html_number(out, b->run.selected);
        fputs(" cases have a result.</p>\n", out);
    }
    fputs("</div>\n", out);
}

static void write_verdict(FILE *out, const struct topk_compare_report *report)
{
    for (size_t i = 1; i < report->count; i++) {
        write_banner(out, &report->runs[i]);
    }
}

/* ---- the runs -------------------------------------------------------------------------------- */

static void write_letters(FILE *out, const struct topk_compare_report *report, const char *corner)
{
    fprintf(out, "<div class=\"wide\"><table class=\"runs\"><thead><tr><th scope=\"col\">%s</th>",
            corner);
    for (size_t i = 0; i < report->count; i++) {
        fprintf(out, "<th scope=\"col\">%c</th>", report->runs[i].letter);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static bool fact_said(const struct topk_compare_report *report, int fact)
{
    for (size_t i = 0; i < report->count; i++) {
        if (report->runs[i].run.facts[fact][0] != 0) {
            return true;
        }
    }
    return false;
}

/* who answered, what was asked: what is not as in A stands out */
static void write_facts(FILE *out, const struct topk_compare_report *report)
{
    const struct topk_compared *a = &report->runs[0];
    for (int fact = 0; fact < TOPK_FACT_COUNT; fact++) {
        if (!fact_said(report, fact)) {
            continue;
        }
        fprintf(out, "<tr><th scope=\"row\">%s</th>", topk_fact_name((enum topk_fact)fact));
        for (size_t i = 0; i < report->count; i++) {
            const char *text = report->runs[i].run.facts[fact];
            bool other = strcmp(text, a->run.facts[fact]) != 0;
            fputs(other ? "<td class=\"other\">" : "<td>", out);
            topk_html_cut(out, text, 300);
            fputs(other ? " <span class=\"plain\">other</span></td>" : "</td>", out);
        }
        fputs("</tr>\n", out);
    }
}

static void write_counts(FILE *out, const struct topk_compare_report *report)
{
    for (int verdict = 0; verdict < TOPK_VERDICT_COUNT; verdict++) {
        uint64_t most = 0;
        for (size_t i = 0; i < report->count; i++) {
            uint64_t count = report->runs[i].run.totals[verdict];
            most = count > most ? count : most;
        }
        if (most == 0) {
            continue;
        }
        fprintf(out, "<tr><th scope=\"row\">cases: %s</th>",
                topk_verdict_word((enum topk_verdict)verdict));
        for (size_t i = 0; i < report->count; i++) {
            fputs("<td class=\"n\">", out);
            topk_html_number(out, report->runs[i].run.totals[verdict]);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
}

static void write_runs(FILE *out, const struct topk_compare_report *report)
{
    write_letters(out, report, "run");
    fputs("<tr><th scope=\"row\">log</th>", out);
    for (size_t i = 0; i < report->count; i++) {
        fputs("<td>", out);
        topk_html_cut(out, report->runs[i].path, 300);
        fputs("</td>", out);
    }
    fputs("</tr>\n<tr><th scope=\"row\">started</th>", out);
    for (size_t i = 0; i < report->count; i++) {
        fputs("<td>", out);
        topk_html_text(out, report->runs[i].run.started);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    write_facts(out, report);
    write_counts(out, report);
    fputs("</tbody></table></div>\n", out);
}

/* ---- the changes of a run -------------------------------------------------------------------- */

static void write_group(FILE *out, const struct topk_compare_report *report,
                        const struct topk_compared *b, const struct topk_change_group *group,
                        uint64_t shown)
{
    const struct topk_change_case *cases = &b->comparison.cases[group->first];
    char before[TOPK_OUTCOME_TEXT];
    char after[TOPK_OUTCOME_TEXT];
    char test[128] = "cases";
    if (cases->test_length > 0) {
        snprintf(test, sizeof test, "%.*s", (int)cases->test_length, cases->id);
    }
    topk_group_words(&b->comparison, group, before, after);
    fprintf(out, "<details class=\"group\"><summary><span class=\"badge %s\">%s</span> <b>",
            topk_change_worse(cases->change)   ? "bad"
            : cases->change == TOPK_CHANGE_FIX ? "good"
                                               : "plain",
            topk_change_name(cases->change, 1));
    topk_html_text(out, test);
    fprintf(out, "</b>: %s in A, %s in %c <span class=\"count\">", before, after, b->letter);
    topk_html_number(out, group->count);
    fprintf(out, " case%s</span></summary><div>\n", group->count == 1 ? "" : "s");
    /* what is missing in B was run in A only */
    bool missing = cases->change == TOPK_CHANGE_MISSING;
    topk_html_replay(out, missing ? report->runs[0].run.replay : b->run.replay, cases->id);
    fputs("<ol class=\"cases\">\n", out);
    for (uint64_t i = 0; i < shown; i++) {
        fputs("<li><code>", out);
        topk_html_cut(out, cases[i].id, TOPK_HTML_CASE);
        fputs("</code></li>\n", out);
    }
    fputs("</ol>\n", out);
    if (shown < group->count) {
        fprintf(out, "<p class=\"note\">and %" PRIu64 " more.</p>\n", group->count - shown);
    }
    fputs("</div></details>\n", out);
}

/* the groups of one change, from `from` to before `to` */
static void write_change(FILE *out, const struct topk_compare_report *report,
                         const struct topk_compared *b, size_t from, size_t to)
{
    const struct topk_comparison *comparison = &b->comparison;
    enum topk_change change = comparison->cases[comparison->groups[from].first].change;
    uint64_t most = report->shown;
    fprintf(out, "<h3 id=\"change-%c-%d\">", b->letter, (int)change);
    topk_html_number(out, comparison->counts[change]);
    fprintf(out, " %s</h3>\n", topk_change_name(change, comparison->counts[change]));
    for (size_t i = from; i < to; i++) {
        const struct topk_change_group *group = &comparison->groups[i];
        uint64_t share = (most + (to - i) - 1) / (to - i);
        uint64_t shown = group->count < share ? group->count : share;
        if (i - from == GROUPS) {
            fprintf(
                out,
                "<p class=\"note\" data-unlisted=\"%zu\">and %zu more kinds of this change, which "
                "are not searched: <code>topk-cts compare --format json</code> has all.</p>\n",
                to - i, to - i);
            return;
        }
        write_group(out, report, b, group, shown);
        most -= shown;
    }
}

static void write_changes(FILE *out, const struct topk_compare_report *report,
                          const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    for (size_t from = 0, to = 0; from < comparison->group_count; from = to) {
        enum topk_change change = comparison->cases[comparison->groups[from].first].change;
        while (to < comparison->group_count &&
               comparison->cases[comparison->groups[to].first].change == change) {
            to++;
        }
        write_change(out, report, b, from, to);
    }
}

/* ---- what was seen --------------------------------------------------------------------------- */

static void write_observations(FILE *out, const struct topk_run *a, const struct topk_compared *b)
{
    bool any = false;
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (a->observations[i] == b->run.observations[i]) {
            continue;
        }
        if (!any) {
            fprintf(out,
                    "<h3>Observations that differ</h3>\n<div class=\"wide\"><table><thead><tr>"
                    "<th scope=\"col\">clause</th><th scope=\"col\">observed</th>"
                    "<th scope=\"col\">cases in A</th><th scope=\"col\">cases in %c</th></tr>"
                    "</thead><tbody>\n",
                    b->letter);
            any = true;
        }
        fprintf(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"n\">",
                topk_clause_id(row->clause), row->word);
        topk_html_number(out, a->observations[i]);
        fputs("</td><td class=\"n\">", out);
        topk_html_number(out, b->run.observations[i]);
        fputs("</td></tr>\n", out);
    }
    fputs(any ? "</tbody></table></div>\n" : "", out);
}

static void write_probes(FILE *out, const struct topk_run *a, const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    if ((a->probe_count == 0) != (b->run.probe_count == 0)) {
        fprintf(out, "<p>Probes are in %c only, and not compared.</p>\n",
                a->probe_count == 0 ? b->letter : 'A');
    }
    if (comparison->probe_count == 0) {
        return;
    }
    fprintf(out,
            "<h3 id=\"probes-%c\">Probes that differ</h3>\n<div class=\"wide\"><table><thead><tr>"
            "<th scope=\"col\">probe</th><th scope=\"col\">in A</th><th scope=\"col\">in %c</th>"
            "<th scope=\"col\"></th></tr></thead><tbody>\n",
            b->letter, b->letter);
    for (size_t i = 0; i < comparison->probe_count; i++) {
        const struct topk_change_probe *probe = &comparison->probes[i];
        char text[TOPK_OUTCOME_TEXT];
        fputs("<tr><th scope=\"row\">", out);
        topk_html_text(out, probe->before == NULL ? probe->after->name : probe->before->name);
        fputs("</th><td>", out);
        topk_probe_words(probe->before, text);
        topk_html_text(out, text);
        fputs("</td><td>", out);
        topk_probe_words(probe->after, text);
        topk_html_text(out, text);
        fprintf(out, "</td><td>%s</td></tr>\n",
                probe->worse ? "<span class=\"badge bad\">new finding</span>" : "");
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- speed ----------------------------------------------------------------------------------- */

static void write_speed_row(FILE *out, const char *name, const struct topk_speed *speed)
{
    fputs("<tr><th scope=\"row\">", out);
    topk_html_text(out, name);
    fputs("</th><td class=\"n\">", out);
    topk_html_number(out, speed->cases);
    fputs("</td><td class=\"n\">", out);
    topk_html_time(out, (double)speed->before);
    fputs("</td><td class=\"n\">", out);
    topk_html_time(out, (double)speed->after);
    fprintf(out, "</td><td class=\"n\">%.2f</td></tr>\n", speed->median);
}

static void write_speed(FILE *out, const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    if (comparison->speed.cases == 0) {
        return;
    }
    fprintf(out,
            "<h3>Time</h3>\n<p>What the cases took that passed in both. It is no part of the "
            "verdict: times vary from run to run.</p>\n<details class=\"more\"><summary>A case "
            "takes <b>%.2f</b> times as long in %c (median); by test</summary>\n"
            "<div class=\"wide\"><table><thead><tr><th scope=\"col\">test</th>"
            "<th scope=\"col\">cases</th><th scope=\"col\">time in A</th>"
            "<th scope=\"col\">time in %c</th><th scope=\"col\">median of ratios</th></tr></thead>"
            "<tbody>\n",
            comparison->speed.median, b->letter, b->letter);
    write_speed_row(out, "all", &comparison->speed);
    for (size_t i = 0; i < comparison->speed_count; i++) {
        write_speed_row(out, comparison->speeds[i].test, &comparison->speeds[i]);
    }
    fputs("</tbody></table></div>\n</details>\n", out);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_comparisons(FILE *out, const struct topk_compare_report *report)
{
    const struct topk_run *a = &report->runs[0].run;
    for (size_t i = 1; i < report->count; i++) {
        const struct topk_compared *b = &report->runs[i];
        bool other = strcmp(a->facts[TOPK_FACT_PROFILE], b->run.facts[TOPK_FACT_PROFILE]) != 0 ||
                     strcmp(a->facts[TOPK_FACT_DIGEST], b->run.facts[TOPK_FACT_DIGEST]) != 0;
        fprintf(out,
                "<section id=\"run-%c\" aria-labelledby=\"title-%c\">\n<h2 id=\"title-%c\">"
                "%c against A</h2>\n<p>",
                b->letter, b->letter, b->letter, b->letter);
        topk_html_number(out, b->comparison.both);
        fprintf(out, " cases have a result in both.%s</p>\n",
                other ? " The profiles are not the same: cases are compared by their ids." : "");
        write_changes(out, report, b);
        write_observations(out, a, b);
        write_probes(out, a, b);
        write_speed(out, b);
        fputs("</section>\n", out);
    }
}

static const struct {
    const char *name;
    void (*write)(FILE *out, const struct topk_compare_report *report);
} sections[] = {
    {"title", write_title},     {"heading", write_heading}, {"links", write_links},
    {"verdict", write_verdict}, {"runs", write_runs},       {"comparisons", write_comparisons},
};

static void write_section(FILE *out, const void *context, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (strlen(sections[i].name) == length && memcmp(sections[i].name, name, length) == 0) {
            sections[i].write(out, context);
            return;
        }
    }
}

bool topk_compare_html_write(FILE *out, const struct topk_compare_report *report)
{
    static const char *const scripts[] = {topk_page_details_js, topk_page_compare_js, NULL};
    return topk_html_page(out, topk_page_compare_html, scripts, write_section, report);
}
