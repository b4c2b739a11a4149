// What the radix sorts share: the digits of keys, and the counts of a workgroup. It comes after
// topk.glsl.

#define BINS 16
#define DIGITS (2 * WIDTH)

shared uint counts[BINS * GROUP]; // of a digit in a thread's run: counts[digit * GROUP + thread]
shared uint sums[GROUP];

uint digit_of(KEY key, uint digit)
{
#if WIDTH == 8
    return bitfieldExtract(digit < 8 ? key.x : key.y, int(digit & 7) * 4, 4);
#else
    return bitfieldExtract(key, int(digit) * 4, 4);
#endif
}

// The sum of `mine` of the threads before this one. All of the group call it. Each adds for itself:
// that takes one barrier, and those are dear on some devices.
uint sum_before(uint thread, uint mine)
{
    sums[thread] = mine;
    barrier();
    uint before = 0;
    LOOP (uint i = 0; i < thread; i++) {
        before += sums[i];
    }
    return before;
}

// Turns the counts into where each thread's elements of each digit start.
void counts_to_starts(uint thread)
{
    barrier();
    const uint first = thread * BINS;
    uint sum = 0;
    LOOP (uint i = 0; i < BINS; i++) {
        sum += counts[first + i];
    }
    uint start = sum_before(thread, sum);
    LOOP (uint i = 0; i < BINS; i++) {
        const uint count = counts[first + i];
        counts[first + i] = start;
        start += count;
    }
    barrier();
}
