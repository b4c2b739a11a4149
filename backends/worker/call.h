/* One call of the operator with its buffers: what the host prepares, the backend answers and the
 * judge looks at. */
#ifndef TOPK_CALL_H
#define TOPK_CALL_H

#include "case/case.h"
#include "protocol/protocol.h"
#include "reference/judge.h"
#include "topk_backend.h"

/* What the outputs hold before a call. */
enum topk_poison {
    TOPK_POISON_RANDOM,
    TOPK_POISON_ONES,
    TOPK_POISON_ZEROS
};

/* A growing buffer. */
struct topk_memory {
    unsigned char *raw;  /* as allocated */
    unsigned char *data; /* aligned to 64 bytes */
    uint64_t room;
};

/* Buffers of a call. */
#define TOPK_CALL_BUFFERS ((uint64_t)2 * TOPK_ROLE_COUNT)

/* Zero it before its first use; what it owns is reused from one preparation to the next. */
struct topk_call {
    struct topk_case tc; /* shares the literal of the case it was made from */
    struct topk_memory before[TOPK_ROLE_COUNT]; /* what it was given; the judge changes outputs */
    /* What the backend works on, or what came back from its process. Has the bytes of `before` only
     * once topk_call_load() or topk_call_surround() put them there. */
    struct topk_memory live[TOPK_ROLE_COUNT];
    bool input_kept; /* live is not set for the input: it came back as it was given */
    /* first bytes of `before` that hold random poison, but for those of the tensor that was last */
    uint64_t poisoned[TOPK_ROLE_COUNT];
    uint64_t tensor_from[TOPK_ROLE_COUNT];
    uint64_t tensor_to[TOPK_ROLE_COUNT];
    uint64_t bytes[TOPK_ROLE_COUNT];  /* of each buffer with what is kept around it */
    uint64_t offset[TOPK_ROLE_COUNT]; /* of the tensor in these */
    uint64_t strides[TOPK_ROLE_COUNT][TOPK_RANK_MAX]; /* of the tensor, in bytes */
    struct topk_backend_tensor tensors[TOPK_ROLE_COUNT];
    struct topk_backend_call backend_call;
    struct topk_backend_answer answer;
    enum topk_guard_page guard_page;
    uint32_t owner; /* number of its case in the batch */
    /* in a frame of the backend protocol */
    uint64_t at[TOPK_ROLE_COUNT]; /* where the buffers start */
    bool starts_group;
};

/* Fills call->backend_call from a case without buffers: create_only. */
void topk_call_describe(struct topk_call *call, const struct topk_case *tc);

/* Bytes of all buffers that a case needs, saturating. */
uint64_t topk_call_bytes(const struct topk_case *tc);

/* Fills call->backend_call, and guards, poison, padding and data into `before`. `live` has room for
 * the same, and backend_call points into it. False if memory is short. */
bool topk_call_prepare(struct topk_call *call, const struct topk_case *tc, enum topk_poison poison);

/* Copies all buffers from `before` to `live`, for a backend that works there. */
void topk_call_load(struct topk_call *call);

/* Copies what lies outside of bytes from..to-1 of a buffer from `before` to `live`: what did not
 * travel to the backend's process is as it was. */
void topk_call_surround(struct topk_call *call, enum topk_role role, uint64_t from, uint64_t to);

/* What the judge needs of a call that was run. */
void topk_call_exhibit(const struct topk_call *call, struct topk_exhibit exhibits[TOPK_ROLE_COUNT]);

/* Makes a call that was run ready to be run again: `before` as topk_call_prepare left it, over
 * another poison. */
void topk_call_reset(struct topk_call *call, enum topk_poison poison);

/* The bits of a logical element of the input as it was given; and sets them, before the call is
 * run. */
uint64_t topk_call_input(const struct topk_call *call, const uint32_t at[]);
void topk_call_set_input(struct topk_call *call, const uint32_t at[], uint64_t bits);

/* The bits of a logical element of an output after the call; at has the tensor's coordinates. */
uint64_t topk_call_output(const struct topk_call *call, enum topk_role role, const uint32_t at[]);

/* Frees each buffer that has room for more than so many bytes. */
void topk_call_trim(struct topk_call *call, uint64_t bytes);

void topk_call_free(struct topk_call *call);

#endif
