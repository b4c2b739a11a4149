// Stable radix sort, as in radix.comp, of a sequence by as many groups as it has chunks. Groups wait
// for each other only between dispatches, so each digit takes three, or, with one chunk, only the last:
//   phase 0  counts the digit in each chunk
//   phase 1  turns the counts of a sequence's chunks into where each chunk's elements start
//   phase 2  moves the indices
// and after the last digit phase 3 writes the outputs. ../schedule.c has the same numbers.
//
// A slot of the scratch memory: two times n indices, then BINS counts for each chunk, digit by digit.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "topk.glsl"
#include "radix.glsl"

// Elements that a thread serves. A group that waits is dear to begin with on some devices.
#define RUN 64

// from where a digit starts in the sorted chunk to where the chunk's part of it goes
shared uint moves[BINS];

// Groups that so many elements take.
uint groups_of(uint elements)
{
    return (elements + GROUP * RUN - 1) / (GROUP * RUN);
}

uint chunk_count()
{
    return groups_of(n);
}

// Those of a chunk's threads that have a run.
uint workers_of(uint chunk)
{
    return (min(n - chunk * GROUP * RUN, GROUP * RUN) + RUN - 1) / RUN;
}

uint slot_memory(uint slot)
{
    return slot * (2 * n + BINS * chunk_count());
}

// The element at a place of the order by the digits before this one.
uint element_at(uint memory, uint place)
{
    return digit == 0 ? place : SCRATCH[memory + (digit & 1) * n + place];
}

void count_digits(uint thread, uvec3 at, uint memory, uint chunk)
{
    const uint workers = workers_of(chunk);
    const uint bins = bins_of(thread, workers);
    const uint first = min((chunk * GROUP + thread) * RUN, n);
    const uint end = min(first + RUN, n);
    LOOP (uint i = 0; i < bins; i++) {
        counts[i * workers + thread] = 0;
    }
    for (uint i = first; i < end; i++) {
        counts[digit_of(key_at(at, element_at(memory, i)), digit) * workers + thread] += 1;
    }
    barrier();
}

void write_counts(uint thread, uint memory, uint chunk)
{
    const uint workers = workers_of(chunk);
    LOOP (uint bin = thread; bin < BINS; bin += GROUP) {
        uint sum = 0;
        for (uint i = 0; i < workers; i++) {
            sum += counts[bin * workers + i];
        }
        SCRATCH[memory + 2 * n + bin * chunk_count() + chunk] = sum;
    }
}

void scan_counts(uint thread, uint memory)
{
    const uint total = BINS * chunk_count();
    const uint run = (total + GROUP - 1) / GROUP;
    const uint begin = memory + 2 * n;
    const uint first = begin + min(thread * run, total);
    const uint end = min(first + run, begin + total);
    uint sum = 0;
    for (uint i = first; i < end; i++) {
        sum += SCRATCH[i];
    }
    uint start = sum_before(thread, GROUP, sum);
    for (uint i = first; i < end; i++) {
        const uint count = SCRATCH[i];
        SCRATCH[i] = start;
        start += count;
    }
}

void move(uint thread, uvec3 at, uint memory, uint chunk)
{
    const uint first = min((chunk * GROUP + thread) * RUN, n);
    const uint end = min(first + RUN, n);
    const uint to = memory + (~digit & 1) * n;
    const uint workers = workers_of(chunk);
    counts_to_starts(thread, workers);
    LOOP (uint bin = thread; bin < BINS; bin += GROUP) {
        moves[bin] = 0;
        if (chunk_count() > 1) {
            moves[bin] =
                SCRATCH[memory + 2 * n + bin * chunk_count() + chunk] - counts[bin * workers];
        }
    }
    barrier();
    for (uint i = first; i < end; i++) {
        const uint element = element_at(memory, i);
        const uint bin = digit_of(key_at(at, element), digit);
        const uint position = counts[bin * workers + thread];
        counts[bin * workers + thread] = position + 1;
        SCRATCH[to + moves[bin] + position] = element;
    }
}

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint parts = phase == 1 ? 1 : phase == 3 ? groups_of(k) : chunk_count();
    const uint group = group_number();
    const uint slot = group / parts;
    const uint part = group - slot * parts;
    const uint sequence = first_sequence + slot;
    if (slot >= slots || sequence >= sequences) {
        return;
    }
    const uvec3 at = sequence_at(sequence);
    const uint memory = slot_memory(slot);
    if (phase == 1) {
        scan_counts(thread, memory);
    } else if (phase < 3) {
        count_digits(thread, at, memory, part);
        if (phase == 0) {
            write_counts(thread, memory, part);
        } else {
            move(thread, at, memory, part);
        }
    } else {
        const uint end = min((part + 1) * GROUP * RUN, k);
        for (uint position = part * GROUP * RUN + thread; position < end; position += GROUP) {
            write_output(at, position, SCRATCH[memory + position]);
        }
    }
}
