// Rank counting: the position of an element is how many come before it. An invocation serves an
// element; nothing is shared and nothing waits, so short sequences fill a group as well as long ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "topk.glsl"

void main()
{
    const uint element = group_number() * GROUP + gl_LocalInvocationIndex;
    const uint sequence = element / n;
    if (sequence >= sequences) {
        return;
    }
    const uint i = element - sequence * n;
    const uvec3 at = sequence_at(sequence);
    const KEY mine = key_at(at, i);
    uint before = 0;
    for (uint j = 0; j < n; j++) {
        before += comes_before(key_at(at, j), j, mine, i) ? 1 : 0;
    }
    if (before < k) {
        write_output(at, before, i);
    }
}
