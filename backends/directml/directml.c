/* The backend that tests DirectML: DirectML.dll, on any Direct3D 12 device.
 *
 * A batch of calls is one command list: their buffers are uploaded, new operators are initialized,
 * every call is bound as its case says and recorded, without a barrier between two calls (clause
 * M07), and all buffers are read back whole. Temporary and persistent memory is filled with garbage
 * first, to reveal reads of uninitialized memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "directml_device.h"
#include "kernel/kernel.h"

/* calls of one run(), which share the cost of a submission */
#define BATCH 256u
/* descriptors of one command list; a software driver needs 24 KiB for each */
#define DESCRIPTORS 4096u
/* those of them for initializations, of which TOP_K has needed none so far */
#define RESERVED 1024u
/* kinds of initializations: with and without an input that DirectML owns. The documents do not say
 * what to bind for an operator of one kind next to one of the other (docs/directml-findings.md). */
#define INITIALISATIONS 2
/* greatest size of the buffers and the temporary memory of a command list, unless one call needs
 * more: a list then takes about as long as one large call, so that exceeding the time limit means a
 * hang */
#define LIST_BYTES (UINT64_C(16) << 20)
/* alignment of a call's temporary memory */
#define TEMPORARY_ALIGNMENT 256u

/* a call that is being processed */
struct item {
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct topk_dml_operator *op;
    uint64_t temporary; /* offset of its temporary memory */
};

/* the operators that a list initializes, and the bindings for each */
struct fresh {
    struct topk_dml_dispatchable *ops[BATCH];
    struct topk_dml_desc inputs[BATCH];
    struct topk_dml_desc outputs[BATCH];
    struct topk_dml_array_binding arrays[BATCH];
    struct topk_dml_buffer_binding owned[BATCH];
    struct topk_dml_buffer_binding persistent[BATCH];
    UINT count;
};

/* the calls of one command list */
struct list {
    struct item items[BATCH];
    const struct topk_backend_call *calls[BATCH];
    struct topk_gpu_places places[BATCH];
    struct fresh fresh;
    uint32_t count;
    uint64_t bytes;
    uint64_t temporary_bytes;
    uint32_t descriptors;
};

struct backend {
    struct topk_gpu gpu;
    struct topk_dml dml;
    struct topk_dml_dispatchable *initializer[INITIALISATIONS]; /* NULL until first needed */
    struct topk_dml_table *table;                               /* the same */
    ID3D12DescriptorHeap *heap;
    D3D12_CPU_DESCRIPTOR_HANDLE cpu;
    D3D12_GPU_DESCRIPTOR_HANDLE gpu_handle;
    UINT descriptor_bytes;
    uint32_t descriptors;             /* number used by the list that is being recorded */
    struct topk_gpu_buffer temporary; /* for the calls of a list */
    struct topk_gpu_buffer scratch[INITIALISATIONS];
    struct list list;            /* the list that is being filled */
    uint32_t lists;              /* number of lists that the last run() executed */
    uint32_t finished;           /* number of calls of the last one, if all of them were done */
    uint64_t finished_temporary; /* bytes of their temporary memory */
    char features[2 * TOPK_GPU_TEXT];
};

/* ---- recording ------------------------------------------------------------------------------- */

/* sets the binding table to the next descriptors of the heap */
static HRESULT set_table(struct backend *self, struct topk_dml_dispatchable *dispatchable,
                         UINT descriptors)
{
    const uint64_t offset = (uint64_t)self->descriptors * self->descriptor_bytes;
    const struct topk_dml_table_desc desc = {.dispatchable = dispatchable,
                                             .cpu = {.ptr = self->cpu.ptr + (SIZE_T)offset},
                                             .gpu = {.ptr = self->gpu_handle.ptr + offset},
                                             .descriptors = descriptors};
    self->descriptors += descriptors;
    struct topk_dml_device *device = self->dml.device;
    return self->table != NULL ? self->table->table->reset(self->table, &desc)
                               : device->table->create_table(device, &desc, &topk_dml_iid_table,
                                                             (void **)&self->table);
}

static void record(struct backend *self, struct topk_dml_dispatchable *dispatchable)
{
    struct topk_dml_recorder *recorder = self->dml.recorder;
    recorder->table->record_dispatch(recorder, (ID3D12CommandList *)self->gpu.list, dispatchable,
                                     self->table);
}

/* fills temporary memory and the persistent memory of new operators with garbage */
static HRESULT poison(struct backend *self, struct list *list)
{
    HRESULT result = S_OK;
    if (list->temporary_bytes > 0) {
        result = topk_gpu_reserve_poisoned(&self->gpu, &self->temporary, list->temporary_bytes);
    }
    for (uint32_t i = 0; SUCCEEDED(result) && i < list->count; i++) {
        struct topk_dml_operator *op = list->items[i].op;
        if (!op->initialised && op->needs.persistent_bytes > 0 && op->persistent.resource == NULL) {
            result =
                topk_gpu_reserve_poisoned(&self->gpu, &op->persistent, op->needs.persistent_bytes);
        }
    }
    return result;
}

static struct topk_dml_buffer_binding bind_buffer(const struct topk_gpu_place *place,
                                                  const struct topk_backend_buffer *buffer,
                                                  const struct topk_backend_tensor *tensor)
{
    return (struct topk_dml_buffer_binding){.buffer = place->resource,
                                            .offset = place->offset + buffer->offset,
                                            .bytes = tensor->total_bytes};
}

static void add_fresh(struct fresh *fresh, const struct item *item,
                      const struct topk_gpu_places *places)
{
    const UINT i = fresh->count++;
    struct topk_dml_operator *op = item->op;
    op->recorded = true;
    fresh->ops[i] = op->compiled;
    fresh->outputs[i] = (struct topk_dml_desc){.type = TOPK_DML_BINDING_NONE};
    if (op->owns_input) {
        fresh->owned[i] = bind_buffer(&places->role[TOPK_KERNEL_INPUT], &item->call->input_buffer,
                                      item->call->input);
        fresh->arrays[i] =
            (struct topk_dml_array_binding){.count = 1, .bindings = &fresh->owned[i]};
        fresh->inputs[i] = (struct topk_dml_desc){.type = TOPK_DML_BINDING_BUFFER_ARRAY,
                                                  .desc = &fresh->arrays[i]};
    }
    if (op->needs.persistent_bytes > 0) {
        fresh->persistent[i] = (struct topk_dml_buffer_binding){
            .buffer = op->persistent.resource, .bytes = op->needs.persistent_bytes};
        fresh->outputs[i] =
            (struct topk_dml_desc){.type = TOPK_DML_BINDING_BUFFER, .desc = &fresh->persistent[i]};
    }
}

static HRESULT set_initializer(struct backend *self, const struct fresh *fresh, int owned)
{
    struct topk_dml_device *device = self->dml.device;
    struct topk_dml_dispatchable **initializer = &self->initializer[owned];
    return *initializer != NULL
               ? (*initializer)->table->reset(*initializer, fresh->count, fresh->ops)
               : device->table->create_initializer(device, fresh->count, fresh->ops,
                                                   &topk_dml_iid_initializer, (void **)initializer);
}

/* fills the temporary memory of an initialization with garbage and binds it */
static HRESULT bind_scratch(struct backend *self, struct topk_gpu_buffer *scratch, uint64_t bytes)
{
    const HRESULT result = topk_gpu_reserve_poisoned(&self->gpu, scratch, bytes);
    if (SUCCEEDED(result)) {
        const struct topk_dml_buffer_binding binding = {.buffer = scratch->resource,
                                                        .bytes = bytes};
        const struct topk_dml_desc desc = {.type = TOPK_DML_BINDING_BUFFER, .desc = &binding};
        self->table->table->bind_temporary(self->table, &desc);
    }
    return result;
}

/* records one dispatch that initializes all new operators of a kind; owned: 1 for those with an
 * input that DirectML owns */
static HRESULT initialise(struct backend *self, struct list *list, int owned)
{
    struct fresh *fresh = &list->fresh;
    fresh->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct topk_dml_operator *op = list->items[i].op;
        if (!op->initialised && !op->recorded && op->owns_input == (owned == 1)) {
            add_fresh(fresh, &list->items[i], &list->places[i]);
        }
    }
    if (fresh->count == 0) {
        return S_OK;
    }
    struct topk_dml_properties needs = {0};
    HRESULT result = set_initializer(self, fresh, owned);
    if (SUCCEEDED(result)) {
        self->initializer[owned]->table->properties(self->initializer[owned], &needs);
        result = needs.descriptors > RESERVED / INITIALISATIONS
                     ? (HRESULT)TOPK_E_OUTOFMEMORY
                     : set_table(self, self->initializer[owned], needs.descriptors);
    }
    if (SUCCEEDED(result) && needs.temporary_bytes > 0) {
        result = bind_scratch(self, &self->scratch[owned], needs.temporary_bytes);
    }
    if (FAILED(result)) {
        return result;
    }
    if (owned == 1) {
        self->table->table->bind_inputs(self->table, fresh->count, fresh->inputs);
    }
    self->table->table->bind_outputs(self->table, fresh->count, fresh->outputs);
    record(self, self->initializer[owned]);
    topk_gpu_uav_barrier(&self->gpu);
    return S_OK;
}

static HRESULT dispatch(struct backend *self, const struct item *item,
                        const struct topk_gpu_places *places)
{
    const struct topk_dml_operator *op = item->op;
    const struct topk_backend_call *call = item->call;
    const HRESULT result = set_table(self, op->compiled, op->needs.descriptors);
    if (FAILED(result)) {
        return result;
    }
    const struct topk_dml_buffer_binding buffers[TOPK_KERNEL_ROLES] = {
        bind_buffer(&places->role[TOPK_KERNEL_INPUT], &call->input_buffer, call->input),
        bind_buffer(&places->role[TOPK_KERNEL_VALUE], &call->value_buffer, call->value),
        bind_buffer(&places->role[TOPK_KERNEL_INDEX], &call->index_buffer, call->index)};
    const struct topk_dml_desc descs[TOPK_KERNEL_ROLES] = {
        {.type = TOPK_DML_BINDING_BUFFER, .desc = &buffers[0]},
        {.type = TOPK_DML_BINDING_BUFFER, .desc = &buffers[1]},
        {.type = TOPK_DML_BINDING_BUFFER, .desc = &buffers[2]}};
    const struct topk_dml_table_table *table = self->table->table;
    const struct topk_dml_desc nothing = {.type = TOPK_DML_BINDING_NONE};
    table->bind_inputs(self->table, 1, op->owns_input ? &nothing : &descs[TOPK_KERNEL_INPUT]);
    table->bind_outputs(self->table, 2, &descs[TOPK_KERNEL_VALUE]);
    if (op->needs.temporary_bytes > 0) {
        const struct topk_dml_buffer_binding temporary = {.buffer = self->temporary.resource,
                                                          .offset = item->temporary,
                                                          .bytes = op->needs.temporary_bytes};
        const struct topk_dml_desc desc = {.type = TOPK_DML_BINDING_BUFFER, .desc = &temporary};
        table->bind_temporary(self->table, &desc);
    }
    if (op->needs.persistent_bytes > 0) {
        const struct topk_dml_buffer_binding persistent = {.buffer = op->persistent.resource,
                                                           .bytes = op->needs.persistent_bytes};
        const struct topk_dml_desc desc = {.type = TOPK_DML_BINDING_BUFFER, .desc = &persistent};
        table->bind_persistent(self->table, &desc);
    }
    record(self, op->compiled);
    return topk_dml_removed(&self->dml);
}

/* begins with the first descriptor of the heap */
static void start_list(struct backend *self)
{
    self->descriptors = 0;
    ID3D12DescriptorHeap *heaps[] = {self->heap};
    ID3D12GraphicsCommandList_SetDescriptorHeaps(self->gpu.list, 1, heaps);
}

static HRESULT record_list(struct backend *self, struct list *list)
{
    struct topk_gpu *gpu = &self->gpu;
    start_list(self);
    HRESULT result = topk_gpu_load(gpu, list->calls, list->count, list->places);
    if (SUCCEEDED(result)) {
        result = poison(self, list);
    }
    for (int owned = 0; SUCCEEDED(result) && owned < INITIALISATIONS; owned++) {
        result = initialise(self, list, owned);
    }
    for (uint32_t i = 0; SUCCEEDED(result) && i < list->count; i++) {
        result = dispatch(self, &list->items[i], &list->places[i]);
    }
    return result;
}

/* records and executes; false, with one answer for all calls, if that fails */
static bool try_list(struct backend *self, struct topk_backend_answer *answer)
{
    struct list *list = &self->list;
    struct topk_gpu *gpu = &self->gpu;
    if (topk_gpu_lost(gpu, answer)) {
        return false;
    }
    const char *doing = "recording";
    HRESULT result = record_list(self, list);
    if (SUCCEEDED(result)) {
        doing = "executing";
        result = topk_gpu_finish(gpu, list->calls, list->count, list->places);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->items[i].op->initialised = list->items[i].op->initialised || SUCCEEDED(result);
        list->items[i].op->recorded = false;
    }
    /* DirectML's device can be removed while Direct3D's is not, for various reasons */
    const HRESULT removed = topk_dml_removed(&self->dml);
    if (FAILED(removed) && !gpu->timed_out) {
        topk_gpu_lose(gpu, removed, "DirectML's device was removed");
        *answer = gpu->lost;
        return false;
    }
    if (FAILED(result)) {
        topk_gpu_answer(gpu, result, doing, list->bytes + list->temporary_bytes, answer);
        topk_gpu_discard(gpu);
    }
    return SUCCEEDED(result);
}

static void empty_list(struct list *list)
{
    list->count = 0;
    list->bytes = 0;
    list->temporary_bytes = 0;
    list->descriptors = 0;
}

static void run_list(struct backend *self);
static void add(struct backend *self, const struct topk_backend_call *call,
                struct topk_dml_operator *op, struct topk_backend_answer *answer);

/* runs the calls of a failed list one at a time */
static void run_singly(struct backend *self)
{
    struct list *list = &self->list;
    static struct item items[BATCH];
    const uint32_t count = list->count;
    memcpy(items, list->items, count * sizeof items[0]);
    topk_gpu_trim(&self->gpu);
    for (uint32_t i = 0; i < count; i++) {
        empty_list(list);
        add(self, items[i].call, items[i].op, items[i].answer);
        run_list(self);
    }
}

/* runs and answers the calls of a list and empties it */
static void run_list(struct backend *self)
{
    struct list *list = &self->list;
    struct topk_backend_answer answer = {.status = TOPK_BACKEND_DONE};
    if (list->count > 0 && !try_list(self, &answer) && list->count > 1 &&
        self->gpu.lost.status == TOPK_BACKEND_DONE) {
        run_singly(self);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        *list->items[i].answer = answer;
    }
    self->lists += list->count > 0 ? 1 : 0;
    self->finished = answer.status == TOPK_BACKEND_DONE ? list->count : 0;
    self->finished_temporary = list->temporary_bytes;
    empty_list(list);
}

static void add(struct backend *self, const struct topk_backend_call *call,
                struct topk_dml_operator *op, struct topk_backend_answer *answer)
{
    struct list *list = &self->list;
    const uint64_t bytes =
        call->input_buffer.bytes + call->value_buffer.bytes + call->index_buffer.bytes;
    const uint64_t temporary = topk_kernel_round_up(op->needs.temporary_bytes, TEMPORARY_ALIGNMENT);
    if (list->count > 0 && (list->bytes + list->temporary_bytes + bytes + temporary > LIST_BYTES ||
                            list->descriptors + op->needs.descriptors > DESCRIPTORS)) {
        run_list(self);
    }
    list->calls[list->count] = call;
    list->items[list->count++] =
        (struct item){.call = call, .answer = answer, .op = op, .temporary = list->temporary_bytes};
    list->bytes += bytes;
    list->temporary_bytes += temporary;
    list->descriptors += op->needs.descriptors;
}

/* ---- the backend ----------------------------------------------------------------------------- */

/* the initializer and the binding table refer to the operators that they were last set to */
static void release_bindings(struct backend *self)
{
    topk_gpu_release_object(self->table);
    self->table = NULL;
    for (int i = 0; i < INITIALISATIONS; i++) {
        topk_gpu_release_object(self->initializer[i]);
        self->initializer[i] = NULL;
    }
}

/* creates or finds the operator of a call; adds the call to the list if it must be run */
static void take(struct backend *self, const struct topk_backend_call *call,
                 struct topk_backend_answer *answer)
{
    struct topk_dml_operator *op = NULL;
    if (!topk_gpu_lost(&self->gpu, answer)) {
        op = topk_dml_find(&self->dml, &self->gpu, call, answer);
    }
    if (op != NULL && op->needs.descriptors > DESCRIPTORS) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason, "needs %u descriptors",
                 (unsigned)op->needs.descriptors);
    } else if (op != NULL && !call->create_only) {
        add(self, call, op, answer);
    }
}

static void directml_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                         struct topk_backend_answer *answers)
{
    struct backend *self = opaque;
    if (topk_dml_full(&self->dml) && self->gpu.lost.status == TOPK_BACKEND_DONE) {
        release_bindings(self);
        topk_dml_forget(&self->dml);
    }
    self->lists = 0;
    for (uint32_t i = 0; i < count; i++) {
        take(self, &calls[i], &answers[i]);
    }
    run_list(self);
    topk_gpu_trim(&self->gpu);
    topk_gpu_trim_buffer(&self->gpu, &self->temporary);
}

/* The items of a list, and their places, stay until the next run(). */
static uint32_t directml_repeat(void *opaque)
{
    struct backend *self = opaque;
    struct list *list = &self->list;
    struct topk_backend_answer lost;
    if (self->lists != 1 || topk_gpu_lost(&self->gpu, &lost) ||
        !topk_gpu_holds(&self->gpu, self->finished, list->places) ||
        (self->finished_temporary > 0 && self->temporary.resource == NULL)) {
        return 0;
    }
    start_list(self);
    HRESULT result = S_OK;
    for (uint32_t i = 0; SUCCEEDED(result) && i < self->finished; i++) {
        result = dispatch(self, &list->items[i], &list->places[i]);
    }
    if (SUCCEEDED(result)) {
        result = topk_gpu_execute(&self->gpu);
    }
    if (FAILED(result)) {
        topk_gpu_discard(&self->gpu);
    }
    return SUCCEEDED(result) ? 1 : 0;
}

static bool parse_level(const char *text, UINT *level)
{
    if (text[0] < '1' || text[0] > '9' || text[1] != '.' || text[2] < '0' || text[2] > '9' ||
        text[3] != 0) {
        return false;
    }
    *level = (UINT)(text[0] - '0') << 12 | (UINT)(text[2] - '0') << 8;
    return true;
}

/* DML_EXECUTION_FLAG_DISABLE_META_COMMANDS */
#define DISABLE_META_COMMANDS 2u

struct options {
    struct topk_gpu_options gpu;
    struct topk_dml_options dml;
};

static bool take_option(void *context, const char *key, const char *value)
{
    struct options *all = context;
    struct topk_dml_options *options = &all->dml;
    if (strcmp(key, "dll") == 0 && value[0] != 0 && strlen(value) < sizeof options->dll) {
        snprintf(options->dll, sizeof options->dll, "%s", value);
        return true;
    }
    if (strcmp(key, "debug") == 0 && value[0] == 0) {
        options->debug = true;
        return true;
    }
    if (strcmp(key, "metacommands") == 0 && strcmp(value, "off") == 0) {
        options->flags = DISABLE_META_COMMANDS;
        return true;
    }
    if (strcmp(key, "level") == 0) {
        return parse_level(value, &options->minimum_level);
    }
    if (strcmp(key, "timeout") == 0) {
        return topk_option_seconds(value, &all->gpu.timeout_ms);
    }
    return topk_gpu_take_option(&all->gpu, key, value);
}

static HRESULT create_heap(struct backend *self)
{
    const D3D12_DESCRIPTOR_HEAP_DESC desc = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
                                             .NumDescriptors = DESCRIPTORS + RESERVED,
                                             .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    const HRESULT result = ID3D12Device_CreateDescriptorHeap(
        self->gpu.device, &desc, &IID_ID3D12DescriptorHeap, (void **)&self->heap);
    if (FAILED(result)) {
        self->heap = NULL;
        return result;
    }
    self->heap->lpVtbl->GetCPUDescriptorHandleForHeapStart(self->heap, &self->cpu);
    self->heap->lpVtbl->GetGPUDescriptorHandleForHeapStart(self->heap, &self->gpu_handle);
    self->descriptor_bytes = ID3D12Device_GetDescriptorHandleIncrementSize(
        self->gpu.device, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    return S_OK;
}

static void directml_close(void *opaque)
{
    struct backend *self = opaque;
    /* do not free what a hanging device may still use; the process ends soon */
    if (self->gpu.timed_out) {
        return;
    }
    release_bindings(self);
    topk_dml_close(&self->dml);
    topk_gpu_release(&self->temporary);
    for (int i = 0; i < INITIALISATIONS; i++) {
        topk_gpu_release(&self->scratch[i]);
    }
    topk_gpu_release_object(self->heap);
    topk_gpu_close(&self->gpu);
    free(self);
}

static void *directml_open(const char *options_text, char *error, size_t error_bytes)
{
    struct options options = {.gpu = {.timeout_ms = TOPK_OPTION_TIMEOUT_MS}};
    if (!topk_options_read(options_text, take_option, &options,
                           TOPK_GPU_OPTIONS ", dll=PATH, level=N.N (that the device is asked for), "
                                            "metacommands=off (for all calls), "
                                            "debug (DirectML's own validation)",
                           error, error_bytes)) {
        return NULL;
    }
    struct backend *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    if (!topk_gpu_open(&self->gpu, &options.gpu, error, error_bytes)) {
        free(self);
        return NULL;
    }
    if (!topk_dml_open(&self->dml, &self->gpu, &options.dml, error, error_bytes)) {
        topk_gpu_close(&self->gpu);
        free(self);
        return NULL;
    }
    const HRESULT result = create_heap(self);
    if (FAILED(result)) {
        snprintf(error, error_bytes, "%s: a heap of %u descriptors: %08" PRIx32 " %s",
                 self->gpu.name, DESCRIPTORS + RESERVED, (uint32_t)result,
                 topk_hresult_name(result));
        directml_close(self);
        return NULL;
    }
    snprintf(self->features, sizeof self->features, "DirectML feature level %u.%u, %s%s",
             self->dml.level >> 12, self->dml.level >> 8 & 15,
             self->dml.flags != 0 ? "metacommands off, " : "", self->gpu.features);
    return self;
}

static void directml_describe(void *opaque, struct topk_backend_info *info)
{
    const struct backend *self = opaque;
    info->name = "directml";
    info->version = self->dml.version;
    info->device = self->gpu.name;
    info->driver = self->gpu.driver;
    info->features = self->features;
    info->feature_level = self->dml.level;
    info->flags = self->gpu.software ? TOPK_BACKEND_SOFTWARE_DEVICE : 0;
    info->batch = BATCH;
}

const struct topk_backend topk_backend_directml = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "directml",
    .summary = "Microsoft's DirectML.dll on a Direct3D 12 device; options adapter=, level=, dll=, "
               "metacommands=off, debug",
    .open = directml_open,
    .describe = directml_describe,
    .run = directml_run,
    .close = directml_close,
    .device = topk_gpu_device_option,
    .repeat = directml_repeat,
};
