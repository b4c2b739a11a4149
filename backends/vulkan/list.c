/* Calls that wait for a command buffer. */
#include "list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Memory that the calls of one command buffer may have, but that one call has what it needs. */
#define LIST_BYTES (UINT64_C(256) << 20)
/* Steps that they may take, but that one call may take what it needs: a display's driver gives a
 * submission two seconds. */
#define LIST_STEPS (UINT64_C(1) << 26)

/* ---- A command buffer ----------------------------------------------------------------------- */

static VkResult submit(struct topk_vulkan_list *list, struct topk_vulkan_job *jobs, uint32_t count)
{
    struct topk_backend_answer lost;
    if (topk_vulkan_lost(list->vulkan, &lost)) {
        return VK_ERROR_DEVICE_LOST; /* what it may still use is not touched */
    }
    for (uint32_t i = 0; i < count; i++) {
        list->calls[i] = jobs[i].call;
    }
    list->doing = "making room for the kernels";
    VkResult result = topk_vulkan_kernels_reserve(&list->kernels, jobs, count);
    if (result == VK_SUCCESS) {
        list->doing = "uploading the buffers";
        result = topk_vulkan_load(&list->batch, list->calls, count, list->places);
    }
    if (result == VK_SUCCESS) {
        topk_vulkan_record(&list->kernels, &list->batch, jobs, count, list->places);
        list->doing = "executing the kernels";
        result = topk_vulkan_submit(&list->batch, list->calls, count, list->places);
    }
    return result;
}

static uint64_t bytes_of(const struct topk_vulkan_job *job)
{
    return job->call->input_buffer.bytes + job->call->value_buffer.bytes +
           job->call->index_buffer.bytes + job->scratch_bytes;
}

/* Fails the jobs that the validation layer has something to say of; what it says of none in
 * particular, it says of all. */
static void answer_messages(struct topk_vulkan_list *list, struct topk_vulkan_job *jobs,
                            uint32_t count)
{
    const struct topk_vulkan_messages heard = topk_vulkan_hear(list->vulkan);
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_answer *answer = jobs[i].answer;
        if (jobs[i].heard.count == 0) {
            jobs[i].heard = heard;
        }
        if (jobs[i].heard.count > 0 && answer->status == TOPK_BACKEND_DONE) {
            answer->status = TOPK_BACKEND_FAILED;
            (void)snprintf(answer->reason, sizeof answer->reason, "validation: %s",
                           jobs[i].heard.first);
        }
    }
}

static void settle_jobs(struct topk_vulkan_list *list, struct topk_vulkan_job *jobs, uint32_t count,
                        VkResult submitted);

/* What fails together is tried alone. What does not come back then is not the fault of any one; the
 * first has to answer for it, unless it was memory that did not suffice for all. */
static void run_alone(struct topk_vulkan_list *list, struct topk_vulkan_job *jobs, uint32_t count,
                      VkResult together)
{
    const char *doing = list->doing;
    bool explained =
        together == VK_ERROR_OUT_OF_DEVICE_MEMORY || together == VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        settle_jobs(list, &jobs[i], 1, submit(list, &jobs[i], 1));
        explained |= jobs[i].answer->status != TOPK_BACKEND_DONE;
    }
    if (!explained) {
        struct topk_backend_answer *answer = jobs[0].answer;
        answer->status = TOPK_BACKEND_FAILED;
        (void)snprintf(answer->reason, sizeof answer->reason,
                       "%s: %d %s for %" PRIu32 " calls together, and not for any of them alone",
                       doing, (int)together, topk_vulkan_result_name(together), count);
    }
}

/* Waits for count jobs that were submitted, with that result, and answers those that fail. */
static void settle_jobs(struct topk_vulkan_list *list, struct topk_vulkan_job *jobs, uint32_t count,
                        VkResult submitted)
{
    struct topk_backend_answer answer;
    bool failed = topk_vulkan_lost(list->vulkan, &answer);
    if (!failed) {
        const VkResult result =
            submitted != VK_SUCCESS
                ? submitted
                : topk_vulkan_finish(&list->batch, list->calls, count, list->places);
        const bool gone = list->vulkan->timed_out || result == VK_ERROR_DEVICE_LOST;
        if (result != VK_SUCCESS && !gone && count > 1) {
            run_alone(list, jobs, count, result);
            return;
        }
        failed = result != VK_SUCCESS;
        if (failed) {
            answer = (struct topk_backend_answer){.status = TOPK_BACKEND_FAILED};
            topk_vulkan_answer(list->vulkan, result, list->doing, bytes_of(&jobs[0]), &answer);
        }
    }
    for (uint32_t i = 0; failed && i < count; i++) {
        *jobs[i].answer = answer;
    }
    answer_messages(list, jobs, count);
    struct topk_vulkan_buffer *const buffers[] = {&list->batch.arena, &list->batch.upload,
                                                  &list->batch.readback, &list->kernels.scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        topk_vulkan_trim(list->vulkan, buffers[i]);
    }
}

/* ---- Waiting -------------------------------------------------------------------------------- */

/* Whether a job fits into the list of those that wait. */
static bool fits(const struct topk_vulkan_list *list, const struct topk_vulkan_job *job)
{
    return list->count == 0 ||
           (list->count < TOPK_VULKAN_CALLS && list->bytes + bytes_of(job) <= LIST_BYTES &&
            list->steps + topk_vulkan_steps(job->shader, job->group, &job->plan) <= LIST_STEPS);
}

void topk_vulkan_list_start(struct topk_vulkan_list *list)
{
    if (list->count > 0) {
        list->started = true;
        list->submitted = submit(list, list->jobs, list->count);
    }
}

void topk_vulkan_list_finish(struct topk_vulkan_list *list)
{
    if (list->started) {
        settle_jobs(list, list->jobs, list->count, list->submitted);
    }
    list->started = false;
    list->count = 0;
    list->bytes = 0;
    list->steps = 0;
}

void topk_vulkan_list_add(struct topk_vulkan_list *list, const struct topk_backend_call *call,
                          const struct topk_cpu_plan *plan, const struct topk_shader *shader,
                          struct topk_backend_answer *answer)
{
    struct topk_vulkan_job job = {.call = call, .answer = answer, .plan = *plan, .shader = shader};
    if (topk_vulkan_lost(list->vulkan, answer)) {
        return;
    }
    const VkResult result = topk_vulkan_prepare(&list->kernels, &job);
    if (result != VK_SUCCESS) {
        char doing[64];
        (void)snprintf(doing, sizeof doing, "creating the pipeline %s, %" PRIu32 " bytes",
                       topk_vulkan_variants[shader->variant].name, shader->width);
        topk_vulkan_answer(list->vulkan, result, doing, 0, answer);
        return;
    }
    if (!fits(list, &job)) {
        topk_vulkan_list_start(list);
        topk_vulkan_list_finish(list);
    }
    list->jobs[list->count++] = job;
    list->bytes += bytes_of(&job);
    list->steps += topk_vulkan_steps(shader, job.group, plan);
}

/* ---- Opening -------------------------------------------------------------------------------- */

VkResult topk_vulkan_list_open(struct topk_vulkan_list *list, struct topk_vulkan *vulkan)
{
    memset(list, 0, sizeof *list);
    list->vulkan = vulkan;
    VkResult result = topk_vulkan_batch_open(&list->batch, vulkan);
    if (result == VK_SUCCESS) {
        result = topk_vulkan_kernels_open(&list->kernels, vulkan, TOPK_VULKAN_CALLS);
        if (result != VK_SUCCESS) {
            topk_vulkan_batch_close(&list->batch);
        }
    }
    return result;
}

void topk_vulkan_list_close(struct topk_vulkan_list *list)
{
    topk_vulkan_kernels_close(&list->kernels);
    topk_vulkan_batch_close(&list->batch);
}
