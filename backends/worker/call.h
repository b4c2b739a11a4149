/* One call of the operator with its buffers: the host prepares it, the backend computes it, the
 * judge checks it. */
#ifndef TOPK_CALL_H
#define TOPK_CALL_H

#include "case/case.h"
#include "protocol/protocol.h"
#include "reference/judge.h"
#include "topk_backend.h"

/* The content of the outputs before a call. */
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

/* Zero it before its first use. Its memory is reused from one preparation to the next. */
struct topk_call {
    struct topk_case tc; /* shares the literal data of the original case */
    struct topk_memory before[TOPK_ROLE_COUNT];
    /* The buffers before the call, in `before` or, for outputs, in memory that calls share if
     * nothing changes it. The judge changes outputs with padding. */
    unsigned char *given[TOPK_ROLE_COUNT];
    /* The buffers that the backend works on, or that came back from its process. They contain the
     * bytes that were given only after topk_call_load() or topk_call_surround(). */
    struct topk_memory live[TOPK_ROLE_COUNT];
    /* The bytes of an input, or around the tensor of an output, came back unchanged, and live is
     * not set for them. */
    bool kept[TOPK_ROLE_COUNT];
    /* how many first bytes of `before` hold random poison, except those from..to-1 that the last
     * tensor may have changed */
    uint64_t poisoned[TOPK_ROLE_COUNT];
    uint64_t tensor_from[TOPK_ROLE_COUNT];
    uint64_t tensor_to[TOPK_ROLE_COUNT];
    uint64_t bytes[TOPK_ROLE_COUNT];  /* size of each buffer, with the slack around it */
    uint64_t offset[TOPK_ROLE_COUNT]; /* offset of the tensor in it */
    uint64_t strides[TOPK_ROLE_COUNT][TOPK_RANK_MAX]; /* of the tensor, in bytes */
    struct topk_backend_tensor tensors[TOPK_ROLE_COUNT];
    struct topk_backend_call backend_call;
    struct topk_backend_answer answer;
    enum topk_guard_page guard_page;
    uint32_t owner; /* number of its case in the batch */
    /* in a frame of the backend protocol */
    uint64_t at[TOPK_ROLE_COUNT]; /* offsets of the buffers */
    bool starts_group;
};

/* Fills call->backend_call from a case, without buffers: create_only. */
void topk_call_describe(struct topk_call *call, const struct topk_case *tc);

/* Bytes of all buffers of a case. Saturates. */
uint64_t topk_call_bytes(const struct topk_case *tc);

/* Fills call->backend_call, and writes guards, poison, padding and data to `given`. `live` gets
 * the same size, and backend_call points into it. Returns false if memory is short. */
bool topk_call_prepare(struct topk_call *call, const struct topk_case *tc, enum topk_poison poison);

/* Copies all buffers from `given` to `live`, for a backend that works in place. */
void topk_call_load(struct topk_call *call);

/* Copies the bytes of a buffer outside of from..to-1 from `given` to `live`, because they were not
 * sent to the backend's process. */
void topk_call_surround(struct topk_call *call, enum topk_role role, uint64_t from, uint64_t to);

/* Copies the bytes that were kept from `given` to `live`, for who looks at whole buffers. */
void topk_call_complete(struct topk_call *call);

/* Gives the judge what it needs about a call that was run: of outputs whose surroundings were kept,
 * only the tensor. */
void topk_call_exhibit(const struct topk_call *call, struct topk_exhibit exhibits[TOPK_ROLE_COUNT]);

/* Judges containment: topk_judge_memory() of a call that was run. */
void topk_call_judge_memory(struct topk_call *call, struct topk_judgement *judgement);

/* Prepares a call that was run to be run again: restores what is given, with another
 * poison. Returns false if memory is short. */
bool topk_call_reset(struct topk_call *call, enum topk_poison poison);

/* The offset of a logical element in its buffer, in bytes. Elements along a dimension are
 * call->strides[role][dimension] apart. */
uint64_t topk_call_place(const struct topk_call *call, enum topk_role role, const uint32_t at[]);

/* Reads a logical element of the input as it was before the call. */
uint64_t topk_call_input(const struct topk_call *call, const uint32_t at[]);

/* Reads a logical element of an output after the call; `at` has the tensor's coordinates. */
uint64_t topk_call_output(const struct topk_call *call, enum topk_role role, const uint32_t at[]);

/* Frees each buffer with room for more than `bytes` bytes. */
void topk_call_trim(struct topk_call *call, uint64_t bytes);

void topk_call_free(struct topk_call *call);

#endif
