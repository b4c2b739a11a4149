/* Turns cases into results with a backend, in this process or in its own. Workers are loops around
 * it; the benchmark calls it directly. */
#ifndef TOPK_HOST_H
#define TOPK_HOST_H

#include "case/case.h"
#include "process/loader.h"
#include "protocol/protocol.h"
#include "reference/result.h"

/* An open backend. */
struct topk_host {
    struct topk_loaded loaded;
    struct topk_client *client;      /* for a backend in its own process, else NULL */
    struct topk_jobs *jobs;          /* buffers, reused from case to case */
    struct topk_backend_call *calls; /* passed to the backend; info.batch of them */
    struct topk_backend_answer *answers;
    bool outputs; /* results contain outputs */
    /* cases up to this topk_case_memory() are run; 0: those that are not topk_case_too_large() */
    uint64_t case_memory;
    uint64_t memory;                      /* memory available for them; 0: unknown */
    enum topk_guard_page guard_page;      /* for the calls of each case */
    struct topk_guard_pages *guard_pages; /* for a backend in this process */
};

/* Starts a process with a command, ended by NULL, and opens its backend on a device that it lists,
 * or on "". Returns false, with the reason in error, if that fails; *kind is what the process sent
 * instead of a greeting, NONE if nothing. */
bool topk_host_start_process(struct topk_host *host, const char *const *command, const char *device,
                             enum topk_greeting_kind *kind, char *error, size_t error_bytes);

/* Opens the backend that spec names, as topk_loader_open() does, in this process, which a faulty
 * backend can corrupt. Returns false, with the reason in error, if that fails. */
bool topk_host_open(struct topk_host *host, const char *spec, char *error, size_t error_bytes);
/* Judges cases by a contract. Returns false, with the difference in error, if the backend declares
 * different rules. */
bool topk_host_declare(struct topk_host *host, const struct topk_contract *contract, char *error,
                       size_t error_bytes);

/* Places the tensors of calls against guard pages. With BOTH, each case is run twice, once for each
 * side, and has the worse of the two results. Returns false, with the reason in error, if the
 * backend's process cannot do that. */
bool topk_host_guard(struct topk_host *host, enum topk_guard_page guard_page, char *error,
                     size_t error_bytes);

/* Closes the backend. Returns whether its process ended regularly when it was told to quit, and
 * says how it ended. */
bool topk_host_close(struct topk_host *host, char *how, size_t how_bytes);

/* Runs `count` cases and judges them; the backend gets up to info.batch calls at once. results:
 * `count` results, overwritten. If topk_host_died() is not NULL afterwards, only some are valid. */
void topk_host_run(struct topk_host *host, const struct topk_case *const cases[], uint32_t count,
                   struct topk_result *results);

/* Whether a case of the last run has its result. */
bool topk_host_done(const struct topk_host *host, uint32_t number);

/* How the backend's process ended or broke the protocol; NULL: it has not, or there is none. */
const char *topk_host_died(const struct topk_host *host);
/* The cases of the last run that may have been running when the process ended; false: none. */
bool topk_host_blamed(const struct topk_host *host, uint32_t *first, uint32_t *last);
/* The place of the crash that the process reported; NULL: none. */
const struct topk_crash *topk_host_crash(const struct topk_host *host);

#endif
