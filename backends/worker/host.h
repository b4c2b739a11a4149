/* Hosting a backend in this process: from cases to their results. The worker is a loop around it;
 * the benchmark calls it directly. */
#ifndef TOPK_HOST_H
#define TOPK_HOST_H

#include "case/case.h"
#include "reference/probe.h"
#include "reference/result.h"
#include "topk_backend.h"

/* A backend that is open. */
struct topk_host {
    const struct topk_backend *backend;
    void *self;                      /* what its open() returned */
    struct topk_backend_info info;   /* what its describe() said; strings are never NULL */
    bool starts;                     /* it has start() and finish() */
    void *library;                   /* of a plugin, else NULL */
    struct topk_jobs *jobs;          /* buffers, reused from case to case */
    struct topk_backend_call *calls; /* what the backend is given, info.batch of them */
    struct topk_backend_answer *answers;
};

/* Opens the backend that spec names: "NAME" or "NAME:OPTIONS" for one that is built in, else the
 * path of a plugin, "PATH.so" or "PATH.so:OPTIONS". False, with the reason in error, if that fails.
 */
bool topk_host_open(struct topk_host *host, const char *spec, char *error, size_t error_bytes);
void topk_host_close(struct topk_host *host);

/* Runs count cases and judges them; the backend gets up to info.batch calls at once. results: count
 * of them, overwritten. */
void topk_host_run(struct topk_host *host, const struct topk_case *const cases[], uint32_t count,
                   struct topk_result *results);

/* How many probes the backend has; 0 unless info.flags has TOPK_BACKEND_PROBES. */
uint32_t topk_host_probe_count(struct topk_host *host);

/* The name of a probe, number < topk_host_probe_count(). One that is none is mended. */
void topk_host_probe_name(struct topk_host *host, uint32_t number, char name[TOPK_PROBE_NAME]);

/* Runs a probe; *probe is overwritten, with its name. */
void topk_host_probe(struct topk_host *host, uint32_t number, struct topk_probe *probe);

/* The backends that are built in. */
extern const struct topk_backend *const topk_builtin_backends[];
extern const size_t topk_builtin_backend_count;
/* The one of that name, of `length` characters; NULL if there is none. */
const struct topk_backend *topk_builtin_find(const char *name, size_t length);

#endif
