/* The probes of a backend as jobs of the runner: first gets their names, then runs each. */
#include "probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/protocol.h"

struct job {
    struct topk_probes *probes;
    topk_probes_take *take;
    void *context;
    bool stopped;
    char request[32];
};

/* ---- names ----------------------------------------------------------------------------------- */

static const char *list_request(void *context, uint64_t number, size_t *length)
{
    static const char request[] = "probes";
    (void)context;
    (void)number;
    *length = sizeof request - 1;
    return request;
}

static bool known(const struct topk_probes *probes, const char *name)
{
    for (uint32_t i = 0; i < probes->count; i++) {
        if (strcmp(probes->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* appends a probe; false if its name is malformed or a duplicate, or if there are too many */
static bool add(struct topk_probes *probes, const char *name, size_t length)
{
    if (probes->count == TOPK_PROBES_MAX || !topk_probe_name_valid(name, length)) {
        return false;
    }
    struct topk_probe *probe = &probes->list[probes->count];
    memset(probe, 0, sizeof *probe);
    memcpy(probe->name, name, length);
    probe->verdict = TOPK_PROBE_VERDICT_COUNT;
    bool fresh = !known(probes, probe->name);
    probes->count += fresh;
    return fresh;
}

static bool list_answer(void *context, uint64_t number, const char *text, size_t length)
{
    struct job *job = context;
    const char *end = text + length;
    (void)number;
    job->probes->count = 0;
    if (length < 7 || memcmp(text, "probes=", 7) != 0) {
        return false;
    }
    const char *at = text + 7;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *name_end = comma == NULL ? end : comma;
        if (!add(job->probes, at, (size_t)(name_end - at))) {
            return false;
        }
        at = comma == NULL ? end : comma + 1;
    }
    return length == 7 || end[-1] != ',';
}

/* the verdict of a probe whose worker ended */
static void end_probe(struct topk_probe *probe, const struct topk_result *result)
{
    probe->verdict = result->verdict == TOPK_VERDICT_TIMEOUT ? TOPK_PROBE_HUNG : TOPK_PROBE_CRASHED;
    topk_probe_text(probe->detail, sizeof probe->detail, result->reason);
}

static bool list_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct job *job = context;
    (void)number;
    job->probes->count = 0;
    add(job->probes, "probes", 6);
    end_probe(&job->probes->list[0], result);
    return true;
}

enum topk_runner_status topk_probes_list(struct topk_runner *runner,
                                         const struct topk_greeting *greeting,
                                         struct topk_probes *probes, char error[TOPK_RUNNER_ERROR])
{
    struct job job = {.probes = probes};
    const struct topk_runner_job request = {.count = 1,
                                            .text = list_request,
                                            .result = list_result,
                                            .answer = list_answer,
                                            .context = &job};
    memset(probes, 0, sizeof *probes);
    if ((greeting->flags & TOPK_FLAG_PROBES) == 0) {
        return TOPK_RUNNER_DONE;
    }
    return topk_runner_run(runner, &request, error);
}

/* ---- running --------------------------------------------------------------------------------- */

static const char *probe_request(void *context, uint64_t number, size_t *length)
{
    struct job *job = context;
    *length = (size_t)snprintf(job->request, sizeof job->request, "probe %" PRIu64, number);
    return job->request;
}

static bool take(struct job *job, uint64_t number)
{
    job->stopped = !job->take(job->context, &job->probes->list[number]);
    return !job->stopped;
}

static bool probe_answer(void *context, uint64_t number, const char *text, size_t length)
{
    struct job *job = context;
    struct topk_probe *probe = &job->probes->list[number];
    struct topk_probe said = *probe;
    /* only the runner decides that a worker crashed or hung */
    if (!topk_probe_parse(text, length, &said) || said.verdict > TOPK_PROBE_FAILED) {
        return false;
    }
    *probe = said;
    return take(job, number);
}

static bool probe_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct job *job = context;
    if (job->stopped) {
        return false;
    }
    end_probe(&job->probes->list[number], result);
    return take(job, number);
}

enum topk_runner_status topk_probes_run(struct topk_runner *runner, struct topk_probes *probes,
                                        topk_probes_take *taken, void *context,
                                        char error[TOPK_RUNNER_ERROR])
{
    struct job job = {.probes = probes, .take = taken, .context = context};
    uint64_t order[TOPK_PROBES_MAX];
    struct topk_runner_job request = {.order = order,
                                      .text = probe_request,
                                      .result = probe_result,
                                      .answer = probe_answer,
                                      .context = &job};
    for (uint32_t i = 0; i < probes->count; i++) {
        if (probes->list[i].verdict == TOPK_PROBE_VERDICT_COUNT) {
            order[request.count++] = i;
        }
    }
    return topk_runner_run(runner, &request, error);
}
