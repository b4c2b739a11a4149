/* The scan of elements of one size (judge_scan.h), written so that compilers vectorize it: one row
 * of TOPK_SCAN_ROW bytes at a time, with results in lanes of the element's width. judge_levels.h
 * includes it for each size and kind, with
 *   SCAN(name)  name ## _KIND, to give the functions unique names
 *   UINT, INT   the integers with the element's size
 *   FLOAT       1 if magnitudes are computed, else 0
 * which it undefines at the end. No include guard, because it is included repeatedly.
 *
 * Conversions to INT assume two's complement, which all compilers implement.
 */

#define LANES (TOPK_SCAN_ROW / sizeof(UINT))
#define SIGN  ((UINT)((UINT)1 << (8 * sizeof(UINT) - 1)))
/* number of rows before a lane's count could overflow; less than 2^16, which suffices */
#define ROWS_MAX (sizeof(UINT) == 1 ? UINT8_MAX : UINT16_MAX)

struct SCAN(lanes) {
    /* counts elements e with (INT)(e - base) > limit; signed, because SSE2 and AVX2 compare signed
     */
    UINT base[LANES];
    INT limit[LANES];
    UINT counted[LANES];
    INT greatest[LANES]; /* magnitude */
    INT least[LANES];    /* magnitude - 1 - SIGN, so that 0 becomes the greatest */
};

/* updates the magnitudes with an element */
#if FLOAT
#define SEE(greatest, least, bits)                                                                 \
    do {                                                                                           \
        const INT magnitude = (INT)(UINT)((bits) & (SIGN - 1));                                    \
        const INT less = (INT)(UINT)((UINT)magnitude + (SIGN - 1));                                \
        (greatest) = (INT)(magnitude > (greatest) ? magnitude : (greatest));                       \
        (least) = (INT)(less < (least) ? less : (least));                                          \
    } while (0)
#else
#define SEE(greatest, least, bits) ((void)(greatest), (void)(least), (void)(bits))
#endif

/* Scans at most ROWS_MAX rows that are `step` apart. The loop ends with != so that GCC vectorizes
 * over lanes instead of rows. Other loops over lanes must not be unrolled, or GCC does not
 * vectorize them. */
ANY_CALLER static void SCAN(rows)(const unsigned char *input, uint64_t step, uint32_t rows,
                                  struct SCAN(lanes) * lanes)
{
    struct SCAN(lanes) here = *lanes;
    const uint64_t end = rows * step;
    for (uint64_t at = 0; at != end; at += step) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            UINT bits;
            memcpy(&bits, input + at + lane * sizeof bits, sizeof bits);
            here.counted[lane] = (UINT)(here.counted[lane] +
                                        ((INT)(UINT)(bits - here.base[lane]) > here.limit[lane]));
            SEE(here.greatest[lane], here.least[lane], bits);
        }
    }
    *lanes = here;
}

static void SCAN(start)(struct SCAN(lanes) * lanes)
{
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        lanes->greatest[lane] = 0;
        lanes->least[lane] = (INT)(SIGN - 1);
    }
}

/* a range in the form in which lanes compare with it */
struct SCAN(aim) {
    UINT base;
    INT limit;
};

static struct SCAN(aim) SCAN(aim_at)(struct topk_scan_range range)
{
    return (struct SCAN(aim)){(UINT)(range.first + SIGN), (INT)(UINT)(range.span ^ SIGN)};
}

/* scans consecutive rows, which are all early or all late; returns how many elements count */
static uint32_t SCAN(run)(struct SCAN(lanes) * lanes, const struct topk_scan *scan,
                          const unsigned char *data, uint32_t rows, bool early)
{
    const struct SCAN(aim) aim = SCAN(aim_at)(early ? scan->early : scan->late);
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        lanes->base[lane] = aim.base;
        lanes->limit[lane] = aim.limit;
    }
    uint32_t counted = 0;
    for (uint32_t left = rows; left > 0;) {
        const uint32_t taken = left < ROWS_MAX ? left : ROWS_MAX;
#pragma GCC unroll 1
        for (uint32_t lane = 0; lane < LANES; lane++) {
            lanes->counted[lane] = 0;
        }
        SCAN(rows)(data, TOPK_SCAN_ROW, taken, lanes);
#pragma GCC unroll 1
        for (uint32_t lane = 0; lane < LANES; lane++) {
            counted += (uint32_t)lanes->counted[lane];
        }
        data += (uint64_t)taken * TOPK_SCAN_ROW;
        left -= taken;
    }
    return early ? rows * (uint32_t)LANES - counted : counted;
}

/* scans one row whose first `early` lanes are early; returns how many elements count. It updates
 * the magnitudes of one lane. */
static uint32_t SCAN(run_one)(const struct topk_scan *scan, const unsigned char *restrict data,
                              uint32_t early, INT *restrict greatest, INT *restrict least)
{
    const struct SCAN(aim) first = SCAN(aim_at)(scan->early);
    const struct SCAN(aim) then = SCAN(aim_at)(scan->late);
    const UINT of_early = (UINT)early;
    UINT count = 0;
    UINT number = 0; /* number of the lane, in the width of the elements */
    INT most = *greatest;
    INT fewest = *least;
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++, number++) {
        const bool is_early = number < of_early;
        const UINT base = is_early ? first.base : then.base;
        const INT limit = (INT)(is_early ? first.limit : then.limit);
        UINT bits;
        memcpy(&bits, data + lane * sizeof bits, sizeof bits);
        count = (UINT)(count + (((INT)(UINT)(bits - base) > limit) != is_early));
        SEE(most, fewest, bits);
    }
    *greatest = most;
    *least = fewest;
    return (uint32_t)count;
}

/* the same for less than a row */
static uint32_t SCAN(rest)(const struct topk_scan *scan, const unsigned char *data, uint32_t length,
                           uint32_t early, INT *greatest, INT *least)
{
    UINT row[LANES];
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        row[lane] = (UINT)scan->last; /* a late element that does not count */
    }
    memcpy(row, data, length * sizeof(UINT));
    return SCAN(run_one)(scan, (const unsigned char *)row, early, greatest, least);
}

/* the same for any number of elements, the first `early` of which are early */
static uint32_t SCAN(stretch)(struct SCAN(lanes) * lanes, const struct topk_scan *scan,
                              const unsigned char *data, uint32_t length, uint32_t early)
{
    const uint32_t rows = length / LANES;
    const uint32_t rest = length % LANES;
    const uint32_t mixed = early / LANES; /* the row in which the early elements end */
    uint32_t count = 0;
    if (mixed > 0) {
        count += SCAN(run)(lanes, scan, data, mixed, true);
    }
    if (mixed < rows) {
        count += SCAN(run_one)(scan, data + (uint64_t)mixed * TOPK_SCAN_ROW, early % LANES,
                               &lanes->greatest[0], &lanes->least[0]);
    }
    if (mixed + 1 < rows) {
        count += SCAN(run)(lanes, scan, data + (uint64_t)(mixed + 1) * TOPK_SCAN_ROW,
                           rows - mixed - 1, false);
    }
    if (rest > 0) {
        count +=
            SCAN(rest)(scan, data + (uint64_t)rows * TOPK_SCAN_ROW, rest,
                       mixed < rows ? 0 : early % LANES, &lanes->greatest[0], &lanes->least[0]);
    }
    return count;
}

/* four at a time, without dependencies between them */
static void SCAN(gather)(UINT *restrict to, const unsigned char *restrict from, uint64_t step,
                         uint32_t count)
{
    uint32_t i = 0;
    for (; count - i >= 4; i += 4) {
        memcpy(&to[i], from + i * step, sizeof to[i]);
        memcpy(&to[i + 1], from + (i + 1) * step, sizeof to[i]);
        memcpy(&to[i + 2], from + (i + 2) * step, sizeof to[i]);
        memcpy(&to[i + 3], from + (i + 3) * step, sizeof to[i]);
    }
    for (; i < count; i++) {
        memcpy(&to[i], from + i * step, sizeof to[i]);
    }
}

static void SCAN(magnitudes)(struct topk_scan *scan, INT greatest, INT least)
{
    scan->greatest = (UINT)greatest;
    scan->least = (UINT)((UINT)least - (SIGN - 1));
}

static void SCAN(sequence)(const unsigned char *input, uint64_t step, uint32_t length,
                           struct topk_scan *scan)
{
    INT greatest = 0;
    INT least = (INT)(SIGN - 1);
    if (step == sizeof(UINT) && length <= LANES) {
        scan->count = length < LANES
                          ? SCAN(rest)(scan, input, length, scan->after, &greatest, &least)
                          : SCAN(run_one)(scan, input, scan->after, &greatest, &least);
        SCAN(magnitudes)(scan, greatest, least);
        return;
    }
    struct SCAN(lanes) lanes;
    SCAN(start)(&lanes);
    if (step == sizeof(UINT)) {
        scan->count = SCAN(stretch)(&lanes, scan, input, length, scan->after);
    } else {
        UINT block[32 * LANES];
        const uint32_t most = sizeof block / sizeof block[0];
        uint32_t count = 0;
        uint32_t early = scan->after;
        for (uint32_t from = 0; from < length;) {
            const uint32_t taken = length - from < most ? length - from : most;
            SCAN(gather)(block, input + from * step, step, taken);
            const uint32_t of_these = early < taken ? early : taken;
            count += SCAN(stretch)(&lanes, scan, (const unsigned char *)block, taken, of_these);
            early -= of_these;
            from += taken;
        }
        scan->count = count;
    }
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        greatest = (INT)(lanes.greatest[lane] > greatest ? lanes.greatest[lane] : greatest);
        least = (INT)(lanes.least[lane] < least ? lanes.least[lane] : least);
    }
    SCAN(magnitudes)(scan, greatest, least);
}

/* Scans at most ROWS_MAX rows from `from` on, without a lane that changes from early to late;
 * returns where it ended. */
static uint32_t SCAN(columns_run)(struct SCAN(lanes) * lanes, const unsigned char *input,
                                  uint64_t step, uint32_t from, uint32_t length,
                                  struct topk_scan *scans)
{
    uint32_t to = length - from > ROWS_MAX ? from + ROWS_MAX : length;
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct topk_scan *scan = &scans[lane];
        const bool early = from < scan->after;
        const struct SCAN(aim) aim = SCAN(aim_at)(early ? scan->early : scan->late);
        to = early && scan->after < to ? scan->after : to;
        lanes->base[lane] = aim.base;
        lanes->limit[lane] = aim.limit;
        lanes->counted[lane] = 0;
    }
    SCAN(rows)(input + from * step, step, to - from, lanes);
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t counted = (uint32_t)lanes->counted[lane];
        scans[lane].count += from < scans[lane].after ? to - from - counted : counted;
    }
    return to;
}

static void SCAN(columns)(const unsigned char *input, uint64_t step, uint32_t length,
                          struct topk_scan *scans)
{
    struct SCAN(lanes) lanes;
    SCAN(start)(&lanes);
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        scans[lane].count = 0;
    }
    for (uint32_t at = 0; at < length;) {
        at = SCAN(columns_run)(&lanes, input, step, at, length, scans);
    }
#pragma GCC unroll 1
    for (uint32_t lane = 0; lane < LANES; lane++) {
        SCAN(magnitudes)(&scans[lane], lanes.greatest[lane], lanes.least[lane]);
    }
}

#undef LANES
#undef SEE
#undef SIGN
#undef ROWS_MAX
#undef SCAN
#undef UINT
#undef INT
#undef FLOAT
