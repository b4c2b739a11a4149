// Bitonic sort in shared memory: a group sorts a chunk, filled up to a power of two, `padded`, by what
// comes last; or side by side as many short sequences as keep all of its threads busy. ../schedule.c
// has the same number.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "topk.glsl"
#include "merge.glsl"

shared KEY keys[CHUNK];
shared uint origin[CHUNK];

void sort()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint together = max(2 * GROUP / padded, 1);
    const uint chunks = chunk_count();
    const uint first = group_number() * together;
    if (is_idle(first / chunks)) {
        return;
    }
    const uint total = together * padded;
    for (uint i = thread; i < total; i += GROUP) {
        const uint slot = (first + i / padded) / chunks;
        const uint chunk = (first + i / padded) - slot * chunks;
        const uint element = chunk * padded + (i & (padded - 1));
        keys[i] = LAST_KEY;
        if (element < n && !is_idle(slot)) {
            keys[i] = key_at(sequence_at(first_sequence + slot), element);
        }
        origin[i] = element;
    }
    for (uint size = 2; size <= padded; size *= 2) {
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            barrier();
            for (uint pair = thread; pair < total / 2; pair += GROUP) {
                const uint a = 2 * pair - (pair & (distance - 1));
                const uint b = a + distance;
                const KEY key_a = keys[a];
                const KEY key_b = keys[b];
                const uint origin_a = origin[a];
                const uint origin_b = origin[b];
                const bool ascending = (a & (padded - 1) & size) == 0;
                if (comes_before(key_b, origin_b, key_a, origin_a) == ascending) {
                    keys[a] = key_b;
                    keys[b] = key_a;
                    origin[a] = origin_b;
                    origin[b] = origin_a;
                }
            }
        }
    }
    barrier();
    for (uint i = thread; i < total; i += GROUP) {
        const uint slot = (first + i / padded) / chunks;
        const uint chunk = (first + i / padded) - slot * chunks;
        const uint place = chunk * padded + (i & (padded - 1));
        if (place < n && !is_idle(slot)) {
            put(slot, sequence_at(first_sequence + slot), place, origin[i]);
        }
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
