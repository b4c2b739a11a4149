/* Protobuf messages, as far as ONNX needs them: writes small ones, and reads any without recursion.
 * This takes less code than a library, and no schema. */
#ifndef TOPK_PROTOBUF_H
#define TOPK_PROTOBUF_H

#include "packed.h"

enum topk_wire {
    TOPK_WIRE_VARINT = 0,
    TOPK_WIRE_64 = 1,
    TOPK_WIRE_BYTES = 2,
    TOPK_WIRE_32 = 5
};

/* ---- writing --------------------------------------------------------------------------------- */

#define TOPK_MESSAGE_ROOM 512u

/* A message that is being written. What does not fit is dropped, and `full` is set. */
struct topk_message {
    uint8_t bytes[TOPK_MESSAGE_ROOM];
    size_t used;
    bool full;
};

void topk_message_integer(struct topk_message *message, uint32_t field, uint64_t number);
void topk_message_string(struct topk_message *message, uint32_t field, const char *text);
void topk_message_inner(struct topk_message *message, uint32_t field,
                        const struct topk_message *inner);
/* Starts a field of `size` bytes, which must follow the message. */
void topk_message_bytes(struct topk_message *message, uint32_t field, uint64_t size);

/* ---- reading --------------------------------------------------------------------------------- */

/* The unread rest of a message. */
struct topk_fields {
    const uint8_t *start; /* start of the whole input, for offsets in messages */
    const uint8_t *at;
    const uint8_t *end;
};

struct topk_field {
    uint32_t field;
    enum topk_wire wire;
    uint64_t number;      /* for VARINT, 64 and 32 */
    const uint8_t *bytes; /* for BYTES */
    size_t size;
    uint64_t place; /* offset of the field */
};

struct topk_fields topk_fields_of(const uint8_t *bytes, size_t size);
/* The message in a field of bytes; an empty message for another field. */
struct topk_fields topk_fields_within(const struct topk_fields *outer,
                                      const struct topk_field *field);

enum topk_next {
    TOPK_NEXT_FIELD,
    TOPK_NEXT_END,
    TOPK_NEXT_BROKEN /* refusal is filled */
};
enum topk_next topk_fields_next(struct topk_fields *fields, struct topk_field *field,
                                struct topk_refusal *refusal);

/* Reads a number of a packed field and advances *at. Returns false, with the refusal filled, if it
 * is malformed. */
bool topk_varint_read(const uint8_t *start, const uint8_t **at, const uint8_t *end,
                      uint64_t *number, struct topk_refusal *refusal);

#endif
