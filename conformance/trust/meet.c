/* topk-cts trust: runs one fault, or one drill, against the cases. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "trust.h"

/* Time limits in seconds: of a call, and of a whole case on a fault that hangs. Such a fault runs
 * only the small cases, and would otherwise cost the limit for each call of a case. */
#define TIMEOUT      120.0
#define TIMEOUT_HANG 1.0

/* ---- running cases on a fault ---------------------------------------------------------------- */

static void set_add(uint64_t *set, size_t number)
{
    set[number / 64] |= (uint64_t)1 << number % 64;
}

struct meeting {
    const struct trust *trust;
    const struct trust_suite *suite;
    size_t number; /* of the fault or drill */
    struct trust_outcome *outcome;
    uint64_t *set;
    bool hangs;    /* it never returns */
    bool ends;     /* it may end its worker, so the first failure of a step is enough */
    bool orphaned; /* the command that started this process has ended */
    pid_t parent;
};

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct meeting *meeting = context;
    return cli_case_text(&meeting->suite->cases, number, length);
}

/* With --brief: whether further failures would change nothing. Asks after the first failures of a
 * group, and then now and then, since the question takes time. */
static bool has_enough(const struct meeting *meeting, uint32_t killed)
{
    return meeting->trust->brief && meeting->number < meeting->trust->fault_count &&
           (killed < 8 || killed % 32 == 0) && trust_enough(meeting->trust, meeting->number);
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct meeting *meeting = context;
    struct trust_outcome *outcome = meeting->outcome;
    uint32_t group = meeting->suite->list[number].group;
    outcome->run[group]++;
    if (meeting->orphaned) {
        return false;
    }
    if (!topk_verdict_failure(result->verdict)) {
        return true;
    }
    bool ended =
        result->verdict == TOPK_VERDICT_CRASH || result->verdict == TOPK_VERDICT_HARNESS_ERROR;
    if (ended && !meeting->ends) {
        /* The case would kill the fault for an unrelated reason. */
        snprintf(outcome->error, TRUST_ERROR, "%s: %.200s: %.100s",
                 topk_verdict_word(result->verdict),
                 cli_case_at(&meeting->suite->cases, number)->id, result->reason);
        return false;
    }
    outcome->killed[group]++;
    set_add(meeting->set, number);
    if (meeting->suite->own[group]) {
        return !meeting->ends; /* clauses that a row promises must be named by other groups */
    }
    if (result->clause == TOPK_CLAUSE_NONE || result->verdict == TOPK_VERDICT_REFUSED) {
        outcome->unnamed =
            true; /* the clause of a refusal says what is allowed, not what is wrong */
    } else {
        topk_clause_set_add(&outcome->first, result->clause);
    }
    for (uint32_t f = 0; f < result->judgement.count; f++) {
        topk_clause_set_add(&outcome->later, result->judgement.findings[f].clause);
    }
    return !meeting->ends && !has_enough(meeting, outcome->killed[group]);
}

static void look_for_parent(void *context)
{
    struct meeting *meeting = context;
    meeting->orphaned = trust_is_orphan(meeting->parent);
}

static bool runs_on(enum topk_runner_status status)
{
    return status == TOPK_RUNNER_DONE || status == TOPK_RUNNER_STOPPED;
}

bool trust_host(const char *fault, bool guard_pages, const char *worker,
                struct topk_runner_job *job, char error[TRUST_ERROR])
{
    char spec[CLI_FAULT_NAME + 8];
    char text[TOPK_RUNNER_ERROR];
    const char *const plain[] = {worker, "--backend", spec, NULL};
    const char *const guarded[] = {worker, "--guard-pages", "both", "--backend", spec, NULL};
    static struct topk_greeting greeting; /* static to keep the stack small */
    enum topk_runner_status status;
    snprintf(spec, sizeof spec, "faulty:%s", fault);
    struct topk_runner_options options = {.command = guard_pages ? guarded : plain,
                                          .jobs = 1,
                                          .timeout = TIMEOUT,
                                          .passes = guard_pages ? 2 : 1};
    struct topk_runner *runner = topk_runner_open(&options, &greeting, &status, text);
    if (runner != NULL) {
        status = topk_runner_run(runner, job, text);
    }
    if (status == TOPK_RUNNER_INTERRUPTED) {
        _exit(CLI_INCOMPLETE);
    }
    topk_runner_close(runner);
    if (runner == NULL || !runs_on(status)) {
        snprintf(error, TRUST_ERROR, "%.300s", text);
        return false;
    }
    return true;
}

/* Lists the cases of a group and a step. */
static uint64_t list_step(const struct trust_suite *suite, uint32_t group, uint32_t step,
                          uint64_t *order)
{
    uint64_t count = 0;
    for (size_t i = 0; i < suite->cases.count; i++) {
        if (suite->list[i].group == group && suite->list[i].step == step) {
            order[count++] = i;
        }
    }
    return count;
}

/* Runs cases on a fault in a worker of their own. */
static bool meet(struct meeting *meeting, const char *fault, bool guard_pages, const char *worker,
                 const uint64_t *order, uint64_t count)
{
    struct topk_runner_job job = {.count = count,
                                  .order = order,
                                  .text = case_text,
                                  .result = take_result,
                                  .tick = look_for_parent,
                                  .context = meeting,
                                  .timeout = meeting->hangs ? TIMEOUT_HANG : 0};
    if (count == 0) {
        return true;
    }
    bool ran = trust_host(fault, guard_pages, worker, &job, meeting->outcome->error);
    if (meeting->orphaned) {
        _exit(CLI_INCOMPLETE);
    }
    return ran && meeting->outcome->error[0] == 0;
}

/* Whether a step is worth its time. A fault that two groups and TRUST_TESTS tests kill needs no
 * further step: it is dead, and no group alone kills it. */
static bool is_needed(const struct meeting *meeting, const struct cli_fault *fault, uint32_t step)
{
    uint32_t killers = 0;
    for (uint32_t group = 0; group < meeting->suite->group_count; group++) {
        killers += meeting->outcome->killed[group] > 0 && !meeting->suite->own[group];
    }
    if (fault->allowed) {
        return step < TRUST_STEPS - 1;
    }
    const bool enough = killers >= 2 && trust_tests(meeting->trust, meeting->number) >= TRUST_TESTS;
    return step == 0 || (!enough && strcmp(fault->class, "hang") != 0);
}

static bool meet_fault(struct meeting *meeting, const struct cli_fault *fault, const char *worker,
                       uint64_t *order)
{
    meeting->ends = fault->ends;
    meeting->hangs = strcmp(fault->class, "hang") == 0;
    const uint32_t groups = meeting->suite->group_count;
    const uint32_t likely = meeting->trust->likely[meeting->number];
    for (uint32_t step = 0; step < TRUST_STEPS && is_needed(meeting, fault, step); step++) {
        for (uint32_t i = 0; i <= groups; i++) {
            /* the likely one, then the others, of which small ones take less time */
            const uint32_t group = i == 0 ? likely : meeting->suite->by_size[i - 1];
            if (i > 0 && group == likely) {
                continue;
            }
            if (meeting->trust->brief && trust_enough(meeting->trust, meeting->number)) {
                return true;
            }
            uint64_t count = list_step(meeting->suite, group, step, order);
            if (!meet(meeting, fault->name, fault->guard_pages, worker, order, count)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- drills ---------------------------------------------------------------------------------- */

/* The faults of each drill, in order, and the cases that they run. */
static const struct drill {
    enum trust_drill number;
    const char *fault;
    bool related; /* cases with a relation; otherwise cases of `kind` */
    enum trust_kind kind;
} drills[] = {
    {TRUST_DRILL_ODD, "always-odd", .related = true},
    {TRUST_DRILL_EVEN, "always-even", .related = true},
    {TRUST_DRILL_OUTPUT, "always-value", .kind = TRUST_COMPUTED},
    {TRUST_DRILL_OUTPUT, "always-guard", .kind = TRUST_COMPUTED},
    {TRUST_DRILL_OUTPUT, "always-opposite", .kind = TRUST_ANSWERED},
};

/* Lists the cases of a drill that have not failed yet. */
static uint64_t list_drill(const struct meeting *meeting, const struct drill *drill,
                           uint64_t *order)
{
    const struct trust_suite *suite = meeting->suite;
    uint64_t count = 0;
    for (size_t i = 0; i < suite->cases.count; i++) {
        const struct trust_case *c = &suite->list[i];
        if ((drill->related ? c->related : c->kind == (unsigned char)drill->kind) &&
            !trust_set_has(meeting->set, i)) {
            order[count++] = i;
        }
    }
    return count;
}

static bool meet_drill(struct meeting *meeting, enum trust_drill number, const char *worker,
                       uint64_t *order)
{
    bool met = true;
    for (size_t i = 0; met && i < sizeof drills / sizeof drills[0]; i++) {
        if (drills[i].number == number) {
            const uint64_t count = list_drill(meeting, &drills[i], order);
            met = meet(meeting, drills[i].fault, false, worker, order, count);
        }
    }
    return met;
}

void trust_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order, pid_t parent)
{
    struct meeting meeting = {.trust = trust,
                              .suite = &trust->suite,
                              .number = i,
                              .outcome = &trust->outcomes[i],
                              .set = trust->sets + i * trust->suite.words,
                              .parent = parent};
    bool met =
        i < trust->fault_count
            ? meet_fault(&meeting, &trust->faults[i], worker, order)
            : meet_drill(&meeting, (enum trust_drill)(i - trust->fault_count), worker, order);
    atomic_store(&meeting.outcome->state, met ? TRUST_DONE : TRUST_FAILED);
}
