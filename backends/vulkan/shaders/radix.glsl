// What the radix sorts share: the digits of keys, and the counts of a workgroup. It comes after
// topk.glsl.

#define BINS 16
#define DIGITS (2 * WIDTH)

// Only the first `workers` of a group's threads have elements, all but the last a whole run of them; the
// others do no more than wait. So short sequences cost little.

shared uint counts[BINS * GROUP]; // of a digit in a worker's run: counts[digit * workers + thread]
shared uint sums[GROUP];

// The bins that a thread has to look after.
uint bins_of(uint thread, uint workers)
{
    return thread < workers ? BINS : 0;
}

// All of a group have done what comes before it, and see what the others wrote to shared and scratch
// memory; barrier() says nothing of the latter.
void scratch_barrier()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
}

uint digit_of(KEY key, uint digit)
{
#if WIDTH == 8
    return bitfieldExtract(digit < 8 ? key.x : key.y, int(digit & 7) * 4, 4);
#else
    return bitfieldExtract(key, int(digit) * 4, 4);
#endif
}

// The sum of `mine` of the workers before this one. All of the group call it. Each adds for itself:
// that takes one barrier, and those are dear on some devices.
uint sum_before(uint thread, uint workers, uint mine)
{
    sums[thread] = mine;
    barrier();
    const uint end = thread < workers ? thread : 0;
    uint before = 0;
    LOOP (uint i = 0; i < end; i++) {
        before += sums[i];
    }
    return before;
}

// Turns the counts into where each worker's elements of each digit start.
void counts_to_starts(uint thread, uint workers)
{
    barrier();
    const uint first = thread * BINS;
    const uint bins = bins_of(thread, workers);
    uint sum = 0;
    LOOP (uint i = 0; i < bins; i++) {
        sum += counts[first + i];
    }
    uint start = sum_before(thread, workers, sum);
    LOOP (uint i = 0; i < bins; i++) {
        const uint count = counts[first + i];
        counts[first + i] = start;
        start += count;
    }
    barrier();
}
