/* Turns cases into results: prepares cases, lets the backend run as many at once as it accepts, and
 * lets the judge decide. While a backend with start() is computing, the previous cases are judged
 * and the next ones prepared. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "host_call.h"
#include "job.h"
#include "platform/platform.h"
#include "platform/stage.h"
#include "process/guard_page.h"
#include "protocol/protocol.h"
#include "sequence.h"

/* greatest number of calls of a case in a queue */
#define CALLS_MAX (TOPK_SECOND_CALLS_MAX + 1u)

struct topk_jobs {
    struct topk_job *jobs;
    uint32_t room;
    struct topk_call **queue;   /* CALLS_MAX entries for each job */
    bool *done;                 /* which jobs have results */
    struct topk_result *second; /* results of the second runs, for cases that are run twice */
    uint32_t second_room;
};

/* ---- parts ----------------------------------------------------------------------------------- */

/* Limit for buffers that are kept from one case to the next: one for all first calls together, one
 * for all second calls. Each buffer eventually grows to its share, whatever most cases need. */
#define KEPT_BYTES ((uint64_t)16 << 20)
/* Limit for the buffers of cases that are prepared together, unless a single case needs more. */
#define TOGETHER_BYTES ((uint64_t)256 << 20)
/* The same for a part of a process that accepts few calls at a time: its buffers stay in the caches
 * from one stage to the next. */
#define CACHED_BYTES ((uint64_t)1 << 20)
/* Number of parts into which a batch is cut for a backend with start(). With more parts, the
 * backend has little work at a time; with fewer, it waits longer at the ends. */
#define PARTS 8u
/* Least number of cases in a part for a backend in its own process: waking it costs as much as a
 * small case. */
#define PROCESS_PART 16u

/* A batch of cases and their jobs: one job each, or two, one after another, for the two sides of
 * guard pages. */
struct batch {
    const struct topk_case *const *cases;
    struct topk_result *results;
    struct topk_result *second;
    uint32_t passes; /* jobs per case */
    uint32_t count;  /* number of jobs */
};

static const struct topk_case *case_of(const struct batch *batch, uint32_t job)
{
    return batch->cases[job / batch->passes];
}

static struct topk_result *result_of(const struct batch *batch, uint32_t job)
{
    return job % batch->passes == 0 ? &batch->results[job / batch->passes]
                                    : &batch->second[job / batch->passes];
}

static uint32_t passes_of(const struct topk_host *host)
{
    return host->guard_page == TOPK_GUARD_PAGE_BOTH ? 2 : 1;
}

static enum topk_guard_page guard_page_of(const struct topk_host *host, uint32_t job)
{
    return host->guard_page != TOPK_GUARD_PAGE_BOTH ? host->guard_page
           : job % 2 == 0                           ? TOPK_GUARD_PAGE_END
                                                    : TOPK_GUARD_PAGE_START;
}

/* jobs of a batch that run together */
struct part {
    uint32_t from;
    uint32_t count; /* 0: none */
    uint64_t bytes; /* approximate size of their buffers */
    struct topk_call **queue;
    uint32_t queued;
    bool alone;     /* judging them makes further calls */
    bool started;   /* the backend is computing them */
    uint64_t start; /* nanoseconds */
    uint64_t spent;
};

/* approximate size of the buffers of a call, with those of its second calls */
static uint64_t weigh_call(const struct topk_host *host, const struct topk_case *tc)
{
    uint64_t bytes = topk_call_bytes(tc);
    /* queued second calls are at most two, or one for each sequence */
    uint64_t calls = tc->check == TOPK_CHECK_NONE ? 1 : 3;
    return topk_job_too_large(host, tc) ? 0 : 2 * bytes * calls;
}

/* for a sequence of calls, which share buffers, that of the largest */
static uint64_t weigh(const struct topk_host *host, const struct topk_case *tc)
{
    uint64_t most = weigh_call(host, tc);
    for (uint32_t i = 0; i < tc->before_count; i++) {
        const uint64_t bytes = weigh_call(host, &tc->before[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static bool can_start(const struct topk_host *host)
{
    return host->client != NULL || (host->loaded.starts && host->loaded.info.batch >= PARTS);
}

/* whether a process accepts too few calls at a time to be given PARTS parts */
static bool accepts_few(const struct topk_host *host)
{
    return host->client != NULL && host->loaded.info.batch < PROCESS_PART * PARTS;
}

/* the number of jobs in the next part */
static uint32_t part_size(const struct topk_host *host, const struct batch *batch)
{
    const uint32_t together = host->loaded.info.batch;
    if (!can_start(host)) {
        return batch->count;
    }
    if (!accepts_few(host)) {
        return together / PARTS;
    }
    return together > PROCESS_PART * 2 ? together / 2 : PROCESS_PART;
}

static struct part cut_part(const struct topk_host *host, const struct batch *batch, uint32_t from)
{
    const uint32_t most = part_size(host, batch);
    const uint64_t room = accepts_few(host) ? CACHED_BYTES : TOGETHER_BYTES;
    struct part part = {.from = from, .count = 1, .bytes = weigh(host, case_of(batch, from))};
    while (from + part.count < batch->count && part.count < most) {
        const uint64_t bytes = weigh(host, case_of(batch, from + part.count));
        if (part.bytes + bytes > room) {
            break;
        }
        part.bytes += bytes;
        part.count++;
    }
    return part;
}

static void prepare_part(struct topk_host *host, const struct batch *batch, struct part *part)
{
    part->queue = &host->jobs->queue[(size_t)part->from * CALLS_MAX];
    for (uint32_t i = part->from; i < part->from + part->count; i++) {
        struct topk_job *job = &host->jobs->jobs[i];
        job->first_call.guard_page = guard_page_of(host, i);
        job->first_call.owner = i;
        host->jobs->done[i] = false;
        if (case_of(batch, i)->before_count > 0) {
            part->alone = true; /* it is prepared call by call */
            continue;
        }
        const enum topk_stage before = topk_stage_enter(TOPK_STAGE_PARSE);
        topk_job_prepare(host, job, case_of(batch, i), result_of(batch, i));
        topk_stage_enter(before);
        if (job->settled) {
            continue;
        }
        if (topk_job_alone(job)) {
            part->alone = true;
        } else {
            part->queue[part->queued++] = &job->first_call;
            part->queued = topk_job_queue(job, part->queue, part->queued);
        }
    }
}

static void start_part(struct topk_host *host, struct part *part)
{
    const bool fits = host->client != NULL || part->queued <= host->loaded.info.batch;
    if (can_start(host) && part->queued > 0 && fits) {
        part->start = topk_clock_now();
        part->started = true;
        topk_host_start(host, part->queue, part->queued);
    } else {
        part->spent = topk_host_call(host, part->queue, part->queued);
    }
}

static void finish_part(struct topk_host *host, struct part *part)
{
    if (part->started) {
        const uint64_t spent = topk_host_finish(host, part->queue, part->queued);
        part->started = false;
        part->spent = spent > 0 ? spent : topk_clock_now() - part->start;
    }
}

/* Judges a job, which may make further calls; returns the nanoseconds that these take. */
static uint64_t judge_job(struct topk_host *host, struct topk_job *job)
{
    uint64_t spent = 0;
    if (!job->settled && topk_job_alone(job)) {
        struct topk_call *first = &job->first_call;
        spent += topk_host_call(host, &first, 1);
    }
    if (!job->settled) {
        const enum topk_stage before = topk_stage_enter(TOPK_STAGE_JUDGE);
        spent += topk_job_judge(host, job);
        topk_stage_enter(before);
    }
    return spent;
}

static void judge_part(struct topk_host *host, const struct batch *batch, struct part *part)
{
    /* answers of a process that has ended since are not judged */
    for (uint32_t i = part->from; i < part->from + part->count && topk_host_died(host) == NULL;
         i++) {
        struct topk_job *job = &host->jobs->jobs[i];
        const struct topk_case *tc = case_of(batch, i);
        uint64_t spent = part->spent / part->count;
        if (tc->before_count > 0) {
            const enum topk_stage before = topk_stage_enter(TOPK_STAGE_JUDGE);
            spent += topk_sequence_run(host, job, tc, result_of(batch, i));
            topk_stage_enter(before);
        } else {
            spent += judge_job(host, job);
        }
        result_of(batch, i)->nanoseconds = spent;
        host->jobs->done[i] = topk_host_died(host) == NULL;
        topk_job_trim(job, KEPT_BYTES / TOPK_CALL_BUFFERS / host->jobs->room);
    }
    part->count = 0;
}

/* Runs all parts. While the backend computes one, the previous one is judged, unless that makes
 * further calls, and the next is prepared. */
static void run_parts(struct topk_host *host, const struct batch *batch)
{
    struct part before = {.count = 0}; /* the part that was started */
    for (uint32_t from = 0; from < batch->count;) {
        struct part next = cut_part(host, batch, from);
        if (before.count > 0 && before.bytes + next.bytes > TOGETHER_BYTES) {
            finish_part(host, &before);
            judge_part(host, batch, &before);
        }
        prepare_part(host, batch, &next);
        const bool ahead = host->client != NULL && !before.alone;
        if (ahead) {
            /* a process accepts it before it has finished the previous one */
            start_part(host, &next);
        }
        finish_part(host, &before);
        if (before.alone) {
            judge_part(host, batch, &before);
        }
        if (!ahead) {
            start_part(host, &next);
        }
        judge_part(host, batch, &before);
        from += next.count;
        before = next;
        if (!before.started) {
            judge_part(host, batch, &before);
        }
    }
    finish_part(host, &before);
    judge_part(host, batch, &before);
    if (host->client != NULL) {
        topk_client_settle(host->client);
        /* late writes are detected after their cases were judged */
        const struct topk_client_end *end = topk_client_ended(host->client);
        for (uint32_t i = end->first; i <= end->last; i++) {
            host->jobs->done[i] = false;
        }
    }
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool reserve(struct topk_host *host, uint32_t count)
{
    if (host->jobs == NULL) {
        host->jobs = calloc(1, sizeof *host->jobs);
    }
    struct topk_jobs *jobs = host->jobs;
    if (jobs == NULL || !topk_host_reserve_calls(host)) {
        return false;
    }
    if (passes_of(host) == 2 && count > jobs->second_room) {
        struct topk_result *second = realloc(jobs->second, count / 2 * sizeof *second);
        if (second == NULL) {
            return false;
        }
        jobs->second = second;
        jobs->second_room = count;
    }
    if (count <= jobs->room) {
        return true;
    }
    struct topk_call **queue =
        realloc(jobs->queue, (size_t)count * CALLS_MAX * sizeof(struct topk_call *));
    if (queue != NULL) {
        jobs->queue = queue;
    }
    bool *done = realloc(jobs->done, count * sizeof *done);
    if (done != NULL) {
        jobs->done = done;
    }
    struct topk_job *grown =
        queue == NULL || done == NULL ? NULL : realloc(jobs->jobs, count * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + jobs->room, 0, (count - jobs->room) * sizeof *grown);
    jobs->jobs = grown;
    jobs->room = count;
    return true;
}

/* The severity of a verdict, to choose between two of the same case: a fault of the suite is worse
 * than one of the backend, and that worse than no information. */
static int badness(enum topk_verdict verdict)
{
    static const enum topk_verdict worst_first[] = {
        TOPK_VERDICT_HARNESS_ERROR, TOPK_VERDICT_DEVICE_LOST, TOPK_VERDICT_FAIL,
        TOPK_VERDICT_ACCEPTED,      TOPK_VERDICT_REFUSED,     TOPK_VERDICT_ERROR,
        TOPK_VERDICT_UNSUPPORTED,   TOPK_VERDICT_PASS};
    const int count = (int)(sizeof worst_first / sizeof worst_first[0]);
    int at = 0;
    while (at < count && worst_first[at] != verdict) {
        at++;
    }
    return count - at;
}

/* Merges the two results that a case has with guard pages. */
static void join(struct topk_result *result, const struct topk_result *second)
{
    const uint64_t nanoseconds = result->nanoseconds + second->nanoseconds;
    const uint32_t observations = result->judgement.observations | second->judgement.observations;
    const bool differ = result->verdict != second->verdict;
    const bool later = badness(second->verdict) > badness(result->verdict);
    if (later) {
        *result = *second;
    }
    result->nanoseconds = nanoseconds;
    result->judgement.observations = observations;
    if (differ) {
        char reason[TOPK_REASON];
        snprintf(reason, sizeof reason, "only with guard pages at the %s of tensors%s%.190s",
                 later ? "start" : "end", result->reason[0] == 0 ? "" : ": ", result->reason);
        memcpy(result->reason, reason, sizeof reason);
    }
}

static void say_no_memory(struct topk_result *result)
{
    memset(result, 0, sizeof *result);
    result->verdict = TOPK_VERDICT_HARNESS_ERROR;
    result->clause = TOPK_CLAUSE_NONE;
    snprintf(result->reason, sizeof result->reason, "out of memory");
}

void topk_host_run(struct topk_host *host, const struct topk_case *const cases[], uint32_t count,
                   struct topk_result *results)
{
    const uint32_t passes = passes_of(host);
    if (!reserve(host, count * passes)) {
        for (uint32_t i = 0; i < count; i++) {
            say_no_memory(&results[i]);
        }
        return;
    }
    struct topk_jobs *jobs = host->jobs;
    run_parts(host, &(struct batch){cases, results, jobs->second, passes, count * passes});
    for (uint32_t i = 0; passes == 2 && i < count; i++) {
        if (topk_host_died(host) == NULL || topk_host_done(host, i)) {
            join(&results[i], &jobs->second[i]);
        }
    }
}

bool topk_host_start_process(struct topk_host *host, const char *const *command, const char *device,
                             enum topk_greeting_kind *kind, char *error, size_t error_bytes)
{
    struct topk_link link;
    memset(host, 0, sizeof *host);
    *kind = TOPK_GREETING_NONE;
    if (!topk_link_start(command, &link, error, error_bytes)) {
        return false;
    }
    host->client = topk_client_open(&link, device, &host->loaded, kind, error, error_bytes);
    return host->client != NULL;
}

bool topk_host_open(struct topk_host *host, const char *spec, char *error, size_t error_bytes)
{
    memset(host, 0, sizeof *host);
    return topk_loader_open(&host->loaded, spec, error, error_bytes);
}

bool topk_host_declare(struct topk_host *host, const struct topk_contract *contract, char *error,
                       size_t error_bytes)
{
    const struct topk_contract *own = &host->loaded.contract;
    struct topk_contract given = *contract;
    struct topk_contract bare = {.chosen = 0}; /* the contract that flag 1 implies */
    topk_contract_flags(&bare, host->loaded.info.flags);
    const uint32_t flags = topk_contract_flags(&given, host->loaded.info.flags);
    const enum topk_contract_rule rule = topk_contract_differs(own, &given);
    if (rule != TOPK_CONTRACT_RULE_COUNT &&
        topk_contract_differs(own, &bare) != TOPK_CONTRACT_RULE_COUNT) {
        char says[TOPK_CONTRACT_RULES];
        char wants[TOPK_CONTRACT_RULES];
        topk_contract_value_print(own, rule, says);
        topk_contract_value_print(&given, rule, wants);
        snprintf(error, error_bytes,
                 "the backend declares %s=%s by itself, and the contract that was given has %s=%s",
                 topk_contract_rule_row(rule)->key, says, topk_contract_rule_row(rule)->key, wants);
        return false;
    }
    host->loaded.contract = given;
    host->loaded.info.flags = flags;
    return true;
}

bool topk_host_guard(struct topk_host *host, enum topk_guard_page guard_page, char *error,
                     size_t error_bytes)
{
    if (host->client != NULL && !topk_client_guards(host->client)) {
        snprintf(error, error_bytes,
                 "guard pages need topk-backend, or another program that has flag 100 of the "
                 "backend protocol; this one does not");
        return false;
    }
    if (host->client == NULL) {
        host->guard_pages = topk_guard_pages_new();
        if (host->guard_pages == NULL) {
            snprintf(error, error_bytes, "out of memory");
            return false;
        }
    }
    host->guard_page = guard_page;
    return true;
}

bool topk_host_blamed(const struct topk_host *host, uint32_t *first, uint32_t *last)
{
    const struct topk_client_end *end = topk_client_ended(host->client);
    *first = end->first / passes_of(host);
    *last = end->last / passes_of(host);
    return end->first <= end->last;
}

bool topk_host_done(const struct topk_host *host, uint32_t number)
{
    const uint32_t passes = passes_of(host);
    const size_t first = (size_t)number * passes;
    return host->jobs->done[first] && host->jobs->done[first + passes - 1];
}

bool topk_host_close(struct topk_host *host, char *how, size_t how_bytes)
{
    bool good = true;
    struct topk_jobs *jobs = host->jobs;
    if (jobs != NULL) {
        for (uint32_t i = 0; i < jobs->room; i++) {
            topk_job_free(&jobs->jobs[i]);
        }
        free(jobs->jobs);
        free(jobs->queue);
        free(jobs->done);
        free(jobs->second);
        free(jobs);
    }
    topk_host_free_calls(host);
    if (host->client != NULL) {
        good = topk_client_close(host->client, how, how_bytes);
    } else {
        topk_loader_close(&host->loaded);
    }
    topk_guard_pages_free(host->guard_pages);
    memset(host, 0, sizeof *host);
    return good;
}
