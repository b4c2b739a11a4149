/* What is tested, and by which programs: the files that the processes of a backend use, and the
 * machine, as parts of the log (part.h). It looks only at this machine; a backend elsewhere can
 * report its own parts. */
#ifndef TOPK_IDENTITY_H
#define TOPK_IDENTITY_H

#include "log/log.h"

/* What to look at. Strings outlive the identity. */
struct topk_identity_subject {
    const char *suite[4];  /* paths of programs of the suite; NULL behind the last */
    const char *plugin;    /* path of the plugin that is tested; NULL: none */
    const char *command;   /* the command that is tested; NULL: none */
    bool worker_is_tested; /* what it starts is no worker of the suite, or hosts the backend */
};

struct topk_identity {
    struct topk_identity_subject subject;
    struct topk_log_parts parts; /* those that were known from before first */
    int64_t began;               /* seconds since 1970 */
    struct topk_identity_seen *seen;
    size_t seen_count;
};

/* Room for why a look failed, with the terminator. */
#define TOPK_IDENTITY_ERROR 1024

/* *identity is to be freed in any case. */
void topk_identity_start(struct topk_identity *identity,
                         const struct topk_identity_subject *subject);

/* Takes over a part that was recorded before, of the run that this one continues. False if memory
 * is short. */
bool topk_identity_know(struct topk_identity *identity, const struct topk_log_part *part);

/* Looks at the processes that workers started, by the workers' ids, at the machine, and again at
 * all files that were seen before; adds what is new to the parts. False, with the reason in error,
 * if a file cannot be read, or was exchanged since it was seen: that is then a part, too, with its
 * problem. */
bool topk_identity_look(struct topk_identity *identity, const int64_t *workers, size_t count,
                        char error[TOPK_IDENTITY_ERROR]);

/* Adds a library that is told of, by its name and version. False, with the reason in error, if
 * another version of it was told before: that is then a part, too, with its problem. */
bool topk_identity_tell(struct topk_identity *identity, const char *name, const char *version,
                        char error[TOPK_IDENTITY_ERROR]);

void topk_identity_free(struct topk_identity *identity);

#endif
