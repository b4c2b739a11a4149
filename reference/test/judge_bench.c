/* Measures the speed of the judge for each level of its scan (judge_scan.h) that the machine
 * supports: the time to judge a correct result, divided by the time to read the same elements once.
 * The reading code is vector code of the same level; for elements that are not adjacent, a plain
 * loop. Processor time, ratios within one run, medians. Not a test. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <time.h>

#include "reference/judge_scan.h"

#define RUNS 25

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* prevents the compiler from moving work out of a loop */
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

/* ---- reading --------------------------------------------------------------------------------- */

/* reads memory as fast as vectors of this size can; four of them, to hide the latency of
 * additions */
#define STREAM(name, bytes, attributes)                                                            \
    attributes static uint64_t name(const unsigned char *data, uint64_t length)                    \
    {                                                                                              \
        typedef uint64_t vector __attribute__((vector_size(bytes), aligned(1), may_alias));        \
        const uint64_t width = (bytes);                                                            \
        vector a = {0};                                                                            \
        vector b = a;                                                                              \
        vector c = a;                                                                              \
        vector d = a;                                                                              \
        for (uint64_t i = 0; i + 4 * width <= length; i += 4 * width) {                            \
            a += *(const vector *)(data + i);                                                      \
            b += *(const vector *)(data + i + width);                                              \
            c += *(const vector *)(data + i + 2 * width);                                          \
            d += *(const vector *)(data + i + 3 * width);                                          \
        }                                                                                          \
        a += b + c + d;                                                                            \
        return a[0] + a[1];                                                                        \
    }

STREAM(stream_base, 16, )
#ifdef __x86_64__
STREAM(stream_avx2, 32, __attribute__((target("avx2"))))
STREAM(stream_avx512, 64, __attribute__((target("avx512f"))))
#endif

typedef uint64_t stream_function(const unsigned char *data, uint64_t length);

static stream_function *stream_of(const struct topk_scan_level *level)
{
#ifdef __x86_64__
    if (strcmp(level->name, "avx2") == 0) {
        return stream_avx2;
    }
    if (strcmp(level->name, "avx512") == 0) {
        return stream_avx512;
    }
#endif
    (void)level;
    return stream_base;
}

/* reads FLOAT32 elements that are not adjacent */
static uint64_t read_apart(const unsigned char *data, uint64_t step, uint64_t length)
{
    uint32_t lanes[4] = {0};
    for (uint64_t i = 0; i + 4 <= length; i += 4) {
        for (uint64_t lane = 0; lane < 4; lane++) {
            uint32_t bits;
            memcpy(&bits, data + (i + lane) * step, sizeof bits);
            lanes[lane] += bits;
        }
    }
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* reads only the elements that outputs name, which is unavoidable if K is large */
static uint64_t read_named(const unsigned char *data, const unsigned char *index, uint64_t length)
{
    uint32_t total = 0;
    for (uint64_t i = 0; i < length; i++) {
        uint32_t at;
        uint32_t bits;
        memcpy(&at, index + i * sizeof at, sizeof at);
        memcpy(&bits, data + at * sizeof bits, sizeof bits);
        total += bits;
    }
    return total;
}

/* ---- judging --------------------------------------------------------------------------------- */

struct bench {
    const char *name;
    uint32_t type;
    uint32_t sizes[3]; /* Axis is 1 */
    uint32_t k;
    uint32_t stride; /* of Axis, in elements; 0: packed */
    bool denormal;   /* one element is denormal, so that the judge scans twice (F04) */
};

static const struct bench benches[] = {
    {"f32, n = 1M", TOPK_TYPE_F32, {1, 1000000, 1}, 8, 0, false},
    {"f32 with a denormal, 1M", TOPK_TYPE_F32, {1, 1000000, 1}, 8, 0, true},
    {"f32, n = 64k", TOPK_TYPE_F32, {1, 1 << 16, 1}, 8, 0, false},
    {"f32, n = 1k", TOPK_TYPE_F32, {1, 1 << 10, 1}, 8, 0, false},
    {"f32, n = 16", TOPK_TYPE_F32, {1, 16, 1}, 8, 0, false},
    {"f16, n = 1M", TOPK_TYPE_F16, {1, 1000000, 1}, 8, 0, false},
    {"i64, n = 1M", TOPK_TYPE_I64, {1, 1000000, 1}, 8, 0, false},
    {"u8, n = 1M", TOPK_TYPE_U8, {1, 1000000, 1}, 8, 0, false},
    {"f32, n = 1M, stride 3", TOPK_TYPE_F32, {1, 1000000, 1}, 8, 3, false},
    {"f32, 64k rows of 16", TOPK_TYPE_F32, {1 << 16, 16, 1}, 8, 0, false},
    {"f32, 256 columns of 4k", TOPK_TYPE_F32, {1, 1 << 12, 256}, 8, 0, false},
    {"f32, n = 64k, K = n", TOPK_TYPE_F32, {1, 1 << 16, 1}, 1 << 16, 0, false},
    {"f32, n = 1M, K = n", TOPK_TYPE_F32, {1, 1000000, 1}, 1000000, 0, false},
};

static void fill(unsigned char *input, uint32_t type, uint64_t bytes)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 70);
    const uint32_t size = bytes_of(type);
    for (uint64_t i = 0; i < bytes / size; i++) {
        uint64_t bits = (uint64_t)topk_pcg_next(&pcg) << 32 | topk_pcg_next(&pcg);
        if (type == TOPK_TYPE_F32) {
            bits = (bits & ~(uint64_t)0x40000000) | 0x20000000; /* normal */
        } else if (type == TOPK_TYPE_F16) {
            bits = (bits & ~(uint64_t)0x4000) | 0x2000;
        }
        topk_element_store(input + i * size, size, bits);
    }
}

static struct topk_operator operator_of(const struct bench *bench)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K;
    op.level = TOPK_LEVEL_5_0;
    op.axis = 1;
    op.direction = TOPK_DECREASING;
    op.k = bench->k;
    struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    *input = (struct topk_tensor){.present = true, .type = bench->type, .rank = 3};
    memcpy(input->sizes, bench->sizes, sizeof bench->sizes);
    if (bench->stride != 0) {
        input->strided = true;
        input->strides[0] = bench->stride * bench->sizes[1];
        input->strides[1] = bench->stride;
        input->strides[2] = 1;
    }
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    return op;
}

static void measure(const struct bench *bench, const struct topk_scan_level *level,
                    const struct topk_operator *op,
                    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    stream_function *const stream = stream_of(level);
    const unsigned char *input = exhibits[TOPK_INPUT].before;
    const uint64_t elements = topk_tensor_elements(&op->tensors[TOPK_INPUT]);
    const uint32_t rounds = (uint32_t)(4000000 / elements / (bench->k > 8 ? 4 : 1)) + 1;
    double judge[RUNS];
    double read[RUNS];
    double named[RUNS];
    volatile uint64_t total = 0;
    bool right = true;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (uint32_t i = 0; i < rounds; i++) {
            struct topk_judgement judgement;
            topk_judge_result(op, exhibits, &judgement);
            right = right && judgement.count == 0;
            barrier();
        }
        judge[run] = now() - start;
        start = now();
        for (uint32_t i = 0; i < rounds; i++) {
            total = total + (bench->stride != 0
                                 ? read_apart(input, 4 * (uint64_t)bench->stride, elements)
                                 : stream(input, exhibits[TOPK_INPUT].bytes));
            barrier();
        }
        read[run] = now() - start;
        start = now();
        for (uint32_t i = 0; bench->k > 8 && i < rounds; i++) {
            total = total + read_named(input, exhibits[TOPK_INDEX].after, elements);
            barrier();
        }
        named[run] = now() - start;
    }
    const double judged = median(judge);
    const double ns = 1e9 * judged / rounds;
    printf("  %-24s %6.2f of reading", bench->name, judged / median(read));
    if (bench->k > 8) {
        printf(", %.2f of reading what outputs name", judged / median(named));
    }
    printf(elements < 1000 ? ", %.1f ns a call%s\n" : ", %.3f ns per element%s\n",
           elements < 1000 ? ns : ns / (double)elements, right ? "" : " -- judged wrong");
}

/* usage: judge_bench [NAME...]: parts of names, of which one must match; none: all */
static bool wanted(const struct bench *bench, int argc, char **argv)
{
    bool found = argc <= 1;
    for (int i = 1; i < argc; i++) {
        found = found || strstr(bench->name, argv[i]) != NULL;
    }
    return found;
}

int main(int argc, char **argv)
{
    for (size_t b = 0; b < COUNT(benches); b++) {
        if (!wanted(&benches[b], argc, argv)) {
            continue;
        }
        const struct topk_operator op = operator_of(&benches[b]);
        struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
        unsigned char *buffers[TOPK_ROLE_COUNT];
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            const uint64_t bytes = op.tensors[role].total_bytes;
            buffers[role] = malloc(bytes);
            if (buffers[role] == NULL) {
                abort();
            }
            exhibits[role] = (struct topk_exhibit){buffers[role], buffers[role], bytes, 0, 0};
        }
        fill(buffers[TOPK_INPUT], benches[b].type, op.tensors[TOPK_INPUT].total_bytes);
        if (benches[b].denormal) {
            topk_element_store(buffers[TOPK_INPUT], bytes_of(benches[b].type), 1);
        }
        if (topk_oracle_run(&op, buffers[TOPK_INPUT], buffers[TOPK_VALUE], buffers[TOPK_INDEX]) !=
            TOPK_ORACLE_UNIQUE) {
            abort();
        }
        const struct topk_scan_level *level;
        for (uint32_t i = 0; (level = topk_scan_level(i)) != NULL; i++) {
            topk_scan_use(level);
            printf("%-8s", level->name);
            measure(&benches[b], level, &op, exhibits);
        }
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            free(buffers[role]);
        }
    }
    return 0;
}
