/* The strides and sizes of each layout. */
#include "layout.h"

#include <string.h>

static const struct {
    const char *word;
    bool input_only;
    const char *about;
} rows[] = {
#define LAYOUT(name, word, input_only, about) {word, input_only, about},
    TOPK_LAYOUT_LIST(LAYOUT)
#undef LAYOUT
};

bool topk_layout_input_only(enum topk_layout layout)
{
    return rows[layout].input_only;
}

const char *topk_layout_word(enum topk_layout layout)
{
    return rows[layout].word;
}

const char *topk_layout_about(enum topk_layout layout)
{
    return rows[layout].about;
}

/* sets strides so that dimension order[0] is the fastest; adds `pad` elements after each
 * dimension */
static void nest(struct topk_tensor *tensor, const uint32_t order[], uint32_t pad, bool row_only)
{
    uint64_t stride = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t d = order[i];
        tensor->strides[d] = (uint32_t)stride;
        stride = stride * tensor->sizes[d] + (row_only && i > 0 ? 0 : pad);
    }
}

static void broadcast(struct topk_tensor *tensor, bool first, bool all)
{
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t d = first ? i : tensor->rank - 1 - i;
        if (tensor->sizes[d] > 1) {
            chosen = d;
            break;
        }
    }
    uint64_t stride = 1;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        bool flat = all || d == chosen;
        tensor->strides[d] = flat ? 0 : (uint32_t)stride;
        stride *= flat ? 1 : tensor->sizes[d];
    }
}

void topk_layout_apply(enum topk_layout layout, struct topk_tensor *tensor)
{
    uint32_t ascending[TOPK_RANK_MAX];  /* last dimension fastest */
    uint32_t descending[TOPK_RANK_MAX]; /* first dimension fastest */
    uint32_t rotated[TOPK_RANK_MAX];
    for (uint32_t i = 0; i < tensor->rank; i++) {
        ascending[i] = tensor->rank - 1 - i;
        descending[i] = i;
        rotated[i] = (tensor->rank - i) % tensor->rank;
    }
    memset(tensor->strides, 0, sizeof tensor->strides);
    tensor->strided = layout != TOPK_LAYOUT_PACKED && layout != TOPK_LAYOUT_SLACK;
    nest(tensor, ascending, 0, false);
    uint64_t slack = 0;
    switch (layout) {
    case TOPK_LAYOUT_PADDED_ROW:
        nest(tensor, ascending, 3, true);
        break;
    case TOPK_LAYOUT_PADDED_ALL:
        nest(tensor, ascending, 2, false);
        break;
    case TOPK_LAYOUT_REVERSED:
        nest(tensor, descending, 0, false);
        break;
    case TOPK_LAYOUT_ROTATED:
        nest(tensor, rotated, 0, false);
        break;
    case TOPK_LAYOUT_SCATTERED:
        nest(tensor, descending, 5, false);
        break;
    case TOPK_LAYOUT_INTERLEAVED:
        for (uint32_t i = 0; i < tensor->rank; i++) {
            tensor->strides[i] *= 2;
        }
        break;
    case TOPK_LAYOUT_SIZE_ONE:
        for (uint32_t i = 0; i < tensor->rank; i++) {
            if (tensor->sizes[i] == 1) {
                tensor->strides[i] = i % 2 == 0 ? UINT32_MAX : 0;
            }
        }
        break;
    case TOPK_LAYOUT_SLACK:
        slack = 21;
        break;
    case TOPK_LAYOUT_BROADCAST_FIRST:
    case TOPK_LAYOUT_BROADCAST_LAST:
    case TOPK_LAYOUT_BROADCAST_ALL:
        broadcast(tensor, layout == TOPK_LAYOUT_BROADCAST_FIRST,
                  layout == TOPK_LAYOUT_BROADCAST_ALL);
        break;
    case TOPK_LAYOUT_WINDOWS:
        for (uint32_t i = 0; i < tensor->rank; i++) {
            tensor->strides[i] = 1;
        }
        break;
    case TOPK_LAYOUT_PACKED:
    case TOPK_LAYOUT_EXPLICIT:
    case TOPK_LAYOUT_COUNT:
        break;
    }
    if (!tensor->strided) {
        memset(tensor->strides, 0, sizeof tensor->strides);
    }
    tensor->total_bytes = topk_tensor_least_bytes(tensor) + slack;
}
