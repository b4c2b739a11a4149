// Workgroups: that each runs once, sees what its others wrote, and what the dispatch before wrote; and
// that a loop turns as often as it says.
// probe_group.c computes the same.
#version 450
layout(local_size_x_id = 0) in;
#if defined(BUFFER)
#define TARGET coherent buffer Target
#else
#define TARGET buffer Target
#endif
layout(set = 0, binding = 1, std430) TARGET
{
    uint target[];
};
layout(push_constant) uniform Push
{
    uint pass;
    uint count;
};

#if defined(SHARED) || defined(BUFFER)
#if defined(SHARED)
shared uint row[1024];
#define ROW(i) row[i]

void meet()
{
    barrier();
}
#else
#define ROW(i) target[gl_WorkGroupID.x * gl_WorkGroupSize.x + (i)]

void meet()
{
    memoryBarrierBuffer();
    barrier();
    memoryBarrierBuffer();
}
#endif

void main()
{
    uint n = gl_WorkGroupSize.x;
    uint i = gl_LocalInvocationID.x;
    uint value = (gl_WorkGroupID.x * n + i) * 2654435761u;
    for (uint round = 0; round < 32; round++) {
        ROW(i) = value;
        meet();
        value = value * 5u + ROW((i * 7u + round * 13u + 1u) % n);
        meet();
    }
    target[gl_WorkGroupID.x * n + i] = value;
}
#elif defined(CHAIN)
void main()
{
    uint from = (pass & 1u) * count;
    uint to = count - from;
    uint i = gl_GlobalInvocationID.x;
    target[to + i] = target[from + i] * 3u + target[from + (i * 17u + pass * 101u + 1u) % count];
}
#elif defined(TICKETS)
void main()
{
    // a ticket of all, and a place in what was counted
    uint ticket = atomicAdd(target[0], 1u);
    if (ticket < count) {
        atomicAdd(target[1u + ticket], gl_GlobalInvocationID.x + 1u);
    }
}
#elif defined(TURNS)
void main()
{
    uint value = gl_GlobalInvocationID.x;
    for (uint turn = 0; turn < count; turn++) {
        value = value * 1664525u + turn;
    }
    target[gl_GlobalInvocationID.x] = value;
}
#else
void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group < count) {
        atomicAdd(target[group], 1u);
    }
}
#endif
