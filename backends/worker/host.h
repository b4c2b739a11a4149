/* From cases to their results: the backend is in this process, or in one of its own. A judge or a
 * worker is a loop around it; the benchmark calls it directly. */
#ifndef TOPK_HOST_H
#define TOPK_HOST_H

#include "case/case.h"
#include "process/loader.h"
#include "protocol/protocol.h"
#include "reference/result.h"

/* A backend that is open. */
struct topk_host {
    struct topk_loaded loaded;
    struct topk_client *client;      /* of a backend in a process of its own, else NULL */
    struct topk_jobs *jobs;          /* buffers, reused from case to case */
    struct topk_backend_call *calls; /* what the backend is given, info.batch of them */
    struct topk_backend_answer *answers;
    bool outputs;         /* results say what the outputs are */
    uint64_t case_memory; /* cases that take no more are run, topk_case_memory(); 0: those that are
                             not topk_case_too_large() */
    uint64_t memory;      /* that there is for them; 0: not known */
    enum topk_guard_page guard_page;      /* of the calls of each case */
    struct topk_guard_pages *guard_pages; /* of a backend in this process */
};

/* Opens a backend on a device, one of those that it lists or "", in a process of its own, which the
 * command starts, NULL at its end. False, with the reason in error, if that fails; *kind
 * tells what the process said in the place of its introduction; NONE if nothing. */
bool topk_host_start_process(struct topk_host *host, const char *const *command, const char *device,
                             enum topk_greeting_kind *kind, char *error, size_t error_bytes);

/* Opens the backend that spec names, as topk_loader_open() does, in this process, where it can
 * spoil all else. False, with the reason in error, if that fails. */
bool topk_host_open(struct topk_host *host, const char *spec, char *error, size_t error_bytes);
/* Has cases judged by a contract that was given. What the backend declares by itself has to have
 * the same rules; false, with what differs in error, if it has others. */
bool topk_host_declare(struct topk_host *host, const struct topk_contract *contract, char *error,
                       size_t error_bytes);

/* From now on the tensors of calls stand against guard pages; with BOTH each case is run twice,
 * once for each side, and has the worse of its two results. False, with the reason in error, if the
 * process of the backend cannot do that. */
bool topk_host_guard(struct topk_host *host, enum topk_guard_page guard_page, char *error,
                     size_t error_bytes);

/* Returns whether a process ended well when it was told to, and says how it ended. */
bool topk_host_close(struct topk_host *host, char *how, size_t how_bytes);

/* Runs count cases and judges them; the backend gets up to info.batch calls at once. results: count
 * of them, overwritten. If topk_host_died() is not NULL afterwards, only some are valid. */
void topk_host_run(struct topk_host *host, const struct topk_case *const cases[], uint32_t count,
                   struct topk_result *results);

/* Whether a case of the last run has its result. */
bool topk_host_done(const struct topk_host *host, uint32_t number);

/* How the process of the backend ended, or broke the protocol; NULL: it did not, or it
 * is this one. */
const char *topk_host_died(const struct topk_host *host);
/* Which cases of the last run it may have been at then; false: none of them. */
bool topk_host_blamed(const struct topk_host *host, uint32_t *first, uint32_t *last);
/* Where it said before that it crashed; NULL: nowhere. */
const struct topk_crash *topk_host_crash(const struct topk_host *host);

#endif
