/* The page put together: page/report.html with its sections. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html_part.h"
#include "page.h"

/* ---- the head -------------------------------------------------------------------------------- */

static void write_title(FILE *out, const struct topk_summary *summary)
{
    topk_html_text(out, topk_conformance_words(topk_summary_conformance(summary)));
    fputs(": ", out);
    topk_html_text(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    fputs(", profile ", out);
    topk_html_text(out, summary->facts[TOPK_FACT_PROFILE]);
}

static void write_suite(FILE *out, const struct topk_summary *summary)
{
    fputs("topk-cts ", out);
    topk_html_text(out, summary->facts[TOPK_FACT_SUITE]);
    fputs(", run started ", out);
    topk_html_text(out, summary->started);
}

static void write_heading(FILE *out, const struct topk_summary *summary)
{
    topk_html_text(out, topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    fputc(' ', out);
    topk_html_text(out, summary->facts[TOPK_FACT_VERSION]);
    fputs(" on ", out);
    topk_html_text(out, summary->facts[TOPK_FACT_DEVICE]);
    fputs(", profile ", out);
    topk_html_text(out, summary->facts[TOPK_FACT_PROFILE]);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void write_broken(FILE *out, const struct topk_summary *summary)
{
    const char *before = "<p>Clauses broken: ";
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (summary->clauses[i].failing > 0) {
            const char *id = topk_clause_id((enum topk_clause)i);
            fprintf(out, "%s<a href=\"#clause-%s\">%s</a>", before, id, id);
            before = ", ";
        }
    }
    fputs(*before == ',' ? "</p>\n" : "", out);
}

static void write_verdict(FILE *out, const struct topk_summary *summary)
{
    enum topk_conformance conformance = topk_summary_conformance(summary);
    char sentence[TOPK_SUMMARY_SENTENCE];
    topk_summary_sentence(summary, sentence, sizeof sentence);
    fprintf(out, "<div class=\"banner %s\"><strong>%s</strong>\n<p>%s.</p>\n",
            topk_conformance_good(conformance) ? "good" : "bad",
            topk_conformance_words(conformance), sentence);
    write_broken(out, summary);
    if (summary->probe_findings > 0) {
        fprintf(out, "<p><a href=\"#probes\">%" PRIu64 " %s a finding</a>.</p>\n",
                summary->probe_findings,
                summary->probe_findings == 1 ? "probe has" : "probes have");
    }
    if (summary->cut) {
        fputs("<p>The log was cut, it has no end record: what stands before is shown.</p>\n", out);
    }
    if (conformance == TOPK_PASSED) {
        fputs("<p>Only a whole profile, of all shards, shows conformance.</p>\n", out);
    }
    fputs("</div>\n<ul class=\"totals\" aria-label=\"Cases by verdict\">\n", out);
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (summary->totals[i] > 0) {
            const char *word = topk_verdict_word((enum topk_verdict)i);
            fprintf(out, "<li><a href=\"#cases?verdict=%s\"><b>", word);
            topk_html_number(out, summary->totals[i]);
            fprintf(out, "</b> %s</a></li>\n", word);
        }
    }
    fputs("</ul>\n", out);
}

/* ---- the environment ------------------------------------------------------------------------- */

static void write_fact(FILE *out, const char *name, const char *value)
{
    if (value[0] != 0) {
        fprintf(out, "<tr><th scope=\"row\">%s</th><td>", name);
        topk_html_text(out, value);
        fputs("</td></tr>\n", out);
    }
}

static void write_environment(FILE *out, const struct topk_summary *summary)
{
    char number[24];
    fputs("<div class=\"wide\"><table><tbody>\n", out);
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        write_fact(out, topk_fact_name((enum topk_fact)i), summary->facts[i]);
    }
    write_fact(out, "started", summary->started);
    snprintf(number, sizeof number, "%" PRIu64, summary->seed);
    write_fact(out, "seed", number);
    snprintf(number, sizeof number, "%" PRIu64, summary->selected);
    write_fact(out, "cases selected", number);
    write_fact(out, "replay command", summary->replay);
    fputs("</tbody></table></div>\n", out);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(FILE *out, const struct topk_summary *summary);
} sections[] = {
    {"title", write_title},           {"suite", write_suite},
    {"heading", write_heading},       {"verdict", write_verdict},
    {"failures", topk_html_failures}, {"clauses", topk_html_clauses},
    {"maps", topk_html_maps},         {"texts-note", topk_html_texts_note},
    {"times", topk_html_times},       {"observations", topk_html_observations},
    {"probes", topk_html_probes},     {"environment", write_environment},
    {"data", topk_html_data},         {"rows", topk_html_rows},
    {"texts", topk_html_texts},
};

static void write_section(FILE *out, const void *context, const char *name, size_t length)
{
    const struct topk_summary *summary = context;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (strlen(sections[i].name) == length && memcmp(sections[i].name, name, length) == 0) {
            sections[i].write(out, summary);
            return;
        }
    }
}

bool topk_html_write(FILE *out, const struct topk_summary *summary)
{
    static const char *const scripts[] = {topk_page_details_js, topk_page_cases_js, NULL};
    return topk_html_page(out, topk_page_report_html, scripts, write_section, summary);
}
