/* How long the cases of an earlier run took, by bucket, and shards that are balanced by it. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "log.h"

/* ---- costs as text --------------------------------------------------------------------------- */

#define HEAD "topk-costs 1\n"
/* Largest number of microseconds in a bucket, so that the sum of all buckets does not overflow. */
#define COST_MAX (UINT64_MAX / TOPK_SHARD_BUCKETS)

void topk_shard_costs_write(FILE *out, const struct topk_shard_costs *costs)
{
    fputs(HEAD, out);
    for (uint32_t i = 0; i < TOPK_SHARD_BUCKETS; i++) {
        if (costs->microseconds[i] > 0) {
            fprintf(out, "%" PRIu32 " %" PRIu64 "\n", i, costs->microseconds[i]);
        }
    }
}

/* Parses "BUCKET MICROSECONDS\n". A number is accepted only in the form in which we write it. */
static bool parse_line(const char *line, uint32_t *bucket, uint64_t *microseconds)
{
    char again[64];
    char *end;
    const unsigned long long first = strtoull(line, &end, 10);
    const unsigned long long second = strtoull(end, NULL, 10);
    snprintf(again, sizeof again, "%llu %llu\n", first, second);
    *bucket = (uint32_t)first;
    *microseconds = second;
    return strcmp(line, again) == 0 && first < TOPK_SHARD_BUCKETS && second > 0 &&
           second <= COST_MAX;
}

/* Reads the file after its first line. */
static bool read_text(struct topk_shard_costs *costs, FILE *file, const char *path, char *error,
                      size_t error_bytes)
{
    char line[64];
    uint32_t least = 0;
    for (uint32_t number = 2; fgets(line, sizeof line, file) != NULL; number++) {
        uint32_t bucket;
        uint64_t microseconds;
        if (!parse_line(line, &bucket, &microseconds) || bucket < least) {
            snprintf(error, error_bytes,
                     "%s:%" PRIu32 ": this is not a line of costs, a bucket above the last one and "
                     "below %u, and its microseconds",
                     path, number, TOPK_SHARD_BUCKETS);
            return false;
        }
        costs->microseconds[bucket] = microseconds;
        least = bucket + 1;
    }
    return true;
}

/* ---- costs of a log -------------------------------------------------------------------------- */

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct topk_shard_costs *costs = context;
    const uint32_t bucket = topk_shard_bucket(record->id, strlen(record->id));
    uint64_t *sum = &costs->microseconds[bucket];
    const uint64_t own = record->nanoseconds / 1000 + 1;
    *sum = own > COST_MAX - *sum ? COST_MAX : *sum + own;
    return true;
}

int topk_shard_costs_of(struct topk_shard_costs *costs, const struct topk_log_source *log,
                        char *error, size_t error_bytes)
{
    const struct topk_log_reader reader = {.context = costs, .record = take_record};
    memset(costs, 0, sizeof *costs);
    return topk_log_read_source(log, &reader, error, error_bytes);
}

static bool digest(struct topk_shard_costs *costs, char *error, size_t error_bytes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    snprintf(error, error_bytes, "out of memory");
    if (out == NULL) {
        return false;
    }
    topk_shard_costs_write(out, costs);
    const bool ok = fclose(out) == 0;
    if (ok) {
        topk_sha256_print(text, size, costs->digest);
    }
    free(text);
    return ok;
}

bool topk_shard_costs_read(struct topk_shard_costs *costs, const char *path, char *error,
                           size_t error_bytes)
{
    char head[sizeof HEAD] = "";
    const struct topk_log_source log = {.path = path};
    bool some = false;
    memset(costs, 0, sizeof *costs);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(error, error_bytes, "cannot open %s: %s", path, strerror(errno));
        return false;
    }
    const bool text = fgets(head, sizeof head, file) != NULL && strcmp(head, HEAD) == 0;
    bool ok = !text || read_text(costs, file, path, error, error_bytes);
    if (ferror(file) != 0) {
        snprintf(error, error_bytes, "cannot read %s: %s", path, strerror(errno));
        ok = false;
    }
    fclose(file);
    ok = ok && (text || topk_shard_costs_of(costs, &log, error, error_bytes) >= 0);
    for (size_t i = 0; i < TOPK_SHARD_BUCKETS; i++) {
        some = some || costs->microseconds[i] > 0;
    }
    if (ok && !some) {
        snprintf(error, error_bytes, "%s has no costs", path);
    }
    return ok && some && digest(costs, error, error_bytes);
}

/* ---- distributing buckets to shards
 * ------------------------------------------------------------ */

struct pile {
    uint64_t microseconds;
    uint32_t bucket;
};

static int dearest_first(const void *a, const void *b)
{
    const struct pile *x = a;
    const struct pile *y = b;
    if (x->microseconds != y->microseconds) {
        return x->microseconds < y->microseconds ? 1 : -1;
    }
    return x->bucket < y->bucket ? -1 : 1;
}

bool topk_shard_costs_deal(const struct topk_shard_costs *costs, uint32_t shards,
                           uint16_t of[TOPK_SHARD_BUCKETS])
{
    struct pile *piles = calloc(TOPK_SHARD_BUCKETS, sizeof *piles);
    uint64_t *sums = calloc(shards, sizeof *sums);
    const bool ok = piles != NULL && sums != NULL;
    for (uint32_t i = 0; ok && i < TOPK_SHARD_BUCKETS; i++) {
        piles[i] = (struct pile){costs->microseconds[i], i};
    }
    if (ok) {
        qsort(piles, TOPK_SHARD_BUCKETS, sizeof *piles, dearest_first);
    }
    for (uint32_t i = 0; ok && i < TOPK_SHARD_BUCKETS; i++) {
        uint32_t least = 0;
        for (uint32_t j = 1; j < shards; j++) {
            least = sums[j] < sums[least] ? j : least;
        }
        of[piles[i].bucket] = (uint16_t)(piles[i].microseconds == 0 ? 0 : least + 1);
        sums[least] += piles[i].microseconds;
    }
    free(piles);
    free(sums);
    return ok;
}
