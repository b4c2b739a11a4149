/* Checks the worker's end of the worker protocol: whatever lines arrive, it must send an
 * introduction, and for each complete batch a `begin` and a `done` per case, each with a result
 * that the runner can read; and it must exit with 0, or with 3 after an `error`. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "open.h"
#include "run/runner.h"
#include "words.h"
#include "worker/serve.h"

/* maximum length of an input whose cases are run; longer ones take too long to be useful here */
#define INPUT_MAX 2048u

static struct topk_host host;

static bool open_backend(void)
{
    return fuzz_open_host(&host, "cpu");
}

static bool quick_call(const struct topk_case *tc)
{
    bool fine = tc->check != TOPK_CHECK_SOAK && tc->op.tensors[0].rank <= 8;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        fine = fine && topk_tensor_elements(tensor) <= 1024 &&
               topk_tensor_least_bytes(tensor) <= 1u << 16 && tensor->total_bytes <= 1u << 16 &&
               tc->offset[role] <= 1u << 16 && tensor->alignment <= 4096;
    }
    return fine;
}

/* Returns whether all lines that are cases run quickly. */
static bool quick(const char *text, size_t length)
{
    while (length > 0) {
        struct topk_case tc;
        struct topk_case_error error;
        const char *end = memchr(text, '\n', length);
        const size_t line = end == NULL ? length : (size_t)(end - text);
        const size_t kept = line > 0 && text[line - 1] == '\r' ? line - 1 : line;
        if (topk_case_parse(text, kept, &tc, &error)) {
            bool fine = true;
            for (uint32_t i = 1; i <= tc.before_count + 1; i++) {
                fine = fine && quick_call(topk_case_call(&tc, i));
            }
            topk_case_clear(&tc);
            if (!fine) {
                return false;
            }
        }
        text += end == NULL ? line : line + 1;
        length -= end == NULL ? line : line + 1;
    }
    return true;
}

/* Reads a number and the space after it. Returns false if there is none. */
static bool take_number(char **at, unsigned long *number)
{
    char *end;
    if (**at < '0' || **at > '9') {
        return false;
    }
    *number = strtoul(*at, &end, 10);
    *at = end + (*end == ' ');
    return *end == ' ' || *end == 0;
}

static bool result_or_probe(const char *text)
{
    struct topk_result result;
    struct topk_probe probe;
    return topk_result_parse(text, strlen(text), &result) ||
           topk_probe_parse(text, strlen(text), &probe) || strncmp(text, "probes=", 7) == 0;
}

static void check_line(char *line, unsigned long begun[2], bool *error)
{
    char *at = line;
    unsigned long from;
    unsigned long count;
    if (strncmp(line, "begin ", 6) == 0) {
        at += 6;
        FUZZ_REQUIRE(begun[0] == begun[1], "worker early-begin", line);
        FUZZ_REQUIRE(take_number(&at, &from) && take_number(&at, &count) && *at == 0 && count > 0,
                     "worker begin", line);
        begun[0] = from;
        begun[1] = from + count;
    } else if (strncmp(line, "done ", 5) == 0) {
        at += 5;
        FUZZ_REQUIRE(take_number(&at, &from) && from == begun[0] && from < begun[1], "worker order",
                     line);
        FUZZ_REQUIRE(result_or_probe(at), "worker result", line);
        begun[0]++;
    } else {
        FUZZ_REQUIRE(strncmp(line, "error ", 6) == 0, "worker line", line);
        *error = true;
    }
}

static void check_output(char *text, int code)
{
    static struct topk_greeting greeting;
    char why[TOPK_RUNNER_ERROR];
    unsigned long begun[2] = {0, 0};
    bool first = true;
    bool error = false;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        FUZZ_REQUIRE(!error, "worker after-error", line);
        if (first) {
            FUZZ_REQUIRE(topk_greeting_parse(TOPK_SPEAKER_WORKER, line, (size_t)(end - line),
                                             &greeting, why) == TOPK_GREETING_HELLO,
                         "worker greeting", line);
            first = false;
        } else {
            check_line(line, begun, &error);
        }
    }
    FUZZ_REQUIRE(!first && begun[0] == begun[1], "worker unanswered", text);
    FUZZ_REQUIRE(code == (error ? 3 : 0), "worker exit-code", text);
}

static void run(const unsigned char *bytes, size_t length)
{
    static char lines[INPUT_MAX + 1];
    char *said = NULL;
    size_t said_length = 0;
    if (length == 0 || length > INPUT_MAX || !quick((const char *)bytes, length)) {
        return;
    }
    memcpy(lines, bytes, length);
    FILE *in = fmemopen(lines, length, "r");
    FILE *out = open_memstream(&said, &said_length);
    if (in != NULL && out != NULL) {
        int code = topk_serve(&host, in, out);
        fclose(out);
        out = NULL;
        check_output(said, code);
    }
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
    free(said);
}

static const char *const words[] = {"batch 1\n", "batch 2\n", "probes\n", "probe 0\n",
                                    "quit\n",    "\r\n",      NULL};

const struct fuzz_target fuzz_target = {
    .name = "worker",
    .about = "the worker answers any lines with lines of the protocol",
    .max_bytes = INPUT_MAX,
    .open = open_backend,
    .run = run,
    .words = words,
    .more_words = fuzz_case_words,
};
