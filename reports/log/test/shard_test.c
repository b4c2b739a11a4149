/* Which shard a case belongs to. */
#define _XOPEN_SOURCE 700
#include "fixture.h"

#include <inttypes.h>

#define IDS 20000u

static size_t make_id(uint32_t number, char id[64])
{
    return (size_t)snprintf(id, 64, "group.test:top_k fl=2.0 in=f32[%" PRIu32 "]", number);
}

/* logs depend on it */
static void the_rule_never_changes(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        uint32_t bucket, of_4, of_10000;
    } rows[] = {
        {"", 2342, 2, 8954},
        {"a", 3675, 3, 2959},
        {"ties.boundary:top_k fl=2.0 in=f32[4] axis=0 k=2", 754, 1, 2241},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t length = strlen(rows[i].id);
        assert_int_equal(topk_shard_bucket(rows[i].id, length), rows[i].bucket);
        assert_int_equal(topk_shard_of_id(rows[i].id, length, 4), rows[i].of_4);
        assert_int_equal(topk_shard_of_id(rows[i].id, length, 10000), rows[i].of_10000);
    }
}

/* each case is of one shard, whatever its number, and shards have about as many */
static void each_case_is_of_one_shard(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 4, 7, 16, 100};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const uint32_t shards = counts[c];
        uint32_t sizes[101] = {0};
        for (uint32_t i = 0; i < IDS; i++) {
            char id[64];
            const size_t length = make_id(i, id);
            uint32_t of = 0;
            for (uint32_t s = 1; s <= shards; s++) {
                const struct topk_shard shard = {s, shards, TOPK_SHARD_BY_ID, NULL};
                const bool has = topk_shard_has(&shard, i, id, length);
                assert_int_equal(has, topk_shard_has(&shard, i + 1, id, length));
                of += has;
                sizes[s] += has;
            }
            assert_int_equal(of, 1);
        }
        for (uint32_t s = 1; s <= shards; s++) {
            assert_in_range(sizes[s], IDS / shards * 7 / 10, IDS / shards * 13 / 10);
        }
    }
}

/* as shards did before: by the number of a case, the first to the first */
static void numbers_are_dealt_in_turn(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        for (uint32_t s = 1; s <= 3; s++) {
            const struct topk_shard shard = {s, 3, TOPK_SHARD_BY_NUMBER, NULL};
            assert_int_equal(topk_shard_has(&shard, number, "a", 1), number % 3 == s - 1);
        }
    }
}

static void write_costs(const struct topk_shard_costs *costs, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    topk_shard_costs_write(file, costs);
    assert_int_equal(fclose(file), 0);
}

/* The sums of shards differ by less than the dearest bucket, and a bucket without costs is left to
 * the id. */
static void costs_are_dealt_evenly(void **state)
{
    (void)state;
    struct topk_shard_costs costs = {{0}, ""};
    uint16_t of[TOPK_SHARD_BUCKETS];
    uint64_t total = 0;
    for (uint32_t i = 0; i < TOPK_SHARD_BUCKETS; i++) {
        costs.microseconds[i] =
            i % 5 == 0 ? 0 : 1 + (i * UINT64_C(2654435761) % 1000) * (i % 97 == 1 ? 50 : 1);
        total += costs.microseconds[i];
    }
    static const uint32_t counts[] = {1, 2, 4, 9, 32};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint64_t sums[33] = {0};
        assert_true(topk_shard_costs_deal(&costs, counts[c], of));
        for (uint32_t i = 0; i < TOPK_SHARD_BUCKETS; i++) {
            assert_int_equal(of[i] == 0, costs.microseconds[i] == 0);
            assert_in_range(of[i], 0, counts[c]);
            sums[of[i]] += costs.microseconds[i];
        }
        for (uint32_t s = 1; s <= counts[c]; s++) {
            assert_in_range(sums[s], total / counts[c] * 98 / 100, total / counts[c] * 102 / 100);
        }
    }
    /* more shards than buckets with costs */
    memset(costs.microseconds, 0, sizeof costs.microseconds);
    costs.microseconds[7] = costs.microseconds[9] = 5;
    assert_true(topk_shard_costs_deal(&costs, TOPK_SHARD_BUCKETS, of));
    assert_int_equal(of[7], 1);
    assert_int_equal(of[9], 2);
}

/* Each case is of one shard, and a case that is added moves no other: costs are those of before. */
static void costs_divide(void **state)
{
    struct scratch *scratch = *state;
    struct topk_shard_costs costs;
    uint16_t of[TOPK_SHARD_BUCKETS];
    struct topk_result result = sample_pass();
    struct topk_log *log = log_open(scratch);
    for (uint32_t i = 0; i < 3000; i++) {
        char id[64];
        make_id(i, id);
        result.nanoseconds = i % 100 == 0 ? 5000000 : 1000;
        log_put(log, i, id, &result);
    }
    log_finish(log, true);
    assert_true(topk_shard_costs_read(&costs, scratch->log, scratch->error, sizeof scratch->error));
    assert_true(topk_shard_costs_deal(&costs, 4, of));
    uint32_t dear[5] = {0};
    for (uint32_t i = 0; i < 6000; i++) {
        char id[64];
        const size_t length = make_id(i, id);
        uint32_t found = 0;
        for (uint32_t s = 1; s <= 4; s++) {
            const struct topk_shard shard = {s, 4, TOPK_SHARD_BY_COSTS, of};
            found += topk_shard_has(&shard, i, id, length);
            dear[s] += i < 3000 && i % 100 == 0 && topk_shard_has(&shard, i, id, length);
        }
        assert_int_equal(found, 1);
    }
    for (int s = 1; s <= 4; s++) {
        assert_in_range(dear[s], 7, 8);
    }

    /* what is written of a log is read as the same */
    char path[PATH_BYTES + 16];
    struct topk_shard_costs again;
    snprintf(path, sizeof path, "%s/costs", scratch->dir);
    write_costs(&costs, path);
    assert_true(topk_shard_costs_read(&again, path, scratch->error, sizeof scratch->error));
    assert_memory_equal(costs.microseconds, again.microseconds, sizeof costs.microseconds);
    assert_string_equal(costs.digest, again.digest);
}

static void other_files_are_refused(void **state)
{
    struct scratch *scratch = *state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "has no costs"},
        {"topk-costs 1\n", "has no costs"},
        {"topk-costs 2\n1 2\n", ":1:"},
        {"topk-costs 1\n1\n", ":2:"},
        {"topk-costs 1\n1 2", ":2:"},
        {"topk-costs 1\n1 2 \n", ":2:"},
        {"topk-costs 1\n01 2\n", ":2:"},
        {"topk-costs 1\n1 0\n", ":2:"},
        {"topk-costs 1\n1 -2\n", ":2:"},
        {"topk-costs 1\n4096 2\n", ":2:"},
        {"topk-costs 1\n4294967297 2\n", ":2:"},
        {"topk-costs 1\n1 18446744073709551615\n", ":2:"},
        {"topk-costs 1\n5 2\n5 2\n", ":3:"},
        {"topk-costs 1\n5 2\n4 2\n", ":3:"},
        {"topk-costs 1\n5 2\n6 2000000000000000000000000000000000000000000000000000000000000\n",
         ":3:"},
        {"something else\n", ":1:"},
    };
    char path[PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/costs", scratch->dir);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_shard_costs costs;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].text, file);
        fclose(file);
        scratch->error[0] = 0;
        assert_false(topk_shard_costs_read(&costs, path, scratch->error, sizeof scratch->error));
        assert_non_null(strstr(scratch->error, rows[i].says));
        assert_non_null(strstr(scratch->error, path));
    }
    struct topk_shard_costs costs;
    assert_false(
        topk_shard_costs_read(&costs, "/nonexistent", scratch->error, sizeof scratch->error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_never_changes),
        cmocka_unit_test(each_case_is_of_one_shard),
        cmocka_unit_test(numbers_are_dealt_in_turn),
        cmocka_unit_test(costs_are_dealt_evenly),
        cmocka_unit_test_setup_teardown(costs_divide, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(other_files_are_refused, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
