/* The host: every fault of broken.c is noticed, under a clause that it breaks; and each answer of a
 * backend leads to the verdict that it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "element.h"
#include "group.h"
#include "host.h"

#ifndef TOPK_BINARY_DIR
#define TOPK_BINARY_DIR "."
#endif

/* cases run at once */
#define BATCH 64

/* ---- faults -------------------------------------------------------------------------------------
 */

/* What must come of a fault over all cases. Each of the clauses is named first by some result;
 * one with a '+' behind it is named first or later, because another always goes before it. */
static const struct expectation {
    const char *fault;
    const char *clauses; /* separated by spaces; NULL: nothing may fail */
} expectations[] = {
    {"none", NULL},
    {"denormal-f32-order", NULL},
    {"nan-least", NULL},
    {"padding-written", NULL},
    {"refuses-k-equal-size", NULL},
    {"refuses-low-alignment", NULL},
    {"batch-huge", NULL},
    {"ties-descending", "S08 S09"},
    {"boundary-tie-high", "S09"},
    {"block-tie-high", "S09"},
    {"minus-zero-first", "F01"},
    {"flat-index", "S06"},
    {"index-scaled-by-stride", "S06"},
    {"index-one-based", "S06"},
    {"wrong-direction", "S03"},
    {"top-k-smallest", "S02"},
    {"ignores-k-order", "S04 S08"},
    {"duplicate-index", "S07"},
    {"skips-one", "S02 S03"},
    {"wrong-value-row", "S05"},
    {"batch-row-dependence", "S08 S13+"},
    {"flags-change-result", "S08 M09"},
    {"flags-flush-denormals", "M09"},
    {"twin-differs", "S08 S10"},
    {"k-dependence", "S08 S13"},
    {"alignment-dependence", "S08 M06"},
    {"nan-poisons-next-row", "S04"},
    {"nan-depends-on-output", "S14"},
    {"infinity-as-greatest-finite", "F03"},
    {"denormal-f16-flush", "F05"},
    {"denormal-f32-flush-bits", "S05"},
    {"f32-as-f16", "S03"},
    {"i64-as-double", "F07"},
    {"i64-low-dword", "F07"},
    {"i64-high-dword", "F07"},
    {"u-as-signed", "S02 S03"},
    {"packed-write", "T04"},
    {"packed-read", "T04"},
    {"broadcast-ignored", "T04"},
    {"offset-ignored", "S07 M02+"},
    {"offset-rounded", "M06"},
    {"upper-dword-unwritten", "M05"},
    {"writes-past-end", "M02"},
    {"writes-before-start", "M02"},
    {"writes-input", "M01"},
    {"no-write", "S07"},
    {"stale-second-call", "S05 S14"},
    {"depends-on-output", "S05 S14"},
    {"padding-read", "S05"},
    {"padding-dependence", "S08 M04"},
    {"refuses-valid", "-"},
    {"accepts-all-invalid",
     "V01 V02 V03b V04 V05 V06 V07 V08 V09 V11 V14 T01 T02+ T08 T09 T10 T11 T12+"},
    {"accepts-k-zero", "V02"},
    {"fails", "S12"},
    {"device-lost", "-"},
};

struct tally {
    struct topk_host host;
    struct topk_case cases[BATCH];
    struct topk_result results[BATCH];
    uint32_t count;
    uint32_t step; /* every so many cases are run */
    uint32_t seen;
    uint32_t run;
    uint32_t failing;
    uint32_t verdicts[TOPK_VERDICT_COUNT];
    uint32_t first[TOPK_CLAUSE_COUNT + 1]; /* results by the clause that they name */
    uint32_t found[TOPK_CLAUSE_COUNT + 1]; /* and by all of their findings */
};

static void run_cases(struct tally *tally)
{
    const struct topk_case *cases[BATCH];
    for (uint32_t i = 0; i < tally->count; i++) {
        cases[i] = &tally->cases[i];
    }
    topk_host_run(&tally->host, cases, tally->count, tally->results);
    for (uint32_t i = 0; i < tally->count; i++) {
        const struct topk_result *result = &tally->results[i];
        tally->run++;
        tally->verdicts[result->verdict]++;
        if (topk_verdict_failure(result->verdict)) {
            tally->failing++;
            tally->first[result->clause]++;
            for (uint32_t f = 0; f < result->judgement.count; f++) {
                tally->found[result->judgement.findings[f].clause]++;
            }
        }
        topk_case_clear(&tally->cases[i]);
    }
    tally->count = 0;
}

static bool take(void *context, struct topk_case *test)
{
    struct tally *tally = context;
    if (tally->seen++ % tally->step == 0) {
        assert_true(topk_case_copy(&tally->cases[tally->count++], test));
        if (tally->count == BATCH) {
            run_cases(tally);
        }
    }
    return true;
}

/* all cases but the few that take most of the time */
static struct tally *run_fault(const char *fault)
{
    static struct tally tally;
    char spec[1024];
    char error[1024];
    memset(&tally, 0, sizeof tally);
    tally.step = 1;
    snprintf(spec, sizeof spec, "%s/broken.so:%s", TOPK_BINARY_DIR, fault);
    if (!topk_host_open(&tally.host, spec, error, sizeof error)) {
        fail_msg("%s: %s", spec, error);
    }
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        /* what is large is slow, times the number of faults */
        bool slow = strcmp(test->group, "reach") == 0 ||
                    (strcmp(test->group, "sizes") == 0 && strcmp(test->name, "large") == 0);
        struct topk_sink sink = {.take = take, .context = &tally};
        if (!slow) {
            topk_test_enumerate(test, &sink);
        }
    }
    run_cases(&tally);
    topk_host_close(&tally.host);
    return &tally;
}

static void print_tally(const char *fault, const struct tally *tally)
{
    char text[1024];
    size_t length = 0;
    text[0] = 0;
    for (int c = 0; c <= TOPK_CLAUSE_COUNT && length < sizeof text - 40; c++) {
        if (tally->first[c] > 0) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, " %s:%u",
                                 topk_clause_id((enum topk_clause)c), (unsigned)tally->first[c]);
        }
    }
    print_message("%-28s %5u of %5u fail%s\n", fault, (unsigned)tally->failing,
                  (unsigned)tally->run, text);
}

static unsigned check_expectation(const struct expectation *expectation)
{
    const struct tally *tally = run_fault(expectation->fault);
    unsigned missing = 0;
    print_tally(expectation->fault, tally);
    if (expectation->clauses == NULL) {
        return tally->failing;
    }
    for (const char *at = expectation->clauses; *at != 0;) {
        size_t length = strcspn(at, " ");
        bool later = at[length - 1] == '+';
        enum topk_clause clause =
            *at == '-' ? TOPK_CLAUSE_NONE : topk_clause_parse(at, length - later);
        if ((later ? tally->found : tally->first)[clause] == 0) {
            print_error("%s: no result names %.*s\n", expectation->fault, (int)length, at);
            missing++;
        }
        at += length + (at[length] == ' ');
    }
    return missing + (tally->failing == 0);
}

static void every_fault_is_noticed(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        wrong += check_expectation(&expectations[i]);
    }
    assert_int_equal(wrong, 0);
}

/* ---- opening ------------------------------------------------------------------------------------
 */

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
        {"cpu:option", "cpu takes no options"},
        {TOPK_BINARY_DIR "/broken_abi.so", "has ABI version 2, this worker needs 1"},
        {TOPK_BINARY_DIR "/broken_empty.so", "no function topk_backend_entry"},
        {TOPK_BINARY_DIR "/broken.so", "no fault ''; faults: none"},
        {TOPK_BINARY_DIR "/broken.so:nothing", "no fault 'nothing'; faults: none"},
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

/* ---- verdicts -----------------------------------------------------------------------------------
 */

/* a backend whose answers are told in advance */
struct fake {
    uint32_t supports; /* status */
    uint32_t run;      /* status */
    const char *reason;
    bool unterminated; /* the reason fills its room */
    bool right;        /* computes where it says DONE, by the cpu backend */
    uint32_t calls;    /* that came */
    uint32_t runs;     /* run() was called */
    uint32_t largest;  /* most calls at once */
    uint32_t created;  /* of them create_only */
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
    (void)call;
    const struct fake *fake = self;
    answer(fake, fake->supports, to);
}

static void fake_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                     struct topk_backend_answer *answers)
{
    struct fake *fake = self;
    fake->runs++;
    fake->calls += count;
    fake->largest = count > fake->largest ? count : fake->largest;
    for (uint32_t i = 0; i < count; i++) {
        static const struct topk_backend_answer zero;
        assert_memory_equal(&answers[i], &zero, sizeof zero);
        assert_true((calls[i].create_only == 1) == (calls[i].input_buffer.data == NULL));
        assert_int_equal(calls[i].reserved, 0);
        fake->created += calls[i].create_only;
        if (fake->run == TOPK_BACKEND_DONE && fake->right) {
            fake->cpu.backend->run(fake->cpu.self, &calls[i], 1, &answers[i]);
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

/* runs one case text, as a backend of fake's info would */
static struct topk_result run_text(struct fake *fake, const char *text)
{
    struct topk_host host = {.backend = &fake_backend, .self = fake, .info = fake->info};
    struct topk_case test;
    struct topk_case_error error;
    struct topk_result result;
    const struct topk_case *cases[] = {&test};
    if (!topk_case_parse(text, strlen(text), &test, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    memset(&result, 0x5a, sizeof result);
    topk_host_run(&host, cases, 1, &result);
    topk_case_clear(&test);
    topk_host_close(&host);
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
#define HUGER       "top_k fl=5.0 in=f32[4]#18446744073709551615@18446744073709551600 axis=0 k=2"

static void answers_lead_to_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t status; /* that run() answers */
        uint32_t flags;
        enum topk_verdict verdict;
        enum topk_clause clause;
        int observation; /* that must be seen, or -1: none at all */
    } rows[] = {
        /* valid */
        {VALID, TOPK_BACKEND_DONE, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_REFUSED, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_UNSUPPORTED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_OUT_OF_MEMORY, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_DEVICE_LOST, 0, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_NONE, -1},
        {VALID, TOPK_BACKEND_FAILED, 0, TOPK_VERDICT_FAIL, TOPK_CLAUSE_S12, -1},
        {VALID, 77, 0, TOPK_VERDICT_FAIL, TOPK_CLAUSE_S12, -1},
        {VALID, TOPK_BACKEND_DONE, TOPK_BACKEND_OWN_CONTRACT, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE,
         -1},
        /* what the clauses leave open */
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
        /* invalid */
        {INVALID, TOPK_BACKEND_REFUSED, 0, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, -1},
        {INVALID, TOPK_BACKEND_DEVICE_LOST, 0, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_UNSUPPORTED, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_FAILED, 0, TOPK_VERDICT_FAIL, TOPK_CLAUSE_V01, -1},
        {INVALID, TOPK_BACKEND_REFUSED, TOPK_BACKEND_OWN_CONTRACT, TOPK_VERDICT_UNSUPPORTED,
         TOPK_CLAUSE_V01, -1},
        /* what only a higher level has */
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
        uint32_t wanted = rows[i].observation < 0 ? 0 : (uint32_t)1 << rows[i].observation;
        assert_int_equal(result.judgement.observations & wanted, wanted);
        assert_true(rows[i].observation >= 0 || result.judgement.observations == 0);
        if (result.verdict != TOPK_VERDICT_PASS) {
            assert_string_equal(result.reason, rows[i].flags & TOPK_BACKEND_OWN_CONTRACT
                                                   ? "it is another contract"
                                                   : "because");
        }
    }
    topk_host_close(&fake.cpu);
}

/* what is created although it must not be */
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
    /* of level 2.0 itself it may not have it either */
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

/* accepted and right, although only a higher level has it: noted, no failure */
static void a_higher_level_may_show(void **state)
{
    (void)state;
    struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}, .right = true};
    struct topk_host host = {.backend = &fake_backend, .self = &fake, .info = fake.info};
    static const char text[] = "top_k fl=2.0 in=i32[4,1,1,1] axis=0 k=2";
    struct topk_case test;
    struct topk_case_error error;
    struct topk_result result;
    const struct topk_case *cases[] = {&test};
    open_cpu(&fake);
    assert_true(topk_case_parse(text, sizeof text - 1, &test, &error));
    /* DONE, but nothing is written: accepted at a level that has it not, it must still be right */
    fake.right = false;
    topk_host_run(&host, cases, 1, &result);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.judgement.observations & 1u << TOPK_OBSERVATION_LEVEL_EXCEEDED,
                     1u << TOPK_OBSERVATION_LEVEL_EXCEEDED);
    topk_host_close(&host);
    topk_host_close(&fake.cpu);
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
    /* invalid calls are not asked about */
    fake.run = TOPK_BACKEND_REFUSED;
    assert_int_equal(run_text(&fake, INVALID).verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 1);
}

static void too_many_bytes_are_unsupported(void **state)
{
    (void)state;
    static const char *const texts[] = {HUGE, HUGER};
    for (int i = 0; i < 2; i++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = 1}};
        struct topk_result result = run_text(&fake, texts[i]);
        assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
        assert_int_equal(result.clause, TOPK_CLAUSE_NONE);
        assert_non_null(strstr(result.reason, "bytes of buffers"));
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

/* cases go to a backend in arrays as large as it wants, second calls among them */
static void calls_come_in_batches(void **state)
{
    (void)state;
    static const uint32_t batches[] = {1, 2, 3, 7, 64};
    struct topk_case tests[10];
    const struct topk_case *cases[10];
    for (unsigned i = 0; i < 10; i++) {
        char text[200];
        struct topk_case_error error;
        int length =
            snprintf(text, sizeof text, "top_k fl=5.0 in=f32[3,9] axis=1 k=%u%s data=shuffle.1:%u",
                     1 + i % 8, i % 2 ? " check=row" : "", i);
        assert_true(topk_case_parse(text, (size_t)length, &tests[i], &error));
        cases[i] = &tests[i];
    }
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
        struct fake fake = {.info = {.feature_level = 0x5000, .batch = batches[b]}, .right = true};
        struct topk_host host = {.backend = &fake_backend, .self = &fake, .info = fake.info};
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
        topk_host_close(&host);
        topk_host_close(&fake.cpu);
    }
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
    assert_string_equal(host.info.name, "cpu");
    assert_string_equal(host.info.invalid_calls_reason, "");
    assert_int_equal(host.info.feature_level, 0x5000);
    assert_int_equal(host.info.batch, 1);
    topk_host_close(&host);
}

static void a_backend_gets_no_more_than_a_message_at_once(void **state)
{
    (void)state;
    struct topk_host host;
    char error[256];
    assert_true(
        topk_host_open(&host, TOPK_BINARY_DIR "/broken.so:batch-huge", error, sizeof error));
    assert_int_equal(host.info.batch, 1024);
    topk_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_backends_do_not_open),
        cmocka_unit_test(what_cpu_says_of_itself),
        cmocka_unit_test(a_backend_gets_no_more_than_a_message_at_once),
        cmocka_unit_test(answers_lead_to_verdicts),
        cmocka_unit_test(invalid_calls_that_are_accepted_name_their_clause),
        cmocka_unit_test(levels_beyond_the_backend_are_unsupported),
        cmocka_unit_test(a_higher_level_may_show),
        cmocka_unit_test(what_a_backend_does_not_claim_is_not_run),
        cmocka_unit_test(too_many_bytes_are_unsupported),
        cmocka_unit_test(reasons_without_an_end_are_cut),
        cmocka_unit_test(calls_come_in_batches),
        cmocka_unit_test(every_fault_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
