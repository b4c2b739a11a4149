/* DirectML's device and its operators: created from the description of a call, compiled,
 * initialized, and kept for further calls with the same description. */
#ifndef TOPK_DIRECTML_DEVICE_H
#define TOPK_DIRECTML_DEVICE_H

#include "d3d12/gpu.h"
#include "directml_api.h"

/* A compiled operator and the memory that it needs. */
struct topk_dml_operator {
    struct topk_dml_dispatchable *compiled;
    struct topk_dml_properties needs;
    struct topk_gpu_buffer persistent;
    bool initialised;
    bool recorded; /* its initialization is in the list that is being recorded */
    /* DirectML owns the input, which is bound at initialization; the operator serves one call only
     */
    bool owns_input;
};

struct topk_dml_cache; /* operators by description */

struct topk_dml {
    void *library;
    struct topk_dml_device *device;
    struct topk_dml_recorder *recorder;
    struct topk_dml_cache *operators;
    UINT level;       /* the highest supported feature level, such as 0x6400 */
    UINT flags;       /* execution flags of each operator, in addition to those of its call */
    char version[64]; /* version of the DLL */
};

struct topk_dml_options {
    char dll[256];      /* path; "": DirectML.dll in Windows' search path */
    UINT minimum_level; /* least feature level of the device; 0: any */
    bool debug;         /* use DirectML's validation layer */
    UINT flags;         /* see topk_dml */
};

/* Opens DirectML on a device; overwrites *dml. Returns false, with the reason in error, if that
 * fails; then there is nothing to close. */
bool topk_dml_open(struct topk_dml *dml, const struct topk_gpu *gpu,
                   const struct topk_dml_options *options, char *error, size_t error_bytes);
void topk_dml_close(struct topk_dml *dml);

/* Returns the operator of a call, created if necessary, valid until topk_dml_forget(). Returns
 * NULL, with the answer, if it is refused or fails. */
struct topk_dml_operator *topk_dml_find(struct topk_dml *dml, struct topk_gpu *gpu,
                                        const struct topk_backend_call *call,
                                        struct topk_backend_answer *answer);

/* Whether so many operators are kept that they should be dropped. Cases with the same description
 * are close to each other, so old ones are not needed. */
bool topk_dml_full(const struct topk_dml *dml);
/* Drops all operators. None may be in use, or be the last one that an initializer or a binding
 * table was set to. */
void topk_dml_forget(struct topk_dml *dml);

/* S_OK until DirectML's device is removed. */
HRESULT topk_dml_removed(const struct topk_dml *dml);

#endif
