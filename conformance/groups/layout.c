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

/* strides of a tensor with `pad` elements behind one dimension and, if it is one, `flat` of stride
 * 0
 */
static void nest(struct topk_tensor *tensor, uint32_t flat, uint32_t padded, uint32_t pad)
{
    uint64_t stride = 1;
    tensor->strided = true;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        tensor->strides[d] = d == flat ? 0 : (uint32_t)stride;
        stride = stride * (d == flat ? 1 : tensor->sizes[d]) + (d == padded ? pad : 0);
    }
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

/* one dimension broadcast or padded and all others packed, so that some can be merged and some not
 */
static void merged(struct topk_sink *sink)
{
    static const uint32_t shapes[][4] = {{2, 2, 2, 3}, {2, 3, 2, 9}, {2, 1, 3, 17}};
    static const uint32_t none = UINT32_MAX;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t axis = 0; axis < 4; axis++) {
            for (uint32_t i = 0; i < 5 * 5 * 3; i++) {
                struct topk_case test;
                uint32_t flat = i % 5 < 4 && i % 5 != axis ? i % 5 : none;
                uint32_t padded = i / 5 % 5 < 4 ? i / 5 % 5 : none;
                uint32_t output = i / 25 == 0 ? none : (i / 25 + i) % 4;
                topk_build(&test, (enum topk_mode)(i % TOPK_MODE_COUNT), types[(i + s) % 4], 4,
                           shapes[s], axis, 1 + i % shapes[s][axis]);
                nest(&test.op.tensors[TOPK_INPUT], flat, padded, 40);
                if (i / 25 > 0) {
                    nest(&test.op.tensors[i / 25 == 1 ? TOPK_VALUE : TOPK_INDEX], none, output, 3);
                }
                topk_build_data(&test, "few", 6, topk_mix(s, axis, i));
                topk_emit(sink, &test);
            }
        }
    }
}

/* strides along the axis and beside it that 24 bits do not hold, of the tensors whose elements
 * are small */
static void far(struct topk_sink *sink)
{
    for (unsigned role = TOPK_INPUT; role <= TOPK_VALUE; role++) {
        for (uint32_t i = 0; i < (role == TOPK_INPUT ? 8 : 4); i++) {
            const uint32_t sizes[] = {1, 1, i < 4 ? 2 : 1, 2};
            struct topk_case test;
            topk_build(&test, TOPK_MODE_LARGEST, TOPK_TYPE_U8, 4, sizes, i < 4 ? 2 + i % 2 : 3,
                       i < 4 ? 2 : 1);
            struct topk_tensor *tensor = &test.op.tensors[role];
            nest(tensor, UINT32_MAX, 3, (1u << 24) - 1);
            if (i >= 2) {
                tensor->strides[3] = tensor->strides[2];
                tensor->strides[2] = 1;
                tensor->total_bytes = topk_tensor_least_bytes(tensor);
            }
            topk_build_data(&test, "uniform", i + 1, 0);
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
    {"layout", "merged", "one dimension broadcast or padded, of several", merged, NULL, NULL},
    {"layout", "far", "strides of more than 2^24 elements", far, NULL, NULL},
    {0},
};
