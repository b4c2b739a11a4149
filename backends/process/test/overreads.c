/* A plugin that accesses memory outside a tensor, `overreads.so:TENSOR-SIDE-BYTES`, and otherwise
 * computes like `cpu`. `input-end-1` reads 1 byte after the end of the input; `index-start-8` reads
 * 8 bytes before the start of the index. `value-tail-32` reads 32 bytes at once, starting with the
 * tensor's last element. `value-end-4-write` writes what is there already. `far-N` after a side is
 * N bytes away from it. `zero-offset-1` makes the first value wrong if the offset of the input is
 * 0. Without options it accesses nothing. */
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char tensor[16], side[16];
    unsigned bytes, far;
    int write;
} access;
static void *cpu;

/* the last byte that was read */
extern volatile unsigned char over_sink;
volatile unsigned char over_sink;

/* external, so that a trace shows its name */
__attribute__((noinline)) void over_access(unsigned char *from, uint64_t bytes, int write);
__attribute__((noinline)) void over_access(unsigned char *from, uint64_t bytes, int write)
{
    typedef unsigned char vector __attribute__((vector_size(32), aligned(1), may_alias));
    if (strcmp(access.side, "tail") == 0) {
        const vector loaded = *(const volatile vector *)from;
        over_sink = loaded[0];
    }
    for (uint64_t i = 0; i < bytes && strcmp(access.side, "tail") != 0; i++) {
        volatile unsigned char *at = from + i;
        if (write) {
            *at = 0x5a;
        } else {
            over_sink = *at;
        }
    }
}

static void *open_it(const char *options, char *error, size_t error_bytes)
{
    char rest[32] = "";
    if (options[0] != 0) {
        const int read = sscanf(options, "%15[a-z]-%15[a-z]-%u%31s", access.tensor, access.side,
                                &access.bytes, rest);
        access.write = strcmp(rest, "-write") == 0;
        if (read < 3 ||
            (rest[0] != 0 && !access.write && sscanf(rest, "-far-%u", &access.far) != 1)) {
            snprintf(error, error_bytes, "not TENSOR-SIDE-BYTES[-write|-far-N]: '%s'", options);
            return NULL;
        }
    }
    cpu = topk_backend_cpu.open("", error, error_bytes);
    return cpu;
}

static void describe(void *self, struct topk_backend_info *info)
{
    topk_backend_cpu.describe(self, info);
    info->name = "overreads";
    info->batch = 1;
}

static void access_outside(const struct topk_backend_call *call)
{
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    const struct topk_backend_buffer *buffers[] = {&call->input_buffer, &call->value_buffer,
                                                   &call->index_buffer};
    static const char *const names[] = {"input", "value", "index"};
    if (strcmp(access.tensor, "zero") == 0 && call->input_buffer.offset == 0) {
        ((unsigned char *)call->value_buffer.data)[call->value_buffer.offset] ^= 1;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(access.tensor, names[i]) != 0) {
            continue;
        }
        unsigned char *start = (unsigned char *)buffers[i]->data + buffers[i]->offset;
        unsigned char *end = start + tensors[i]->total_bytes;
        over_access(strcmp(access.side, "start") == 0  ? start - access.far - access.bytes
                    : strcmp(access.side, "tail") == 0 ? end - 4
                                                       : end + access.far,
                    access.bytes, access.write);
    }
}

static void run(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        topk_backend_cpu.run(self, &calls[i], 1, &answers[i]);
        if (answers[i].status == TOPK_BACKEND_DONE && calls[i].create_only == 0) {
            access_outside(&calls[i]);
        }
    }
}

static void close_it(void *self)
{
    topk_backend_cpu.close(self);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend overreads = {
        TOPK_BACKEND_ABI, sizeof overreads,     "overreads", "accesses what is outside of tensors",
        .open = open_it,  .describe = describe, .run = run,  .close = close_it};
    return &overreads;
}
