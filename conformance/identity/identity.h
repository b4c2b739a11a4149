/* Records what is tested and which programs test it: the files that the processes of a backend use,
 * and the machine, as parts of the log (part.h). Only this machine is inspected; a backend that
 * runs elsewhere can report its own parts. */
#ifndef TOPK_IDENTITY_H
#define TOPK_IDENTITY_H

#include "log/log.h"

/* What to inspect. The strings must outlive the identity. */
struct topk_identity_subject {
    const char *suite[4];  /* paths of the suite's programs; NULL after the last */
    const char *plugin;    /* path of the tested plugin; NULL: none */
    const char *command;   /* the tested command; NULL: none */
    bool worker_is_tested; /* not a worker of the suite, or it hosts the backend */
};

struct topk_identity {
    struct topk_identity_subject subject;
    struct topk_log_parts parts; /* those of topk_identity_know() first */
    int64_t began;               /* seconds since 1970 */
    struct topk_identity_seen *seen;
    size_t seen_count;
    struct topk_owners *owners; /* the packages of the files of `subject`; NULL: not asked for */
};

/* Room for the reason of a failure, with the terminator. */
#define TOPK_IDENTITY_ERROR 1024

/* The caller frees *identity in any case. */
void topk_identity_start(struct topk_identity *identity,
                         const struct topk_identity_subject *subject);

/* Starts to look for the packages of the subject's files, which takes a while, before any process
 * of the backend runs, and for those of the libraries of process `own`, which is this one: the
 * backend may use the same. Not needed, but the first topk_identity_look() then waits for less. */
void topk_identity_prepare(struct topk_identity *identity, int64_t own);

/* Adds a part that the continued run recorded. False if memory is short. */
bool topk_identity_know(struct topk_identity *identity, const struct topk_log_part *part);

/* Inspects the processes that the workers started (`workers` has the workers' ids), the machine,
 * and again all files seen before; adds what is new to the parts. False, with the reason in error,
 * if a file cannot be read or was replaced since it was seen. Such a file is still recorded as a
 * part, with its problem. */
bool topk_identity_look(struct topk_identity *identity, const int64_t *workers, size_t count,
                        char error[TOPK_IDENTITY_ERROR]);

/* Adds a library that the backend reports by name and version. False, with the reason in error, if
 * another version of it was reported before; that library is still recorded as a part, with its
 * problem. */
bool topk_identity_tell(struct topk_identity *identity, const char *name, const char *version,
                        char error[TOPK_IDENTITY_ERROR]);

void topk_identity_free(struct topk_identity *identity);

#endif
