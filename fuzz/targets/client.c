/* Asserts of the judge's end of the backend protocol that whatever a backend process says, no
 * result stands for a case unless its bytes came; that what came is judged; and that once the
 * process said what is no answer, it is told how. The input is all that the process says. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "worker/client.h"
#include "worker/host.h"

static const char text[] = "top_k fl=5.0 in=f32[2,4] axis=1 k=2 data=few.1:7:3";

static void run(const unsigned char *bytes, size_t length)
{
    static struct topk_case tc;
    static bool parsed;
    struct topk_case_error parse_error;
    if (!parsed) {
        parsed = topk_case_parse(text, sizeof text - 1, &tc, &parse_error);
        FUZZ_REQUIRE(parsed, "client case", parse_error.message);
    }
    struct topk_child child = {.to = fopen("/dev/null", "wb"),
                               .from = fmemopen((void *)bytes, length == 0 ? 1 : length, "rb")};
    struct topk_host host = {.client = NULL};
    char error[600] = "";
    bool said;
    if (child.to == NULL || child.from == NULL) {
        abort();
    }
    host.client = topk_client_open(&child, &host.loaded, &said, error, sizeof error);
    if (host.client == NULL) {
        FUZZ_REQUIRE(error[0] != 0, "client silent", "");
        return;
    }
    for (int i = 0; i < 3 && topk_host_died(&host) == NULL; i++) {
        const struct topk_case *cases[] = {&tc, &tc};
        struct topk_result results[2];
        const uint32_t count = host.loaded.info.batch > 1 ? 2 : 1;
        topk_host_run(&host, cases, count, results);
        for (uint32_t r = 0; r < count && topk_host_died(&host) == NULL; r++) {
            FUZZ_REQUIRE(topk_verdict_wrong(results[r].verdict, results[r].judgement.count > 0,
                                            results[r].judgement.has_sequence,
                                            results[r].reason[0] != 0) == NULL,
                         "client verdict", topk_verdict_word(results[r].verdict));
        }
    }
    const char *how = topk_host_died(&host);
    FUZZ_REQUIRE(how == NULL || how[0] != 0, "client unexplained", "");
    topk_host_close(&host);
}

static const char *const words[] = {
    "topk-backend 1 name=a version= device= driver= features= level=5.0 flags=0 batch=2 own=\n",
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
    "supports done \n",
    "supports unsupported \n",
    "error ",
    " flags=20",
    " flags=60",
    " flags=10",
    NULL};

const struct fuzz_target fuzz_target = {
    .name = "client",
    .about = "whatever a backend process says, only bytes that came are judged",
    .max_bytes = 8192,
    .run = run,
    .words = words,
};
