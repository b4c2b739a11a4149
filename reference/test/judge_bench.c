/* How fast the judge is: the time to judge a result of one sequence of FLOAT32, K 8, over the time
 * to sum the same array, plainly and in lanes that become vector code. Not a test. To be built with
 * -O3, as the judge is. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <time.h>

#define RUNS 15

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* keeps the compiler from moving work out of a loop: all of memory may have changed */
static void barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[RUNS])
{
    qsort(times, RUNS, sizeof times[0], by_value);
    return times[RUNS / 2];
}

static float sum_plain(const float *array, uint32_t length)
{
    float total = 0;
    for (uint32_t i = 0; i < length; i++) {
        total += array[i];
    }
    return total;
}

static float sum_lanes(const float *array, uint32_t length)
{
    float lanes[16] = {0};
    for (uint32_t i = 0; i + 16 <= length; i += 16) {
        for (uint32_t lane = 0; lane < 16; lane++) {
            lanes[lane] += array[i + lane];
        }
    }
    return sum_plain(lanes, 16);
}

static void measure(uint32_t length, uint32_t rounds)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K;
    op.level = TOPK_LEVEL_5_0;
    op.direction = TOPK_DECREASING;
    op.k = 8;
    op.tensors[TOPK_INPUT] =
        (struct topk_tensor){.present = true, .type = TOPK_TYPE_F32, .rank = 1, .sizes = {length}};
    op.tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op.tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    float *array = malloc(length * sizeof *array);
    unsigned char value[32];
    unsigned char index[32];
    if (array == NULL) {
        return;
    }
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 70);
    for (uint32_t i = 0; i < length; i++) {
        array[i] = (float)topk_pcg_next(&pcg) - 0x1p31f;
    }
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT] = {
        [TOPK_INPUT] = {(unsigned char *)array, (unsigned char *)array, 4 * (uint64_t)length, 0, 0},
        [TOPK_VALUE] = {NULL, value, sizeof value, 0, 0},
        [TOPK_INDEX] = {NULL, index, sizeof index, 0, 0}};
    if (topk_oracle_run(&op, exhibits[TOPK_INPUT].before, value, index) != TOPK_ORACLE_UNIQUE) {
        free(array);
        return;
    }
    double plain[RUNS];
    double lanes[RUNS];
    double judge[RUNS];
    float total = 0;
    bool right = true;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (uint32_t i = 0; i < rounds; i++) {
            total += sum_plain(array, length);
            barrier();
        }
        plain[run] = now() - start;
        start = now();
        for (uint32_t i = 0; i < rounds; i++) {
            total += sum_lanes(array, length);
            barrier();
        }
        lanes[run] = now() - start;
        start = now();
        for (uint32_t i = 0; i < rounds; i++) {
            struct topk_judgement judgement;
            topk_judge_result(&op, exhibits, &judgement);
            right = right && judgement.count == 0;
            barrier();
        }
        judge[run] = now() - start;
    }
    double judged = median(judge);
    printf("n = %8" PRIu32 ": %.2f of a plain sum, %.2f of one in lanes (%.3f ns an element)%s\n",
           length, judged / median(plain), judged / median(lanes), 1e9 * judged / rounds / length,
           right && total > -1e30f ? "" : " -- judged wrong");
    free(array);
}

int main(void)
{
    measure(1u << 10, 10000);
    measure(1u << 16, 300);
    measure(1000000, 20);
    measure(1u << 24, 1);
    return 0;
}
