/* DirectML's device, and its operators: made from the descriptions of a call, compiled,
 * initialised, kept for the next call of the same description. */
#ifndef TOPK_DIRECTML_DEVICE_H
#define TOPK_DIRECTML_DEVICE_H

#include "d3d12/gpu.h"
#include "directml_api.h"

/* A compiled operator, and what it needs. */
struct topk_dml_operator {
    struct topk_dml_dispatchable *compiled;
    struct topk_dml_properties needs;
    struct topk_gpu_buffer persistent;
    bool initialised;
    bool recorded;   /* its initialisation is in the list that is being recorded */
    bool owns_input; /* DirectML owns it: it is given at initialisation, for one call only */
};

struct topk_dml_cache; /* operators by description */

struct topk_dml {
    void *library;
    struct topk_dml_device *device;
    struct topk_dml_recorder *recorder;
    struct topk_dml_cache *operators;
    UINT level;       /* the highest feature level that it has, 0x6400 */
    UINT flags;       /* execution flags that each operator gets beside its call's */
    char version[64]; /* of the DLL */
};

struct topk_dml_options {
    char dll[256];      /* path; "": DirectML.dll as Windows finds it */
    UINT minimum_level; /* that the device is asked for; 0: any */
    bool debug;         /* with DirectML's own validation layer */
    UINT flags;         /* as those of topk_dml */
};

/* Opens DirectML on a device. dml is overwritten. False, with the reason in error, if that fails;
 * nothing is to be closed then. */
bool topk_dml_open(struct topk_dml *dml, const struct topk_gpu *gpu,
                   const struct topk_dml_options *options, char *error, size_t error_bytes);
void topk_dml_close(struct topk_dml *dml);

/* The operator of a call, made or found; lives until topk_dml_forget(). NULL, with the answer
 * filled, if it is refused or cannot be had. */
struct topk_dml_operator *topk_dml_find(struct topk_dml *dml, struct topk_gpu *gpu,
                                        const struct topk_backend_call *call,
                                        struct topk_backend_answer *answer);

/* So many operators are kept that it is time to drop them: cases of one description come close to
 * each other, so what is old is not missed. */
bool topk_dml_full(const struct topk_dml *dml);
/* Drops all operators. None may be in use, nor be what an initializer or a binding table was last
 * set to. */
void topk_dml_forget(struct topk_dml *dml);

/* S_OK as long as DirectML's device lives. */
HRESULT topk_dml_removed(const struct topk_dml *dml);

#endif
