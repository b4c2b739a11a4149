/* The report as tables. */
#include "bench.h"

#include <inttypes.h>
#include <string.h>

static void print_head(FILE *out, const struct topk_bench_report *report)
{
    char pinned[64] = "not pinned to a processor";
    if (report->processors == 1) {
        snprintf(pinned, sizeof pinned, "pinned to processor %" PRIu32, report->first);
    } else if (report->processors > 1) {
        snprintf(pinned, sizeof pinned, "pinned to %" PRIu32 " processors", report->processors);
    }
    fprintf(out, "topk-cts %s bench, %s\n%s; %s\n", report->suite, report->started,
            report->processor, pinned);
    fprintf(out, "%s, medians of %" PRIu32 " rounds; buffers of %" PRIu64 " MiB rotate",
            report->processor_time ? "processor time" : "time by the clock", report->runs,
            report->buffers >> 20);
    if (report->cache > 0) {
        fprintf(out, ", the largest cache has %" PRIu64 " MiB", report->cache >> 20);
    }
    fprintf(out,
            "\none thread: reads %.1f GB/s, copies %.1f GB/s, reads each third element of four "
            "bytes %.1f GB/s\n",
            report->machine.read, report->machine.copy, report->machine.strided);
    if (report->quick) {
        fputs("quick: short turns on small buffers, to try the command; do not publish these "
              "numbers\n",
              out);
    }
}

static void print_where(FILE *out, const struct topk_bench_row *row)
{
    char type[TOPK_TYPE_TEXT];
    char n[TOPK_BENCH_NUMBER];
    char k[TOPK_BENCH_NUMBER];
    topk_type_print(row->type, type);
    topk_bench_number(row->n, n);
    topk_bench_number(row->k, k);
    fprintf(out, "%-4s %6s %6s", type, n, k);
}

/* Prints a number with about three significant digits. */
static void print_number(FILE *out, int width, double number)
{
    const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    fprintf(out, " %*.*f", width - 1, number < 0.0995 ? 3 : digits, number);
}

static void print_judge(FILE *out, const struct topk_bench_report *report)
{
    bool head = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct topk_bench_row *row = &report->rows[i];
        if (row->subject != TOPK_BENCH_JUDGE) {
            continue;
        }
        if (!head) {
            fputs("\n"
                  "judge: ns per element; limit: a sum in lanes over the same bytes\n"
                  "type      n      K stride  limit     ns (   least greatest)  x limit\n",
                  out);
            head = true;
        }
        print_where(out, row);
        fprintf(out, " %6" PRIu32, row->stride);
        if (!row->work.measured) {
            fputs("      -\n", out);
            continue;
        }
        print_number(out, 7, row->limit.median);
        print_number(out, 7, row->work.median);
        fputs(" (", out);
        print_number(out, 8, row->work.least);
        print_number(out, 9, row->work.greatest);
        fputc(')', out);
        print_number(out, 9, row->work.ratio);
        fputc('\n', out);
    }
}

/* Whether any row was measured bare. */
static bool has_bare(const struct topk_bench_report *report)
{
    bool any = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        any = any || report->rows[i].bare.measured;
    }
    return any;
}

/* Returns the width of a peer's column; 0: it has no column. */
static int width_of(const struct topk_bench_party *peer)
{
    const size_t length = strlen(peer->name);
    return !peer->open ? 0 : length < 6 ? 8 : length > 18 ? 20 : (int)length + 2;
}

/* Shortens a long path to its last part, for example "./mine.so" to "mine.so". */
static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strlen(name) <= 18 ? name : slash == NULL ? name : slash + 1;
}

/* Prints words; wraps at 100 columns and indents further lines. */
static void print_wrapped(FILE *out, size_t column, const char *text)
{
    while (*text != 0) {
        const size_t length = strcspn(text, " ");
        if (column + 1 + length > 100) {
            fputs("\n ", out);
            column = 1;
        }
        fprintf(out, " %.*s", (int)length, text);
        column += 1 + length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_parties(FILE *out, const struct topk_bench_report *report)
{
    const struct topk_bench_party *backend = &report->backend;
    const int length = fprintf(out, "\nbackend %s %s:", backend->name, backend->version);
    print_wrapped(out, (size_t)length, backend->about);
    for (uint32_t i = 0; i < report->peer_count; i++) {
        const struct topk_bench_party *peer = &report->peers[i];
        if (peer->open) {
            fprintf(out, "peer %s: %s\n", peer->name, peer->version);
        } else {
            print_wrapped(out, (size_t)fprintf(out, "peer %s:", peer->name), peer->about);
        }
    }
    if (has_bare(report)) {
        fputs("bare: the same dispatches, recorded anew; nothing is uploaded or read back\n", out);
    }
    fputs("ns per element; limit: a sum in lanes over the input, and memset() of the outputs, by "
          "one thread;\n"
          "a peer: how many times as long as the backend it takes\n"
          "type      n      K  limit     ns  x limit",
          out);
    if (has_bare(report)) {
        fputs("  x bare", out);
    }
    for (uint32_t i = 0; i < report->peer_count; i++) {
        const int width = width_of(&report->peers[i]);
        if (width > 0) {
            fprintf(out, " %*.*s", width - 1, width - 1, last_part(report->peers[i].name));
        }
    }
    fputc('\n', out);
}

static void print_backend(FILE *out, const struct topk_bench_report *report)
{
    const bool bare = has_bare(report);
    bool head = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct topk_bench_row *row = &report->rows[i];
        if (row->subject != TOPK_BENCH_BACKEND) {
            continue;
        }
        if (!head) {
            print_parties(out, report);
            head = true;
        }
        print_where(out, row);
        if (!row->work.measured) {
            fputs("      -\n", out);
            continue;
        }
        print_number(out, 7, row->limit.median);
        print_number(out, 7, row->work.median);
        print_number(out, 9, row->work.ratio);
        if (bare && row->bare.measured) {
            print_number(out, 8, row->bare.ratio);
        } else if (bare) {
            fprintf(out, "%8s", "-");
        }
        for (uint32_t p = 0; p < report->peer_count; p++) {
            const int width = width_of(&report->peers[p]);
            if (width > 0 && row->peers[p].measured) {
                print_number(out, width, row->peers[p].ratio);
            } else if (width > 0) {
                fprintf(out, "%*s", width, "-");
            }
        }
        fputc('\n', out);
    }
}

void topk_bench_print(FILE *out, const struct topk_bench_report *report)
{
    print_head(out, report);
    print_judge(out, report);
    print_backend(out, report);
    if (report->note_count > 0) {
        fputs("\nleft out:\n", out);
    }
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(out, "  %s\n", report->notes[i]);
    }
}
