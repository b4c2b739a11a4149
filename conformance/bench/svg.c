/* The report as a drawing: a panel for each type, cost against n on two logarithmic axes. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COLUMNS 2
#define WIDTH   470.0 /* of a panel including margins */
#define HEIGHT  300.0
#define LEFT    52.0 /* margins inside a panel */
#define RIGHT   58.0
#define TOP     30.0
#define BOTTOM  42.0
#define HEAD    74.0 /* above the panels */
#define LINE    12.0 /* least distance of labels */
#define CURVES  8
#define COLOURS 6
#define LENGTHS 32

/* Prints text escaped for XML; other bytes than printable ASCII become question marks. */
static void put(FILE *out, const char *text)
{
    for (; *text != 0; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e ? '?' : *text, out);
        }
    }
}

/* Identifies rows with a common K, as a number or as a part of n. */
struct curve {
    uint32_t of_n; /* K = n / of_n; 0: K = number */
    uint32_t number;
    uint32_t type; /* 0: any; in the judge's panel each curve is one type */
    char label[24];
};

struct panel {
    const struct topk_bench_report *report;
    enum topk_bench_subject subject;
    uint32_t type; /* 0: all, each as a curve */
    char title[96];
    struct curve curves[CURVES];
    uint32_t curve_count;
    uint32_t lengths[LENGTHS]; /* ascending */
    uint32_t length_count;
    double low, high; /* limits of the axis, powers of ten */
    double x, y;      /* of the corner */
};

static bool is_of(const struct curve *curve, const struct topk_bench_row *row)
{
    const bool k = curve->of_n == 0 ? row->k == curve->number
                                    : row->k == row->n / curve->of_n && row->n >= curve->of_n;
    return k && (curve->type == 0 || curve->type == row->type);
}

/* Whether the drawing shows a row. */
static bool is_drawn(const struct panel *panel, const struct topk_bench_row *row)
{
    return row->subject == panel->subject && row->work.measured && row->stride == 1 &&
           (panel->type == 0 || row->type == panel->type);
}

/* Returns the row of a curve at a length; NULL if there is none. */
static const struct topk_bench_row *at(const struct panel *panel, const struct curve *curve,
                                       uint32_t n)
{
    for (uint32_t i = 0; i < panel->report->row_count; i++) {
        const struct topk_bench_row *row = &panel->report->rows[i];
        if (is_drawn(panel, row) && row->n == n && is_of(curve, row)) {
            return row;
        }
    }
    return NULL;
}

/* Returns the least time of all peers; 0 if none was measured. */
static double fastest_peer(const struct topk_bench_report *report, const struct topk_bench_row *row)
{
    double least = 0;
    for (uint32_t i = 0; i < report->peer_count; i++) {
        const struct topk_bench_figure *peer = &row->peers[i];
        if (peer->measured && (least == 0 || peer->median < least)) {
            least = peer->median;
        }
    }
    return least;
}

/* ---- contents of a panel --------------------------------------------------------------------- */

static void add_curve(struct panel *panel, struct curve curve)
{
    for (uint32_t i = 0; i < panel->curve_count; i++) {
        const struct curve *known = &panel->curves[i];
        if (known->of_n == curve.of_n && known->number == curve.number &&
            known->type == curve.type) {
            return;
        }
    }
    if (panel->curve_count < CURVES) {
        panel->curves[panel->curve_count++] = curve;
    }
}

static void add_length(struct panel *panel, uint32_t n)
{
    uint32_t place = 0;
    while (place < panel->length_count && panel->lengths[place] < n) {
        place++;
    }
    if (panel->length_count == LENGTHS ||
        (place < panel->length_count && panel->lengths[place] == n)) {
        return;
    }
    memmove(&panel->lengths[place + 1], &panel->lengths[place],
            (panel->length_count - place) * sizeof panel->lengths[0]);
    panel->lengths[place] = n;
    panel->length_count++;
}

static void widen(struct panel *panel, double value)
{
    if (value > 0) {
        panel->low = panel->low == 0 || value < panel->low ? value : panel->low;
        panel->high = value > panel->high ? value : panel->high;
    }
}

/* Whether a curve of a fixed K already shows this K, even if it is also n or n/2. */
static bool has_number(const struct panel *panel, uint32_t k)
{
    bool has = false;
    for (uint32_t i = 0; i < panel->curve_count; i++) {
        has = has || panel->curves[i].number == k;
    }
    return has;
}

/* Finds curves of fixed K first, then those of n, so that K ascends. */
static void find_curves(struct panel *panel)
{
    const struct topk_bench_report *report = panel->report;
    for (int of_n = 0; of_n < 2; of_n++) {
        for (uint32_t i = 0; i < report->row_count; i++) {
            const struct topk_bench_row *row = &report->rows[i];
            struct curve curve = {0};
            if (!is_drawn(panel, row)) {
                continue;
            }
            const uint32_t part =
                row->n % row->k == 0 && row->n / row->k <= 2 ? row->n / row->k : 0;
            if ((part != 0) != (of_n != 0) || has_number(panel, row->k)) {
                continue;
            }
            curve.of_n = part;
            curve.number = part == 0 ? row->k : 0;
            char k[TOPK_BENCH_NUMBER];
            topk_bench_number(row->k, k);
            snprintf(curve.label, sizeof curve.label, "K=%s",
                     part == 0   ? k
                     : part == 1 ? "n"
                                 : "n/2");
            add_curve(panel, curve);
        }
    }
    /* put n/2 before n */
    for (uint32_t i = 0; i + 1 < panel->curve_count; i++) {
        if (panel->curves[i].of_n == 1) {
            const struct curve last = panel->curves[i];
            panel->curves[i] = panel->curves[i + 1];
            panel->curves[i + 1] = last;
        }
    }
}

static void find_types(struct panel *panel)
{
    const struct topk_bench_report *report = panel->report;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (is_drawn(panel, &report->rows[i]) && report->rows[i].k < least) {
            least = report->rows[i].k;
        }
    }
    snprintf(panel->title, sizeof panel->title, "the judge, K = %" PRIu32, least);
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct topk_bench_row *row = &report->rows[i];
        if (is_drawn(panel, row)) {
            struct curve curve = {.number = least, .type = row->type};
            topk_type_print(row->type, curve.label);
            add_curve(panel, curve);
        }
    }
}

static void find_range(struct panel *panel)
{
    for (uint32_t i = 0; i < panel->report->row_count; i++) {
        const struct topk_bench_row *row = &panel->report->rows[i];
        for (uint32_t c = 0; c < panel->curve_count; c++) {
            if (at(panel, &panel->curves[c], row->n) == row) {
                add_length(panel, row->n);
                widen(panel, row->work.median);
                widen(panel, row->limit.median);
                widen(panel, fastest_peer(panel->report, row));
            }
        }
    }
    panel->low = pow(10, floor(log10(panel->low > 0 ? panel->low : 1)));
    panel->high = pow(10, ceil(log10(panel->high > 0 ? panel->high : 10)));
    panel->high = panel->high > panel->low ? panel->high : 10 * panel->low;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static double place_x(const struct panel *panel, uint32_t n)
{
    const double low = log2(panel->lengths[0]);
    const double high = log2(panel->lengths[panel->length_count - 1]);
    const double part = high > low ? (log2(n) - low) / (high - low) : 0.5;
    return panel->x + LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct panel *panel, double value)
{
    const double part = log10(value / panel->low) / log10(panel->high / panel->low);
    return panel->y + HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(FILE *out, const struct panel *panel)
{
    const double right = panel->x + WIDTH - RIGHT;
    const double bottom = panel->y + HEIGHT - BOTTOM;
    fprintf(out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">", panel->x + LEFT, panel->y + 18);
    put(out, panel->title);
    fputs("</text>\n", out);
    const int powers = (int)lround(log10(panel->high / panel->low));
    for (int power = 0; power <= powers; power++) {
        const double value = panel->low * pow(10, power);
        const double y = place_y(panel, value);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                panel->x + LEFT, y, right, y, panel->x + LEFT - 6, y + 4, value);
    }
    for (uint32_t i = 0; i < panel->length_count; i++) {
        const double x = place_x(panel, panel->lengths[i]);
        char n[TOPK_BENCH_NUMBER];
        topk_bench_number(panel->lengths[i], n);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x, panel->y + TOP, x, bottom, x, bottom + 15, n);
    }
    fprintf(out,
            "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">n, elements of a "
            "sequence</text>\n",
            (panel->x + LEFT + right) / 2, bottom + 31);
}

/* Draws the area between the least and the greatest limit of all curves. */
static void draw_limits(FILE *out, const struct panel *panel)
{
    double least[LENGTHS] = {0};
    double greatest[LENGTHS] = {0};
    for (uint32_t i = 0; i < panel->length_count; i++) {
        for (uint32_t c = 0; c < panel->curve_count; c++) {
            const struct topk_bench_row *row = at(panel, &panel->curves[c], panel->lengths[i]);
            if (row != NULL) {
                const double limit = row->limit.median;
                least[i] = least[i] == 0 || limit < least[i] ? limit : least[i];
                greatest[i] = limit > greatest[i] ? limit : greatest[i];
            }
        }
    }
    fputs("<polygon class=\"limit\" points=\"", out);
    for (uint32_t i = 0; i < panel->length_count; i++) {
        fprintf(out, "%.1f,%.1f ", place_x(panel, panel->lengths[i]),
                place_y(panel, greatest[i]) - 0.7);
    }
    for (uint32_t i = panel->length_count; i-- > 0;) {
        fprintf(out, "%.1f,%.1f ", place_x(panel, panel->lengths[i]),
                place_y(panel, least[i]) + 0.7);
    }
    fputs("\"/>\n", out);
}

static void draw_line(FILE *out, const struct panel *panel, uint32_t c, bool peer)
{
    fprintf(out, "<polyline class=\"%s c%" PRIu32 "\" points=\"", peer ? "peer" : "work",
            c % COLOURS);
    for (uint32_t i = 0; i < panel->length_count; i++) {
        const struct topk_bench_row *row = at(panel, &panel->curves[c], panel->lengths[i]);
        if (row != NULL) {
            const double value = peer ? fastest_peer(panel->report, row) : row->work.median;
            if (value > 0) {
                fprintf(out, "%.1f,%.1f ", place_x(panel, row->n), place_y(panel, value));
            }
        }
    }
    fputs("\"/>\n", out);
}

/* Places each label at the end of its curve, from the top down so that none overlap. */
static void draw_labels(FILE *out, const struct panel *panel)
{
    double ys[CURVES];
    bool done[CURVES] = {false};
    double above = panel->y + TOP - LINE;
    for (uint32_t c = 0; c < panel->curve_count; c++) {
        ys[c] = INFINITY;
        for (uint32_t i = 0; i < panel->length_count; i++) {
            const struct topk_bench_row *row = at(panel, &panel->curves[c], panel->lengths[i]);
            ys[c] = row != NULL ? place_y(panel, row->work.median) : ys[c];
        }
    }
    for (uint32_t drawn = 0; drawn < panel->curve_count; drawn++) {
        uint32_t c = 0;
        for (uint32_t i = 0; i < panel->curve_count; i++) {
            if (!done[i] && (done[c] || ys[i] < ys[c])) {
                c = i;
            }
        }
        done[c] = true;
        if (ys[c] < INFINITY) {
            above = ys[c] > above + LINE ? ys[c] : above + LINE;
            fprintf(out, "<text class=\"label c%" PRIu32 "\" x=\"%.1f\" y=\"%.1f\">", c % COLOURS,
                    panel->x + WIDTH - RIGHT + 6, above + 4);
            put(out, panel->curves[c].label);
            fputs("</text>\n", out);
        }
    }
}

static void draw_panel(FILE *out, struct panel *panel)
{
    find_range(panel);
    draw_axes(out, panel);
    draw_limits(out, panel);
    for (uint32_t c = 0; c < panel->curve_count; c++) {
        draw_line(out, panel, c, true);
        draw_line(out, panel, c, false);
    }
    draw_labels(out, panel);
}

/* ---- the whole drawing ----------------------------------------------------------------------- */

static const char style[] =
    "<style>\n"
    "svg{--paper:#ffffff;--ink:#1f2328;--faint:#d8dee4;--limit:#8c959f;font:12px "
    "system-ui,sans-serif}\n"
    ".c0{--own:#0969da}.c1{--own:#bc4c00}.c2{--own:#1a7f37}.c3{--own:#8250df}.c4{--own:#bf3989}"
    ".c5{--own:#6e5d00}\n"
    "@media(prefers-color-scheme:dark){"
    "svg{--paper:#0d1117;--ink:#e6edf3;--faint:#30363d;--limit:#7d8590}\n"
    ".c0{--own:#58a6ff}.c1{--own:#f0883e}.c2{--own:#3fb950}.c3{--own:#bc8cff}.c4{--own:#f778ba}"
    ".c5{--own:#d29922}}\n"
    ".paper{fill:var(--paper)}text{fill:var(--ink)}.title{font-weight:600;font-size:14px}\n"
    ".mark{font-size:11px}.grid{stroke:var(--faint)}.limit{fill:var(--limit);fill-opacity:.35;"
    "stroke:var(--limit)}\n"
    ".label{fill:var(--own);font-weight:600}.work,.peer{fill:none;stroke:var(--own);"
    "stroke-width:2;stroke-linejoin:round}\n"
    ".peer{stroke-dasharray:2 4}.legend{stroke:var(--ink);fill:none;stroke-width:2}\n"
    "</style>\n";

static void draw_head(FILE *out, const struct topk_bench_report *report, bool backend)
{
    fputs("<text class=\"title\" x=\"16\" y=\"24\">", out);
    if (backend) {
        put(out, report->backend.name);
        fputc(' ', out);
        put(out, report->backend.version);
        fputs(": ", out);
    }
    fputs("nanoseconds per element</text>\n<text class=\"mark\" x=\"16\" y=\"42\">", out);
    put(out, report->processor);
    fputs("; ", out);
    put(out, report->started);
    fprintf(out, "; topk-cts %s bench; medians of %" PRIu32 " rounds</text>\n", report->suite,
            report->runs);
    fputs("<line class=\"legend\" x1=\"16\" y1=\"58\" x2=\"46\" y2=\"58\"/>"
          "<text class=\"mark\" x=\"52\" y=\"62\">what is measured</text>\n"
          "<line class=\"peer legend\" x1=\"170\" y1=\"58\" x2=\"200\" y2=\"58\"/>"
          "<text class=\"mark\" x=\"206\" y=\"62\">the fastest peer at the same K</text>\n"
          "<rect class=\"limit\" x=\"400\" y=\"53\" width=\"30\" height=\"9\"/>"
          "<text class=\"mark\" x=\"436\" y=\"62\">the limits of all curves: the input read once, "
          "the "
          "outputs written once (judge: read)</text>\n",
          out);
}

static void start_panel(struct panel *panel, const struct topk_bench_report *report,
                        uint32_t number)
{
    const uint32_t line = number / COLUMNS;
    *panel = (struct panel){
        .report = report, .x = WIDTH * (number % COLUMNS), .y = HEAD + HEIGHT * line};
}

/* Makes the panel with a number; false after the last. */
static bool make_panel(struct panel *panel, const struct topk_bench_report *report, uint32_t number)
{
    uint32_t types[TOPK_TYPE_COUNT];
    uint32_t count = 0;
    bool judge = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct topk_bench_row *row = &report->rows[i];
        uint32_t t = 0;
        if (!row->work.measured || row->stride != 1) {
            continue;
        }
        judge = judge || row->subject == TOPK_BENCH_JUDGE;
        while (t < count && types[t] != row->type) {
            t++;
        }
        if (row->subject == TOPK_BENCH_BACKEND && t == count) {
            types[count++] = row->type;
        }
    }
    start_panel(panel, report, number);
    if (number < count) {
        panel->subject = TOPK_BENCH_BACKEND;
        panel->type = types[number];
        topk_type_print(panel->type, panel->title);
        find_curves(panel);
        return true;
    }
    panel->subject = TOPK_BENCH_JUDGE;
    if (number == count && judge) {
        find_types(panel);
        return true;
    }
    return false;
}

void topk_bench_draw(FILE *out, const struct topk_bench_report *report)
{
    struct panel panel;
    uint32_t count = 0;
    bool backend = false;
    while (make_panel(&panel, report, count)) {
        backend = backend || panel.subject == TOPK_BENCH_BACKEND;
        count++;
    }
    const uint32_t lines = (count + COLUMNS - 1) / COLUMNS;
    const double height = HEAD + HEIGHT * lines;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" role=\"img\" aria-label=\"Cost of an element against the length of a "
            "sequence\">\n%s<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
            WIDTH * COLUMNS, height, WIDTH * COLUMNS, height, style);
    draw_head(out, report, backend);
    for (uint32_t i = 0; i < count; i++) {
        make_panel(&panel, report, i);
        draw_panel(out, &panel);
    }
    fputs("</svg>\n", out);
}
