// Bitonic sort in shared memory: a group sorts a sequence of at most LENGTH elements, filled up to a
// power of two, `padded`, by what comes last; or side by side as many short ones as keep all of its
// threads busy. ../schedule.c has the same number.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "topk.glsl"

// "longest" in ../shaders.def: with these, keys and origins take 16 KiB at most
#if WIDTH == 8
#define LENGTH 1024
#else
#define LENGTH 2048
#endif

shared KEY keys[LENGTH];
shared uint origin[LENGTH];

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint together = max(2 * GROUP / padded, 1);
    const uint first = group_number() * together;
    if (first >= sequences) {
        return;
    }
    const uint total = together * padded;
    for (uint i = thread; i < total; i += GROUP) {
        const uint sequence = first + i / padded;
        const uint element = i & (padded - 1);
        keys[i] = LAST_KEY;
        if (element < n && sequence < sequences) {
            keys[i] = key_at(sequence_at(sequence), element);
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
        const uint sequence = first + i / padded;
        const uint position = i & (padded - 1);
        if (position < k && sequence < sequences) {
            write_output(sequence_at(sequence), position, origin[i]);
        }
    }
}
