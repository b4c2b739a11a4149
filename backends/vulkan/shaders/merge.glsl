// Sequences longer than a chunk: each chunk is sorted by itself, in phase 0, and in each phase after it
// pairs of neighbouring runs become one, until the last phase has the whole. What moves is the index
// of an element, between two halves of a slot of the scratch memory: 2 * n indices. A sequence of one
// chunk has phase 0 only, which is its last, and wants no memory. ../schedule.c has the same numbers.
// It comes after topk.glsl.

// It divides every CHUNK.
#define PART 16

uint chunk_count()
{
    return (n + CHUNK - 1) / CHUNK;
}

// Whether a slot has no sequence, for the dispatch is larger than what there is to do.
bool is_idle(uint slot)
{
    return slot >= slots || first_sequence + slot >= sequences;
}

// Where a slot has what this phase makes.
uint slot_memory(uint slot)
{
    return slot * 2 * n + (phase & 1) * n;
}

// Hands over element i, which comes to a place of the sequence in this phase.
void put(uint slot, uvec3 at, uint place, uint i)
{
    if (last == 0) {
        SCRATCH[slot_memory(slot) + place] = i;
    } else if (place < k) {
        write_output(at, place, i);
    }
}

// Whether the element at one place of the scratch memory comes before that at another.
bool in_order(uvec3 at, uint place, uint other)
{
    const uint i = SCRATCH[place];
    const uint j = SCRATCH[other];
    return comes_before(key_at(at, i), i, key_at(at, j), j);
}

// An invocation makes PART neighbours of what a pair becomes: a binary search tells how many of the
// elements before them are from the first run, a, and how many from the second, b (merge path). Of a
// run, as of what a pair becomes, only the first k count.
void merge()
{
    const uint parts = (n + PART - 1) / PART;
    const uint number = group_number() * GROUP + gl_LocalInvocationIndex;
    const uint slot = number / parts;
    if (is_idle(slot)) {
        return;
    }
    const uint place = (number - slot * parts) * PART;
    const uint run = CHUNK << (phase - 1);
    const uint start = place & ~(2 * run - 1);
    const uint end_a = min(min(run, n - start), k);
    const uint end_b = min(min(run, n - min(start + run, n)), k);
    const uint first = place - start;
    const uint end = min(min(first + PART, end_a + end_b), k);
    if (first >= end) {
        return;
    }
    const uvec3 at = sequence_at(first_sequence + slot);
    const uint from_a = slot * 2 * n + (~phase & 1) * n + start;
    const uint from_b = from_a + run;
    uint a = first - min(first, end_b);
    uint high = min(first, end_a);
    while (a < high) {
        const uint middle = (a + high) / 2;
        if (in_order(at, from_a + middle, from_b + first - 1 - middle)) {
            a = middle + 1;
        } else {
            high = middle;
        }
    }
    uint b = first - a;
    for (uint i = first; i < end; i++) {
        const bool from_first =
            b == end_b || (a < end_a && in_order(at, from_a + a, from_b + b));
        put(slot, at, start + i, SCRATCH[from_first ? from_a + a : from_b + b]);
        a += from_first ? 1 : 0;
        b += from_first ? 0 : 1;
    }
}
