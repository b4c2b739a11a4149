/* Executes a use of DirectML step by step. */
#include "directml_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROOM        65536u /* least size of a buffer in bytes */
#define DESCRIPTORS 1024u

const struct topk_use_plan topk_use_right = {
    .n = 8,
    .k = 6,
    .operator_type = TOPK_DML_TOP_K1,
    .tensor_type = {TOPK_DML_BUFFER_TENSOR, TOPK_DML_BUFFER_TENSOR, TOPK_DML_BUFFER_TENSOR},
    .operator_iid = &topk_dml_iid_operator,
    .compile_iid = &topk_dml_iid_compiled,
    .initialised = 1,
    .input_count = 1,
    .output_count = 2,
    .init_in = {NEVER, TOPK_DML_BINDING_BUFFER_ARRAY, SOURCE, 0, 32},
    .init_out = {IF_NEEDED, TOPK_DML_BINDING_BUFFER, KEPT, 0, 0},
    .bind = {{ALWAYS, TOPK_DML_BINDING_BUFFER, SOURCE, 0, 32},
             {ALWAYS, TOPK_DML_BINDING_BUFFER, VALUES, 0, 24},
             {ALWAYS, TOPK_DML_BINDING_BUFFER, INDICES, 0, 24}},
    .temporary = {IF_NEEDED, TOPK_DML_BINDING_BUFFER, SCRATCH, 0, 0},
    .persistent = {IF_NEEDED, TOPK_DML_BINDING_BUFFER, KEPT, 0, 0},
};

static bool make_buffers(struct topk_use *use)
{
    const D3D12_DESCRIPTOR_HEAP_DESC desc = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
                                             .NumDescriptors = DESCRIPTORS,
                                             .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    bool made = SUCCEEDED(ID3D12Device_CreateDescriptorHeap(
        use->gpu.device, &desc, &IID_ID3D12DescriptorHeap, (void **)&use->heap));
    for (int i = 0; made && i < BUFFERS; i++) {
        made = SUCCEEDED(
            topk_gpu_reserve(&use->gpu, &use->buffers[i], ROOM,
                             i == UPLOAD ? D3D12_HEAP_TYPE_UPLOAD : D3D12_HEAP_TYPE_DEFAULT));
        if (made && i != UPLOAD) {
            topk_gpu_transition(&use->gpu, use->buffers[i].resource, D3D12_RESOURCE_STATE_COPY_DEST,
                                D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
        }
    }
    return made && SUCCEEDED(topk_gpu_execute(&use->gpu));
}

static void say_code(struct topk_use *use, const char *verb, HRESULT result)
{
    const char *name = topk_hresult_name(result);
    snprintf(use->answer, sizeof use->answer, "%s %s %08" PRIx32 "%s%s", use->step, verb,
             (uint32_t)result, name[0] != 0 ? " " : "", name);
}

/* whether the step with this result was the last; sets the answer if so */
static bool is_over(struct topk_use *use, HRESULT result)
{
    const HRESULT removed = topk_dml_removed(&use->dml);
    if (FAILED(removed)) {
        say_code(use,
                 FAILED(result) ? "fails and removes DirectML's device,"
                                : "removes DirectML's device,",
                 removed);
    } else if (FAILED(result)) {
        say_code(use, "returns", result);
    }
    return FAILED(removed) || FAILED(result);
}

static const struct topk_dml_desc *describe(struct topk_use *use, int role, UINT flags,
                                            struct topk_dml_buffer_tensor *tensor, UINT sizes[4],
                                            struct topk_dml_desc *desc)
{
    const struct topk_use_plan *plan = &use->plan;
    const UINT last = role == SOURCE ? plan->n : plan->k;
    sizes[0] = sizes[1] = sizes[2] = 1;
    sizes[3] = last;
    *tensor = (struct topk_dml_buffer_tensor){.data_type = role == INDICES ? TOPK_BACKEND_UINT32
                                                                           : TOPK_BACKEND_FLOAT32,
                                              .flags = role == SOURCE ? flags : 0,
                                              .dimension_count = 4,
                                              .sizes = plan->no_sizes[role] ? NULL : sizes,
                                              .total_bytes = (UINT64)last * 4,
                                              .guaranteed_base_offset_alignment = plan->alignment};
    *desc = (struct topk_dml_desc){.type = plan->tensor_type[role],
                                   .desc = plan->no_tensor_content[role] ? NULL : tensor};
    return desc;
}

/* creates and compiles; false if the answer is known */
static bool compile(struct topk_use *use, UINT flags, struct topk_dml_dispatchable **compiled)
{
    const struct topk_use_plan *plan = &use->plan;
    struct topk_dml_device *device = use->dml.device;
    struct topk_dml_buffer_tensor tensors[TENSORS];
    struct topk_dml_desc descs[TENSORS];
    UINT sizes[TENSORS][4];
    const struct topk_dml_top_k1 content = {
        .input = describe(use, SOURCE, flags, &tensors[SOURCE], sizes[SOURCE], &descs[SOURCE]),
        .value = describe(use, VALUES, 0, &tensors[VALUES], sizes[VALUES], &descs[VALUES]),
        .index = describe(use, INDICES, 0, &tensors[INDICES], sizes[INDICES], &descs[INDICES]),
        .axis = 3,
        .k = plan->k,
        .direction = 1};
    const struct topk_dml_desc desc = {.type = plan->operator_type,
                                       .desc = plan->no_content ? NULL : &content};
    struct topk_dml_dispatchable *created = NULL;
    use->step = "CreateOperator";
    HRESULT result =
        device->table->create_operator(device, plan->no_operator ? NULL : &desc, plan->operator_iid,
                                       plan->no_operator_out ? NULL : (void **)&created);
    if (is_over(use, result)) {
        return false;
    }
    if (created == NULL) {
        say_code(use, "makes nothing and returns", result);
        return false;
    }
    use->step = "CompileOperator";
    result = device->table->compile_operator(device, plan->no_compile_operator ? NULL : created,
                                             plan->execution_flags, plan->compile_iid,
                                             plan->no_compile_out ? NULL : (void **)compiled);
    if (is_over(use, result)) {
        return false;
    }
    if (*compiled == NULL) {
        say_code(use, "makes nothing and returns", result);
        return false;
    }
    return true;
}

static struct topk_dml_buffer_binding binding_of(struct topk_use *use,
                                                 const struct topk_use_bind *bind, UINT64 bytes)
{
    return (struct topk_dml_buffer_binding){
        .buffer = bind->buffer == NOTHING ? NULL : use->buffers[bind->buffer].resource,
        .offset = bind->offset,
        .bytes = bind->buffer == NOTHING ? 0 : bytes};
}

/* fills a description of a binding and what it points to */
static void describe_bind(struct topk_use *use, const struct topk_use_bind *bind, UINT64 bytes,
                          struct topk_dml_buffer_binding *binding,
                          struct topk_dml_array_binding *array, struct topk_dml_desc *desc)
{
    *binding = binding_of(use, bind, bytes);
    *array = (struct topk_dml_array_binding){.count = 1, .bindings = binding};
    desc->type = bind->type;
    desc->desc = bind->type == TOPK_DML_BINDING_BUFFER         ? (const void *)binding
                 : bind->type == TOPK_DML_BINDING_BUFFER_ARRAY ? (const void *)array
                                                               : NULL;
}

/* sets the table to a dispatchable; false if the answer is known */
static bool set_table(struct topk_use *use, struct topk_dml_dispatchable *dispatchable,
                      UINT descriptors, bool right)
{
    const struct topk_use_plan *plan = &use->plan;
    struct topk_dml_table_desc desc = {.dispatchable = dispatchable, .descriptors = descriptors};
    use->heap->lpVtbl->GetCPUDescriptorHandleForHeapStart(use->heap, &desc.cpu);
    use->heap->lpVtbl->GetGPUDescriptorHandleForHeapStart(use->heap, &desc.gpu);
    if (!right) {
        desc.dispatchable = plan->table == TABLE_NOTHING ? NULL : dispatchable;
        desc.descriptors -=
            plan->fewer_descriptors < descriptors ? plan->fewer_descriptors : descriptors;
        desc.cpu.ptr = plan->no_handles ? 0 : desc.cpu.ptr;
        desc.gpu.ptr = plan->no_handles ? 0 : desc.gpu.ptr;
    }
    use->step = "CreateBindingTable";
    use->table = NULL;
    struct topk_dml_device *device = use->dml.device;
    if (is_over(use, device->table->create_table(device,
                                                 !right && plan->table == TABLE_NULL ? NULL : &desc,
                                                 &topk_dml_iid_table, (void **)&use->table))) {
        return false;
    }
    if (right || !plan->reset_null) {
        return true;
    }
    use->step = "Reset of the binding table";
    return !is_over(use, use->table->table->reset(use->table, NULL));
}

static void record(struct topk_use *use, struct topk_dml_dispatchable *dispatchable, bool right)
{
    const struct topk_use_plan *plan = &use->plan;
    struct topk_dml_recorder *recorder = use->dml.recorder;
    ID3D12DescriptorHeap *heaps[] = {use->heap};
    if (right || !plan->no_heap) {
        ID3D12GraphicsCommandList_SetDescriptorHeaps(use->gpu.list, 1, heaps);
    }
    recorder->table->record_dispatch(
        recorder, !right && plan->no_list ? NULL : (ID3D12CommandList *)use->gpu.list,
        !right && plan->record_other ? use->other : dispatchable,
        !right && plan->no_record_table ? NULL : use->table);
}

/* executes the recorded commands; false if the answer is known */
static bool execute(struct topk_use *use, const char *step)
{
    use->step = step;
    return !is_over(use, topk_gpu_execute(&use->gpu));
}

/* initializes the operators with their bindings; false if the answer is known */
static bool initialise(struct topk_use *use)
{
    const struct topk_use_plan *plan = &use->plan;
    struct topk_dml_device *device = use->dml.device;
    struct topk_dml_dispatchable *ops[2] = {plan->null_initialised ? NULL : use->compiled,
                                            plan->beside != ALONE ? use->other : use->compiled};
    const UINT count = plan->beside != ALONE ? 2 : plan->initialised;
    use->step = "CreateOperatorInitializer";
    if (is_over(use,
                device->table->create_initializer(device, count, ops, &topk_dml_iid_initializer,
                                                  (void **)&use->initializer))) {
        return false;
    }
    struct topk_dml_properties needs = {0};
    use->initializer->table->properties(use->initializer, &needs);
    if (!set_table(use, use->initializer, needs.descriptors, true)) {
        return false;
    }
    struct topk_dml_buffer_binding bindings[3];
    struct topk_dml_array_binding arrays[3];
    struct topk_dml_desc in[2];
    struct topk_dml_desc out[2] = {{.type = TOPK_DML_BINDING_NONE},
                                   {.type = TOPK_DML_BINDING_NONE}};
    describe_bind(use, &plan->init_in, plan->init_in.bytes, &bindings[0], &arrays[0], &in[0]);
    const struct topk_use_bind nothing = {
        .type = plan->beside == BESIDE_NONE ? TOPK_DML_BINDING_NONE : TOPK_DML_BINDING_BUFFER_ARRAY,
        .buffer = NOTHING};
    describe_bind(use, &nothing, 0, &bindings[1], &arrays[1], &in[1]);
    if (plan->beside == BESIDE_EMPTY) {
        arrays[1] = (struct topk_dml_array_binding){.count = 0};
    }
    if (plan->init_in.when == ALWAYS) {
        use->step = "BindInputs at initialisation";
        use->table->table->bind_inputs(use->table, count, in);
        if (is_over(use, S_OK)) {
            return false;
        }
    }
    if (use->needs.persistent_bytes > 0) {
        describe_bind(use, &plan->init_out, use->needs.persistent_bytes, &bindings[2], &arrays[2],
                      &out[0]);
    }
    use->step = "BindOutputs at initialisation";
    use->table->table->bind_outputs(use->table, count, out);
    if (is_over(use, S_OK)) {
        return false;
    }
    const struct topk_use_bind scratch = {.type = TOPK_DML_BINDING_BUFFER, .buffer = SPARE};
    if (needs.temporary_bytes > 0) {
        describe_bind(use, &scratch, needs.temporary_bytes, &bindings[1], &arrays[1], &in[1]);
        use->table->table->bind_temporary(use->table, &in[1]);
    }
    use->step = "RecordDispatch of the initializer";
    record(use, use->initializer, true);
    return !is_over(use, S_OK) && execute(use, "initialisation");
}

/* binds temporary or persistent memory; false if the answer is known */
static bool
bind_memory(struct topk_use *use, const char *step, const struct topk_use_bind *bind, UINT64 needed,
            void(WINAPI *function)(struct topk_dml_table *, const struct topk_dml_desc *))
{
    struct topk_dml_buffer_binding binding;
    struct topk_dml_array_binding array;
    struct topk_dml_desc desc;
    if (bind->when == NEVER || (bind->when == IF_NEEDED && needed == 0)) {
        return true;
    }
    describe_bind(use, bind, needed + bind->bytes, &binding, &array, &desc);
    use->step = step;
    function(use->table, &desc);
    return !is_over(use, S_OK);
}

/* binds the operator's tensors; false if the answer is known */
static bool bind_all(struct topk_use *use)
{
    const struct topk_use_plan *plan = &use->plan;
    struct topk_dml_buffer_binding bindings[TENSORS + 1];
    struct topk_dml_array_binding arrays[TENSORS + 1];
    struct topk_dml_desc descs[TENSORS + 1];
    /* one more than there are, for a binding too many */
    for (int role = 0; role <= TENSORS; role++) {
        const struct topk_use_bind *bind = &plan->bind[role < TENSORS ? role : INDICES];
        describe_bind(use, bind, bind->bytes, &bindings[role], &arrays[role], &descs[role]);
    }
    const struct topk_dml_table_table *table = use->table->table;
    if (plan->bind[SOURCE].when != NEVER) {
        use->step = "BindInputs";
        table->bind_inputs(use->table, plan->input_count, &descs[SOURCE]);
        if (is_over(use, S_OK)) {
            return false;
        }
    }
    if (plan->bind[VALUES].when != NEVER) {
        use->step = "BindOutputs";
        table->bind_outputs(use->table, plan->output_count, &descs[VALUES]);
        if (is_over(use, S_OK)) {
            return false;
        }
    }
    return bind_memory(use, "BindTemporaryResource", &plan->temporary, use->needs.temporary_bytes,
                       table->bind_temporary) &&
           bind_memory(use, "BindPersistentResource", &plan->persistent,
                       use->needs.persistent_bytes, table->bind_persistent);
}

/* executes the plan and sets the answer */
static void run(struct topk_use *use)
{
    const struct topk_use_plan *plan = &use->plan;
    if (!compile(use, plan->input_flags, &use->compiled) || !compile(use, 0, &use->other)) {
        return;
    }
    use->compiled->table->properties(use->compiled, &use->needs);
    for (int i = 0; i < (plan->initialise_again ? 2 : 1) && !plan->skip_initialise; i++) {
        if (!initialise(use)) {
            return;
        }
    }
    if (!set_table(use, use->compiled, use->needs.descriptors, false) || !bind_all(use)) {
        return;
    }
    use->step = "RecordDispatch";
    record(use, use->compiled, false);
    if (!is_over(use, S_OK) && execute(use, "execution")) {
        snprintf(use->answer, sizeof use->answer, "executed");
    }
}

void topk_use_run(struct topk_use *use)
{
    run(use);
    const HRESULT removed = ID3D12Device_GetDeviceRemovedReason(use->gpu.device);
    if (FAILED(removed)) {
        const size_t length = strlen(use->answer);
        snprintf(use->answer + length, sizeof use->answer - length,
                 "; Direct3D's device is removed, %08" PRIx32, (uint32_t)removed);
    }
}

bool topk_use_open(struct topk_use *use, uint32_t timeout_ms, char *error, size_t error_bytes)
{
    const struct topk_gpu_options gpu_options = {.timeout_ms = timeout_ms};
    const struct topk_dml_options options = {.dll = ""};
    if (!topk_gpu_open(&use->gpu, &gpu_options, error, error_bytes) ||
        !topk_dml_open(&use->dml, &use->gpu, &options, error, error_bytes)) {
        return false;
    }
    if (!make_buffers(use)) {
        snprintf(error, error_bytes, "no buffers or no descriptors");
        return false;
    }
    use->plan = topk_use_right;
    use->plan.room = use->buffers[SOURCE].bytes;
    return true;
}
