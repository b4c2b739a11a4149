/* Vectors of four with tails. The next best is found again and again, in four lanes, as long as K
 * is small; middle rows are ranked, each element by the number of those before it; others are
 * sorted by four interleaved histograms of their digits. What is contiguous is loaded four at a
 * time, what is broadcast once. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define LANES    4u
#define FEW      4u   /* K up to which the next best is searched for */
#define RANKED   192u /* lengths up to which elements are ranked */
#define MAX_RANK 8u

typedef uint64_t vector[LANES];

struct row {
    uint64_t *keys; /* padded to a whole vector */
    uint32_t *order;
    uint32_t *other;
    uint32_t n;
    uint32_t k;
};

struct place {
    unsigned char *data;
    uint64_t stride;
    uint32_t width;
};

static uint32_t width_of(uint32_t type)
{
    if (type == TOPK_BACKEND_UINT8 || type == TOPK_BACKEND_INT8) {
        return 1;
    }
    if (type == TOPK_BACKEND_FLOAT16 || type == TOPK_BACKEND_UINT16 || type == TOPK_BACKEND_INT16) {
        return 2;
    }
    return type < TOPK_BACKEND_FLOAT64 ? 4 : 8;
}

/* A key of 64 bits: values are extended, then biased. */
static uint64_t key_of(uint64_t bits, uint32_t type, bool decreasing)
{
    int64_t number;
    switch (type) {
    case TOPK_BACKEND_FLOAT32:
        number = (int64_t)(bits & 0x7fffffff);
        number = bits > 0x7fffffff ? -number : number;
        break;
    case TOPK_BACKEND_FLOAT16:
        number = (int64_t)(bits & 0x7fff);
        number = bits > 0x7fff ? -number : number;
        break;
    case TOPK_BACKEND_INT8:
        /* NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is wanted */
        number = (int8_t)bits;
        break;
    case TOPK_BACKEND_INT16:
        number = (int16_t)bits;
        break;
    case TOPK_BACKEND_INT32:
        number = (int32_t)bits;
        break;
    case TOPK_BACKEND_UINT64:
        return decreasing ? ~bits : bits;
    default:
        number = (int64_t)bits;
        break;
    }
    uint64_t key = (uint64_t)number + ((uint64_t)1 << 63);
    return decreasing ? ~key : key;
}

static uint64_t load(const struct place *place, uint64_t at)
{
    uint64_t bits = 0;
    memcpy(&bits, place->data + at * place->stride * place->width, place->width);
    return bits;
}

static void load_keys(const struct place *place, struct row *row, uint32_t type, bool decreasing)
{
    uint32_t i = 0;
    if (place->stride == 0) {
        uint64_t key = key_of(load(place, 0), type, decreasing);
        for (; i < row->n; i++) {
            row->keys[i] = key;
        }
    }
    if (place->stride == 1 && place->width == 4) {
        for (; i + LANES <= row->n; i += LANES) {
            uint32_t four[LANES];
            memcpy(four, place->data + (uint64_t)i * sizeof *four, sizeof four);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                row->keys[i + lane] = key_of(four[lane], type, decreasing);
            }
        }
    }
    if (place->stride == 1 && place->width == 2) {
        for (; i + LANES <= row->n; i += LANES) {
            uint64_t four;
            memcpy(&four, place->data + (uint64_t)i * 2, sizeof four);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                row->keys[i + lane] = key_of(four >> (16 * lane) & 0xffff, type, decreasing);
            }
        }
    }
    for (; i < row->n; i++) {
        row->keys[i] = key_of(load(place, i), type, decreasing);
    }
    for (; i % LANES != 0; i++) {
        row->keys[i] = UINT64_MAX;
    }
}

/* The best that comes behind (key, index), or the best of all if it is the first. */
static uint32_t find_next(const struct row *row, uint64_t key, uint32_t index, bool first)
{
    vector best = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    vector where = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < row->n; i += LANES) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t found = row->keys[i + lane];
            bool behind = first || found > key || (found == key && i + lane > index);
            bool better = found < best[lane] || (found == best[lane] && i + lane < where[lane]);
            if (behind && better) {
                best[lane] = found;
                where[lane] = i + lane;
            }
        }
    }
    uint32_t lane = 0;
    for (uint32_t other = 1; other < LANES; other++) {
        if (best[other] < best[lane] || (best[other] == best[lane] && where[other] < where[lane])) {
            lane = other;
        }
    }
    return (uint32_t)where[lane];
}

static void select_by_search(struct row *row)
{
    uint32_t last = 0;
    for (uint32_t j = 0; j < row->k; j++) {
        last = find_next(row, row->keys[last], last, j == 0);
        row->order[j] = last;
    }
}

static void select_by_rank(struct row *row)
{
    uint32_t i = 0;
    for (; i + LANES <= row->n; i += LANES) {
        uint32_t ranks[LANES] = {0};
        for (uint32_t other = 0; other < row->n; other++) {
            for (uint32_t lane = 0; lane < LANES; lane++) {
                ranks[lane] += row->keys[other] < row->keys[i + lane] ||
                               (row->keys[other] == row->keys[i + lane] && other < i + lane);
            }
        }
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (ranks[lane] < row->k) {
                row->order[ranks[lane]] = i + lane;
            }
        }
    }
    for (; i < row->n; i++) {
        uint32_t rank = 0;
        for (uint32_t other = 0; other < row->n; other++) {
            rank += other < i ? row->keys[other] <= row->keys[i] : row->keys[other] < row->keys[i];
        }
        if (rank < row->k) {
            row->order[rank] = i;
        }
    }
}

/* One pass by eight bits: a histogram for each quarter of the items, so that quarters could go at
 * once. */
static void sort_by_digit(const uint64_t *keys, const uint32_t *from, uint32_t *to, uint32_t n,
                          uint32_t shift)
{
    uint32_t starts[LANES][256] = {{0}};
    uint32_t quarter = (n + LANES - 1) / LANES;
    for (uint32_t i = 0; i < n; i++) {
        starts[i / quarter][keys[from[i]] >> shift & 255]++;
    }
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < 256; digit++) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t count = starts[lane][digit];
            starts[lane][digit] = sum;
            sum += count;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        to[starts[i / quarter][keys[from[i]] >> shift & 255]++] = from[i];
    }
}

static void select_by_digits(struct row *row)
{
    uint64_t ones = 0;
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        row->order[i] = i;
        ones |= row->keys[i];
        zeros |= ~row->keys[i];
    }
    uint32_t *from = row->order;
    uint32_t *to = row->other;
    for (uint32_t shift = 0; shift < 64; shift += 8) {
        if (((ones & zeros) >> shift & 255) != 0) {
            sort_by_digit(row->keys, from, to, row->n, shift);
            uint32_t *kept = from;
            from = to;
            to = kept;
        }
    }
    if (from != row->order) {
        memcpy(row->order, from, row->k * sizeof *from);
    }
}

static struct place place_of(const struct topk_backend_tensor *tensor,
                             const struct topk_backend_buffer *buffer, uint32_t axis,
                             const uint32_t *at)
{
    struct place place = {.width = width_of(tensor->data_type)};
    uint64_t packed = 1;
    uint64_t element = 0;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        uint64_t stride = tensor->strides != NULL ? tensor->strides[d] : packed;
        element += at[d] * stride;
        if (d == axis) {
            place.stride = stride;
        }
        packed *= tensor->sizes[d];
    }
    place.data = (unsigned char *)buffer->data + buffer->offset + element * place.width;
    return place;
}

static void compute_row(const struct topk_backend_call *call, struct row *row, const uint32_t *at)
{
    struct place input = place_of(call->input, &call->input_buffer, call->axis, at);
    struct place value = place_of(call->value, &call->value_buffer, call->axis, at);
    struct place index = place_of(call->index, &call->index_buffer, call->axis, at);
    bool increasing =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    load_keys(&input, row, call->input->data_type, !increasing);
    if (row->k <= FEW) {
        select_by_search(row);
    } else if (row->n <= RANKED) {
        select_by_rank(row);
    } else {
        select_by_digits(row);
    }
    for (uint32_t j = 0; j < row->k; j++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): K of them are written */
        uint64_t from = row->order[j];
        memcpy(value.data + j * value.stride * value.width,
               input.data + from * input.stride * input.width, value.width);
        memcpy(index.data + j * index.stride * index.width, &from, index.width);
    }
}

static bool compute(const struct topk_backend_call *call)
{
    uint32_t n = call->input->sizes[call->axis];
    struct row row = {.n = n, .k = call->k};
    row.keys = malloc(((size_t)n + LANES) * sizeof *row.keys);
    row.order = malloc(2 * (size_t)n * sizeof *row.order);
    row.other = row.order != NULL ? row.order + n : NULL;
    bool done = row.keys != NULL && row.order != NULL;
    uint32_t at[MAX_RANK] = {0};
    bool more = done;
    while (more) {
        compute_row(call, &row, at);
        more = false;
        for (uint32_t d = 0; d < call->input->dimension_count && !more; d++) {
            if (d == call->axis) {
                continue;
            }
            at[d]++;
            more = at[d] < call->input->sizes[d];
            at[d] = more ? at[d] : 0;
        }
    }
    free(row.order);
    free(row.keys);
    return done;
}

const struct control control = {"vector", 1, compute, NULL};
