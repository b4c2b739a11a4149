/* DirectML's device and its operators. */
#include "directml_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

/* greatest number of operators that are kept; a few thousand small ones take a few hundred MiB with
 * a software driver */
#define OPERATORS_KEPT 2048u
#define BUCKETS        4096u
#define MAX_RANK       8u

#define DEFINE_ID(name, interface, ...) const GUID topk_dml_iid_##name = __VA_ARGS__;
TOPK_DML_IIDS(DEFINE_ID)
#undef DEFINE_ID

/* ---- operators ------------------------------------------------------------------------------- */

/* everything that distinguishes two operators; zeroed before it is filled, compared as bytes */
struct key {
    uint32_t words[6]; /* operator, execution flags, axis, K, direction */
    uint64_t call;     /* for an operator that serves one call only, its number; else 0 */
    struct key_tensor {
        uint64_t total_bytes;
        uint32_t words[6]; /* type, flags, rank, alignment, whether strides are given */
        uint32_t sizes[MAX_RANK];
        uint32_t strides[MAX_RANK];
    } tensors[TOPK_KERNEL_ROLES];
};

struct entry {
    struct entry *next; /* the next entry of the bucket */
    struct key key;
    struct topk_dml_operator op;
};

struct topk_dml_cache {
    struct entry *buckets[BUCKETS];
    uint32_t count;
    uint64_t calls; /* numbers given to operators that serve one call only */
};

static bool key_tensor(struct key_tensor *key, const struct topk_backend_tensor *tensor)
{
    if (tensor == NULL || tensor->dimension_count > MAX_RANK) {
        return false;
    }
    key->total_bytes = tensor->total_bytes;
    key->words[0] = tensor->data_type;
    key->words[1] = tensor->flags;
    key->words[2] = tensor->dimension_count;
    key->words[3] = tensor->guaranteed_base_offset_alignment;
    key->words[4] = tensor->strides != NULL;
    const size_t bytes = tensor->dimension_count * sizeof(uint32_t);
    memcpy(key->sizes, tensor->sizes, bytes);
    if (tensor->strides != NULL) {
        memcpy(key->strides, tensor->strides, bytes);
    }
    return true;
}

/* false for an invalid description, which has no key */
static bool make_key(struct key *key, const struct topk_backend_call *call)
{
    memset(key, 0, sizeof *key);
    key->words[0] = call->operator_type;
    key->words[1] = call->execution_flags;
    key->words[2] = call->axis;
    key->words[3] = call->k;
    key->words[4] = call->direction;
    return key_tensor(&key->tensors[TOPK_KERNEL_INPUT], call->input) &&
           key_tensor(&key->tensors[TOPK_KERNEL_VALUE], call->value) &&
           key_tensor(&key->tensors[TOPK_KERNEL_INDEX], call->index);
}

static uint32_t hash_key(const struct key *key)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < sizeof *key; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 32) % BUCKETS;
}

static const struct topk_dml_desc *describe_tensor(const struct topk_backend_tensor *tensor,
                                                   struct topk_dml_buffer_tensor *buffer,
                                                   struct topk_dml_desc *desc)
{
    if (tensor == NULL) {
        return NULL;
    }
    *buffer = (struct topk_dml_buffer_tensor){.data_type = tensor->data_type,
                                              .flags = tensor->flags,
                                              .dimension_count = tensor->dimension_count,
                                              .sizes = tensor->sizes,
                                              .strides = tensor->strides,
                                              .total_bytes = tensor->total_bytes,
                                              .guaranteed_base_offset_alignment =
                                                  tensor->guaranteed_base_offset_alignment};
    *desc = (struct topk_dml_desc){.type = TOPK_DML_BUFFER_TENSOR, .desc = buffer};
    return desc;
}

static HRESULT create_operator(struct topk_dml *dml, const struct topk_backend_call *call,
                               struct topk_dml_dispatchable **created)
{
    struct topk_dml_buffer_tensor buffers[TOPK_KERNEL_ROLES];
    struct topk_dml_desc descs[TOPK_KERNEL_ROLES];
    const struct topk_dml_top_k1 top_k1 = {
        .input = describe_tensor(call->input, &buffers[0], &descs[0]),
        .value = describe_tensor(call->value, &buffers[1], &descs[1]),
        .index = describe_tensor(call->index, &buffers[2], &descs[2]),
        .axis = call->axis,
        .k = call->k,
        .direction = call->direction};
    const struct topk_dml_top_k top_k = {.input = top_k1.input,
                                         .value = top_k1.value,
                                         .index = top_k1.index,
                                         .axis = call->axis,
                                         .k = call->k};
    const bool first = call->operator_type == TOPK_OPERATOR_TOP_K;
    const struct topk_dml_desc desc = {
        .type = call->operator_type, .desc = first ? (const void *)&top_k : (const void *)&top_k1};
    *created = NULL;
    return dml->device->table->create_operator(dml->device, &desc, &topk_dml_iid_operator,
                                               (void **)created);
}

/* answers with DirectML's error for a description */
static void refuse(struct topk_gpu *gpu, const struct topk_dml *dml, HRESULT result,
                   const char *doing, struct topk_backend_answer *answer)
{
    const uint32_t code = (uint32_t)result;
    if (code != TOPK_E_INVALIDARG && code != TOPK_DXGI_ERROR_UNSUPPORTED) {
        const HRESULT removed = topk_dml_removed(dml);
        topk_gpu_answer(gpu, FAILED(removed) ? removed : result, doing, 0, answer);
        return;
    }
    answer->status = code == TOPK_E_INVALIDARG ? TOPK_BACKEND_REFUSED : TOPK_BACKEND_UNSUPPORTED;
    snprintf(answer->reason, sizeof answer->reason, "%s: %08" PRIx32 " %s", doing, code,
             topk_hresult_name(result));
}

/* creates and compiles an operator; false if either fails */
static bool compile(struct topk_dml *dml, struct topk_gpu *gpu,
                    const struct topk_backend_call *call, struct topk_dml_operator *op,
                    struct topk_backend_answer *answer)
{
    struct topk_dml_dispatchable *created = NULL;
    HRESULT result = create_operator(dml, call, &created);
    if (FAILED(result)) {
        refuse(gpu, dml, result, "CreateOperator", answer);
        return false;
    }
    result = dml->device->table->compile_operator(dml->device, created,
                                                  call->execution_flags | dml->flags,
                                                  &topk_dml_iid_compiled, (void **)&op->compiled);
    created->table->release(created);
    if (FAILED(result)) {
        op->compiled = NULL;
        refuse(gpu, dml, result, "CompileOperator", answer);
        return false;
    }
    op->compiled->table->properties(op->compiled, &op->needs);
    return true;
}

static void release_operator(struct topk_dml_operator *op)
{
    topk_gpu_release_object(op->compiled);
    topk_gpu_release(&op->persistent);
}

void topk_dml_forget(struct topk_dml *dml)
{
    struct topk_dml_cache *cache = dml->operators;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct entry *entry = cache->buckets[i]; entry != NULL;) {
            struct entry *next = entry->next;
            release_operator(&entry->op);
            free(entry);
            entry = next;
        }
        cache->buckets[i] = NULL;
    }
    cache->count = 0;
}

struct topk_dml_operator *topk_dml_find(struct topk_dml *dml, struct topk_gpu *gpu,
                                        const struct topk_backend_call *call,
                                        struct topk_backend_answer *answer)
{
    static const struct topk_dml_operator none;
    struct topk_dml_cache *cache = dml->operators;
    struct key key;
    const bool keyed = make_key(&key, call);
    const bool owns = call->input != NULL && call->input->flags & TOPK_TENSOR_OWNED_BY_DML;
    key.call = owns ? ++cache->calls : 0;
    const uint32_t bucket = hash_key(&key);
    for (struct entry *entry = cache->buckets[bucket]; keyed && entry != NULL;
         entry = entry->next) {
        if (memcmp(&entry->key, &key, sizeof key) == 0) {
            return &entry->op;
        }
    }
    struct topk_dml_operator op = none;
    op.owns_input = owns;
    if (!compile(dml, gpu, call, &op, answer)) {
        return NULL;
    }
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        release_operator(&op);
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason, "out of memory");
        return NULL;
    }
    entry->key = key;
    entry->op = op;
    entry->next = cache->buckets[bucket];
    cache->buckets[bucket] = entry;
    cache->count++;
    return &entry->op;
}

bool topk_dml_full(const struct topk_dml *dml)
{
    return dml->operators->count > OPERATORS_KEPT;
}

/* ---- the device ------------------------------------------------------------------------------ */

HRESULT topk_dml_removed(const struct topk_dml *dml)
{
    return dml->device->table->removed_reason(dml->device);
}

/* the highest feature level of DirectML */
static UINT highest_level(struct topk_dml_device *device)
{
    static const UINT levels[] = {0x1000, 0x2000, 0x2100, 0x3000, 0x3100, 0x4000, 0x4100, 0x5000,
                                  0x5100, 0x5200, 0x6000, 0x6100, 0x6200, 0x6300, 0x6400};
    struct topk_dml_level_query query = {.count = sizeof levels / sizeof levels[0],
                                         .levels = levels};
    struct topk_dml_level_data data = {0};
    /* an older DLL may reject a query with unknown levels */
    while (query.count > 0 &&
           FAILED(device->table->check_feature(device, TOPK_DML_FEATURE_LEVELS, sizeof query,
                                               &query, sizeof data, &data))) {
        query.count--;
    }
    return query.count == 0 ? 0 : data.highest;
}

/* the version in the resources of a DLL, such as "1.15.4"; "unknown" if it has none */
static void file_version(HMODULE library, char *text, size_t bytes)
{
    /* VS_FIXEDFILEINFO starts with this number; its third and fourth numbers are the version */
    static const uint32_t signature = 0xfeef04bd;
    snprintf(text, bytes, "unknown");
    HRSRC found = FindResourceA(library, MAKEINTRESOURCEA(1), MAKEINTRESOURCEA(16));
    HGLOBAL loaded = found == NULL ? NULL : LoadResource(library, found);
    const unsigned char *data = loaded == NULL ? NULL : LockResource(loaded);
    const DWORD size = data == NULL ? 0 : SizeofResource(library, found);
    for (DWORD i = 0; i + 16 <= size; i += 4) {
        uint32_t words[4];
        memcpy(words, data + i, sizeof words);
        if (words[0] == signature) {
            snprintf(text, bytes, "%u.%u.%u", (unsigned)(words[2] >> 16),
                     (unsigned)(words[2] & 0xffff), (unsigned)(words[3] >> 16));
            return;
        }
    }
}

static bool create_device(struct topk_dml *dml, const struct topk_gpu *gpu,
                          const struct topk_dml_options *options, char *error, size_t error_bytes)
{
    topk_dml_create_device create = NULL;
    if (!topk_library_symbol(dml->library, "DMLCreateDevice1", &create, sizeof create)) {
        snprintf(error, error_bytes,
                 "DirectML %s is too old: it has no function DMLCreateDevice1 (1.0.1 brought it)",
                 dml->version);
        return false;
    }
    const UINT minimum = options->minimum_level == 0 ? 0x2000 : options->minimum_level;
    const HRESULT result = create(gpu->device, options->debug ? TOPK_DML_CREATE_DEVICE_DEBUG : 0,
                                  minimum, &topk_dml_iid_device, (void **)&dml->device);
    if (SUCCEEDED(result)) {
        return true;
    }
    dml->device = NULL;
    if (options->debug && (uint32_t)result == 0x887a002d) {
        snprintf(
            error, error_bytes,
            "DirectML %s: its validation layer is not there (DirectML.Debug.dll, or Direct3D's): "
            "%08" PRIx32 " %s",
            dml->version, (uint32_t)result, topk_hresult_name(result));
    } else {
        snprintf(error, error_bytes,
                 "DirectML %s has no device of feature level %u.%u on %s: %08" PRIx32 " %s",
                 dml->version, minimum >> 12, minimum >> 8 & 15, gpu->name, (uint32_t)result,
                 topk_hresult_name(result));
    }
    return false;
}

bool topk_dml_open(struct topk_dml *dml, const struct topk_gpu *gpu,
                   const struct topk_dml_options *options, char *error, size_t error_bytes)
{
    memset(dml, 0, sizeof *dml);
    dml->flags = options->flags;
    const char *path = options->dll[0] != 0 ? options->dll : "DirectML.dll";
    dml->library = topk_library_open(path, error, error_bytes);
    if (dml->library == NULL) {
        return false;
    }
    file_version(dml->library, dml->version, sizeof dml->version);
    HRESULT result = S_OK;
    dml->operators = calloc(1, sizeof *dml->operators);
    bool opened = dml->operators != NULL && create_device(dml, gpu, options, error, error_bytes);
    if (opened) {
        dml->level = highest_level(dml->device);
        result = dml->device->table->create_recorder(dml->device, &topk_dml_iid_recorder,
                                                     (void **)&dml->recorder);
        opened = SUCCEEDED(result) && dml->level != 0;
        if (!opened) {
            snprintf(error, error_bytes,
                     "DirectML %s has no command recorder or no level: %08" PRIx32 " %s",
                     dml->version, (uint32_t)result, topk_hresult_name(result));
        }
    }
    if (!opened) {
        topk_dml_close(dml);
    }
    return opened;
}

void topk_dml_close(struct topk_dml *dml)
{
    if (dml->operators != NULL) {
        topk_dml_forget(dml);
        free(dml->operators);
    }
    topk_gpu_release_object(dml->recorder);
    topk_gpu_release_object(dml->device);
    /* the library stays loaded, because it leaves threads behind */
    memset(dml, 0, sizeof *dml);
}
