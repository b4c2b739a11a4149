/* What a command tests, for identity.h: the plugin or the command of the user, and the programs of
 * the suite that host it. */
#ifndef TOPK_CLI_SUBJECT_H
#define TOPK_CLI_SUBJECT_H

#include "identity/identity.h"
#include "worker.h"

struct cli_subject {
    struct topk_identity_subject of; /* strings of this struct, the backend or the workers */
    char *own;                       /* path of this program, or NULL */
    char *plugin;                    /* path of the plugin, or NULL */
};

/* *subject is to be freed by cli_subject_free(), after the last use of `of`. */
void cli_subject_make(struct cli_subject *subject, const struct cli_backend *backend,
                      const struct cli_workers *workers);
void cli_subject_free(struct cli_subject *subject);

/* Compares the files under test with those of an earlier run that `before` lists, and prints which
 * differ: plugins and files of a command, a line each; libraries, drivers and programs in one note.
 * Returns how many plugins and files of a command differ. */
size_t cli_subject_compare(const struct cli_backend *backend, const struct cli_workers *workers,
                           const struct topk_log_parts *before);

#endif
