// Bitonic sort in shared memory: a group sorts a sequence of at most LENGTH elements, filled up to a
// power of two, `padded`, by what comes last.

#define LENGTH 2048

// 64-bit integers are shared as halves: not every runtime takes them whole.
#if INT64
#define SHARED_KEY uint2
#else
#define SHARED_KEY KEY
#endif

SHARED_KEY to_shared(KEY key)
{
#if INT64
    return uint2(uint(key), uint(key >> 32));
#else
    return key;
#endif
}

KEY from_shared(SHARED_KEY key)
{
#if INT64
    return (uint64_t(key.y) << 32) | key.x;
#else
    return key;
#endif
}

groupshared SHARED_KEY keys[LENGTH];
groupshared uint origin[LENGTH];

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    const uint sequence = group.y * groups_x + group.x;
    if (sequence >= sequences) {
        return;
    }
    const uint3 at = sequence_at(sequence);
    for (uint i = thread; i < padded; i += GROUP) {
        keys[i] = to_shared(LAST_KEY);
        if (i < n) {
            keys[i] = to_shared(key_at(at, i));
        }
        origin[i] = i;
    }
    for (uint size = 2; size <= padded; size *= 2) {
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            GroupMemoryBarrierWithGroupSync();
            for (uint pair = thread; pair < padded / 2; pair += GROUP) {
                const uint a = 2 * pair - (pair & (distance - 1));
                const uint b = a + distance;
                const KEY key_a = from_shared(keys[a]);
                const KEY key_b = from_shared(keys[b]);
                const uint origin_a = origin[a];
                const uint origin_b = origin[b];
                const bool ascending = (a & size) == 0;
                if (comes_before(key_b, origin_b, key_a, origin_a) == ascending) {
                    keys[a] = to_shared(key_b);
                    keys[b] = to_shared(key_a);
                    origin[a] = origin_b;
                    origin[b] = origin_a;
                }
            }
        }
    }
    GroupMemoryBarrierWithGroupSync();
    for (uint position = thread; position < k; position += GROUP) {
        write_output(at, position, origin[position]);
    }
}
