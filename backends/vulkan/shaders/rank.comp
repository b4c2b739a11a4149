// Rank counting: the place of an element is how many come before it. An invocation serves an element;
// nothing is shared and nothing waits, so short sequences fill a group as well as long ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "topk.glsl"
#include "merge.glsl"

void count()
{
    const uint element = group_number() * GROUP + gl_LocalInvocationIndex;
    const uint slot = element / n;
    if (is_idle(slot)) {
        return;
    }
    const uint i = element - slot * n;
    const uint first = i & ~(CHUNK - 1);
    const uint end = min(first + CHUNK, n);
    const uvec3 at = sequence_at(first_sequence + slot);
    const KEY mine = key_at(at, i);
    uint before = 0;
    for (uint j = first; j < end; j++) {
        before += comes_before(key_at(at, j), j, mine, i) ? 1 : 0;
    }
    put(slot, at, first + before, i);
}

void main()
{
    if (phase == 0) {
        count();
    } else {
        merge();
    }
}
