/* topk-cts trust --verdicts: compares what a run states about each fault with its row.
 *
 * A fault runs against the cases of the profile in portions, each in its own worker and in order,
 * until ENOUGH have failed. Statements therefore rest on the same cases each time. Skipped are
 * correct kernels, about which nothing is stated, faults that hang, because each hang costs the
 * time limit, and faults that need guard pages. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "trust.h"

/* failing cases that suffice to state something about a fault */
#define ENOUGH 200u
/* Each case that ends the worker costs a new worker, so faults that may end it run only one case in
 * this many. */
#define SPARSE 8u

struct meeting {
    const struct trust *trust;
    const struct cli_fault *fault;
    struct trust_outcome *outcome;
    struct trust_met *met; /* by case number */
    struct topk_gathering *gathering;
    pid_t parent;
    bool orphaned;
};

void trust_verdicts_open(struct trust *trust)
{
    const struct trust_suite *suite = &trust->suite;
    trust->features = cli_need(calloc(suite->cases.count, sizeof *trust->features));
    for (size_t i = 0; i < suite->cases.count; i++) {
        struct topk_case tc;
        const struct cli_case *c = cli_case_at(&suite->cases, i);
        cli_need_memory(cli_case_parse(c->id, c->length, &tc));
        topk_features_describe_call(&tc, 0, &trust->features[i]);
        topk_features_look_call(&tc, 0, TOPK_FEATURES_ELEMENTS, &trust->features[i]);
        topk_case_clear(&tc);
    }
}

/* ---- running cases on a fault ---------------------------------------------------------------- */

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct meeting *meeting = context;
    return cli_case_text(&meeting->trust->suite.cases, number, length);
}

/* Gathers a result as the log of a run would record it, as far as entries depend on it. */
static bool gather(const struct meeting *meeting, uint64_t number, const struct topk_result *result)
{
    const struct topk_judgement *judgement = &result->judgement;
    const struct topk_log_finding finding = {
        .mismatch =
            judgement->count == 0 ? "" : topk_mismatch_row(judgement->findings[0].mismatch)->word};
    const struct topk_log_record record = {
        .number = number,
        .id = cli_case_at(&meeting->trust->suite.cases, number)->id,
        .verdict = result->verdict,
        .own_verdict = result->verdict,
        .clause = result->clause,
        .call = result->call,
        .by_status = result->by_status,
        .reason = result->reason,
        .crash = result->crash.frame_count > 0 ? &result->crash : NULL,
        .cause =
            result->reading == TOPK_READING_NONE ? "" : topk_reading_row(result->reading)->word,
        .readings = result->readings,
        .guess = result->guess,
        .finding_count = judgement->count > 0,
        .findings = &finding,
        .has_sequence = judgement->has_sequence};
    return topk_gathering_add(meeting->gathering, &record, false);
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct meeting *meeting = context;
    const bool ended =
        result->verdict == TOPK_VERDICT_CRASH || result->verdict == TOPK_VERDICT_HARNESS_ERROR;
    if (ended && !meeting->fault->ends) {
        snprintf(meeting->outcome->error, TRUST_ERROR, "%s: %.200s: %.100s",
                 topk_verdict_word(result->verdict),
                 cli_case_at(&meeting->trust->suite.cases, number)->id, result->reason);
        return false;
    }
    const bool failed = topk_verdict_failure(result->verdict);
    meeting->met[number] =
        (struct trust_met){true, failed, topk_features_call(failed, result->call)};
    if (!gather(meeting, number, result)) {
        snprintf(meeting->outcome->error, TRUST_ERROR, "out of memory");
        return false;
    }
    meeting->outcome->said.failed += failed;
    return !meeting->orphaned;
}

static void look_for_parent(void *context)
{
    struct meeting *meeting = context;
    meeting->orphaned = trust_is_orphan(meeting->parent);
}

/* Returns the portion of a case: 0 and 1 are halves of the small cases, 2 an eighth of those of
 * more than 1024 elements, 3 half of those of more than 16384. Other cases get PORTIONS and never
 * run. The choice uses bits of a product, because lists of cases have short periods. */
#define PORTIONS 4u
static unsigned portion_of(const struct trust_suite *suite, size_t i)
{
    const uint32_t mixed = (uint32_t)i * 2654435761u >> 16;
    const unsigned step = suite->list[i].step;
    return step == 0                     ? mixed % 2
           : step == 1 && mixed % 8 == 0 ? 2
           : step == 2 && mixed % 2 == 0 ? 3
                                         : PORTIONS;
}

static bool meet_portion(struct meeting *meeting, unsigned portion, const char *worker,
                         uint64_t *order)
{
    const struct trust_suite *suite = &meeting->trust->suite;
    const uint32_t sparse = meeting->fault->ends ? SPARSE : 1;
    struct topk_runner_job job = {.order = order,
                                  .text = case_text,
                                  .result = take_result,
                                  .tick = look_for_parent,
                                  .context = meeting};
    for (size_t i = 0; i < suite->cases.count; i += sparse) {
        if (portion_of(suite, i) == portion) {
            order[job.count++] = i;
        }
    }
    const bool met = job.count == 0 ||
                     trust_host(meeting->fault->name, false, worker, &job, meeting->outcome->error);
    if (meeting->orphaned) {
        _exit(CLI_INCOMPLETE);
    }
    return met && meeting->outcome->error[0] == 0;
}

void trust_verdicts_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order,
                         pid_t parent)
{
    struct meeting meeting = {.trust = trust,
                              .fault = &trust->faults[i],
                              .outcome = &trust->outcomes[i],
                              .met = calloc(trust->suite.cases.count, sizeof(struct trust_met)),
                              .gathering = topk_gathering_new(NULL),
                              .parent = parent};
    struct topk_entries entries = {.count = 0};
    const bool left_out = meeting.fault->allowed || meeting.fault->guard_pages ||
                          strcmp(meeting.fault->class, "hang") == 0;
    bool met = meeting.met != NULL && meeting.gathering != NULL;
    for (unsigned portion = 0;
         !left_out && met && portion < PORTIONS && meeting.outcome->said.failed < ENOUGH;
         portion++) {
        met = meet_portion(&meeting, portion, worker, order);
    }
    met = met && topk_gathering_learn(meeting.gathering, &entries) &&
          trust_say(trust, i, meeting.met, &entries);
    topk_gathering_free(meeting.gathering);
    topk_entries_free(&entries);
    free(meeting.met);
    atomic_store(&meeting.outcome->state, met ? TRUST_DONE : TRUST_FAILED);
}
