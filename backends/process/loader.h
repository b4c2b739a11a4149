/* Opening a backend that is built in, or a plugin, in this process; and what it says of itself,
 * mended where it cannot be. */
#ifndef TOPK_LOADER_H
#define TOPK_LOADER_H

#include <stdbool.h>

#include "reference/contract.h"
#include "reference/probe.h"
#include "topk_backend.h"

/* A backend that was found, and maybe is open. */
struct topk_loaded {
    const struct topk_backend *backend;
    void *self;                    /* what its open() returned; NULL: it is not open */
    struct topk_backend_info info; /* what its describe() said; strings are never NULL */
    struct topk_contract contract; /* that it declares */
    bool starts;                   /* it has start() and finish() */
    bool repeats;                  /* it has repeat() */
    bool misdeclared;              /* it was not opened, as the contract it declares is wrong */
    void *library;                 /* of a plugin, else NULL */
    const char *options;           /* of the spec, which is the caller's */
    const char *parts;             /* libraries that its process tells of, as topk_told_next() */
};

/* Finds the backend that spec names: "NAME" or "NAME:OPTIONS" for one that is built in, else the
 * path of a plugin, "PATH.so" or "PATH.so:OPTIONS". False, with the reason in error, if that fails;
 * nothing is to be closed then. */
bool topk_loader_find(struct topk_loaded *loaded, const char *spec, char *error,
                      size_t error_bytes);
/* Writes the options that open what was found on a device; false if there are not so many. */
bool topk_loader_device(const struct topk_loaded *loaded, uint32_t number, char *options,
                        size_t options_bytes);
/* Opens what was found, with the options of its spec and those of a device, which may be empty.
 * If that fails and loaded->misdeclared is set, it is for what the backend declares. */
bool topk_loader_open_found(struct topk_loaded *loaded, const char *device, char *error,
                            size_t error_bytes);
/* Finds and opens. */
bool topk_loader_open(struct topk_loaded *loaded, const char *spec, char *error,
                      size_t error_bytes);
void topk_loader_close(struct topk_loaded *loaded);

/* How many probes the backend has; 0 unless info.flags has TOPK_BACKEND_PROBES. */
uint32_t topk_loader_probe_count(struct topk_loaded *loaded);

/* The name of a probe, number < topk_loader_probe_count(). Characters that no name may have become
 * hyphens. */
void topk_loader_probe_name(struct topk_loaded *loaded, uint32_t number,
                            char name[TOPK_PROBE_NAME]);

/* Runs a probe; *probe is overwritten, with its name. */
void topk_loader_probe(struct topk_loaded *loaded, uint32_t number, struct topk_probe *probe);

/* Room for what the two below write, with the terminator. */
#define TOPK_LOADER_PROBE_TEXT (TOPK_PROBES_MAX * TOPK_PROBE_NAME + 16)

/* Writes "probes=NAME,NAME,...". */
void topk_loader_probes_print(struct topk_loaded *loaded, char text[TOPK_LOADER_PROBE_TEXT]);
/* Runs a probe and writes what topk_probe_print() does; of a number without a probe, that there is
 * none. */
void topk_loader_probe_print(struct topk_loaded *loaded, uint32_t number,
                             char text[TOPK_LOADER_PROBE_TEXT]);

/* The backends that are built in. */
extern const struct topk_backend *const topk_builtin_backends[];
extern const size_t topk_builtin_backend_count;
/* The one of that name, of `length` characters; NULL if there is none. */
const struct topk_backend *topk_builtin_find(const char *name, size_t length);

#endif
