/* The project's own backend: DML_TOP_K and DML_TOP_K1 on the host's processor.
 *
 * It stands where a vendor's implementation stands: it is a subject of the suite, not a part of it.
 * So it shares no line with the oracle, the judge or their validation, and sees nothing of the
 * project but the plugin interface; both were written from the clause table alone, and where they
 * disagree one of them is wrong. Unlike the oracle, which is written to be seen right, it is
 * written to be fast: keys are integers, a bounded heap or a radix sort selects, memory is reused.
 *
 * cpu_validate.c tells which calls are valid; this file computes those. What the clause table
 * leaves to an implementation is decided as follows (for V and T see cpu.h).
 *   F02  A NaN is greater than +infinity, and all NaNs are equal.
 *   F04  Denormals are exact.
 *   M03  Padding is never touched.
 */
#include "cpu.h"
#include "topk_backend.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys computed in one go: enough to keep the loops tight, and little enough for the stack. */
#define BLOCK 256u
/* A heap beats the radix sort on short sequences, and where few elements of many are wanted. */
#define HEAP_MAX_LENGTH 256u
#define HEAP_MIN_RATIO  64u

#define RADIX_BITS 8u
#define RADIX_SIZE (1u << RADIX_BITS)
#define MAX_DIGITS (64u / RADIX_BITS)

/* An element of a sequence. The least key is the first of the output, in either direction. */
struct entry {
    uint64_t key;
    uint32_t index;
};

struct cpu {
    struct entry *scratch;
    size_t capacity; /* entries */
};

/* ---- Keys ----------------------------------------------------------------------------------- */

/* Memory need not be aligned, hence memcpy. */
static inline uint64_t load(const unsigned char *from, uint32_t width)
{
    uint64_t bits64;
    uint32_t bits32;
    uint16_t bits16;
    switch (width) {
    case 1:
        return *from;
    case 2:
        memcpy(&bits16, from, sizeof bits16);
        return bits16;
    case 4:
        memcpy(&bits32, from, sizeof bits32);
        return bits32;
    default:
        memcpy(&bits64, from, sizeof bits64);
        return bits64;
    }
}

static inline void store(unsigned char *to, uint64_t bits64, uint32_t width)
{
    uint32_t bits32 = (uint32_t)bits64;
    uint16_t bits16 = (uint16_t)bits64;
    switch (width) {
    case 1:
        *to = (unsigned char)bits64;
        break;
    case 2:
        memcpy(to, &bits16, sizeof bits16);
        break;
    case 4:
        memcpy(to, &bits32, sizeof bits32);
        break;
    default:
        memcpy(to, &bits64, sizeof bits64);
        break;
    }
}

/* A float's bits are sign and magnitude. Counting from the sign bit's value makes -0 and +0 one
 * key, and leaves no operation in which a denormal could be flushed or a signalling NaN quieted. */
static inline uint64_t float_key(uint64_t bits, uint32_t width)
{
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    uint64_t infinity = width == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7C00);
    uint64_t magnitude = bits & (sign - 1);
    if (magnitude > infinity) {
        return sign + infinity + 1; /* NaN */
    }
    return (bits & sign) != 0 ? sign - magnitude : sign + magnitude;
}

static inline void gather_width(const struct topk_cpu_plan *plan, const unsigned char *from,
                                size_t count, uint64_t *keys, uint32_t width)
{
    size_t step = (size_t)plan->tensors[TOPK_CPU_INPUT].strides[plan->axis];
    bool is_float = plan->is_float;
    uint64_t flip = plan->flip;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load(from + i * step, width);
        keys[i] = (is_float ? float_key(bits, width) : bits) ^ flip;
    }
}

static const unsigned char *element_at(const struct topk_cpu_plan *plan,
                                       const unsigned char *sequence, size_t index)
{
    return sequence + index * (size_t)plan->tensors[TOPK_CPU_INPUT].strides[plan->axis];
}

/* Computes keys of a sequence from element `first` to `end`, but at most BLOCK; returns how many.
 * The width is a constant in each call so that each gets a loop of its own. */
static size_t gather(const struct topk_cpu_plan *plan, const unsigned char *sequence, size_t first,
                     size_t end, uint64_t keys[BLOCK])
{
    const unsigned char *from = element_at(plan, sequence, first);
    size_t count = end - first < BLOCK ? end - first : BLOCK;
    switch (plan->tensors[TOPK_CPU_INPUT].width) {
    case 1:
        gather_width(plan, from, count, keys, 1);
        break;
    case 2:
        gather_width(plan, from, count, keys, 2);
        break;
    case 4:
        gather_width(plan, from, count, keys, 4);
        break;
    default:
        gather_width(plan, from, count, keys, 8);
        break;
    }
    return count;
}

static void gather_entries(const struct topk_cpu_plan *plan, const unsigned char *sequence,
                           size_t count, struct entry *entries)
{
    uint64_t keys[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t block = gather(plan, sequence, first, count, keys);
        for (size_t i = 0; i < block; i++) {
            entries[first + i] = (struct entry){keys[i], (uint32_t)(first + i)};
        }
    }
}

/* ---- Selection by a bounded heap ------------------------------------------------------------- */

static inline bool comes_after(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key > b->key : a->index > b->index;
}

/* Puts an entry into the hole at `at`, or below. The root is the entry that comes last. */
static void sift_down(struct entry *heap, size_t count, size_t at, struct entry entry)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && comes_after(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!comes_after(&heap[child], &entry)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

/* Elements are offered by ascending index, so of two with one key the later never displaces. */
static void select_by_heap(const struct topk_cpu_plan *plan, const unsigned char *sequence,
                           struct entry *heap)
{
    size_t k = plan->k;
    gather_entries(plan, sequence, k, heap);
    for (size_t i = k / 2; i-- > 0;) {
        sift_down(heap, k, i, heap[i]);
    }
    uint64_t keys[BLOCK];
    for (size_t first = k; first < plan->length; first += BLOCK) {
        size_t block = gather(plan, sequence, first, plan->length, keys);
        for (size_t i = 0; i < block; i++) {
            if (keys[i] < heap[0].key) {
                sift_down(heap, k, 0, (struct entry){keys[i], (uint32_t)(first + i)});
            }
        }
    }
    for (size_t end = k; end-- > 1;) {
        struct entry last = heap[end];
        heap[end] = heap[0];
        sift_down(heap, end, 0, last);
    }
}

/* ---- Selection by a radix sort --------------------------------------------------------------- */

static inline uint32_t digit_of(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> (digit * RADIX_BITS)) & (RADIX_SIZE - 1);
}

/* Turns counts of digits into the places where their runs start. Returns false if all entries have
 * the same digit: then there is nothing to move. */
static bool counts_to_starts(uint32_t *counts, uint32_t total)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < RADIX_SIZE; i++) {
        uint32_t count = counts[i];
        if (count == total) {
            return false;
        }
        counts[i] = start;
        start += count;
    }
    return true;
}

/* Sorts by key from the lowest digit up, stably, so ties keep the ascending order of index in which
 * they were gathered. scratch has room for two entries per element. Returns where the result is. */
static const struct entry *sort_by_radix(const struct topk_cpu_plan *plan,
                                         const unsigned char *sequence, struct entry *scratch)
{
    uint32_t counts[MAX_DIGITS][RADIX_SIZE] = {{0}};
    uint32_t digits = plan->tensors[TOPK_CPU_INPUT].width * 8 / RADIX_BITS;
    size_t length = plan->length;
    struct entry *from = scratch;
    struct entry *to = scratch + length;
    gather_entries(plan, sequence, length, from);
    for (size_t i = 0; i < length; i++) {
        for (uint32_t digit = 0; digit < digits; digit++) {
            counts[digit][digit_of(from[i].key, digit)]++;
        }
    }
    for (uint32_t digit = 0; digit < digits; digit++) {
        uint32_t *starts = counts[digit];
        if (!counts_to_starts(starts, plan->length)) {
            continue;
        }
        for (size_t i = 0; i < length; i++) {
            to[starts[digit_of(from[i].key, digit)]++] = from[i];
        }
        struct entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* ---- Execution ------------------------------------------------------------------------------ */

/* Values are moved as integers: no bit of a NaN may change. */
static void write_outputs(const struct topk_cpu_plan *plan, const struct entry *selected,
                          const unsigned char *sequence, unsigned char *value, unsigned char *index)
{
    size_t value_step = (size_t)plan->tensors[TOPK_CPU_VALUE].strides[plan->axis];
    size_t index_step = (size_t)plan->tensors[TOPK_CPU_INDEX].strides[plan->axis];
    uint32_t value_width = plan->tensors[TOPK_CPU_VALUE].width;
    uint32_t index_width = plan->tensors[TOPK_CPU_INDEX].width;
    for (size_t i = 0; i < plan->k; i++) {
        const unsigned char *element = element_at(plan, sequence, selected[i].index);
        store(value + i * value_step, load(element, value_width), value_width);
        store(index + i * index_step, selected[i].index, index_width);
    }
}

/* Moves to the next sequence: an odometer over every dimension but the axis, on which the three
 * tensors agree. Returns false after the last. */
static bool next_sequence(const struct topk_cpu_plan *plan, uint32_t coordinates[TOPK_CPU_MAX_RANK],
                          uint64_t offsets[TOPK_CPU_TENSORS])
{
    for (uint32_t i = plan->rank; i-- > 0;) {
        if (i == plan->axis) {
            continue;
        }
        uint32_t most = plan->tensors[TOPK_CPU_INPUT].sizes[i] - 1;
        bool turns_over = coordinates[i] == most;
        coordinates[i] = turns_over ? 0 : coordinates[i] + 1;
        for (int t = 0; t < TOPK_CPU_TENSORS; t++) {
            uint64_t stride = plan->tensors[t].strides[i];
            offsets[t] = turns_over ? offsets[t] - most * stride : offsets[t] + stride;
        }
        if (!turns_over) {
            return true;
        }
    }
    return false;
}

static bool selects_by_heap(const struct topk_cpu_plan *plan)
{
    return plan->length <= HEAP_MAX_LENGTH || plan->k <= plan->length / HEAP_MIN_RATIO;
}

static void execute(const struct topk_cpu_plan *plan, struct entry *scratch,
                    const unsigned char *input, unsigned char *value, unsigned char *index)
{
    uint32_t coordinates[TOPK_CPU_MAX_RANK] = {0};
    uint64_t offsets[TOPK_CPU_TENSORS] = {0};
    bool by_heap = selects_by_heap(plan);
    do {
        const unsigned char *sequence = input + (size_t)offsets[TOPK_CPU_INPUT];
        const struct entry *selected = scratch;
        if (by_heap) {
            select_by_heap(plan, sequence, scratch);
        } else {
            selected = sort_by_radix(plan, sequence, scratch);
        }
        write_outputs(plan, selected, sequence, value + (size_t)offsets[TOPK_CPU_VALUE],
                      index + (size_t)offsets[TOPK_CPU_INDEX]);
    } while (next_sequence(plan, coordinates, offsets));
}

/* Contents are not kept, so growing need not copy. */
static bool reserve(struct cpu *cpu, const struct topk_cpu_plan *plan,
                    struct topk_backend_answer *answer)
{
    uint64_t needed = selects_by_heap(plan) ? plan->k : (uint64_t)plan->length * 2;
    if (needed <= cpu->capacity) {
        return true;
    }
    free(cpu->scratch);
    cpu->capacity = 0;
    cpu->scratch = NULL;
    if (needed <= SIZE_MAX) {
        cpu->scratch = calloc((size_t)needed, sizeof(struct entry));
    }
    if (cpu->scratch == NULL) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(answer->reason, sizeof answer->reason, "no memory for %" PRIu64 " entries",
                 needed);
        return false;
    }
    cpu->capacity = (size_t)needed;
    return true;
}

static unsigned char *bound_memory(const struct topk_backend_buffer *buffer)
{
    return (unsigned char *)buffer->data + (size_t)buffer->offset;
}

static void run_call(struct cpu *cpu, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer)
{
    struct topk_cpu_plan plan = {.rank = 0};
    if (!topk_cpu_validate(call, &plan, answer)) {
        return;
    }
    if (call->create_only == 0) {
        if (!reserve(cpu, &plan, answer)) {
            return;
        }
        execute(&plan, cpu->scratch, bound_memory(&call->input_buffer),
                bound_memory(&call->value_buffer), bound_memory(&call->index_buffer));
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
}

/* ---- The interface -------------------------------------------------------------------------- */

static void *cpu_open(const char *options, char *error, size_t error_bytes)
{
    if (options != NULL && options[0] != '\0') {
        snprintf(error, error_bytes, "cpu takes no options, got \"%s\"", options);
        return NULL;
    }
    struct cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL) {
        snprintf(error, error_bytes, "cpu: out of memory");
    }
    return cpu;
}

static void cpu_describe(void *self, struct topk_backend_info *info)
{
    (void)self;
    info->name = "cpu";
    info->version = "1.0";
    info->device = "host processor, one thread";
    info->driver = "none: portable C";
    info->features = "heap and radix selection; NaN is greatest, denormals are exact";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_STRICT_LEVEL | TOPK_BACKEND_SOFTWARE;
    info->batch = 1;
}

static void cpu_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                    struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_call(self, &calls[i], &answers[i]);
    }
}

static void cpu_close(void *self)
{
    struct cpu *cpu = self;
    free(cpu->scratch);
    free(cpu);
}

const struct topk_backend topk_backend_cpu = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "cpu",
    .summary = "portable C on the host's processor, the project's own",
    .open = cpu_open,
    .describe = cpu_describe,
    .supports = NULL,
    .run = cpu_run,
    .close = cpu_close,
};
