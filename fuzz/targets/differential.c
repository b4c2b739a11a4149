/* Checks that a backend does what the clauses say: a case made from the input is run in this
 * process and the judge must find nothing wrong. Where the clauses allow only one result, the
 * oracle is now and then asked to compute it too. The backend is `cpu`, or whatever
 * TOPK_FUZZ_BACKEND names in the notation of --backend: "faulty:B26", "./mine.so".
 *
 * To measure the cost of each part (scripts/fuzz-bench), set TOPK_FUZZ_BENCH: `judge` draws cases
 * of up to 128 elements, `run` runs them without judging, `draw` does not run them, `null` does
 * nothing at all.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "generate/decode.h"
#include "open.h"
#include "reference/oracle.h"
#include "worker/call.h"

/* The oracle is asked for one input in this many, chosen by the input itself, because it costs more
 * than everything else together. */
#define ORACLE_ONE_IN 64u

/* limits for the cases of the benchmark */
static const struct topk_limits bench_limits = {.elements = 128, .bytes = (uint64_t)1 << 18};

static struct topk_host host;
static struct topk_call call;
static const char *bench; /* value of TOPK_FUZZ_BENCH, or NULL */

static bool open_backend(void)
{
    const char *spec = getenv("TOPK_FUZZ_BACKEND"); /* NOLINT(concurrency-mt-unsafe) */
    bench = getenv("TOPK_FUZZ_BENCH");              /* NOLINT(concurrency-mt-unsafe) */
    return fuzz_open_host(&host, spec == NULL ? "cpu" : spec);
}

static bool oracle_is_due(const unsigned char *bytes, size_t length)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = sum * 31 + bytes[i];
    }
    return sum % ORACLE_ONE_IN == 0;
}

/* Returns whether the clauses allow only one result, NaN aside. */
static bool one_result(const struct topk_case *tc, const struct topk_result *result)
{
    const uint32_t other = (uint32_t)1 << TOPK_OBSERVATION_DENORMALS_AS_ZERO |
                           (uint32_t)1 << TOPK_OBSERVATION_HALF_COLLIDES |
                           (uint32_t)1 << TOPK_OBSERVATION_BINDING_UNJUDGED;
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return result->verdict == TOPK_VERDICT_PASS && topk_clause_set_empty(&validity.broken) &&
           !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T14) &&
           tc->op.direction <= TOPK_DECREASING && !topk_case_too_large(tc) &&
           (result->judgement.observations & other) == 0;
}

static void compare_sequence(const struct topk_case *tc, uint64_t sequence, const uint64_t *values,
                             const uint64_t *indices)
{
    static char text[TOPK_CASE_TEXT];
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(&tc->op, sequence, at);
    for (uint32_t j = 0; j < tc->op.k; j++) {
        at[tc->op.axis] = j;
        if (topk_call_output(&call, TOPK_VALUE, at) != values[j] ||
            topk_call_output(&call, TOPK_INDEX, at) != indices[j]) {
            topk_case_print(tc, text, sizeof text);
            fuzz_fail_clause(TOPK_CLAUSE_S12, "oracle", text);
        }
    }
}

/* Runs the call as the plugin interface requires: first ask whether it is supported, then run
 * it. */
static bool run_call(void)
{
    struct topk_backend_answer answer = {0};
    if (host.loaded.backend->supports != NULL) {
        host.loaded.backend->supports(host.loaded.self, &call.backend_call, &answer);
    }
    if (answer.status == TOPK_BACKEND_DONE) {
        topk_call_load(&call);
        host.loaded.backend->run(host.loaded.self, &call.backend_call, 1, &answer);
    }
    return answer.status == TOPK_BACKEND_DONE;
}

/* Runs the case again on its own and compares the result with the oracle's. */
static void ask_oracle(const struct topk_case *tc)
{
    uint64_t *values = calloc(tc->op.k, sizeof *values);
    uint64_t *indices = calloc(tc->op.k, sizeof *indices);
    const bool ready = values != NULL && indices != NULL &&
                       topk_call_prepare(&call, tc, TOPK_POISON_ONES) && run_call();
    const unsigned char *input = call.given[TOPK_INPUT] + call.offset[TOPK_INPUT];
    for (uint64_t s = 0; ready && s < topk_operator_sequences(&tc->op); s++) {
        if (topk_oracle_sequence_by(&tc->op, &host.loaded.contract, input, s, values, indices) ==
            TOPK_ORACLE_UNIQUE) {
            compare_sequence(tc, s, values, indices);
        }
    }
    free(values);
    free(indices);
}

static void judge(const struct topk_case *tc, bool oracle)
{
    struct topk_result result;
    const struct topk_case *const cases[] = {tc};
    topk_host_run(&host, cases, 1, &result);
    if (topk_verdict_failure(result.verdict)) {
        fuzz_fail_result(tc, &result);
    }
    if (oracle && one_result(tc, &result)) {
        ask_oracle(tc);
    }
}

static void run_bench(const unsigned char *bytes, size_t length)
{
    struct topk_choice choice;
    struct topk_case tc;
    if (strcmp(bench, "null") == 0) {
        return;
    }
    topk_choice_bytes(&choice, bytes, length);
    if (topk_generate_valid(&choice, &bench_limits, &tc)) {
        tc.check = TOPK_CHECK_NONE;
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            tc.op.tensors[role].alignment &= 0xfff; /* guards grow with the alignment */
        }
        if (strcmp(bench, "judge") == 0) {
            judge(&tc, oracle_is_due(bytes, length));
        } else if (strcmp(bench, "run") == 0 && topk_call_prepare(&call, &tc, TOPK_POISON_RANDOM)) {
            (void)run_call();
        }
    }
    topk_case_clear(&tc);
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_case tc;
    if (bench != NULL) {
        run_bench(bytes, length);
    } else if (topk_case_decode(bytes, length, &tc)) {
        judge(&tc, oracle_is_due(bytes, length));
        topk_case_clear(&tc);
    }
}

const struct fuzz_target fuzz_target = {
    .name = "differential",
    .about = "a backend holds every clause, by the judge and by the oracle",
    .max_bytes = TOPK_DECODE_BYTES,
    .open = open_backend,
    .run = run,
    .draw = topk_decode_draw,
    .decode = topk_case_decode,
};
