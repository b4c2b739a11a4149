/* Measures what a case costs before it is sent: drawing it and printing its text. For comparison,
 * it also measures a plain loop that prints 64 elements in hex with snprintf(). */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "generate/build.h"
#include "generate/generate.h"

#define ROUNDS 9
#define CASES  20000u

static char text[TOPK_CASE_TEXT];
static uint64_t sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

/* median nanoseconds of one call */
static double measure(void (*step)(uint64_t number))
{
    double rounds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (uint64_t i = 0; i < CASES; i++) {
            step(i);
        }
        rounds[r] = (now() - start) / CASES;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], by_value);
    return rounds[ROUNDS / 2];
}

static void draw(uint64_t number)
{
    struct topk_choice choice;
    struct topk_case tc;
    topk_choice_seed(&choice, 1, number);
    if (topk_generate(&choice, &topk_limits_usual, &tc)) {
        sink += topk_case_print(&tc, text, sizeof text);
        topk_case_clear(&tc);
    }
}

/* a case of 64 elements of literal data */
static void draw_literal(uint64_t number)
{
    struct topk_choice choice;
    struct topk_case tc;
    uint64_t bits[64];
    topk_choice_seed(&choice, 1, number);
    topk_build_row(&tc, TOPK_MODE_LARGEST, TOPK_TYPE_F32, 64, 1 + topk_choice_below(&choice, 64));
    tc.op.level = TOPK_LEVEL_2_1;
    tc.literal = bits;
    tc.literal_count = 64;
    for (int i = 0; i < 64; i++) {
        bits[i] = topk_choice_bits(&choice, 4);
    }
    sink += topk_case_print(&tc, text, sizeof text);
}

static void print_plainly(uint64_t number)
{
    for (uint64_t i = 0; i < 64; i++) {
        sink += (uint64_t)snprintf(text + 9 * i, 10, "%08x,", (unsigned)(number * i));
    }
}

int main(void)
{
    double limit = measure(print_plainly);
    double literal = measure(draw_literal);
    double any = measure(draw);
    printf("64 elements by snprintf     %7.0f ns\n", limit);
    printf("a case of 64 elements       %7.0f ns  %.2f of that\n", literal, literal / limit);
    printf("a case as explore draws it  %7.0f ns  %.2f of that\n", any, any / limit);
    return sink == 0;
}
