/* The backend that tests ONNX Runtime's TopK, which is not DirectML's.
 *
 * Each call becomes one run of a model with a single TopK node (onnx_model.h): a strided input is
 * gathered into a packed tensor, the node runs, and its results are scattered to strided outputs. A
 * packed tensor is used in place, if ONNX Runtime's type is the call's. Gather and scatter move
 * bits (strided.h). Which elements are chosen, and in which order, is up to ONNX Runtime, and
 * nothing here corrects it. So S and F clauses test ONNX Runtime, while M clauses only test this
 * adapter.
 *
 * ONNX's TopK has other rules for invalid calls (INVALID_CALLS_REASON), hence
 * TOPK_BACKEND_OWN_CONTRACT. ONNX Runtime does not document which types it supports: open() tries
 * to create a session for each, and supports() repeats the result. Version 1.30.0 supports all
 * except uint16, uint32 and uint64. It computes float16 between casts to float32 and back that it
 * inserts itself (seen in its optimized model), which change the payload of some NaNs.
 *
 * Any library version from 1.12 on works: the newest version of the C API that both the header and
 * the library have is used. With ep=webgpu the WebGPU provider runs the node, with ep=directml that
 * of DirectML, which libraries for Windows have; nothing falls back to the CPU.
 *
 * The library is loaded when the backend is opened; compiling needs only its C header.
 * scripts/get-onnxruntime fetches both.
 */
#ifdef _WIN32 /* words of Microsoft's compiler that the header takes for granted */
#define _Return_type_success_(expression)
#define _stdcall
#endif

#include "exchange/exchange.h"
#include "kernel/kernel.h"
#include "platform/platform.h"
#include "strided.h"
#include "topk_backend.h"

#include <onnxruntime_c_api.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS            256u
#define BUILD_INFO_API_VERSION 15u /* the first version with GetBuildInfoString */
#define LEAST_API_VERSION      12u /* that of 1.12, the first that appends providers by name */
#define SCRATCH_TO_KEEP        (UINT64_C(64) << 20)
#define SCRATCH_ALIGNMENT      64u
#define TYPE_COUNT             (TOPK_BACKEND_INT64 + 1)

#define INVALID_CALLS_REASON                                                                       \
    "ONNX's TopK has another contract for invalid calls: K = 0 is legal there, and strides, "      \
    "total sizes, alignments and flags of a tensor do not exist"

/* The types of TOP_K (clause V09); those with 0 in .bytes are not types of TOP_K. `onnx` is used
 * for the C API and for the model: TensorProto.DataType has the same numbers. */
static const struct element_type {
    const char *name;
    ONNXTensorElementDataType onnx;
    size_t bytes;
} ELEMENT_TYPES[TYPE_COUNT] = {
    [TOPK_BACKEND_FLOAT32] = {"float32", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 4},
    [TOPK_BACKEND_FLOAT16] = {"float16", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 2},
    [TOPK_BACKEND_UINT32] = {"uint32", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 4},
    [TOPK_BACKEND_UINT16] = {"uint16", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 2},
    [TOPK_BACKEND_UINT8] = {"uint8", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 1},
    [TOPK_BACKEND_INT32] = {"int32", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 4},
    [TOPK_BACKEND_INT16] = {"int16", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, 2},
    [TOPK_BACKEND_INT8] = {"int8", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 1},
    [TOPK_BACKEND_UINT64] = {"uint64", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, 8},
    [TOPK_BACKEND_INT64] = {"int64", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 8},
};

#define ONNX_CONTRACT                                                                              \
    "invalid=own memory=gathered\n"                                                                \
    "name=ONNX TopK, opset 11\n"                                                                   \
    "source=https://onnx.ai/onnx/operators/onnx__TopK.html#topk-11"

/* What runs the node. */
static const struct provider {
    const char *word;   /* value of the option ep= */
    const char *name;   /* its name when a session is created; NULL: the default provider */
    const char *append; /* the function that appends it; NULL: it is appended by name */
    const char *full;   /* ONNX Runtime's name for it */
    const char *device;
    bool shared;          /* all sessions share their options */
    uint32_t flag;        /* flag of the device, as far as known */
    const char *contract; /* denormals may be flushed if the language of its kernels permits it */
} PROVIDERS[] = {
    {"cpu", NULL, NULL, "CPUExecutionProvider", "CPU", true, TOPK_BACKEND_SOFTWARE, ONNX_CONTRACT},
    {"webgpu", "WebGPU", NULL, "WebGpuExecutionProvider", "WebGPU", false,
     TOPK_BACKEND_SOFTWARE_DEVICE,
     "invalid=own memory=gathered denormals=flush\n"
     "name=ONNX TopK, opset 11, on WebGPU\n"
     "source=https://onnx.ai/onnx/operators/onnx__TopK.html#topk-11 "
     "https://www.w3.org/TR/WGSL/#floating-point-evaluation"},
    {"directml", "DML", "OrtSessionOptionsAppendExecutionProvider_DML", "DmlExecutionProvider",
     "DirectML", true, TOPK_BACKEND_SOFTWARE_DEVICE, ONNX_CONTRACT},
};
#define PROVIDER_COUNT (sizeof PROVIDERS / sizeof PROVIDERS[0])

/* One session serves every size and K: dimensions are open in the model, and K is an input. */
struct session_key {
    uint32_t type; /* enum topk_backend_type */
    uint32_t rank;
    uint32_t axis;
    bool largest;
};

struct options {
    char library_path[4096];
    unsigned threads;
    const struct provider *provider;
    bool directml_rules;
};

struct backend {
    const OrtApi *api;
    uint32_t api_version;
    const struct provider *provider;
    bool directml_rules; /* declare no contract */
    /* appends DirectML's provider with an adapter of DXGI: appending it by name requires DXCore,
     * which Wine lacks */
    OrtStatus *(ORT_API_CALL *append_directml)(OrtSessionOptions *options, int device);
    const char *version;
    OrtEnv *env;
    OrtMemoryInfo *memory;
    OrtSessionOptions *session_options;
    OrtValue *k_tensor; /* a tensor over k */
    int64_t k;
    /* ONNX Runtime's answer to a session of each type. */
    struct topk_backend_answer verdicts[TYPE_COUNT];
    OrtSession *sessions[TYPE_COUNT][STRIDED_MAX_RANK][STRIDED_MAX_RANK][2];
    void *allocated;
    uint8_t *scratch; /* packed tensors, reused from call to call */
    uint64_t scratch_bytes;
    char features[384];
    char driver[256];
};

/* A macro, so that compilers check the arguments against the format. */
#define ANSWER(answer, code, ...)                                                                  \
    ((answer)->status = (code), snprintf((answer)->reason, sizeof((answer)->reason), __VA_ARGS__))

/* Handles a status of the C API. Returns true for a success; otherwise the answer gets its
 * message. */
static bool succeeded(const OrtApi *api, OrtStatus *status, const char *doing,
                      struct topk_backend_answer *answer)
{
    if (status == NULL) {
        return true;
    }
    /* This code occurs only when a session is created, because kernels are looked up then. */
    const bool lacks_kernel = api->GetErrorCode(status) == ORT_NOT_IMPLEMENTED;
    ANSWER(answer, lacks_kernel ? TOPK_BACKEND_UNSUPPORTED : TOPK_BACKEND_FAILED, "%s: %s", doing,
           api->GetErrorMessage(status));
    api->ReleaseStatus(status);
    return false;
}

/* ---- Sessions ------------------------------------------------------------------------------- */

/* Makes the provider run all nodes of sessions with these options. */
static bool append_provider(const struct backend *self, OrtSessionOptions *options,
                            struct topk_backend_answer *answer)
{
    const OrtApi *api = self->api;
    const char *name = self->provider->name;
    char doing[64];
    snprintf(doing, sizeof doing, "choosing the provider %s", self->provider->full);
    return name == NULL ||
           (succeeded(api,
                      api->AddSessionConfigEntry(options, "session.disable_cpu_ep_fallback", "1"),
                      doing, answer) &&
            succeeded(api,
                      self->append_directml != NULL ? self->append_directml(options, 0)
                                                    : api->SessionOptionsAppendExecutionProvider(
                                                          options, name, NULL, NULL, 0),
                      doing, answer));
}

/* Disables memory patterns, which DirectML's provider does not support, and the arena: shapes
 * change from call to call, and every session's arena would keep memory for the largest. Returns
 * NULL, with the reason in the answer, if that fails. */
static OrtSessionOptions *create_options(const struct backend *self,
                                         struct topk_backend_answer *answer)
{
    const OrtApi *api = self->api;
    const char *doing = "preparing sessions";
    OrtSessionOptions *options = NULL;
    if (succeeded(api, api->CreateSessionOptions(&options), doing, answer) &&
        succeeded(api, api->DisablePerSessionThreads(options), doing, answer) &&
        succeeded(api, api->DisableMemPattern(options), doing, answer) &&
        succeeded(api, api->DisableCpuMemArena(options), doing, answer) &&
        append_provider(self, options, answer)) {
        return options;
    }
    api->ReleaseSessionOptions(options);
    return NULL;
}

static OrtSession *create_session(const struct backend *self, const struct session_key *key,
                                  struct topk_backend_answer *answer)
{
    uint8_t model[TOPK_ONNX_MODEL_CAPACITY];
    const size_t bytes =
        topk_onnx_model(model, ELEMENT_TYPES[key->type].onnx, key->rank, key->axis, key->largest);
    if (bytes == 0) {
        ANSWER(answer, TOPK_BACKEND_FAILED, "the model exceeds %u bytes", TOPK_ONNX_MODEL_CAPACITY);
        return NULL;
    }
    /* With the WebGPU provider each session needs its own options: when a session fails or is
     * released, it destroys the device that belongs to its options (seen in 1.30). */
    OrtSessionOptions *own = NULL;
    if (self->session_options == NULL) {
        own = create_options(self, answer);
        if (own == NULL) {
            return NULL;
        }
    }
    OrtSession *session = NULL;
    OrtStatus *status = self->api->CreateSessionFromArray(
        self->env, model, bytes, own != NULL ? own : self->session_options, &session);
    self->api->ReleaseSessionOptions(own);
    char doing[64];
    snprintf(doing, sizeof doing, "creating a session for %s", ELEMENT_TYPES[key->type].name);
    return succeeded(self->api, status, doing, answer) ? session : NULL;
}

/* The session for a key, created at its first use. Sessions are never dropped: for seven types at
 * most 504 exist, at about 70 KiB each, and creating one takes as long as 300 small calls. */
static OrtSession *find_session(struct backend *self, const struct session_key *key,
                                struct topk_backend_answer *answer)
{
    OrtSession **slot = &self->sessions[key->type][key->rank - 1][key->axis][key->largest];
    if (*slot == NULL) {
        *slot = create_session(self, key, answer);
    }
    return *slot;
}

/* ---- One call ------------------------------------------------------------------------------- */

/* A supported call, and what is needed to run it. */
struct job {
    struct session_key key;
    struct strided_layout input;
    struct strided_layout value;
    struct strided_layout index;
    uint8_t *packed_input;
    uint8_t *packed_values;
    uint8_t *packed_indices;
};

static bool is_served_shape(const struct topk_backend_call *call,
                            const struct topk_backend_tensor *tensor, bool output)
{
    if (tensor->dimension_count != call->input->dimension_count) {
        return false;
    }
    for (uint32_t dimension = 0; dimension < tensor->dimension_count; dimension++) {
        const uint32_t expected =
            output && dimension == call->axis ? call->k : call->input->sizes[dimension];
        if (tensor->sizes[dimension] != expected || expected == 0) {
            return false;
        }
    }
    return true;
}

/* Checks the clauses that the code below relies on. The suite sends no call that breaks one,
 * because this backend has its own contract; if it did, the call must not be run. */
static bool is_valid(const struct topk_backend_call *call)
{
    const struct topk_backend_tensor *input = call->input;
    const struct topk_backend_tensor *value = call->value;
    const struct topk_backend_tensor *index = call->index;
    return input != NULL && value != NULL && index != NULL &&
           input->dimension_count <= STRIDED_MAX_RANK && call->axis < input->dimension_count &&
           call->k <= input->sizes[call->axis] && input->data_type < TYPE_COUNT &&
           ELEMENT_TYPES[input->data_type].bytes != 0 && value->data_type == input->data_type &&
           (index->data_type == TOPK_BACKEND_UINT32 || index->data_type == TOPK_BACKEND_UINT64) &&
           is_served_shape(call, input, false) && is_served_shape(call, value, true) &&
           is_served_shape(call, index, true);
}

/* Fills the job, or answers why the call is not supported. */
static bool plan(const struct backend *self, const struct topk_backend_call *call, struct job *job,
                 struct topk_backend_answer *answer)
{
    const bool top_k = call->operator_type == TOPK_OPERATOR_TOP_K;
    if (call->create_only != 0 || !is_valid(call)) {
        ANSWER(answer, TOPK_BACKEND_UNSUPPORTED, "%s", INVALID_CALLS_REASON);
        return false;
    }
    if (!top_k && call->direction > TOPK_DIRECTION_DECREASING) {
        ANSWER(answer, TOPK_BACKEND_UNSUPPORTED,
               "ONNX's TopK knows two directions, and %u is neither", call->direction);
        return false;
    }
    const uint32_t type = call->input->data_type;
    if (self->verdicts[type].status != TOPK_BACKEND_DONE) {
        *answer = self->verdicts[type];
        return false;
    }
    const size_t index_bytes = call->index->data_type == TOPK_BACKEND_UINT64 ? 8 : 4;
    if (!strided_layout(call->input, ELEMENT_TYPES[type].bytes, &job->input) ||
        !strided_layout(call->value, ELEMENT_TYPES[type].bytes, &job->value) ||
        !strided_layout(call->index, index_bytes, &job->index)) {
        ANSWER(answer, TOPK_BACKEND_OUT_OF_MEMORY,
               "more than 2^28 elements, and this backend packs a copy of them");
        return false;
    }
    job->key =
        (struct session_key){.type = type,
                             .rank = call->input->dimension_count,
                             .axis = call->axis,
                             .largest = top_k || call->direction == TOPK_DIRECTION_DECREASING};
    return true;
}

static uint64_t round_up_to_alignment(uint64_t bytes)
{
    return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
}

static void free_scratch(struct backend *self)
{
    free(self->allocated);
    self->allocated = NULL;
    self->scratch = NULL;
    self->scratch_bytes = 0;
}

/* The address of a tensor, if it is packed and as aligned as scratch memory; else NULL. */
static uint8_t *in_place(const struct strided_layout *layout,
                         const struct topk_backend_buffer *buffer)
{
    uint8_t *at = (uint8_t *)buffer->data + buffer->offset;
    return strided_is_packed(layout) && (uintptr_t)at % SCRATCH_ALIGNMENT == 0 ? at : NULL;
}

/* Allocates the packed tensors that are not in place. The outputs are filled with an invalid index,
 * so that an output that ONNX Runtime does not write is not correct because of an earlier call. */
static bool provide_scratch(struct backend *self, struct job *job)
{
    const uint64_t input =
        job->packed_input != NULL
            ? 0
            : round_up_to_alignment(job->input.elements * job->input.element_bytes);
    const uint64_t values =
        job->packed_values != NULL
            ? 0
            : round_up_to_alignment(job->value.elements * job->value.element_bytes);
    const uint64_t indices = job->packed_indices != NULL
                                 ? 0
                                 : round_up_to_alignment(job->index.elements * sizeof(int64_t));
    const uint64_t needed = input + values + indices;
    if (self->scratch == NULL || needed > self->scratch_bytes) {
        free_scratch(self);
        self->allocated = malloc(needed + SCRATCH_ALIGNMENT); /* Windows lacks aligned_alloc() */
        if (self->allocated == NULL) {
            return false;
        }
        self->scratch = (uint8_t *)self->allocated + SCRATCH_ALIGNMENT -
                        (uintptr_t)self->allocated % SCRATCH_ALIGNMENT;
        self->scratch_bytes = needed;
    }
    job->packed_input = input == 0 ? job->packed_input : self->scratch;
    job->packed_values = values == 0 ? job->packed_values : self->scratch + input;
    job->packed_indices = indices == 0 ? job->packed_indices : self->scratch + input + values;
    memset(self->scratch + input, 0xff, values + indices);
    return true;
}

/* Makes a tensor over bytes that it does not own. Returns NULL, with the reason in the answer, if
 * that fails. */
static OrtValue *create_tensor(const struct backend *self, uint8_t *bytes,
                               const struct strided_layout *layout, ONNXTensorElementDataType type,
                               size_t element_bytes, struct topk_backend_answer *answer)
{
    int64_t sizes[STRIDED_MAX_RANK] = {0};
    for (uint32_t dimension = 0; dimension < layout->rank; dimension++) {
        sizes[dimension] = (int64_t)layout->sizes[dimension];
    }
    OrtValue *tensor = NULL;
    OrtStatus *status = self->api->CreateTensorWithDataAsOrtValue(
        self->memory, bytes, layout->elements * element_bytes, sizes, layout->rank, type, &tensor);
    return succeeded(self->api, status, "creating a tensor", answer) ? tensor : NULL;
}

/* Runs the model on the packed tensors. ONNX Runtime itself checks that the outputs have the shape
 * that it computed. */
static bool run_model(const struct backend *self, const struct job *job, OrtSession *session,
                      struct topk_backend_answer *answer)
{
    static const char *const input_names[] = {"X", "K"};
    static const char *const output_names[] = {"Values", "Indices"};
    const ONNXTensorElementDataType type = ELEMENT_TYPES[job->key.type].onnx;
    const size_t width = ELEMENT_TYPES[job->key.type].bytes;
    OrtValue *const inputs[] = {
        create_tensor(self, job->packed_input, &job->input, type, width, answer), self->k_tensor};
    OrtValue *outputs[] = {
        create_tensor(self, job->packed_values, &job->value, type, width, answer),
        create_tensor(self, job->packed_indices, &job->index, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
                      sizeof(int64_t), answer)};
    const bool done =
        inputs[0] != NULL && outputs[0] != NULL && outputs[1] != NULL &&
        succeeded(self->api,
                  self->api->Run(session, NULL, input_names, (const OrtValue *const *)inputs, 2,
                                 output_names, 2, outputs),
                  "running the model", answer);
    self->api->ReleaseValue(outputs[1]);
    self->api->ReleaseValue(outputs[0]);
    self->api->ReleaseValue(inputs[0]);
    return done;
}

static uint8_t *address(const struct topk_backend_buffer *buffer)
{
    return (uint8_t *)buffer->data + buffer->offset;
}

static void run_job(struct backend *self, const struct topk_backend_call *call, struct job *job,
                    struct topk_backend_answer *answer)
{
    OrtSession *session = find_session(self, &job->key, answer);
    if (session == NULL) {
        return;
    }
    const bool wide = job->index.element_bytes == sizeof(int64_t);
    uint8_t *const input = job->packed_input = in_place(&job->input, &call->input_buffer);
    uint8_t *const values = job->packed_values = in_place(&job->value, &call->value_buffer);
    uint8_t *const indices = job->packed_indices =
        wide ? in_place(&job->index, &call->index_buffer) : NULL;
    if (!provide_scratch(self, job)) {
        ANSWER(answer, TOPK_BACKEND_OUT_OF_MEMORY, "no memory for packed copies");
        return;
    }
    self->k = call->k;
    if (input == NULL) {
        strided_gather(&job->input, address(&call->input_buffer), job->packed_input);
    }
    if (!run_model(self, job, session, answer)) {
        return;
    }
    if (!wide) {
        strided_narrow_indices(job->packed_indices, job->index.elements);
    }
    if (values == NULL) {
        strided_scatter(&job->value, job->packed_values, address(&call->value_buffer));
    }
    if (indices == NULL) {
        strided_scatter(&job->index, job->packed_indices, address(&call->index_buffer));
    }
}

/* ---- Opening: a failure is reported by the answer's reason ---------------------------------- */

static bool parse_threads(const char *text, unsigned *threads)
{
    char *end = NULL;
    const unsigned long number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < 1 || number > MAX_THREADS) {
        return false;
    }
    *threads = (unsigned)number;
    return true;
}

static bool take_option(void *context, const char *key, const char *value)
{
    struct options *options = context;
    if (strcmp(key, "lib") == 0) {
        snprintf(options->library_path, sizeof options->library_path, "%s", value);
        return value[0] != '\0' && strlen(value) < sizeof options->library_path;
    }
    if (strcmp(key, "ep") == 0) {
        for (size_t i = 0; i < PROVIDER_COUNT; i++) {
            if (strcmp(value, PROVIDERS[i].word) == 0) {
                options->provider = &PROVIDERS[i];
                return true;
            }
        }
        return false;
    }
    if (strcmp(key, "rules") == 0) {
        options->directml_rules = strcmp(value, "directml") == 0;
        return options->directml_rules;
    }
    return strcmp(key, "threads") == 0 && parse_threads(value, &options->threads);
}

static bool load_library(struct backend *self, const char *path, struct topk_backend_answer *answer)
{
    char error[200];
    const OrtApiBase *(ORT_API_CALL * get_api_base)(void);
    /* It stays loaded after close(), because unloading it would leak memory without references. */
    void *library = topk_library_open(path, error, sizeof error);
    if (library == NULL) {
        ANSWER(answer, TOPK_BACKEND_FAILED, "cannot load ONNX Runtime: %.90s (from %.120s)", error,
               path);
        return false;
    }
    if (!topk_library_symbol(library, "OrtGetApiBase", &get_api_base, sizeof get_api_base)) {
        ANSWER(answer, TOPK_BACKEND_FAILED, "%.128s is not ONNX Runtime: it has no OrtGetApiBase",
               path);
        return false;
    }
    if (self->provider->append != NULL) {
        /* Wine's d3d calls it again after it was unloaded with the last device */
        (void)topk_library_open("winevulkan.dll", error, sizeof error);
    }
    if (self->provider->append != NULL &&
        !topk_library_symbol(library, self->provider->append, &self->append_directml,
                             sizeof self->append_directml)) {
        ANSWER(answer, TOPK_BACKEND_FAILED, "%.128s has no provider for DirectML", path);
        return false;
    }
    const OrtApiBase *base = get_api_base();
    self->version = base->GetVersionString();
    for (uint32_t version = ORT_API_VERSION; version >= LEAST_API_VERSION && self->api == NULL;
         version--) {
        self->api = base->GetApi(version);
        self->api_version = version;
    }
    if (self->api == NULL) {
        ANSWER(answer, TOPK_BACKEND_FAILED, "ONNX Runtime %s has no C API of version %u to %d",
               self->version, LEAST_API_VERSION, ORT_API_VERSION);
        return false;
    }
    return true;
}

/* All sessions share the environment's threads; with one thread there is only the caller. Errors
 * are not logged, because answers contain them. */
static bool create_environment(struct backend *self, unsigned threads,
                               struct topk_backend_answer *answer)
{
    const OrtApi *api = self->api;
    const char *doing = "creating an environment";
    OrtThreadingOptions *threading = NULL;
    const bool created =
        succeeded(api, api->CreateThreadingOptions(&threading), doing, answer) &&
        succeeded(api, api->SetGlobalIntraOpNumThreads(threading, (int)threads), doing, answer) &&
        succeeded(api, api->SetGlobalInterOpNumThreads(threading, 1), doing, answer) &&
        succeeded(api, api->SetGlobalSpinControl(threading, 0), doing, answer) &&
        succeeded(api,
                  api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "topk-cts",
                                                      threading, &self->env),
                  doing, answer);
    api->ReleaseThreadingOptions(threading);
    return created;
}

static bool create_shared_objects(struct backend *self, struct topk_backend_answer *answer)
{
    const OrtApi *api = self->api;
    const char *doing = "preparing sessions";
    const int64_t one = 1;
    if (self->provider->shared) {
        self->session_options = create_options(self, answer);
        if (self->session_options == NULL) {
            return false;
        }
    }
    return succeeded(api,
                     api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &self->memory),
                     doing, answer) &&
           succeeded(api,
                     api->CreateTensorWithDataAsOrtValue(
                         self->memory, &self->k, sizeof self->k, &one, 1,
                         ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &self->k_tensor),
                     doing, answer);
}

/* Runs a session once, on one element, because the WebGPU provider reports only then that the
 * device lacks the type. */
static void try_type(struct backend *self, const struct session_key *key, OrtSession *session,
                     struct topk_backend_answer *answer)
{
    const size_t width = ELEMENT_TYPES[key->type].bytes;
    const struct strided_layout one = {
        .rank = 1, .sizes = {1}, .strides = {width}, .elements = 1, .element_bytes = width};
    struct job job = {.key = *key, .input = one, .value = one, .index = one};
    if (!provide_scratch(self, &job) || job.packed_input == NULL) {
        ANSWER(answer, TOPK_BACKEND_OUT_OF_MEMORY, "no memory for packed copies");
        return;
    }
    memset(job.packed_input, 0, width);
    self->k = 1;
    if (!run_model(self, &job, session, answer)) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
    }
}

static void ask_about_types(struct backend *self)
{
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        if (ELEMENT_TYPES[type].bytes != 0) {
            const struct session_key key = {.type = type, .rank = 1, .axis = 0, .largest = true};
            OrtSession *session = find_session(self, &key, &self->verdicts[type]);
            if (session != NULL && self->provider->name != NULL) {
                try_type(self, &key, session, &self->verdicts[type]);
            }
        }
    }
}

static void append(char *text, size_t bytes, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s", more);
}

static void describe_self(struct backend *self, unsigned threads)
{
    const char *build =
        self->api_version >= BUILD_INFO_API_VERSION ? self->api->GetBuildInfoString() : "";
    snprintf(self->driver, sizeof self->driver, "C API %u%s%s", self->api_version,
             build[0] != '\0' ? ", " : "", build);
    snprintf(self->features, sizeof self->features,
             "%s, %u thread%s; TopK of opset 11 with sorted = 1; ties and NaNs as "
             "its kernels order them; float16 as ONNX Runtime casts it; strides and offsets "
             "by this backend's gather and scatter; types:",
             self->provider->full, threads, threads == 1 ? "" : "s");
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        if (ELEMENT_TYPES[type].bytes != 0 && self->verdicts[type].status == TOPK_BACKEND_DONE) {
            append(self->features, sizeof self->features, " ");
            append(self->features, sizeof self->features, ELEMENT_TYPES[type].name);
        }
    }
}

/* ---- The interface -------------------------------------------------------------------------- */

static void release_sessions(struct backend *self)
{
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        for (uint32_t rank = 0; rank < STRIDED_MAX_RANK; rank++) {
            for (uint32_t axis = 0; axis < STRIDED_MAX_RANK; axis++) {
                self->api->ReleaseSession(self->sessions[type][rank][axis][0]);
                self->api->ReleaseSession(self->sessions[type][rank][axis][1]);
            }
        }
    }
}

static void backend_close(void *opaque)
{
    struct backend *self = opaque;
    if (self == NULL) {
        return;
    }
    if (self->api != NULL) {
        release_sessions(self);
        self->api->ReleaseValue(self->k_tensor);
        self->api->ReleaseMemoryInfo(self->memory);
        self->api->ReleaseSessionOptions(self->session_options);
        self->api->ReleaseEnv(self->env);
    }
    free_scratch(self);
    free(self);
}

static bool start(struct backend *self, const struct options *options,
                  struct topk_backend_answer *answer)
{
    self->provider = options->provider;
    self->directml_rules = options->directml_rules;
    if (!load_library(self, options->library_path, answer) ||
        !create_environment(self, options->threads, answer) ||
        !create_shared_objects(self, answer)) {
        return false;
    }
    ask_about_types(self);
    describe_self(self, options->threads);
    return true;
}

static void *backend_open(const char *text, char *error, size_t error_bytes)
{
    struct topk_backend_answer answer = {.reason = "out of memory"};
    struct options options = {
        .library_path = TOPK_ONNXRUNTIME_LIBRARY, .threads = 1, .provider = PROVIDERS};
    char known[96];
    snprintf(known, sizeof known,
             "lib=PATH, threads=N from 1 to %u, ep=cpu|webgpu|directml, rules=directml",
             MAX_THREADS);
    if (!topk_options_read(text, take_option, &options, known, error, error_bytes)) {
        return NULL;
    }
    struct backend *self = calloc(1, sizeof *self);
    if (self == NULL || !start(self, &options, &answer)) {
        snprintf(error, error_bytes, "%s", answer.reason);
        backend_close(self);
        return NULL;
    }
    return self;
}

static void backend_describe(void *opaque, struct topk_backend_info *info)
{
    const struct backend *self = opaque;
    info->name = "onnxruntime";
    info->version = self->version;
    info->device = self->provider->device;
    info->driver = self->driver;
    info->features = self->features;
    info->invalid_calls_reason = INVALID_CALLS_REASON;
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_OWN_CONTRACT | self->provider->flag;
    info->batch = 1;
}

static void backend_supports(void *opaque, const struct topk_backend_call *call,
                             struct topk_backend_answer *answer)
{
    struct job job;
    answer->status = TOPK_BACKEND_DONE;
    if (!plan(opaque, call, &job, answer)) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
    }
}

static void backend_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    struct backend *self = opaque;
    for (uint32_t i = 0; i < count; i++) {
        struct job job;
        answers[i].status = TOPK_BACKEND_DONE;
        if (plan(self, &calls[i], &job, &answers[i])) {
            run_job(self, &calls[i], &job, &answers[i]);
        }
        if (self->scratch_bytes > SCRATCH_TO_KEEP) {
            free_scratch(self);
        }
    }
}

/* ONNX has no strides, offsets or total sizes: strided.c gathers and scatters. The operator's page
 * says that ties go to the lower index; it says nothing about NaN and denormals. */
static const char *backend_contract(void *opaque)
{
    const struct backend *self = opaque;
    return self->directml_rules ? NULL : self->provider->contract;
}

extern const struct topk_backend topk_backend_onnxruntime;

const struct topk_backend topk_backend_onnxruntime = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "onnxruntime",
    .summary =
        "ONNX Runtime's TopK; options lib=PATH, threads=N, ep=cpu|webgpu|directml, rules=directml",
    .open = backend_open,
    .describe = backend_describe,
    .supports = backend_supports,
    .run = backend_run,
    .close = backend_close,
    .contract = backend_contract,
};
