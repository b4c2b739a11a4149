/* DirectML's binary interface for C, as far as this backend uses it: DirectML.h supports only C++.
 * Names are DirectML's with another prefix; directml_abi.cpp compares layouts, numbers and
 * signatures with the real header. Interfaces are those of COM: pointers to tables of functions, in
 * the order of the header, with `this` first. */
#ifndef TOPK_DIRECTML_API_H
#define TOPK_DIRECTML_API_H

#include "d3d12/d3d12_api.h"

enum {
    TOPK_DML_BUFFER_TENSOR = 1, /* DML_TENSOR_TYPE */
    TOPK_DML_BINDING_NONE = 0,  /* DML_BINDING_TYPE */
    TOPK_DML_BINDING_BUFFER = 1,
    TOPK_DML_BINDING_BUFFER_ARRAY = 2,
    TOPK_DML_TOP_K = 71, /* DML_OPERATOR_TYPE */
    TOPK_DML_TOP_K1 = 112,
    TOPK_DML_FEATURE_LEVELS = 1,     /* DML_FEATURE */
    TOPK_DML_CREATE_DEVICE_DEBUG = 1 /* DML_CREATE_DEVICE_FLAGS */
};

/* DML_BUFFER_TENSOR_DESC */
struct topk_dml_buffer_tensor {
    UINT data_type;
    UINT flags;
    UINT dimension_count;
    const UINT *sizes;
    const UINT *strides;
    UINT64 total_bytes;
    UINT guaranteed_base_offset_alignment;
};

/* DML_TENSOR_DESC, DML_OPERATOR_DESC, DML_BINDING_DESC: a type, and what it describes */
struct topk_dml_desc {
    UINT type;
    const void *desc;
};

/* DML_TOP_K_OPERATOR_DESC */
struct topk_dml_top_k {
    const struct topk_dml_desc *input;
    const struct topk_dml_desc *value;
    const struct topk_dml_desc *index;
    UINT axis;
    UINT k;
};

/* DML_TOP_K1_OPERATOR_DESC */
struct topk_dml_top_k1 {
    const struct topk_dml_desc *input;
    const struct topk_dml_desc *value;
    const struct topk_dml_desc *index;
    UINT axis;
    UINT k;
    UINT direction;
};

/* DML_BINDING_PROPERTIES */
struct topk_dml_properties {
    UINT descriptors;
    UINT64 temporary_bytes;
    UINT64 persistent_bytes;
};

/* DML_BUFFER_BINDING */
struct topk_dml_buffer_binding {
    ID3D12Resource *buffer;
    UINT64 offset;
    UINT64 bytes;
};

/* DML_BUFFER_ARRAY_BINDING */
struct topk_dml_array_binding {
    UINT count;
    const struct topk_dml_buffer_binding *bindings;
};

/* DML_QUERY_FEATURE_LEVELS and DML_FEATURE_DATA_FEATURE_LEVELS */
struct topk_dml_level_query {
    UINT count;
    const UINT *levels;
};
struct topk_dml_level_data {
    UINT highest;
};

struct topk_dml_device;
struct topk_dml_dispatchable; /* IDMLOperator, IDMLCompiledOperator, IDMLOperatorInitializer */
struct topk_dml_table;
struct topk_dml_recorder;

/* DML_BINDING_TABLE_DESC */
struct topk_dml_table_desc {
    struct topk_dml_dispatchable *dispatchable;
    D3D12_CPU_DESCRIPTOR_HANDLE cpu;
    D3D12_GPU_DESCRIPTOR_HANDLE gpu;
    UINT descriptors;
};

/* IUnknown and IDMLObject; type is a type, so it has no parentheses */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define TOPK_DML_OBJECT(type)                                                                      \
    HRESULT(WINAPI *query_interface)(type *, REFIID, void **);                                     \
    ULONG(WINAPI *add_ref)(type *);                                                                \
    ULONG(WINAPI *release)(type *);                                                                \
    HRESULT(WINAPI *get_private_data)(type *, REFGUID, UINT *, void *);                            \
    HRESULT(WINAPI *set_private_data)(type *, REFGUID, UINT, const void *);                        \
    HRESULT(WINAPI *set_private_data_interface)(type *, REFGUID, IUnknown *);                      \
    HRESULT(WINAPI *set_name)(type *, PCWSTR)
/* NOLINTEND(bugprone-macro-parentheses) */

/* IDMLDevice */
struct topk_dml_device_table {
    TOPK_DML_OBJECT(struct topk_dml_device);
    HRESULT(WINAPI *check_feature)
    (struct topk_dml_device *, UINT, UINT, const void *, UINT, void *);
    HRESULT(WINAPI *create_operator)
    (struct topk_dml_device *, const struct topk_dml_desc *, REFIID, void **);
    HRESULT(WINAPI *compile_operator)
    (struct topk_dml_device *, struct topk_dml_dispatchable *, UINT, REFIID, void **);
    HRESULT(WINAPI *create_initializer)
    (struct topk_dml_device *, UINT, struct topk_dml_dispatchable *const *, REFIID, void **);
    HRESULT(WINAPI *create_recorder)(struct topk_dml_device *, REFIID, void **);
    HRESULT(WINAPI *create_table)
    (struct topk_dml_device *, const struct topk_dml_table_desc *, REFIID, void **);
    HRESULT(WINAPI *evict)(struct topk_dml_device *, UINT, void *const *);
    HRESULT(WINAPI *make_resident)(struct topk_dml_device *, UINT, void *const *);
    HRESULT(WINAPI *removed_reason)(struct topk_dml_device *);
    HRESULT(WINAPI *parent)(struct topk_dml_device *, REFIID, void **);
};
struct topk_dml_device {
    const struct topk_dml_device_table *table;
};

/* IDMLDispatchable; and what IDMLOperatorInitializer adds. */
struct topk_dml_dispatchable_table {
    TOPK_DML_OBJECT(struct topk_dml_dispatchable);
    HRESULT(WINAPI *get_device)(struct topk_dml_dispatchable *, REFIID, void **);
    /* A C++ member function that returns a structure: Microsoft's compiler hands it the place of
     * the result behind `this`, which is the other way round than in C. Not of IDMLOperator. */
    struct topk_dml_properties *(WINAPI *properties)(struct topk_dml_dispatchable *,
                                                     struct topk_dml_properties *);
    HRESULT(WINAPI *reset)
    (struct topk_dml_dispatchable *, UINT, struct topk_dml_dispatchable *const *);
};
struct topk_dml_dispatchable {
    const struct topk_dml_dispatchable_table *table;
};

/* IDMLBindingTable */
struct topk_dml_table_table {
    TOPK_DML_OBJECT(struct topk_dml_table);
    HRESULT(WINAPI *get_device)(struct topk_dml_table *, REFIID, void **);
    void(WINAPI *bind_inputs)(struct topk_dml_table *, UINT, const struct topk_dml_desc *);
    void(WINAPI *bind_outputs)(struct topk_dml_table *, UINT, const struct topk_dml_desc *);
    void(WINAPI *bind_temporary)(struct topk_dml_table *, const struct topk_dml_desc *);
    void(WINAPI *bind_persistent)(struct topk_dml_table *, const struct topk_dml_desc *);
    HRESULT(WINAPI *reset)(struct topk_dml_table *, const struct topk_dml_table_desc *);
};
struct topk_dml_table {
    const struct topk_dml_table_table *table;
};

/* IDMLCommandRecorder */
struct topk_dml_recorder_table {
    TOPK_DML_OBJECT(struct topk_dml_recorder);
    HRESULT(WINAPI *get_device)(struct topk_dml_recorder *, REFIID, void **);
    void(WINAPI *record_dispatch)(struct topk_dml_recorder *, ID3D12CommandList *,
                                  struct topk_dml_dispatchable *, struct topk_dml_table *);
};
struct topk_dml_recorder {
    const struct topk_dml_recorder_table *table;
};

/* DMLCreateDevice1 */
typedef HRESULT(WINAPI *topk_dml_create_device)(ID3D12Device *device, UINT flags,
                                                UINT minimum_level, REFIID iid, void **dml_device);

/* The interfaces' identifiers, which directml_device.c defines: ROW(name, interface, {...}) */
#define TOPK_DML_IIDS(ROW)                                                                         \
    ROW(device, IDMLDevice,                                                                        \
        {0x6dbd6437, 0x96fd, 0x423f, {0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f}})            \
    ROW(operator, IDMLOperator,                                                                    \
        {0x26caae7a, 0x3081, 0x4633, {0x95, 0x81, 0x22, 0x6f, 0xbe, 0x57, 0x69, 0x5d}})            \
    ROW(compiled, IDMLCompiledOperator,                                                            \
        {0x6b15e56a, 0xbf5c, 0x4902, {0x92, 0xd8, 0xda, 0x3a, 0x65, 0x0a, 0xfe, 0xa4}})            \
    ROW(initializer, IDMLOperatorInitializer,                                                      \
        {0x427c1113, 0x435c, 0x469c, {0x86, 0x76, 0x4d, 0x5d, 0xd0, 0x72, 0xf8, 0x13}})            \
    ROW(table, IDMLBindingTable,                                                                   \
        {0x29c687dc, 0xde74, 0x4e3b, {0xab, 0x00, 0x11, 0x68, 0xf2, 0xfc, 0x3c, 0xfc}})            \
    ROW(recorder, IDMLCommandRecorder,                                                             \
        {0xe6857a76, 0x2e3e, 0x4fdd, {0xbf, 0xf4, 0x5d, 0x2b, 0xa1, 0x0f, 0xb4, 0x53}})
#define TOPK_DML_IID_EXTERN(name, interface, ...) extern const GUID topk_dml_iid_##name;
TOPK_DML_IIDS(TOPK_DML_IID_EXTERN)
#undef TOPK_DML_IID_EXTERN

#endif
