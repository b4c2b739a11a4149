/* The fast path of the judge for one element type: included by judge.c once a type, with
 *   EXACT(name)  name ## _TYPE, to give the functions names of their own
 *   UINT         the unsigned integer of the element's size
 *   KEY(bits)    its order key, of type UINT
 *   SEEN(bits)   SEEN_... flags of an element
 * all of which it undefines again. No include guard: it is meant to be included repeatedly. */

/* Counts the elements from..to-1 whose key, flipped so that more is better, is above a bound, or
 * equal to it if ties count. Inlined with a constant step it becomes vector code. */
static inline uint32_t EXACT(count)(const unsigned char *input, uint64_t step, uint32_t from,
                                    uint32_t to, UINT flip, UINT bound, bool ties, UINT *seen)
{
    uint32_t above = 0;
    uint32_t equal = 0;
    UINT seen_here = 0;
    for (uint32_t i = from; i < to; i++) {
        UINT bits;
        memcpy(&bits, input + i * step, sizeof bits);
        UINT key = (UINT)(KEY(bits) ^ flip);
        above += key > bound;
        equal += key == bound;
        seen_here |= (UINT)SEEN(bits);
    }
    *seen |= seen_here;
    return ties ? above + equal : above;
}

static bool EXACT(holds)(const struct topk_sequence *s, unsigned *seen_out)
{
    const UINT flip = s->increasing ? (UINT) ~(UINT)0 : (UINT)0;
    UINT last = 0;
    uint64_t last_index = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t index = load_index(s, j);
        if (index >= s->length) {
            return false;
        }
        UINT value;
        UINT named;
        memcpy(&value, s->value + j * s->value_step, sizeof value);
        memcpy(&named, s->input + index * s->input_step, sizeof named);
        UINT key = (UINT)(KEY(value) ^ flip);
        bool comes_after = key < last || (key == last && index > last_index);
        if (value != named || (j > 0 && !comes_after)) {
            return false;
        }
        last = key;
        last_index = index;
    }
    uint32_t after = (uint32_t)last_index + 1;
    UINT seen = 0;
    uint32_t inside;
    if (s->input_step == sizeof(UINT)) {
        inside = EXACT(count)(s->input, sizeof(UINT), 0, after, flip, last, true, &seen) +
                 EXACT(count)(s->input, sizeof(UINT), after, s->length, flip, last, false, &seen);
    } else {
        inside = EXACT(count)(s->input, s->input_step, 0, after, flip, last, true, &seen) +
                 EXACT(count)(s->input, s->input_step, after, s->length, flip, last, false, &seen);
    }
    *seen_out = (unsigned)seen;
    return (seen & SEEN_NAN) == 0 && inside == s->k;
}

#undef EXACT
#undef UINT
#undef KEY
#undef SEEN
