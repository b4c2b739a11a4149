/* Opens a built-in backend or a plugin in this process, and corrects invalid parts of what it says
 * about itself. */
#ifndef TOPK_LOADER_H
#define TOPK_LOADER_H

#include <stdbool.h>

#include "reference/contract.h"
#include "reference/probe.h"
#include "topk_backend.h"

/* A backend that was found, and may be open. */
struct topk_loaded {
    const struct topk_backend *backend;
    void *self;                    /* the result of its open(); NULL: not open */
    struct topk_backend_info info; /* from its describe(); strings are never NULL */
    struct topk_contract contract; /* that it declares */
    bool starts;                   /* it has start() and finish() */
    bool repeats;                  /* it has repeat() */
    /* it was not opened because the contract that it declares is wrong */
    bool misdeclared;
    void *library;       /* of a plugin, else NULL */
    const char *options; /* from the spec, owned by the caller */
    const char *parts;   /* libraries that its process reports, for topk_told_next() */
};

/* Finds the backend that spec names: "NAME" or "NAME:OPTIONS" for a built-in one, else the path of
 * a plugin, "PATH.so" or "PATH.so:OPTIONS". Returns false, with the reason in error, if that fails;
 * then there is nothing to close. */
bool topk_loader_find(struct topk_loaded *loaded, const char *spec, char *error,
                      size_t error_bytes);
/* Writes the options that open the found backend on a device; returns false if there are fewer
 * devices. */
bool topk_loader_device(const struct topk_loaded *loaded, uint32_t number, char *options,
                        size_t options_bytes);
/* Opens the found backend, with the options of its spec and those of a device, which may be empty.
 * Returns false, with the reason in error, if that fails; loaded->misdeclared then says whether the
 * cause is what the backend declares. */
bool topk_loader_open_found(struct topk_loaded *loaded, const char *device, char *error,
                            size_t error_bytes);
/* Finds and opens. */
bool topk_loader_open(struct topk_loaded *loaded, const char *spec, char *error,
                      size_t error_bytes);
void topk_loader_close(struct topk_loaded *loaded);

/* The number of its probes; 0 unless info.flags has TOPK_BACKEND_PROBES. */
uint32_t topk_loader_probe_count(struct topk_loaded *loaded);

/* Writes the name of a probe, number < topk_loader_probe_count(). Invalid characters become
 * hyphens. */
void topk_loader_probe_name(struct topk_loaded *loaded, uint32_t number,
                            char name[TOPK_PROBE_NAME]);

/* Runs a probe; overwrites *probe, including its name. */
void topk_loader_probe(struct topk_loaded *loaded, uint32_t number, struct topk_probe *probe);

/* Size of the texts that the two functions below write, with the terminator. */
#define TOPK_LOADER_PROBE_TEXT (TOPK_PROBES_MAX * TOPK_PROBE_NAME + 16)

/* Writes "probes=NAME,NAME,...". */
void topk_loader_probes_print(struct topk_loaded *loaded, char text[TOPK_LOADER_PROBE_TEXT]);
/* Runs a probe and writes it like topk_probe_print(); for a number without a probe, writes that
 * there is none. */
void topk_loader_probe_print(struct topk_loaded *loaded, uint32_t number,
                             char text[TOPK_LOADER_PROBE_TEXT]);

/* The built-in backends. */
extern const struct topk_backend *const topk_builtin_backends[];
extern const size_t topk_builtin_backend_count;
/* Returns the built-in backend with a name of `length` characters; NULL if there is none. */
const struct topk_backend *topk_builtin_find(const char *name, size_t length);

#endif
