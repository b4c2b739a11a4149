/* See protobuf.h. */
#include "protobuf.h"

#include <inttypes.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

static void put_bytes(struct topk_message *message, const void *bytes, size_t count)
{
    if (message->full || count > sizeof message->bytes - message->used) {
        message->full = true;
        return;
    }
    memcpy(message->bytes + message->used, bytes, count);
    message->used += count;
}

static void put_varint(struct topk_message *message, uint64_t number)
{
    for (; number > 0x7f; number >>= 7) {
        const uint8_t low = (uint8_t)(number | 0x80);
        put_bytes(message, &low, 1);
    }
    const uint8_t last = (uint8_t)number;
    put_bytes(message, &last, 1);
}

void topk_message_integer(struct topk_message *message, uint32_t field, uint64_t number)
{
    put_varint(message, field << 3 | TOPK_WIRE_VARINT);
    put_varint(message, number);
}

void topk_message_bytes(struct topk_message *message, uint32_t field, uint64_t size)
{
    put_varint(message, field << 3 | TOPK_WIRE_BYTES);
    put_varint(message, size);
}

void topk_message_string(struct topk_message *message, uint32_t field, const char *text)
{
    topk_message_bytes(message, field, strlen(text));
    put_bytes(message, text, strlen(text));
}

void topk_message_inner(struct topk_message *message, uint32_t field,
                        const struct topk_message *inner)
{
    topk_message_bytes(message, field, inner->used);
    put_bytes(message, inner->bytes, inner->used);
    message->full |= inner->full;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct topk_fields topk_fields_of(const uint8_t *bytes, size_t size)
{
    return (struct topk_fields){bytes, bytes, bytes + size};
}

struct topk_fields topk_fields_within(const struct topk_fields *outer,
                                      const struct topk_field *field)
{
    const uint8_t *bytes = field->wire == TOPK_WIRE_BYTES ? field->bytes : outer->end;
    return (struct topk_fields){outer->start, bytes, bytes + field->size};
}

bool topk_varint_read(const uint8_t *start, const uint8_t **at, const uint8_t *end,
                      uint64_t *number, struct topk_refusal *refusal)
{
    const uint64_t place = (uint64_t)(*at - start);
    *number = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*at == end) {
            return topk_refuse(refusal, place, "cut off within a number");
        }
        const uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1) {
            break;
        }
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return topk_refuse(refusal, place, "a number of more than 64 bits");
}

/* Takes a number with this many bytes, least significant first. */
static bool take_fixed(struct topk_fields *fields, struct topk_field *field, size_t bytes,
                       struct topk_refusal *refusal)
{
    if ((size_t)(fields->end - fields->at) < bytes) {
        return topk_refuse(refusal, field->place, "cut off within a number of %zu bytes", bytes);
    }
    field->number = 0;
    for (size_t i = 0; i < bytes; i++) {
        field->number |= (uint64_t)fields->at[i] << (8 * i);
    }
    fields->at += bytes;
    return true;
}

static bool take_bytes(struct topk_fields *fields, struct topk_field *field,
                       struct topk_refusal *refusal)
{
    uint64_t size;
    if (!topk_varint_read(fields->start, &fields->at, fields->end, &size, refusal)) {
        return false;
    }
    const size_t left = (size_t)(fields->end - fields->at);
    if (size > left) {
        return topk_refuse(refusal, field->place,
                           "field %" PRIu32 " has %" PRIu64 " bytes, and %zu are left",
                           field->field, size, left);
    }
    field->bytes = fields->at;
    field->size = (size_t)size;
    fields->at += size;
    return true;
}

static bool take_field(struct topk_fields *fields, struct topk_field *field,
                       struct topk_refusal *refusal)
{
    uint64_t tag;
    if (!topk_varint_read(fields->start, &fields->at, fields->end, &tag, refusal)) {
        return false;
    }
    if (tag >> 3 == 0 || tag > UINT32_MAX) {
        return topk_refuse(refusal, field->place, "no field has the number %" PRIu64, tag >> 3);
    }
    field->field = (uint32_t)(tag >> 3);
    switch (tag & 7) {
    case TOPK_WIRE_VARINT:
        field->wire = TOPK_WIRE_VARINT;
        return topk_varint_read(fields->start, &fields->at, fields->end, &field->number, refusal);
    case TOPK_WIRE_64:
        field->wire = TOPK_WIRE_64;
        return take_fixed(fields, field, 8, refusal);
    case TOPK_WIRE_32:
        field->wire = TOPK_WIRE_32;
        return take_fixed(fields, field, 4, refusal);
    case TOPK_WIRE_BYTES:
        field->wire = TOPK_WIRE_BYTES;
        return take_bytes(fields, field, refusal);
    default:
        return topk_refuse(refusal, field->place,
                           "field %" PRIu32 " has the wire type %u, which ONNX "
                           "does not use",
                           field->field, (unsigned)(tag & 7));
    }
}

enum topk_next topk_fields_next(struct topk_fields *fields, struct topk_field *field,
                                struct topk_refusal *refusal)
{
    if (fields->at == fields->end) {
        return TOPK_NEXT_END;
    }
    *field = (struct topk_field){.place = (uint64_t)(fields->at - fields->start)};
    return take_field(fields, field, refusal) ? TOPK_NEXT_FIELD : TOPK_NEXT_BROKEN;
}
