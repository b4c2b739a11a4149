// Rank counting by subgroup operations: the invocations of a subgroup load a key each, and hand them
// round. A group serves GROUP elements of one chunk. Subgroups may have any size and need not be
// full: those of their invocations that are there count, and where one stands is of no meaning.
// Vulkan promises that invocations are together at a shuffle only where none of them has branched, so
// keys are compared without branches.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "topk.glsl"
#include "merge.glsl"

uint less(KEY a, KEY b)
{
#if WIDTH == 8
    return uint(a.y < b.y) | (uint(a.y == b.y) & uint(a.x < b.x));
#else
    return uint(a < b);
#endif
}

void count()
{
    const uint parts = (n + GROUP - 1) / GROUP;
    const uint job = group_number();
    const uint slot = job / parts;
    if (is_idle(slot)) {
        return;
    }
    const uint part = (job - slot * parts) * GROUP;
    const uint start = part & ~(CHUNK - 1);
    const uint end = min(start + CHUNK, n);
    const uint i = part + gl_LocalInvocationIndex;
    const uvec3 at = sequence_at(first_sequence + slot);
    const KEY mine = key_at(at, min(i, n - 1));
    const uvec4 lanes = subgroupBallot(true);
    const uint count = subgroupBallotBitCount(lanes);
    const uint number = subgroupBallotExclusiveBitCount(lanes);
    uint before = 0;
    for (uint first = start; first < end; first += count) {
        const KEY loaded = key_at(at, min(first + number, end - 1));
        uint j = first;
        for (uint lane = 0; lane < gl_SubgroupSize && j < end; lane++) {
            if (subgroupBallotBitExtract(lanes, lane)) {
                const KEY other = subgroupShuffle(loaded, lane);
                before += less(other, mine) | ((1 - less(mine, other)) & uint(j < i));
                j++;
            }
        }
    }
    if (i < n) {
        put(slot, at, start + before, i);
    }
}

void main()
{
    if (phase == 0) {
        count();
    } else {
        merge();
    }
}
