// Rank counting: the position of an element is how many come before it. A thread serves an element;
// nothing is shared and nothing waits, so short sequences fill a group as well as long ones.

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    const uint element = (group.y * groups_x + group.x) * GROUP + thread;
    const uint sequence = element / n;
    if (sequence >= sequences) {
        return;
    }
    const uint i = element - sequence * n;
    const uint3 at = sequence_at(sequence);
    const KEY mine = key_at(at, i);
    uint before = 0;
    for (uint j = 0; j < n; j++) {
        before += comes_before(key_at(at, j), j, mine, i) ? 1 : 0;
    }
    if (before < k) {
        write_output(at, before, i);
    }
}
