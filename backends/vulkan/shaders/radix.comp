// Stable radix sort from the lowest digit up: a group sorts a chunk. What moves is the index of an
// element, between the chunk's parts of the two halves of the slot's memory; keys are made anew from
// the input. A thread serves a run of neighbours, in order, which keeps ties in order. With SELECT only
// what is among the first k is sorted.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "topk.glsl"
#include "merge.glsl"
#include "radix.glsl"
#if SELECT
#include "select.glsl"
#endif

void sort()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint chunks = chunk_count();
    const uint slot = group_number() / chunks;
    if (is_idle(slot)) {
        return;
    }
    const uint start = (group_number() - slot * chunks) * CHUNK;
    const uint memory = slot_memory(slot) + start;
    const uvec3 at = sequence_at(first_sequence + slot);
    uint count = min(CHUNK, n - start);
#if SELECT
    select(thread, at, start, count, memory);
    count = min(count, k);
#endif
    const uint run = (count + GROUP - 1) / GROUP;
    const uint workers = (count + run - 1) / run;
    const uint bins = bins_of(thread, workers);
    const uint first = min(thread * run, count);
    const uint end = min(first + run, count);
    LOOP (uint digit = 0; digit < DIGITS; digit++) {
        const uint from = memory + (digit & 1) * n;
        const uint to = memory + (~digit & 1) * n;
        LOOP (uint i = 0; i < bins; i++) {
            counts[i * workers + thread] = 0;
        }
        for (uint i = first; i < end; i++) {
            const uint element = digit == 0 && SELECT == 0 ? start + i : SCRATCH[from + i];
            counts[digit_of(key_at(at, element), digit) * workers + thread] += 1;
        }
        counts_to_starts(thread, workers);
        for (uint i = first; i < end; i++) {
            const uint element = digit == 0 && SELECT == 0 ? start + i : SCRATCH[from + i];
            const uint bin = digit_of(key_at(at, element), digit) * workers + thread;
            const uint position = counts[bin];
            counts[bin] = position + 1;
            SCRATCH[to + position] = element;
        }
        scratch_barrier();
    }
    // of several chunks, each is where merge() wants it
    for (uint position = thread; last != 0 && position < k; position += GROUP) {
        write_output(at, position, SCRATCH[memory + position]);
    }
}

void main()
{
    if (phase == 0) {
        sort();
    } else {
        merge();
    }
}
