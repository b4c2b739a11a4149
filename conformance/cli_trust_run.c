/* topk-cts trust: seeded faults meet the cases of a profile.
 *
 * Processes take faults from a common counter and leave what came of them in memory that they
 * share. Each is a child of the command, with a runner and a worker of its own for each group. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cli_trust.h"

/* elements of the input up to which a case belongs to a step; the last one has no limit */
static const uint64_t step_elements[TRUST_STEPS - 1] = {1024, 16384};

/* seconds that a case may take; of a fault that hangs, which runs the small cases only */
#define TIMEOUT      120.0
#define TIMEOUT_HANG 1.0

/* ---- cases -------------------------------------------------------------------------------------
 */

bool trust_set_has(const uint64_t *set, size_t number)
{
    return (set[number / 64] >> number % 64 & 1) != 0;
}

static void set_add(uint64_t *set, size_t number)
{
    set[number / 64] |= (uint64_t)1 << number % 64;
}

static unsigned char step_of(const struct topk_case *test)
{
    uint64_t elements = topk_tensor_elements(&test->op.tensors[TOPK_INPUT]);
    unsigned char step = 0;
    /* what is created only is no work, whatever its size */
    while (step < TRUST_STEPS - 1 && elements > step_elements[step] && !topk_case_too_large(test)) {
        step++;
    }
    return step;
}

static bool look_at(const struct cli_case *c, struct trust_case *at)
{
    struct topk_case test;
    struct topk_case_error error;
    struct topk_validity validity;
    if (!topk_case_parse(c->id + c->text, c->length - c->text, &test, &error)) {
        cli_error("%s: column %zu: %s", c->id, error.column, error.message);
        return false;
    }
    topk_operator_validate(&test.op, test.op.level, &validity);
    bool valid = topk_clause_set_empty(&validity.broken);
    at->kind = valid && !topk_case_too_large(&test) ? TRUST_COMPUTED : TRUST_ANSWERED;
    at->step = valid ? step_of(&test) : 0;
    at->related = at->kind == TRUST_COMPUTED && topk_check_applies(&test);
    topk_case_clear(&test);
    return true;
}

/* the number of a case's group, which is new if it was not met before */
static uint32_t group_number(struct trust_suite *suite, const char *group)
{
    uint32_t i = 0;
    while (i < suite->group_count && strcmp(suite->groups[i], group) != 0) {
        i++;
    }
    if (i == suite->group_count && i < TRUST_GROUPS_MAX) {
        suite->groups[i] = group;
        suite->own[i] = strcmp(group, "faults") == 0;
        suite->group_count++;
    }
    return i;
}

int trust_suite_open(struct trust_suite *suite, const struct topk_profile *profile)
{
    uint32_t all;
    memset(suite, 0, sizeof *suite);
    suite->profile = profile;
    const char *drifted = topk_profile_digest(profile, suite->digest, &all);
    if (drifted != NULL) {
        cli_error("the test '%s' is not what profile %s means", drifted, profile->name);
        return CLI_HARNESS;
    }
    int code = cli_cases_select(&suite->cases, profile, NULL, 0, false);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    suite->words = suite->cases.count / 64 + 1;
    suite->list = calloc(suite->cases.count, sizeof *suite->list);
    if (suite->list == NULL) {
        cli_error("memory ran out");
        return CLI_HARNESS;
    }
    for (size_t i = 0; i < suite->cases.count; i++) {
        const struct cli_case *c = &suite->cases.list[i];
        uint32_t group = group_number(suite, topk_test_at(c->test)->group);
        if (group == TRUST_GROUPS_MAX) {
            cli_error("profile %s has more than %u groups", profile->name, TRUST_GROUPS_MAX);
            return CLI_HARNESS;
        }
        suite->list[i].group = (unsigned char)group;
        suite->sizes[group]++;
        if (!look_at(c, &suite->list[i])) {
            return CLI_HARNESS;
        }
    }
    return CLI_CONFORMANT;
}

void trust_suite_close(struct trust_suite *suite)
{
    cli_cases_free(&suite->cases);
    free(suite->list);
    suite->list = NULL;
}

/* ---- a fault meets cases -----------------------------------------------------------------------
 */

struct meeting {
    const struct trust_suite *suite;
    struct trust_outcome *outcome;
    uint64_t *set;
    bool once;     /* the first failure of a step ends it */
    bool orphaned; /* the command that started this process is gone */
    pid_t parent;
};

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct meeting *meeting = context;
    const struct cli_case *c = &meeting->suite->cases.list[number];
    *length = c->length - c->text;
    return c->id + c->text;
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
    outcome->killed[group]++;
    set_add(meeting->set, number);
    if (meeting->suite->own[group]) {
        return !meeting->once; /* what a row promises is what other groups name */
    }
    if (result->clause == TOPK_CLAUSE_NONE) {
        outcome->unnamed = true;
    } else {
        topk_clause_set_add(&outcome->first, result->clause);
    }
    for (uint32_t f = 0; f < result->judgement.count; f++) {
        topk_clause_set_add(&outcome->later, result->judgement.findings[f].clause);
    }
    return !meeting->once;
}

static void look_for_parent(void *context)
{
    struct meeting *meeting = context;
    meeting->orphaned = getppid() != meeting->parent;
}

/* Runs the cases of order; the outcome is FAILED if they could not be. */
static bool run_cases(struct meeting *meeting, struct topk_runner *runner, const uint64_t *order,
                      uint64_t count)
{
    char error[TOPK_RUNNER_ERROR];
    struct topk_runner_job job = {.count = count,
                                  .order = order,
                                  .text = case_text,
                                  .result = take_result,
                                  .tick = look_for_parent,
                                  .context = meeting};
    enum topk_runner_status status = topk_runner_run(runner, &job, error);
    if (status == TOPK_RUNNER_INTERRUPTED || meeting->orphaned) {
        _exit(CLI_INCOMPLETE);
    }
    if (status != TOPK_RUNNER_DONE && status != TOPK_RUNNER_STOPPED) {
        snprintf(meeting->outcome->error, TRUST_ERROR, "%.300s", error);
        return false;
    }
    return true;
}

/* a worker for a fault, while the runner has it */
struct hosting {
    char spec[CLI_FAULT_NAME + 8];
    const char *arguments[4];
    struct topk_runner *runner;
};

static bool start_hosting(struct hosting *hosting, struct meeting *meeting, const char *worker,
                          const char *id, double timeout)
{
    char error[TOPK_RUNNER_ERROR];
    struct topk_greeting greeting;
    enum topk_runner_status status;
    snprintf(hosting->spec, sizeof hosting->spec, "faulty:%s", id);
    hosting->arguments[0] = worker;
    hosting->arguments[1] = "--backend";
    hosting->arguments[2] = hosting->spec;
    hosting->arguments[3] = NULL;
    struct topk_runner_options options = {
        .command = hosting->arguments, .jobs = 1, .timeout = timeout};
    hosting->runner = topk_runner_open(&options, &greeting, &status, error);
    if (hosting->runner == NULL && status == TOPK_RUNNER_INTERRUPTED) {
        _exit(CLI_INCOMPLETE);
    }
    if (hosting->runner == NULL) {
        snprintf(meeting->outcome->error, TRUST_ERROR, "%.300s", error);
    }
    return hosting->runner != NULL;
}

/* the cases of a group and a step */
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

static bool meet_group(struct meeting *meeting, const struct cli_fault *fault, uint32_t group,
                       uint32_t step, const char *worker, uint64_t *order)
{
    bool hangs = strcmp(fault->class, "hang") == 0;
    struct hosting hosting;
    uint64_t count = list_step(meeting->suite, group, step, order);
    if (count == 0) {
        return true;
    }
    if (!start_hosting(&hosting, meeting, worker, fault->name, hangs ? TIMEOUT_HANG : TIMEOUT)) {
        return false;
    }
    bool ran = run_cases(meeting, hosting.runner, order, count);
    topk_runner_close(hosting.runner);
    return ran;
}

/* whether a step is worth its time: with two groups that kill a fault it is dead, and none of them
 * alone is why */
static bool is_needed(const struct meeting *meeting, const struct cli_fault *fault, uint32_t step)
{
    uint32_t killers = 0;
    for (uint32_t group = 0; group < meeting->suite->group_count; group++) {
        killers += meeting->outcome->killed[group] > 0 && !meeting->suite->own[group];
    }
    if (fault->allowed) {
        return step < TRUST_STEPS - 1;
    }
    return step == 0 || (killers < 2 && strcmp(fault->class, "hang") != 0);
}

static bool meet_fault(struct meeting *meeting, const struct cli_fault *fault, const char *worker,
                       uint64_t *order)
{
    meeting->once = fault->ends;
    for (uint32_t step = 0; step < TRUST_STEPS && is_needed(meeting, fault, step); step++) {
        for (uint32_t group = 0; group < meeting->suite->group_count; group++) {
            if (!meet_group(meeting, fault, group, step, worker, order)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- drills ------------------------------------------------------------------------------------
 */

/* cases that a drill is for and that have not failed yet */
static uint64_t list_drill(const struct meeting *meeting, bool related, enum trust_kind kind,
                           uint64_t *order)
{
    const struct trust_suite *suite = meeting->suite;
    uint64_t count = 0;
    for (size_t i = 0; i < suite->cases.count; i++) {
        const struct trust_case *c = &suite->list[i];
        if ((related ? c->related : c->kind == (unsigned char)kind) &&
            !trust_set_has(meeting->set, i)) {
            order[count++] = i;
        }
    }
    return count;
}

static bool drill(struct meeting *meeting, const char *fault, const char *worker,
                  const uint64_t *order, uint64_t count)
{
    struct hosting hosting;
    if (count == 0) {
        return true;
    }
    if (!start_hosting(&hosting, meeting, worker, fault, TIMEOUT)) {
        return false;
    }
    bool ran = run_cases(meeting, hosting.runner, order, count);
    topk_runner_close(hosting.runner);
    return ran;
}

static bool meet_drill(struct meeting *meeting, enum trust_drill number, const char *worker,
                       uint64_t *order)
{
    uint64_t count;
    switch (number) {
    case TRUST_DRILL_ODD:
        count = list_drill(meeting, true, TRUST_COMPUTED, order);
        return drill(meeting, "always-odd", worker, order, count);
    case TRUST_DRILL_EVEN:
        count = list_drill(meeting, true, TRUST_COMPUTED, order);
        return drill(meeting, "always-even", worker, order, count);
    default:
        count = list_drill(meeting, false, TRUST_COMPUTED, order);
        if (!drill(meeting, "always-value", worker, order, count)) {
            return false;
        }
        count = list_drill(meeting, false, TRUST_COMPUTED, order);
        if (!drill(meeting, "always-guard", worker, order, count)) {
            return false;
        }
        count = list_drill(meeting, false, TRUST_ANSWERED, order);
        return drill(meeting, "always-opposite", worker, order, count);
    }
}

const uint64_t *trust_drill_set(const struct trust *trust, enum trust_drill number)
{
    return trust->sets + (trust->fault_count + number) * trust->suite.words;
}

/* ---- processes ---------------------------------------------------------------------------------
 */

/* the next outcome that is wanted; drills, which take longest, first */
static atomic_uint *counter;

static void work(struct trust *trust, const char *worker, pid_t parent)
{
    size_t drills = trust->drills ? TRUST_DRILLS : 0;
    size_t all = trust->fault_count + drills;
    uint64_t *order = malloc(trust->suite.cases.count * sizeof *order);
    if (order == NULL) {
        _exit(CLI_HARNESS);
    }
    for (size_t next; (next = atomic_fetch_add(counter, 1)) < all;) {
        size_t i = next < drills ? trust->fault_count + next : next - drills;
        struct meeting meeting = {.suite = &trust->suite,
                                  .outcome = &trust->outcomes[i],
                                  .set = trust->sets + i * trust->suite.words,
                                  .parent = parent};
        bool met = next < drills ? meet_drill(&meeting, (enum trust_drill)next, worker, order)
                                 : meet_fault(&meeting, &trust->faults[i], worker, order);
        atomic_store(&meeting.outcome->state, met ? TRUST_DONE : TRUST_FAILED);
    }
    free(order);
    _exit(CLI_CONFORMANT);
}

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void watch_signals(bool watch)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {.sa_handler = watch ? on_signal : SIG_DFL};
        sigaction(numbers[i], &action, NULL);
    }
}

static void draw(const struct trust *trust, bool erase)
{
    static bool shown;
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    size_t done = 0;
    if (isatty(STDERR_FILENO) != 1) {
        return;
    }
    for (size_t i = 0; i < all; i++) {
        done += atomic_load(&trust->outcomes[i].state) != TRUST_WAITING;
    }
    if (!erase) {
        fprintf(stderr, "\r\033[K%zu/%zu faults against profile %s", done, all,
                trust->suite.profile->name);
    } else if (shown) {
        fputs("\r\033[K", stderr);
    }
    fflush(stderr);
    shown = !erase;
}

/* waits for the children; stops them all if one failed or a signal came */
static int wait_for(const struct trust *trust, pid_t *children, uint32_t count)
{
    int code = CLI_CONFORMANT;
    bool stopped = false;
    for (uint32_t left = count; left > 0;) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            left--;
            for (uint32_t i = 0; i < count; i++) {
                children[i] = children[i] == ended ? 0 : children[i];
            }
            int exited = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_HARNESS;
            code = code == CLI_CONFORMANT && exited != CLI_CONFORMANT && !stopped ? exited : code;
        } else {
            struct timespec pause = {.tv_nsec = 50000000};
            nanosleep(&pause, NULL);
            draw(trust, false);
        }
        if ((interrupted || code != CLI_CONFORMANT) && !stopped) {
            stopped = true;
            for (uint32_t i = 0; i < count; i++) {
                if (children[i] > 0) {
                    kill(children[i], SIGTERM);
                }
            }
        }
    }
    draw(trust, true);
    return interrupted ? CLI_INCOMPLETE : code;
}

static bool make_shared(struct trust *trust)
{
    size_t all = trust->fault_count + TRUST_DRILLS;
    size_t outcomes = all * sizeof *trust->outcomes;
    size_t sets = all * trust->suite.words * sizeof *trust->sets;
    trust->shared_bytes = outcomes + sets + sizeof *counter;
    unsigned char *shared =
        mmap(NULL, trust->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return false;
    }
    trust->outcomes = (void *)shared;
    trust->sets = (void *)(shared + outcomes);
    counter = (void *)(shared + outcomes + sets);
    return true;
}

static int first_error(const struct trust *trust)
{
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    for (size_t i = 0; i < all; i++) {
        const struct trust_outcome *outcome = &trust->outcomes[i];
        if (atomic_load(&outcome->state) != TRUST_DONE) {
            cli_error("%s could not be run: %s",
                      i < trust->fault_count ? trust->faults[i].name : "a drill",
                      outcome->error[0] == 0 ? "its process ended" : outcome->error);
            return CLI_HARNESS;
        }
    }
    return CLI_CONFORMANT;
}

int trust_run(struct trust *trust, uint32_t jobs)
{
    struct cli_worker_command command;
    const struct cli_backend backend = {.spec = "faulty"};
    int code = cli_worker_command(&backend, &command);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    pid_t *children = calloc(jobs, sizeof *children);
    if (children == NULL || !make_shared(trust)) {
        cli_error("memory ran out");
        free(children);
        cli_worker_command_free(&command);
        return CLI_HARNESS;
    }
    fflush(NULL);
    pid_t parent = getpid();
    uint32_t started = 0;
    watch_signals(true);
    bool short_of_processes = false;
    while (started < jobs && !short_of_processes) {
        children[started] = fork();
        if (children[started] == 0) {
            watch_signals(false);
            work(trust, command.path, parent);
        }
        if (children[started] < 0) {
            cli_error("no process could be started: %s", strerror(errno));
            short_of_processes = true;
        }
        started += children[started] > 0;
    }
    code = wait_for(trust, children, started);
    watch_signals(false);
    free(children);
    cli_worker_command_free(&command);
    if (code == CLI_INCOMPLETE) {
        cli_error("interrupted");
        return code;
    }
    int failed = first_error(trust);
    return failed != CLI_CONFORMANT ? failed : code;
}

void trust_free(struct trust *trust)
{
    if (trust->outcomes != NULL) {
        munmap(trust->outcomes, trust->shared_bytes);
        trust->outcomes = NULL;
    }
}
