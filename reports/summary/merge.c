/* Merges shards: first their headers are compared, then the logs are read in the order of the
 * shards and their records are copied unchanged. */
#define _POSIX_C_SOURCE 200809L /* strdup, mkstemp, getline */

#include "merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

/* One shard. */
struct part {
    const char *path;
    char *facts[TOPK_FACT_COUNT]; /* owned by this structure */
    char *started;                /* owned by this structure */
    uint64_t seed, total;
    uint32_t level, backend_level, flags;
    uint32_t shard, shards; /* 0 if there is no log or it has no header */
    enum topk_shard_rule rule;
    char *costs; /* owned by this structure */
    bool ended;  /* it was read, and has an end record */
    bool no_memory;
};

struct merge {
    struct part *parts; /* in the order of the shards */
    size_t count;       /* number of parts with a header */
    size_t at;          /* the part being read */
    const char *dir;
    const struct topk_merge_watch *watch;
    struct topk_log *log;
    unsigned char *seen; /* one bit per case number */
    /* Lines that come after the cases, in a file without a name; NULL if there are none. */
    FILE *later;
    uint64_t recorded;
    uint64_t totals[TOPK_VERDICT_COUNT];
    struct topk_probe *probes;
    size_t probe_count;
    struct topk_log_parts things; /* the things that were tested */
    bool refused, failed;
    char *error;
    size_t error_bytes;
};

/* ---- the headers ----------------------------------------------------------------------------- */

static bool take_part(void *context, const struct topk_log_header *header)
{
    struct part *part = context;
    part->seed = header->seed;
    part->level = header->level;
    part->backend_level = header->backend.level;
    part->flags = header->backend.flags;
    part->total = header->shard_total;
    part->shard = header->shard;
    part->shards = header->shards;
    part->rule = header->shard_rule;
    part->costs = strdup(header->shard_costs);
    part->started = strdup(header->started);
    part->no_memory =
        !topk_facts_take(part->facts, header) || part->started == NULL || part->costs == NULL;
    return false;
}

static int by_shard(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    if (x->shard == 0 || y->shard == 0) {
        return (x->shard == 0) - (y->shard == 0); /* those without a log come last */
    }
    return x->shard < y->shard ? -1 : x->shard > y->shard;
}

/* Returns whether a part belongs to the same run as the first; if not, the reason is in error. */
static bool agrees(const struct part *first, const struct part *part, char *error,
                   size_t error_bytes)
{
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        if (i != TOPK_FACT_SHARD && strcmp(first->facts[i], part->facts[i]) != 0) {
            snprintf(error, error_bytes, "%s:1: its %s is '%.150s', and that of %s is '%.150s'",
                     part->path, topk_fact_name((enum topk_fact)i), part->facts[i], first->path,
                     first->facts[i]);
            return false;
        }
    }
    if (part->shards != first->shards || part->total != first->total) {
        snprintf(error, error_bytes,
                 "%s:1: it is one of %" PRIu32 " shards of %" PRIu64 " cases, and %s of %" PRIu32
                 " of %" PRIu64,
                 part->path, part->shards, part->total, first->path, first->shards, first->total);
        return false;
    }
    if (part->rule != first->rule || strcmp(part->costs, first->costs) != 0) {
        snprintf(error, error_bytes,
                 "%s:1: its cases were divided by %s%s%.12s, and those of %s by %s%s%.12s",
                 part->path, topk_shard_rule_word(part->rule), part->costs[0] == 0 ? "" : " ",
                 part->costs, first->path, topk_shard_rule_word(first->rule),
                 first->costs[0] == 0 ? "" : " ", first->costs);
        return false;
    }
    if (part->level != first->level || part->backend_level != first->backend_level ||
        part->flags != first->flags) {
        snprintf(error, error_bytes,
                 "%s:1: its feature levels and flags are 0x%" PRIx32 ", 0x%" PRIx32 ", 0x%" PRIx32
                 ", and those of %s are 0x%" PRIx32 ", 0x%" PRIx32 ", 0x%" PRIx32,
                 part->path, part->level, part->backend_level, part->flags, first->path,
                 first->level, first->backend_level, first->flags);
        return false;
    }
    if (part->seed != first->seed) {
        snprintf(error, error_bytes, "%s:1: its seed is %" PRIu64 ", and that of %s is %" PRIu64,
                 part->path, part->seed, first->path, first->seed);
        return false;
    }
    return true;
}

/* Returns whether a file is missing or has no line yet. */
static bool is_absent(const char *path)
{
    struct stat status;
    char *either = topk_log_at(path); /* it may have been compressed in the meantime */
    const bool there = either == NULL || stat(either, &status) == 0;
    const bool absent =
        there ? either != NULL && S_ISREG(status.st_mode) && status.st_size == 0 : errno == ENOENT;
    free(either);
    return absent;
}

static enum topk_merge_status read_headers(struct merge *merge)
{
    const size_t given = merge->count;
    for (size_t i = 0; i < given; i++) {
        struct part *part = &merge->parts[i];
        const struct topk_log_reader reader = {.context = part, .header = take_part};
        if (is_absent(part->path)) {
            merge->count--;
            continue;
        }
        if (topk_log_read(part->path, &reader, merge->error, merge->error_bytes) != 0) {
            return TOPK_MERGE_FAILED;
        }
        if (part->no_memory) {
            topk_memory_fail();
            snprintf(merge->error, merge->error_bytes, "out of memory");
            return TOPK_MERGE_FAILED;
        }
        if (part->shards == 0) {
            snprintf(merge->error, merge->error_bytes, "%s:1: this is not a shard of a run",
                     part->path);
            return TOPK_MERGE_REFUSED;
        }
    }
    qsort(merge->parts, given, sizeof *merge->parts, by_shard);
    if (merge->count == 0) {
        snprintf(merge->error, merge->error_bytes,
                 "none of the shards has a log: %s is missing or empty", merge->parts[0].path);
        return TOPK_MERGE_REFUSED;
    }
    for (size_t i = 1; i < merge->count; i++) {
        const struct part *part = &merge->parts[i];
        if (!agrees(&merge->parts[0], part, merge->error, merge->error_bytes)) {
            return TOPK_MERGE_REFUSED;
        }
        if (part->shard == part[-1].shard) {
            snprintf(merge->error, merge->error_bytes,
                     "%s:1: it is shard %" PRIu32 ", and so is %s", part->path, part->shard,
                     part[-1].path);
            return TOPK_MERGE_REFUSED;
        }
    }
    return TOPK_MERGE_WHOLE;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static const struct part *part_of(const struct merge *merge)
{
    return &merge->parts[merge->at];
}

static bool refuse(struct merge *merge)
{
    merge->refused = true;
    return false;
}

static bool no_memory(struct merge *merge)
{
    topk_memory_fail();
    snprintf(merge->error, merge->error_bytes, "out of memory");
    merge->failed = true;
    return false;
}

/* the log gave the reason */
static bool cannot_write(struct merge *merge)
{
    snprintf(merge->error, merge->error_bytes, "%s", topk_log_error(merge->log));
    merge->failed = true;
    return false;
}

/* Makes the header of the merged log when the first shard is read. */
static bool take_header(void *context, const struct topk_log_header *header)
{
    struct merge *merge = context;
    struct topk_log_header whole = *header;
    if (merge->at > 0) {
        return true;
    }
    whole.cases = header->shard_total;
    whole.merged = header->shards;
    whole.shard = whole.shards = 0;
    whole.shard_total = 0;
    for (size_t i = 1; i < merge->count; i++) {
        if (strcmp(merge->parts[i].started, whole.started) < 0) {
            whole.started = merge->parts[i].started;
        }
    }
    merge->log = topk_log_create_whole(merge->dir, &whole, merge->error, merge->error_bytes);
    merge->failed = merge->log == NULL;
    if (!merge->failed && merge->watch->header != NULL) {
        merge->watch->header(merge->watch->context, &whole);
    }
    return !merge->failed;
}

/* Opens a file in the log's folder, where there is space for it, and removes its name at once. */
static FILE *open_later(const struct merge *merge)
{
    char *path = topk_text_make("%s/.topk-cts.XXXXXX", merge->dir);
    const int fd = path == NULL ? -1 : mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
    if (fd >= 0) {
        unlink(path);
    }
    if (fd >= 0 && file == NULL) {
        close(fd);
    }
    free(path);
    return file;
}

static bool later_failed(struct merge *merge)
{
    snprintf(merge->error, merge->error_bytes, "cannot write a file in %s: %s", merge->dir,
             strerror(errno));
    merge->failed = true;
    return false;
}

static bool keep_later(struct merge *merge, const char *body, size_t length)
{
    if (merge->later == NULL) {
        merge->later = open_later(merge);
    }
    return (merge->later != NULL && fwrite(body, 1, length, merge->later) == length &&
            putc('\n', merge->later) != EOF) ||
           later_failed(merge);
}

static bool write_later(struct merge *merge)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    bool written = true;
    if (merge->later == NULL) {
        return true;
    }
    if (fflush(merge->later) != 0 || fseek(merge->later, 0, SEEK_SET) != 0) {
        return later_failed(merge);
    }
    while (written && (length = getline(&line, &room, merge->later)) > 0) {
        written = topk_log_copy(merge->log, line, (size_t)length - 1) || cannot_write(merge);
    }
    if (written && (ferror(merge->later) || !feof(merge->later))) {
        written = later_failed(merge);
    }
    free(line);
    return written;
}

static bool take_line(void *context, bool is_case, const char *body, size_t length)
{
    struct merge *merge = context;
    if (!is_case) {
        return keep_later(merge, body, length);
    }
    return topk_log_copy(merge->log, body, length) || cannot_write(merge);
}

/* Costs are not in the log, so it cannot be recomputed which shard a case belongs to. It must be
 * enough that all shards have the same digest of the costs, and that no case occurs twice. */
static bool belongs(const struct part *part, const struct topk_log_record *record)
{
    const struct topk_shard shard = {part->shard, part->shards, part->rule, NULL};
    return record->number < part->total &&
           (part->rule == TOPK_SHARD_BY_COSTS ||
            topk_shard_has(&shard, record->number, record->id, strlen(record->id)));
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct merge *merge = context;
    const struct part *part = part_of(merge);
    uint64_t number = record->number;
    if (!belongs(part, record)) {
        snprintf(merge->error, merge->error_bytes,
                 "%s: case %" PRIu64 " does not belong to shard %" PRIu32 " of %" PRIu32,
                 part->path, number, part->shard, part->shards);
        return refuse(merge);
    }
    unsigned char bit = (unsigned char)(1u << number % 8);
    if ((merge->seen[number / 8] & bit) != 0) {
        snprintf(merge->error, merge->error_bytes, "%s: case %" PRIu64 " has two results",
                 part->path, number);
        return refuse(merge);
    }
    merge->seen[number / 8] |= bit;
    merge->recorded++;
    merge->totals[record->verdict]++;
    if (merge->watch->record != NULL) {
        merge->watch->record(merge->watch->context, record);
    }
    return true;
}

/* Takes each probe once. Probes describe the driver, which must be the same for all shards. */
static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct merge *merge = context;
    const struct topk_probe *other =
        topk_probe_find(merge->probes, merge->probe_count, probe->name);
    if (other != NULL &&
        (other->verdict != probe->verdict || strcmp(other->value, probe->value) != 0)) {
        snprintf(merge->error, merge->error_bytes,
                 "%s: probe %s came to '%s' (%s), and in another shard to '%s' (%s)",
                 part_of(merge)->path, probe->name, probe->value,
                 topk_probe_verdict_word(probe->verdict), other->value,
                 topk_probe_verdict_word(other->verdict));
        return refuse(merge);
    }
    if (other != NULL || merge->probe_count == TOPK_PROBES_MAX) {
        return true;
    }
    if (!topk_probes_keep(&merge->probes, &merge->probe_count, probe)) {
        return no_memory(merge);
    }
    if (merge->watch->probe != NULL) {
        merge->watch->probe(merge->watch->context, probe);
    }
    return topk_log_probe(merge->log, probe) || cannot_write(merge);
}

/* Takes each thing that was tested once. Shards may come from several machines but must have tested
 * the same thing: a file that all have at the same path, and a plugin and programs of the suite at
 * any path, must be the same everywhere. */
static bool take_thing(void *context, const struct topk_log_part *thing)
{
    struct merge *merge = context;
    const struct topk_log_parts own = {(struct topk_log_part *)thing, 1};
    const bool by_name = thing->role == TOPK_LOG_PART_SUITE || thing->role == TOPK_LOG_PART_BACKEND;
    const struct topk_log_part *other =
        by_name ? topk_log_parts_counterpart(&merge->things, &own, thing)
                : topk_log_parts_find(&merge->things, thing);
    if (other != NULL && !topk_log_part_agrees(other, thing)) {
        /* a thing that was only described has no digest */
        const enum topk_log_part_text text =
            thing->told ? TOPK_LOG_PART_VERSION : TOPK_LOG_PART_SHA256;
        snprintf(merge->error, merge->error_bytes,
                 "%s: the %s %.200s has the %s %.100s, and in another shard, or before, %.100s",
                 part_of(merge)->path, topk_log_part_role_title(thing->role),
                 topk_log_part_text(thing, TOPK_LOG_PART_NAME), thing->told ? "version" : "SHA-256",
                 topk_log_part_text(thing, text), topk_log_part_text(other, text));
        return refuse(merge);
    }
    if (topk_log_parts_find(&merge->things, thing) != NULL) {
        return true;
    }
    if (!topk_log_parts_add(&merge->things, thing)) {
        return no_memory(merge);
    }
    return topk_log_part(merge->log, thing) || cannot_write(merge);
}

static bool take_process(void *context, const struct topk_log_process *process)
{
    const struct merge *merge = context;
    if (merge->watch->process != NULL) {
        merge->watch->process(merge->watch->context, process);
    }
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct merge *merge = context;
    merge->parts[merge->at].ended = ending->complete;
    return true;
}

/* Reports what is missing, if anything. `cut` means that a log was cut, which error already
 * reports. A shard that never came is not missed if the others have all cases. */
static bool whole(const struct merge *merge, bool cut)
{
    const struct topk_merge_watch *watch = merge->watch;
    const bool all = merge->recorded == merge->parts[0].total;
    uint32_t shards = merge->parts[0].shards;
    size_t at = 0;
    uint32_t missing = 0;
    uint32_t first = 0;
    for (uint32_t i = 1; i <= shards; i++) {
        const struct part *part = &merge->parts[at];
        bool given = at < merge->count && part->shard == i;
        bool there = given ? part->ended : all;
        at += given;
        first = !there && missing == 0 ? i : first;
        missing += !there;
        if (!there && watch->missing != NULL) {
            watch->missing(watch->context, i, given ? part->path : NULL);
        }
    }
    if (missing > 0) {
        size_t used = cut ? strlen(merge->error) : 0;
        snprintf(merge->error + used, merge->error_bytes - used,
                 "%s%" PRIu32 " of %" PRIu32
                 " shards %s missing or unfinished: the first is shard %" PRIu32,
                 cut ? "; " : "", missing, shards, missing == 1 ? "is" : "are", first);
    } else if (!all) {
        snprintf(merge->error, merge->error_bytes, "%" PRIu64 " of %" PRIu64 " cases have a result",
                 merge->recorded, merge->parts[0].total);
    }
    return missing == 0 && all;
}

static enum topk_merge_status copy_parts(struct merge *merge)
{
    const struct topk_log_reader reader = {.context = merge,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe,
                                           .part = take_thing,
                                           .process = take_process,
                                           .copy = take_line};
    bool cut = false;
    for (merge->at = 0; merge->at < merge->count; merge->at++) {
        int status = topk_log_read(part_of(merge)->path, &reader, merge->error, merge->error_bytes);
        if (merge->refused || merge->failed || status < 0) {
            return merge->refused ? TOPK_MERGE_REFUSED : TOPK_MERGE_FAILED;
        }
        cut = cut || status > 0;
    }
    if (!write_later(merge)) {
        return TOPK_MERGE_FAILED;
    }
    bool complete = whole(merge, cut);
    if (!topk_log_end(merge->log, complete, merge->totals)) {
        cannot_write(merge);
        return TOPK_MERGE_FAILED;
    }
    return complete ? TOPK_MERGE_WHOLE : TOPK_MERGE_INCOMPLETE;
}

/* Closes the log; if the merge failed, removes it. */
static enum topk_merge_status close_log(struct merge *merge, enum topk_merge_status status)
{
    if (merge->log == NULL) {
        return status;
    }
    if (status < TOPK_MERGE_REFUSED && !topk_log_settle(merge->log)) {
        cannot_write(merge);
        status = TOPK_MERGE_FAILED;
    }
    if (status >= TOPK_MERGE_REFUSED) {
        topk_log_drop(merge->log);
    } else if (!topk_log_close(merge->log)) {
        snprintf(merge->error, merge->error_bytes, "cannot write %s/%s", merge->dir, TOPK_LOG_NAME);
        status = TOPK_MERGE_FAILED;
    }
    if (status >= TOPK_MERGE_REFUSED) {
        rmdir(merge->dir); /* only if nothing else is in it */
    }
    return status;
}

/* No run has case numbers above this. */
#define TOTAL_MAX (UINT64_C(1) << 32)

enum topk_merge_status topk_merge(const char *const *paths, size_t count, const char *dir,
                                  const struct topk_merge_watch *watch, char *error,
                                  size_t error_bytes)
{
    struct merge merge = {.parts = calloc(count + 1, sizeof(struct part)),
                          .count = count,
                          .dir = dir,
                          .watch = watch,
                          .error = error,
                          .error_bytes = error_bytes};
    enum topk_merge_status status = TOPK_MERGE_FAILED;
    snprintf(error, error_bytes, "out of memory");
    if (merge.parts == NULL) {
        topk_memory_fail();
    } else {
        for (size_t i = 0; i < count; i++) {
            merge.parts[i].path = paths[i];
        }
        status = read_headers(&merge);
    }
    if (status == TOPK_MERGE_WHOLE) {
        uint64_t total = merge.parts[0].total;
        merge.seen = total > TOTAL_MAX ? NULL : calloc(total / 8 + 1, 1);
        if (merge.seen == NULL) {
            snprintf(error, error_bytes, "%s:1: there is no room for %" PRIu64 " cases",
                     merge.parts[0].path, total);
            status = TOPK_MERGE_FAILED;
        } else {
            status = close_log(&merge, copy_parts(&merge));
        }
    }
    for (size_t i = 0; merge.parts != NULL && i < count; i++) {
        topk_facts_free(merge.parts[i].facts);
        free(merge.parts[i].started);
        free(merge.parts[i].costs);
    }
    free(merge.parts);
    free(merge.probes);
    topk_log_parts_free(&merge.things);
    free(merge.seen);
    if (merge.later != NULL) {
        fclose(merge.later);
    }
    return status;
}
