/* A plugin that damages its counters in every call, `hostile_counters.so:WAY`; otherwise it behaves
 * like `cpu`. The runner must continue and report the same results. */
#define _XOPEN_SOURCE 700
#include "cpu/cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <unistd.h>

/* Overwrites the whole file, and at least `least` bytes, with bytes that differ from call to
 * call. */
static void fill(const char *path, off_t least)
{
    static unsigned char bytes[4096];
    static unsigned char number;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    memset(bytes, ++number, sizeof bytes);
    for (off_t at = 0; at < size || at < least; at += (off_t)sizeof bytes) {
        if (pwrite(file, bytes, sizeof bytes, at) < 0) {
            abort();
        }
    }
    if (file >= 0) {
        close(file);
    }
}

static void garbage(const char *path)
{
    fill(path, 0);
}

static void grow(const char *path)
{
    fill(path, (off_t)1 << 20);
}

static void cut(const char *path)
{
    if (truncate(path, 3) != 0) {
        abort();
    }
}

static void lose(const char *path)
{
    unlink(path); /* it may be gone already */
}

/* Fills and removes the shared memory of AFL++. */
static void segment(const char *path)
{
    const char *id = getenv("__AFL_SHM_ID"); /* NOLINT(concurrency-mt-unsafe) */
    const int number = id == NULL ? -1 : (int)strtol(id, NULL, 10);
    unsigned char *bytes = number < 0 ? NULL : shmat(number, NULL, 0);
    (void)path;
    if (bytes != NULL && bytes != (void *)-1) { /* NOLINT(performance-no-int-to-ptr) */
        memset(bytes, 0xff, 65536);
        shmctl(number, IPC_RMID, NULL);
        shmdt(bytes);
    }
}

static const struct way {
    const char *name;
    void (*strike)(const char *path);
} ways[] = {
    {"garbage", garbage}, {"grow", grow}, {"cut", cut}, {"lose", lose}, {"segment", segment}};

struct hostile {
    const struct way *way;
    void *cpu;
};

static void *open_hostile(const char *options, char *error, size_t error_bytes)
{
    static struct hostile self;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, options) == 0) {
            self.way = &ways[i];
            self.cpu = topk_backend_cpu.open("", error, error_bytes);
            return self.cpu == NULL ? NULL : &self;
        }
    }
    snprintf(error, error_bytes, "no way '%s'", options);
    return NULL;
}

static void describe(void *opened, struct topk_backend_info *info)
{
    struct hostile *self = opened;
    topk_backend_cpu.describe(self->cpu, info);
    info->name = "hostile_counters";
}

static void run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    struct hostile *self = opened;
    const char *path = getenv("TOPK_EDGES"); /* NOLINT(concurrency-mt-unsafe) */
    if (path != NULL) {
        self->way->strike(path);
    }
    topk_backend_cpu.run(self->cpu, calls, count, answers);
}

static void close_hostile(void *opened)
{
    struct hostile *self = opened;
    topk_backend_cpu.close(self->cpu);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend hostile = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof hostile,
        .name = "hostile_counters",
        .summary = "spoils its counters",
        .open = open_hostile,
        .describe = describe,
        .run = run,
        .close = close_hostile,
    };
    return &hostile;
}
