/* One use of DirectML, from CreateOperator to the execution, according to a plan: a correct one, or
 * one with an error. The answer is the step that DirectML rejects, and how. */
#ifndef TOPK_DIRECTML_USE_H
#define TOPK_DIRECTML_USE_H

#include "directml/directml_device.h"

/* what can be bound: the tensors, temporary and persistent memory, more of that, an upload heap */
enum {
    SOURCE,
    VALUES,
    INDICES,
    TENSORS,
    SCRATCH = TENSORS,
    KEPT,
    SPARE,
    UPLOAD,
    BUFFERS,
    NOTHING = BUFFERS
};
enum when {
    IF_NEEDED,
    NEVER,
    ALWAYS
};
enum table_use {
    TABLE_RIGHT,
    TABLE_NULL,
    TABLE_NOTHING
};
enum beside {
    ALONE,
    BESIDE_NONE,
    BESIDE_EMPTY,
    BESIDE_NULL
};

/* a binding: when it is made, and what is bound */
struct topk_use_bind {
    enum when when;
    UINT type;
    int buffer;
    UINT64 offset;
    UINT64 bytes; /* for temporary and persistent memory: added to the required size */
};

/* a use of DirectML; a row of directml_probe.def changes something in the correct one */
struct topk_use_plan {
    UINT n;
    UINT k;
    UINT alignment;
    UINT input_flags;
    UINT operator_type;
    UINT tensor_type[TENSORS];
    bool no_tensor_content[TENSORS];
    bool no_sizes[TENSORS];
    bool no_operator, no_content, no_operator_out;
    const GUID *operator_iid;
    bool no_compile_operator, no_compile_out;
    const GUID *compile_iid;
    UINT execution_flags;
    UINT initialised; /* how many times the operator is passed to the initializer */
    bool null_initialised, skip_initialise, initialise_again;
    enum beside beside;
    enum table_use table;
    UINT fewer_descriptors;
    bool no_handles, reset_null;
    UINT input_count, output_count;
    struct topk_use_bind init_in, init_out;
    struct topk_use_bind bind[TENSORS];
    struct topk_use_bind temporary, persistent;
    bool record_other, no_record_table, no_list, no_heap;
    UINT64 room; /* size of a buffer in bytes */
};

/* Everything that a use creates. Nothing is released, because that may fail after a wrong use. */
struct topk_use {
    const char *step; /* the current step */
    struct topk_use_plan plan;
    struct topk_gpu gpu;
    struct topk_dml dml;
    struct topk_gpu_buffer buffers[BUFFERS];
    ID3D12DescriptorHeap *heap;
    struct topk_dml_dispatchable *compiled;
    struct topk_dml_dispatchable
        *other; /* the same description, without an input that DirectML owns */
    struct topk_dml_properties needs;
    struct topk_dml_dispatchable *initializer;
    struct topk_dml_table *table;
    char answer[256];
};

/* the correct use: 8 elements, K 6, FLOAT32, DECREASING */
extern const struct topk_use_plan topk_use_right;

/* Opens the devices and creates the buffers; sets the correct plan. Returns false, with the reason
 * in error, if that fails. */
bool topk_use_open(struct topk_use *use, uint32_t timeout_ms, char *error, size_t error_bytes);
/* Executes the plan. The answer is "executed", which says nothing about the results, or names the
 * first step that failed or removed a device. After a crash, `step` is the current step. */
void topk_use_run(struct topk_use *use);

#endif
