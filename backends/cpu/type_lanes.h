/* For each type: short rows, several at once. Each lane of a vector has a row of its own, and a
 * network of comparators sorts all of them in the same way. The sorted integers consist of key and
 * index, so that elements with equal keys come by ascending index; 64-bit keys have separate
 * indices. The integers are signed, because more processors can compare those. Included like
 * type_keys.h, with
 *   LANE        the integer that is sorted
 *   LANE_BITS   its bits
 *   LANE_INDEX  how many of its lower bits are the index; 0 for 64-bit keys
 *   LANES       number of rows at once
 */

static inline LANE TYPED(lane)(KEY key, size_t index)
{
#if LANE_INDEX
    return (LANE)((LANE)((LANE)((LANE)key << LANE_INDEX) | (LANE)index) ^
                  ((LANE)1 << (LANE_BITS - 1)));
#else
    (void)index;
    return key ^ (LANE)1 << (LANE_BITS - 1);
#endif
}

/* Loads `count` rows into the lanes; lanes without a row keep their content. */
static void TYPED(deal)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                        size_t first, size_t count, LANE *restrict lanes)
{
    const size_t length = task->length;
    KEY keys[TOPK_CPU_NETWORK_LENGTH * LANES];
    TYPED(keys_of_rows)(task, run, first, count, keys);
    for (size_t row = 0; row < count; row++) {
        for (size_t i = 0; i < length; i++) {
            lanes[i * LANES + row] = TYPED(lane)(keys[row * length + i], i);
        }
    }
}

#if LANE_INDEX
static void TYPED(sort_lanes)(const struct topk_cpu_network *network, size_t length,
                              SIGNED_LANE *lanes)
{
    (void)length;
    for (uint32_t c = 0; c < network->count; c++) {
        SIGNED_LANE *restrict first = lanes + (size_t)network->comparators[c].first * LANES;
        SIGNED_LANE *restrict second = lanes + (size_t)network->comparators[c].second * LANES;
        for (size_t i = 0; i < LANES; i++) {
            const SIGNED_LANE a = first[i];
            const SIGNED_LANE b = second[i];
            first[i] = (SIGNED_LANE)(a < b ? a : b);
            second[i] = (SIGNED_LANE)(a < b ? b : a);
        }
    }
}
#else
/* The indices of the elements in the lanes follow the lanes. */
static void TYPED(sort_lanes)(const struct topk_cpu_network *network, size_t length,
                              SIGNED_LANE *lanes)
{
    SIGNED_LANE *indices = lanes + length * LANES;
    for (size_t i = 0; i < length * LANES; i++) {
        indices[i] = (SIGNED_LANE)(i / LANES);
    }
    for (uint32_t c = 0; c < network->count; c++) {
        const size_t low = (size_t)network->comparators[c].first * LANES;
        const size_t high = (size_t)network->comparators[c].second * LANES;
        SIGNED_LANE *restrict first = lanes + low;
        SIGNED_LANE *restrict second = lanes + high;
        SIGNED_LANE *restrict first_index = indices + low;
        SIGNED_LANE *restrict second_index = indices + high;
        for (size_t i = 0; i < LANES; i++) {
            const SIGNED_LANE a = first[i];
            const SIGNED_LANE b = second[i];
            const SIGNED_LANE a_index = first_index[i];
            const SIGNED_LANE b_index = second_index[i];
            const bool stay = (a < b) | ((a == b) & (a_index < b_index));
            first[i] = stay ? a : b;
            second[i] = stay ? b : a;
            first_index[i] = stay ? a_index : b_index;
            second_index[i] = stay ? b_index : a_index;
        }
    }
}
#endif

static void TYPED(collect)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                           size_t first, size_t count, const LANE *lanes)
{
    for (size_t lane = 0; lane < count; lane++) {
        const struct topk_cpu_row row = topk_cpu_run_row(run, first + lane);
        for (size_t i = 0; i < task->k; i++) {
            const size_t index = (size_t)(lanes[i * LANES + lane] & INDEX_MASK);
            memcpy(row.value + i * task->value_step, row.input + index * task->input_step,
                   sizeof(KEY));
            store_index(task, row.index + i * task->index_step, (uint32_t)index);
        }
    }
}

static void TYPED(lanes)(const struct topk_cpu_task *task, const struct topk_cpu_network *network,
                         const struct topk_cpu_run *run, void *scratch)
{
    LANE *lanes = scratch;
    const LANE *with_indices = LANE_INDEX != 0 ? lanes : lanes + task->length * LANES;
    for (size_t first = 0; first < run->count; first += LANES) {
        const size_t count = run->count - first < LANES ? run->count - first : LANES;
        TYPED(deal)(task, run, first, count, lanes);
        TYPED(sort_lanes)(network, task->length, scratch);
        TYPED(collect)(task, run, first, count, with_indices);
    }
}
