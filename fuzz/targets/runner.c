/* Checks the runner: whatever workers say and however they end, each case gets exactly one result,
 * a run with missing results says why, and every run ends. The workers are not real processes
 * (fake_worker.c); the input is what they say. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "fake_worker.h"
#include "fuzz.h"
#include "run/runner.h"
#include "words.h"

#define CASES 6u

struct seen {
    unsigned results[CASES];
    unsigned total;
};

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    static const char text[] = "top_k fl=3.1 in=f32[2] axis=0 k=1";
    const struct seen *seen = context;
    FUZZ_REQUIRE(number < CASES, "runner number", "a case that there is not");
    FUZZ_REQUIRE(seen->results[number] == 0, "runner asked-again", "a case that has its result");
    *length = sizeof text - 1;
    return text;
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct seen *seen = context;
    char text[TOPK_RESULT_TEXT];
    FUZZ_REQUIRE(number < CASES, "runner number", "a result of a case that there is not");
    FUZZ_REQUIRE(seen->results[number]++ == 0, "runner twice", "a second result");
    FUZZ_REQUIRE(result->verdict < TOPK_VERDICT_COUNT, "runner verdict", "no verdict");
    topk_result_print(result, text);
    seen->total++;
    return true;
}

static void note(void *context, const char *text)
{
    (void)context;
    FUZZ_REQUIRE(text[0] != 0, "runner note", "an empty note");
}

static void check_job(struct topk_runner *runner)
{
    struct seen seen = {.total = 0};
    char error[TOPK_RUNNER_ERROR] = "";
    const struct topk_runner_job job = {
        .count = CASES, .text = case_text, .result = take_result, .context = &seen};
    enum topk_runner_status status = topk_runner_run(runner, &job, error);
    if (status == TOPK_RUNNER_DONE) {
        FUZZ_REQUIRE(seen.total == CASES, "runner missing", "a case has no result");
    } else {
        FUZZ_REQUIRE(status == TOPK_RUNNER_BROKEN || status == TOPK_RUNNER_UNAVAILABLE,
                     "runner status", error);
        FUZZ_REQUIRE(error[0] != 0, "runner no-reason", "it ended early for no reason");
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    static struct topk_greeting greeting;
    static const char *const command[] = {"worker", NULL};
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR] = "";
    /* The first byte gives the number of workers. */
    const struct topk_runner_options options = {
        .command = command,
        .jobs = length > 0 && bytes[0] == '2' ? 2 : 1,
        .timeout = 1000,
        .note = note,
    };
    fake_worker_script((const char *)bytes + (length > 0), length - (length > 0));
    struct topk_runner *runner = topk_runner_open(&options, &greeting, &status, error);
    if (runner == NULL) {
        FUZZ_REQUIRE(error[0] != 0, "runner no-reason", "it did not start for no reason");
        return;
    }
    check_job(runner);
    check_job(runner);
    topk_runner_close(runner);
}

static const char *const words[] = {
    "topk-worker 1 name=a version= device= driver= features= level=5.0 flags=0 batch=4 own=\n",
    "topk-worker 1 name=a version= device= driver= features= level=5.0 flags=80 batch=4 own=\n",
    "begin 0 1\n",
    "begin 0 4\n",
    "done 0 pass clause=- obs=0 ns=1\n",
    "done 1 pass clause=- obs=0 ns=1\n",
    "done 0 device-lost clause=- obs=0 ns=1\n",
    "died 0 1 x\n",
    "died 0 0 x\n",
    "expired 0 1 x\n",
    "expired 1 2 x\n",
    "error x\n",
    "crash SIGSEGV@0x10;m+0x1:f+0x2\n",
    "died x\n",
    "unavailable x\n",
    "end 0\n",
    "end 1\n",
    NULL};

const struct fuzz_target fuzz_target = {
    .name = "runner",
    .about = "whatever workers say, each case gets one result, or the run says why not",
    .max_bytes = 4096,
    .run = run,
    .words = words,
    .more_words = fuzz_result_words,
};
