/* Compares directml_api.h, DirectML's binary interface for C, with Microsoft's DirectML.h: any
 * difference is a compile error. Compiled if the header and a C++ compiler are available, never
 * linked. */
#include "directml_api.h"

#define DML_TARGET_VERSION_USE_LATEST
#define _Maybenull_ /* mingw-w64's sal.h lacks it */
#include <DirectML.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "directml_iids.h" /* of cmake/directml_abi.cmake: the ids in the header's text */

/* ---- numbers ------------------------------------------------------------------------------------
 */

#define NUMBER(ours, theirs) static_assert((int)(ours) == (int)(theirs), "")
NUMBER(TOPK_DML_BUFFER_TENSOR, DML_TENSOR_TYPE_BUFFER);
NUMBER(TOPK_DML_BINDING_NONE, DML_BINDING_TYPE_NONE);
NUMBER(TOPK_DML_BINDING_BUFFER, DML_BINDING_TYPE_BUFFER);
NUMBER(TOPK_DML_BINDING_BUFFER_ARRAY, DML_BINDING_TYPE_BUFFER_ARRAY);
NUMBER(TOPK_DML_TOP_K, DML_OPERATOR_TOP_K);
NUMBER(TOPK_DML_TOP_K1, DML_OPERATOR_TOP_K1);
NUMBER(TOPK_DML_FEATURE_LEVELS, DML_FEATURE_FEATURE_LEVELS);
NUMBER(TOPK_DML_CREATE_DEVICE_DEBUG, DML_CREATE_DEVICE_FLAG_DEBUG);

/* ---- structures ---------------------------------------------------------------------------------
 */

/* types that a caller cannot distinguish: of the same size, both pointers or both not */
template <class A, class B>
constexpr bool alike_types = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <> constexpr bool alike_types<void, void> = true;

#define STRUCT(ours, theirs)                                                                       \
    static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs), "")
#define FIELD(ours, member, theirs, Member)                                                        \
    static_assert(offsetof(ours, member) == offsetof(theirs, Member) &&                            \
                      alike_types<decltype(ours::member), decltype(theirs::Member)>,               \
                  "")

STRUCT(topk_dml_buffer_tensor, DML_BUFFER_TENSOR_DESC);
FIELD(topk_dml_buffer_tensor, data_type, DML_BUFFER_TENSOR_DESC, DataType);
FIELD(topk_dml_buffer_tensor, flags, DML_BUFFER_TENSOR_DESC, Flags);
FIELD(topk_dml_buffer_tensor, dimension_count, DML_BUFFER_TENSOR_DESC, DimensionCount);
FIELD(topk_dml_buffer_tensor, sizes, DML_BUFFER_TENSOR_DESC, Sizes);
FIELD(topk_dml_buffer_tensor, strides, DML_BUFFER_TENSOR_DESC, Strides);
FIELD(topk_dml_buffer_tensor, total_bytes, DML_BUFFER_TENSOR_DESC, TotalTensorSizeInBytes);
FIELD(topk_dml_buffer_tensor, guaranteed_base_offset_alignment, DML_BUFFER_TENSOR_DESC,
      GuaranteedBaseOffsetAlignment);

STRUCT(topk_dml_desc, DML_TENSOR_DESC);
FIELD(topk_dml_desc, type, DML_TENSOR_DESC, Type);
FIELD(topk_dml_desc, desc, DML_TENSOR_DESC, Desc);
STRUCT(topk_dml_desc, DML_OPERATOR_DESC);
FIELD(topk_dml_desc, type, DML_OPERATOR_DESC, Type);
FIELD(topk_dml_desc, desc, DML_OPERATOR_DESC, Desc);
STRUCT(topk_dml_desc, DML_BINDING_DESC);
FIELD(topk_dml_desc, type, DML_BINDING_DESC, Type);
FIELD(topk_dml_desc, desc, DML_BINDING_DESC, Desc);

STRUCT(topk_dml_top_k, DML_TOP_K_OPERATOR_DESC);
FIELD(topk_dml_top_k, input, DML_TOP_K_OPERATOR_DESC, InputTensor);
FIELD(topk_dml_top_k, value, DML_TOP_K_OPERATOR_DESC, OutputValueTensor);
FIELD(topk_dml_top_k, index, DML_TOP_K_OPERATOR_DESC, OutputIndexTensor);
FIELD(topk_dml_top_k, axis, DML_TOP_K_OPERATOR_DESC, Axis);
FIELD(topk_dml_top_k, k, DML_TOP_K_OPERATOR_DESC, K);

STRUCT(topk_dml_top_k1, DML_TOP_K1_OPERATOR_DESC);
FIELD(topk_dml_top_k1, input, DML_TOP_K1_OPERATOR_DESC, InputTensor);
FIELD(topk_dml_top_k1, value, DML_TOP_K1_OPERATOR_DESC, OutputValueTensor);
FIELD(topk_dml_top_k1, index, DML_TOP_K1_OPERATOR_DESC, OutputIndexTensor);
FIELD(topk_dml_top_k1, axis, DML_TOP_K1_OPERATOR_DESC, Axis);
FIELD(topk_dml_top_k1, k, DML_TOP_K1_OPERATOR_DESC, K);
FIELD(topk_dml_top_k1, direction, DML_TOP_K1_OPERATOR_DESC, AxisDirection);

STRUCT(topk_dml_properties, DML_BINDING_PROPERTIES);
FIELD(topk_dml_properties, descriptors, DML_BINDING_PROPERTIES, RequiredDescriptorCount);
FIELD(topk_dml_properties, temporary_bytes, DML_BINDING_PROPERTIES, TemporaryResourceSize);
FIELD(topk_dml_properties, persistent_bytes, DML_BINDING_PROPERTIES, PersistentResourceSize);

STRUCT(topk_dml_buffer_binding, DML_BUFFER_BINDING);
FIELD(topk_dml_buffer_binding, buffer, DML_BUFFER_BINDING, Buffer);
FIELD(topk_dml_buffer_binding, offset, DML_BUFFER_BINDING, Offset);
FIELD(topk_dml_buffer_binding, bytes, DML_BUFFER_BINDING, SizeInBytes);

STRUCT(topk_dml_array_binding, DML_BUFFER_ARRAY_BINDING);
FIELD(topk_dml_array_binding, count, DML_BUFFER_ARRAY_BINDING, BindingCount);
FIELD(topk_dml_array_binding, bindings, DML_BUFFER_ARRAY_BINDING, Bindings);

STRUCT(topk_dml_level_query, DML_FEATURE_QUERY_FEATURE_LEVELS);
FIELD(topk_dml_level_query, count, DML_FEATURE_QUERY_FEATURE_LEVELS, RequestedFeatureLevelCount);
FIELD(topk_dml_level_query, levels, DML_FEATURE_QUERY_FEATURE_LEVELS, RequestedFeatureLevels);
STRUCT(topk_dml_level_data, DML_FEATURE_DATA_FEATURE_LEVELS);
FIELD(topk_dml_level_data, highest, DML_FEATURE_DATA_FEATURE_LEVELS, MaxSupportedFeatureLevel);

STRUCT(topk_dml_table_desc, DML_BINDING_TABLE_DESC);
FIELD(topk_dml_table_desc, dispatchable, DML_BINDING_TABLE_DESC, Dispatchable);
FIELD(topk_dml_table_desc, cpu, DML_BINDING_TABLE_DESC, CPUDescriptorHandle);
FIELD(topk_dml_table_desc, gpu, DML_BINDING_TABLE_DESC, GPUDescriptorHandle);
FIELD(topk_dml_table_desc, descriptors, DML_BINDING_TABLE_DESC, SizeInDescriptors);

/* ---- interfaces ---------------------------------------------------------------------------------
 */

/* whether a function of a table has the parameters and result of the interface's method */
template <class I, class R, class... A, class T, class S, class... B>
constexpr bool alike(R (STDMETHODCALLTYPE I::*)(A...), S(WINAPI *)(T *, B...))
{
    static_assert(sizeof...(A) == sizeof...(B), "a method has another number of parameters");
    return alike_types<R, S> && (alike_types<A, B> && ...);
}

/* The index of a method in the table of functions. GCC's pointers to members contain it, plus one.
 * A constant expression cannot read them, but the optimizer can, and removes the call to an
 * undefined function. */
template <class M> std::size_t place(M method)
{
    std::intptr_t words[2];
    static_assert(sizeof method == sizeof words, "");
    std::memcpy(words, &method, sizeof words);
    return (std::size_t)words[0] - 1;
}
[[gnu::error("a function is not where the interface has it")]] void misplaced();

#define PLACE(table, member, Interface, Method)                                                    \
    if (place(&Interface::Method) != offsetof(table, member)) {                                    \
        misplaced();                                                                               \
    }
#define METHOD(table, member, Interface, Method)                                                   \
    static_assert(alike(&Interface::Method, decltype(table::member)(nullptr)), "");                \
    PLACE(table, member, Interface, Method)
#define OBJECT(table, Interface)                                                                   \
    static_assert(offsetof(table, query_interface) == 0, ""); /* overloaded in mingw-w64 */        \
    METHOD(table, add_ref, Interface, AddRef)                                                      \
    METHOD(table, release, Interface, Release)                                                     \
    METHOD(table, get_private_data, Interface, GetPrivateData)                                     \
    METHOD(table, set_private_data, Interface, SetPrivateData)                                     \
    METHOD(table, set_private_data_interface, Interface, SetPrivateDataInterface)                  \
    METHOD(table, set_name, Interface, SetName)

void topk_dml_check_places();
void topk_dml_check_places()
{
    OBJECT(topk_dml_device_table, IDMLDevice)
    METHOD(topk_dml_device_table, check_feature, IDMLDevice, CheckFeatureSupport)
    METHOD(topk_dml_device_table, create_operator, IDMLDevice, CreateOperator)
    METHOD(topk_dml_device_table, compile_operator, IDMLDevice, CompileOperator)
    METHOD(topk_dml_device_table, create_initializer, IDMLDevice, CreateOperatorInitializer)
    METHOD(topk_dml_device_table, create_recorder, IDMLDevice, CreateCommandRecorder)
    METHOD(topk_dml_device_table, create_table, IDMLDevice, CreateBindingTable)
    METHOD(topk_dml_device_table, evict, IDMLDevice, Evict)
    METHOD(topk_dml_device_table, make_resident, IDMLDevice, MakeResident)
    METHOD(topk_dml_device_table, removed_reason, IDMLDevice, GetDeviceRemovedReason)
    METHOD(topk_dml_device_table, parent, IDMLDevice, GetParentDevice)

    OBJECT(topk_dml_dispatchable_table, IDMLOperatorInitializer)
    METHOD(topk_dml_dispatchable_table, get_device, IDMLOperatorInitializer, GetDevice)
    /* its C form differs on purpose */
    PLACE(topk_dml_dispatchable_table, properties, IDMLOperatorInitializer, GetBindingProperties)
    METHOD(topk_dml_dispatchable_table, reset, IDMLOperatorInitializer, Reset)
    PLACE(topk_dml_dispatchable_table, properties, IDMLCompiledOperator, GetBindingProperties)
    PLACE(topk_dml_dispatchable_table, release, IDMLOperator, Release)

    OBJECT(topk_dml_table_table, IDMLBindingTable)
    METHOD(topk_dml_table_table, get_device, IDMLBindingTable, GetDevice)
    METHOD(topk_dml_table_table, bind_inputs, IDMLBindingTable, BindInputs)
    METHOD(topk_dml_table_table, bind_outputs, IDMLBindingTable, BindOutputs)
    METHOD(topk_dml_table_table, bind_temporary, IDMLBindingTable, BindTemporaryResource)
    METHOD(topk_dml_table_table, bind_persistent, IDMLBindingTable, BindPersistentResource)
    METHOD(topk_dml_table_table, reset, IDMLBindingTable, Reset)

    OBJECT(topk_dml_recorder_table, IDMLCommandRecorder)
    METHOD(topk_dml_recorder_table, get_device, IDMLCommandRecorder, GetDevice)
    METHOD(topk_dml_recorder_table, record_dispatch, IDMLCommandRecorder, RecordDispatch)
}
static_assert(sizeof(topk_dml_device_table) == 17 * sizeof(void *), "");

/* ---- the function, and the interfaces' ids ------------------------------------------------------
 */

template <class R, class... A, class S, class... B>
constexpr bool alike_functions(R(WINAPI *)(A...), S(WINAPI *)(B...))
{
    static_assert(sizeof...(A) == sizeof...(B), "a function has another number of parameters");
    return alike_types<R, S> && (alike_types<A, B> && ...);
}
static_assert(alike_functions(decltype (&DMLCreateDevice1)(nullptr),
                              topk_dml_create_device(nullptr)),
              "");

constexpr uint32_t digits(const char *text, int from, int count)
{
    uint32_t value = 0;
    for (int i = from; i < from + count; i++) {
        value = value << 4 | (uint32_t)(text[i] >= 'a' ? text[i] - 'a' + 10 : text[i] - '0');
    }
    return value;
}

/* whether a text such as "6dbd6437-96fd-423f-a98c-ae5e7c2a573f" is that id */
constexpr bool is_id(const GUID &id, const char *text)
{
    constexpr int places[8] = {19, 21, 24, 26, 28, 30, 32, 34};
    for (int i = 0; i < 8; i++) {
        if (id.Data4[i] != digits(text, places[i], 2)) {
            return false;
        }
    }
    return id.Data1 == digits(text, 0, 8) && id.Data2 == digits(text, 9, 4) &&
           id.Data3 == digits(text, 14, 4);
}

#define CHECK_ID(name, interface, ...)                                                             \
    static_assert(is_id(GUID __VA_ARGS__, IID_TEXT_##interface), "");
TOPK_DML_IIDS(CHECK_ID)
