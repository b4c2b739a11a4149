/* All calls to an open backend, except those for probes; and how its process ended. */
#include "host_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "platform/platform.h"
#include "platform/stage.h"
#include "process/guard_page.h"

bool topk_host_reserve_calls(struct topk_host *host)
{
    if (host->calls == NULL) {
        host->calls = calloc(host->loaded.info.batch, sizeof *host->calls);
    }
    if (host->answers == NULL) {
        host->answers = calloc(host->loaded.info.batch, sizeof *host->answers);
    }
    return host->calls != NULL && host->answers != NULL;
}

void topk_host_free_calls(struct topk_host *host)
{
    free(host->calls);
    free(host->answers);
}

/* Describes the buffers of a call as they will be with guard pages, without a place yet. */
static void place_asked(const struct topk_call *call, struct topk_backend_call *asked)
{
    const struct topk_backend_tensor *tensors[] = {asked->input, asked->value, asked->index};
    for (uint32_t i = 0; call->guard_page != TOPK_GUARD_PAGE_NONE && i < TOPK_WIRE_TENSORS; i++) {
        struct topk_backend_buffer *buffer = topk_wire_buffer(asked, i);
        const struct topk_guard_place place =
            topk_guard_place(call->guard_page, tensors[i], buffer);
        buffer->data = (unsigned char *)buffer->data + buffer->offset - place.offset;
        buffer->bytes = place.bytes;
        buffer->offset = place.offset;
    }
}

bool topk_host_supports(const struct topk_host *host, const struct topk_call *call,
                        struct topk_backend_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    if (!topk_contract_serves(&host->loaded.contract, &call->tc.op, answer->reason,
                              sizeof answer->reason)) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        return false;
    }
    if (host->client == NULL && host->loaded.backend->supports != NULL) {
        struct topk_backend_call asked = call->backend_call;
        place_asked(call, &asked);
        host->loaded.backend->supports(host->loaded.self, &asked, answer);
        answer->reason[sizeof answer->reason - 1] = 0;
    }
    return answer->status == TOPK_BACKEND_DONE;
}

/* Places the tensors of a call next to guard pages; false if memory is short. */
static bool guard(struct topk_host *host, const struct topk_call *call,
                  struct topk_backend_call *given)
{
    struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {{NULL, NULL}};
    for (int role = 0; given->create_only == 0 && role < TOPK_ROLE_COUNT; role++) {
        rooms[role].from = call->live[role].data;
        rooms[role].to = call->live[role].data + call->bytes[role];
    }
    return topk_guard_pages_give(host->guard_pages, call->guard_page, rooms, given);
}

static void give_calls(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    memset(host->answers, 0, count * sizeof *host->answers);
    for (uint32_t i = 0; i < count; i++) {
        if (queue[i]->backend_call.create_only == 0) {
            topk_call_load(queue[i]);
        }
        host->calls[i] = queue[i]->backend_call;
        if (queue[i]->guard_page != TOPK_GUARD_PAGE_NONE &&
            !guard(host, queue[i], &host->calls[i])) {
            host->calls[i].create_only = 1; /* dispatches nothing; take_answers() answers it */
        }
    }
}

static void take_answers(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    if (host->guard_pages != NULL) {
        topk_guard_pages_take(host->guard_pages);
    }
    for (uint32_t i = 0; i < count; i++) {
        host->answers[i].reason[sizeof host->answers[i].reason - 1] = 0;
        queue[i]->answer = host->answers[i];
        if (host->calls[i].create_only != queue[i]->backend_call.create_only) {
            queue[i]->answer.status = TOPK_BACKEND_OUT_OF_MEMORY;
            snprintf(queue[i]->answer.reason, sizeof queue[i]->answer.reason,
                     "no memory for guard pages");
        }
    }
}

uint64_t topk_host_call(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    if (host->client != NULL) {
        topk_client_send(host->client, queue, count);
        return topk_client_receive(host->client);
    }
    uint64_t start = topk_clock_now();
    for (uint32_t i = 0; i < count; i += host->loaded.info.batch) {
        uint32_t run = count - i < host->loaded.info.batch ? count - i : host->loaded.info.batch;
        give_calls(host, &queue[i], run);
        const enum topk_stage before = topk_stage_enter(TOPK_STAGE_CALL);
        host->loaded.backend->run(host->loaded.self, host->calls, run, host->answers);
        topk_stage_enter(before);
        take_answers(host, &queue[i], run);
    }
    return topk_clock_now() - start;
}

void topk_host_start(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    if (host->client != NULL) {
        topk_client_send(host->client, queue, count);
        return;
    }
    give_calls(host, queue, count);
    host->loaded.backend->start(host->loaded.self, host->calls, count, host->answers);
}

uint64_t topk_host_finish(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    if (host->client != NULL) {
        return topk_client_receive(host->client);
    }
    host->loaded.backend->finish(host->loaded.self);
    take_answers(host, queue, count);
    return 0;
}

const char *topk_host_died(const struct topk_host *host)
{
    const char *how = host->client == NULL ? "" : topk_client_ended(host->client)->how;
    return how[0] == 0 ? NULL : how;
}

const struct topk_crash *topk_host_crash(const struct topk_host *host)
{
    return host->client == NULL ? NULL : topk_client_crash(host->client);
}
