/* Elements in words of 32 bits, as a byte address buffer has them: 8- and 16-bit values are cut out
 * of a word and put into one, 64-bit ones are two words. Values of 8 bits are counted, wider ones
 * sorted by a network of odd-even merges or, if the row is long, by binary insertion into a sorted
 * list of K. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define COUNTED    256u
#define NETWORK    64u
#define MAX_RANK   8u
#define WORD_BYTES 4u

/* A tensor as words: where element 0 is, in bytes, and strides in elements. */
struct words {
    unsigned char *base;
    uint32_t width;
    uint64_t strides[MAX_RANK];
};

struct item {
    uint64_t key;
    uint32_t index;
};

static uint32_t log2_width(uint32_t type)
{
    switch (type) {
    case TOPK_BACKEND_FLOAT32:
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_UINT32:
        return 2;
    case TOPK_BACKEND_FLOAT16:
    case TOPK_BACKEND_INT16:
    case TOPK_BACKEND_UINT16:
        return 1;
    case TOPK_BACKEND_INT8:
    case TOPK_BACKEND_UINT8:
        return 0;
    default:
        return 3;
    }
}

static uint32_t read_word(const unsigned char *base, uint64_t word)
{
    uint32_t bits;
    memcpy(&bits, base + word * WORD_BYTES, sizeof bits);
    return bits;
}

static void write_word(unsigned char *base, uint64_t word, uint32_t bits)
{
    memcpy(base + word * WORD_BYTES, &bits, sizeof bits);
}

static uint64_t load(const struct words *words, uint64_t element)
{
    if (words->width == 8) {
        uint64_t low = read_word(words->base, 2 * element);
        return low | (uint64_t)read_word(words->base, 2 * element + 1) << 32;
    }
    uint64_t byte = element * words->width;
    uint32_t word = read_word(words->base, byte / WORD_BYTES);
    uint32_t shift = (uint32_t)(byte % WORD_BYTES) * 8;
    return word >> shift & (UINT32_MAX >> (32 - 8 * words->width));
}

static void store(const struct words *words, uint64_t element, uint64_t bits)
{
    if (words->width == 8) {
        write_word(words->base, 2 * element, (uint32_t)bits);
        write_word(words->base, 2 * element + 1, (uint32_t)(bits >> 32));
        return;
    }
    uint64_t byte = element * words->width;
    uint32_t shift = (uint32_t)(byte % WORD_BYTES) * 8;
    uint32_t mask = (UINT32_MAX >> (32 - 8 * words->width)) << shift;
    uint32_t word = read_word(words->base, byte / WORD_BYTES);
    write_word(words->base, byte / WORD_BYTES, (word & ~mask) | ((uint32_t)bits << shift & mask));
}

static struct words words_of(const struct topk_backend_tensor *tensor,
                             const struct topk_backend_buffer *buffer)
{
    struct words words = {.base = (unsigned char *)buffer->data + buffer->offset,
                          .width = 1u << log2_width(tensor->data_type)};
    uint64_t packed = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        words.strides[d] = tensor->strides == NULL ? packed : tensor->strides[d];
        packed *= tensor->sizes[d];
    }
    return words;
}

/* Orders as unsigned numbers do: less comes first. */
static uint64_t order_of(uint64_t bits, uint32_t type, bool decreasing)
{
    uint64_t top = (uint64_t)1 << ((8u << log2_width(type)) - 1);
    switch (type) {
    case TOPK_BACKEND_FLOAT32:
    case TOPK_BACKEND_FLOAT16:
        bits = bits >= top ? 2 * top - bits : bits + top;
        break;
    case TOPK_BACKEND_INT8:
    case TOPK_BACKEND_INT16:
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_INT64:
        bits ^= top;
        break;
    default:
        break;
    }
    return decreasing ? (top - 1 + top) - bits : bits;
}

static void sort_by_counting(struct item *items, struct item *sorted, uint32_t n)
{
    uint32_t starts[COUNTED + 1] = {0};
    for (uint32_t i = 0; i < n; i++) {
        starts[items[i].key + 1]++;
    }
    for (uint32_t value = 1; value < COUNTED; value++) {
        starts[value] += starts[value - 1];
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[starts[items[i].key]++] = items[i];
    }
}

static bool precedes(const struct item *a, const struct item *b)
{
    return a->key < b->key || (a->key == b->key && a->index < b->index);
}

/* Batcher's network for any length. */
static void sort_by_network(struct item *items, uint32_t n)
{
    uint32_t top = 1;
    while (2 * top < n) {
        top *= 2;
    }
    for (uint32_t p = top; p > 0; p /= 2) {
        uint32_t q = top;
        uint32_t r = 0;
        for (uint32_t d = p; d > 0; d = q - p, q /= 2, r = p) {
            for (uint32_t i = 0; i + d < n; i++) {
                if ((i & p) == r && precedes(&items[i + d], &items[i])) {
                    struct item kept = items[i];
                    items[i] = items[i + d];
                    items[i + d] = kept;
                }
            }
            if (q == p) {
                break;
            }
        }
    }
}

/* The first k of the items, in order, at their front. */
static void sort_by_insertion(struct item *items, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++) {
        struct item moved = items[i];
        uint32_t low = 0;
        uint32_t high = i < k ? i : k;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (items[middle].key <= moved.key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < k) {
            memmove(&items[low + 1], &items[low], ((i < k ? i : k - 1) - low) * sizeof *items);
            items[low] = moved;
        }
    }
}

static bool compute(const struct topk_backend_call *call)
{
    const struct topk_backend_tensor *tensor = call->input;
    struct words input = words_of(tensor, &call->input_buffer);
    struct words value = words_of(call->value, &call->value_buffer);
    struct words index = words_of(call->index, &call->index_buffer);
    uint32_t n = tensor->sizes[call->axis];
    bool decreasing = call->operator_type == TOPK_OPERATOR_TOP_K || call->direction != 0;
    struct item *items = malloc(2 * (size_t)n * sizeof *items);
    if (items == NULL) {
        return false;
    }
    uint32_t at[MAX_RANK] = {0};
    bool more = true;
    while (more) {
        uint64_t from = 0;
        uint64_t to_value = 0;
        uint64_t to_index = 0;
        for (uint32_t d = 0; d < tensor->dimension_count; d++) {
            from += at[d] * input.strides[d];
            to_value += at[d] * value.strides[d];
            to_index += at[d] * index.strides[d];
        }
        for (uint32_t i = 0; i < n; i++) {
            uint64_t bits = load(&input, from + i * input.strides[call->axis]);
            items[i] = (struct item){order_of(bits, tensor->data_type, decreasing), i};
        }
        struct item *sorted = items;
        if (input.width == 1) {
            sorted = items + n;
            sort_by_counting(items, sorted, n);
        } else if (n <= NETWORK) {
            sort_by_network(items, n);
        } else {
            sort_by_insertion(items, n, call->k);
        }
        for (uint32_t j = 0; j < call->k; j++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all are written */
            uint64_t bits = load(&input, from + sorted[j].index * input.strides[call->axis]);
            store(&value, to_value + j * value.strides[call->axis], bits);
            store(&index, to_index + j * index.strides[call->axis], sorted[j].index);
        }
        more = false;
        for (uint32_t d = tensor->dimension_count; d-- > 0 && !more;) {
            if (d != call->axis && ++at[d] < tensor->sizes[d]) {
                more = true;
            } else {
                at[d] = 0;
            }
        }
    }
    free(items);
    return true;
}

const struct control control = {"packed", 1, compute, NULL};
