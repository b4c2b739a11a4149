// Bitonic sort in shared memory: a group sorts a sequence of at most LENGTH elements, filled up to a
// power of two, `padded`, by what comes last.

#define LENGTH 2048

groupshared KEY keys[LENGTH];
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
        keys[i] = LAST_KEY;
        if (i < n) {
            keys[i] = key_at(at, i);
        }
        origin[i] = i;
    }
    for (uint size = 2; size <= padded; size *= 2) {
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            GroupMemoryBarrierWithGroupSync();
            for (uint pair = thread; pair < padded / 2; pair += GROUP) {
                const uint a = 2 * pair - (pair & (distance - 1));
                const uint b = a + distance;
                const KEY key_a = keys[a];
                const KEY key_b = keys[b];
                const uint origin_a = origin[a];
                const uint origin_b = origin[b];
                const bool ascending = (a & size) == 0;
                if (comes_before(key_b, origin_b, key_a, origin_a) == ascending) {
                    keys[a] = key_b;
                    keys[b] = key_a;
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
