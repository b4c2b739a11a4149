/* The page's tables: clauses, maps, times, observations, probes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "html_part.h"

/* ---- clauses --------------------------------------------------------------------------------- */

static void write_observed(FILE *out, const struct topk_summary *summary, enum topk_clause clause)
{
    const char *before = "";
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (row->clause == clause && summary->observations[i] > 0) {
            fprintf(out, "%s%s (", before, row->word);
            topk_html_number(out, summary->observations[i]);
            fputc(')', out);
            before = "; ";
        }
    }
}

/* one badge for what a run can say of a clause */
static void write_claim(FILE *out, enum topk_claim claim)
{
    const char *kind = claim == TOPK_CLAIM_BROKEN ? "badge bad"
                       : claim == TOPK_CLAIM_HELD ? "badge good"
                                                  : "badge plain";
    fprintf(out, "<span class=\"%s\">%s</span>", kind, topk_claim_word(claim));
}

static void write_cases(FILE *out, const struct topk_clause_count *count)
{
    fputs(count->maybe > 0 ? "\u2265 " : "", out);
    topk_html_number(out, count->cases);
}

void topk_html_clauses(FILE *out, const struct topk_summary *summary)
{
    fputs(
        "<p>What the clauses promise, how many cases that were run test each, and what came of it: "
        "<em>held</em> if all of them passed; <em>held in what passed</em> if the others failed of "
        "other clauses, so that nothing is known of it there; <em>open</em> if nothing "
        "is promised, and only noted what is done. \u2265: cases with much data may test it as "
        "well; <code>topk-cts spec</code> counts all of a profile.</p>\n"
        "<div class=\"wide\"><table><thead><tr>"
        "<th scope=\"col\">clause</th><th scope=\"col\">grade</th><th scope=\"col\">verdict</th>"
        "<th scope=\"col\">cases</th><th scope=\"col\">passed</th>"
        "<th scope=\"col\">broke it</th>"
        "<th scope=\"col\">observed</th><th scope=\"col\">promise</th></tr></thead><tbody>\n",
        out);
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        const struct topk_clause_count *count = &summary->clauses[i];
        fprintf(out, "<tr id=\"clause-%s\"><th scope=\"row\">%s</th><td>%s</td><td>", row->id,
                row->id, topk_grade_name(row->grade));
        write_claim(out, topk_summary_claim(summary, (enum topk_clause)i));
        fputs("</td><td class=\"n\">", out);
        write_cases(out, count);
        fputs("</td><td class=\"n\">", out);
        topk_html_number(out, count->passing);
        fputs("</td><td class=\"n\">", out);
        if (count->failing > 0) {
            fprintf(out, "<a href=\"#cases?verdict=failing&amp;clause=%s\">", row->id);
            topk_html_number(out, count->failing);
            fputs("</a>", out);
        } else {
            fputc('0', out);
        }
        fputs("</td><td>", out);
        write_observed(out, summary, (enum topk_clause)i);
        fputs("</td><td>", out);
        topk_html_text(out, row->sentence);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- maps ------------------------------------------------------------------------------------ */

struct map {
    enum topk_heat heat;
    enum topk_facet row, column;
    const char *const *rows, *const *columns;
};

static bool row_used(const struct topk_summary *summary, enum topk_heat heat, size_t row)
{
    uint64_t cases = 0;
    for (size_t i = 0; i < TOPK_FACET_CLASSES; i++) {
        cases += summary->heat[heat][row][i].cases;
    }
    return cases > 0;
}

static bool column_used(const struct topk_summary *summary, enum topk_heat heat, size_t column)
{
    uint64_t cases = 0;
    for (size_t i = 0; i < TOPK_FACET_CLASSES; i++) {
        cases += summary->heat[heat][i][column].cases;
    }
    return cases > 0;
}

/* names of classes have no characters but these that an address could take amiss */
static void write_query(FILE *out, const char *text)
{
    for (; *text != 0; text++) {
        if (strchr("<>+&^%/", *text) != NULL) {
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        } else {
            fputc(*text, out);
        }
    }
}

static void write_cell(FILE *out, const struct map *map, const struct topk_heat_cell *cell,
                       size_t row, size_t column)
{
    if (cell->cases == 0) {
        fputs("<td class=\"hn\" aria-label=\"no case\">-</td>", out);
        return;
    }
    if (cell->failures == 0) {
        bool unsupported = cell->unsupported == cell->cases;
        fprintf(out, "<td class=\"%s\">", unsupported ? "hu" : "h0");
        topk_html_number(out, cell->cases);
        fputs(unsupported ? " unsupported</td>" : "</td>", out);
        return;
    }
    unsigned heat = 1 + (unsigned)(4 * (double)cell->failures / (double)cell->cases);
    fprintf(out, "<td class=\"h%u\"><a href=\"#cases?verdict=failing&amp;%s=", heat,
            topk_facet_name(map->row));
    write_query(out, map->rows[row]);
    fprintf(out, "&amp;%s=", topk_facet_name(map->column));
    write_query(out, map->columns[column]);
    fprintf(out, "\" aria-label=\"%" PRIu64 " of %" PRIu64 " failed\">", cell->failures,
            cell->cases);
    topk_html_number(out, cell->failures);
    fputs(" / ", out);
    topk_html_number(out, cell->cases);
    fputs("</a></td>", out);
}

static void write_map(FILE *out, const struct topk_summary *summary, const struct map *map)
{
    fprintf(out,
            "<h3>%s by %s</h3>\n<div class=\"wide\"><table class=\"heat\"><thead><tr><th "
            "scope=\"col\">",
            topk_facet_title(map->row), topk_facet_title(map->column));
    fputs("</th>", out);
    for (size_t i = 0; map->columns[i] != NULL; i++) {
        if (column_used(summary, map->heat, i)) {
            fputs("<th scope=\"col\">", out);
            topk_html_text(out, map->columns[i]);
            fputs("</th>", out);
        }
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; map->rows[i] != NULL; i++) {
        if (!row_used(summary, map->heat, i)) {
            continue;
        }
        fputs("<tr><th scope=\"row\">", out);
        topk_html_text(out, map->rows[i]);
        fputs("</th>", out);
        for (size_t j = 0; map->columns[j] != NULL; j++) {
            if (column_used(summary, map->heat, j)) {
                write_cell(out, map, &summary->heat[map->heat][i][j], i, j);
            }
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void topk_html_maps(FILE *out, const struct topk_summary *summary)
{
    fputs("<p>Failures / cases; a number alone is cases of which none failed. <em>invalid</em> are "
          "calls "
          "that have to be refused. Links lead to the cases.</p>\n",
          out);
    for (int i = 0; i < TOPK_HEAT_COUNT; i++) {
        struct map map = {.heat = (enum topk_heat)i};
        topk_heat_facets(map.heat, &map.row, &map.column);
        map.rows = summary->expert->classes(map.row);
        map.columns = summary->expert->classes(map.column);
        write_map(out, summary, &map);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

enum {
    BAR = 22, /* pixels from one to the next */
    HIGH = 120
};

/* heights by logarithm, so that one case is seen beside a million */
static void write_bars(FILE *out, const struct topk_summary *summary, unsigned from, unsigned to)
{
    double most = 0;
    for (unsigned i = from; i <= to; i++) {
        most = fmax(most, log2(1 + (double)summary->times[i]));
    }
    fprintf(out,
            "<div class=\"wide\"><svg role=\"img\" aria-label=\"cases by time, on a logarithmic "
            "scale\" "
            "width=\"%u\" height=\"%d\">\n",
            BAR * (to - from + 1) + 40, HIGH + 40);
    for (unsigned i = from; i <= to; i++) {
        unsigned x = BAR * (i - from);
        int high = (int)(HIGH * log2(1 + (double)summary->times[i]) / most);
        fprintf(out, "<rect x=\"%u\" y=\"%d\" width=\"%d\" height=\"%d\"><title>%" PRIu64 " below ",
                x, HIGH - high, BAR - 3, high, summary->times[i]);
        topk_html_time(out, topk_time_limit(i));
        fputs("</title></rect>\n", out);
        if ((i - from) % 4 == 3) {
            fprintf(out, "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">", x + BAR, HIGH + 16);
            topk_html_time(out, topk_time_limit(i));
            fputs("</text>\n", out);
        }
    }
    fprintf(out, "<line x1=\"0\" x2=\"%u\" y1=\"%d\" y2=\"%d\"/>\n</svg></div>\n",
            BAR * (to - from + 1), HIGH, HIGH);
}

static void write_quantile(FILE *out, const struct topk_summary *summary, const char *name,
                           double share)
{
    fprintf(out, "<tr><th scope=\"row\">%s</th><td class=\"n\">", name);
    topk_html_time(out, topk_time_limit(topk_summary_quantile(summary, share)));
    fputs("</td></tr>\n", out);
}

void topk_html_times(FILE *out, const struct topk_summary *summary)
{
    unsigned from = 0;
    unsigned to = TOPK_TIME_BUCKETS - 1;
    if (summary->recorded == 0) {
        fputs("<p>None.</p>\n", out);
        return;
    }
    while (from < to && summary->times[from] == 0) {
        from++;
    }
    while (to > from && summary->times[to] == 0) {
        to--;
    }
    fputs("<p>What the backend needed for a case, as the worker saw it; in all ", out);
    topk_html_time(out, (double)summary->nanoseconds);
    fputs(". Heights are logarithmic.</p>\n", out);
    write_bars(out, summary, from, to);
    fputs("<table><caption>Times that so many cases stayed below</caption><tbody>\n", out);
    write_quantile(out, summary, "half", 0.5);
    write_quantile(out, summary, "90 %", 0.9);
    write_quantile(out, summary, "99 %", 0.99);
    write_quantile(out, summary, "all", 1);
    fputs("</tbody></table>\n<div class=\"wide\"><table><caption>The slowest</caption><thead><tr>"
          "<th scope=\"col\">time</th><th scope=\"col\">number</th><th "
          "scope=\"col\">case</th></tr></thead>"
          "<tbody>\n",
          out);
    for (size_t i = 0; i < summary->slow_count; i++) {
        fputs("<tr><td class=\"n\">", out);
        topk_html_time(out, (double)summary->slowest[i].nanoseconds);
        fprintf(out, "</td><td class=\"n\">%" PRIu64 "</td><td><code>", summary->slowest[i].number);
        topk_html_cut(out, summary->slowest[i].id, 300);
        fputs("</code></td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- what was seen --------------------------------------------------------------------------- */

void topk_html_observations(FILE *out, const struct topk_summary *summary)
{
    bool any = false;
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        bool device = row->of == TOPK_OBSERVATION_OF_DEVICE;
        if (summary->observations[i] == 0) {
            continue;
        }
        if (!any) {
            fputs("<p>Where the clauses leave a choice, what this backend does: its "
                  "fingerprint.</p>\n"
                  "<div class=\"wide\"><table><thead><tr><th scope=\"col\">clause</th>"
                  "<th scope=\"col\">observed</th><th scope=\"col\">cases</th><th "
                  "scope=\"col\">of</th>"
                  "<th scope=\"col\">what is open</th></tr></thead><tbody>\n",
                  out);
            any = true;
        }
        fprintf(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"n\">",
                topk_clause_id(row->clause), row->word);
        topk_html_number(out, summary->observations[i]);
        fprintf(out, "</td><td>%s</td><td>",
                !device             ? "the backend"
                : summary->software ? "the software device, not the backend"
                                    : "the device");
        topk_html_text(out, topk_clause_row(row->clause)->sentence);
        fputs("</td></tr>\n", out);
    }
    fputs(any ? "</tbody></table></div>\n" : "<p>None.</p>\n", out);
}

void topk_html_probes(FILE *out, const struct topk_summary *summary)
{
    if (summary->probe_count == 0) {
        fputs("<p>The run has none.</p>\n", out);
        return;
    }
    fputs("<p>What was seen of the driver beneath the backend.</p>\n<div "
          "class=\"wide\"><table><thead><tr>"
          "<th scope=\"col\">probe</th><th scope=\"col\">verdict</th><th scope=\"col\">value</th>"
          "<th scope=\"col\">detail</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < summary->probe_count; i++) {
        const struct topk_probe *probe = &summary->probes[i];
        fputs("<tr><th scope=\"row\">", out);
        topk_html_text(out, probe->name);
        fprintf(out, "</th><td><span class=\"badge %s\">%s</span></td><td>",
                topk_probe_verdict_finding(probe->verdict) ? "bad" : "plain",
                topk_probe_verdict_word(probe->verdict));
        topk_html_text(out, probe->value);
        fputs("</td><td>", out);
        topk_html_text(out, probe->detail);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
