/* The lists of cases of a run, their order and their failures take a bounded amount of memory, and
 * lose nothing. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reference/test/support.h"
#include "session/session.h"

#define CASES      300000u
#define ID_BYTES   320u
#define MOST_GROWN ((size_t)40 << 20)

/* bytes of this process in memory; 0 if unknown, or under a sanitizer */
static size_t resident(void)
{
    unsigned long pages = 0;
    FILE *file = TOPK_SANITIZED ? NULL : fopen("/proc/self/statm", "r");
    if (file != NULL) {
        pages = fscanf(file, "%*s %lu", &pages) == 1 ? pages : 0;
        fclose(file);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* makes an id whose length depends on the number */
static size_t make_id(uint64_t number, char id[ID_BYTES])
{
    const size_t length =
        (size_t)snprintf(id, ID_BYTES, "made.up:case %llu", (unsigned long long)number);
    const size_t more = 200 + number * 7 % 100;
    memset(id + length, 'a' + (int)(number % 26), more);
    id[length + more] = 0;
    return length + more;
}

static void append(struct cli_cases *cases, uint64_t number)
{
    char id[ID_BYTES];
    const struct cli_case c = {.length = (uint32_t)make_id(number, id),
                               .text = 8,
                               .test = (uint32_t)number,
                               .level = (uint32_t)(number % 3),
                               .type = (uint32_t)(number % 11)};
    cli_cases_append(cases, id, &c);
}

static void assert_case(const struct cli_cases *cases, uint64_t at, uint64_t number)
{
    char id[ID_BYTES];
    const size_t length = make_id(number, id);
    const struct cli_case *c = cli_case_at(cases, at);
    assert_int_equal(c->length, length);
    assert_string_equal(c->id, id);
    assert_int_equal(c->test, number);
    assert_int_equal(c->level, number % 3);
    assert_int_equal(c->type, number % 11);
}

static void long_lists_lie_in_a_file(void **state)
{
    struct cli_cases cases = {0};
    (void)state;
    const size_t before = resident();
    for (uint64_t i = 0; i < CASES; i++) {
        append(&cases, i);
    }
    const size_t after = resident();
    assert_int_equal(cases.count, CASES);
    assert_true(before == 0 || after < before + MOST_GROWN);
    for (uint64_t i = 0; i < CASES; i++) {
        assert_case(&cases, i, i);
    }
    for (uint64_t i = 0; i < CASES; i++) { /* a prime step, so the cases are far apart */
        const uint64_t number = i * 7919 % CASES;
        if (i % 16 == 0) {
            assert_case(&cases, number, number);
        }
    }
    cli_cases_free(&cases);
}

static bool is_zero(const struct cli_case *c, const void *context)
{
    return c->level == *(const uint32_t *)context;
}

static void some_are_left_out(void **state)
{
    const uint32_t level = 0;
    struct cli_cases cases = {0};
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        append(&cases, i);
    }
    cli_cases_limit(&cases, 2);
    assert_int_equal(cases.count, CASES);
    cli_cases_keep(&cases, is_zero, &level);
    assert_int_equal(cases.count, CASES / 3);
    for (uint64_t i = 0; i < cases.count; i += 97) {
        assert_case(&cases, i, 3 * i);
    }
    append(&cases, 5);
    assert_case(&cases, CASES / 3, 5);
    cli_cases_free(&cases);
}

static void without_a_folder_they_stay_in_memory(void **state)
{
    struct cli_cases cases = {0};
    (void)state;
    /* no more descriptors: no file */
    int taken[4096];
    size_t count = 0;
    while (count < 4096 && (taken[count] = dup(0)) >= 0) {
        count++;
    }
    for (uint64_t i = 0; i < 100000; i++) {
        append(&cases, i);
    }
    while (count > 0) {
        close(taken[--count]);
    }
    for (uint64_t i = 0; i < 100000; i += 31) {
        assert_case(&cases, i, i);
    }
    cli_cases_free(&cases);
}

static bool every_fourth(const void *context, uint64_t number)
{
    (void)context;
    return number % 4 == 1;
}

static void orders(void **state)
{
    struct cli_order order;
    (void)state;
    cli_order_make(&order, 10, NULL, NULL, NULL, 0);
    assert_int_equal(order.count, 10);
    assert_null(order.list);
    assert_int_equal(cli_order_at(&order, 9), 9);
    cli_order_make(&order, 10, every_fourth, NULL, NULL, 0);
    assert_int_equal(order.count, 3); /* 1, 5, 9 */
    assert_int_equal(cli_order_at(&order, 2), 9);
    cli_order_free(&order);
    uint64_t *finished = cli_bits_new(10);
    cli_bits_put(finished, 5);
    cli_order_make(&order, 10, every_fourth, NULL, finished, 0);
    assert_int_equal(order.count, 2);
    assert_int_equal(cli_order_at(&order, 1), 9);
    cli_order_free(&order);
    free(finished);
    /* a seed must always shuffle the same way, because logs have it */
    static const uint32_t shuffled[] = {3, 4, 7, 6, 2, 5, 0, 1};
    cli_order_make(&order, 8, NULL, NULL, NULL, 7);
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(cli_order_at(&order, i), shuffled[i]);
    }
    cli_order_free(&order);
}

static void failures_are_kept_by_kind(void **state)
{
    struct cli_again again = {.retries = 2};
    const struct topk_clause_set none = {{0}};
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        cli_again_add(&again, i, i % 5000, TOPK_VERDICT_FAIL, &none);
        cli_again_add(&again, i, 5000, TOPK_VERDICT_TIMEOUT, &none);
    }
    assert_int_equal(again.seen, 400000);
    /* the first 32 failures of each of 32 kinds, and of the kind of the timeouts */
    assert_int_equal(again.failure_count, 33 * CLI_AGAIN_FAILURES);
    assert_int_equal(again.kind_count, CLI_AGAIN_KINDS);
    /* a failure that is printed is always kept */
    cli_again_add(&again, 77, 4999, TOPK_VERDICT_FAIL, &none);
    cli_again_show(&again);
    assert_int_equal(again.failure_count, 33 * CLI_AGAIN_FAILURES + 1);
    assert_true(again.failures[again.failure_count - 1].shown);
    cli_again_free(&again);
}

static void what_was_sent_is_kept_in_stretches(void **state)
{
    struct cli_again again = {.retries = 2};
    (void)state;
    for (uint64_t i = 0; i < 1000000; i++) {
        cli_again_sent(&again, i, 1);
    }
    assert_int_equal(again.sent_count, 1);
    for (uint64_t i = 0; i < 4 * CLI_AGAIN_SENT; i++) {
        cli_again_sent(&again, 2 * i, i % 2);
    }
    assert_true(again.sent_count <= CLI_AGAIN_SENT);
    assert_true(again.forgot);
    assert_int_equal(again.sent[again.sent_count - 1].first, 2 * (4 * CLI_AGAIN_SENT - 1));
    cli_again_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lists_lie_in_a_file),
        cmocka_unit_test(some_are_left_out),
        cmocka_unit_test(without_a_folder_they_stay_in_memory),
        cmocka_unit_test(orders),
        cmocka_unit_test(failures_are_kept_by_kind),
        cmocka_unit_test(what_was_sent_is_kept_in_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
