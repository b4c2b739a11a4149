// Sequences longer than a chunk: each chunk is sorted by itself, in phase 0, and in each phase after it
// pairs of neighbouring runs become one, until the last phase has the whole. What moves is the index
// of an element, between two halves of a slot of the scratch memory: 2 * n indices. A sequence of one
// chunk has phase 0 only, which is its last, and wants no memory. ../schedule.c has the same numbers.
// It comes after topk.glsl.

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

// An invocation serves an element: its place is how many come before it in its own run and, which a
// binary search tells, in the other one of the pair. Of a run only its first k count.
void merge()
{
    const uint number = group_number() * GROUP + gl_LocalInvocationIndex;
    const uint slot = number / n;
    if (is_idle(slot)) {
        return;
    }
    const uint place = number - slot * n;
    const uint run = CHUNK << (phase - 1);
    const uint mine = place & ~(run - 1);
    if (place - mine >= k) {
        return;
    }
    const uint from = slot * 2 * n + (~phase & 1) * n;
    const uvec3 at = sequence_at(first_sequence + slot);
    const uint i = SCRATCH[from + place];
    const KEY key = key_at(at, i);
    const uint other = min(mine ^ run, n);
    uint low = other;
    uint high = min(other + min(run, k), n);
    while (low < high) {
        const uint middle = (low + high) / 2;
        const uint j = SCRATCH[from + middle];
        if (comes_before(key_at(at, j), j, key, i)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    put(slot, at, (mine & ~run) + (place - mine) + (low - other), i);
}
