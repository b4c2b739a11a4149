/* Asserts of the readers of a result log that any file is read or refused with a reason; that the
 * reader of plain records reads what the JSON parser reads; that a run compared with itself has
 * changed nowhere; that a log that is gone on with reads as it did, and one record more.
 *
 * Lines are chained by a digest, which no fuzzer finds: an input is the lines without that, and
 * they are sealed here. A line that starts with '!' is written as it is, without the '!'; so is a
 * last one without its end, which was cut. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "fuzz.h"
#include "junit.h"
#include "line.h"
#include "words.h"

#define INPUT_MAX 4096u

static char dir[64];
static char path[128];

static void remove_dir(void)
{
    remove(path);
    remove(dir);
}

/* in memory, where there is such a folder: a log that is closed is synced */
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

/* spaced: with a space that JSON ignores in each line, so that none is plain */
static bool write_log(const char *text, size_t length, bool spaced)
{
    struct topk_chain chain = {""};
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    while (length > 0) {
        char tail[TOPK_LINE_TAIL + 1];
        char body[INPUT_MAX + 1];
        const char *end = memchr(text, '\n', length);
        const size_t line = end == NULL ? length : (size_t)(end - text);
        const size_t taken = end == NULL ? line : line + 1;
        if (*text == '!' || end == NULL) {
            const bool mark = *text == '!';
            fwrite(text + mark, 1, taken - mark, file);
        } else {
            memcpy(body, text, line);
            body[line] = ' ';
            topk_chain_seal(&chain, body, line + spaced, tail);
            fwrite(body, 1, line + spaced, file);
            fwrite(tail, 1, TOPK_LINE_TAIL, file);
        }
        text += taken;
        length -= taken;
    }
    return fclose(file) == 0;
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

static bool take_end(void *context, bool complete)
{
    add(context, &complete, sizeof complete);
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

static int read_log(struct digest *digest)
{
    char error[1024] = "";
    const struct topk_log_reader reader = {digest,     take_header, take_record, take_end,
                                           take_probe, take_shrunk, NULL};
    *digest = (struct digest){.hash = UINT64_C(14695981039346656037)};
    int status = topk_log_read(path, &reader, error, sizeof error);
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
    if (read >= 0 && topk_compare(&comparison, &ids, &run, &run)) {
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
        FUZZ_REQUIRE(error[0] != 0, "log no-reason", "it cannot be gone on with, for no reason");
        return;
    }
    FUZZ_REQUIRE(topk_log_case(log, 1, "g.t:top_k", 0, 0, &result), "log append-case",
                 topk_log_error(log));
    FUZZ_REQUIRE(topk_log_close(log), "log append-close", "it cannot be closed");
    /* what only reading finds wrong with a record is still wrong */
    if (status >= 0) {
        FUZZ_REQUIRE(read_log(&digest) == 0 && digest.records == records + 1, "log append-read",
                     "a log that was gone on with reads otherwise");
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    struct digest plain;
    struct digest parsed;
    char error[1024] = "";
    char nowhere[160];
    const char *text = (const char *)bytes;
    if (length > INPUT_MAX || !write_log(text, length, true)) {
        return;
    }
    int status = read_log(&parsed);
    if (!write_log(text, length, false)) {
        return;
    }
    FUZZ_REQUIRE(read_log(&plain) == status && plain.hash == parsed.hash, "log plain",
                 "plain records and parsed ones differ");
    compare_with_itself(status);
    snprintf(nowhere, sizeof nowhere, "%s/no/x", dir);
    FUZZ_REQUIRE(!topk_junit_write(path, nowhere, error, sizeof error) && error[0] != 0,
                 "log junit", "written to where nothing can be");
    go_on(status, plain.records);
}

static void words(void (*word)(const char *word))
{
    static const char *const members[] = {"{\"record\":\"header\",\"format\":1,",
                                          "{\"record\":\"case\",\"number\":0,\"id\":\"",
                                          "{\"record\":\"probe\",\"name\":\"",
                                          "{\"record\":\"end\",\"complete\":true,\"totals\":{",
                                          "\"verdict\":\"",
                                          "\"nanoseconds\":",
                                          ",\"observations\":[{\"clause\":\"",
                                          "\",\"word\":\"",
                                          ",\"findings\":[{",
                                          "\"expected\":",
                                          "\"actual\":",
                                          "\"bits\":\"",
                                          "\"window\":",
                                          "\\u0000",
                                          "18446744073709551615"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        word(members[i]);
    }
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        word(topk_observation_row((enum topk_observation)i)->word);
    }
    fuzz_result_words(word);
}

const struct fuzz_target fuzz_target = {
    .name = "result_log",
    .about = "any file is read as a result log, or refused with a reason",
    .max_bytes = INPUT_MAX,
    .open = make_dir,
    .run = run,
    .words = words,
};
