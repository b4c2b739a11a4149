/* A plugin with one fault, `hidden.so:NAME`, that only few cases trigger; otherwise it behaves like
 * `cpu`. The triggers resemble the conditions by which drivers choose their code paths: a size, a
 * stride, a type, an earlier call. It is compiled with edge counters (backends/edges/) and serves
 * to measure feedback. */
#include "cpu/cpu.h"

#include <stdio.h>
#include <string.h>

/* The properties of a call that triggers depend on. */
struct seen {
    uint32_t type;
    uint32_t index_type;
    uint32_t rank;
    uint32_t axis;
    uint32_t length;
    uint32_t k;
    uint32_t outer;  /* Sizes[0] */
    uint32_t stride; /* of the axis, in elements; 0: packed */
    bool increasing;
    bool owned;
    uint64_t first; /* bits of the first and of the last element of the input */
    uint64_t last;
};

static bool is_k(const struct seen *now, const struct seen *before)
{
    (void)before;
    return now->k == 37;
}

static bool is_length(const struct seen *now, const struct seen *before)
{
    (void)before;
    return now->length == 1000;
}

static bool is_both(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->length == 1000) {
        if (now->k == 100) {
            return now->type == TOPK_BACKEND_FLOAT32;
        }
    }
    return false;
}

static bool is_tile(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->length > 256) {
        if (now->length % 32 == 5) {
            return now->k > now->length / 2 && now->increasing;
        }
    }
    return false;
}

static bool is_strided(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->k == 37) {
        if (now->type == TOPK_BACKEND_INT16) {
            return now->stride > 1;
        }
    }
    return false;
}

static bool is_block(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->length == 129) {
        if (now->k == 65) {
            return now->outer == 2 && now->owned;
        }
    }
    return false;
}

static bool is_outer(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->rank == 4) {
        if (now->axis == 1) {
            if (now->outer == 3) {
                return now->k == 5;
            }
        }
    }
    return false;
}

static bool is_wide(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->index_type == TOPK_BACKEND_UINT64) {
        if (now->type == TOPK_BACKEND_UINT8) {
            if (now->k > 128) {
                return now->length - now->k == 1;
            }
        }
    }
    return false;
}

static bool is_ends(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->type == TOPK_BACKEND_FLOAT32) {
        if (now->first == 0xff800000) {
            return now->last == 0x7f800000;
        }
    }
    return false;
}

static bool is_last(const struct seen *now, const struct seen *before)
{
    (void)before;
    if (now->length > 500) {
        if (now->length - now->k == 3) {
            return now->index_type == TOPK_BACKEND_UINT64 && now->increasing;
        }
    }
    return false;
}

static bool is_again(const struct seen *now, const struct seen *before)
{
    if (before->k == now->k) {
        if (before->length == 2 * now->length) {
            return before->type == now->type;
        }
    }
    return false;
}

static bool is_swapped(const struct seen *now, const struct seen *before)
{
    if (before->length == now->k) {
        if (before->k > 4) {
            return before->increasing && !now->increasing;
        }
    }
    return false;
}

static const struct fault {
    const char *name;
    bool (*meets)(const struct seen *now, const struct seen *before);
} faults[] = {
    {"none", NULL},          {"k", is_k},         {"length", is_length},
    {"both", is_both},       {"tile", is_tile},   {"strided", is_strided},
    {"block", is_block},     {"outer", is_outer}, {"wide", is_wide},
    {"last", is_last},       {"ends", is_ends},   {"again", is_again},
    {"swapped", is_swapped},
};

struct hidden {
    const struct fault *fault;
    struct seen before;
    void *cpu;
};

static void *open_hidden(const char *options, char *error, size_t error_bytes)
{
    static struct hidden self;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strcmp(faults[i].name, options) == 0) {
            self.fault = &faults[i];
            self.cpu = topk_backend_cpu.open("", error, error_bytes);
            return self.cpu == NULL ? NULL : &self;
        }
    }
    snprintf(error, error_bytes, "no fault '%s'", options);
    return NULL;
}

static void describe(void *opened, struct topk_backend_info *info)
{
    struct hidden *self = opened;
    topk_backend_cpu.describe(self->cpu, info);
    info->name = "hidden";
    info->batch = 1;
}

/* Examines a call that was computed. */
static void look(const struct topk_backend_call *call, struct seen *seen)
{
    struct topk_cpu_plan plan;
    struct topk_backend_answer answer;
    memset(seen, 0, sizeof *seen);
    if (!topk_cpu_validate(call, &plan, &answer)) {
        return;
    }
    const struct topk_backend_tensor *input = call->input;
    const uint32_t width = plan.tensors[TOPK_CPU_INPUT].width;
    seen->type = input->data_type;
    seen->index_type = call->index->data_type;
    seen->rank = plan.rank;
    seen->axis = plan.axis;
    seen->length = plan.length;
    seen->k = plan.k;
    seen->outer = input->sizes[0];
    seen->stride = input->strides == NULL ? 0 : input->strides[plan.axis];
    seen->owned = input->flags != 0;
    seen->increasing =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    const unsigned char *bytes =
        (const unsigned char *)call->input_buffer.data + call->input_buffer.offset;
    memcpy(&seen->first, bytes, width);
    memcpy(&seen->last, bytes + plan.tensors[TOPK_CPU_INPUT].least_bytes - width, width);
}

static void run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    struct hidden *self = opened;
    topk_backend_cpu.run(self->cpu, calls, count, answers);
    for (uint32_t i = 0; i < count; i++) {
        struct seen now;
        if (calls[i].create_only != 0 || answers[i].status != TOPK_BACKEND_DONE) {
            continue;
        }
        look(&calls[i], &now);
        if (self->fault->meets != NULL && self->fault->meets(&now, &self->before)) {
            *((unsigned char *)calls[i].value_buffer.data + calls[i].value_buffer.offset) ^= 1;
        }
        self->before = now;
    }
}

static void close_hidden(void *opened)
{
    struct hidden *self = opened;
    topk_backend_cpu.close(self->cpu);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend hidden = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof hidden,
        .name = "hidden",
        .summary = "wrong where few cases are",
        .open = open_hidden,
        .describe = describe,
        .run = run,
        .close = close_hidden,
    };
    return &hidden;
}
