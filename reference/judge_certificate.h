/* Checks the outputs of a sequence, for elements of one size and kind. judge_levels.h includes it
 * for each, with
 *   SCAN(name)         name ## _KIND, to give the function a unique name
 *   UINT               the unsigned integer with the element's size
 *   KEY(bits, origin)  the order key of an element, of type UINT
 * No include guard, because it is included repeatedly.
 */

/* outputs that are checked together: loops over a whole chunk are vectorized */
#define CHUNK 256

/* an output, to be compared with the next one */
struct SCAN(output) {
    UINT bits;
    UINT key; /* a greater key comes earlier */
    uint32_t index;
};

/* whether output j is the element that it names, and comes after the previous output */
static inline bool SCAN(next)(const struct topk_sequence *s, uint32_t j, UINT origin, UINT turn,
                              struct SCAN(output) * last)
{
    const uint64_t index = load_index(s, j);
    if (index >= s->length) {
        return false;
    }
    UINT value;
    UINT named;
    memcpy(&value, s->value + j * s->value_step, sizeof value);
    memcpy(&named, s->input + index * s->input_step, sizeof named);
    const UINT key = (UINT)(KEY(value, origin) ^ turn);
    const bool after = j == 0 || key < last->key || (key == last->key && index > last->index);
    *last = (struct SCAN(output)){value, key, (uint32_t)index};
    return value == named && after;
}

/* the same for a chunk from output j > 0 on */
static bool SCAN(next_chunk)(const struct topk_sequence *s, uint32_t j, UINT origin, UINT turn,
                             struct SCAN(output) * last)
{
    uint32_t indices[CHUNK + 1]; /* starts with that of the previous output */
    UINT keys[CHUNK + 1];
    UINT values[CHUNK];
    UINT named[CHUNK];
    uint32_t wrong = 0;
    load_indices(s, j, CHUNK, &indices[1]);
    for (uint32_t i = 1; i <= CHUNK; i++) {
        wrong |= indices[i] >= s->length;
    }
    if (wrong != 0) {
        return false;
    }
    for (uint32_t i = 0; i < CHUNK; i++) {
        memcpy(&named[i], s->input + indices[i + 1] * s->input_step, sizeof named[i]);
    }
    if (s->value_step == sizeof(UINT)) {
        memcpy(values, s->value + (uint64_t)j * sizeof(UINT), sizeof values);
    } else {
        for (uint32_t i = 0; i < CHUNK; i++) {
            memcpy(&values[i], s->value + (j + i) * s->value_step, sizeof values[i]);
        }
    }
    keys[0] = last->key;
    indices[0] = last->index;
    for (uint32_t i = 0; i < CHUNK; i++) {
        keys[i + 1] = (UINT)(KEY(values[i], origin) ^ turn);
        wrong |= values[i] != named[i];
    }
    for (uint32_t i = 0; i < CHUNK; i++) {
        wrong |=
            (keys[i + 1] > keys[i]) | ((keys[i + 1] == keys[i]) & (indices[i + 1] <= indices[i]));
    }
    *last = (struct SCAN(output)){values[CHUNK - 1], keys[CHUNK], indices[CHUNK]};
    return wrong == 0;
}

/* the same for outputs j..end-1, with indices of the given size; packed: all steps are the sizes of
 * the elements */
static inline bool SCAN(next_few)(const struct topk_sequence *s, uint32_t j, uint32_t end,
                                  uint32_t index_bytes, bool packed, UINT origin, UINT turn,
                                  struct SCAN(output) * last)
{
    struct topk_sequence here = *s; /* a copy, which stays in registers */
    here.index_bytes = index_bytes;
    if (packed) {
        here.input_step = sizeof(UINT);
        here.value_step = sizeof(UINT);
        here.index_step = index_bytes;
    }
    bool hold = true;
    for (; hold && j < end; j++) {
        hold = SCAN(next)(&here, j, origin, turn, last);
    }
    return hold;
}

static bool SCAN(outputs)(const struct topk_sequence *s, uint64_t origin, struct topk_output *last)
{
    const UINT turn = s->increasing ? (UINT) ~(UINT)0 : (UINT)0;
    struct SCAN(output) output = {0};
    bool hold = SCAN(next)(s, 0, (UINT)origin, turn, &output);
    uint32_t j = 1;
    for (; hold && s->k - j >= CHUNK; j += CHUNK) {
        hold = SCAN(next_chunk)(s, j, (UINT)origin, turn, &output);
    }
    /* sizes and steps that the compiler knows */
    const bool packed = s->input_step == sizeof(UINT) && s->value_step == sizeof(UINT) &&
                        s->index_step == s->index_bytes;
    if (s->index_bytes == 4 && packed) {
        hold = hold && SCAN(next_few)(s, j, s->k, 4, true, (UINT)origin, turn, &output);
    } else if (s->index_bytes == 4) {
        hold = hold && SCAN(next_few)(s, j, s->k, 4, false, (UINT)origin, turn, &output);
    } else {
        hold = hold && SCAN(next_few)(s, j, s->k, 8, packed, (UINT)origin, turn, &output);
    }
    *last = (struct topk_output){output.bits, output.index};
    return hold;
}

#undef CHUNK
#undef KEY
