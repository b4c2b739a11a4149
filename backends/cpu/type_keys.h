/* For each type: the keys of elements. kernels_level.h includes this for each type, with
 *   TYPED(name)    a name specific to this type
 *   KEY, KEY_BITS  the unsigned integer type of keys
 *   KEY_INFINITY   the bits of +infinity; 0 for integers
 */

#define KEY_MOST ((KEY) ~(KEY)0)

/* A float consists of sign and magnitude. Its key is its distance from -infinity, so that -0 and +0
 * have the same key, and, by wrapping around, NaNs of either sign are above +infinity. These
 * operations can neither flush a denormal nor quiet a NaN. */
static inline KEY TYPED(key)(KEY bits, KEY flip)
{
#if KEY_INFINITY
    const KEY nan = (KEY)(2 * (KEY)KEY_INFINITY + 1);
    const KEY negative = (KEY)(0 - (bits >> (KEY_BITS - 1)));
    const KEY magnitude = (KEY)(bits & (KEY_MOST >> 1));
    const KEY above = (KEY)((KEY)((KEY)(magnitude ^ negative) - negative) + (KEY)KEY_INFINITY);
    bits = above < nan ? above : nan;
#endif
    return (KEY)(bits ^ flip);
}

/* memcpy because memory may be unaligned */
static inline KEY TYPED(load)(const unsigned char *from)
{
    KEY bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

/* Computes keys at a given step. Packed elements have a separate loop, because only that is
 * vectorized. */
static void TYPED(keys)(const unsigned char *restrict from, size_t step, size_t count, KEY flip,
                        KEY *restrict keys)
{
    if (step == sizeof(KEY)) {
        for (size_t i = 0; i < count; i++) {
            keys[i] = TYPED(key)(TYPED(load)(from + i * sizeof(KEY)), flip);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = TYPED(key)(TYPED(load)(from + i * step), flip);
    }
}

static KEY TYPED(least_key)(const unsigned char *restrict from, size_t step, size_t count, KEY flip)
{
    KEY least = KEY_MOST;
    if (step == sizeof(KEY)) {
        for (size_t i = 0; i < count; i++) {
            const KEY key = TYPED(key)(TYPED(load)(from + i * sizeof(KEY)), flip);
            least = key < least ? key : least;
        }
        return least;
    }
    for (size_t i = 0; i < count; i++) {
        const KEY key = TYPED(key)(TYPED(load)(from + i * step), flip);
        least = key < least ? key : least;
    }
    return least;
}

static KEY TYPED(least_of)(const KEY *keys, size_t count)
{
    KEY least = KEY_MOST;
    for (size_t i = 0; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
    }
    return least;
}

static KEY TYPED(greatest_of)(const KEY *keys, size_t count)
{
    KEY greatest = 0;
    for (size_t i = 0; i < count; i++) {
        greatest = keys[i] > greatest ? keys[i] : greatest;
    }
    return greatest;
}

/* Computes the keys of `count` rows of a run, row by row. */
static void TYPED(keys_of_rows)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                                size_t first, size_t count, KEY *keys)
{
    const size_t length = task->length;
    const unsigned char *from = run->first.input + first * run->input_step;
    if (task->input_step == sizeof(KEY) && run->input_step == length * sizeof(KEY)) {
        TYPED(keys)(from, sizeof(KEY), length * count, (KEY)task->flip, keys);
        return;
    }
    for (size_t row = 0; row < count; row++) {
        TYPED(keys)
        (from + row * run->input_step, task->input_step, length, (KEY)task->flip,
         keys + row * length);
    }
}

/* Packs rows whose elements are far apart: reads adjacent bytes together. */
static void TYPED(pack)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                        unsigned char *packed)
{
    const size_t row_bytes = task->length * sizeof(KEY);
    for (size_t first = 0; first < run->count; first += PACKED_ROWS) {
        const size_t count = run->count - first < PACKED_ROWS ? run->count - first : PACKED_ROWS;
        const unsigned char *from = run->first.input + first * run->input_step;
        unsigned char *to = packed + first * row_bytes;
        for (size_t i = 0; i < task->length; i++) {
            for (size_t row = 0; row < count; row++) {
                memcpy(to + row * row_bytes + i * sizeof(KEY),
                       from + row * run->input_step + i * task->input_step, sizeof(KEY));
            }
        }
    }
}
