/* For each type: elements as entries, and sorted entries as outputs. Entries themselves have no type:
 * entries.h sorts them. Included as type_keys.h is. */

static inline uint64_t TYPED(entry)(KEY key, KEY least, uint32_t shift, size_t index)
{
    return (uint64_t)((KEY)(key - least) >> shift) << 32 | (uint32_t)index;
}

static void TYPED(range)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, uint64_t *least, uint64_t *greatest)
{
    const KEY flip = (KEY)task->flip;
    KEY low = KEY_MOST;
    KEY high = 0;
    for (size_t at = begin; at < end; at += BLOCK) {
        KEY keys[BLOCK];
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys)(input + at * task->input_step, task->input_step, count, flip, keys);
        for (size_t i = 0; i < count; i++) {
            low = keys[i] < low ? keys[i] : low;
            high = keys[i] > high ? keys[i] : high;
        }
    }
    *least = low;
    *greatest = high;
}

static void TYPED(entries)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                           size_t end, const struct topk_cpu_scale *scale, uint64_t *entries)
{
    const KEY flip = (KEY)task->flip;
    const KEY least = (KEY)scale->least;
    const uint32_t shift = scale->shift;
    for (size_t at = begin; at < end; at += BLOCK) {
        KEY keys[BLOCK];
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys)(input + at * task->input_step, task->input_step, count, flip, keys);
        for (size_t i = 0; i < count; i++) {
            entries[at - begin + i] = TYPED(entry)(keys[i], least, shift, at + i);
        }
    }
}

static struct topk_cpu_scale TYPED(candidate_entries)(const struct topk_cpu_candidates *candidates,
                                                      uint64_t *entries)
{
    const KEY *keys = candidates->keys;
    const KEY least = TYPED(least_of)(keys, candidates->count);
    const struct topk_cpu_scale scale =
        topk_cpu_scale_of(least, TYPED(greatest_of)(keys, candidates->count));
    for (size_t i = 0; i < candidates->count; i++) {
        entries[i] = TYPED(entry)(keys[i], least, scale.shift, candidates->indices[i]);
    }
    return scale;
}

static inline uint32_t TYPED(digit)(KEY key, KEY least, const struct topk_cpu_scale *scale,
                                    const struct topk_cpu_digit *digit)
{
    return (uint32_t)((uint64_t)(KEY)(key - least) >> (scale->shift + digit->shift));
}

static void TYPED(count)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, const struct topk_cpu_scale *scale,
                         const struct topk_cpu_digit *digit, uint32_t *counts)
{
    const KEY flip = (KEY)task->flip;
    const KEY least = (KEY)scale->least;
    for (size_t at = begin; at < end; at += BLOCK) {
        KEY keys[BLOCK];
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys)(input + at * task->input_step, task->input_step, count, flip, keys);
        for (size_t i = 0; i < count; i++) {
            counts[TYPED(digit)(keys[i], least, scale, digit)]++;
        }
    }
}

static void TYPED(place)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                         size_t end, const struct topk_cpu_scale *scale,
                         const struct topk_cpu_digit *digit, uint32_t *starts, uint64_t *entries)
{
    const KEY flip = (KEY)task->flip;
    const KEY least = (KEY)scale->least;
    const uint32_t shift = scale->shift;
    const uint32_t last = digit->last;
    for (size_t at = begin; at < end; at += BLOCK) {
        KEY keys[BLOCK];
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        TYPED(keys)(input + at * task->input_step, task->input_step, count, flip, keys);
        for (size_t i = 0; i < count; i++) {
            const uint32_t of = TYPED(digit)(keys[i], least, scale, digit);
            entries[starts[of]] = TYPED(entry)(keys[i], least, shift, at + i);
            starts[of] += of <= last;
        }
    }
}

static void TYPED(settle)(const struct topk_cpu_task *task, const unsigned char *input,
                          const struct topk_cpu_scale *scale, uint64_t *entries, size_t count,
                          uint64_t *spare)
{
    const KEY flip = (KEY)task->flip;
    const KEY missing = (KEY)(((KEY)1 << scale->shift) - 1);
    for (size_t begin = 0, end; scale->shift != 0 && begin < count; begin = end) {
        end = begin + 1;
        while (end < count && entries[end] >> 32 == entries[begin] >> 32) {
            end++;
        }
        if (end - begin == 1) {
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            const uint32_t index = (uint32_t)entries[i];
            const KEY key = TYPED(key)(TYPED(load)(input + index * task->input_step), flip);
            entries[i] = (uint64_t)((key - scale->least) & missing) << 32 | index;
        }
        const uint64_t *sorted =
            topk_cpu_entries_sort(entries + begin, spare, end - begin, scale->shift);
        if (sorted == spare) {
            memcpy(entries + begin, spare, (end - begin) * sizeof *entries);
        }
    }
}

/* Values are moved as integers: no bit of a NaN may change. What a key tells of one need not be looked
 * up, far off in the input: all but those that share a key with others. */
static void TYPED(write)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                         const struct topk_cpu_scale *scale, const uint64_t *entries, size_t count,
                         size_t at)
{
    unsigned char *value = row->value + at * task->value_step;
    unsigned char *index = row->index + at * task->index_step;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = (uint32_t)entries[i];
        KEY bits;
#if KEY_BITS == 64
        (void)scale;
        bits = TYPED(load)(row->input + from * task->input_step);
#else
        const KEY above =
            (KEY)((KEY)((KEY)(entries[i] >> 32) + (KEY)scale->least) ^ (KEY)task->flip);
        bits = above;
#if KEY_INFINITY
        const KEY infinity = KEY_INFINITY;
        if (above == infinity || above > (KEY)(2 * infinity)) {
            bits = TYPED(load)(row->input + from * task->input_step);
        } else {
            bits = above < infinity ? (KEY)((KEY)(infinity - above) | (KEY)~(KEY_MOST >> 1))
                                    : (KEY)(above - infinity);
        }
#endif
#endif
        memcpy(value + i * task->value_step, &bits, sizeof bits);
        store_index(task, index + i * task->index_step, from);
    }
}
