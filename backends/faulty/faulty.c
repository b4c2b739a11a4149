/* The interface of the backend `faulty` to the worker, and the list of the tables of faults. */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fault *const tables[] = {
    faulty_allowed,       faulty_shapes,       faulty_selection,
    faulty_numbers,       faulty_memory,       faulty_answers,
    faulty_process,       faulty_field_values, faulty_field_selection,
    faulty_field_sizes,   faulty_field_memory, faulty_relations,
    faulty_only,          faulty_networks,     faulty_scans,
    faulty_ranges,        faulty_state,        faulty_stores,
    faulty_wrong_answers, faulty_over_reads,   faulty_plans_faults,
    faulty_giant,         faulty_ends,         faulty_always};

const struct fault *faulty_at(size_t number)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const struct fault *fault = tables[i]; fault->name != NULL; fault++) {
            if (number-- == 0) {
                return fault;
            }
        }
    }
    return NULL;
}

/* The output of topk-worker --faults: one line per fault, fields separated by tabs: its id; its
 * kind; its effect: "allowed" (it must not fail), "ends" (it may end the process), "always" (every
 * call is wrong), or "wrong"; where it occurred, or "-"; the clauses in its row; what it does; what
 * it needs beyond a few elements, or "-"; the causes that describe it, or "-"; why few tests of
 * core fail, or "-"; its trigger, or "-" if it has none. */
static void describe_faults(char *text, size_t size)
{
    const struct fault *fault;
    size_t length = 0;
    for (size_t i = 0; (fault = faulty_at(i)) != NULL && length < size; i++) {
        const char *taken = fault->clauses == NULL                ? "allowed"
                            : strcmp(fault->class, "always") == 0 ? "always"
                            : fault->ends                         ? "ends"
                                                                  : "wrong";
        length += (size_t)snprintf(
            text + length, size - length, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", fault->name,
            fault->class, taken, fault->seen == NULL ? "-" : fault->seen,
            fault->clauses == NULL ? "-" : fault->clauses, fault->about,
            fault->size == NULL ? "-" : fault->size, fault->cause == NULL ? "-" : fault->cause,
            fault->few == NULL ? "-" : fault->few, fault->trigger == NULL ? "-" : fault->trigger);
    }
}

static void name_faults(char *text, size_t size, const char *options)
{
    size_t count = 0;
    while (faulty_at(count) != NULL) {
        count++;
    }
    const int length = *options == 0 ? snprintf(text, size, "no fault given: faulty:ID")
                                     : snprintf(text, size, "no fault '%.100s'", options);
    snprintf(text + length, size - (size_t)length,
             "; there are %zu: `topk-cts trust --list' lists them", count);
}

/* "?" opens nothing: error describes all faults */
static void *faulty_open(const char *options, char *error, size_t error_bytes)
{
    if (strcmp(options, "?") == 0) {
        describe_faults(error, error_bytes);
        return NULL;
    }
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        if (strcmp(faulty_at(i)->name, options) == 0) {
            struct faulty *self = calloc(1, sizeof *self);
            if (self == NULL) {
                snprintf(error, error_bytes, "out of memory");
                return NULL;
            }
            self->fault = faulty_at(i);
            self->cpu = topk_backend_cpu.open("", error, error_bytes);
            return self;
        }
    }
    name_faults(error, error_bytes, options);
    return NULL;
}

static void faulty_describe(void *opened, struct topk_backend_info *info)
{
    struct faulty *self = opened;
    info->name = "faulty";
    info->version = self->fault->name;
    info->device = "wrong on purpose";
    info->features = self->fault->about;
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_STRICT_LEVEL | TOPK_BACKEND_SOFTWARE;
    info->batch = self->fault->batch == 0 ? 4 : self->fault->batch;
}

static void run_one(struct faulty *self)
{
    struct topk_backend_call description = *self->call;
    description.create_only = 1;
    topk_backend_cpu.run(self->cpu, &description, 1, self->answer);
    bool go = self->fault->answer == NULL || self->fault->answer(self);
    if (go && self->answer->status == TOPK_BACKEND_DONE && self->call->create_only == 0) {
        faulty_compute(self);
        self->calls++;
    }
}

static void faulty_run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                       struct topk_backend_answer *answers)
{
    struct faulty *self = opened;
    self->in_batch = 0;
    for (uint32_t i = 0; i < count; i++) {
        self->call = &calls[i];
        self->answer = &answers[i];
        run_one(self);
    }
}

static void faulty_close(void *opened)
{
    struct faulty *self = opened;
    topk_backend_cpu.close(self->cpu);
    free(self->stale);
    faulty_plans_free(self->plans);
    free(self);
}

const struct topk_backend topk_backend_faulty = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "faulty",
    .summary = "wrong on purpose, to test the suite: faulty:ID has the seeded fault ID",
    .open = faulty_open,
    .describe = faulty_describe,
    .run = faulty_run,
    .close = faulty_close,
};
