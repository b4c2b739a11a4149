/* For each type: selects few elements of many. A bound is chosen such that K earlier elements are
 * within it. Parts without a key within the bound are skipped; elements within it become
 * candidates. When there are enough of them, about the first K in order are kept, and the bound
 * decreases. Included like type_keys.h. */

/* How many keys are within a bound. Counts have the type of keys while that suffices. */
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

/* Finds a bound for k of `count` keys, or slightly more, by bisection between the least and the
 * greatest key. Only with equal keys can more be within it; then it is the k-th key. */
static KEY TYPED(bound_for)(const KEY *keys, size_t count, size_t k, size_t *within)
{
    KEY low = TYPED(least_of)(keys, count);
    KEY high = TYPED(greatest_of)(keys, count);
    *within = count;
    while (low<high && * within> k + topk_cpu_few_more(k)) {
        const KEY middle = (KEY)(low + (high - low) / 2);
        const size_t found = TYPED(count_within)(keys, count, middle);
        if (found >= k) {
            high = middle;
            *within = found;
        } else {
            low = (KEY)(middle + 1);
        }
    }
    return high;
}

/* Keeps the first k elements in order, or slightly more, and returns a bound for them. */
static KEY TYPED(reduce_to)(struct topk_cpu_elements *candidates, size_t k)
{
    KEY *keys = candidates->keys;
    uint32_t *indices = candidates->indices;
    const size_t count = candidates->count;
    size_t within;
    const KEY most = TYPED(bound_for)(keys, count, k, &within);
    size_t ties = within;
    if (within > k + topk_cpu_few_more(k)) {
        ties = k - (most == 0 ? 0 : TYPED(count_within)(keys, count, (KEY)(most - 1)));
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const KEY key = keys[i];
        const size_t tie = (key == most) & (ties > 0);
        keys[kept] = key;
        indices[kept] = indices[i];
        kept += (size_t)(key < most) | tie;
        ties -= tie;
    }
    candidates->count = kept;
    return most;
}

static void TYPED(reduce)(struct topk_cpu_elements *candidates, size_t k)
{
    TYPED(reduce_to)(candidates, k);
}

static void TYPED(append)(struct topk_cpu_elements *candidates, const KEY *keys, size_t count,
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

static void TYPED(halve)(const KEY *restrict from, size_t count, KEY *restrict to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[2 * i] < from[2 * i + 1] ? from[2 * i] : from[2 * i + 1];
    }
}

/* Computes the least key of each group of 2, 4, 8 or 16 keys of a block. Returns the buffer with
 * the result, one of two. */
static const KEY *TYPED(leasts)(const KEY *keys, size_t each, KEY *room, KEY *other)
{
    size_t count = BLOCK / 2;
    TYPED(halve)(keys, count, room);
    for (; each > 2; each /= 2) {
        KEY *swap = room;
        count /= 2;
        TYPED(halve)(room, count, other);
        room = other;
        other = swap;
    }
    return room;
}

/* Appends the elements of the first block of keys that are within a bound for k of them, and
 * returns the bound; index: of its first element. */
static KEY TYPED(search)(KEY *keys, size_t count, size_t index, size_t k,
                         struct topk_cpu_elements *candidates)
{
    KEY room[BLOCK / 2];
    KEY other[BLOCK / 4];
    uint16_t hits[BLOCK / 2];
    size_t each = 16;
    while (each > 1 && count / each < 4 * k) {
        each /= 2;
    }
    if (each == 1) {
        TYPED(append)(candidates, keys, count, index, KEY_MOST);
        return KEY_MOST;
    }
    for (size_t i = count; i < BLOCK && i % 16 != 0; i++) {
        keys[i] = KEY_MOST;
    }
    const KEY *leasts = TYPED(leasts)(keys, each, room, other);
    const size_t parts = (count + each - 1) / each;
    size_t within;
    const KEY bound = TYPED(bound_for)(leasts, parts, k, &within);
    size_t found = 0;
    for (size_t i = 0; i < parts; i++) {
        hits[found] = (uint16_t)i;
        found += leasts[i] <= bound;
    }
    for (size_t i = 0; i < found; i++) {
        const size_t at = hits[i] * each;
        TYPED(append)
        (candidates, keys + at, count - at < each ? count - at : each, index + at, bound);
    }
    return bound;
}

static void TYPED(filter)(const struct topk_cpu_task *task, const unsigned char *input,
                          size_t begin, size_t end, struct topk_cpu_elements *candidates)
{
    KEY keys[BLOCK];
    const KEY flip = (KEY)task->flip;
    const size_t step = task->input_step;
    candidates->count = 0;
    size_t count = end - begin < BLOCK ? end - begin : BLOCK;
    TYPED(keys)(input + begin * step, step, count, flip, keys);
    KEY bound = TYPED(search)(keys, count, begin, task->k, candidates);
    for (size_t at = begin + count;; at += count) {
        if (candidates->count >= topk_cpu_enough(task->k)) {
            bound = TYPED(reduce_to)(candidates, task->k);
            /* later elements come after those with the same key */
            if (bound == TYPED(least_possible)(flip)) {
                return;
            }
            bound--;
        }
        at = TYPED(find_within)(task, input, at, end, bound);
        if (at == end) {
            return;
        }
        count = end - at < PART ? end - at : PART;
        TYPED(keys)(input + at * step, step, count, flip, keys);
        TYPED(append)(candidates, keys, count, at, bound);
    }
}

/* ---- The first one --------------------------------------------------------------------------- */

static struct topk_cpu_best TYPED(first)(const struct topk_cpu_task *task,
                                         const unsigned char *input, size_t begin, size_t end)
{
    const KEY flip = (KEY)task->flip;
    const size_t step = task->input_step;
    size_t where = begin;
    size_t count = end - begin < 4 * PART ? end - begin : 4 * PART;
    KEY best = TYPED(least_key)(input + begin * step, step, count, flip);
    for (size_t at = begin + count; at < end && best > TYPED(least_possible)(flip); at += count) {
        at = TYPED(find_within)(task, input, at, end, (KEY)(best - 1));
        if (at < end) {
            where = at;
            count = end - at < PART ? end - at : PART;
            best = TYPED(least_key)(input + at * step, step, count, flip);
        }
    }
    while (TYPED(key)(TYPED(load)(input + where * step), flip) != best) {
        where++;
    }
    return (struct topk_cpu_best){best, where};
}

static void TYPED(write_first)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                               size_t number, size_t index)
{
    const struct topk_cpu_row row = topk_cpu_run_row(run, number);
    memcpy(row.value, row.input + index * task->input_step, sizeof(KEY));
    store_index(task, row.index, (uint32_t)index);
}

/* Short rows: as many as fit into a block. The first half of a row does not depend on the
 * second. */
static void TYPED(firsts_of_few)(const struct topk_cpu_task *task, const struct topk_cpu_run *run)
{
    KEY keys[BLOCK];
    const size_t together = BLOCK / task->length;
    const size_t half = (task->length + 1) / 2;
    for (size_t first = 0; first < run->count; first += together) {
        const size_t count = run->count - first < together ? run->count - first : together;
        TYPED(keys_of_rows)(task, run, first, count, keys);
        const KEY *row = keys;
        for (size_t i = 0; i < count; i++) {
            const KEY *second = row + task->length - half;
            KEY best = row[0];
            KEY other = second[0];
            size_t where = 0;
            size_t other_where = 0;
            for (size_t at = 1; at < half; at++) {
                where = row[at] < best ? at : where;
                best = row[at] < best ? row[at] : best;
                other_where = second[at] < other ? at : other_where;
                other = second[at] < other ? second[at] : other;
            }
            TYPED(write_first)
            (task, run, first + i, other < best ? task->length - half + other_where : where);
            row += task->length;
        }
    }
}

static void TYPED(firsts)(const struct topk_cpu_task *task, const struct topk_cpu_run *run)
{
    if (task->length <= SHORT) {
        TYPED(firsts_of_few)(task, run);
        return;
    }
    for (size_t i = 0; i < run->count; i++) {
        const unsigned char *input = run->first.input + i * run->input_step;
        TYPED(write_first)(task, run, i, TYPED(first)(task, input, 0, task->length).index);
    }
}
