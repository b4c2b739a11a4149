/* What a command tests, for identity.h: the plugin or the command of the user, and the programs of
 * the suite that host it. */
#ifndef TOPK_CLI_SUBJECT_H
#define TOPK_CLI_SUBJECT_H

#include "identity/identity.h"
#include "worker.h"

struct cli_subject {
    struct topk_identity_subject of; /* its strings are here, or those of backend and workers */
    char *own;                       /* path of this program, or NULL */
    char *plugin;                    /* path of the plugin, or NULL */
};

/* To be freed by cli_subject_free(), after what looks at it. */
void cli_subject_make(struct cli_subject *subject, const struct cli_backend *backend,
                      const struct cli_workers *workers);
void cli_subject_free(struct cli_subject *subject);

/* Looks at what is under test now, and prints which files are not those of an earlier run that
 * `before` lists: plugins and files of a command, a line each; libraries, drivers and programs in a
 * note. Returns the number of the former. */
size_t cli_subject_compare(const struct cli_backend *backend, const struct cli_workers *workers,
                           const struct topk_log_parts *before);

#endif
