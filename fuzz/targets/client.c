/* Checks the judge's end of the backend protocol: whatever a backend process sends, a result must
 * not be recorded for a case unless its bytes arrived; bytes that arrived must be judged; and a
 * process that breaks the protocol must be told how. The input is everything that the process
 * sends. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "worker/client.h"
#include "worker/host.h"

static const char text[] = "top_k fl=5.0 in=f32[2,4] axis=1 k=2 data=few.1:7:3";

/* what the process sends, and the memory that it shares with its judge */
struct said {
    const unsigned char *at;
    size_t left;
    unsigned char *memory;
};

static int64_t read_said(void *self, void *data, size_t room, uint64_t deadline)
{
    struct said *process = self;
    const size_t got = room < process->left ? room : process->left;
    (void)deadline;
    memcpy(data, process->at, got);
    process->at += got;
    process->left -= got;
    if (process->memory != NULL && got > 0) {
        process->memory[got % 8192] ^= (unsigned char)(got & 1);
    }
    return (int64_t)got;
}

static int64_t write_nowhere(void *self, const void *data, size_t bytes, uint64_t deadline)
{
    (void)self;
    (void)data;
    (void)deadline;
    return (int64_t)bytes;
}

static void close_nothing(void *self)
{
    (void)self;
}

static bool never(void *self)
{
    (void)self;
    return false;
}

static unsigned char *share(void *self, uint64_t bytes, uint64_t *handle)
{
    struct said *process = self;
    free(process->memory);
    process->memory = calloc(1, bytes);
    *handle = 3;
    return process->memory;
}

static bool end_well(void *self, unsigned milliseconds, const char *event, char *how,
                     size_t how_bytes)
{
    (void)self;
    (void)milliseconds;
    (void)event;
    snprintf(how, how_bytes, "exited with 0");
    return true;
}

static void run(const unsigned char *bytes, size_t length)
{
    static struct topk_case tc;
    static bool parsed;
    struct topk_case_error parse_error;
    if (!parsed) {
        parsed = topk_case_parse(text, sizeof text - 1, &tc, &parse_error);
        FUZZ_REQUIRE(parsed, "client case", parse_error.message);
    }
    struct said process = {.at = bytes, .left = length};
    const struct topk_link link = {&process, read_said, write_nowhere, close_nothing,
                                   never,    never,     share,         end_well};
    struct topk_host host = {.client = NULL};
    char error[600] = "";
    enum topk_greeting_kind kind;
    host.client = topk_client_open(&link, "", &host.loaded, &kind, error, sizeof error);
    if (host.client == NULL) {
        FUZZ_REQUIRE(error[0] != 0, "client silent", "");
        free(process.memory);
        return;
    }
    for (int i = 0; i < 3 && topk_host_died(&host) == NULL; i++) {
        const struct topk_case *cases[] = {&tc, &tc};
        struct topk_result results[2];
        topk_client_limit(host.client, 0, i == 0 && length % 2 == 0);
        topk_host_run(&host, cases, 2, results);
        for (uint32_t r = 0; r < 2; r++) {
            if (!topk_host_done(&host, r)) {
                FUZZ_REQUIRE(topk_host_died(&host) != NULL, "client no result", "");
                continue;
            }
            FUZZ_REQUIRE(topk_verdict_wrong(results[r].verdict, results[r].judgement.count > 0,
                                            results[r].judgement.has_sequence,
                                            results[r].reason[0] != 0) == NULL,
                         "client verdict", topk_verdict_word(results[r].verdict));
        }
    }
    const char *how = topk_host_died(&host);
    FUZZ_REQUIRE(how == NULL || how[0] != 0, "client unexplained", "");
    topk_host_close(&host, error, sizeof error);
    free(process.memory);
}

static const char *const words[] = {
    " driver= features= level=5.0 flags=0 batch=2 frame=0 align=1 own=\n",
    "answer 1 1 ",
    "answer 2 1 ",
    "answer 1 2 ",
    "answer 2 2 ",
    "done \n",
    "refused \n",
    "unsupported \n",
    "device_lost \n",
    "out_of_memory \n",
    "failed \n",
    "memory done \n",
    "memory failed \n",
    "at 1 0\n",
    "error ",
    "crash SIGSEGV@0x10;m+0x1:f+0x2\n",
    " flags=20",
    " flags=60",
    " flags=10",
    NULL};

const struct fuzz_target fuzz_target = {
    .name = "client",
    .about = "whatever a backend process says, only bytes that came are judged",
    .max_bytes = 16384,
    .run = run,
    .words = words,
};
