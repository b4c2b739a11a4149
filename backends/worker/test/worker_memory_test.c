/* Tests a judge that runs out of memory: a case gets its correct verdict, or the one that reports
 * the lack of memory, but no other. The backend process is not blamed. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "reference/test/scarce.h"
#include "scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "worker/host.h"
#include "worker/relation.h"
#include "worker/serve.h"

/* ---- cases ----------------------------------------------------------------------------------- */

static const char *backend = "cpu";
static enum topk_verdict verdict = TOPK_VERDICT_PASS; /* its verdict if memory suffices */
static uint32_t unjudged;             /* results that the judge had no memory to judge */
static const char *text;              /* the case that is run */
static enum topk_guard_page guard_at; /* side of the guard pages */

static bool run_case(uint32_t number, bool follow)
{
    struct topk_host host;
    struct topk_case tc;
    struct topk_case_error wrong;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    char error[200];
    assert_true(topk_host_open(&host, backend, error, sizeof error));
    if (!topk_case_parse(text, strlen(text), &tc, &wrong)) {
        fail_msg("%s: %s", text, wrong.message);
    }
    memset(&result, 0x5a, sizeof result);
    scarce_start(number, follow);
    const bool guarded =
        guard_at == TOPK_GUARD_PAGE_NONE || topk_host_guard(&host, guard_at, error, sizeof error);
    if (guarded) {
        topk_host_run(&host, cases, 1, &result);
    }
    const uint32_t failed = scarce_end();
    topk_host_close(&host, NULL, 0);
    topk_case_clear(&tc);
    if (!guarded) {
        assert_string_equal(error, "out of memory");
        return false;
    }
    if (result.verdict == verdict) {
        return true;
    }
    assert_true(failed > 0);
    /* the backend runs in this process and can run out of memory, too; faulty gives no reason */
    if (result.verdict == TOPK_VERDICT_UNSUPPORTED) {
        const bool reasoned = strcmp(backend, "cpu") == 0;
        if (reasoned && strstr(result.reason, "no memory ") == NULL) {
            fail_msg("%s: %s", text, result.reason);
        }
        return false;
    }
    if (result.verdict != TOPK_VERDICT_HARNESS_ERROR ||
        strstr(result.reason, "out of memory") == NULL) {
        fail_msg("%s: allocation %u%s: %s: %s", text, (unsigned)number, follow ? " and on" : "",
                 topk_verdict_word(result.verdict), result.reason);
    }
    unjudged += strcmp(result.reason, "out of memory while judging") == 0;
    return false;
}

static void cases_have_no_other_verdict(void **state)
{
    (void)state;
    static const char sequence[] = "top_k fl=5.0 in=f32[9] axis=0 k=4 data=shuffle.1:1 then "
                                   "top_k fl=5.0 in=f32[4] axis=0 k=2 data=out:1";
    static const char *const texts[] = {
        "top_k fl=5.0 in=f32[3,40] axis=1 k=20 data=shuffle.1:1",
        "top_k fl=5.0 in=u8[300] axis=0 k=3 data=few.1:7:3",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=prefix data=shuffle.1:1",
        "top_k fl=5.0 in=f32[3,9] axis=1 k=4 check=row data=shuffle.1:1",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=monotone data=shuffle.1:1",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=permute data=few.1:7:3",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=soak data=few.1:7:3",
        "top_k1 fl=5.0 in=f32[9] axis=0 k=4 dir=inc check=dual data=few.1:7:3",
        "top_k fl=5.0 in=f32[9] axis=1 k=4",
        "top_k fl=5.0 in=f32[6000] axis=0 k=3000 data=shuffle.1:1",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=after data=few.1:7:3",
        "top_k fl=5.0 in=f32[9] axis=0 k=4 check=concurrent data=few.1:7:3",
        sequence,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        text = texts[i];
        guard_at = TOPK_GUARD_PAGE_NONE;
        assert_true(scarce_try(run_case) > 4);
        guard_at = i < 2 ? TOPK_GUARD_PAGE_BOTH : TOPK_GUARD_PAGE_NONE;
        assert_true(i >= 2 || scarce_try(run_case) > 4);
    }
}

/* a wrong result stays wrong, or the judge says that it had no memory to judge it */
static void wrong_results_have_no_other_verdict(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "top_k fl=5.0 in=f32[3,40] axis=1 k=20 data=shuffle.1:1",
        "top_k fl=5.0 in=u8[9] axis=0 k=4 check=permute data=few.1:7:3",
    };
    backend = "faulty:index-one-based";
    verdict = TOPK_VERDICT_FAIL;
    guard_at = TOPK_GUARD_PAGE_NONE;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        text = texts[i];
        unjudged = 0;
        assert_true(scarce_try(run_case) > 4);
        assert_true(unjudged > 0);
    }
    backend = "cpu";
    verdict = TOPK_VERDICT_PASS;
}

/* ---- relations ------------------------------------------------------------------------------- */

/* Compares two calls whose outputs differ, under a contract that leaves the order of ties open.
 * Returns the number of findings. */
static uint32_t compare_unequal(const char *of, bool with_memory)
{
    struct topk_case tc;
    struct topk_case_error wrong;
    struct topk_call first = {0};
    struct topk_call second = {0};
    struct topk_contract contract = {.chosen = 0};
    struct topk_judgement judgement = {.count = 0};
    topk_contract_choose(&contract, TOPK_OPTION_TIES_ANY);
    assert_true(topk_case_parse(of, strlen(of), &tc, &wrong));
    assert_true(topk_call_prepare(&first, &tc, TOPK_POISON_ONES));
    assert_int_equal(topk_relation_prepare(&second, &first, 0, 0), 1);
    assert_true(topk_call_reset(&second, TOPK_POISON_ZEROS));
    topk_call_load(&first);
    topk_call_load(&second);
    scarce_start(with_memory ? 0 : 1, true);
    topk_relation_compare(&second, &first, 0, &contract, &judgement);
    assert_int_equal(scarce_end() > 0, !with_memory);
    topk_call_free(&second);
    topk_call_free(&first);
    topk_case_clear(&tc);
    return judgement.count;
}

/* without memory to look for ties a sequence may have some, so its outputs are not compared */
static void what_may_have_ties_is_not_compared(void **state)
{
    (void)state;
    static const char distinct[] =
        "top_k fl=5.0 in=u8[3] axis=0 k=2 check=permute data=hex:03,01,02";
    static const char ties[] = "top_k fl=5.0 in=u8[3] axis=0 k=2 check=permute data=hex:03,02,03";
    assert_true(compare_unequal(distinct, true) > 0);
    assert_int_equal(compare_unequal(distinct, false), 0);
    assert_int_equal(compare_unequal(ties, true), 0);
}

/* ---- the lines of the runner ----------------------------------------------------------------- */

static bool serve_lines(uint32_t number, bool follow)
{
    static char lines[20000];
    struct topk_host host;
    char error[200];
    char out_text[20000] = "";
    size_t used = (size_t)sprintf(
        lines, "batch 1\ntop_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1\nbatch 2\n");
    memset(lines + used, 'x', 5000); /* longer than the initial room for a line */
    used += 5000;
    used += (size_t)sprintf(lines + used,
                            "\ntop_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1\nquit\n");
    FILE *in = fmemopen(lines, used, "r");
    FILE *out = fmemopen(out_text, sizeof out_text, "w");
    assert_non_null(in);
    assert_non_null(out);
    assert_true(topk_host_open(&host, "cpu", error, sizeof error));
    setvbuf(in, NULL, _IONBF, 0); /* so that the C library allocates nothing later */
    scarce_start(number, follow);
    const int code = topk_serve(&host, in, out);
    const uint32_t failed = scarce_end();
    fclose(in);
    fclose(out);
    topk_host_close(&host, NULL, 0);
    uint32_t passed = 0;
    uint32_t wrong = 0;
    for (const char *at = out_text; (at = strstr(at, "done ")) != NULL; at += 5) {
        passed += strncmp(at + 7, "pass ", 5) == 0;
        wrong +=
            strncmp(at + 7, "harness-error ", 14) == 0 || strncmp(at + 7, "unsupported ", 12) == 0;
    }
    if (code == EXIT_SUCCESS) {
        assert_int_equal(passed + wrong, 3); /* all cases are answered */
        return passed == 2;
    }
    assert_true(failed > 0);
    assert_int_equal(code, TOPK_WORKER_EXIT_HARNESS);
    return false;
}

static void lines_are_answered_or_it_ends_with_an_error(void **state)
{
    (void)state;
    assert_true(scarce_try(serve_lines) > 8);
}

/* ---- a backend process ----------------------------------------------------------------------- */

static bool open_and_ask(uint32_t number, bool follow)
{
    char error[TOPK_GREETING_ERROR] = "";
    enum topk_greeting_kind kind;
    start(HELLO "|answer 1 2 $\ndone \ndone \n|#|", ENDS);
    scarce_start(number, follow);
    client = topk_client_open(&scripted_link, "", &loaded, &kind, error, sizeof error);
    if (client == NULL) {
        scarce_end();
        assert_string_equal(error, "out of memory");
        assert_string_equal(process.said, "");
        return false;
    }
    topk_client_send(client, queue, 2);
    scarce_end();
    topk_client_receive(client);
    const bool good = topk_client_ended(client)->how[0] == 0;
    assert_true(good || strcmp(topk_client_ended(client)->how, "out of memory") == 0);
    close_client();
    return good;
}

static bool ask_carefully(uint32_t number, bool follow)
{
    open_client(HELLO "|answer 1 1 0\ndone \n|", ENDS);
    topk_client_limit(client, 50, true);
    scarce_start(number, follow);
    topk_client_send(client, queue, 1);
    scarce_end();
    const bool good = topk_client_ended(client)->how[0] == 0;
    assert_true(good || strcmp(topk_client_ended(client)->how, "out of memory") == 0);
    close_client();
    return good;
}

static bool ask_devices(uint32_t number, bool follow)
{
    char error[400] = "";
    FILE *out = tmpfile();
    assert_non_null(out);
    start("devices=\n", ENDS);
    scarce_start(number, follow);
    const bool good = topk_client_devices(&scripted_link, out, error, sizeof error);
    scarce_end();
    fclose(out);
    assert_true(good || strcmp(error, "out of memory") == 0);
    return good;
}

static void a_process_is_not_asked(void **state)
{
    (void)state;
    assert_int_equal(scarce_try(open_and_ask), 4);
    assert_int_equal(scarce_try(ask_carefully), 2);
    assert_int_equal(scarce_try(ask_devices), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_have_no_other_verdict),
        cmocka_unit_test(wrong_results_have_no_other_verdict),
        cmocka_unit_test(what_may_have_ties_is_not_compared),
        cmocka_unit_test(lines_are_answered_or_it_ends_with_an_error),
        cmocka_unit_test(a_process_is_not_asked),
    };
    return cmocka_run_group_tests(tests, prepare_small, free_calls);
}
