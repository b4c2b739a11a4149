/* Lists the rows that the options ask for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char *const subject_words[] = {
#define SUBJECT(name, word) word,
    TOPK_BENCH_SUBJECT_LIST(SUBJECT)
#undef SUBJECT
};

const char *topk_bench_subject_word(enum topk_bench_subject subject)
{
    return subject_words[subject];
}

void topk_bench_defaults(struct topk_bench_options *options)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I32, TOPK_TYPE_I64,
                                     TOPK_TYPE_U8};
    static const uint32_t lengths[] = {16, 1 << 10, 1 << 16, 1 << 20};
    *options = (struct topk_bench_options){.subject = {true, true}, .backend = "cpu", .runs = 7};
    memcpy(options->types, types, sizeof types);
    options->type_count = sizeof types / sizeof types[0];
    memcpy(options->lengths, lengths, sizeof lengths);
    options->length_count = sizeof lengths / sizeof lengths[0];
}

void topk_bench_free(struct topk_bench_report *report)
{
    free(report->rows);
    free(report->notes);
    *report = (struct topk_bench_report){.rows = NULL};
}

void topk_bench_number(uint32_t number, char text[TOPK_BENCH_NUMBER])
{
    const bool millions = number > 0 && number % (1u << 20) == 0;
    const bool thousands = number > 0 && number % (1u << 10) == 0;
    snprintf(text, TOPK_BENCH_NUMBER, "%" PRIu32 "%s",
             millions    ? number >> 20
             : thousands ? number >> 10
                         : number,
             millions    ? "M"
             : thousands ? "k"
                         : "");
}

bool topk_bench_same(const struct topk_bench_row *a, const struct topk_bench_row *b)
{
    return a->subject == b->subject && a->type == b->type && a->n == b->n && a->k == b->k &&
           a->stride == b->stride && a->sequences == b->sequences;
}

/* default K of each subject */
static const struct topk_bench_k judge_ks[] = {{false, 8}, {true, 1}};
static const struct topk_bench_k backend_ks[] = {
    {false, 1}, {false, 8}, {false, 64}, {true, 2}, {true, 1}};

static bool add_row(struct topk_bench_report *report, const struct topk_bench_row *row)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (topk_bench_same(row, &report->rows[i])) {
            return true;
        }
    }
    if (report->row_count % 64 == 0) {
        struct topk_bench_row *rows =
            realloc(report->rows, (report->row_count + 64) * sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        report->rows = rows;
    }
    report->rows[report->row_count++] = *row;
    return true;
}

static bool add_rows(const struct topk_bench_options *options, enum topk_bench_subject subject,
                     uint32_t type, uint32_t n, struct topk_bench_report *report)
{
    const bool judge = subject == TOPK_BENCH_JUDGE;
    const struct topk_bench_k *ks = judge ? judge_ks : backend_ks;
    const uint64_t sequences = options->sequences > 0 ? options->sequences
                               : n < TOPK_BENCH_CALL  ? TOPK_BENCH_CALL / n
                                                      : 1;
    uint32_t count =
        judge ? sizeof judge_ks / sizeof judge_ks[0] : sizeof backend_ks / sizeof backend_ks[0];
    if (options->k_count > 0) {
        ks = options->ks;
        count = options->k_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = ks[i].of_n ? n / ks[i].number : ks[i].number;
        for (uint32_t stride = 1; k >= 1 && k <= n && stride <= (judge ? 3u : 1u); stride += 2) {
            const struct topk_bench_row row = {.subject = subject,
                                               .type = type,
                                               .n = n,
                                               .k = k,
                                               .stride = stride,
                                               .sequences = sequences};
            if (!add_row(report, &row)) {
                return false;
            }
        }
    }
    return true;
}

enum topk_bench_status topk_bench_plan(const struct topk_bench_options *options,
                                       struct topk_bench_report *report, char *error,
                                       size_t error_bytes)
{
    *report = (struct topk_bench_report){.runs = options->runs, .quick = options->quick};
    for (int subject = 0; subject < TOPK_BENCH_SUBJECTS; subject++) {
        for (uint32_t t = 0; t < options->type_count && options->subject[subject]; t++) {
            for (uint32_t i = 0; i < options->length_count; i++) {
                if (!add_rows(options, (enum topk_bench_subject)subject, options->types[t],
                              options->lengths[i], report)) {
                    topk_bench_free(report);
                    snprintf(error, error_bytes, "out of memory");
                    return TOPK_BENCH_NO_MEMORY;
                }
            }
        }
    }
    if (report->row_count == 0) {
        snprintf(error, error_bytes,
                 "every K is greater than every n: there is nothing to measure");
        return TOPK_BENCH_NOTHING;
    }
    return TOPK_BENCH_DONE;
}
