// Stable radix sort from the lowest digit up: a group sorts a sequence of any length. What moves is
// the index of an element, between two halves of the group's slot of the scratch memory; keys are
// made anew from the input. A thread serves a run of neighbours, in order, which keeps ties in order.

#define BINS 16
#define DIGITS (2 * WIDTH)

groupshared uint counts[BINS * GROUP]; // of a digit in a thread's run: counts[digit * GROUP + thread]
groupshared uint sums[GROUP];

uint digit_of(KEY key, uint digit)
{
#if WIDTH == 8
    return ((digit < 8 ? key.x : key.y) >> (4 * (digit & 7))) & (BINS - 1);
#else
    return (key >> (4 * digit)) & (BINS - 1);
#endif
}

// Turns the counts into where each thread's elements of each digit start.
void counts_to_starts(uint thread)
{
    const uint first = thread * BINS;
    uint sum = 0;
    uint i;
    for (i = 0; i < BINS; i++) {
        sum += counts[first + i];
    }
    sums[thread] = sum;
    GroupMemoryBarrierWithGroupSync();
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        const uint other = thread >= distance ? sums[thread - distance] : 0;
        GroupMemoryBarrierWithGroupSync();
        sums[thread] += other;
        GroupMemoryBarrierWithGroupSync();
    }
    uint start = sums[thread] - sum;
    for (i = 0; i < BINS; i++) {
        const uint count = counts[first + i];
        counts[first + i] = start;
        start += count;
    }
    GroupMemoryBarrierWithGroupSync();
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    const uint slot = group.y * groups_x + group.x;
    if (slot >= slots) {
        return;
    }
    const uint half_bytes = n * 4;
    const uint memory = scratch_base + slot * 2 * half_bytes;
    const uint run = (n + GROUP - 1) / GROUP;
    const uint first = min(thread * run, n);
    const uint end = min(first + run, n);
    for (uint sequence = slot; sequence < sequences; sequence += slots) {
        const uint3 at = sequence_at(sequence);
        for (uint digit = 0; digit < DIGITS; digit++) {
            const uint from = memory + (digit & 1) * half_bytes;
            const uint to = memory + (~digit & 1) * half_bytes;
            uint i;
            for (i = 0; i < BINS; i++) {
                counts[i * GROUP + thread] = 0;
            }
            for (i = first; i < end; i++) {
                const uint element = digit == 0 ? i : scratch.Load(from + i * 4);
                counts[digit_of(key_at(at, element), digit) * GROUP + thread] += 1;
            }
            GroupMemoryBarrierWithGroupSync();
            counts_to_starts(thread);
            for (i = first; i < end; i++) {
                const uint element = digit == 0 ? i : scratch.Load(from + i * 4);
                const uint count = digit_of(key_at(at, element), digit) * GROUP + thread;
                const uint position = counts[count];
                counts[count] = position + 1;
                scratch.Store(to + position * 4, element);
            }
            AllMemoryBarrierWithGroupSync();
        }
        for (uint position = thread; position < k; position += GROUP) {
            write_output(at, position, scratch.Load(memory + position * 4));
        }
    }
}
