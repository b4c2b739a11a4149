/* See onnx_tensor.h. The field numbers are those of onnx.proto.
 *
 * A TensorProto has its elements as raw data, or as numbers in a field that depends on its type:
 * narrow integers and the bits of a FLOAT16 as int32_data, and so on. */
#include "onnx_tensor.h"

#include <inttypes.h>
#include <string.h>

enum {
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_SEGMENT = 3,
    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_STRING_DATA = 6,
    TENSOR_INT64_DATA = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
    TENSOR_UINT64_DATA = 11,
    TENSOR_EXTERNAL_DATA = 13,
    TENSOR_DATA_LOCATION = 14
};

/* data: the field that holds the elements of a type if there are no raw data */
static const struct {
    uint32_t type;
    uint32_t onnx;
    uint32_t data;
} types[TOPK_TYPE_COUNT] = {
    {TOPK_TYPE_F32, 1, TENSOR_FLOAT_DATA},   {TOPK_TYPE_F16, 10, TENSOR_INT32_DATA},
    {TOPK_TYPE_I64, 7, TENSOR_INT64_DATA},   {TOPK_TYPE_I32, 6, TENSOR_INT32_DATA},
    {TOPK_TYPE_I16, 5, TENSOR_INT32_DATA},   {TOPK_TYPE_I8, 3, TENSOR_INT32_DATA},
    {TOPK_TYPE_U64, 13, TENSOR_UINT64_DATA}, {TOPK_TYPE_U32, 12, TENSOR_UINT64_DATA},
    {TOPK_TYPE_U16, 4, TENSOR_INT32_DATA},   {TOPK_TYPE_U8, 2, TENSOR_INT32_DATA},
};

uint32_t topk_onnx_type(uint32_t type)
{
    unsigned i = 0;
    while (i + 1 < TOPK_TYPE_COUNT && types[i].type != type) {
        i++;
    }
    return types[i].onnx;
}

void topk_onnx_tensor_head(const struct topk_packed *packed, const char *name,
                           struct topk_message *head)
{
    head->used = 0;
    head->full = false;
    for (uint32_t d = 0; d < packed->rank; d++) {
        topk_message_integer(head, TENSOR_DIMS, packed->sizes[d]);
    }
    topk_message_integer(head, TENSOR_DATA_TYPE, topk_onnx_type(packed->type));
    topk_message_string(head, TENSOR_NAME, name);
    topk_message_bytes(head, TENSOR_RAW_DATA, topk_packed_bytes(packed));
}

/* ---- reading --------------------------------------------------------------------------------- */

struct tensor {
    int64_t sizes[TOPK_RANK_VALID + 1];
    uint64_t rank;
    uint64_t onnx_type;
    struct topk_field raw; /* bytes is NULL if there are no raw data */
    uint64_t place;        /* position of the type */
    uint32_t number_field; /* field that holds numbers; 0 if there is none */
    uint64_t number_place;
};

static bool add_size(struct tensor *tensor, uint64_t size, uint64_t place,
                     struct topk_refusal *refusal)
{
    if (tensor->rank > TOPK_RANK_VALID) {
        return topk_refuse(refusal, place, "more than %d dimensions; a tensor of TOP_K has 1 to %d",
                           TOPK_RANK_VALID, TOPK_RANK_VALID);
    }
    tensor->sizes[tensor->rank++] = (int64_t)size;
    return true;
}

static bool take_sizes(struct tensor *tensor, const struct topk_fields *message,
                       const struct topk_field *field, struct topk_refusal *refusal)
{
    if (field->wire == TOPK_WIRE_VARINT) {
        return add_size(tensor, field->number, field->place, refusal);
    }
    const uint8_t *at = field->bytes;
    bool ok = field->wire == TOPK_WIRE_BYTES ||
              topk_refuse(refusal, field->place, "the sizes are no integers");
    while (ok && at < field->bytes + field->size) {
        uint64_t size;
        ok = topk_varint_read(message->start, &at, field->bytes + field->size, &size, refusal) &&
             add_size(tensor, size, field->place, refusal);
    }
    return ok;
}

/* Refuses a field whose wire type is not the expected one. */
static bool demand(const struct topk_field *field, enum topk_wire wire, const char *name,
                   struct topk_refusal *refusal)
{
    return field->wire == wire ||
           topk_refuse(refusal, field->place, "%s has another wire type than that of its kind",
                       name);
}

static bool take_field(struct tensor *tensor, const struct topk_fields *message,
                       const struct topk_field *field, struct topk_refusal *refusal)
{
    switch (field->field) {
    case TENSOR_DIMS:
        return take_sizes(tensor, message, field, refusal);
    case TENSOR_DATA_TYPE:
        tensor->onnx_type = field->number;
        tensor->place = field->place;
        return demand(field, TOPK_WIRE_VARINT, "data_type", refusal);
    case TENSOR_RAW_DATA:
        tensor->raw = *field;
        return demand(field, TOPK_WIRE_BYTES, "raw_data", refusal);
    case TENSOR_SEGMENT:
        return topk_refuse(refusal, field->place, "a segment of a tensor, which is not read");
    case TENSOR_EXTERNAL_DATA:
        return topk_refuse(refusal, field->place, "external data, which are not read");
    case TENSOR_DATA_LOCATION:
        return (field->wire == TOPK_WIRE_VARINT && field->number == 0) ||
               topk_refuse(refusal, field->place, "external data, which are not read");
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_STRING_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
        if (tensor->number_field != 0 && tensor->number_field != field->field) {
            return topk_refuse(refusal, field->place,
                               "data of two kinds, fields %" PRIu32 " and %" PRIu32,
                               tensor->number_field, field->field);
        }
        tensor->number_field = field->field;
        tensor->number_place = field->place;
        return true;
    default:
        return true; /* texts, metadata */
    }
}

/* The elements in the order in which they are read, from one packed field or from many fields. */
struct filling {
    struct topk_packed *packed;
    uint64_t filled;
    bool is_float;
};

static bool add_number(struct filling *filling, uint64_t number, uint64_t place,
                       struct topk_refusal *refusal)
{
    const struct topk_packed *packed = filling->packed;
    const uint32_t bits = 8 * topk_type_bytes(packed->type);
    if (filling->filled == packed->elements) {
        return topk_refuse(refusal, place, "more elements than the %" PRIu64 " of the sizes",
                           packed->elements);
    }
    if (!filling->is_float && bits < 64) {
        const bool narrow = packed->type == TOPK_TYPE_F16 || !topk_type_signed(packed->type)
                                ? number >> bits == 0
                                : number + ((uint64_t)1 << (bits - 1)) < (uint64_t)1 << bits;
        if (!narrow) {
            return topk_refuse(refusal, place,
                               "element %" PRIu64 " does not fit in its %" PRIu32 " bits",
                               filling->filled, bits);
        }
    }
    topk_packed_set(filling->packed, filling->filled++, number);
    return true;
}

static bool fill_packed(struct filling *filling, const struct topk_fields *message,
                        const struct topk_field *field, struct topk_refusal *refusal)
{
    struct topk_fields numbers = topk_fields_within(message, field);
    while (numbers.at < numbers.end) {
        uint64_t number = 0;
        if (!filling->is_float) {
            if (!topk_varint_read(numbers.start, &numbers.at, numbers.end, &number, refusal)) {
                return false;
            }
        } else if (numbers.end - numbers.at < 4) {
            return topk_refuse(refusal, field->place, "float_data are cut off");
        } else {
            for (unsigned i = 0; i < 4; i++) {
                number |= (uint64_t)*numbers.at++ << (8 * i);
            }
        }
        if (!add_number(filling, number, field->place, refusal)) {
            return false;
        }
    }
    return true;
}

/* Reads the elements from the field that holds those of the type. */
static bool fill_numbers(struct filling *filling, struct topk_fields message, uint32_t data,
                         struct topk_refusal *refusal)
{
    const struct topk_fields whole = message;
    const enum topk_wire alone = filling->is_float ? TOPK_WIRE_32 : TOPK_WIRE_VARINT;
    struct topk_field field;
    bool ok = true;
    while (ok && topk_fields_next(&message, &field, refusal) == TOPK_NEXT_FIELD) {
        if (field.field != data) {
            continue;
        }
        if (field.wire == alone) {
            ok = add_number(filling, field.number, field.place, refusal);
        } else {
            ok = demand(&field, TOPK_WIRE_BYTES, "the data", refusal) &&
                 fill_packed(filling, &whole, &field, refusal);
        }
    }
    return ok;
}

static bool fill(const struct tensor *tensor, struct topk_fields message, uint32_t data,
                 struct topk_packed *packed, struct topk_refusal *refusal)
{
    const uint64_t needed = topk_packed_bytes(packed);
    const uint64_t size = (uint64_t)(message.end - message.at);
    if (tensor->raw.bytes != NULL) {
        if (tensor->number_field != 0) {
            return topk_refuse(refusal, tensor->number_place, "data twice: raw_data, and these");
        }
        if (tensor->raw.size != needed) {
            return topk_refuse(refusal, tensor->raw.place,
                               "raw_data have %zu bytes, and the sizes need %" PRIu64,
                               tensor->raw.size, needed);
        }
        if (!topk_packed_allocate(packed, tensor->raw.place, refusal)) {
            return false;
        }
        memcpy(packed->data, tensor->raw.bytes, tensor->raw.size);
        return true;
    }
    if (tensor->number_field != 0 && tensor->number_field != data) {
        return topk_refuse(refusal, tensor->number_place,
                           "the data are in field %" PRIu32
                           ", and those of this type are in %" PRIu32,
                           tensor->number_field, data);
    }
    /* Each element takes at least one byte, so a file cannot make us allocate more memory than its
     * size justifies. */
    struct filling filling = {packed, 0, data == TENSOR_FLOAT_DATA};
    if (packed->elements <= size) {
        if (!topk_packed_allocate(packed, 0, refusal) ||
            !fill_numbers(&filling, message, data, refusal)) {
            return false;
        }
    }
    return filling.filled == packed->elements ||
           topk_refuse(refusal, size, "the sizes need %" PRIu64 " elements, and there are %" PRIu64,
                       packed->elements, filling.filled);
}

bool topk_onnx_tensor_read(struct topk_fields message, struct topk_packed *packed,
                           const uint8_t **name, size_t *name_size, struct topk_refusal *refusal)
{
    struct tensor tensor = {0};
    struct topk_fields rest = message;
    struct topk_field field;
    enum topk_next next;
    *packed = (struct topk_packed){0};
    *refusal = (struct topk_refusal){0};
    *name = NULL;
    *name_size = 0;
    while ((next = topk_fields_next(&rest, &field, refusal)) == TOPK_NEXT_FIELD) {
        if (field.field == TENSOR_NAME && field.wire == TOPK_WIRE_BYTES) {
            *name = field.bytes;
            *name_size = field.size;
        }
        if (!take_field(&tensor, &message, &field, refusal)) {
            return false;
        }
    }
    if (next == TOPK_NEXT_BROKEN) {
        return false;
    }
    unsigned i = 0;
    while (i < TOPK_TYPE_COUNT && types[i].onnx != tensor.onnx_type) {
        i++;
    }
    if (i == TOPK_TYPE_COUNT) {
        return topk_refuse(refusal, tensor.place,
                           "data_type %" PRIu64 ", which is not a type that TOP_K has",
                           tensor.onnx_type);
    }
    bool ok = topk_packed_shape(packed, types[i].type, tensor.sizes, tensor.rank, 0, refusal) &&
              fill(&tensor, message, types[i].data, packed, refusal);
    if (!ok) {
        topk_packed_clear(packed);
    }
    return ok;
}
