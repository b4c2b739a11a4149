/* Makes a case for any possible classes. Each part is made so that aspect.c finds its class again.
 * The data comes from recipe `tied`. */
#include <string.h>

#include "cover.h"
#include "generate/generate.h"

/* ---- dimensions ------------------------------------------------------------------------------ */

struct shape {
    uint32_t rank;
    uint32_t axis;
    uint32_t sizes[TOPK_RANK_VALID];
    uint32_t batch[TOPK_RANK_VALID]; /* dimensions of size > 1 other than Axis, ascending */
    uint32_t batches;
};

/* the rank if no dimension has the class */
static uint32_t choose_axis(unsigned axis_class, uint32_t rank, struct topk_pcg *pcg)
{
    switch (axis_class) {
    case TOPK_CLASS_AXIS_ONLY:
        return rank == 1 ? 0 : rank;
    case TOPK_CLASS_AXIS_MIDDLE:
        return rank > 2 ? 1 + topk_pcg_below(pcg, rank - 2) : rank;
    case TOPK_CLASS_AXIS_LAST:
        return rank - 1;
    default:
        return 0;
    }
}

/* false if there are too few dimensions */
static bool choose_dimensions(const unsigned char *classes, struct topk_pcg *pcg,
                              struct shape *shape, uint32_t length)
{
    shape->rank = classes[TOPK_ASPECT_RANK] - (uint32_t)TOPK_CLASS_RANK_1 + 1;
    shape->axis = choose_axis(classes[TOPK_ASPECT_AXIS], shape->rank, pcg);
    if (shape->axis == shape->rank) {
        return false;
    }
    uint32_t wanted = classes[TOPK_ASPECT_BATCH] - (uint32_t)TOPK_CLASS_BATCH_NONE;
    uint32_t left = shape->rank - 1;
    shape->batches = 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        shape->sizes[d] = d == shape->axis ? length : 1;
        if (d == shape->axis) {
            continue;
        }
        /* selects `wanted` of the `left` remaining dimensions */
        if (topk_pcg_below(pcg, left) < wanted) {
            bool few = length > 1024 || classes[TOPK_ASPECT_INPUT] == TOPK_CLASS_INPUT_WINDOWS;
            shape->sizes[d] = few ? 2 : 2 + topk_pcg_below(pcg, 4);
            shape->batch[shape->batches++] = d;
            wanted--;
        }
        left--;
    }
    return wanted == 0;
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* sets strides so that order[0] is the fastest dimension, from `stride` on, with a gap after each
 * dimension of size > 1 */
static void nest(struct topk_tensor *tensor, const uint32_t order[], uint32_t count,
                 uint64_t stride, uint32_t gap)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t d = order[i];
        tensor->strides[d] = (uint32_t)stride;
        stride = stride * tensor->sizes[d] + (tensor->sizes[d] > 1 ? gap : 0);
    }
}

/* all dimensions but two, the last one first */
static uint32_t natural_order(uint32_t rank, uint32_t without, uint32_t nor,
                              uint32_t order[TOPK_RANK_MAX])
{
    uint32_t count = 0;
    for (uint32_t d = rank; d-- > 0;) {
        if (d != without && d != nor) {
            order[count++] = d;
        }
    }
    return count;
}

/* another order: the dimensions of size > 1 reversed, or the two fastest of them swapped */
static void permute(const struct topk_tensor *tensor, uint32_t order[TOPK_RANK_MAX], bool swap)
{
    uint32_t places[TOPK_RANK_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[order[i]] > 1) {
            places[count++] = i;
        }
    }
    uint32_t to = swap && count > 2 ? 2 : count;
    for (uint32_t i = 0; i < to / 2; i++) {
        uint32_t d = order[places[i]];
        order[places[i]] = order[places[to - 1 - i]];
        order[places[to - 1 - i]] = d;
    }
}

/* Sequences that start with the last element of the previous one, as recipe tied makes them. If
 * Axis has one element, two batch dimensions with the same stride: whole sequences coincide. */
static bool lay_windows(struct topk_tensor *input, const struct shape *shape)
{
    uint32_t order[TOPK_RANK_MAX];
    uint32_t length = shape->sizes[shape->axis];
    if (shape->batches + (length > 1) < 2) {
        return false;
    }
    uint32_t last = shape->batch[shape->batches - 1];
    uint32_t other = length > 1 ? shape->axis : shape->batch[shape->batches - 2];
    uint32_t step = length > 1 ? length - 1 : 1;
    uint32_t count = natural_order(shape->rank, last, other, order);
    input->strides[other] = 1;
    input->strides[last] = step;
    nest(input, order, count,
         (uint64_t)(input->sizes[other] - 1) + (uint64_t)step * (input->sizes[last] - 1) + 1, 0);
    return true;
}

static void lay_broadcast(struct topk_tensor *input, const struct shape *shape, bool axis)
{
    uint32_t order[TOPK_RANK_MAX];
    uint32_t flat = axis ? shape->axis : shape->batch[0];
    uint32_t count = natural_order(shape->rank, flat, flat, order);
    input->strides[flat] = 0;
    nest(input, order, count, 1, 0);
}

/* sets the strides for a layout class, except classes in which elements share memory */
static void lay(struct topk_tensor *tensor, unsigned layout, struct topk_pcg *pcg)
{
    static const uint32_t slacks[] = {1, 4, 21, 64};
    uint32_t order[TOPK_RANK_MAX];
    uint32_t slack = slacks[topk_pcg_below(pcg, 4)];
    uint32_t gap = topk_pcg_below(pcg, 4);
    bool swap = topk_pcg_below(pcg, 2) == 0;
    natural_order(tensor->rank, tensor->rank, tensor->rank, order);
    tensor->strided = layout != TOPK_CLASS_INPUT_PACKED && layout != TOPK_CLASS_INPUT_SLACK;
    switch (layout) {
    case TOPK_CLASS_INPUT_EXPLICIT:
    case TOPK_CLASS_INPUT_SIZE_ONE:
        nest(tensor, order, tensor->rank, 1, 0);
        for (uint32_t d = 0; layout == TOPK_CLASS_INPUT_SIZE_ONE && d < tensor->rank; d++) {
            if (tensor->sizes[d] == 1) {
                tensor->strides[d] = swap ? 0 : UINT32_MAX;
            }
        }
        break;
    case TOPK_CLASS_INPUT_PADDED:
        nest(tensor, order, tensor->rank, 1, gap + 1);
        break;
    case TOPK_CLASS_INPUT_PERMUTED:
        permute(tensor, order, swap);
        nest(tensor, order, tensor->rank, 1, gap);
        break;
    case TOPK_CLASS_INPUT_INTERLEAVED:
        if (swap) {
            permute(tensor, order, false);
        }
        nest(tensor, order, tensor->rank, 2 + gap / 2, gap % 2);
        break;
    default:
        break;
    }
    tensor->total_bytes =
        topk_tensor_least_bytes(tensor) + (layout == TOPK_CLASS_INPUT_SLACK ? slack : 0);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* whether Axis gets the stride 0: it must if no other dimension can, and if the sequences must
 * differ */
static bool axis_broadcasts(const unsigned char *classes, uint32_t seed)
{
    bool one_sequence = classes[TOPK_ASPECT_BATCH] == TOPK_CLASS_BATCH_NONE;
    bool all = classes[TOPK_ASPECT_TIES] == TOPK_CLASS_TIES_ALL;
    bool nan = classes[TOPK_ASPECT_SPECIALS] == TOPK_CLASS_SPECIALS_NAN;
    bool zeros = classes[TOPK_ASPECT_SPECIALS] == TOPK_CLASS_SPECIALS_ZEROS;
    return one_sequence || (all && (nan || (!zeros && seed % 2 == 0)));
}

/* the parameters of recipe tied */
static void choose_data(const unsigned char *classes, uint32_t seed, struct topk_case *tc)
{
    uint32_t ties = classes[TOPK_ASPECT_TIES] - (uint32_t)TOPK_CLASS_TIES_NONE;
    uint32_t around = classes[TOPK_ASPECT_SPECIALS] - (uint32_t)TOPK_CLASS_SPECIALS_NONE;
    if (classes[TOPK_ASPECT_TIES] == TOPK_CLASS_TIES_UNORDERED) {
        bool all = classes[TOPK_ASPECT_INPUT] == TOPK_CLASS_INPUT_BROADCAST;
        ties = all ? 4 : seed % 4; /* ties do not count in a sequence with a NaN */
    } else if (classes[TOPK_ASPECT_SPECIALS] == TOPK_CLASS_SPECIALS_NAN) {
        around = 6;
    }
    topk_build_data(tc, "tied", ties, around);
    tc->parameters[2] = seed;
}

bool topk_cover_build(const unsigned char classes[TOPK_ASPECT_COUNT], uint32_t seed,
                      struct topk_case *tc)
{
    struct topk_pcg pcg;
    struct shape shape;
    uint32_t length = 0;
    uint32_t k = 0;
    topk_pcg_seed(&pcg, seed, 1);
    uint32_t type = topk_types[classes[TOPK_ASPECT_TYPE] - TOPK_CLASS_TYPE_F32];
    if (!topk_cover_shape(classes, &pcg, &length, &k) ||
        !choose_dimensions(classes, &pcg, &shape, length)) {
        return false;
    }
    enum topk_mode mode =
        classes[TOPK_ASPECT_OPERATOR] == TOPK_CLASS_OPERATOR_TOP_K       ? TOPK_MODE_TOP_K
        : classes[TOPK_ASPECT_DIRECTION] == TOPK_CLASS_DIRECTION_LARGEST ? TOPK_MODE_LARGEST
                                                                         : TOPK_MODE_SMALLEST;
    topk_build(tc, mode, type, shape.rank, shape.sizes, shape.axis, k);
    tc->op.level = topk_levels[classes[TOPK_ASPECT_LEVEL] - TOPK_CLASS_LEVEL_2_0];
    if (classes[TOPK_ASPECT_INDEX] == TOPK_CLASS_INDEX_U64) {
        topk_build_wide_index(tc);
    }
    struct topk_tensor *tensors = tc->op.tensors;
    lay(&tensors[TOPK_INPUT], classes[TOPK_ASPECT_INPUT], &pcg);
    if (classes[TOPK_ASPECT_INPUT] >= TOPK_CLASS_INPUT_BROADCAST) {
        if (classes[TOPK_ASPECT_INPUT] == TOPK_CLASS_INPUT_WINDOWS) {
            if (!lay_windows(&tensors[TOPK_INPUT], &shape)) {
                return false;
            }
        } else {
            lay_broadcast(&tensors[TOPK_INPUT], &shape, axis_broadcasts(classes, seed));
        }
        tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&tensors[TOPK_INPUT]);
    }
    lay(&tensors[TOPK_VALUE],
        classes[TOPK_ASPECT_VALUE_OUT] - TOPK_CLASS_VALUE_OUT_PACKED + TOPK_CLASS_INPUT_PACKED,
        &pcg);
    lay(&tensors[TOPK_INDEX],
        classes[TOPK_ASPECT_INDEX_OUT] - TOPK_CLASS_INDEX_OUT_PACKED + TOPK_CLASS_INPUT_PACKED,
        &pcg);
    choose_data(classes, seed, tc);
    return true;
}
