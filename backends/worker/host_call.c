/* All that a backend is asked once it is open, but for its probes. */
#include "host_call.h"

#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "platform/platform.h"

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
        host->loaded.backend->supports(host->loaded.self, &call->backend_call, answer);
        answer->reason[sizeof answer->reason - 1] = 0;
    }
    return answer->status == TOPK_BACKEND_DONE;
}

static void give_calls(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    memset(host->answers, 0, count * sizeof *host->answers);
    for (uint32_t i = 0; i < count; i++) {
        host->calls[i] = queue[i]->backend_call;
    }
}

static void take_answers(struct topk_host *host, struct topk_call *const queue[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        host->answers[i].reason[sizeof host->answers[i].reason - 1] = 0;
        queue[i]->answer = host->answers[i];
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
        host->loaded.backend->run(host->loaded.self, host->calls, run, host->answers);
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
