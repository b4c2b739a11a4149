/* Layouts of each tensor alone and of all three: strides, padding, broadcast, interleaving. */
#include "group.h"

static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I64, TOPK_TYPE_U8};

/* strides of a tensor with `pad` elements after dimension `padded`, and stride 0 for dimension
 * `flat` unless it does not exist */
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

/* one dimension broadcast or padded and all others packed, so that only some can be merged */
static void merged(struct topk_sink *sink)
{
    static const uint32_t shapes[][4] = {{2, 2, 2, 3}, {2, 3, 2, 9}, {2, 1, 3, 17}};
    static const uint32_t none = UINT32_MAX;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t axis = 0; axis < 4; axis++) {
            for (uint32_t i = 0; i < 5 * 5 * 3; i++) {
                struct topk_case tc;
                uint32_t flat = i % 5 < 4 && i % 5 != axis ? i % 5 : none;
                uint32_t padded = i / 5 % 5 < 4 ? i / 5 % 5 : none;
                uint32_t output = i / 25 == 0 ? none : (i / 25 + i) % 4;
                topk_build(&tc, (enum topk_mode)(i % TOPK_MODE_COUNT), types[(i + s) % 4], 4,
                           shapes[s], axis, 1 + i % shapes[s][axis]);
                nest(&tc.op.tensors[TOPK_INPUT], flat, padded, 40);
                if (i / 25 > 0) {
                    nest(&tc.op.tensors[i / 25 == 1 ? TOPK_VALUE : TOPK_INDEX], none, output, 3);
                }
                topk_build_data(&tc, "few", 6, topk_mix(s, axis, i));
                topk_emit(sink, &tc);
            }
        }
    }
}

/* strides along Axis and beside it that do not fit into 24 bits, for tensors with small elements */
static void far(struct topk_sink *sink)
{
    for (unsigned role = TOPK_INPUT; role <= TOPK_VALUE; role++) {
        for (uint32_t i = 0; i < (role == TOPK_INPUT ? 8 : 4); i++) {
            const uint32_t sizes[] = {1, 1, i < 4 ? 2 : 1, 2};
            struct topk_case tc;
            topk_build(&tc, TOPK_MODE_LARGEST, TOPK_TYPE_U8, 4, sizes, i < 4 ? 2 + i % 2 : 3,
                       i < 4 ? 2 : 1);
            struct topk_tensor *tensor = &tc.op.tensors[role];
            nest(tensor, UINT32_MAX, 3, (1u << 24) - 1);
            if (i >= 2) {
                tensor->strides[3] = tensor->strides[2];
                tensor->strides[2] = 1;
                tensor->total_bytes = topk_tensor_least_bytes(tensor);
            }
            topk_build_data(&tc, "uniform", i + 1, 0);
            topk_emit(sink, &tc);
        }
    }
}

#define ROLES                                                                                      \
    "if #of > 0; type: f32, f16, i64, u8; axis: 0..3; mode: both; sizes = [2,3,1,7];"              \
    "k = length > 2 ? length - 2 : 1; wide = (roles + axis) % 2 == 0;"                             \
    "layout = roles >> role & 1 ? of : packed; data = few(6, mix(#of, roles, axis))"

const struct topk_test topk_group_layout[] = {
    {"layout", "input", "every layout of the input",
     .product = "roles = 1; of: input_layouts;" ROLES},
    {"layout", "value", "every layout of the value output",
     .product = "roles = 2; of: layouts;" ROLES},
    {"layout", "index", "every layout of the index output",
     .product = "roles = 4; of: layouts;" ROLES},
    {"layout", "all", "every layout, of all three tensors",
     .product = "roles = 7; of: layouts;" ROLES},
    {"layout", "mixed", "three layouts at once, every rank and type",
     .product = "type: types; rank: 1..8; axis = (rank + #type) % rank;"
                "size = d == axis ? 9 : 1 + (d * 2 + rank) % 3; mode = modes[rank + #type]; k = 4;"
                "wide = #type % 2; i = rank + #type * 5;"
                "outputs = padded-row, reversed, interleaved, scattered, rotated, padded-all;"
                "layout = role == input ? input_layouts[i] : outputs[i + 2 * (role == index)];"
                "data = few(5, i)"},
    {"layout", "merged", "one dimension broadcast or padded, of several", .enumerate = merged},
    {"layout", "far", "strides of more than 2^24 elements", .enumerate = far},
    {0},
};
