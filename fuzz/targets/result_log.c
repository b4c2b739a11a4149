/* Checks the readers of result logs: any file is either read or refused with a reason; the reader
 * of plain records reads the same as the JSON parser; a run compared with itself shows no change;
 * and a log that is continued reads as before, plus one record.
 * Inputs are lines without their chain (seal.h). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "formats/report.h"
#include "fuzz.h"
#include "log/log.h"
#include "seal.h"
#include "summary/summary.h"

/* Of the logs that are refused, one in this many, chosen by its text, goes to all readers. */
#define REFUSED_ONE_IN 4u

static char dir[64];
static char path[128];

static void remove_dir(void)
{
    remove(path);
    remove(dir);
}

/* Makes the folder in memory if the system has such a file system, because closing a log syncs
 * it. */
static bool make_dir(void)
{
    snprintf(dir, sizeof dir, "%s/topk-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(dir) == NULL) {
        perror("fuzz result_log: a folder for the log");
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", dir, TOPK_LOG_NAME);
    atexit(remove_dir);
    return true;
}

static bool write_log(const char *log, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(log, 1, size, file) == size;
    return file != NULL && fclose(file) == 0 && written;
}

/* ---- what is read ---------------------------------------------------------------------------- */

struct digest {
    uint64_t hash;
    uint64_t records;
};

static void add(struct digest *digest, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        digest->hash = (digest->hash ^ at[i]) * UINT64_C(1099511628211);
    }
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct digest *digest = context;
    const uint64_t numbers[] = {
        record->number,       (uint64_t)record->verdict, record->clause,       record->nanoseconds,
        record->observations, record->finding_count,     record->window_count, record->sequence};
    add(digest, numbers, sizeof numbers);
    add(digest, record->id, strlen(record->id));
    add(digest, record->reason, strlen(record->reason));
    add(digest, record->cause, strlen(record->cause));
    for (size_t i = 0; i < record->finding_count; i++) {
        add(digest, record->findings[i].sentence, strlen(record->findings[i].sentence));
        add(digest, record->findings[i].place, strlen(record->findings[i].place));
    }
    digest->records++;
    return true;
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    add(context, header->profile, strlen(header->profile));
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    add(context, &ending->complete, sizeof ending->complete);
    add(context, &ending->early.by, sizeof ending->early.by);
    add(context, &ending->early.limit, sizeof ending->early.limit);
    add(context, &ending->early.left, sizeof ending->early.left);
    return true;
}

static bool take_probe(void *context, const struct topk_probe *probe)
{
    add(context, probe->name, strlen(probe->name));
    add(context, probe->detail, strlen(probe->detail));
    return true;
}

static bool take_shrunk(void *context, const struct topk_log_shrunk *shrunk)
{
    add(context, shrunk->of, shrunk->of_count * sizeof *shrunk->of);
    return take_record(context, &shrunk->record);
}

static bool take_again(void *context, const struct topk_log_again *again)
{
    const uint64_t numbers[] = {
        again->number,      (uint64_t)again->kind, again->alone.runs, again->alone.failed,
        again->behind.runs, again->behind.failed,  again->before,     again->rule};
    add(context, numbers, sizeof numbers);
    return true;
}

/* Reads a log from memory; from the file if `log` is NULL or empty. */
static int read_log(const char *log, size_t size, struct digest *digest)
{
    char error[1024] = "";
    const struct topk_log_reader reader = {.context = digest,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe,
                                           .shrunk = take_shrunk,
                                           .again = take_again,
                                           .fresh = take_record};
    *digest = (struct digest){.hash = UINT64_C(14695981039346656037)};
    int status = size == 0 ? topk_log_read(path, &reader, error, sizeof error)
                           : topk_log_read_bytes(log, size, path, &reader, error, sizeof error);
    FUZZ_REQUIRE(status == 0 || error[0] != 0, "log no-reason", "it is refused without a reason");
    return status;
}

/* ---- assertions ------------------------------------------------------------------------------ */

static void compare_with_itself(int status)
{
    struct topk_ids ids = {0};
    struct topk_run run;
    struct topk_comparison comparison;
    char error[1024];
    int read = topk_run_read(&run, &ids, path, error, sizeof error);
    FUZZ_REQUIRE(read < 0 || read == status, "log run-status", error);
    if (read >= 0 && topk_compare(&comparison, &ids, &run, &run, 1)) {
        FUZZ_REQUIRE(comparison.case_count == 0 && !topk_comparison_worse(&comparison),
                     "log unequal-itself", "a run differs from itself");
        topk_comparison_free(&comparison);
    }
    topk_run_free(&run);
    topk_ids_free(&ids);
}

static void go_on(int status, uint64_t records)
{
    char error[1024] = "";
    struct topk_result result = {.verdict = TOPK_VERDICT_PASS, .clause = TOPK_CLAUSE_NONE};
    struct digest digest;
    struct topk_log *log = topk_log_append(dir, error, sizeof error);
    if (log == NULL) {
        FUZZ_REQUIRE(error[0] != 0, "log no-reason", "it cannot be continued, for no reason");
        return;
    }
    FUZZ_REQUIRE(topk_log_case(log, 1, "g.t:top_k", 0, 0, &result), "log append-case",
                 topk_log_error(log));
    FUZZ_REQUIRE(topk_log_close(log), "log append-close", "it cannot be closed");
    /* A log whose records are refused on reading is refused as before. */
    if (status >= 0) {
        FUZZ_REQUIRE(read_log(NULL, 0, &digest) == 1 && digest.records == records + 1,
                     "log append-read", "a log that was continued reads otherwise");
    }
}

static int no_kind(const char *word)
{
    (void)word;
    return -1;
}

static uint64_t ask(const char *id, const int *kinds, size_t count)
{
    (void)kinds;
    (void)count;
    return id[0] != 0;
}

static const char *const *classes(enum topk_facet facet)
{
    static const char *const names[] = {"some", NULL};
    (void)facet;
    return names;
}

static void look(const char *id, struct topk_case_look *found)
{
    memset(found, 0, sizeof *found);
    found->elements = strlen(id);
}

/* Checks that printing a log gets exactly as far as reading it did. */
static void print_junit(int status, enum topk_junit_mode mode)
{
    char error[1024] = "";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return;
    }
    const struct topk_asks asks = {no_kind, ask};
    const struct topk_case_lookup lookup = {.classes = classes, .look = look, .asks = &asks};
    const struct topk_log_source log = {.path = path};
    int printed = topk_junit_print(&log, mode, &lookup, out, error, sizeof error);
    FUZZ_REQUIRE(fclose(out) == 0 && printed == status && (printed < 0 || size > 0), "log junit",
                 error);
    free(text);
}

static void run(const unsigned char *bytes, size_t length)
{
    struct digest input = {.hash = UINT64_C(14695981039346656037)};
    struct digest plain;
    struct digest parsed;
    size_t size;
    const char *text = (const char *)bytes;
    if (length > FUZZ_SEAL_INPUT) {
        return;
    }
    const char *log = fuzz_seal(text, length, false, &size);
    if (!write_log(log, size)) {
        return;
    }
    const int status = read_log(NULL, 0, &plain);
    log = fuzz_seal(text, length, true, &size);
    FUZZ_REQUIRE(read_log(log, size, &parsed) == status && plain.hash == parsed.hash, "log plain",
                 "plain records and parsed ones differ");
    add(&input, bytes, length);
    if (status >= 0 || input.hash % REFUSED_ONE_IN == 0) {
        compare_with_itself(status);
        print_junit(status, (enum topk_junit_mode)(input.hash % TOPK_JUNIT_COUNT));
        go_on(status, plain.records);
    }
}

const struct fuzz_target fuzz_target = {
    .name = "result_log",
    .about = "any file is read as a result log, or refused with a reason",
    .max_bytes = FUZZ_SEAL_INPUT,
    .open = make_dir,
    .run = run,
    .more_words = fuzz_log_words,
};
