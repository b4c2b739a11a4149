/* Shared by the tests of logs and reports: a scratch directory for each test, samples, files. */
#ifndef TOPK_REPORTS_FIXTURE_H
#define TOPK_REPORTS_FIXTURE_H

/* cmocka.h requires these first, so include this header before any other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "log/log.h"
#include "reference/element.h"

#define PATH_BYTES 256

struct scratch {
    char dir[PATH_BYTES];
    char log[PATH_BYTES + sizeof TOPK_LOG_NAME];
    char error[1024];
};

/* The directory is in memory if possible: some tests write a log thousands of times, and a disk
 * takes milliseconds for each. */
static inline int scratch_make(void **state)
{
    struct scratch *scratch = calloc(1, sizeof *scratch);
    assert_non_null(scratch);
    snprintf(scratch->dir, sizeof scratch->dir, "%s/topk-reports-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(scratch->dir));
    snprintf(scratch->log, sizeof scratch->log, "%s/%s", scratch->dir, TOPK_LOG_NAME);
    *state = scratch;
    return 0;
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline int scratch_remove(void **state)
{
    struct scratch *scratch = *state;
    int result = nftw(scratch->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(scratch);
    return result;
}

static const char *const sample_selections[] = {"ties.*", "axis.last:top_k fl=2.0"};

static inline struct topk_log_header sample_header(void)
{
    return (struct topk_log_header){.suite = "1.0.0",
                                    .profile = "core",
                                    .profile_version = 3,
                                    .profile_digest = "abcd",
                                    .selections = sample_selections,
                                    .selection_count = 2,
                                    .level = 0x5000,
                                    .seed = UINT64_MAX,
                                    .timeout = 2.5,
                                    .cases = 4,
                                    .started = "2026-01-31T12:00:00Z",
                                    .replay = "topk-cts replay --backend cpu",
                                    .judge = TOPK_JUDGE_APART,
                                    .revision = "e5",
                                    .expectations = "abc",
                                    .backend = {.spec = "cpu",
                                                .command = "",
                                                .worker = "",
                                                .name = "reference",
                                                .version = "1",
                                                .device = "a <b> & \"c\"",
                                                .driver = "d",
                                                .features = "all",
                                                .level = 0x6400,
                                                .flags = 3}};
}

static inline struct topk_result sample_pass(void)
{
    struct topk_result result = {.verdict = TOPK_VERDICT_PASS, .clause = TOPK_CLAUSE_NONE};
    result.nanoseconds = 1500000000;
    return result;
}

/* a crash with all details; site distinguishes it from others */
static inline struct topk_result sample_crash(uint64_t site)
{
    struct topk_result result = {.verdict = TOPK_VERDICT_CRASH,
                                 .clause = TOPK_CLAUSE_NONE,
                                 .reason = "killed",
                                 .crash = {.signal = "SIGSEGV",
                                           .has_address = true,
                                           .address = UINT64_MAX,
                                           .has_outside = true,
                                           .outside = {TOPK_CRASH_READS, TOPK_VALUE, true, 4},
                                           .frame_count = 3}};
    result.crash.frames[0] = (struct topk_crash_frame){"libc.so.6", 0x10, "memcpy", 4};
    result.crash.frames[1] = (struct topk_crash_frame){"mine.so", site, "topk_run", 8};
    result.crash.frames[2] = (struct topk_crash_frame){"host", 0x20, "", 0};
    return result;
}

/* a failure with one of everything */
static inline struct topk_result sample_fail(void)
{
    struct topk_result result = {.verdict = TOPK_VERDICT_FAIL,
                                 .clause = TOPK_CLAUSE_S04,
                                 .nanoseconds = 250000000,
                                 .window_from = 1,
                                 .window_count = 2,
                                 .window_values = {0x3dcccccd, 0x7fc00001},
                                 .window_indices = {7, UINT64_MAX},
                                 .reason = "it's <wrong>"};
    result.judgement =
        (struct topk_judgement){.count = 2,
                                .findings = {{.clause = TOPK_CLAUSE_S04,
                                              .mismatch = TOPK_MISMATCH_VALUE_ORDER,
                                              .role = TOPK_VALUE,
                                              .rank = 3,
                                              .at = {0, 0, 2},
                                              .expected = 0x40000000,
                                              .actual = 0x40400000,
                                              .count = 2},
                                             {.clause = TOPK_CLAUSE_M02,
                                              .mismatch = TOPK_MISMATCH_OUTSIDE_WRITTEN,
                                              .role = TOPK_VALUE,
                                              .byte = -4,
                                              .expected = 0xcd,
                                              .actual = 0x0a,
                                              .count = UINT64_MAX}},
                                .observations = UINT32_C(1) << TOPK_OBSERVATION_NAN_LAST |
                                                UINT32_C(1) << TOPK_OBSERVATION_K_IS_SIZE_ACCEPTED,
                                .has_sequence = true,
                                .sequence = UINT64_MAX,
                                .position = 2};
    return result;
}

/* Returns the whole content of a file, terminated; the caller frees it. */
static inline char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)length, file);
    assert_int_equal(*size, length);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static inline void file_write(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* limits the size of files to `bytes`, like a full disk; file_limit(RLIM_INFINITY) undoes it */
static inline void file_limit(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN); /* a write fails instead */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Creates a log in the scratch directory; close it. */
static inline struct topk_log *log_open(struct scratch *scratch)
{
    struct topk_log_header header = sample_header();
    struct topk_log *log =
        topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
    if (log == NULL) {
        fail_msg("%s", scratch->error);
    }
    return log;
}

static inline void log_put(struct topk_log *log, uint64_t number, const char *id,
                           const struct topk_result *result)
{
    if (!topk_log_case(log, number, id, TOPK_TYPE_F32, TOPK_TYPE_U32, result)) {
        fail_msg("%s", topk_log_error(log));
    }
}

static inline void log_finish(struct topk_log *log, bool complete)
{
    uint64_t totals[TOPK_VERDICT_COUNT] = {1, [TOPK_VERDICT_CRASH] = UINT64_MAX};
    assert_true(topk_log_end(log, complete, totals));
    assert_true(topk_log_close(log));
}

#endif
