// Stable radix sort from the lowest digit up: a group sorts a sequence of any length. What moves is
// the index of an element, between two halves of the group's slot of the scratch memory; keys are
// made anew from the input. A thread serves a run of neighbours, in order, which keeps ties in order.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "topk.glsl"
#include "radix.glsl"

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint slot = group_number();
    if (slot >= slots) {
        return;
    }
    const uint memory = scratch_base / 4 + slot * 2 * n;
    const uint run = (n + GROUP - 1) / GROUP;
    const uint first = min(thread * run, n);
    const uint end = min(first + run, n);
    for (uint sequence = slot; sequence < sequences; sequence += slots) {
        const uvec3 at = sequence_at(sequence);
        LOOP (uint digit = 0; digit < DIGITS; digit++) {
            const uint from = memory + (digit & 1) * n;
            const uint to = memory + (~digit & 1) * n;
            LOOP (uint i = 0; i < BINS; i++) {
                counts[i * GROUP + thread] = 0;
            }
            for (uint i = first; i < end; i++) {
                const uint element = digit == 0 ? i : SCRATCH[from + i];
                counts[digit_of(key_at(at, element), digit) * GROUP + thread] += 1;
            }
            counts_to_starts(thread);
            for (uint i = first; i < end; i++) {
                const uint element = digit == 0 ? i : SCRATCH[from + i];
                const uint count = digit_of(key_at(at, element), digit) * GROUP + thread;
                const uint position = counts[count];
                counts[count] = position + 1;
                SCRATCH[to + position] = element;
            }
            memoryBarrierBuffer();
            barrier();
        }
        for (uint position = thread; position < k; position += GROUP) {
            write_output(at, position, SCRATCH[memory + position]);
        }
        // before the next sequence takes the memory
        memoryBarrierBuffer();
        barrier();
    }
}
