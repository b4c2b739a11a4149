/* Checks that running out of memory never makes a result wrong. Everything that happens to a case
 * between its bytes and its verdict is repeated with one failing allocation, trying each of the
 * first ones in turn. The result must be the same as with enough memory, or say that memory ran
 * out; it must never be a finding against the backend, which is `cpu`. A failure must leave nothing
 * behind: the host then gives the same answers as a fresh one. */
#include <stdlib.h>
#include <string.h>

#include "coverage/aspect.h"
#include "fuzz.h"
#include "generate/decode.h"
#include "open.h"
#include "reference/oracle.h"
#include "worker/call.h"

/* Limit for a case's buffers, in bytes, because each step is repeated once per allocation. */
#define BUFFERS_MAX ((uint64_t)1 << 20)

/* ---- allocations ----------------------------------------------------------------------------- */

/* cmake/fuzz.cmake has the linker put these in the place of the C library's. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static unsigned failing; /* number of the allocation that fails, from 1 on; 0 for none */
static unsigned asked;   /* allocations made so far */

static bool fails(void)
{
    return failing != 0 && ++asked == failing;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- the way of a case ----------------------------------------------------------------------- */

/* What a case gives when there is enough memory. */
struct whole {
    const struct topk_case *tc;
    char text[TOPK_CASE_TEXT];
    size_t text_length;
    const unsigned char *bytes; /* the input's bytes */
    size_t length;
    struct topk_clause_set clauses;
    unsigned char classes[TOPK_ASPECT_COUNT];
    bool has_classes;
    unsigned char *tensors[TOPK_ROLE_COUNT]; /* NULL if the case is not valid */
    unsigned char *again[TOPK_ROLE_COUNT];   /* room for making the tensors once more */
    enum topk_oracle_status status;
    struct topk_result result; /* result from a host that has run nothing before */
};

static struct whole whole;
static struct topk_host host;

/* Asserts something within a step, with allocations working as usual. */
#define REQUIRE(condition, what)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failing = 0;                                                                           \
            fuzz_fail(what, whole.text);                                                           \
        }                                                                                          \
    } while (0)

/* Repeats a soak check's call only a few times instead of a hundred. */
static void soak_less(struct topk_case *tc)
{
    if (tc->check == TOPK_CHECK_SOAK) {
        tc->check = TOPK_CHECK_REPEAT;
    }
}

static bool make(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    if (!topk_case_decode(bytes, length, tc)) {
        return false;
    }
    for (uint32_t i = 0; i < tc->before_count; i++) {
        soak_less(&tc->before[i]);
    }
    soak_less(tc);
    return true;
}

static bool same_text(const struct topk_case *tc)
{
    static char text[TOPK_CASE_TEXT];
    return topk_case_print(tc, text, sizeof text) == whole.text_length &&
           memcmp(text, whole.text, whole.text_length) == 0;
}

/* Each step returns false if it says that memory was short. */

static bool step_decode(void)
{
    struct topk_case tc;
    /* Text that cannot be read as a case is read as choices, which give another case. */
    const bool text = topk_decode_like_text(whole.bytes, whole.length);
    const bool made = make(whole.bytes, whole.length, &tc);
    if (made) {
        REQUIRE(text || same_text(&tc), "decode other");
        topk_case_clear(&tc);
    }
    return made;
}

static bool step_parse(void)
{
    struct topk_case tc;
    struct topk_case_error error;
    if (!topk_case_parse(whole.text, whole.text_length, &tc, &error)) {
        REQUIRE(strstr(error.message, "memory") != NULL, "parse reason");
        REQUIRE(tc.literal == NULL, "parse cleared");
        return false;
    }
    REQUIRE(same_text(&tc), "parse other");
    topk_case_clear(&tc);
    return true;
}

static bool step_copy(void)
{
    struct topk_case tc;
    const bool made = topk_case_copy(&tc, whole.tc);
    REQUIRE(!made || same_text(&tc), "copy other");
    topk_case_clear(&tc);
    return made;
}

static bool step_clauses(void)
{
    struct topk_clause_set clauses;
    const bool made = topk_case_clauses(whole.tc, &clauses);
    if (made && failing == 0) {
        whole.clauses = clauses;
    }
    REQUIRE(!made || memcmp(&clauses, &whole.clauses, sizeof clauses) == 0, "clauses other");
    return made;
}

static bool step_aspects(void)
{
    unsigned char classes[TOPK_ASPECT_COUNT];
    const bool made = topk_aspects_of(whole.tc, classes);
    if (failing == 0) {
        memcpy(whole.classes, classes, sizeof classes);
        whole.has_classes = made;
    }
    REQUIRE(!made || (whole.has_classes && memcmp(classes, whole.classes, sizeof classes) == 0),
            "aspects other");
    return made || !whole.has_classes;
}

/* Makes the data, and what the oracle computes from it. */
static bool step_oracle(void)
{
    const struct topk_operator *op = &whole.tc->op;
    unsigned char **to = failing == 0 ? whole.tensors : whole.again;
    if (to[TOPK_INPUT] == NULL) {
        return true;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        memset(to[role], 0, (size_t)topk_tensor_least_bytes(&op->tensors[role]));
    }
    if (!topk_case_fill(whole.tc, to[TOPK_INPUT])) {
        return false;
    }
    const enum topk_oracle_status status =
        topk_oracle_run(op, to[TOPK_INPUT], to[TOPK_VALUE], to[TOPK_INDEX]);
    if (failing == 0) {
        whole.status = status;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT && status != TOPK_ORACLE_NO_MEMORY; role++) {
        const size_t bytes = (size_t)topk_tensor_least_bytes(&op->tensors[role]);
        REQUIRE(status == whole.status && memcmp(to[role], whole.tensors[role], bytes) == 0,
                "oracle other");
    }
    return status != TOPK_ORACLE_NO_MEMORY;
}

/* A second call that could not be made means that one observation fewer is possible. */
static bool same_result(const struct topk_result *result)
{
    const uint32_t observed = result->judgement.observations;
    const uint32_t usual = whole.result.judgement.observations;
    return result->verdict == whole.result.verdict && result->clause == whole.result.clause &&
           result->judgement.count == whole.result.judgement.count &&
           (failing == 0 ? observed == usual : (observed & ~usual) == 0);
}

/* Runs a call from start to end. */
static bool step_run(void)
{
    struct topk_result result;
    topk_host_run(&host, &whole.tc, 1, &result);
    if (same_result(&result)) {
        return true;
    }
    REQUIRE(failing != 0, "run kept");
    /* The second verdict is what a backend with too little memory reports. */
    REQUIRE(result.verdict == TOPK_VERDICT_HARNESS_ERROR ||
                result.verdict == TOPK_VERDICT_UNSUPPORTED,
            "run other");
    REQUIRE(strstr(result.reason, "memory") != NULL, "run reason");
    return false;
}

static bool step_fresh_run(void)
{
    char error[512];
    struct topk_host kept = host;
    memset(&host, 0, sizeof host);
    bool done = topk_host_open(&host, "cpu", error, sizeof error);
    REQUIRE(done || strstr(error, "memory") != NULL, "open reason");
    if (failing == 0) {
        topk_host_run(&host, &whole.tc, 1, &whole.result);
        REQUIRE(!topk_verdict_failure(whole.result.verdict), "run finding");
    } else {
        done = done && step_run();
    }
    topk_host_close(&host, NULL, 0);
    host = kept;
    return done;
}

static const struct {
    const char *what;
    bool (*run)(void);
} steps[] = {
    {"decode again", step_decode},   {"parse again", step_parse},     {"copy again", step_copy},
    {"clauses again", step_clauses}, {"aspects again", step_aspects}, {"oracle again", step_oracle},
    {"run again", step_fresh_run},   {"run kept", step_run},
};

/* Runs a step normally, then with each of its first allocations failing once, then with some of the
 * later ones, and finally with one beyond the last, so that the step completes. */
static void run_step(size_t i)
{
    failing = 0;
    (void)steps[i].run();
    for (unsigned which = 1;; which += 1 + which / 16) {
        failing = which;
        asked = 0;
        const bool done = steps[i].run();
        failing = 0;
        if (asked < which) {
            FUZZ_REQUIRE(done, steps[i].what, whole.text);
            break;
        }
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool open_backend(void)
{
    return fuzz_open_host(&host, "cpu");
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_case tc;
    failing = 0;
    if (!make(bytes, length, &tc)) {
        return;
    }
    if (topk_call_bytes(&tc) > BUFFERS_MAX && !topk_case_too_large(&tc)) {
        topk_case_clear(&tc);
        return;
    }
    whole.tc = &tc;
    whole.bytes = bytes;
    whole.length = length;
    whole.text_length = topk_case_print(&tc, whole.text, sizeof whole.text);
    const bool runs = topk_aspects_count(&tc) && !topk_case_too_large(&tc);
    for (int role = 0; runs && role < TOPK_ROLE_COUNT; role++) {
        const size_t room = (size_t)topk_tensor_least_bytes(&tc.op.tensors[role]);
        whole.tensors[role] = malloc(room);
        whole.again[role] = malloc(room);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        run_step(i);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        free(whole.tensors[role]);
        free(whole.again[role]);
        whole.tensors[role] = NULL;
        whole.again[role] = NULL;
    }
    topk_case_clear(&tc);
}

const struct fuzz_target fuzz_target = {
    .name = "memory",
    .about = "where memory is short nothing is said that is wrong",
    .max_bytes = 1024,
    .open = open_backend,
    .run = run,
    .draw = topk_decode_draw,
    .decode = make,
};
