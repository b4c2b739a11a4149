/* The plugin interface: all that a backend includes, and all that it needs.
 *
 * A backend is whatever computes DML_TOP_K and DML_TOP_K1: a driver, an operator library, a kernel.
 * It is built into topk-backend, or is a shared library that exports one function,
 * topk_backend_entry(). topk-backend hosts it, a process of its own, so a backend may crash, hang
 * or print without harm to a run: stdout is stderr while it works. `topk-worker --backend` hosts it
 * beside the judge: for trials, as such a run is never CONFORMANT.
 *
 * Numbers are DirectML's own: element types are DML_TENSOR_DATA_TYPE, operators are
 * DML_OPERATOR_TYPE, levels are DML_FEATURE_LEVEL, execution flags are DML_EXECUTION_FLAGS.
 *
 * docs/example-plugin/ is a complete backend to start from.
 */
#ifndef TOPK_BACKEND_H
#define TOPK_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TOPK_BACKEND_ABI 1u

#if defined(_WIN32)
#define TOPK_BACKEND_EXPORT __declspec(dllexport)
#else
#define TOPK_BACKEND_EXPORT __attribute__((visibility("default")))
#endif

/* DML_OPERATOR_TYPE */
#define TOPK_OPERATOR_TOP_K  71u
#define TOPK_OPERATOR_TOP_K1 112u

/* DML_AXIS_DIRECTION */
#define TOPK_DIRECTION_INCREASING 0u
#define TOPK_DIRECTION_DECREASING 1u

/* DML_TENSOR_FLAGS */
#define TOPK_TENSOR_OWNED_BY_DML 1u

/* DML_EXECUTION_FLAGS */
#define TOPK_EXECUTION_ALLOW_HALF_PRECISION 1u
#define TOPK_EXECUTION_DISABLE_METACOMMANDS 2u
#define TOPK_EXECUTION_DESCRIPTORS_VOLATILE 4u

/* DML_TENSOR_DATA_TYPE. A call may carry any number: clause V09 says which are types of TOP_K. */
enum topk_backend_type {
    TOPK_BACKEND_UNKNOWN = 0,
    TOPK_BACKEND_FLOAT32 = 1,
    TOPK_BACKEND_FLOAT16 = 2,
    TOPK_BACKEND_UINT32 = 3,
    TOPK_BACKEND_UINT16 = 4,
    TOPK_BACKEND_UINT8 = 5,
    TOPK_BACKEND_INT32 = 6,
    TOPK_BACKEND_INT16 = 7,
    TOPK_BACKEND_INT8 = 8,
    TOPK_BACKEND_FLOAT64 = 9,
    TOPK_BACKEND_UINT64 = 10,
    TOPK_BACKEND_INT64 = 11,
    TOPK_BACKEND_UINT4 = 12,
    TOPK_BACKEND_INT4 = 13
};

/* A DML_BUFFER_TENSOR_DESC. sizes and strides have dimension_count entries, in elements. */
struct topk_backend_tensor {
    uint32_t data_type;                        /* enum topk_backend_type, or anything: V09 */
    uint32_t flags;                            /* TOPK_TENSOR_OWNED_BY_DML or 0 */
    uint32_t dimension_count;                  /* 1..8 where valid; 0 and up to 16 occur */
    uint32_t guaranteed_base_offset_alignment; /* bytes, or 0 */
    const uint32_t *sizes;                     /* elements */
    const uint32_t *strides;                   /* elements; NULL: packed */
    uint64_t total_bytes;                      /* TotalTensorSizeInBytes */
};

/* Memory bound to a tensor: a whole buffer, of which the tensor starts at `offset` and ends before
 * offset + total_bytes. What lies around it is a guard. A backend with memory of its own uploads
 * the whole buffer, binds at the offset, and reads the whole buffer back, the input's too: that is
 * how the suite sees a write to a place where none is allowed (clauses M01, M02). */
struct topk_backend_buffer {
    void *data;      /* aligned to 64 bytes; NULL in a call that is create_only */
    uint64_t bytes;  /* of the whole buffer */
    uint64_t offset; /* bytes from data to the tensor */
};

/* One call of the operator. Everything it points to lives until run() or finish() returns. */
struct topk_backend_call {
    uint32_t operator_type;   /* TOPK_OPERATOR_TOP_K or TOPK_OPERATOR_TOP_K1 */
    uint32_t feature_level;   /* level the caller asks for: 0x2000, 0x2100, 0x3100, 0x5000, ... */
    uint32_t execution_flags; /* TOPK_EXECUTION_... */
    uint32_t create_only;     /* 1: create the operator, dispatch nothing, touch no buffer */
    uint32_t axis;            /* Axis */
    uint32_t k;               /* K */
    uint32_t direction;       /* AxisDirection; of no meaning to TOP_K */
    uint32_t reserved;        /* 0 */
    const struct topk_backend_tensor *input; /* NULL where the description lacks it (V11) */
    const struct topk_backend_tensor *value;
    const struct topk_backend_tensor *index;
    struct topk_backend_buffer input_buffer;
    struct topk_backend_buffer value_buffer;
    struct topk_backend_buffer index_buffer;
};

/* What became of a call. */
enum topk_backend_status {
    TOPK_BACKEND_DONE = 0,          /* computed; or, if create_only, created */
    TOPK_BACKEND_REFUSED = 1,       /* the operator was refused at creation, as E_INVALIDARG */
    TOPK_BACKEND_UNSUPPORTED = 2,   /* a valid call that this backend does not claim to serve */
    TOPK_BACKEND_DEVICE_LOST = 3,   /* the device is gone; the process will be restarted */
    TOPK_BACKEND_OUT_OF_MEMORY = 4, /* too large for this device: counts as unsupported */
    TOPK_BACKEND_FAILED = 5         /* anything else that went wrong while the call ran */
};

struct topk_backend_answer {
    uint32_t status;  /* enum topk_backend_status */
    char reason[252]; /* why, for a reader; with DONE empty, or a note on what was done */
};

/* The backend does not check descriptions as DirectML does: its own interface has another contract
 * for them (invalid_calls_reason says which). Cases that break a clause are then unsupported. */
#define TOPK_BACKEND_OWN_CONTRACT 1u
/* The backend refuses what the level asked for in a call does not have, even if it could serve it.
 * Without this flag, what only a higher level allows may be accepted or refused. */
#define TOPK_BACKEND_STRICT_LEVEL 2u
/* What answers is software standing in for hardware: reports say so. */
#define TOPK_BACKEND_SOFTWARE 4u
/* The implementation under test is what it is elsewhere, but the device that it computes on is
 * software that stands in for one (a software driver, a translation layer). Its arithmetic is laid
 * to that stack: reports say so of the order of NaNs and of denormals (F02, F04). */
#define TOPK_BACKEND_SOFTWARE_DEVICE 8u
/* It has probes. Set by the host, not by the backend. */
#define TOPK_BACKEND_PROBES 16u

/* Who is under test. Strings live as long as the backend is open; NULL means unknown. */
struct topk_backend_info {
    const char *name;                 /* "cpu" */
    const char *version;              /* of the implementation under test */
    const char *device;               /* adapter, processor */
    const char *driver;               /* driver and its version */
    const char *features;             /* free text, what a reader of a report wants to know */
    const char *invalid_calls_reason; /* with TOPK_BACKEND_OWN_CONTRACT */
    uint32_t feature_level;           /* highest level served, to be set: 0x5000, ... */
    uint32_t flags;                   /* TOPK_BACKEND_... */
    uint32_t batch;                   /* calls wanted in one run(), at least 1 */
    uint32_t reserved;                /* 0 */
};

/* What a probe of what lies under a backend (a driver, a compiler) came to. */
enum topk_backend_probe_verdict {
    TOPK_BACKEND_PROBE_OBSERVED = 0,    /* what its specification leaves open, or what it demands */
    TOPK_BACKEND_PROBE_VIOLATION = 1,   /* what its specification forbids */
    TOPK_BACKEND_PROBE_UNSUPPORTED = 2, /* it does not claim to have what the probe is about */
    TOPK_BACKEND_PROBE_FAILED = 3       /* the probe could not be run to its end */
};

struct topk_backend_probe {
    uint32_t verdict; /* enum topk_backend_probe_verdict */
    char value[60];   /* what was seen, in a word or two: "flushed" */
    char detail[448]; /* for a reader: what was done and seen; what a violation is one of */
};

/* The backend: one table of functions, const, that lives as long as the library is loaded.
 * All calls come from one thread. */
struct topk_backend {
    uint32_t abi;          /* TOPK_BACKEND_ABI */
    uint32_t struct_bytes; /* sizeof(struct topk_backend), as it was compiled */
    const char *name;      /* what --backend calls it */
    const char *summary;   /* one line for `topk-cts backends` */

    /* Opens it. options: what stands behind "NAME:" in --backend, or "". Returns what the other
     * functions get as self; or NULL, with the reason in error (error_bytes > 0). */
    void *(*open)(const char *options, char *error, size_t error_bytes);

    /* Says who it is. info comes zeroed, with batch = 1. */
    void (*describe)(void *self, struct topk_backend_info *info);

    /* Says whether it claims to serve a call: answer->status is TOPK_BACKEND_DONE, or
     * TOPK_BACKEND_UNSUPPORTED with a reason. May be NULL: serves all. Only asked about calls that
     * may be run: those that break no clause at the level of the backend. */
    void (*supports)(void *self, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer);

    /* Runs count calls, 1 <= count <= info.batch, and fills as many answers, which come zeroed. No
     * two calls share memory: they may all be in flight at once, without a barrier (clause M07).
     * Cases that test this bring 16 calls: only as many as info.batch come together. */
    void (*run)(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers);

    /* Frees what open() made. */
    void (*close)(void *self);

    /* What follows is younger than the rest: a plugin whose struct_bytes ends before it lacks it.
     */

    /* Writes the options that open the backend on device `number` of this machine, "device=1", and
     * returns 1; returns 0 if there are not so many. Numbers start at 0. NULL: there is no choice.
     * Called without open(). */
    uint32_t (*device)(uint32_t number, char *options, size_t options_bytes);

    /* The name of the probe of a number, "denormals.float32": up to 47 of a-z, 0-9, dot and hyphen;
     * another one for each number. NULL behind the last: there are 64 at most. May be NULL: there
     * are none. */
    const char *(*probe_name)(void *self, uint32_t number);

    /* Runs a probe of which probe_name() has a name; probe comes zeroed. Probes are run before any
     * call of run(), alone and in the order of their numbers, but any may be left out. NULL where
     * probe_name is. */
    void (*probe)(void *self, uint32_t number, struct topk_backend_probe *probe);

    /* For a backend that computes on a device. start() begins what run() does, and returns while
     * the device is at work; finish() waits, and has filled the answers when it returns. calls, all
     * that they point to, and answers stay where they are until then. Both may be NULL.
     *
     * topk-backend then makes every call by start() and finish(), none by run(). Between the two it
     * reads the next calls from the judge, and calls no function of the backend. (`topk-worker
     * --backend` may call supports() there. It makes some calls by run(), but not there.)
     *
     * The judge prepares and judges cases while others are computed. So it sends an eighth of
     * info.batch cases at a time, if that is 16 or more: an info.batch of a few hundred is best.
     * Times in reports are measured by the judge, from sending calls to their answer. */
    void (*start)(void *self, const struct topk_backend_call *calls, uint32_t count,
                  struct topk_backend_answer *answers);
    void (*finish)(void *self);

    /* The contract that it declares, if it documents other rules than DirectML's: "ties=any
     * memory=gathered", and lines name= and source=, as docs/contracts.md has them. It is judged by
     * these then, and never called conformant to DirectML's. NULL, or NULL returned: there is none.
     * Called once, after describe(). */
    const char *(*contract)(void *self);

    /* For a backend that computes on a device: has the device do once more what the last run() had
     * it do, of inputs that it still has, and waits; nothing is uploaded or read back. It is what
     * `topk-cts bench' calls bare, and nothing else calls it: behind a run() whose calls were all
     * done, and which are where they were. Returns 1; 0 if that fails, or the device no longer has
     * the inputs. NULL: there is none. */
    uint32_t (*repeat)(void *self);
};

/* The one symbol that a plugin exports. */
TOPK_BACKEND_EXPORT const struct topk_backend *topk_backend_entry(void);

#ifdef __cplusplus
}
#endif
#endif
