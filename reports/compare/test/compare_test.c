/* Comparing runs: every change is told for what it is, whatever the order of the cases, and nothing
 * that got worse is told as anything else. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include <sys/stat.h>

#include "compare/compare.h"

/* ---- helpers --------------------------------------------------------------------------------- */

struct bench {
    struct topk_ids ids;
    struct topk_run a, b;
    struct topk_comparison comparison;
};

static void bench_free(struct bench *bench)
{
    topk_comparison_free(&bench->comparison);
    topk_run_free(&bench->a);
    topk_run_free(&bench->b);
    topk_ids_free(&bench->ids);
}

static struct topk_log *log_named(struct scratch *scratch, const char *name,
                                  const struct topk_log_header *header)
{
    char dir[PATH_BYTES + 16];
    snprintf(dir, sizeof dir, "%s/%s", scratch->dir, name);
    struct topk_log *log = topk_log_create(dir, header, scratch->error, sizeof scratch->error);
    if (log == NULL) {
        fail_msg("%s", scratch->error);
    }
    return log;
}

static void path_of(const struct scratch *scratch, const char *name, char path[PATH_BYTES + 64])
{
    snprintf(path, PATH_BYTES + 64, "%s/%s/%s", scratch->dir, name, TOPK_LOG_NAME);
}

static int read_named(struct scratch *scratch, struct topk_run *run, struct topk_ids *ids,
                      const char *name)
{
    char path[PATH_BYTES + 64];
    path_of(scratch, name, path);
    return topk_run_read(run, ids, path, scratch->error, sizeof scratch->error);
}

/* reads the runs "a" and "b" and compares them */
static void compare(struct scratch *scratch, struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(read_named(scratch, &bench->a, &bench->ids, "a"), 0);
    assert_int_equal(read_named(scratch, &bench->b, &bench->ids, "b"), 0);
    assert_true(topk_compare(&bench->comparison, &bench->ids, &bench->a, &bench->b, 10));
}

static struct topk_result result_of(enum topk_verdict verdict)
{
    struct topk_result result = sample_pass();
    result.verdict = verdict;
    return result;
}

/* a wrong result that breaks one clause */
static struct topk_result broken(enum topk_clause clause)
{
    struct topk_result result = sample_fail();
    result.clause = clause;
    result.judgement.count = 1;
    result.judgement.findings[0].clause = clause;
    return result;
}

static void put_verdict(struct topk_log *log, uint64_t number, const char *id,
                        enum topk_verdict verdict)
{
    struct topk_result result = result_of(verdict);
    log_put(log, number, id, &result);
}

static const struct topk_change_case *first_of(const struct bench *bench, size_t group)
{
    return &bench->comparison.cases[bench->comparison.groups[group].first];
}

static struct topk_outcome outcome_of(enum topk_verdict verdict)
{
    return (struct topk_outcome){.verdict = verdict};
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void each_pair_of_verdicts_is_a_change(void **state)
{
    enum {
        NONE = TOPK_VERDICT_COUNT,
        PASS = TOPK_VERDICT_PASS,
        FAIL = TOPK_VERDICT_FAIL,
        CRASH = TOPK_VERDICT_CRASH,
        UNSUPPORTED = TOPK_VERDICT_UNSUPPORTED,
        HARNESS = TOPK_VERDICT_HARNESS_ERROR,
        EXPECTED = TOPK_VERDICT_EXPECTED_FAIL,
        UNEXPECTED = TOPK_VERDICT_UNEXPECTED_PASS
    };
    static const struct {
        int before, after;
        enum topk_change change;
    } rows[] = {
        {PASS, PASS, TOPK_CHANGE_COUNT},
        {PASS, FAIL, TOPK_CHANGE_FAILURE},
        {PASS, CRASH, TOPK_CHANGE_FAILURE},
        {PASS, HARNESS, TOPK_CHANGE_FAILURE},
        {PASS, UNSUPPORTED, TOPK_CHANGE_DROPPED},
        {PASS, EXPECTED, TOPK_CHANGE_VERDICT},
        {PASS, UNEXPECTED, TOPK_CHANGE_VERDICT},
        {PASS, NONE, TOPK_CHANGE_MISSING},
        {FAIL, PASS, TOPK_CHANGE_FIX},
        {FAIL, FAIL, TOPK_CHANGE_COUNT},
        {FAIL, CRASH, TOPK_CHANGE_VERDICT},
        {FAIL, UNSUPPORTED, TOPK_CHANGE_VERDICT},
        {FAIL, EXPECTED, TOPK_CHANGE_VERDICT},
        {FAIL, UNEXPECTED, TOPK_CHANGE_FIX},
        {FAIL, NONE, TOPK_CHANGE_MISSING},
        {HARNESS, PASS, TOPK_CHANGE_FIX},
        {UNSUPPORTED, PASS, TOPK_CHANGE_VERDICT},
        {UNSUPPORTED, FAIL, TOPK_CHANGE_FAILURE},
        {UNSUPPORTED, UNSUPPORTED, TOPK_CHANGE_COUNT},
        {UNSUPPORTED, NONE, TOPK_CHANGE_MISSING},
        {EXPECTED, FAIL, TOPK_CHANGE_FAILURE},
        {EXPECTED, UNSUPPORTED, TOPK_CHANGE_VERDICT},
        {UNEXPECTED, UNSUPPORTED, TOPK_CHANGE_DROPPED},
        {NONE, PASS, TOPK_CHANGE_ADDED},
        {NONE, UNSUPPORTED, TOPK_CHANGE_ADDED},
        {NONE, FAIL, TOPK_CHANGE_FAILURE},
        {NONE, NONE, TOPK_CHANGE_COUNT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_outcome before = outcome_of((enum topk_verdict)rows[i].before);
        struct topk_outcome after = outcome_of((enum topk_verdict)rows[i].after);
        enum topk_change change = topk_change_of(&before, &after);
        if (change != rows[i].change) {
            fail_msg("row %zu: change %d instead of %d", i, (int)change, (int)rows[i].change);
        }
    }
}

static void worse_is_what_a_gate_stops_at(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TOPK_CHANGE_COUNT; i++) {
        struct topk_comparison comparison = {.both = 10};
        bool worse =
            i == TOPK_CHANGE_FAILURE || i == TOPK_CHANGE_MISSING || i == TOPK_CHANGE_DROPPED;
        assert_false(topk_comparison_worse(&comparison));
        comparison.counts[i] = 1;
        assert_int_equal(topk_comparison_worse(&comparison), worse);
        assert_int_equal(topk_change_worse((enum topk_change)i), worse);
    }
    assert_string_equal(topk_change_name(TOPK_CHANGE_FIX, 1), "fix");
    assert_string_equal(topk_change_name(TOPK_CHANGE_FIX, 0), "fixes");
}

static void cases_are_the_same_by_id(void **state)
{
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    struct topk_log *log = log_named(scratch, "a", &header);
    put_verdict(log, 0, "t.one:x", TOPK_VERDICT_PASS);
    put_verdict(log, 1, "t.two:x", TOPK_VERDICT_FAIL);
    put_verdict(log, 2, "t.gone:x", TOPK_VERDICT_FAIL);
    put_verdict(log, 3, "t.same:x", TOPK_VERDICT_PASS);
    log_finish(log, true);
    header.profile = "full";
    log = log_named(scratch, "b", &header);
    put_verdict(log, 9, "t.new:x", TOPK_VERDICT_PASS);
    put_verdict(log, 2, "t.two:x", TOPK_VERDICT_PASS);
    put_verdict(log, 3, "t.same:x", TOPK_VERDICT_PASS);
    put_verdict(log, 4, "t.one:x", TOPK_VERDICT_TIMEOUT);
    put_verdict(log, 4, "t.one:x", TOPK_VERDICT_PASS); /* the first record counts */
    log_finish(log, true);
    compare(scratch, &bench);
    assert_int_equal(bench.comparison.both, 3);
    assert_int_equal(bench.b.recorded, 4);
    assert_int_equal(bench.b.totals[TOPK_VERDICT_PASS], 3);
    assert_int_equal(bench.comparison.case_count, 4);
    assert_string_equal(bench.comparison.cases[0].id, "t.one:x");
    assert_int_equal(bench.comparison.cases[0].after->verdict, TOPK_VERDICT_TIMEOUT);
    assert_string_equal(bench.comparison.cases[1].id, "t.gone:x");
    assert_string_equal(bench.comparison.cases[2].id, "t.two:x");
    assert_string_equal(bench.comparison.cases[3].id, "t.new:x");
    for (unsigned i = 0; i < TOPK_CHANGE_COUNT; i++) {
        bool one = i == TOPK_CHANGE_FAILURE || i == TOPK_CHANGE_MISSING || i == TOPK_CHANGE_FIX ||
                   i == TOPK_CHANGE_ADDED;
        assert_int_equal(bench.comparison.counts[i], one);
    }
    bench_free(&bench);
}

static void same_runs_do_not_differ(void **state)
{
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    for (const char *name = "ab"; *name != 0; name++) {
        const char text[] = {*name, 0};
        struct topk_log *log = log_named(scratch, text, &header);
        struct topk_result result = sample_fail();
        put_verdict(log, 0, "t.one:x", TOPK_VERDICT_PASS);
        log_put(log, 1, "t.two:x", &result);
        log_finish(log, true);
        header.started = "2026-02-01T00:00:00Z"; /* which is no difference */
    }
    compare(scratch, &bench);
    assert_int_equal(bench.comparison.case_count, 0);
    assert_int_equal(bench.comparison.group_count, 0);
    assert_int_equal(bench.comparison.both, 2);
    for (unsigned i = 0; i < TOPK_FACT_COUNT; i++) {
        assert_string_equal(bench.a.facts[i], bench.b.facts[i]);
    }
    bench_free(&bench);
}

/* removes the logs a and b, so that others can be written */
static void remove_logs(const struct scratch *scratch)
{
    for (const char *name = "ab"; *name != 0; name++) {
        const char text[] = {*name, 0};
        char path[PATH_BYTES + 64];
        path_of(scratch, text, path);
        assert_int_equal(remove(path), 0);
    }
}

/* a gate that a run of ours passed is not passed by the word of a worker */
static void judge_that_is_less_believed_is_worse(void **state)
{
    struct scratch *scratch = *state;
    for (int b = 0; b < TOPK_JUDGE_COUNT; b++) {
        struct bench bench;
        struct topk_log_header header = sample_header();
        header.judge = TOPK_JUDGE_IN_PROCESS;
        struct topk_log *log = log_named(scratch, "a", &header);
        struct topk_result result = sample_pass();
        result.by_status = true;
        log_put(log, 0, "t.one:x", &result);
        log_finish(log, true);
        header.judge = (enum topk_judge)b;
        log = log_named(scratch, "b", &header);
        put_verdict(log, 0, "t.one:x", TOPK_VERDICT_PASS);
        log_finish(log, true);
        compare(scratch, &bench);
        assert_int_equal(bench.comparison.case_count, 0);
        assert_int_equal(topk_comparison_worse(&bench.comparison), b == TOPK_JUDGE_WORKER);
        assert_int_equal(bench.a.by_status, 1);
        assert_int_equal(bench.b.by_status, 0);
        bench_free(&bench);
        remove_logs(scratch);
    }
}

/* a gate that a run of ours passed is not passed by one whose processes end badly */
static void processes_that_end_badly_are_worse(void **state)
{
    static const struct {
        bool a_ends, gated;
        enum topk_process_end end;
        bool worse;
    } rows[] = {
        {false, false, TOPK_PROCESS_QUIT, true},     {false, false, TOPK_PROCESS_BETWEEN, true},
        {false, false, TOPK_PROCESS_OUTSIDE, false}, /* it did not do that itself */
        {false, true, TOPK_PROCESS_QUIT, false},     /* --max-unclean 1 */
        {true, false, TOPK_PROCESS_QUIT, false},     /* it was so before */
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench;
        struct topk_log_header header = sample_header();
        for (const char *name = "ab"; *name != 0; name++) {
            const char text[] = {*name, 0};
            const struct topk_log_process process = {rows[i].end, "it said so"};
            header.gate.has_unclean = *name == 'b' && rows[i].gated;
            header.gate.unclean = 1;
            struct topk_log *log = log_named(scratch, text, &header);
            put_verdict(log, 0, "t.one:x", TOPK_VERDICT_PASS);
            assert_true((*name == 'a' && !rows[i].a_ends) || topk_log_process(log, &process));
            log_finish(log, true);
        }
        compare(scratch, &bench);
        assert_int_equal(bench.comparison.case_count, 0);
        assert_int_equal(bench.comparison.ends_worse, rows[i].worse);
        assert_int_equal(topk_comparison_worse(&bench.comparison), rows[i].worse);
        bench_free(&bench);
        remove_logs(scratch);
    }
}

/* a probe that finds what it did not find before; what it finds may be another thing */
static void probes_that_find_something_are_worse(void **state)
{
    static const struct {
        enum topk_probe_verdict a, b;
        const char *now;
        bool differs, worse;
    } rows[] = {
        {TOPK_PROBE_OBSERVED, TOPK_PROBE_OBSERVED, "1", false, false},
        {TOPK_PROBE_OBSERVED, TOPK_PROBE_OBSERVED, "2", true, false},
        {TOPK_PROBE_OBSERVED, TOPK_PROBE_VIOLATION, "2", true, true},
        {TOPK_PROBE_VIOLATION, TOPK_PROBE_VIOLATION, "2", true, false},
        {TOPK_PROBE_VIOLATION, TOPK_PROBE_OBSERVED, "1", true, false},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench;
        struct topk_log_header header = sample_header();
        for (const char *name = "ab"; *name != 0; name++) {
            const char text[] = {*name, 0};
            struct topk_probe probe = {.name = "a.b", .value = "1", .verdict = rows[i].a};
            if (*name == 'b') {
                probe.verdict = rows[i].b;
                snprintf(probe.value, sizeof probe.value, "%s", rows[i].now);
            }
            struct topk_log *log = log_named(scratch, text, &header);
            assert_true(topk_log_probe(log, &probe));
            put_verdict(log, 0, "t.one:x", TOPK_VERDICT_PASS);
            log_finish(log, true);
        }
        compare(scratch, &bench);
        assert_int_equal(bench.comparison.probe_count, rows[i].differs);
        assert_int_equal(topk_comparison_worse(&bench.comparison), rows[i].worse);
        bench_free(&bench);
        remove_logs(scratch);
    }
}

static void put_time(struct topk_log *log, uint64_t number, const char *id,
                     enum topk_verdict verdict, uint64_t nanoseconds)
{
    struct topk_result result = result_of(verdict);
    result.nanoseconds = nanoseconds;
    log_put(log, number, id, &result);
}

static void times_are_those_of_cases_that_passed_in_both(void **state)
{
    static const struct {
        const char *id;
        enum topk_verdict verdict; /* in b */
        uint64_t before, after;
    } rows[] = {
        {"a.b:1", TOPK_VERDICT_PASS, 100, 50},
        {"a.b:2", TOPK_VERDICT_PASS, 100, 150},
        {"a.b:3", TOPK_VERDICT_PASS, 100, 900},
        {"a.b:4", TOPK_VERDICT_UNSUPPORTED, 100, 1},
        {"a.c:1", TOPK_VERDICT_PASS, 0, 8},
        {"bare case", TOPK_VERDICT_PASS, UINT64_MAX, UINT64_MAX},
    };
    struct scratch *scratch = *state;
    struct topk_log_header header = sample_header();
    struct topk_log *a = log_named(scratch, "a", &header);
    struct topk_log *b = log_named(scratch, "b", &header);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_time(a, i, rows[i].id, TOPK_VERDICT_PASS, rows[i].before);
        put_time(b, i, rows[i].id, rows[i].verdict, rows[i].after);
    }
    log_finish(a, true);
    log_finish(b, true);
    struct bench bench;
    compare(scratch, &bench);
    const struct topk_comparison *comparison = &bench.comparison;
    assert_int_equal(comparison->speed.cases, 5);
    assert_true(comparison->speed.before == UINT64_MAX);
    assert_true(comparison->speed.median == 1.5);
    assert_int_equal(comparison->speed_count, 3);
    assert_string_equal(comparison->speeds[0].test, "a.c"); /* changed most */
    assert_true(comparison->speeds[0].median == 8);
    assert_string_equal(comparison->speeds[1].test, "a.b");
    assert_int_equal(comparison->speeds[1].cases, 3);
    assert_int_equal(comparison->speeds[1].before, 300);
    assert_int_equal(comparison->speeds[1].after, 1100);
    assert_true(comparison->speeds[1].median == 1.5);
    assert_string_equal(comparison->speeds[2].test, "cases");
    bench_free(&bench);
}

static void clauses_of_failures_are_compared(void **state)
{
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    struct topk_result s08 = broken(TOPK_CLAUSE_S08);
    struct topk_result s09 = broken(TOPK_CLAUSE_S09);
    struct topk_result two = sample_fail(); /* S04 and M02 */
    struct topk_result accepted = result_of(TOPK_VERDICT_ACCEPTED);
    struct topk_result pass = sample_pass();
    struct topk_log *log = log_named(scratch, "a", &header);
    log_put(log, 0, "t.a:x", &s08);
    log_put(log, 1, "t.b:x", &two);
    accepted.clause = TOPK_CLAUSE_V03;
    log_put(log, 2, "t.c:x", &accepted);
    log_put(log, 3, "t.d:x", &pass);
    log_finish(log, true);
    log = log_named(scratch, "b", &header);
    log_put(log, 0, "t.a:x", &s09);
    two.judgement.count = 1;
    log_put(log, 1, "t.b:x", &two);
    accepted.clause = TOPK_CLAUSE_V09; /* which no finding names */
    log_put(log, 2, "t.c:x", &accepted);
    log_put(log, 3, "t.d:x", &pass);
    log_finish(log, true);
    compare(scratch, &bench);
    assert_int_equal(bench.comparison.counts[TOPK_CHANGE_CLAUSES], 3);
    assert_int_equal(bench.comparison.case_count, 3);
    const struct topk_change_case *cases = bench.comparison.cases;
    assert_true(topk_clause_set_has(&cases[0].before->clauses, TOPK_CLAUSE_S08));
    assert_true(topk_clause_set_has(&cases[0].after->clauses, TOPK_CLAUSE_S09));
    assert_true(topk_clause_set_has(&cases[1].before->clauses, TOPK_CLAUSE_M02));
    assert_false(topk_clause_set_has(&cases[1].after->clauses, TOPK_CLAUSE_M02));
    assert_true(topk_clause_set_has(&cases[2].after->clauses, TOPK_CLAUSE_V09));
    assert_false(topk_comparison_worse(&bench.comparison));
    bench_free(&bench);
}

static void observations_are_compared_and_counted(void **state)
{
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    struct topk_result result = sample_pass();
    struct topk_log *log = log_named(scratch, "a", &header);
    result.judgement.observations = UINT32_C(1) << TOPK_OBSERVATION_NAN_LAST;
    log_put(log, 0, "t.a:x", &result);
    log_put(log, 1, "t.b:x", &result);
    log_put(log, 2, "t.c:x", &result);
    log_finish(log, true);
    log = log_named(scratch, "b", &header);
    log_put(log, 0, "t.a:x", &result);
    result.judgement.observations = UINT32_C(1) << TOPK_OBSERVATION_NAN_FIRST;
    log_put(log, 1, "t.b:x", &result);
    result.verdict = TOPK_VERDICT_CRASH; /* the greater news */
    log_put(log, 2, "t.c:x", &result);
    log_finish(log, true);
    compare(scratch, &bench);
    assert_int_equal(bench.comparison.counts[TOPK_CHANGE_OBSERVATIONS], 1);
    assert_int_equal(bench.comparison.counts[TOPK_CHANGE_FAILURE], 1);
    assert_string_equal(bench.comparison.cases[1].id, "t.b:x");
    assert_int_equal(bench.a.observations[TOPK_OBSERVATION_NAN_LAST], 3);
    assert_int_equal(bench.b.observations[TOPK_OBSERVATION_NAN_LAST], 1);
    assert_int_equal(bench.b.observations[TOPK_OBSERVATION_NAN_FIRST], 2);
    bench_free(&bench);
}

static void groups_are_of_one_test_and_change(void **state)
{
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    struct topk_result s08 = broken(TOPK_CLAUSE_S08);
    struct topk_result s09 = broken(TOPK_CLAUSE_S09);
    log_finish(log_named(scratch, "a", &header), true);
    struct topk_log *log = log_named(scratch, "b", &header);
    log_put(log, 0, "t.long:b", &s09);
    log_put(log, 1, "t.long:a", &s08);
    log_put(log, 2, "t.lo:a", &s09);
    log_put(log, 3, "t.long:a", &s08); /* again: does not count */
    log_put(log, 4, "t.long:c", &s09);
    log_put(log, 5, "top_k in=f32[1]", &s09); /* of no test */
    log_put(log, 6, "t.long:a2", &s09);
    log_finish(log, true);
    compare(scratch, &bench);
    assert_int_equal(bench.comparison.case_count, 6);
    assert_int_equal(bench.comparison.group_count, 4);
    assert_int_equal(bench.comparison.groups[0].count, 3);
    const struct topk_change_case *cases = first_of(&bench, 0);
    assert_int_equal(cases->test_length, strlen("t.long"));
    assert_string_equal(cases[0].id, "t.long:a2");
    assert_string_equal(cases[1].id, "t.long:b");
    assert_string_equal(cases[2].id, "t.long:c");
    size_t seen = 0;
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(bench.comparison.groups[i].count, 1);
        seen += first_of(&bench, i)->test_length;
    }
    assert_int_equal(seen, strlen("t.long") + strlen("t.lo"));
    bench_free(&bench);
}

static void facts_tell_who_answered(void **state)
{
    static const struct {
        enum topk_fact fact;
        const char *text;
    } rows[] = {
        {TOPK_FACT_SUITE, "1.0.0"},
        {TOPK_FACT_REVISION, "e5"},
        {TOPK_FACT_CHAOS, ""},
        {TOPK_FACT_EXPECTATIONS, "ba7816bf8f01"},
        {TOPK_FACT_GATE, "--require f16,top_k1 --min-supported 50"},
        {TOPK_FACT_PROFILE, "core v3"},
        {TOPK_FACT_DIGEST, "abcd"},
        {TOPK_FACT_SELECTIONS, "'ties.*' 'axis.last:top_k fl=2.0'"},
        {TOPK_FACT_SHARD, "2 of 3"},
        {TOPK_FACT_LEVEL, "5.0"},
        {TOPK_FACT_TIMEOUT, "2.5"},
        {TOPK_FACT_SIGNER, ""},
        {TOPK_FACT_SPEC, "cpu"},
        {TOPK_FACT_COMMAND, ""},
        {TOPK_FACT_WORKER, ""},
        {TOPK_FACT_CONTRACT, "ties=any k=1..9"},
        {TOPK_FACT_JUDGE, "judged by this suite, in a process that the backend cannot reach"},
        {TOPK_FACT_GUARD_PAGES, "at the start of each tensor"},
        {TOPK_FACT_BACKEND, "reference"},
        {TOPK_FACT_VERSION, "1"},
        {TOPK_FACT_DEVICE, "a <b> & \"c\""},
        {TOPK_FACT_DRIVER, "d"},
        {TOPK_FACT_FEATURES, "all"},
        {TOPK_FACT_BACKEND_LEVEL, "6.4"},
        {TOPK_FACT_SOFTWARE, "none"}};
    _Static_assert(sizeof rows / sizeof rows[0] == TOPK_FACT_COUNT, "a row a fact");
    static const char *const required[] = {"f16", "top_k1"};
    struct scratch *scratch = *state;
    struct bench bench;
    struct topk_log_header header = sample_header();
    header.guard_pages = "start";
    header.shard = 2;
    header.shards = 3;
    header.shard_total = 12;
    header.gate = (struct topk_log_gate){
        .has_least = true, .least = 50, .require = required, .require_count = 2};
    header.contract.least[TOPK_CONTRACT_RULE_K] = 1;
    header.contract.most[TOPK_CONTRACT_RULE_K] = 9;
    topk_contract_choose(&header.contract, TOPK_OPTION_TIES_ANY);
    log_finish(log_named(scratch, "a", &header), true);
    header.shard = header.shards = 0;
    header.gate.require_count = 0;
    topk_contract_choose(&header.contract, TOPK_OPTION_TIES_LOWEST);
    header.contract.least[TOPK_CONTRACT_RULE_K] = 0;
    header.contract.most[TOPK_CONTRACT_RULE_K] = 0;
    header.merged = 3;
    header.selection_count = 0;
    header.backend.flags = TOPK_LOG_SOFTWARE_DEVICE;
    log_finish(log_named(scratch, "b", &header), false);
    compare(scratch, &bench);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(bench.a.facts[rows[i].fact], rows[i].text);
        assert_true(topk_fact_name(rows[i].fact)[0] != 0);
    }
    assert_string_equal(bench.b.facts[TOPK_FACT_SELECTIONS], "");
    assert_string_equal(bench.b.facts[TOPK_FACT_SHARD], "merged from 3");
    assert_string_equal(bench.b.facts[TOPK_FACT_GATE], "--min-supported 50");
    assert_string_equal(bench.b.facts[TOPK_FACT_CONTRACT], "DirectML's documents");
    assert_string_equal(bench.b.facts[TOPK_FACT_SOFTWARE], "the device");
    assert_string_equal(topk_log_software_note("the device"), " (on a device that is software)");
    assert_string_equal(topk_log_software_note(topk_log_software(0)), "");
    assert_string_equal(topk_log_software(TOPK_LOG_SOFTWARE | TOPK_LOG_SOFTWARE_DEVICE),
                        "the backend");
    assert_string_equal(bench.a.started, "2026-01-31T12:00:00Z");
    assert_int_equal(bench.a.selected, 4);
    assert_true(bench.a.complete);
    assert_false(bench.b.complete);
    bench_free(&bench);
}

static void logs_that_are_cut_or_edited_are_told(void **state)
{
    struct scratch *scratch = *state;
    struct topk_ids ids = {0};
    struct topk_run run;
    char path[PATH_BYTES + 64];
    struct topk_log_header header = sample_header();
    struct topk_log *log = log_named(scratch, "a", &header);
    put_verdict(log, 0, "t.a:x", TOPK_VERDICT_PASS);
    put_verdict(log, 1, "t.b:x", TOPK_VERDICT_PASS);
    assert_true(topk_log_close(log));
    path_of(scratch, "a", path);
    size_t size;
    char *bytes = file_read(path, &size);
    /* killed between two lines */
    assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error), 1);
    assert_true(run.cut && !run.complete);
    assert_int_equal(run.recorded, 2);
    assert_non_null(
        strstr(scratch->error, "results.jsonl:3: the log was truncated: no end record"));
    topk_run_free(&run);
    /* within a line */
    file_write(path, bytes, size - 10);
    assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error), 1);
    assert_true(run.cut);
    assert_int_equal(run.recorded, 1);
    assert_non_null(strstr(scratch->error, "results.jsonl:3: the line was truncated"));
    topk_run_free(&run);
    /* within the header, and before it */
    for (size_t left = 0; left <= 20; left += 20) {
        file_write(path, bytes, left);
        scratch->error[0] = 0;
        assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error),
                         -1);
        assert_non_null(strstr(scratch->error, path));
        topk_run_free(&run);
    }
    *strstr(bytes, "t.b") = 'u';
    file_write(path, bytes, size);
    assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error), -1);
    assert_non_null(strstr(scratch->error, "results.jsonl:3: the chain breaks"));
    topk_run_free(&run);
    assert_int_equal(read_named(scratch, &run, &ids, "none"), -1);
    assert_non_null(strstr(scratch->error, "none is not the folder of a run"));
    topk_run_free(&run);
    free(bytes);
    topk_ids_free(&ids);
}

static void ids_keep_their_numbers(void **state)
{
    const uint32_t count = 20000;
    struct topk_ids ids = {0};
    uint32_t number;
    char text[64];
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < count; i++) {
            snprintf(text, sizeof text, "group.test:case %u of a length", (unsigned)i);
            assert_true(topk_ids_number(&ids, text, &number));
            assert_int_equal(number, i);
        }
    }
    assert_int_equal(ids.count, count);
    assert_string_equal(ids.texts[count - 1], text);
    /* longer than a block */
    size_t size = (size_t)3 << 20;
    char *longest = malloc(size);
    assert_non_null(longest);
    memset(longest, 'x', size - 1);
    longest[size - 1] = 0;
    assert_true(topk_ids_number(&ids, longest, &number));
    assert_int_equal(number, count);
    assert_true(topk_ids_number(&ids, "", &number));
    assert_int_equal(number, count + 1);
    assert_string_equal(ids.texts[count], longest);
    free(longest);
    topk_ids_free(&ids);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_pair_of_verdicts_is_a_change),
        TEST(worse_is_what_a_gate_stops_at),
        TEST(cases_are_the_same_by_id),
        TEST(same_runs_do_not_differ),
        TEST(judge_that_is_less_believed_is_worse),
        TEST(processes_that_end_badly_are_worse),
        TEST(probes_that_find_something_are_worse),
        TEST(times_are_those_of_cases_that_passed_in_both),
        TEST(clauses_of_failures_are_compared),
        TEST(observations_are_compared_and_counted),
        TEST(groups_are_of_one_test_and_change),
        TEST(facts_tell_who_answered),
        TEST(logs_that_are_cut_or_edited_are_told),
        TEST(ids_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
