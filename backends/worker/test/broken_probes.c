/* A plugin with wrong probes: they crash, hang, or return invalid texts, verdicts and names. With
 * `broken_probes.so:none` it has the functions but no probes; with `:list` it crashes when its
 * names are requested. broken_older.c is a plugin without these functions. It computes like
 * `cpu`. */
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char how[8];

static void *open_broken(const char *options, char *error, size_t error_bytes)
{
    snprintf(how, sizeof how, "%s", options);
    return topk_backend_cpu.open("", error, error_bytes);
}

static void describe(void *self, struct topk_backend_info *info)
{
    topk_backend_cpu.describe(self, info);
    info->name = "broken-probes";
    info->flags |= TOPK_BACKEND_PROBES; /* only the host may set this flag */
}

static void run(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    topk_backend_cpu.run(self, calls, count, answers);
}

static void close_broken(void *self)
{
    topk_backend_cpu.close(self);
}

/* Valid and invalid names: the worker must handle both. */
static const char *probe_name(void *self, uint32_t number)
{
    static const char *const names[] = {
        "good",       "violates",     "lacks",
        "crashes",    "hangs",        "garbage",
        "no-verdict", "Upper case,%", "a.name.that.is.longer.than.a.name.of.a.probe.may.be"};
    (void)self;
    if (strcmp(how, "list") == 0) {
        abort();
    }
    return strcmp(how, "none") == 0 || number >= sizeof names / sizeof names[0] ? NULL
                                                                                : names[number];
}

static void probe(void *self, uint32_t number, struct topk_backend_probe *said)
{
    static volatile int forever = 1;
    (void)self;
    snprintf(said->value, sizeof said->value, "seen");
    snprintf(said->detail, sizeof said->detail, "this was done");
    switch (number) {
    case 1:
        said->verdict = TOPK_BACKEND_PROBE_VIOLATION;
        break;
    case 2:
        said->verdict = TOPK_BACKEND_PROBE_UNSUPPORTED;
        break;
    case 3:
        abort();
    case 4:
        while (forever != 0) {
        }
        break;
    case 5:
        /* bytes of all kinds, without a terminator */
        for (size_t i = 0; i < sizeof said->value; i++) {
            said->value[i] = (char)(i * 4 + 1);
        }
        memset(said->detail, '%', sizeof said->detail);
        break;
    case 6:
        said->verdict = 77;
        break;
    default:
        break;
    }
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend broken = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof broken,
        .name = "broken-probes",
        .summary = "probes that are wrong",
        .open = open_broken,
        .describe = describe,
        .run = run,
        .close = close_broken,
        .probe_name = probe_name,
        .probe = probe,
    };
    return &broken;
}
