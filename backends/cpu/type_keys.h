/* For each type: the keys of elements. kernels_level.h includes this for each type, with
 *   TYPED(name)    a name specific to this type
 *   KEY, KEY_BITS  the unsigned integer type of keys
 *   KEY_INFINITY   the bits of +infinity; 0 for integers
 */

#define KEY_MOST ((KEY) ~(KEY)0)
#define KEY_NAN  ((KEY)(2 * (KEY)KEY_INFINITY + 1))

/* A float consists of sign and magnitude. Its key is its distance from -infinity, so that -0 and +0
 * have the same key, and, by wrapping around, NaNs of either sign are above +infinity. These
 * operations can neither flush a denormal nor quiet a NaN. */
static inline KEY TYPED(above)(KEY bits)
{
#if KEY_INFINITY
    const KEY negative = (KEY)(0 - (bits >> (KEY_BITS - 1)));
    const KEY magnitude = (KEY)(bits & (KEY_MOST >> 1));
    bits = (KEY)((KEY)((KEY)(magnitude ^ negative) - negative) + (KEY)KEY_INFINITY);
#endif
    return bits;
}

static inline KEY TYPED(key)(KEY bits, KEY flip)
{
    bits = TYPED(above)(bits);
#if KEY_INFINITY
    bits = bits < KEY_NAN ? bits : KEY_NAN;
#endif
    return (KEY)(bits ^ flip);
}

/* No key is less. */
static inline KEY TYPED(least_possible)(KEY flip)
{
    return KEY_INFINITY != 0 && flip != 0 ? (KEY)(KEY_NAN ^ flip) : 0;
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

/* How to tell whether elements are within a bound, which is at least the least possible key. This
 * takes less than their keys: NaNs need not become equal. Signed integers are compared, because
 * more processors can do that. */
struct TYPED(probe) {
    KEY turn;
    SIGNED_KEY most;
};

static struct TYPED(probe) TYPED(probe_for)(KEY bound, KEY flip)
{
    const KEY sign = (KEY) ~(KEY_MOST >> 1);
    if (KEY_INFINITY && flip == 0 && bound >= KEY_NAN) {
        bound = KEY_MOST;
    }
    return (struct TYPED(probe)){(KEY)(flip ^ sign), (SIGNED_KEY)(bound ^ sign)};
}

static inline bool TYPED(any_within)(const unsigned char *from, size_t step, size_t count,
                                     struct TYPED(probe) probe)
{
#if KEY_BITS == 64 && defined(__SSE2__) && !defined(__SSE4_2__)
    /* These processors cannot compare 64-bit integers in vectors: the sign of `any` becomes that of
     * whether `most` minus an element has no borrow. */
    const KEY sign = (KEY)1 << (KEY_BITS - 1);
    const KEY not_most = (KEY) ~((KEY)probe.most ^ sign);
    const KEY turn = probe.turn ^ sign;
    KEY any = 0;
    if (not_most >= sign) {
        for (size_t i = 0; i < count; i++) {
            const KEY key = TYPED(load)(from + i * step) ^ turn;
            any |= ~key & (not_most + key);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            const KEY key = TYPED(load)(from + i * step) ^ turn;
            any |= ~(key & ~(not_most + key));
        }
    }
    return any >= sign;
#else
    KEY any = 0;
    for (size_t i = 0; i < count; i++) {
        const KEY above = TYPED(above)(TYPED(load)(from + i * step));
        any |= (KEY)((SIGNED_KEY)(above ^ probe.turn) <= probe.most);
    }
    return any != 0;
#endif
}

/* The first part of the elements from `at` to `end` with any within the bound, or `end`. The parts
 * of packed elements have loops of their own, because only these are vectorized. */
static size_t TYPED(find_within)(const struct topk_cpu_task *task, const unsigned char *input,
                                 size_t at, size_t end, KEY bound)
{
    const struct TYPED(probe) probe = TYPED(probe_for)(bound, (KEY)task->flip);
    const size_t step = task->input_step;
    if (step == sizeof(KEY)) {
        while (SCANNED > PART && end - at >= SCANNED &&
               !TYPED(any_within)(input + at * sizeof(KEY), sizeof(KEY), SCANNED, probe)) {
            at += SCANNED;
        }
        while (end - at >= PART &&
               !TYPED(any_within)(input + at * sizeof(KEY), sizeof(KEY), PART, probe)) {
            at += PART;
        }
    }
    while (at < end) {
        const size_t count = end - at < PART ? end - at : PART;
        if (TYPED(any_within)(input + at * step, step, count, probe)) {
            return at;
        }
        at += count;
    }
    return end;
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
