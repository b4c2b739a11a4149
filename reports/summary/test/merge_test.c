/* Merging shards: what two honest ones come to, and what is refused that no run writes. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "summary/merge.h"

/* A shard of two, of four cases. */
struct shard {
    const char *name;
    uint32_t shard;
    uint64_t numbers[2];
    const char *probed; /* NULL: no probe */
    enum {
        WHOLE,
        INCOMPLETE,
        KILLED
    } end;
    uint32_t flags;  /* of the backend, beside those of the sample */
    uint32_t shards; /* 0: two */
    enum topk_judge judge;
    enum topk_shard_rule rule;
    const char *costs;
};

static void write_shard(struct scratch *scratch, const struct shard *shard)
{
    char dir[PATH_BYTES + 16];
    struct topk_log_header header = sample_header();
    uint64_t totals[TOPK_VERDICT_COUNT] = {2};
    snprintf(dir, sizeof dir, "%s/%s", scratch->dir, shard->name);
    header.cases = 2;
    header.shard = shard->shard;
    header.shards = shard->shards == 0 ? 2 : shard->shards;
    header.backend.flags ^= shard->flags;
    header.shard_total = 4;
    header.shard_rule = shard->rule;
    header.shard_costs = shard->costs;
    header.judge = shard->judge;
    header.started = shard->shard == 2 ? "2026-01-31T11:00:00Z" : header.started;
    header.replay = shard->name; /* may differ */
    struct topk_log *log = topk_log_create(dir, &header, scratch->error, sizeof scratch->error);
    assert_non_null(log);
    if (shard->probed != NULL) {
        struct topk_probe probe = {.name = "a.b", .verdict = TOPK_PROBE_OBSERVED};
        snprintf(probe.value, sizeof probe.value, "%s", shard->probed);
        assert_true(topk_log_probe(log, &probe));
    }
    for (int i = 0; i < 2; i++) {
        char id[32];
        struct topk_result result = i == 0 ? sample_pass() : sample_fail();
        result.by_status = i == 0;
        snprintf(id, sizeof id, "t.one:%d", (int)shard->numbers[i]);
        assert_true(
            topk_log_case(log, shard->numbers[i], id, TOPK_TYPE_F32, TOPK_TYPE_U64, &result));
        if (i == 1) {
            const struct topk_log_again again = {.number = shard->numbers[i],
                                                 .kind = TOPK_AGAIN_FLAKY,
                                                 .alone = {.runs = 2, .failed = 1}};
            assert_true(topk_log_again(log, &again));
            assert_true(topk_log_shrunk(log, &shard->numbers[i], 1, true, "x", TOPK_TYPE_F32,
                                        TOPK_TYPE_U64, &result));
        }
    }
    assert_true(shard->end == KILLED || topk_log_end(log, shard->end == WHOLE, totals));
    assert_true(topk_log_close(log));
}

static enum topk_merge_status merge(struct scratch *scratch, const struct shard *a,
                                    const struct shard *b, const struct topk_merge_watch *watch)
{
    char paths[2][PATH_BYTES + 64];
    const struct shard *shards[] = {a, b};
    for (int i = 0; i < 2; i++) {
        write_shard(scratch, shards[i]);
        snprintf(paths[i], sizeof paths[i], "%s/%s/%s", scratch->dir, shards[i]->name,
                 TOPK_LOG_NAME);
    }
    scratch->error[0] = 0;
    return topk_merge((const char *const[]){paths[1], paths[0]}, 2, scratch->dir, watch,
                      scratch->error, sizeof scratch->error);
}

static void refused(void **state, const struct shard *a, const struct shard *b, const char *reason)
{
    struct scratch *scratch = *state;
    assert_int_equal(merge(scratch, a, b, &(struct topk_merge_watch){0}), TOPK_MERGE_REFUSED);
    if (strstr(scratch->error, reason) == NULL) {
        fail_msg("no \"%s\" in \"%s\"", reason, scratch->error);
    }
    assert_int_not_equal(access(scratch->log, F_OK), 0);
}

/* what the merged log holds */
struct held {
    unsigned cases, probes, agains, shrunk, ends;
    uint64_t numbers;
};

static bool held_header(void *context, const struct topk_log_header *header)
{
    (void)context;
    assert_int_equal(header->cases, 4);
    assert_int_equal(header->merged, 2);
    assert_int_equal(header->shard, 0);
    assert_int_equal(header->shards, 0);
    assert_string_equal(header->started, "2026-01-31T11:00:00Z");
    assert_string_equal(header->replay, "one");
    assert_int_equal(header->selection_count, 2);
    assert_int_equal(header->judge, TOPK_JUDGE_APART);
    return true;
}

static bool held_case(void *context, const struct topk_log_record *record)
{
    struct held *held = context;
    held->cases++;
    held->numbers = 10 * held->numbers + record->number;
    assert_int_equal(record->finding_count, record->number >= 2 ? 2 : 0);
    assert_int_equal(record->by_status, record->number < 2);
    assert_int_equal(record->verdict, record->number < 2 ? TOPK_VERDICT_PASS : TOPK_VERDICT_FLAKY);
    return true;
}

static bool held_probe(void *context, const struct topk_probe *probe)
{
    assert_string_equal(probe->value, "kept");
    ((struct held *)context)->probes++;
    return true;
}

static bool held_again(void *context, const struct topk_log_again *again)
{
    assert_int_equal(again->alone.failed, 1);
    assert_int_equal(((struct held *)context)->cases, 4);
    ((struct held *)context)->agains++;
    return true;
}

static bool held_shrunk(void *context, const struct topk_log_shrunk *shrunk)
{
    assert_string_equal(shrunk->record.id, "x");
    assert_int_equal(((struct held *)context)->cases, 4); /* they stand behind */
    ((struct held *)context)->shrunk++;
    return true;
}

static bool held_end(void *context, const struct topk_log_ending *ending)
{
    assert_true(ending->complete);
    ((struct held *)context)->ends++;
    return true;
}

static void shards_become_one_log(void **state)
{
    struct scratch *scratch = *state;
    const struct shard one = {
        "one", 1, {0, 2}, "kept", WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, "kept", WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    struct held held = {0};
    const struct topk_log_reader reader = {.context = &held,
                                           .header = held_header,
                                           .record = held_case,
                                           .end = held_end,
                                           .probe = held_probe,
                                           .shrunk = held_shrunk,
                                           .again = held_again};
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}), TOPK_MERGE_WHOLE);
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(held.cases, 4);
    assert_int_equal(held.numbers, 213); /* 0 2 1 3 */
    assert_int_equal(held.probes, 1);
    assert_int_equal(held.agains, 2);
    assert_int_equal(held.shrunk, 2);
    assert_int_equal(held.ends, 1);
}

static void shards_of_another_contract_are_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 1, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two, "two/" TOPK_LOG_NAME ":1: its feature levels and flags are 0x");
}

/* or one that is to be believed would stand for one that is not */
static void shards_that_were_judged_otherwise_are_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 0, 0, TOPK_JUDGE_WORKER, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two,
            "two/" TOPK_LOG_NAME ":1: its judge is 'judged by the worker, not by this suite'");
}

/* as many as nobody runs: what is missing is not counted one by one */
static void more_shards_than_there_can_be_are_no_log(void **state)
{
    struct scratch *scratch = *state;
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, UINT32_MAX, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 0, UINT32_MAX, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}), TOPK_MERGE_FAILED);
    assert_non_null(strstr(scratch->error, ":1: "));
    assert_int_not_equal(access(scratch->log, F_OK), 0);
}

static void a_shard_without_an_end_is_missed(void **state)
{
    struct scratch *scratch = *state;
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, "kept", INCOMPLETE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}),
                     TOPK_MERGE_INCOMPLETE);
    assert_non_null(strstr(scratch->error, "the first is shard 2"));
}

/* which file, and how much is missing */
static void a_shard_that_was_killed_is_missed(void **state)
{
    struct scratch *scratch = *state;
    const struct shard one = {
        "one", 1, {0, 2}, NULL, KILLED, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}),
                     TOPK_MERGE_INCOMPLETE);
    assert_non_null(strstr(scratch->error, "one/" TOPK_LOG_NAME ":5: the log was truncated"));
    assert_non_null(strstr(scratch->error, "1 of 2 shards is missing or unfinished"));
}

static void probes_that_differ_are_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 2}, "kept", WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, "flushed", WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two, "probe a.b came to 'flushed'");
}

static void a_case_of_another_shard_is_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two, "case 2 does not belong to shard 2 of 2");
}

static void a_case_of_no_shard_is_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 5}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two, "case 5 does not belong");
    /* nor one whose number is that of the cases */
    const struct shard last = {
        "one", 1, {0, 4}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    assert_int_equal(scratch_remove(state), 0);
    assert_int_equal(scratch_make(state), 0);
    refused(state, &last, &two, "case 4 does not belong");
}

static void a_case_with_two_results_is_refused(void **state)
{
    const struct shard one = {
        "one", 1, {0, 0}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    refused(state, &one, &two, "case 0 has two results");
}

/* ---- a merge that is ended ------------------------------------------------------------------- */

static void end_here(void *context, const struct topk_log_record *record)
{
    if (record->number == 2) {
        raise(*(const int *)context);
    }
}

/* Whatever ends a merge before its end, there is no log that stands for part of the run, and the
 * merge can be made again. */
static void killed_merge_leaves_no_log(void **state)
{
    struct scratch *scratch = *state;
    static const int ends[] = {SIGKILL, SIGTERM};
    const struct shard one = {
        "one", 1, {0, 2}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = {
        "two", 2, {1, 3}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    for (size_t i = 0; i < 2; i++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            int end = ends[i];
            merge(scratch, &one, &two,
                  &(struct topk_merge_watch){.context = &end, .record = end_here});
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_not_equal(access(scratch->log, F_OK), 0);
        for (int shard = 0; shard < 2; shard++) {
            char path[PATH_BYTES + 64];
            snprintf(path, sizeof path, "%s/%s/%s", scratch->dir, shard == 0 ? "one" : "two",
                     TOPK_LOG_NAME);
            assert_int_equal(unlink(path), 0);
        }
    }
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}), TOPK_MERGE_WHOLE);
}

/* what decides is the id, which is of one shard only */
static void a_case_whose_id_is_of_another_shard_is_refused(void **state)
{
    for (uint64_t number = 0; number < 4; number++) {
        char id[32];
        char reason[64];
        const int length = snprintf(id, sizeof id, "t.one:%d", (int)number);
        const uint32_t other = 3 - topk_shard_of_id(id, (size_t)length, 2);
        const struct shard one = {.name = "one",
                                  .shard = other,
                                  .numbers = {number, number},
                                  .judge = TOPK_JUDGE_APART,
                                  .rule = TOPK_SHARD_BY_ID};
        struct shard two = one;
        two.name = "two";
        two.shard = 3 - other;
        snprintf(reason, sizeof reason, "case %d does not belong to shard %d of 2", (int)number,
                 (int)other);
        refused(state, other == 1 ? &one : &two, other == 1 ? &two : &one,
                other == 1 ? reason : "has two results");
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static struct shard by_costs(const char *name, uint32_t number, uint64_t first, uint64_t second,
                             const char *costs)
{
    return (struct shard){.name = name,
                          .shard = number,
                          .numbers = {first, second},
                          .judge = TOPK_JUDGE_APART,
                          .rule = TOPK_SHARD_BY_COSTS,
                          .costs = costs};
}

/* costs are not in the log: their digest says that the shards belong together */
static void costs_have_to_be_the_same(void **state)
{
    const struct shard one = by_costs("one", 1, 0, 1, DIGEST_A);
    const struct shard other = by_costs("other", 2, 2, 3, DIGEST_B);
    const struct shard again = by_costs("again", 2, 1, 3, DIGEST_A);
    const struct shard plain = {
        "plain", 2, {1, 3}, NULL, WHOLE, 0, 0, TOPK_JUDGE_APART, TOPK_SHARD_BY_NUMBER, NULL};
    const struct shard two = by_costs("two", 2, 2, 3, DIGEST_A);
    const struct shard first = by_costs("first", 1, 0, 1, DIGEST_A);
    const struct shard second = by_costs("second", 1, 0, 1, DIGEST_A);
    const struct shard third = by_costs("third", 1, 0, 1, DIGEST_A);
    refused(state, &one, &other, "its cases were divided by costs bbbbbbbbbbbb, and those of");
    refused(state, &first, &plain, "divided by number, and those of");
    refused(state, &second, &again, "case 1 has two results");
    assert_int_equal(merge(*state, &third, &two, &(struct topk_merge_watch){0}), TOPK_MERGE_WHOLE);
}

struct missed {
    uint32_t count, numbers;
    char path[512];
};

static void note_missing(void *context, uint32_t number, const char *path)
{
    struct missed *missed = context;
    missed->count++;
    missed->numbers = 10 * missed->numbers + number;
    if (path != NULL) {
        snprintf(missed->path, sizeof missed->path, "%s", path);
    }
}

/* one that never came, one that did not end, and a folder without a log */
static void missing_shards_are_named(void **state)
{
    struct scratch *scratch = *state;
    struct missed missed = {0};
    const struct topk_merge_watch watch = {.context = &missed, .missing = note_missing};
    const struct shard whole = {.name = "two",
                                .shard = 2,
                                .shards = 3,
                                .numbers = {1, 2},
                                .judge = TOPK_JUDGE_APART,
                                .rule = TOPK_SHARD_BY_COSTS,
                                .costs = DIGEST_A};
    char path[PATH_BYTES + 64];
    char empty[PATH_BYTES + 64];
    write_shard(scratch, &whole);
    snprintf(path, sizeof path, "%s/two/%s", scratch->dir, TOPK_LOG_NAME);
    snprintf(empty, sizeof empty, "%s/empty", scratch->dir);
    file_write(empty, "", 0);
    assert_int_equal(topk_merge((const char *const[]){"/nonexistent", empty, path}, 3, scratch->dir,
                                &watch, scratch->error, sizeof scratch->error),
                     TOPK_MERGE_INCOMPLETE);
    assert_int_equal(missed.count, 2);
    assert_int_equal(missed.numbers, 13);
    assert_string_equal(missed.path, "");
    assert_non_null(strstr(scratch->error, "2 of 3 shards are missing"));
    assert_int_equal(topk_merge((const char *const[]){"/nonexistent", empty}, 2, scratch->dir,
                                &watch, scratch->error, sizeof scratch->error),
                     TOPK_MERGE_REFUSED);
    assert_non_null(strstr(scratch->error, "none of the shards has a log"));
}

/* a shard that never came may have had no case */
static void a_shard_without_a_case_is_not_missed(void **state)
{
    struct scratch *scratch = *state;
    struct shard one = by_costs("one", 1, 0, 1, DIGEST_A);
    struct shard two = by_costs("two", 2, 2, 3, DIGEST_A);
    one.shards = two.shards = 3;
    assert_int_equal(merge(scratch, &one, &two, &(struct topk_merge_watch){0}), TOPK_MERGE_WHOLE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        TEST(shards_become_one_log),
        TEST(a_case_whose_id_is_of_another_shard_is_refused),
        TEST(costs_have_to_be_the_same),
        TEST(missing_shards_are_named),
        TEST(a_shard_without_a_case_is_not_missed),
        TEST(shards_of_another_contract_are_refused),
        TEST(shards_that_were_judged_otherwise_are_refused),
        TEST(more_shards_than_there_can_be_are_no_log),
        TEST(a_shard_without_an_end_is_missed),
        TEST(a_shard_that_was_killed_is_missed),
        TEST(probes_that_differ_are_refused),
        TEST(a_case_of_another_shard_is_refused),
        TEST(a_case_of_no_shard_is_refused),
        TEST(a_case_with_two_results_is_refused),
        TEST(killed_merge_leaves_no_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
