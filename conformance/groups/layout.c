/* Layouts of each tensor on its own, and of all three: strides, padding, broadcast, interleaving.
 */
#include "build.h"

static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I64, TOPK_TYPE_U8};

static void emit_layout(struct topk_sink *sink, enum topk_layout layout, unsigned roles,
                        uint32_t type, uint32_t axis, enum topk_mode mode)
{
    static const uint32_t sizes[] = {2, 3, 1, 7};
    struct topk_case test;
    topk_build(&test, mode, type, 4, sizes, axis, sizes[axis] > 2 ? sizes[axis] - 2 : 1);
    if ((roles + axis) % 2 == 0) {
        topk_build_wide_index(&test);
    }
    for (unsigned role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (roles >> role & 1) {
            topk_layout_apply(layout, &test.op.tensors[role]);
        }
    }
    topk_build_data(&test, "few", 6, topk_mix(layout, roles, axis));
    topk_emit(sink, &test);
}

static void emit_roles(struct topk_sink *sink, unsigned roles)
{
    for (int layout = TOPK_LAYOUT_EXPLICIT; layout < TOPK_LAYOUT_COUNT; layout++) {
        if (roles != 1u << TOPK_INPUT && topk_layout_input_only((enum topk_layout)layout)) {
            continue;
        }
        for (int t = 0; t < 4; t++) {
            for (uint32_t axis = 0; axis < 4; axis++) {
                for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
                    emit_layout(sink, (enum topk_layout)layout, roles, types[t], axis,
                                (enum topk_mode)mode);
                }
            }
        }
    }
}

static void input(struct topk_sink *sink)
{
    emit_roles(sink, 1u << TOPK_INPUT);
}

static void value(struct topk_sink *sink)
{
    emit_roles(sink, 1u << TOPK_VALUE);
}

static void index_output(struct topk_sink *sink)
{
    emit_roles(sink, 1u << TOPK_INDEX);
}

static void all(struct topk_sink *sink)
{
    emit_roles(sink, 1u << TOPK_INPUT | 1u << TOPK_VALUE | 1u << TOPK_INDEX);
}

/* a layout of its own for each tensor, ranks 1 to 8, every type */
static void mixed(struct topk_sink *sink)
{
    static const enum topk_layout outputs[] = {TOPK_LAYOUT_PADDED_ROW,  TOPK_LAYOUT_REVERSED,
                                               TOPK_LAYOUT_INTERLEAVED, TOPK_LAYOUT_SCATTERED,
                                               TOPK_LAYOUT_ROTATED,     TOPK_LAYOUT_PADDED_ALL};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t rank = 1; rank <= TOPK_RANK_VALID; rank++) {
            uint32_t sizes[TOPK_RANK_VALID];
            for (uint32_t d = 0; d < rank; d++) {
                sizes[d] = 1 + (d * 2 + rank) % 3;
            }
            uint32_t axis = (rank + (uint32_t)t) % rank;
            sizes[axis] = 9;
            struct topk_case test;
            topk_build(&test, (enum topk_mode)((rank + (uint32_t)t) % 3), topk_types[t], rank,
                       sizes, axis, 4);
            if (t % 2) {
                topk_build_wide_index(&test);
            }
            uint32_t first = (rank + (uint32_t)t * 5);
            topk_layout_apply((enum topk_layout)(first % TOPK_LAYOUT_COUNT),
                              &test.op.tensors[TOPK_INPUT]);
            topk_layout_apply(outputs[first % 6], &test.op.tensors[TOPK_VALUE]);
            topk_layout_apply(outputs[(first + 2) % 6], &test.op.tensors[TOPK_INDEX]);
            topk_build_data(&test, "few", 5, first);
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_layout[] = {
    {"layout", "input", "every layout of the input", input, NULL, NULL},
    {"layout", "value", "every layout of the value output", value, NULL, NULL},
    {"layout", "index", "every layout of the index output", index_output, NULL, NULL},
    {"layout", "all", "every layout, of all three tensors", all, NULL, NULL},
    {"layout", "mixed", "three layouts at once, every rank and type", mixed, NULL, NULL},
    {0},
};
