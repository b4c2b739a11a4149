// What each invocation sees of its subgroup; probe_subgroup.c puts it together.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#if defined(OPERATIONS)
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif

layout(local_size_x_id = 0) in;

struct Seen
{
    uint size;
    uint subgroup;
    uint lane;
    uint subgroups;
    uvec4 ballot;
    uint before;
    uint shuffled;
    uint sum;
    uint sumBefore;
};

layout(set = 0, binding = 1, std430) writeonly buffer Made
{
    Seen made[];
};

void main()
{
    uint i = gl_LocalInvocationID.x;
    Seen seen;
    seen.size = gl_SubgroupSize;
    seen.subgroup = gl_SubgroupID;
    seen.lane = gl_SubgroupInvocationID;
    seen.subgroups = gl_NumSubgroups;
    seen.ballot = uvec4(0);
    seen.before = 0;
    seen.shuffled = 0;
    seen.sum = 0;
    seen.sumBefore = 0;
#if defined(OPERATIONS)
    uvec4 odd = subgroupBallot((i * 7u & 3u) == 1u);
    seen.ballot = odd;
    seen.before = subgroupBallotExclusiveBitCount(odd);
    seen.shuffled = subgroupShuffle(i * 3u + 1u, gl_SubgroupInvocationID ^ 1u);
    seen.sum = subgroupAdd(i + 1u);
    seen.sumBefore = subgroupExclusiveAdd(i + 1u);
#endif
    made[gl_WorkGroupID.x * gl_WorkGroupSize.x + i] = seen;
}
