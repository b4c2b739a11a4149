/* The plugin interface: the only header that a backend needs.
 *
 * A backend is anything that computes DML_TOP_K and DML_TOP_K1: a driver, an operator library, a
 * kernel. It is built into topk-backend, or is a shared library that exports one function,
 * topk_backend_entry(). The process topk-backend hosts it, so a backend may crash, hang or print
 * without harm to a run; while it works, its stdout is redirected to stderr. `topk-worker
 * --backend` hosts it in the judge's process, for trials only: such a run is never CONFORMANT.
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

/* DML_TENSOR_DATA_TYPE. A call may contain any number; clause V09 lists the types of TOP_K. */
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
    uint32_t data_type;                        /* enum topk_backend_type, or any number: V09 */
    uint32_t flags;                            /* TOPK_TENSOR_OWNED_BY_DML or 0 */
    uint32_t dimension_count;                  /* valid: 1..8; 0 and up to 16 occur */
    uint32_t guaranteed_base_offset_alignment; /* bytes, or 0 */
    const uint32_t *sizes;                     /* elements */
    const uint32_t *strides;                   /* elements; NULL: packed */
    uint64_t total_bytes;                      /* TotalTensorSizeInBytes */
};

/* Memory bound to a tensor: a whole buffer, in which the tensor starts at `offset` and takes
 * total_bytes. The bytes around it are a guard. A backend with its own memory must upload the whole
 * buffer, bind at the offset, and read the whole buffer back, also the input's: so the suite
 * detects writes where none are allowed (clauses M01, M02). */
struct topk_backend_buffer {
    void *data;      /* aligned to 64 bytes; NULL if create_only */
    uint64_t bytes;  /* of the whole buffer */
    uint64_t offset; /* bytes from data to the tensor */
};

/* One call of the operator. All pointers in it stay valid until run() or finish() returns. */
struct topk_backend_call {
    uint32_t operator_type;   /* TOPK_OPERATOR_TOP_K or TOPK_OPERATOR_TOP_K1 */
    uint32_t feature_level;   /* requested level: 0x2000, 0x2100, 0x3100, 0x5000, ... */
    uint32_t execution_flags; /* TOPK_EXECUTION_... */
    uint32_t create_only;     /* 1: create the operator, dispatch nothing, touch no buffer */
    uint32_t axis;            /* Axis */
    uint32_t k;               /* K */
    uint32_t direction;       /* AxisDirection; meaningless for TOP_K */
    uint32_t reserved;        /* 0 */
    const struct topk_backend_tensor *input; /* NULL if the description lacks it (V11) */
    const struct topk_backend_tensor *value;
    const struct topk_backend_tensor *index;
    struct topk_backend_buffer input_buffer;
    struct topk_backend_buffer value_buffer;
    struct topk_backend_buffer index_buffer;
};

/* The outcome of a call. */
enum topk_backend_status {
    TOPK_BACKEND_DONE = 0,          /* computed; with create_only, created */
    TOPK_BACKEND_REFUSED = 1,       /* the operator was refused at creation, as E_INVALIDARG */
    TOPK_BACKEND_UNSUPPORTED = 2,   /* a valid call that this backend does not claim to support */
    TOPK_BACKEND_DEVICE_LOST = 3,   /* the device is gone; the process will be restarted */
    TOPK_BACKEND_OUT_OF_MEMORY = 4, /* too large for this device; counts as unsupported */
    TOPK_BACKEND_FAILED = 5         /* any other failure while the call ran */
};

struct topk_backend_answer {
    uint32_t status;  /* enum topk_backend_status */
    char reason[252]; /* for the user; empty with DONE, or a note on how it was done */
};

/* The backend does not check descriptions as DirectML does, because its own interface has other
 * rules for them (see invalid_calls_reason). Cases that break a clause are then unsupported. */
#define TOPK_BACKEND_OWN_CONTRACT 1u
/* The backend refuses what the requested level does not have, even if it could compute it. Without
 * this flag, it may accept or refuse what only a higher level allows. */
#define TOPK_BACKEND_STRICT_LEVEL 2u
/* The backend is software that stands in for hardware. Reports say so. */
#define TOPK_BACKEND_SOFTWARE 4u
/* The implementation under test is the usual one, but its device is software that stands in for
 * hardware (a software driver, a translation layer). Reports attribute the order of NaNs and
 * denormals (F02, F04) to that device. */
#define TOPK_BACKEND_SOFTWARE_DEVICE 8u
/* The backend has probes. The host sets this flag, not the backend. */
#define TOPK_BACKEND_PROBES 16u

/* Identifies what is under test. Strings stay valid while the backend is open; NULL means
 * unknown. */
struct topk_backend_info {
    const char *name;                 /* "cpu" */
    const char *version;              /* version of the implementation under test */
    const char *device;               /* adapter, processor */
    const char *driver;               /* driver and its version */
    const char *features;             /* free text for readers of a report */
    const char *invalid_calls_reason; /* with TOPK_BACKEND_OWN_CONTRACT */
    uint32_t feature_level;           /* highest supported level, required: 0x5000, ... */
    uint32_t flags;                   /* TOPK_BACKEND_... */
    uint32_t batch;                   /* greatest number of calls in one run(), at least 1 */
    uint32_t reserved;                /* 0 */
};

/* The outcome of a probe. A probe examines what a backend runs on: a driver, a compiler. */
enum topk_backend_probe_verdict {
    TOPK_BACKEND_PROBE_OBSERVED = 0,    /* required by the specification, or left open by it */
    TOPK_BACKEND_PROBE_VIOLATION = 1,   /* forbidden by the specification */
    TOPK_BACKEND_PROBE_UNSUPPORTED = 2, /* the feature is not claimed */
    TOPK_BACKEND_PROBE_FAILED = 3       /* the probe did not complete */
};

struct topk_backend_probe {
    uint32_t verdict; /* enum topk_backend_probe_verdict */
    char value[60];   /* the observation in one or two words: "flushed" */
    char detail[448]; /* for the user: what was done and observed, and what a violation violates */
};

/* The backend: a constant table of functions, valid while the library is loaded. All functions are
 * called from one thread. */
struct topk_backend {
    uint32_t abi;          /* TOPK_BACKEND_ABI */
    uint32_t struct_bytes; /* sizeof(struct topk_backend) when it was compiled */
    const char *name;      /* its name for --backend */
    const char *summary;   /* one line for `topk-cts backends` */

    /* Opens the backend. options: the text after "NAME:" in --backend, or "". Returns the `self`
     * for the other functions; or NULL, with the reason in error (error_bytes > 0). */
    void *(*open)(const char *options, char *error, size_t error_bytes);

    /* Identifies the backend. info is zero except batch = 1. */
    void (*describe)(void *self, struct topk_backend_info *info);

    /* Whether the backend claims to support a call: sets answer->status to TOPK_BACKEND_DONE, or to
     * TOPK_BACKEND_UNSUPPORTED with a reason. NULL: it supports all calls. Called only for calls
     * that may be run, that is, that break no clause at the backend's level. */
    void (*supports)(void *self, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer);

    /* Runs `count` calls, 1 <= count <= info.batch, and fills as many answers, which are zero
     * before. No two calls share memory, so that all may be in flight at once, without a barrier
     * (clause M07). Cases that test this have 16 calls, of which info.batch are passed at a time.
     */
    void (*run)(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers);

    /* Frees the result of open(). */
    void (*close)(void *self);

    /* The following members were added later. A plugin whose struct_bytes ends before a member
     * lacks it. */

    /* Writes the options that open the backend on device `number` of this machine, such as
     * "device=1", and returns 1; returns 0 if there are fewer devices. Numbers start at 0. NULL:
     * there is no choice. Called without open(). */
    uint32_t (*device)(uint32_t number, char *options, size_t options_bytes);

    /* Returns the name of a probe, such as "denormals.float32": up to 47 characters a-z, 0-9, dot
     * and hyphen, unique. Returns NULL after the last; there are at most 64. NULL: no probes. */
    const char *(*probe_name)(void *self, uint32_t number);

    /* Runs a probe that has a name; probe is zero before. Probes are run before any call of run(),
     * one at a time and in ascending order, but some may be left out. NULL if probe_name is. */
    void (*probe)(void *self, uint32_t number, struct topk_backend_probe *probe);

    /* For a backend with a device. start() begins the work of run() and returns while the device
     * computes; finish() waits, and the answers must be filled when it returns. calls, everything
     * that they point to, and answers stay valid until then. Both may be NULL.
     *
     * topk-backend then makes every call with start() and finish(), none with run(). In between it
     * reads the next calls from the judge, and calls no function of the backend. (`topk-worker
     * --backend` may call supports() in between. It makes some calls with run(), but not in
     * between.)
     *
     * The judge prepares and judges cases while others are computed. For this it sends an eighth of
     * info.batch cases at a time, if that is 16 or more, so an info.batch of a few hundred is best.
     * Times in reports are measured by the judge, from sending the calls to receiving their answer.
     */
    void (*start)(void *self, const struct topk_backend_call *calls, uint32_t count,
                  struct topk_backend_answer *answers);
    void (*finish)(void *self);

    /* Returns the declared contract, if the backend documents other rules than DirectML's:
     * "ties=any memory=gathered", and lines name= and source=, as docs/contracts.md defines. The
     * backend is then judged by these rules, and never called conformant to DirectML's. NULL, or
     * NULL returned: no contract. Called once, after describe(). */
    const char *(*contract)(void *self);

    /* For a backend with a device: repeats the device's work of the last run(), with inputs that
     * are still on the device, and waits; uploads and reads back nothing. Only `topk-cts bench'
     * calls it, to time the bare work, after a run() whose calls were all done and are still in
     * place. Returns 1; 0 if it fails, or if the inputs are gone. NULL: not available. */
    uint32_t (*repeat)(void *self);
};

/* The only symbol that a plugin exports. */
TOPK_BACKEND_EXPORT const struct topk_backend *topk_backend_entry(void);

#ifdef __cplusplus
}
#endif
#endif
