/* variant=all: computes a call with every variant, and derives one answer. */
#include "trial.h"
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* alignment of the caller's buffers */
#define ALIGNMENT UINT64_C(64)

/* nonzero, and keeps each buffer aligned */
static uint64_t room_of(const struct topk_backend_buffer *buffer)
{
    return (buffer->bytes / ALIGNMENT + 1) * ALIGNMENT;
}

bool topk_trial_begin(struct topk_trial *trial, const struct topk_backend_call *call,
                      const char *variant)
{
    uint64_t bytes = 0;
    for (int i = 0; i < TOPK_KERNEL_ROLES; i++) {
        bytes += room_of(topk_kernel_buffer(call, i));
    }
    *trial = (struct topk_trial){.call = *call, .variant = variant};
    trial->memory = bytes <= SIZE_MAX - ALIGNMENT ? malloc((size_t)(bytes + ALIGNMENT)) : NULL;
    if (trial->memory == NULL) {
        trial->answer.status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(trial->answer.reason, sizeof trial->answer.reason,
                 "no memory for a copy of the call, %" PRIu64 " bytes", bytes);
        return false;
    }
    struct topk_backend_buffer *const buffers[TOPK_KERNEL_ROLES] = {
        &trial->call.input_buffer, &trial->call.value_buffer, &trial->call.index_buffer};
    unsigned char *memory =
        trial->memory + (ALIGNMENT - (uintptr_t)trial->memory % ALIGNMENT) % ALIGNMENT;
    for (int i = 0; i < TOPK_KERNEL_ROLES; i++) {
        if (buffers[i]->bytes > 0) {
            memcpy(memory, buffers[i]->data, (size_t)buffers[i]->bytes);
        }
        buffers[i]->data = memory;
        memory += room_of(buffers[i]);
    }
    return true;
}

void topk_trial_end(struct topk_trial *trial)
{
    free(trial->memory);
    trial->memory = NULL;
}

/* Whether two calls left the same bytes in their buffers. */
static bool agree(const struct topk_backend_call *a, const struct topk_backend_call *b)
{
    for (int i = 0; i < TOPK_KERNEL_ROLES; i++) {
        const struct topk_backend_buffer *one = topk_kernel_buffer(a, i);
        const struct topk_backend_buffer *other = topk_kernel_buffer(b, i);
        if (one->bytes > 0 && memcmp(one->data, other->data, (size_t)one->bytes) != 0) {
            return false;
        }
    }
    return true;
}

static void take_result(const struct topk_backend_call *call, const struct topk_backend_call *from)
{
    for (int i = 0; i < TOPK_KERNEL_ROLES; i++) {
        const struct topk_backend_buffer *to = topk_kernel_buffer(call, i);
        if (to->bytes > 0) {
            memcpy(to->data, topk_kernel_buffer(from, i)->data, (size_t)to->bytes);
        }
    }
}

/* The most serious trial without a result. */
static const struct topk_trial *find_failure(const struct topk_trial *trials, uint32_t count)
{
    static const uint32_t gravest[] = {TOPK_BACKEND_DEVICE_LOST, TOPK_BACKEND_FAILED,
                                       TOPK_BACKEND_REFUSED};
    for (size_t i = 0; i < sizeof gravest / sizeof gravest[0]; i++) {
        for (uint32_t j = 0; j < count; j++) {
            if (trials[j].answer.status == gravest[i]) {
                return &trials[j];
            }
        }
    }
    return NULL;
}

static void answer_failure(const struct topk_trial *trial, struct topk_backend_answer *answer)
{
    answer->status = trial->answer.status;
    snprintf(answer->reason, sizeof answer->reason, "variant %s: %.220s", trial->variant,
             trial->answer.reason);
}

/* Says which variants computed nothing although they support the call. */
static void note_missing(const struct topk_trial *trials, uint32_t count,
                         struct topk_backend_answer *answer)
{
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(answer->reason);
        if (trials[i].answer.status != TOPK_BACKEND_DONE) {
            snprintf(answer->reason + used, sizeof answer->reason - used,
                     "%svariant %s did not compute it: %s", used == 0 ? "" : "; ",
                     trials[i].variant, trials[i].answer.reason);
        }
    }
}

/* Compares the computed results with the expected one. */
static void compare_all(const struct topk_backend_call *call,
                        const struct topk_backend_call *expected, const struct topk_trial *trials,
                        uint32_t count, struct topk_backend_answer *answer)
{
    const struct topk_trial *odd = NULL;
    const struct topk_trial *computed = NULL;
    *answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
    for (uint32_t i = 0; i < count; i++) {
        if (trials[i].answer.status != TOPK_BACKEND_DONE) {
            continue;
        }
        computed = &trials[i];
        if (agree(&trials[i].call, expected)) {
            continue;
        }
        if (odd == NULL) {
            odd = &trials[i];
            snprintf(answer->reason, sizeof answer->reason, "this is what variant %s made",
                     odd->variant);
        } else if (!agree(&trials[i].call, &odd->call)) {
            answer->status = TOPK_BACKEND_FAILED;
            snprintf(answer->reason, sizeof answer->reason,
                     "variants %s and %s differ from the others, and from each other: run "
                     "each alone",
                     odd->variant, trials[i].variant);
            return;
        } else {
            const size_t used = strlen(answer->reason);
            snprintf(answer->reason + used, sizeof answer->reason - used, ", and %s",
                     trials[i].variant);
        }
    }
    if (computed == NULL) {
        *answer = trials[0].answer;
    } else {
        take_result(call, odd != NULL ? &odd->call : expected);
        note_missing(trials, count, answer);
    }
}

void topk_trial_settle(void *cpu, const struct topk_backend_call *call,
                       const struct topk_trial *trials, uint32_t count,
                       struct topk_backend_answer *answer)
{
    const struct topk_trial *failure = find_failure(trials, count);
    if (count == 0) {
        return;
    }
    if (failure != NULL) {
        answer_failure(failure, answer);
        return;
    }
    struct topk_trial expected;
    if (!topk_trial_begin(&expected, call, "cpu")) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(answer->reason, sizeof answer->reason,
                 "no memory for a copy of the call's buffers");
        return;
    }
    topk_backend_cpu.run(cpu, &expected.call, 1, &expected.answer);
    if (expected.answer.status == TOPK_BACKEND_DONE) {
        compare_all(call, &expected.call, trials, count, answer);
    } else {
        *answer = expected.answer;
    }
    topk_trial_end(&expected);
}
