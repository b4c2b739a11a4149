/* For each type: short rows, several at once. Each lane of a vector has a row of its own, and a
 * network of comparators sorts all of them in the same way. The sorted integers consist of key and
 * index, so that elements with equal keys come by ascending index. Of a wide key they have only the
 * upper bits of its difference from the least; rows in which these do not decide are sorted again.
 * The integers are signed, because more processors can compare those. Included like type_keys.h,
 * with
 *   LANE        the integer that is sorted
 *   LANE_BITS   its bits
 *   LANE_INDEX  how many of its lower bits are the index
 *   LANES       number of rows at once
 */
#define LANE_KEY (LANE_BITS - LANE_INDEX)

/* Loads `count` rows into the lanes; lanes without a row keep their content. Returns whether keys
 * lost lower bits. */
static bool TYPED(deal)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                        size_t first, size_t count, LANE *restrict lanes)
{
    const size_t length = task->length;
    KEY keys[TOPK_CPU_NETWORK_LENGTH * LANES];
    TYPED(keys_of_rows)(task, run, first, count, keys);
    KEY least = 0;
    uint32_t shift = 0;
#if LANE_KEY < KEY_BITS
    least = TYPED(least_of)(keys, count * length);
    const KEY range = (KEY)(TYPED(greatest_of)(keys, count * length) - least);
    while (range >> shift >> LANE_KEY != 0) {
        shift++;
    }
#endif
    for (size_t row = 0; row < count; row++) {
        for (size_t i = 0; i < length; i++) {
            const LANE key = (LANE)((KEY)(keys[row * length + i] - least) >> shift);
            lanes[i * LANES + row] =
                (LANE)((LANE)((LANE)(key << LANE_INDEX) | (LANE)i) ^ ((LANE)1 << (LANE_BITS - 1)));
        }
    }
    return shift != 0;
}

static void TYPED(sort_lanes)(const struct topk_cpu_network *network, SIGNED_LANE *lanes)
{
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

/* Marks the rows in which a part of a key that decides which elements are the first K, or their
 * order, equals another. */
static void TYPED(mark)(const struct topk_cpu_task *task, const LANE *lanes, LANE *marks)
{
    memset(marks, 0, LANES * sizeof *marks);
    for (size_t i = 1; i < task->length; i++) {
        const LANE *before = lanes + (i < task->k ? i - 1 : task->k - 1) * LANES;
        for (size_t lane = 0; lane < LANES; lane++) {
            const LANE differ = (LANE)(lanes[i * LANES + lane] ^ before[lane]);
            marks[lane] |= (LANE)(differ >> LANE_INDEX == 0);
        }
    }
}

static inline void TYPED(write)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                                size_t at, size_t index)
{
    memcpy(row->value + at * task->value_step, row->input + index * task->input_step, sizeof(KEY));
    store_index(task, row->index + at * task->index_step, (uint32_t)index);
}

/* Sorts a short row by whole keys. */
static void TYPED(sort_row)(const struct topk_cpu_task *task, const struct topk_cpu_row *row)
{
    KEY keys[TOPK_CPU_NETWORK_LENGTH];
    uint8_t order[TOPK_CPU_NETWORK_LENGTH];
    TYPED(keys)(row->input, task->input_step, task->length, (KEY)task->flip, keys);
    for (size_t i = 0; i < task->length; i++) {
        size_t at = i;
        for (; at > 0 && keys[order[at - 1]] > keys[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
    }
    for (size_t i = 0; i < task->k; i++) {
        TYPED(write)(task, row, i, order[i]);
    }
}

static void TYPED(lanes)(const struct topk_cpu_task *task, const struct topk_cpu_network *network,
                         const struct topk_cpu_run *run, void *scratch)
{
    LANE *lanes = scratch;
    LANE marks[LANES] = {0};
    for (size_t first = 0; first < run->count; first += LANES) {
        const size_t count = run->count - first < LANES ? run->count - first : LANES;
        const bool is_partial = TYPED(deal)(task, run, first, count, lanes);
        TYPED(sort_lanes)(network, scratch);
        if (is_partial) {
            TYPED(mark)(task, lanes, marks);
        }
        for (size_t lane = 0; lane < count; lane++) {
            const struct topk_cpu_row row = topk_cpu_run_row(run, first + lane);
            if (is_partial && marks[lane] != 0) {
                TYPED(sort_row)(task, &row);
                continue;
            }
            for (size_t i = 0; i < task->k; i++) {
                TYPED(write)(task, &row, i, lanes[i * LANES + lane] & INDEX_MASK);
            }
        }
    }
}
