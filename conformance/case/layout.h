/* Layouts: ways to place the logical elements of a tensor in memory. Add a new layout here. */
#ifndef TOPK_LAYOUT_H
#define TOPK_LAYOUT_H

#include "reference/tensor.h"

/* LAYOUT(NAME, word, input_only, about) */
#define TOPK_LAYOUT_LIST(LAYOUT)                                                                   \
    LAYOUT(PACKED, "packed", false, "no strides")                                                  \
    LAYOUT(EXPLICIT, "explicit", false, "the packed strides, written out")                         \
    LAYOUT(PADDED_ROW, "padded-row", false, "3 elements of padding behind each last dimension")    \
    LAYOUT(PADDED_ALL, "padded-all", false, "padding behind every dimension")                      \
    LAYOUT(REVERSED, "reversed", false, "dimensions in reverse order: the first is the fastest")   \
    LAYOUT(ROTATED, "rotated", false, "dimensions rotated by one")                                 \
    LAYOUT(INTERLEAVED, "interleaved", false, "every stride doubled")                              \
    LAYOUT(SCATTERED, "scattered", false, "reversed and padded behind every dimension")            \
    LAYOUT(SIZE_ONE, "size-one", false,                                                            \
           "packed, with meaningless strides on dimensions of size 1")                             \
    LAYOUT(SLACK, "slack", false, "packed, with 21 bytes more in total, no multiple of 4")         \
    LAYOUT(BROADCAST_FIRST, "broadcast-first", true, "stride 0 on the first long dimension")       \
    LAYOUT(BROADCAST_LAST, "broadcast-last", true, "stride 0 on the last long dimension")          \
    LAYOUT(BROADCAST_ALL, "broadcast-all", true, "every stride 0")                                 \
    LAYOUT(WINDOWS, "windows", true, "overlapping windows: every stride 1")

enum topk_layout {
#define LAYOUT(name, word, input_only, about) TOPK_LAYOUT_##name,
    TOPK_LAYOUT_LIST(LAYOUT)
#undef LAYOUT
    TOPK_LAYOUT_COUNT
};

/* Whether a layout is valid for the input only, because elements share memory. */
bool topk_layout_input_only(enum topk_layout layout);
const char *topk_layout_word(enum topk_layout layout);
const char *topk_layout_about(enum topk_layout layout);

/* Applies a layout to a tensor: sets strided, strides and total_bytes. Sizes and type must be
 * set. */
void topk_layout_apply(enum topk_layout layout, struct topk_tensor *tensor);

#endif
