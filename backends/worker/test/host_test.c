/* The host: each answer of a backend gives the correct verdict, and invalid backends do not
 * open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/element.h"
#include "worker/host.h"

#ifndef TOPK_BINARY_DIR
#define TOPK_BINARY_DIR "."
#endif

/* ---- opening --------------------------------------------------------------------------------- */

static void wrong_backends_do_not_open(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *message;
    } rows[] = {
        {"", "unknown backend ''"},
        {"cpu2", "unknown backend 'cpu2'; built in: cpu"},
        {"cp", "unknown backend 'cp'"},
        {"cpu:option", "cpu: option 'option' is not known; the options are threads="},
        {TOPK_BINARY_DIR "/broken_abi.so", "has ABI version 2, this worker needs 1"},
        {TOPK_BINARY_DIR "/broken_empty.so", "no function topk_backend_entry"},
        {TOPK_BINARY_DIR "/broken_level.so",
         "backend broken-level: feature_level is 0x0, which is no "},
        {TOPK_BINARY_DIR "/broken_level.so:500", "feature_level is 0x500, "},
        {TOPK_BINARY_DIR "/broken_level.so:2f00", "feature_level is 0x2f00, "},
        {TOPK_BINARY_DIR "/broken_level.so:a000", "feature_level is 0xa000, "},
        {TOPK_BINARY_DIR "/broken_level.so:5001", "feature_level is 0x5001, "},
        {TOPK_BINARY_DIR "/broken_level.so:15000", "feature_level is 0x15000, "},
        {"faulty", "no fault given: faulty:ID; there are "},
        {"faulty:nothing", "no fault 'nothing'; there are "},
        {TOPK_BINARY_DIR "/broken.so", "no fault given: faulty:ID; there are "},
        {TOPK_BINARY_DIR "/broken.so:nothing", "no fault 'nothing'; there are "},
        {"./not-here.so", "not-here.so"},
        {"not-here.so:option", "./not-here.so"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_host host;
        char error[512] = "";
        assert_false(topk_host_open(&host, rows[i].spec, error, sizeof error));
        if (strstr(error, rows[i].message) == NULL) {
            fail_msg("%s: %s", rows[i].spec, error);
        }
    }
}

/* of backends that are not in every build; options are checked before anything is loaded */
static void wrong_options_do_not_open(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *message;
    } rows[] = {
        {"onnxruntime:threads=0", "option 'threads=0' is not understood; the options are lib="},
        {"onnxruntime:lib=", "option 'lib=' is not understood"},
        {"onnxruntime:threads=1,threads=2", "option 'threads' is given twice"},
        {"onnxruntime:threads=1,", "an option is missing beside a comma of 'threads=1,'"},
        {"vulkan:variant=rank,variant=radix", "option 'variant' is given twice"},
        {"vulkan:variant=rank,", "an option is missing beside a comma of 'variant=rank,'"},
        {"vulkan:,", "an option is missing beside a comma of ','"},
        {"d3d12:timeout=1,timeout=2", "option 'timeout' is given twice"},
        {"directml:debug,debug", "option 'debug' is given twice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_host host;
        char error[512] = "";
        assert_false(topk_host_open(&host, rows[i].spec, error, sizeof error));
        if (strstr(error, rows[i].message) == NULL && strstr(error, "unknown backend") == NULL) {
            fail_msg("%s: %s", rows[i].spec, error);
        }
    }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* a backend with predetermined answers */
struct fake {
    uint32_t supports; /* status */
    uint32_t run;      /* status */
    const char *reason;
    bool unterminated;      /* the reason fills its room */
    bool right;             /* computes where it says DONE, by the cpu backend */
    uint32_t declined_k;    /* supports() does not claim calls of this K */
    uint32_t answered_k;    /* run() answers those of this K with `run` instead of computing them */
    uint32_t declined_type; /* supports() does not claim calls of this type */
    uint32_t sizes[128];    /* calls of each run() */
    uint32_t calls;         /* that came */
    uint32_t runs;          /* run() was called */
    uint32_t largest;       /* most calls at once */
    uint32_t created;       /* of them create_only */
    bool writes_input;      /* behind what it computes it changes the input and a value */
    bool writes_behind;     /* it writes behind the index output, and leaves that as it was */
    uint32_t other_direction; /* what it takes a direction for that is neither */
    uint32_t fails_at; /* from 1: the call that it answers with `run` instead of computing it */
    uint64_t memory;   /* that the host knows to be there */
    enum topk_guard_page guard_page;
    struct topk_backend_info info;
    struct topk_host cpu;
};

static void fake_describe(void *self, struct topk_backend_info *info)
{
    *info = ((struct fake *)self)->info;
}

static void answer(const struct fake *fake, uint32_t status, struct topk_backend_answer *to)
{
    to->status = status;
    if (fake->unterminated) {
        memset(to->reason, 'x', sizeof to->reason);
    } else {
        snprintf(to->reason, sizeof to->reason, "%s", fake->reason == NULL ? "" : fake->reason);
    }
}

static void fake_supports(void *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *to)
{
    const struct fake *fake = self;
    bool declined = call->k == fake->declined_k || call->input->data_type == fake->declined_type;
    answer(fake, declined ? (uint32_t)TOPK_BACKEND_UNSUPPORTED : fake->supports, to);
}

static void spoil(const struct fake *fake, const struct topk_backend_call *call)
{
    unsigned char *input = call->input_buffer.data;
    unsigned char *value = call->value_buffer.data;
    unsigned char *index = call->index_buffer.data;
    if (fake->writes_input) {
        input[call->input_buffer.offset] ^= 1;
        value[call->value_buffer.offset] ^= 1;
    }
    if (fake->writes_behind) {
        const uint64_t bytes = call->index->total_bytes;
        unsigned char *start = index + call->index_buffer.offset;
        memcpy(start + bytes, start, 4);
        memset(start, 0xee, bytes);
    }
}

static void fake_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                     struct topk_backend_answer *answers)
{
    struct fake *fake = self;
    fake->sizes[fake->runs++ % 128] = count;
    fake->calls += count;
    fake->largest = count > fake->largest ? count : fake->largest;
    for (uint32_t i = 0; i < count; i++) {
        static const struct topk_backend_answer zero;
        assert_memory_equal(&answers[i], &zero, sizeof zero);
        assert_true((calls[i].create_only == 1) == (calls[i].input_buffer.data == NULL));
        assert_int_equal(calls[i].reserved, 0);
        fake->created += calls[i].create_only;
        const bool some = fake->answered_k > 0 || fake->fails_at > 0;
        const bool answered =
            fake->answered_k == calls[i].k || fake->fails_at == fake->calls - count + i + 1;
        if ((fake->run == TOPK_BACKEND_DONE || (some && !answered)) && fake->right) {
            struct topk_backend_call call = calls[i];
            call.direction =
                call.direction > TOPK_DECREASING ? fake->other_direction : call.direction;
            fake->cpu.loaded.backend->run(fake->cpu.loaded.self, &call, 1, &answers[i]);
            if (call.create_only == 0) {
                spoil(fake, &call);
            }
            /* the next call's answer has to come zeroed all the same */
            memset(answers[i].reason + 1, 'x', sizeof answers[i].reason - 1);
        } else {
            answer(fake, fake->run, &answers[i]);
        }
    }
}

static void fake_close(void *self)
{
    (void)self;
}

static const struct topk_backend fake_backend = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "fake",
    .describe = fake_describe,
    .supports = fake_supports,
    .run = fake_run,
    .close = fake_close,
};

static void open_cpu(struct fake *fake)
{
    char error[256];
    assert_true(topk_host_open(&fake->cpu, "cpu", error, sizeof error));
}

/* runs one case text on a backend with fake's info */
static struct topk_result run_text(struct fake *fake, const char *text)
{
    struct topk_host host = {.loaded = {.backend = &fake_backend, .self = fake, .info = fake->info},
                             .memory = fake->memory,
                             .guard_page = fake->guard_page};
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    memset(&result, 0x5a, sizeof result);
    assert_true(fake->guard_page == TOPK_GUARD_PAGE_NONE ||
                topk_host_guard(&host, fake->guard_page, error.message, sizeof error.message));
    topk_host_run(&host, cases, 1, &result);
    topk_case_clear(&tc);
    topk_host_close(&host, NULL, 0);
    return result;
}

#define VALID       "top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1"
#define WHOLE       "top_k fl=5.0 in=f32[4] axis=0 k=4 data=shuffle.1:1"
#define OVERLAP_IN  "top_k fl=5.0 in=f32[4,4]{1,1} axis=1 k=2 data=shuffle.1:1"
#define OVERLAP_OUT "top_k fl=5.0 in=f32[4,4] axis=1 k=2 val=f32{1,1} data=shuffle.1:1"
#define ALIGNMENT   "top_k fl=5.0 in=f32[4]^4 axis=0 k=2 data=shuffle.1:1"
#define DIRECTION   "top_k1 fl=5.0 in=f32[4] axis=0 k=2 dir=2 data=shuffle.1:1"
#define INVALID     "top_k fl=5.0 in=f32[4] axis=1 k=2"
#define HIGHER      "top_k fl=2.0 in=i32[4,1,1,1] axis=0 k=2"
#define LEVEL_3_1   "top_k fl=3.1 in=f32[4] axis=0 k=2 data=shuffle.1:1"
#define BINDING     "top_k fl=5.0 in=f32[4]@4 axis=0 k=2 data=shuffle.1:1"
#define HUGE        "top_k fl=5.0 in=f32[4]#1073741825 axis=0 k=2"
#define HUGER       "top_k fl=5.0 in=f32[4]#17179869180@18446744073709551600 axis=0 k=2"
#define MANY        "top_k fl=5.0 in=f32[65535,65537]{0,0} axis=1 k=1"

static void answers_lead_to_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t status; /* run() returns this */
        uint32_t flags;
        enum topk_verdict verdict;
        enum topk_clause clause;
        int observation; /* the expected observation; -1: none */
    } rows[] = {
        /* valid */
        {VALID, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_REFUSED, TOPK_CLAUSE_V08, -1},
        {VALID, TOPK_BACKEND_UNSUPPORTED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_OUT_OF_MEMORY, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_DEVICE_LOST, 0, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_FAILED, 0, TOPK_VERDICT_ERROR, TOPK_CLAUSE_NONE, -1},
        {VALID, 77, 0, TOPK_VERDICT_ERROR, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_DONE, TOPK_BACKEND_OWN_CONTRACT, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         -1},
        /* open clauses */
        {WHOLE, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_K_IS_SIZE_ACCEPTED},
        {WHOLE, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V03,
         TOPK_OBSERVATION_K_IS_SIZE_REFUSED},
        {OVERLAP_IN, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_INPUT_OVERLAP_ACCEPTED},
        {OVERLAP_IN, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_T13,
         TOPK_OBSERVATION_INPUT_OVERLAP_REFUSED},
        {OVERLAP_OUT, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_OUTPUT_OVERLAP_REFUSED},
        {ALIGNMENT, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_ALIGNMENT_ACCEPTED},
        {ALIGNMENT, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_ALIGNMENT_REFUSED},
        {DIRECTION, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_DIRECTION_REFUSED},
        {BINDING, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_BINDING_UNJUDGED},
        {BINDING, TOPK_BACKEND_FAILED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_BINDING_UNJUDGED},
        /* invalid */
        {INVALID, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, -1},
        {INVALID, TOPK_BACKEND_DEVICE_LOST, 0, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_UNSUPPORTED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_FAILED, 0, TOPK_VERDICT_FAIL, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_REFUSED, TOPK_BACKEND_OWN_CONTRACT, TOPK_VERDICT_UNSUPPORTED,
         TOPK_CLAUSE_V01, -1},
        /* features of a higher level */
        {HIGHER, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         TOPK_OBSERVATION_LEVEL_KEPT},
        {HIGHER, TOPK_BACKEND_REFUSED, TOPK_BACKEND_STRICT_LEVEL, TOPK_VERDICT_PASS,
         TOPK_CLAUSE_NONE, -1},
    };
    struct fake fake = {.right = true};
    open_cpu(&fake);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake.info = (struct topk_backend_info){.feature_level = 0x5000,
                                               .batch = 1,
                                               .flags = rows[i].flags,
                                               .invalid_calls_reason = "it is another contract"};
        fake.run = rows[i].status;
        fake.reason = rows[i].status == TOPK_BACKEND_DONE ? "" : "because";
        struct topk_result result = run_text(&fake, rows[i].text);
        if (result.verdict != rows[i].verdict || result.clause != rows[i].clause) {
            fail_msg("%s answered with %u: %s, %s", rows[i].text, (unsigned)rows[i].status,
                     topk_verdict_word(result.verdict), topk_clause_id(result.clause));
        }
        /* except when no output was judged */
        bool judged = rows[i].status == TOPK_BACKEND_DONE && strcmp(rows[i].text, BINDING) != 0;
        assert_int_equal(result.by_status, result.verdict == TOPK_VERDICT_PASS && !judged);
        uint32_t wanted = rows[i].observation < 0 ? 0 : (uint32_t)1 << rows[i].observation;
        assert_int_equal(result.judgement.observations & wanted, wanted);
        assert_true(rows[i].observation >= 0 || result.judgement.observations == 0);
        if (result.verdict != TOPK_VERDICT_PASS) {
            assert_string_equal(result.reason, rows[i].flags & TOPK_BACKEND_OWN_CONTRACT
                                                   ? "it is another contract"
                                                   : "because");
        }
        /* the runner does not reject answers without a reason either */
        fake.reason = "";
        result = run_text(&fake, rows[i].text);
        assert_null(topk_verdict_wrong(result.verdict, result.judgement.count > 0, false,
                                       result.reason[0] != 0));
    }
    topk_host_close(&fake.cpu, NULL, 0);
}

/* V12: what is right in either direction is right, and shows no outputs that are wrong in the other
 */
static void another_direction_may_be_increasing(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}, .right = true};
    open_cpu(&fake);
    for (int increasing = 0; increasing < 2; increasing++) {
        fake.other_direction = increasing ? TOPK_INCREASING : TOPK_DECREASING;
        const struct topk_result result = run_text(&fake, DIRECTION);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_int_equal(result.judgement.observations,
                         1u << (increasing ? TOPK_OBSERVATION_DIRECTION_INCREASING
                                           : TOPK_OBSERVATION_DIRECTION_DECREASING));
        assert_false(result.judgement.has_sequence);
        assert_int_equal(result.window_count, 0);
    }
    topk_host_close(&fake.cpu, NULL, 0);
}

/* only a large case is held against the memory that there is */
static void small_cases_run_whatever_memory_there_is(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}, .right = true, .memory = 1};
    open_cpu(&fake);
    assert_int_equal(run_text(&fake, VALID).verdict, TOPK_VERDICT_PASS);
    topk_host_close(&fake.cpu, NULL, 0);
}

/* of a case that is run with pages at either side the worse verdict counts, and its side is told */
static void the_worse_side_of_guard_pages_counts(void **state)
{
    (void)state;
    static const char *const reasons[] = {"only with guard pages at the end of tensors: because",
                                          "only with guard pages at the start of tensors: because"};
    for (uint32_t at = 1; at <= 2; at++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1},
                            .right = true,
                            .run = TOPK_BACKEND_FAILED,
                            .reason = "because",
                            .fails_at = at,
                            .guard_page = TOPK_GUARD_PAGE_BOTH};
        open_cpu(&fake);
        const struct topk_result result = run_text(&fake, VALID);
        assert_int_equal(fake.calls, 2);
        assert_int_equal(result.verdict, TOPK_VERDICT_ERROR);
        assert_string_equal(result.reason, reasons[at - 1]);
        topk_host_close(&fake.cpu, NULL, 0);
    }
}

/* a case that passes although nothing was computed is marked */
static void outputs_that_are_not_judged_are_told(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}};
    static const char *const texts[] = {OVERLAP_OUT, BINDING};
    for (size_t i = 0; i < 2; i++) {
        struct topk_result result = run_text(&fake, texts[i]);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_true(result.by_status);
    }
    struct topk_result result = run_text(&fake, VALID);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_false(result.by_status);
    /* independent of the previous case, which used the same job */
    struct topk_host host;
    char error[256];
    assert_true(topk_host_open(&host, "cpu", error, sizeof error));
    for (int i = 0; i < 4; i++) {
        const char *text = i % 2 == 0 ? VALID : INVALID;
        struct topk_case tc;
        struct topk_case_error wrong;
        const struct topk_case *cases[] = {&tc};
        assert_true(topk_case_parse(text, strlen(text), &tc, &wrong));
        topk_host_run(&host, cases, 1, &result);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_int_equal(result.by_status, i % 2);
        topk_case_clear(&tc);
    }
    topk_host_close(&host, NULL, 0);
}

/* an invalid call that was created */
static void invalid_calls_that_are_accepted_name_their_clause(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}};
    struct topk_result result = run_text(&fake, INVALID);
    assert_int_equal(result.verdict, TOPK_VERDICT_ACCEPTED);
    assert_int_equal(result.clause, TOPK_CLAUSE_V01);
    assert_int_equal(result.judgement.count, 1);
    assert_int_equal(result.judgement.findings[0].mismatch, TOPK_MISMATCH_DESCRIPTION);
    assert_int_equal(fake.created, 1);
    fake.info.flags = TOPK_BACKEND_STRICT_LEVEL;
    result = run_text(&fake, HIGHER);
    assert_int_equal(result.verdict, TOPK_VERDICT_ACCEPTED);
    assert_int_equal(result.clause, TOPK_CLAUSE_V08 < TOPK_CLAUSE_V09 ? TOPK_CLAUSE_V09 : 0);
    assert_int_equal(fake.created, 2);
    /* without that flag, a backend of level 2.0 must refuse it, too */
    fake.info.flags = 0;
    fake.info.feature_level = 0x2000;
    result = run_text(&fake, HIGHER);
    assert_int_equal(result.verdict, TOPK_VERDICT_ACCEPTED);
}

static void levels_beyond_the_backend_are_unsupported(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x2100, .batch = 1}};
    struct topk_result result = run_text(&fake, LEVEL_3_1);
    assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
    assert_int_equal(result.clause, TOPK_CLAUSE_V13);
    assert_string_equal(result.reason, "asks for feature level 3.1, the backend serves 2.1");
    assert_int_equal(fake.calls, 0);
}

/* accepted and correct, although only a higher level has it: an observation, not a failure */
static void a_higher_level_may_show(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}, .right = true};
    struct topk_host host = {
        .loaded = {.backend = &fake_backend, .self = &fake, .info = fake.info}};
    static const char text[] = "top_k fl=2.0 in=i32[4,1,1,1] axis=0 k=2";
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    open_cpu(&fake);
    assert_true(topk_case_parse(text, sizeof text - 1, &tc, &error));
    /* DONE, but nothing was written: an accepted call must be correct */
    fake.right = false;
    topk_host_run(&host, cases, 1, &result);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.judgement.observations & 1u << TOPK_OBSERVATION_LEVEL_EXCEEDED,
                     1u << TOPK_OBSERVATION_LEVEL_EXCEEDED);
    topk_host_close(&host, NULL, 0);
    topk_host_close(&fake.cpu, NULL, 0);
}

static void what_a_backend_does_not_claim_is_not_run(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1},
                        .supports = TOPK_BACKEND_UNSUPPORTED,
                        .reason = "no such kernel"};
    struct topk_result result = run_text(&fake, VALID);
    assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
    assert_int_equal(result.clause, TOPK_CLAUSE_NONE);
    assert_string_equal(result.reason, "no such kernel");
    assert_int_equal(fake.calls, 0);
    /* supports() is not called for invalid calls */
    fake.run = TOPK_BACKEND_REFUSED;
    assert_int_equal(run_text(&fake, INVALID).verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 1);
}

/* a stray write comes before its consequences */
static void stray_writes_lead(void **state)
{
    (void)state;
    struct fake fake = {.right = true, .info = {.feature_level = 0x5000, .batch = 1}};
    open_cpu(&fake);
    fake.writes_input = true;
    struct topk_result result = run_text(&fake, VALID);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.clause, TOPK_CLAUSE_M01);
    assert_int_equal(result.judgement.findings[0].clause, TOPK_CLAUSE_S05);
    assert_int_equal(result.readings, 0);
    fake.writes_input = false;
    fake.writes_behind = true;
    result = run_text(&fake, VALID);
    assert_int_equal(result.clause, TOPK_CLAUSE_M02);
    assert_int_equal(result.judgement.findings[0].clause, TOPK_CLAUSE_S07);
    topk_host_close(&fake.cpu, NULL, 0);
}

/* outputs that were written elsewhere are unchanged in their place: the stray write is the cause */
static void stray_writes_lead_before_unwritten_outputs(void **state)
{
    (void)state;
    struct topk_host host;
    struct topk_case tc;
    struct topk_case_error wrong;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    char error[512];
    assert_true(topk_host_open(&host, "faulty:offset-ignored", error, sizeof error));
    assert_true(topk_case_parse(VALID, strlen(VALID), &tc, &wrong));
    topk_host_run(&host, cases, 1, &result);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.reading, TOPK_READING_UNWRITTEN);
    assert_int_equal(result.clause, TOPK_CLAUSE_M02);
    topk_case_clear(&tc);
    topk_host_close(&host, NULL, 0);
}

/* a case that is too large to be run is only created */
static void too_many_bytes_are_created_only(void **state)
{
    (void)state;
    static const char *const texts[] = {HUGE, HUGER, MANY};
    for (int i = 0; i < 3; i++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}};
        struct topk_result result = run_text(&fake, texts[i]);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_true(result.by_status);
        assert_non_null(strstr(result.reason, "created, not run: "));
        assert_non_null(strstr(result.reason, i < 2 ? "bytes of buffers" : "elements"));
        assert_int_equal(fake.calls, 1);
        assert_int_equal(fake.created, 1);
        fake.run = TOPK_BACKEND_REFUSED;
        assert_int_equal(run_text(&fake, texts[i]).verdict, TOPK_VERDICT_REFUSED);
        fake.run = TOPK_BACKEND_OUT_OF_MEMORY;
        assert_int_equal(run_text(&fake, texts[i]).verdict, TOPK_VERDICT_UNSUPPORTED);
        fake.calls = 0;
        fake.info.flags = TOPK_BACKEND_OWN_CONTRACT;
        assert_int_equal(run_text(&fake, texts[i]).verdict, TOPK_VERDICT_UNSUPPORTED);
        assert_int_equal(fake.calls, 0);
    }
}

static void reasons_without_an_end_are_cut(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1},
                        .run = TOPK_BACKEND_FAILED,
                        .unterminated = true};
    size_t room = sizeof((struct topk_backend_answer *)0)->reason;
    assert_int_equal(strlen(run_text(&fake, VALID).reason), room - 1);
    assert_int_equal(strlen(run_text(&fake, INVALID).reason), room - 1);
    fake.supports = TOPK_BACKEND_UNSUPPORTED;
    assert_int_equal(strlen(run_text(&fake, VALID).reason), room - 1);
}

/* a backend gets arrays as large as it wants, including second calls */
static void calls_come_in_batches(void **state)
{
    (void)state;
    static const uint32_t batches[] = {1, 2, 3, 7, 64};
    struct topk_case tcs[10];
    const struct topk_case *cases[10];
    for (unsigned i = 0; i < 10; i++) {
        char text[200];
        struct topk_case_error error;
        int length =
            snprintf(text, sizeof text, "top_k fl=5.0 in=f32[3,9] axis=1 k=%u%s data=shuffle.1:%u",
                     1 + i % 8, i % 2 ? " check=row" : "", i);
        assert_true(topk_case_parse(text, (size_t)length, &tcs[i], &error));
        cases[i] = &tcs[i];
    }
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = batches[b]}, .right = true};
        struct topk_host host = {
            .loaded = {.backend = &fake_backend, .self = &fake, .info = fake.info}};
        struct topk_result results[10];
        open_cpu(&fake);
        for (int again = 0; again < 2; again++) {
            fake.calls = fake.runs = fake.largest = 0;
            topk_host_run(&host, cases, 10, results);
            uint32_t calls = 10 + 5 * 3;
            assert_int_equal(fake.calls, calls);
            assert_int_equal(fake.runs, (calls + batches[b] - 1) / batches[b]);
            assert_int_equal(fake.largest, batches[b] < calls ? batches[b] : calls);
            for (int i = 0; i < 10; i++) {
                assert_int_equal(results[i].verdict, TOPK_VERDICT_PASS);
            }
        }
        topk_host_close(&host, NULL, 0);
        topk_host_close(&fake.cpu, NULL, 0);
    }
}

/* ---- second calls ---------------------------------------------------------------------------- */

#define PREFIX "top_k fl=5.0 in=f32[9] axis=0 k=4 check=prefix data=shuffle.1:1"

/* a relation that was not tested must not look like one that holds */
static void second_calls_that_are_not_served_are_told(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 4},
                        .right = true,
                        .declined_k = 3,
                        .reason = "no such kernel"};
    open_cpu(&fake);
    struct topk_result result = run_text(&fake, PREFIX);
    assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
    assert_string_equal(result.reason, "second call of check=prefix: no such kernel");
    assert_int_equal(fake.calls, 1);
    /* the first call is judged anyway */
    fake.right = false;
    assert_int_equal(run_text(&fake, PREFIX).verdict, TOPK_VERDICT_FAIL);
    fake.right = true;
    fake.declined_k = 0;
    fake.answered_k = 3;
    static const struct {
        uint32_t status;
        enum topk_verdict verdict;
    } rows[] = {{TOPK_BACKEND_UNSUPPORTED, TOPK_VERDICT_UNSUPPORTED},
                {TOPK_BACKEND_OUT_OF_MEMORY, TOPK_VERDICT_UNSUPPORTED},
                {TOPK_BACKEND_REFUSED, TOPK_VERDICT_REFUSED},
                {TOPK_BACKEND_DEVICE_LOST, TOPK_VERDICT_DEVICE_LOST},
                {TOPK_BACKEND_FAILED, TOPK_VERDICT_ERROR}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake.run = rows[i].status;
        result = run_text(&fake, PREFIX);
        assert_int_equal(result.verdict, rows[i].verdict);
        assert_string_equal(result.reason, "second call of check=prefix: no such kernel");
    }
    topk_host_close(&fake.cpu, NULL, 0);
}

static void checks_without_a_second_call_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *word;
    } rows[] = {{"top_k fl=5.0 in=f32[9] axis=0 k=1 check=prefix", "prefix"},
                {"top_k fl=5.0 in=f32[9] axis=0 k=1 check=axes", "axes"},
                {"top_k fl=5.0 in=f32[9] axis=0 k=1 check=widen", "widen"},
                {"top_k fl=3.1 in=i32[9] axis=0 k=1 check=widen", "widen"},
                {"top_k fl=2.0 in=f32[9,1,1,1] axis=0 k=1 check=dual", "dual"},
                {"top_k1 fl=5.0 in=f32[9] axis=0 k=1 dir=inc check=twin", "twin"},
                {"top_k fl=5.0 in=f32[9]^16777216 axis=0 k=1 check=offset", "offset"}};
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 4}, .right = true};
    open_cpu(&fake);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char reason[100];
        fake.calls = 0;
        struct topk_result result = run_text(&fake, rows[i].text);
        snprintf(reason, sizeof reason, "check=%s has no second call here", rows[i].word);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_string_equal(result.reason, reason);
        assert_int_equal(fake.calls, 1);
    }
    topk_host_close(&fake.cpu, NULL, 0);
}

/* a call that only disturbs may be declined, and is then left out */
static void calls_in_the_way_may_be_declined(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 64},
                        .right = true,
                        .declined_type = TOPK_BACKEND_FLOAT16,
                        .reason = "no such kernel"};
    open_cpu(&fake);
    struct topk_result result =
        run_text(&fake, "top_k fl=5.0 in=f32[9] axis=0 k=4 check=concurrent data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_string_equal(result.reason, "");
    assert_int_equal(fake.calls, 1 + 16 - 3);
    topk_host_close(&fake.cpu, NULL, 0);
}

/* first the first call alone, then each round in as few run() as the backend accepts */
static void some_second_calls_come_in_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *check;
        uint32_t batch;
        uint32_t runs;
        uint32_t sizes[6]; /* of the first calls of run() */
    } rows[] = {
        {"after", 64, 3, {1, 2, 1}},
        {"after", 1, 4, {1, 1, 1, 1}},
        {"concurrent", 64, 2, {1, 16}},
        {"concurrent", 16, 2, {1, 16}},
        {"concurrent", 5, 5, {1, 5, 5, 5, 1}},
        {"concurrent", 1, 17, {1, 1, 1}},
        {"soak", 64, 101, {1, 1, 1}},
        {"row", 64, 1, {4}},
        {"layout", 64, 1, {4}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = rows[i].batch},
                            .right = true};
        char text[100];
        open_cpu(&fake);
        snprintf(text, sizeof text, "top_k fl=5.0 in=f32[3,9] axis=1 k=4 check=%s data=shuffle.1:1",
                 rows[i].check);
        assert_int_equal(run_text(&fake, text).verdict, TOPK_VERDICT_PASS);
        assert_int_equal(fake.runs, rows[i].runs);
        for (uint32_t r = 0; r < 6 && rows[i].sizes[r] != 0; r++) {
            assert_int_equal(fake.sizes[r], rows[i].sizes[r]);
        }
        topk_host_close(&fake.cpu, NULL, 0);
    }
}

/* a large call is not repeated a hundred times */
static void large_calls_are_repeated_less(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}, .right = true};
    open_cpu(&fake);
    struct topk_result result =
        run_text(&fake, "top_k fl=5.0 in=f32[1500000] axis=0 k=4 check=soak data=const.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 1 + 17);
    fake.calls = 0;
    result =
        run_text(&fake, "top_k fl=5.0 in=u8[20000000] axis=0 k=4 check=concurrent data=const.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 1 + 13);
    topk_host_close(&fake.cpu, NULL, 0);
}

/* ---- what a plugin may say of itself
 * -------------------------------------------------------------
 */

static void what_cpu_says_of_itself(void **state)
{
    (void)state;
    struct topk_host host;
    char error[256];
    assert_true(topk_host_open(&host, "cpu", error, sizeof error));
    assert_string_equal(host.loaded.info.name, "cpu");
    assert_string_equal(host.loaded.info.invalid_calls_reason, "");
    assert_int_equal(host.loaded.info.feature_level, 0x5000);
    assert_int_equal(host.loaded.info.batch, 1);
    topk_host_close(&host, NULL, 0);
}

static void a_backend_gets_no_more_than_a_message_at_once(void **state)
{
    (void)state;
    struct topk_host host;
    char error[256];
    assert_true(
        topk_host_open(&host, TOPK_BINARY_DIR "/broken.so:batch-huge", error, sizeof error));
    assert_int_equal(host.loaded.info.batch, 1024);
    topk_host_close(&host, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_backends_do_not_open),
        cmocka_unit_test(wrong_options_do_not_open),
        cmocka_unit_test(what_cpu_says_of_itself),
        cmocka_unit_test(a_backend_gets_no_more_than_a_message_at_once),
        cmocka_unit_test(answers_lead_to_verdicts),
        cmocka_unit_test(another_direction_may_be_increasing),
        cmocka_unit_test(small_cases_run_whatever_memory_there_is),
        cmocka_unit_test(the_worse_side_of_guard_pages_counts),
        cmocka_unit_test(outputs_that_are_not_judged_are_told),
        cmocka_unit_test(invalid_calls_that_are_accepted_name_their_clause),
        cmocka_unit_test(levels_beyond_the_backend_are_unsupported),
        cmocka_unit_test(a_higher_level_may_show),
        cmocka_unit_test(what_a_backend_does_not_claim_is_not_run),
        cmocka_unit_test(stray_writes_lead),
        cmocka_unit_test(stray_writes_lead_before_unwritten_outputs),
        cmocka_unit_test(too_many_bytes_are_created_only),
        cmocka_unit_test(reasons_without_an_end_are_cut),
        cmocka_unit_test(calls_come_in_batches),
        cmocka_unit_test(second_calls_that_are_not_served_are_told),
        cmocka_unit_test(checks_without_a_second_call_are_told),
        cmocka_unit_test(calls_in_the_way_may_be_declined),
        cmocka_unit_test(some_second_calls_come_in_rounds),
        cmocka_unit_test(large_calls_are_repeated_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
