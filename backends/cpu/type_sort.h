/* For each type: selects many elements of many, and sorts what the other methods leave. Elements
 * are sorted as entries, which are independent of the type (entries.h). Included like
 * type_keys.h. */

static void TYPED(keys_of)(const struct topk_cpu_task *task, const unsigned char *input,
                           size_t count, void *keys)
{
    TYPED(keys)(input, task->input_step, count, (KEY)task->flip, keys);
}

static void TYPED(range)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, uint64_t *least, uint64_t *greatest)
{
    KEY keys[BLOCK];
    KEY low = KEY_MOST;
    KEY high = 0;
    for (size_t at = begin; at < end; at += BLOCK) {
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys_of)(task, input + at * task->input_step, count, keys);
        for (size_t i = 0; i < count; i++) {
            low = keys[i] < low ? keys[i] : low;
            high = keys[i] > high ? keys[i] : high;
        }
    }
    *least = low;
    *greatest = high;
}

static void TYPED(count)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, const struct topk_cpu_digit *digit, uint32_t *counts)
{
    KEY keys[BLOCK];
    const KEY least = (KEY)digit->least;
    const uint32_t shift = digit->shift;
    for (size_t at = begin; at < end; at += BLOCK) {
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys_of)(task, input + at * task->input_step, count, keys);
        for (size_t i = 0; i < count; i++) {
            counts[(KEY)(keys[i] - least) >> shift]++;
        }
    }
}

/* An element in a bucket. Key and index are adjacent, because the buckets are written in turn. */
struct TYPED(dealt) {
    KEY key;
    uint32_t index;
};

static void TYPED(place)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, const struct topk_cpu_digit *digit, uint32_t *starts,
                         void *dealt)
{
    KEY keys[BLOCK];
    struct TYPED(dealt) *to = dealt;
    const KEY least = (KEY)digit->least;
    const uint32_t shift = digit->shift;
    const uint32_t last = digit->last;
    for (size_t at = begin; at < end; at += BLOCK) {
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys_of)(task, input + at * task->input_step, count, keys);
        for (size_t i = 0; i < count; i++) {
            const size_t value = (KEY)(keys[i] - least) >> shift;
            const uint32_t place = starts[value];
            to[place] = (struct TYPED(dealt)){keys[i], (uint32_t)(at + i)};
            starts[value] = place + (value <= last);
        }
    }
}

/* Makes entries from keys and positions, and sorts them. Returns where the result is: entries or
 * spare. If entries lack lower bits of keys, sorts those with equal parts again. */
static uint64_t *TYPED(sort_range)(const KEY *keys, KEY least, KEY greatest, uint64_t *entries,
                                   uint64_t *spare, size_t count)
{
    const struct topk_cpu_scale scale = topk_cpu_scale_of(greatest - least, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t position = (uint32_t)entries[i];
        entries[i] = (uint64_t)((KEY)(keys[position] - least) >> scale.shift) << 32 | position;
    }
    uint64_t *sorted = topk_cpu_entries_sort(entries, spare, count, scale.bits);
    uint64_t *unused = sorted == entries ? spare : entries;
    for (size_t begin = 0, end; scale.shift != 0 && begin < count; begin = end) {
        KEY low = keys[(uint32_t)sorted[begin]];
        KEY high = low;
        for (end = begin + 1; end < count && sorted[end] >> 32 == sorted[begin] >> 32; end++) {
            const KEY key = keys[(uint32_t)sorted[end]];
            low = key < low ? key : low;
            high = key > high ? key : high;
        }
        if (low != high) {
            const uint64_t *settled =
                TYPED(sort_range)(keys, low, high, sorted + begin, unused + begin, end - begin);
            if (settled != sorted + begin) {
                memcpy(sorted + begin, settled, (end - begin) * sizeof *sorted);
            }
        }
    }
    return sorted;
}

/* A value's bits follow from its key, except if several values have the same key. Values are moved
 * as integers, because no bit of a NaN may change. */
static inline KEY TYPED(value)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                               KEY key, size_t index)
{
    const KEY above = (KEY)(key ^ (KEY)task->flip);
#if KEY_INFINITY
    const KEY infinity = KEY_INFINITY;
    if (above == infinity || above > (KEY)(2 * infinity)) {
        return TYPED(load)(row->input + index * task->input_step);
    }
    return above < infinity ? (KEY)((KEY)(infinity - above) | (KEY) ~(KEY_MOST >> 1))
                            : (KEY)(above - infinity);
#else
    (void)row;
    (void)index;
    return above;
#endif
}

static void TYPED(finish)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                          const struct topk_cpu_elements *elements, size_t at, uint64_t *entries,
                          uint64_t *spare)
{
    const KEY *keys = elements->keys;
    const uint32_t *indices = elements->indices;
    const size_t count = elements->count;
    for (size_t i = 0; i < count; i++) {
        entries[i] = i;
    }
    const uint64_t *sorted = TYPED(sort_range)(
        keys, TYPED(least_of)(keys, count), TYPED(greatest_of)(keys, count), entries, spare, count);
    unsigned char *value_at = row->value + at * task->value_step;
    unsigned char *index_at = row->index + at * task->index_step;
    const size_t wanted = task->k - at < count ? task->k - at : count;
    for (size_t i = 0; i < wanted; i++) {
        const size_t position = (uint32_t)sorted[i];
        const uint32_t index = indices != NULL ? indices[position] : (uint32_t)position;
        const KEY value = TYPED(value)(task, row, keys[position], index);
        memcpy(value_at + i * task->value_step, &value, sizeof value);
        store_index(task, index_at + i * task->index_step, index);
    }
}

static void TYPED(finish_dealt)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                                const void *dealt, size_t begin,
                                const struct topk_cpu_elements *room, uint64_t *entries,
                                uint64_t *spare)
{
    const struct TYPED(dealt) *from = (const struct TYPED(dealt) *)dealt + begin;
    KEY *restrict keys = room->keys;
    uint32_t *restrict indices = room->indices;
    for (size_t i = 0; i < room->count; i++) {
        keys[i] = from[i].key;
        indices[i] = from[i].index;
    }
    TYPED(finish)(task, row, room, begin, entries, spare);
}
