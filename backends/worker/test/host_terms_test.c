/* Tests a host with terms: a contract, guard pages on both sides, and a limit on the memory of a
 * case. Everything that the terms exclude is reported as excluded, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"
#include "worker/host.h"

/* ---- a backend ------------------------------------------------------------------------------- */

/* A fake backend that computes with `cpu`. */
static struct fake {
    struct topk_host cpu;
    enum topk_guard_page wrong_at; /* a value is wrong if the guard page is on this side */
    uint32_t wrong_calls;          /* number of calls before one is wrong; 0: none is wrong */
    uint32_t answered_k;           /* calls with this K get `status' */
    uint32_t status;
    uint32_t done_calls;   /* number of calls before the others fail; 0: none fails */
    uint32_t served_calls; /* number of calls before the others are declined; 0: none is */
    const char *note;      /* for calls that are DONE */
    bool writes_input;
    uint32_t calls;
    uint32_t starts;
    uint32_t asked;
    uint64_t before; /* bytes around the tensor in the input buffer of the last supports() */
    uint64_t behind;
} fake;

/* Returns on which side a page boundary is next to a buffer. */
static enum topk_guard_page side_of(const struct topk_backend_buffer *buffer)
{
    const uint64_t page = topk_page_bytes();
    return (uintptr_t)buffer->data % page == 0                     ? TOPK_GUARD_PAGE_START
           : ((uintptr_t)buffer->data + buffer->bytes) % page == 0 ? TOPK_GUARD_PAGE_END
                                                                   : TOPK_GUARD_PAGE_NONE;
}

static void fake_supports(void *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    fake.asked++;
    assert_int_equal(call->create_only, 0);
    fake.before = call->input_buffer.offset;
    fake.behind = call->input_buffer.bytes - fake.before - call->input->total_bytes;
    answer->status = fake.served_calls > 0 && fake.asked > fake.served_calls
                         ? TOPK_BACKEND_UNSUPPORTED
                         : TOPK_BACKEND_DONE;
}

static void fake_run(void *self, const struct topk_backend_call *given, uint32_t count,
                     struct topk_backend_answer *answers)
{
    const struct topk_loaded *cpu = &fake.cpu.loaded;
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_call call = given[i];
        call.direction = call.direction > 1 ? TOPK_DIRECTION_INCREASING : call.direction;
        cpu->backend->run(cpu->self, &call, 1, &answers[i]);
        fake.calls++;
        if (answers[i].status == TOPK_BACKEND_DONE && fake.note != NULL) {
            snprintf(answers[i].reason, sizeof answers[i].reason, "%s", fake.note);
        }
        if (given[i].create_only != 0) {
            continue;
        }
        unsigned char *value = given[i].value_buffer.data;
        const bool wrong = fake.wrong_at != TOPK_GUARD_PAGE_NONE &&
                           side_of(&given[i].value_buffer) == fake.wrong_at;
        if (wrong || (fake.wrong_calls > 0 && fake.calls > fake.wrong_calls)) {
            value[given[i].value_buffer.offset] ^= 1;
        }
        if (fake.writes_input) {
            ((unsigned char *)given[i].input_buffer.data)[given[i].input_buffer.offset] ^= 1;
        }
        const uint32_t k = given[i].k;
        answers[i].status = fake.done_calls > 0 && fake.calls > fake.done_calls
                                ? TOPK_BACKEND_FAILED
                            : k == fake.answered_k ? fake.status
                                                   : answers[i].status;
    }
}

static void fake_start(void *self, const struct topk_backend_call *given, uint32_t count,
                       struct topk_backend_answer *answers)
{
    fake.starts++;
    fake_run(self, given, count, answers);
}

static void fake_finish(void *self)
{
    (void)self;
}

static void fake_close(void *self)
{
    (void)self;
}

static const struct topk_backend fake_backend = {.abi = TOPK_BACKEND_ABI,
                                                 .struct_bytes = sizeof(struct topk_backend),
                                                 .name = "fake",
                                                 .supports = fake_supports,
                                                 .run = fake_run,
                                                 .start = fake_start,
                                                 .finish = fake_finish,
                                                 .close = fake_close};

static int open_fake(void **state)
{
    char error[200];
    (void)state;
    memset(&fake, 0, sizeof fake);
    return topk_host_open(&fake.cpu, "cpu", error, sizeof error) ? 0 : -1;
}

static int close_fake(void **state)
{
    (void)state;
    topk_host_close(&fake.cpu, NULL, 0);
    return 0;
}

static struct topk_host host_of_fake(void)
{
    struct topk_host host = {
        .loaded = {.backend = &fake_backend, .self = &fake, .info = fake.cpu.loaded.info}};
    return host;
}

static void parse(const char *text, struct topk_case *tc)
{
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
}

/* Runs a case; does not close the host. */
static struct topk_result run_on(struct topk_host *host, const char *text)
{
    struct topk_case tc;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    parse(text, &tc);
    fake.calls = fake.asked = 0;
    topk_host_run(host, cases, 1, &result);
    topk_case_clear(&tc);
    return result;
}

static struct topk_host host_with(const char *rules)
{
    struct topk_host host = host_of_fake();
    struct topk_contract contract;
    char error[400];
    assert_true(topk_contract_parse(rules, strlen(rules), false, &contract, error, sizeof error));
    if (!topk_host_declare(&host, &contract, error, sizeof error)) {
        fail_msg("%s: %s", rules, error);
    }
    return host;
}

#define VALID    "top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1"
#define INVALID  "top_k fl=5.0 in=f32[4] axis=1 k=2"
#define MISBOUND "top_k fl=5.0 in=f32[4]@4 axis=0 k=2"
#define PREFIX   "top_k fl=5.0 in=f32[9] axis=0 k=4 check=prefix data=shuffle.1:1"

/* ---- contracts ------------------------------------------------------------------------------- */

/* A case that a contract excludes is not run, and is reported as excluded by the contract. */
static void what_a_contract_excludes_is_not_run(void **state)
{
    (void)state;
    static const struct {
        const char *rules;
        const char *text;
        enum topk_clause clause;
        uint32_t calls;
        const char *reason; /* a part of the reason */
    } rows[] = {
        {"invalid=own", INVALID, TOPK_CLAUSE_V01, 0, "the declared contract has invalid=own"},
        {"types=f16", VALID, TOPK_CLAUSE_NONE, 0, "types=f16"},
        {"k=4", PREFIX, TOPK_CLAUSE_NONE, 1, "second call of check=prefix: "},
        {"memory=gathered", "top_k fl=5.0 in=f32[4,4] axis=1 k=2 check=layout data=shuffle.1:1",
         TOPK_CLAUSE_NONE, 1,
         "check=layout is not observed: the declared contract has memory=gathered"},
        {"invalid=own", "top_k fl=5.0 in=f32[4]#1073741825 axis=0 k=2", TOPK_CLAUSE_NONE, 0,
         "too large to be run, and the contract says nothing of creation alone"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_host host = host_with(rows[i].rules);
        const struct topk_result result = run_on(&host, rows[i].text);
        assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
        assert_true(result.by_contract);
        assert_int_equal(result.clause, rows[i].clause);
        assert_int_equal(fake.calls, rows[i].calls);
        if (strstr(result.reason, rows[i].reason) == NULL) {
            fail_msg("%s: %s", rows[i].text, result.reason);
        }
        topk_host_close(&host, NULL, 0);
    }
    /* what the backend itself refuses is not attributed to the contract */
    struct topk_host host = host_with("k=1..9");
    fake.answered_k = 3;
    fake.status = TOPK_BACKEND_REFUSED;
    const struct topk_result result = run_on(&host, PREFIX);
    assert_int_equal(result.verdict, TOPK_VERDICT_REFUSED);
    assert_false(result.by_contract);
    topk_host_close(&host, NULL, 0);
}

/* With memory=gathered, the behaviour of the adapter is not observed. */
static void an_adapter_is_not_observed(void **state)
{
    (void)state;
    static const char text[] = "top_k fl=5.0 in=f32[4,4]{1,1} axis=1 k=2 data=shuffle.1:1";
    const uint32_t overlap = (uint32_t)1 << TOPK_OBSERVATION_INPUT_OVERLAP_ACCEPTED;
    struct topk_host host = host_with("");
    assert_int_equal(run_on(&host, text).judgement.observations & overlap, overlap);
    topk_host_close(&host, NULL, 0);
    host = host_with("memory=gathered");
    const struct topk_result result = run_on(&host, text);
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(result.judgement.observations & overlap, 0);
    topk_host_close(&host, NULL, 0);
}

/* A given contract may add rules to a backend that declares none, but must not differ from a
 * contract that the backend declares. */
static void a_contract_does_not_contradict_the_declared_one(void **state)
{
    (void)state;
    static const struct {
        const char *own;
        const char *given;
        const char *error; /* NULL: the contract is accepted */
    } rows[] = {
        {"", "ties=any", NULL},
        {"ties=any", "ties=any", NULL},
        {"ties=any", "ties=highest",
         "the backend declares ties=any by itself, and the contract that was given has "
         "ties=highest"},
        {"ties=any", "",
         "the backend declares ties=any by itself, and the contract that was given has "
         "ties=lowest"},
        {"invalid=own", "ties=any", NULL}, /* this rule is only a flag */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_host host = host_of_fake();
        struct topk_contract given;
        char error[400] = "";
        assert_true(topk_contract_parse(rows[i].own, strlen(rows[i].own), false,
                                        &host.loaded.contract, error, sizeof error));
        host.loaded.info.flags = topk_contract_flags(&host.loaded.contract, 0);
        assert_true(topk_contract_parse(rows[i].given, strlen(rows[i].given), false, &given, error,
                                        sizeof error));
        const bool good = topk_host_declare(&host, &given, error, sizeof error);
        if (good != (rows[i].error == NULL) || (!good && strcmp(error, rows[i].error) != 0)) {
            fail_msg("%s, %s: %s", rows[i].own, rows[i].given, error);
        }
        topk_host_close(&host, NULL, 0);
    }
}

/* ---- guard pages ----------------------------------------------------------------------------- */

static struct topk_host host_with_pages(enum topk_guard_page side)
{
    struct topk_host host = host_of_fake();
    char error[200];
    assert_true(topk_host_guard(&host, side, error, sizeof error));
    return host;
}

/* A case that runs with guard pages on both sides gets the worse of its two results, with the side
 * where it occurred. */
static void the_worse_side_counts(void **state)
{
    (void)state;
    static const char at_end[] = "only with guard pages at the end of tensors";
    static const char at_start[] = "only with guard pages at the start of tensors";
    static const struct {
        enum topk_guard_page side;
        enum topk_guard_page wrong_at;
        enum topk_verdict verdict;
        const char *reason;
    } rows[] = {
        {TOPK_GUARD_PAGE_BOTH, TOPK_GUARD_PAGE_NONE, TOPK_VERDICT_PASS, ""},
        {TOPK_GUARD_PAGE_BOTH, TOPK_GUARD_PAGE_END, TOPK_VERDICT_FAIL, at_end},
        {TOPK_GUARD_PAGE_BOTH, TOPK_GUARD_PAGE_START, TOPK_VERDICT_FAIL, at_start},
        {TOPK_GUARD_PAGE_END, TOPK_GUARD_PAGE_START, TOPK_VERDICT_PASS, ""},
        {TOPK_GUARD_PAGE_END, TOPK_GUARD_PAGE_END, TOPK_VERDICT_FAIL, ""},
        {TOPK_GUARD_PAGE_START, TOPK_GUARD_PAGE_START, TOPK_VERDICT_FAIL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_host host = host_with_pages(rows[i].side);
        fake.wrong_at = rows[i].wrong_at;
        const struct topk_result result = run_on(&host, VALID);
        assert_int_equal(result.verdict, rows[i].verdict);
        assert_string_equal(result.reason, rows[i].reason);
        assert_int_equal(fake.calls, rows[i].side == TOPK_GUARD_PAGE_BOTH ? 2 : 1);
        /* the tensor of the last supports() is at the page, too */
        assert_true(rows[i].side == TOPK_GUARD_PAGE_END ? fake.behind < 16 : fake.before < 16);
        assert_true(rows[i].side == TOPK_GUARD_PAGE_END ? fake.before > 0 : fake.behind > 0);
        topk_host_close(&host, NULL, 0);
    }
    /* the backend's note for the worse side follows */
    struct topk_host host = host_with_pages(TOPK_GUARD_PAGE_BOTH);
    fake.wrong_at = TOPK_GUARD_PAGE_START;
    fake.note = "a note";
    assert_string_equal(run_on(&host, VALID).reason,
                        "only with guard pages at the start of tensors: a note");
    /* a call that is only created needs no guard pages */
    assert_int_equal(run_on(&host, INVALID).verdict, TOPK_VERDICT_PASS);
    topk_host_close(&host, NULL, 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define LARGE "top_k fl=5.0 in=f32[4]#1073741825 axis=0 k=2"

static void large_cases_need_memory(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    struct topk_case tc;
    parse(LARGE, &tc);
    const uint64_t bytes = topk_case_memory(&tc);
    topk_case_clear(&tc);
    /* more than the worker gives a case */
    host.case_memory = bytes - 1;
    struct topk_result result = run_on(&host, LARGE);
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_true(result.by_status);
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "created, not run: it takes %llu bytes of memory, the worker gives it %llu",
             (unsigned long long)bytes, (unsigned long long)bytes - 1);
    assert_string_equal(result.reason, wanted);
    /* more than is free */
    host.case_memory = bytes;
    host.memory = bytes - 1;
    result = run_on(&host, LARGE);
    assert_int_equal(result.verdict, TOPK_VERDICT_HARNESS_ERROR);
    assert_non_null(strstr(result.reason, "GiB are free"));
    assert_int_equal(fake.calls, 0);
    /* a small case is run regardless of the free memory */
    host.memory = 1;
    assert_int_equal(run_on(&host, VALID).verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 1);
    topk_host_close(&host, NULL, 0);
}

/* ---- second calls ---------------------------------------------------------------------------- */

/* Calls whose outputs are not judged are not compared either. */
static void unjudged_calls_are_not_compared(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    host.outputs = true;
    fake.wrong_calls = 1; /* the second call is wrong */
    const struct topk_result result =
        run_on(&host, "top_k fl=5.0 in=f32[9]@4 axis=0 k=4 check=repeat data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(result.judgement.count, 0);
    assert_true(fake.calls > 1);
    assert_true(result.by_status);
    assert_int_equal(run_on(&host, "top_k fl=5.0 in=f32[9] axis=0 k=4 check=repeat "
                                   "data=shuffle.1:1")
                         .verdict,
                     TOPK_VERDICT_FAIL);
    topk_host_close(&host, NULL, 0);
}

/* A soak stops at the first call that is not DONE. "No second call" is only reported if the case
 * passes. */
static void rounds_end_where_a_call_is_not_done(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    fake.answered_k = 4;
    fake.status = TOPK_BACKEND_FAILED;
    struct topk_result result =
        run_on(&host, "top_k fl=5.0 in=f32[9] axis=0 k=4 check=soak data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_ERROR);
    assert_int_equal(fake.calls, 1);
    fake.answered_k = 0;
    fake.done_calls = 7;
    result = run_on(&host, "top_k fl=5.0 in=f32[9] axis=0 k=4 check=soak data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_ERROR);
    assert_int_equal(fake.calls, 8);
    assert_memory_equal(result.reason, "second call of check=soak: ", 27);
    fake.done_calls = 0;
    static const char alone[] = "top_k fl=5.0 in=f32[9] axis=0 k=1 check=prefix data=shuffle.1:1";
    assert_string_equal(run_on(&host, alone).reason, "check=prefix has no second call here");
    fake.writes_input = true;
    result = run_on(&host, alone);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_string_equal(result.reason, "");
    topk_host_close(&host, NULL, 0);
}

/* The note of the first call stays the reason; no second call is named instead. */
static void a_note_of_the_first_call_stands(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    fake.wrong_calls = 1;
    struct topk_result result = run_on(&host, PREFIX);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_memory_equal(result.reason, "first seen in second call 1 of check=prefix: ", 45);
    fake.note = "a note";
    result = run_on(&host, PREFIX);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_string_equal(result.reason, "a note");
    topk_host_close(&host, NULL, 0);
}

/* If several second calls are not DONE, the first one decides. */
static void the_first_that_is_not_done_decides(void **state)
{
    (void)state;
    static const char text[] = "top_k fl=5.0 in=f32[3,9] axis=1 k=4 check=row data=shuffle.1:1";
    struct topk_host host = host_of_fake();
    fake.done_calls = 1;
    struct topk_result result = run_on(&host, text);
    assert_int_equal(result.verdict, TOPK_VERDICT_ERROR);
    assert_memory_equal(result.reason, "second call of check=row: ", 26);
    fake.done_calls = 0;
    fake.served_calls = 1;
    result = run_on(&host, text);
    assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
    assert_false(result.by_contract);
    assert_int_equal(fake.calls, 1);
    assert_int_equal(fake.asked, 4);
    topk_host_close(&host, NULL, 0);
}

/* The outputs of a misbound call are not judged, but the backend may decline it. */
static void misbound_calls_may_be_declined(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    fake.answered_k = 2;
    fake.status = TOPK_BACKEND_UNSUPPORTED;
    assert_int_equal(run_on(&host, MISBOUND).verdict, TOPK_VERDICT_UNSUPPORTED);
    topk_host_close(&host, NULL, 0);
}

/* If the direction is invalid, the outputs may be in either order, but must be in one of the
 * two. */
static void a_direction_is_one_of_two(void **state)
{
    (void)state;
    static const char text[] = "top_k1 fl=5.0 in=f32[4] axis=0 k=2 dir=2 data=shuffle.1:1";
    const uint32_t increasing = (uint32_t)1 << TOPK_OBSERVATION_DIRECTION_INCREASING;
    struct topk_host host = host_of_fake();
    struct topk_result result = run_on(&host, text);
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(result.judgement.observations & increasing, increasing);
    fake.wrong_at = TOPK_GUARD_PAGE_END;
    char error[100];
    assert_true(topk_host_guard(&host, TOPK_GUARD_PAGE_END, error, sizeof error));
    result = run_on(&host, text);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    topk_host_close(&host, NULL, 0);
}

/* A description that does not fit into the reason is left out. */
static void a_long_description_is_left_out(void **state)
{
    (void)state;
#define LONG "{1000000,1000000,1000000,1000000,1000000,1000000,1000000,1}"
    struct topk_host host = host_of_fake();
    fake.wrong_calls = 1;
    const struct topk_result result =
        run_on(&host, "top_k fl=5.0 in=f32[1,1,1,1,1,1,1,9]" LONG " axis=7 k=4 val=f32" LONG
                      " idx=u32" LONG " check=prefix data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_string_equal(result.reason, "first seen in second call 1 of check=prefix");
    topk_host_close(&host, NULL, 0);
}

/* check=monotone replaces values by others in the same order; this also works if all are equal. */
static void one_value_is_moved(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    assert_int_equal(
        run_on(&host, "top_k fl=5.0 in=f32[9] axis=0 k=4 check=monotone data=const.1:1").verdict,
        TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 2);
    topk_host_close(&host, NULL, 0);
}

/* A sequence passes by status only if each of its calls does. */
static void sequences_pass_by_status(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    static const struct {
        const char *text;
        bool by_status;
    } rows[] = {{INVALID " then " INVALID, true},
                {INVALID " then " VALID, false},
                {VALID " then " INVALID, false},
                {VALID " then " VALID, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_result result = run_on(&host, rows[i].text);
        assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
        assert_int_equal(result.by_status, rows[i].by_status);
        assert_int_equal(fake.calls, 2);
    }
    topk_host_close(&host, NULL, 0);
}

/* A call that was not run has no outputs; the next call, which takes its data from them, is still
 * made. */
static void outputs_of_calls_that_are_not_run_are_nothing(void **state)
{
    (void)state;
    static const char next[] = "top_k fl=5.0 in=f32[2] axis=0 k=1 data=out:1";
    struct topk_host host = host_of_fake();
    for (int large = 0; large < 2; large++) {
        char text[300];
        snprintf(text, sizeof text, "%s then %s", large == 1 ? LARGE : INVALID, next);
        assert_int_equal(run_on(&host, text).verdict, TOPK_VERDICT_PASS);
        assert_int_equal(fake.calls, 2);
    }
    topk_host_close(&host, NULL, 0);
}

/* A description that is invalid at every level stays invalid, even if the backend has a higher
 * level. */
static void a_higher_level_mends_only_what_it_has(void **state)
{
    (void)state;
    struct topk_host host = host_of_fake();
    host.loaded.info.flags &= ~TOPK_BACKEND_STRICT_LEVEL;
    struct topk_result result = run_on(&host, "top_k fl=2.0 in=f32[1,1,1,4] axis=4 k=2");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(result.judgement.observations, 0);
    topk_host_close(&host, NULL, 0);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* start() is not used if the backend takes only few calls at once, because the host would have
 * nothing to do meanwhile. */
static void a_small_batch_is_not_started(void **state)
{
    (void)state;
    static const uint32_t batches[] = {7, 8};
    for (size_t i = 0; i < 2; i++) {
        struct topk_host host = host_of_fake();
        host.loaded.starts = true;
        host.loaded.info.batch = batches[i];
        fake.starts = 0;
        assert_int_equal(run_on(&host, VALID).verdict, TOPK_VERDICT_PASS);
        assert_int_equal(fake.starts, i);
        assert_null(topk_host_died(&host));
        assert_null(topk_host_crash(&host));
        topk_host_close(&host, NULL, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_contract_excludes_is_not_run, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(an_adapter_is_not_observed, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(a_contract_does_not_contradict_the_declared_one, open_fake,
                                        close_fake),
        cmocka_unit_test_setup_teardown(the_worse_side_counts, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(large_cases_need_memory, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(unjudged_calls_are_not_compared, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(rounds_end_where_a_call_is_not_done, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(a_note_of_the_first_call_stands, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(a_higher_level_mends_only_what_it_has, open_fake,
                                        close_fake),
        cmocka_unit_test_setup_teardown(a_small_batch_is_not_started, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(the_first_that_is_not_done_decides, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(misbound_calls_may_be_declined, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(a_direction_is_one_of_two, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(a_long_description_is_left_out, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(one_value_is_moved, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(sequences_pass_by_status, open_fake, close_fake),
        cmocka_unit_test_setup_teardown(outputs_of_calls_that_are_not_run_are_nothing, open_fake,
                                        close_fake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
