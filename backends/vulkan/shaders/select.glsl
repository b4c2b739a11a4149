// Radix select: of a chunk, the elements that are among its first k, found by their digits from the
// highest down, each counted only among the elements that the digits before it leave open. It comes
// after radix.glsl.

shared uint bins[BINS];

// The digits of a key from one up, in the order of keys.
KEY digits_from(KEY key, uint digit)
{
#if WIDTH == 8
    const uvec2 low = min(uvec2(digit, digit - min(digit, 8)), uvec2(8));
    return uvec2(low.x == 8 ? 0 : key.x >> 4 * low.x << 4 * low.x,
                 low.y == 8 ? 0 : key.y >> 4 * low.y << 4 * low.y);
#else
    return bitfieldExtract(key, int(4 * digit), int(4 * (DIGITS - digit)));
#endif
}

// Such digits and the one below them.
KEY with_digit(KEY digits, uint digit, uint value)
{
#if WIDTH == 8
    return digits | (digit < 8 ? uvec2(value << 4 * digit, 0) : uvec2(0, value << 4 * (digit - 8)));
#else
    return digits << 4 | value;
#endif
}

// Writes which of `count` elements from `start` on are selected, by ascending index, to scratch memory.
// All of the group call it.
void select(uint thread, uvec3 at, uint start, uint count, uint memory)
{
    const uint run = (count + GROUP - 1) / GROUP;
    const uint workers = (count + run - 1) / run;
    const uint first = min(thread * run, count);
    const uint end = min(first + run, count);
    KEY bound = KEY(0);
    uint digit = DIGITS;
    // elements whose digits from `digit` up are those of the bound, and how many of them are selected
    uint open = count;
    uint wanted = min(k, count);
    while (digit > 0 && wanted < open) {
        digit--;
        LOOP (uint bin = thread; bin < BINS; bin += GROUP) {
            bins[bin] = 0;
        }
        barrier();
        for (uint i = first; i < end; i++) {
            const KEY key = key_at(at, start + i);
            if (digits_from(key, digit + 1) == bound) {
                atomicAdd(bins[digit_of(key, digit)], 1);
            }
        }
        barrier();
        uint bin = 0;
        LOOP (; bin < BINS - 1 && wanted > bins[bin]; bin++) {
            wanted -= bins[bin];
        }
        open = bins[bin];
        bound = with_digit(bound, digit, bin);
        barrier();
    }
    uint lower = 0;
    uint equal = 0;
    for (uint i = first; i < end; i++) {
        const KEY key = digits_from(key_at(at, start + i), digit);
        lower += precedes(key, bound) ? 1 : 0;
        equal += key == bound ? 1 : 0;
    }
    uint place = sum_before(thread, workers, lower);
    barrier();
    // of equal ones those with the lowest indices
    uint before = sum_before(thread, workers, equal);
    place += min(before, wanted);
    for (uint i = first; i < end; i++) {
        const KEY key = digits_from(key_at(at, start + i), digit);
        const bool is_equal = key == bound;
        if (precedes(key, bound) || (is_equal && before < wanted)) {
            SCRATCH[memory + place] = start + i;
            place++;
        }
        before += is_equal ? 1 : 0;
    }
    scratch_barrier();
}
