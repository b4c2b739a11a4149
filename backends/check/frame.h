/* Frames of the check: calls of a few elements, the offsets of their buffers, and the expected
 * answers. */
#ifndef TOPK_CHECK_FRAME_H
#define TOPK_CHECK_FRAME_H

#include "reference/operator.h"
#include "state.h"

/* A call of a frame. */
struct check_call {
    struct topk_operator op; /* at most 9 elements along Axis; the level is set by the check */
    bool invalid;            /* breaks a clause, so it must be refused */
    bool create_only;
    struct topk_backend_answer answer;
    /* of the buffers, which are set by the check */
    uint64_t offset[TOPK_ROLE_COUNT];
    uint64_t buffer[TOPK_ROLE_COUNT];
    uint64_t at[TOPK_ROLE_COUNT];
};

/* The calls of one frame. Zero it, and set calls to count. */
struct check_frame {
    struct check_call *calls;
    uint32_t count;
    uint32_t group; /* calls per group; 0: as many as the process accepts */
    bool guarded;   /* tensors have guards around them */
    bool scattered; /* buffers are in another order than their tensors, with gaps */
    bool line_ends; /* contains bytes that are line ends in texts; 256 elements along Axis */
    /* number of calls that need a higher level or a larger frame than the process has */
    uint32_t left_out;
    uint64_t number; /* F */
    uint32_t groups;
    uint32_t hinted; /* number of groups for which a mark arrived */
    size_t bytes;
    unsigned char *sent;
    unsigned char *wanted; /* the expected bytes after the calls */
    unsigned char *came;
};

/* In calls.c: TOP_K of FLOAT32, three rows of `length` elements; */
struct check_call check_call_plain(uint32_t k, uint32_t length);
/* with other types; */
struct check_call check_call_typed(uint32_t type, uint32_t index_type);
/* with a number of dimensions, 0 to TOPK_RANK_MAX; */
struct check_call check_call_ranked(uint32_t rank);
/* with strides between elements. */
struct check_call check_call_strided(void);
/* The same call, marked as invalid: it is only created. */
struct check_call check_call_invalid(struct check_call call);

/* Sets the number of the frame, and the offsets and contents of its buffers. Leaves out calls that
 * the process does not support. Free it. Returns false, after check_stop(), if memory is short. */
bool check_frame_make(struct check *check, struct check_frame *frame);
void check_frame_free(struct check_frame *frame);

/* Sends the lines of a frame; at: offset of its bytes in the memory, 0: they go through the
 * pipe. */
bool check_frame_say(struct check *check, struct check_frame *frame, uint64_t at);
/* Reads the answer up to its bytes; *bytes: how many follow. */
bool check_frame_hear(struct check *check, struct check_frame *frame, bool shared, size_t *bytes);
/* Compares frame->came, if it has `bytes`, with the expected bytes. */
bool check_frame_compare(struct check *check, struct check_frame *frame, size_t bytes);

/* Sends a frame through the pipe; reads the answer and compares it. */
bool check_frame_send(struct check *check, struct check_frame *frame);
bool check_frame_receive(struct check *check, struct check_frame *frame);

/* The number of calls that were done. */
uint32_t check_frame_done(const struct check_frame *frame);

/* A byte that differs from line ends. */
unsigned char check_filler(uint64_t place);

/* In diagnose.c: names the rule that explains wrong bytes; returns false. */
bool check_diagnose(struct check *check, const struct check_frame *frame);

#endif
