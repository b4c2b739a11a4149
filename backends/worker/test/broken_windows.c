/* A plugin with faults specific to Windows, `broken_windows.dll:FAULT`; otherwise it computes like
 * `cpu`. As with the process faults of `faulty`, those that end the process do so at calls with K =
 * 3. The faults are its devices. */
#include "cpu/cpu.h"

#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static int *volatile nowhere;

static void write_nowhere(void)
{
    *nowhere = 1;
}

static void use_stack(const volatile char *above, uint32_t depth)
{
    volatile char room[4096];
    room[0] = above[0];
    if (depth > 0) {
        use_stack(room, depth - 1);
    }
    room[1] = room[0]; /* keeps the compiler from removing the array */
}

static void overflow_stack(void)
{
    const volatile char start = 1;
    use_stack(&start, UINT32_MAX);
}

static void fail_assertion(void)
{
    const volatile bool holds = false;
    assert(holds);
}

/* as a runtime library does that does not use the C library's stdout */
static void write_to_handle(void)
{
    static const char text[] = "begin 0 1\r\n";
    DWORD written;
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text, sizeof text - 1, &written, NULL);
}

static void print_line(void)
{
    puts("begin 0 1");
    fflush(stdout);
}

/* not a fault: without shared memory it computes nothing, so that tests see whether memory is
 * shared */
static void nothing(void)
{
}

static bool is_mapped(const void *data)
{
    MEMORY_BASIC_INFORMATION memory;
    return VirtualQuery(data, &memory, sizeof memory) != 0 && memory.Type == MEM_MAPPED;
}

static const struct fault {
    const char *name;
    void (*strike)(void);
    bool always; /* it applies to every call */
} faults[] = {{"access-violation", write_nowhere, false},
              {"stack-overflow", overflow_stack, false},
              {"assert", fail_assertion, false},
              {"abort", abort, false},
              {"writes-to-handle", write_to_handle, true},
              {"prints", print_line, true},
              {"wants-mapping", nothing, true}};

static uint32_t device(uint32_t number, char *options, size_t options_bytes)
{
    if (number >= sizeof faults / sizeof faults[0]) {
        return 0;
    }
    snprintf(options, options_bytes, "%s", faults[number].name);
    return 1;
}

struct broken {
    const struct fault *fault;
    void *cpu;
};

static void *open_broken(const char *options, char *error, size_t error_bytes)
{
    static struct broken self;
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
    struct broken *self = opened;
    topk_backend_cpu.describe(self->cpu, info);
    info->name = self->fault->name;
}

static void run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    struct broken *self = opened;
    for (uint32_t i = 0; i < count; i++) {
        if (self->fault->strike == nothing && calls[i].create_only == 0 &&
            !is_mapped(calls[i].input_buffer.data)) {
            answers[i].status = TOPK_BACKEND_FAILED;
            return;
        }
        if (self->fault->always || calls[i].k == 3) {
            self->fault->strike();
        }
    }
    topk_backend_cpu.run(self->cpu, calls, count, answers);
}

static void close_broken(void *opened)
{
    struct broken *self = opened;
    topk_backend_cpu.close(self->cpu);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend broken = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof broken,
        .name = "broken-windows",
        .summary = "wrong in the ways of Windows",
        .open = open_broken,
        .describe = describe,
        .run = run,
        .close = close_broken,
        .device = device,
    };
    return &broken;
}
