/* For each type: few elements of many. Whole blocks are passed over as none of their keys is below a
 * bound, the K-th least key that was seen so far. What is below it is kept as a candidate; when
 * there are enough of them, the K first are kept, and the bound comes down. Included as type_keys.h
 * is. */

/* How many keys do not exceed a bound. Counts are as wide as keys as long as that is enough. */
static size_t TYPED(count_within)(const KEY *keys, size_t count, KEY bound)
{
    size_t total = 0;
    for (size_t at = 0; at < count; at += COUNTED) {
        const size_t end = count - at < COUNTED ? count : at + COUNTED;
        KEY within = 0;
        for (size_t i = at; i < end; i++) {
            within = (KEY)(within + (keys[i] <= bound));
        }
        total += within;
    }
    return total;
}

/* The k-th least of keys, by bisection of what is between the least and the greatest. */
static KEY TYPED(kth)(const KEY *keys, size_t count, size_t k)
{
    KEY low = TYPED(least_of)(keys, count);
    KEY high = TYPED(greatest_of)(keys, count);
    while (low < high) {
        const KEY middle = (KEY)(low + (high - low) / 2);
        if (TYPED(count_within)(keys, count, middle) >= k) {
            high = middle;
        } else {
            low = (KEY)(middle + 1);
        }
    }
    return low;
}

/* A bound that at least k keys of the first block do not exceed: the k-th of the least keys of lanes,
 * into which the block is dealt. If there are too few for that, one that no key exceeds. */
static KEY TYPED(first_bound)(const KEY *keys, size_t count, size_t k)
{
    KEY least[BLOCK / 2];
    size_t lanes = LEAST_LANES;
    while (lanes < 4 * k && lanes < BLOCK) {
        lanes *= 2;
    }
    if (2 * lanes > count) {
        return KEY_MOST;
    }
    memcpy(least, keys, lanes * sizeof(KEY));
    for (size_t at = lanes; at + lanes <= count; at += lanes) {
        for (size_t i = 0; i < lanes; i++) {
            least[i] = keys[at + i] < least[i] ? keys[at + i] : least[i];
        }
    }
    return TYPED(kth)(least, lanes, k);
}

/* Leaves the k first, and returns the greatest of their keys. */
static KEY TYPED(reduce_to)(struct topk_cpu_candidates *candidates, size_t k)
{
    KEY *keys = candidates->keys;
    uint32_t *indices = candidates->indices;
    const size_t count = candidates->count;
    const KEY most = TYPED(kth)(keys, count, k);
    size_t ties = k - (most == 0 ? 0 : TYPED(count_within)(keys, count, (KEY)(most - 1)));
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const KEY key = keys[i];
        const size_t tie = key == most && ties > 0;
        keys[kept] = key;
        indices[kept] = indices[i];
        kept += (size_t)(key < most) | tie;
        ties -= tie;
    }
    candidates->count = k;
    return most;
}

static void TYPED(reduce)(struct topk_cpu_candidates *candidates, size_t k)
{
    TYPED(reduce_to)(candidates, k);
}

static void TYPED(append)(struct topk_cpu_candidates *candidates, const KEY *keys, size_t count,
                          size_t index, KEY bound)
{
    KEY *to = candidates->keys;
    uint32_t *indices = candidates->indices;
    size_t kept = candidates->count;
    for (size_t i = 0; i < count; i++) {
        to[kept] = keys[i];
        indices[kept] = (uint32_t)(index + i);
        kept += keys[i] <= bound;
    }
    candidates->count = kept;
}

static void TYPED(filter)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                          size_t end, struct topk_cpu_candidates *candidates)
{
    KEY keys[BLOCK];
    const KEY flip = (KEY)task->flip;
    const size_t k = task->k;
    const size_t enough = topk_cpu_enough(k);
    KEY bound = KEY_MOST;
    candidates->count = 0;
    for (size_t at = begin; at < end; at += BLOCK) {
        const unsigned char *from = input + at * task->input_step;
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        if (bound != KEY_MOST && TYPED(least_key)(from, task->input_step, count, flip) > bound) {
            continue;
        }
        TYPED(keys)(from, task->input_step, count, flip, keys);
        if (at == begin) {
            bound = TYPED(first_bound)(keys, count, k);
        }
        for (size_t part = 0; part < count; part += PART) {
            const size_t length = count - part < PART ? count - part : PART;
            if (TYPED(least_of)(keys + part, length) <= bound) {
                TYPED(append)(candidates, keys + part, length, at + part, bound);
            }
        }
        if (candidates->count >= enough) {
            bound = TYPED(reduce_to)(candidates, k);
            /* what comes later goes behind those with the same key */
            if (bound-- == 0) {
                return;
            }
        }
    }
    if (candidates->count > k) {
        TYPED(reduce_to)(candidates, k);
    }
}

static struct topk_cpu_best TYPED(first)(const struct topk_cpu_task *task,
                                         const unsigned char *input, size_t begin, size_t end)
{
    const KEY flip = (KEY)task->flip;
    const size_t step = task->input_step;
    KEY best = KEY_MOST;
    size_t where = begin;
    for (size_t at = begin; at < end && best > 0; at += BLOCK) {
        const size_t count = end - at < BLOCK ? end - at : BLOCK;
        const KEY least = TYPED(least_key)(input + at * step, step, count, flip);
        if (least < best) {
            best = least;
            where = at;
        }
    }
    while (end - where > PART &&
           TYPED(least_key)(input + where * step, step, PART, flip) != best) {
        where += PART;
    }
    while (TYPED(key)(TYPED(load)(input + where * step), flip) != best) {
        where++;
    }
    return (struct topk_cpu_best){best, where};
}
