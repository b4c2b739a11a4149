/* Calls that wait for a device. */
#include "list.h"

#include <inttypes.h>
#include <stdio.h>

/* Greatest number of steps of the calls in a list, unless a single call needs more: the driver of a
 * display allows two seconds for a list. */
#define LIST_STEPS (UINT64_C(1) << 26)

static uint64_t bytes_of(const struct topk_kernel_job *job)
{
    return job->call->input_buffer.bytes + job->call->value_buffer.bytes +
           job->call->index_buffer.bytes + job->scratch_bytes;
}

/* ---- The device ----------------------------------------------------------------------------- */

/* Submits jobs to the device; the answer is DONE, or the failure. */
static struct topk_backend_answer submit(struct topk_kernel_list *list,
                                         struct topk_kernel_job *jobs, uint32_t count)
{
    const struct topk_kernel_api *api = list->api;
    struct topk_backend_answer answer = {.status = TOPK_BACKEND_DONE};
    if (api->lost(list->device, &answer)) {
        return answer; /* do not touch what it may still use */
    }
    for (uint32_t i = 0; i < count; i++) {
        list->calls[i] = jobs[i].call;
    }
    const char *doing = "making room for the kernels";
    int32_t result = api->reserve(list->device, count, topk_kernel_place_scratch(jobs, count));
    if (result == 0) {
        doing = "uploading the buffers";
        result = api->load(list->device, list->calls, count);
    }
    if (result == 0) {
        doing = "executing the kernels";
        result = api->submit(list->device, jobs, list->calls, count);
    }
    if (result != 0) {
        api->answer(list->device, result, doing, bytes_of(&jobs[0]), &answer);
    }
    return answer;
}

/* Fails the jobs that a validation layer complained about; a complaint about no job in particular
 * fails all of them. */
static void answer_complaints(const struct topk_kernel_list *list,
                              const struct topk_kernel_job *jobs, uint32_t count)
{
    char heard[TOPK_KERNEL_COMPLAINT] = "";
    if (list->api->hear != NULL) {
        list->api->hear(list->device, heard);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_answer *answer = jobs[i].answer;
        const char *complaint = jobs[i].complaint[0] != 0 ? jobs[i].complaint : heard;
        if (complaint[0] != 0 && answer->status == TOPK_BACKEND_DONE) {
            answer->status = TOPK_BACKEND_FAILED;
            snprintf(answer->reason, sizeof answer->reason, "validation: %s", complaint);
        }
    }
}

static void settle(struct topk_kernel_list *list, struct topk_kernel_job *jobs, uint32_t count,
                   struct topk_backend_answer answer);

/* Runs jobs that failed together one by one. A failure that does not recur belongs to no particular
 * job; the first one is answered with it, unless memory did not suffice for all together. */
static void run_alone(struct topk_kernel_list *list, struct topk_kernel_job *jobs, uint32_t count,
                      const struct topk_backend_answer *together)
{
    bool explained = together->status == TOPK_BACKEND_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        settle(list, &jobs[i], 1, submit(list, &jobs[i], 1));
        explained |= jobs[i].answer->status != TOPK_BACKEND_DONE;
    }
    if (!explained) {
        struct topk_backend_answer *answer = jobs[0].answer;
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason,
                 "%.180s for %" PRIu32 " calls together, and not for any of them alone",
                 together->reason, count);
    }
}

/* Waits for submitted jobs and answers those that fail. answer: of the submission. */
static void settle(struct topk_kernel_list *list, struct topk_kernel_job *jobs, uint32_t count,
                   struct topk_backend_answer answer)
{
    const struct topk_kernel_api *api = list->api;
    if (answer.status == TOPK_BACKEND_DONE) {
        const int32_t result = api->finish(list->device, list->calls, count);
        if (result != 0) {
            api->answer(list->device, result, "executing the kernels", bytes_of(&jobs[0]), &answer);
        }
    }
    if (answer.status != TOPK_BACKEND_DONE && answer.status != TOPK_BACKEND_DEVICE_LOST &&
        count > 1) {
        run_alone(list, jobs, count, &answer);
        return;
    }
    for (uint32_t i = 0; answer.status != TOPK_BACKEND_DONE && i < count; i++) {
        *jobs[i].answer = answer;
    }
    answer_complaints(list, jobs, count);
    api->trim(list->device);
}

/* ---- Waiting -------------------------------------------------------------------------------- */

/* Whether a job fits into the list of waiting jobs. */
static bool fits(const struct topk_kernel_list *list, const struct topk_kernel_job *job)
{
    return list->count == 0 || (list->count < list->api->calls &&
                                list->bytes + bytes_of(job) <= list->api->list_bytes &&
                                list->steps + job->steps <= LIST_STEPS);
}

void topk_kernel_list_start(struct topk_kernel_list *list)
{
    if (list->count > 0) {
        list->started = true;
        list->submitted = submit(list, list->jobs, list->count);
    }
}

void topk_kernel_list_finish(struct topk_kernel_list *list)
{
    list->finished = 0;
    if (list->started) {
        settle(list, list->jobs, list->count, list->submitted);
        list->finished = list->submitted.status == TOPK_BACKEND_DONE ? list->count : 0;
    }
    for (uint32_t i = 0; i < list->finished; i++) {
        list->finished = list->jobs[i].answer->status == TOPK_BACKEND_DONE ? list->finished : 0;
    }
    list->started = false;
    list->count = 0;
    list->bytes = 0;
    list->steps = 0;
}

bool topk_kernel_list_repeat(struct topk_kernel_list *list)
{
    struct topk_backend_answer lost;
    return list->finished > 0 && list->api->repeat != NULL &&
           !list->api->lost(list->device, &lost) &&
           list->api->repeat(list->device, list->jobs, list->finished) == 0;
}

void topk_kernel_list_add(struct topk_kernel_list *list, const struct topk_kernel_job *job)
{
    const struct topk_kernel_api *api = list->api;
    struct topk_kernel_job added = *job;
    if (api->lost(list->device, added.answer)) {
        return;
    }
    const int32_t result = api->prepare(list->device, &added);
    if (result != 0) {
        char doing[64];
        snprintf(doing, sizeof doing, "creating the pipeline %s, %" PRIu32 " bytes",
                 api->variants[added.variant].name, added.plan.tensors[TOPK_CPU_INPUT].width);
        api->answer(list->device, result, doing, 0, added.answer);
        return;
    }
    if (!fits(list, &added)) {
        topk_kernel_list_start(list);
        topk_kernel_list_finish(list);
    }
    list->jobs[list->count++] = added;
    list->bytes += bytes_of(&added);
    list->steps += added.steps;
}
