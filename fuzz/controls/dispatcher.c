/* A runtime around three kernels: plans are cached by what they depend on, the least recently used
 * of eight gives way; up to four calls are recorded with workspaces of a pool, and run when they
 * are submitted. By n, K and rows it chooses small rows eight at a time, a heap, or a merge of
 * natural runs. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define PLANS      8u
#define BATCH      4u
#define SLOTS      6u
#define MAX_RANK   8u
#define TOGETHER   8u
#define SMALL      32u
#define HEAP_K     64u
#define HEAP_RATIO 8u

enum kernel {
    KERNEL_SMALL,
    KERNEL_HEAP,
    KERNEL_RUNS
};

/* What a plan depends on. Compared as bytes: all of it is written. */
struct plan_key {
    uint32_t operator_type;
    uint32_t direction;
    uint32_t axis;
    uint32_t k;
    uint32_t type;
    uint32_t index_type;
    uint32_t rank;
    uint32_t packed; /* a bit for each tensor without strides */
    uint32_t sizes[MAX_RANK];
    uint32_t strides[3][MAX_RANK];
};

struct plan {
    struct plan_key key;
    uint64_t used; /* when it was used last; 0: it is free */
    uint32_t axis;
    uint32_t k;
    uint32_t type;
    uint32_t rank;
    uint32_t sizes[MAX_RANK];
    enum kernel kernel;
    bool decreasing;
    uint32_t width;
    uint32_t index_width;
    uint32_t n;
    uint64_t rows;
    uint64_t steps[3][MAX_RANK]; /* in bytes */
    uint64_t workspace;
};

struct slot {
    void *memory;
    uint64_t bytes;
    bool taken;
};

struct recorded {
    struct plan plan;
    unsigned char *bases[3];
    struct slot *slot;
};

static struct plan plans[PLANS];
static uint64_t now;
static struct slot pool[SLOTS];
static struct recorded queue[BATCH];
static uint32_t queued;

/* ---- Plans --------------------------------------------------------------------------------------
 */

static uint32_t width_of(uint32_t type)
{
    switch (type) {
    case TOPK_BACKEND_INT64:
    case TOPK_BACKEND_UINT64:
        return 8;
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_UINT32:
    case TOPK_BACKEND_FLOAT32:
        return 4;
    case TOPK_BACKEND_INT8:
    case TOPK_BACKEND_UINT8:
        return 1;
    default:
        return 2;
    }
}

static void make_key(const struct topk_backend_call *call, struct plan_key *key)
{
    const struct topk_backend_tensor *const tensors[3] = {call->input, call->value, call->index};
    memset(key, 0, sizeof *key);
    key->operator_type = call->operator_type;
    key->direction = call->operator_type == TOPK_OPERATOR_TOP_K1 ? call->direction : 1;
    key->axis = call->axis;
    key->k = call->k;
    key->type = call->input->data_type;
    key->index_type = call->index->data_type;
    key->rank = call->input->dimension_count;
    for (uint32_t d = 0; d < key->rank; d++) {
        key->sizes[d] = call->input->sizes[d];
    }
    for (uint32_t t = 0; t < 3; t++) {
        if (tensors[t]->strides == NULL) {
            key->packed |= 1u << t;
            continue;
        }
        for (uint32_t d = 0; d < key->rank; d++) {
            key->strides[t][d] = tensors[t]->strides[d];
        }
    }
}

static void make_plan(const struct topk_backend_call *call, struct plan *plan)
{
    const struct topk_backend_tensor *const tensors[3] = {call->input, call->value, call->index};
    plan->axis = call->axis;
    plan->k = call->k;
    plan->type = call->input->data_type;
    plan->rank = call->input->dimension_count;
    memcpy(plan->sizes, call->input->sizes, plan->rank * sizeof *plan->sizes);
    plan->decreasing =
        call->operator_type == TOPK_OPERATOR_TOP_K || call->direction == TOPK_DIRECTION_DECREASING;
    plan->width = width_of(plan->type);
    plan->index_width = width_of(call->index->data_type);
    plan->n = plan->sizes[plan->axis];
    plan->rows = 1;
    for (uint32_t d = 0; d < plan->rank; d++) {
        plan->rows *= d == plan->axis ? 1 : plan->sizes[d];
    }
    for (uint32_t t = 0; t < 3; t++) {
        uint64_t packed = t == 2 ? plan->index_width : plan->width;
        uint64_t unit = packed;
        for (uint32_t d = plan->rank; d-- > 0;) {
            const uint32_t *strides = tensors[t]->strides;
            plan->steps[t][d] = strides != NULL ? strides[d] * unit : packed;
            packed *= tensors[t]->sizes[d];
        }
    }
    if (plan->n <= SMALL) {
        plan->kernel = KERNEL_SMALL;
        plan->workspace = (uint64_t)plan->n * TOGETHER * 2 * sizeof(uint64_t);
    } else if (plan->k <= HEAP_K && plan->n / plan->k >= HEAP_RATIO) {
        plan->kernel = KERNEL_HEAP;
        plan->workspace = (uint64_t)plan->k * 2 * sizeof(uint64_t);
    } else {
        plan->kernel = KERNEL_RUNS;
        plan->workspace = (uint64_t)plan->n * 2 * sizeof(uint64_t);
    }
}

static const struct plan *find_plan(const struct topk_backend_call *call)
{
    struct plan_key key;
    make_key(call, &key);
    struct plan *oldest = &plans[0];
    now++;
    for (uint32_t p = 0; p < PLANS; p++) {
        if (plans[p].used > 0 && memcmp(&plans[p].key, &key, sizeof key) == 0) {
            plans[p].used = now;
            return &plans[p];
        }
        if (plans[p].used < oldest->used) {
            oldest = &plans[p];
        }
    }
    oldest->key = key;
    oldest->used = now;
    make_plan(call, oldest);
    return oldest;
}

/* ---- Workspaces ---------------------------------------------------------------------------------
 */

/* The smallest free slot that is large enough; else the largest free one grows. */
static struct slot *take_slot(uint64_t bytes)
{
    struct slot *best = NULL;
    for (uint32_t s = 0; s < SLOTS; s++) {
        struct slot *slot = &pool[s];
        if (slot->taken) {
            continue;
        }
        bool fits = slot->bytes >= bytes;
        bool best_fits = best != NULL && best->bytes >= bytes;
        if (best == NULL || (fits && (!best_fits || slot->bytes < best->bytes)) ||
            (!fits && !best_fits && slot->bytes > best->bytes)) {
            best = slot;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    if (best->bytes < bytes) {
        void *memory = realloc(best->memory, bytes);
        if (memory == NULL) {
            return NULL;
        }
        best->memory = memory;
        best->bytes = bytes;
    }
    best->taken = true;
    return best;
}

/* ---- Kernels ------------------------------------------------------------------------------------
 */

static uint64_t key_at(const struct plan *plan, const unsigned char *from)
{
    uint64_t bits = 0;
    memcpy(&bits, from, plan->width);
    uint32_t unused = 64 - 8 * plan->width;
    bits <<= unused;
    uint64_t top = (uint64_t)1 << 63;
    switch (plan->type) {
    case TOPK_BACKEND_FLOAT32:
    case TOPK_BACKEND_FLOAT16:
        bits = bits == top ? 0 : bits;
        bits = bits & top ? ~bits >> unused << unused : bits | top;
        break;
    case TOPK_BACKEND_INT8:
    case TOPK_BACKEND_INT16:
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_INT64:
        bits += top;
        break;
    default:
        break;
    }
    return plan->decreasing ? ~bits : bits;
}

static void find_bases(const struct recorded *call, uint64_t row, unsigned char *bases[3])
{
    memcpy(bases, call->bases, sizeof call->bases);
    for (uint32_t d = call->plan.rank; d-- > 0;) {
        if (d == call->plan.axis) {
            continue;
        }
        uint64_t at = row % call->plan.sizes[d];
        row /= call->plan.sizes[d];
        for (uint32_t t = 0; t < 3; t++) {
            bases[t] += at * call->plan.steps[t][d];
        }
    }
}

static void write_one(const struct plan *plan, unsigned char *const bases[3], uint32_t j,
                      uint64_t index)
{
    uint32_t axis = plan->axis;
    memcpy(bases[1] + j * plan->steps[1][axis], bases[0] + index * plan->steps[0][axis],
           plan->width);
    memcpy(bases[2] + j * plan->steps[2][axis], &index, plan->index_width);
}

/* Rows lie beside each other, so that eight compare at once: element i of row r is at [i * TOGETHER
 * + r]. */
static void run_small(const struct recorded *call)
{
    const struct plan *plan = &call->plan;
    uint64_t *keys = call->slot->memory;
    uint64_t *order = keys + (uint64_t)plan->n * TOGETHER;
    for (uint64_t first = 0; first < plan->rows; first += TOGETHER) {
        uint32_t rows = plan->rows - first < TOGETHER ? (uint32_t)(plan->rows - first) : TOGETHER;
        unsigned char *bases[TOGETHER][3];
        for (uint32_t r = 0; r < rows; r++) {
            find_bases(call, first + r, bases[r]);
        }
        for (uint32_t i = 0; i < plan->n; i++) {
            for (uint32_t r = 0; r < rows; r++) {
                uint64_t key = key_at(plan, bases[r][0] + i * plan->steps[0][plan->axis]);
                uint32_t at = i;
                while (at > 0 && keys[(at - 1) * TOGETHER + r] > key) {
                    keys[at * TOGETHER + r] = keys[(at - 1) * TOGETHER + r];
                    order[at * TOGETHER + r] = order[(at - 1) * TOGETHER + r];
                    at--;
                }
                keys[at * TOGETHER + r] = key;
                order[at * TOGETHER + r] = i;
            }
        }
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t j = 0; j < plan->k; j++) {
                write_one(plan, bases[r], j, order[j * TOGETHER + r]);
            }
        }
    }
}

static bool after(const uint64_t *keys, const uint64_t *items, uint32_t a, uint32_t b)
{
    return keys[a] > keys[b] || (keys[a] == keys[b] && items[a] > items[b]);
}

static void sink(uint64_t *keys, uint64_t *items, uint32_t count, uint32_t at)
{
    for (;;) {
        uint32_t last = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            last = after(keys, items, child, last) ? child : last;
        }
        if (last == at) {
            return;
        }
        uint64_t key = keys[at];
        uint64_t item = items[at];
        keys[at] = keys[last];
        items[at] = items[last];
        keys[last] = key;
        items[last] = item;
        at = last;
    }
}

static void run_heap(const struct recorded *call)
{
    const struct plan *plan = &call->plan;
    uint32_t k = plan->k;
    uint64_t *keys = call->slot->memory;
    uint64_t *items = keys + k;
    for (uint64_t row = 0; row < plan->rows; row++) {
        unsigned char *bases[3];
        find_bases(call, row, bases);
        uint32_t count = 0;
        for (uint32_t i = 0; i < plan->n; i++) {
            uint64_t key = key_at(plan, bases[0] + i * plan->steps[0][plan->axis]);
            if (count < k) {
                keys[count] = key;
                items[count++] = i;
                for (uint32_t node = count == k ? k / 2 : 0; node-- > 0;) {
                    sink(keys, items, k, node);
                }
            } else if (key < keys[0]) {
                keys[0] = key;
                items[0] = i;
                sink(keys, items, k, 0);
            }
        }
        while (count-- > 0) {
            write_one(plan, bases, count, items[0]);
            keys[0] = keys[count];
            items[0] = items[count];
            sink(keys, items, count, 0);
        }
    }
}

/* Sorts runs that are there already, upwards or strictly downwards, by merging two neighbours at a
 * time. */
static void run_runs(const struct recorded *call)
{
    const struct plan *plan = &call->plan;
    uint32_t n = plan->n;
    uint64_t *keys = call->slot->memory;
    uint32_t *order = (uint32_t *)(keys + n);
    uint32_t *other = order + n;
    for (uint64_t row = 0; row < plan->rows; row++) {
        unsigned char *bases[3];
        find_bases(call, row, bases);
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = key_at(plan, bases[0] + i * plan->steps[0][plan->axis]);
            order[i] = i;
        }
        for (uint32_t from = 0, to; from < n; from = to) {
            to = from + 1;
            if (to < n && keys[to] < keys[from]) {
                while (to < n && keys[to] < keys[to - 1]) {
                    to++;
                }
                for (uint32_t i = from; i < to; i++) {
                    order[i] = to - 1 - (i - from);
                }
            }
        }
        for (bool merged = true; merged;) {
            merged = false;
            for (uint32_t from = 0; from < n;) {
                uint32_t middle = from + 1;
                while (middle < n && keys[order[middle - 1]] <= keys[order[middle]]) {
                    middle++;
                }
                uint32_t end = middle < n ? middle + 1 : n;
                while (end < n && keys[order[end - 1]] <= keys[order[end]]) {
                    end++;
                }
                uint32_t a = from;
                uint32_t b = middle;
                for (uint32_t i = from; i < end; i++) {
                    bool second = a == middle || (b < end && keys[order[b]] < keys[order[a]]);
                    other[i] = second ? order[b++] : order[a++];
                }
                merged = merged || end < n || from > 0;
                from = end;
            }
            uint32_t *kept = order;
            order = other;
            other = kept;
        }
        for (uint32_t j = 0; j < plan->k; j++) {
            write_one(plan, bases, j, order[j]);
        }
    }
}

/* ---- Calls --------------------------------------------------------------------------------------
 */

static bool record(const struct topk_backend_call *call)
{
    const struct topk_backend_buffer *const buffers[3] = {&call->input_buffer, &call->value_buffer,
                                                          &call->index_buffer};
    struct recorded *recorded = &queue[queued];
    recorded->plan = *find_plan(call);
    recorded->slot = take_slot(recorded->plan.workspace);
    if (recorded->slot == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < 3; t++) {
        recorded->bases[t] = (unsigned char *)buffers[t]->data + buffers[t]->offset;
    }
    queued++;
    return true;
}

static void submit(void)
{
    static void (*const kernels[])(const struct recorded *call) = {
        [KERNEL_SMALL] = run_small, [KERNEL_HEAP] = run_heap, [KERNEL_RUNS] = run_runs};
    for (uint32_t q = 0; q < queued; q++) {
        kernels[queue[q].plan.kernel](&queue[q]);
    }
    for (uint32_t q = 0; q < queued; q++) {
        queue[q].slot->taken = false;
    }
    queued = 0;
}

const struct control control = {"dispatcher", BATCH, record, submit};
