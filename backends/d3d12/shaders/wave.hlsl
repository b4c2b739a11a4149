// Rank counting by wave operations: the lanes of a wave load a key each, and hand them round. A group
// serves GROUP elements of one sequence. GROUP is a multiple of every size that a wave can have (4 to
// 128), so no wave has missing lanes; where a lane stands in the group is of no meaning.

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    const uint chunks = (n + GROUP - 1) / GROUP;
    const uint job = group.y * groups_x + group.x;
    const uint sequence = job / chunks;
    if (sequence >= sequences) {
        return;
    }
    const uint i = (job - sequence * chunks) * GROUP + thread;
    const uint3 at = sequence_at(sequence);
    const KEY mine = key_at(at, min(i, n - 1));
    const uint lanes = WaveGetLaneCount();
    const uint lane = WaveGetLaneIndex();
    uint before = 0;
    for (uint first = 0; first < n; first += lanes) {
        const KEY loaded = key_at(at, min(first + lane, n - 1));
        const uint count = min(lanes, n - first);
        for (uint l = 0; l < count; l++) {
            before += comes_before(WaveReadLaneAt(loaded, l), first + l, mine, i) ? 1 : 0;
        }
    }
    if (i < n && before < k) {
        write_output(at, before, i);
    }
}
