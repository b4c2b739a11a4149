/* Compares two reports. */
#include "bench.h"

#include <inttypes.h>

static const struct topk_bench_row *find(const struct topk_bench_report *report,
                                         const struct topk_bench_row *row)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (topk_bench_same(row, &report->rows[i]) && report->rows[i].work.measured) {
            return &report->rows[i];
        }
    }
    return NULL;
}

static void print_row(FILE *out, const struct topk_bench_row *before,
                      const struct topk_bench_row *after, const char *word)
{
    char type[TOPK_TYPE_TEXT];
    char n[TOPK_BENCH_NUMBER];
    char k[TOPK_BENCH_NUMBER];
    topk_type_print(after->type, type);
    topk_bench_number(after->n, n);
    topk_bench_number(after->k, k);
    fprintf(out, "  %s: %s %s n=%s k=%s", word, topk_bench_subject_word(after->subject), type, n,
            k);
    if (after->stride > 1) {
        fprintf(out, " stride %" PRIu32, after->stride);
    }
    fprintf(out, ": %.2f x limit, and was %.2f\n", after->work.ratio, before->work.ratio);
}

struct topk_bench_comparison topk_bench_compare(FILE *out, const struct topk_bench_report *before,
                                                const struct topk_bench_report *after,
                                                double tolerance)
{
    struct topk_bench_comparison comparison = {0};
    for (uint32_t i = 0; i < after->row_count; i++) {
        const struct topk_bench_row *now = &after->rows[i];
        const struct topk_bench_row *then = find(before, now);
        if (then == NULL || !now->work.measured) {
            continue;
        }
        comparison.shared++;
        if (now->work.ratio > tolerance * then->work.ratio) {
            comparison.regressed++;
            print_row(out, then, now, "slower");
        } else if (then->work.ratio > tolerance * now->work.ratio) {
            comparison.improved++;
            print_row(out, then, now, "faster");
        }
    }
    return comparison;
}
