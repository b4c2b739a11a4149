/* Frames of the check: calls of a few elements, where their buffers lie, what has to come back. */
#ifndef TOPK_CHECK_FRAME_H
#define TOPK_CHECK_FRAME_H

#include "reference/operator.h"
#include "state.h"

/* A call of a frame. */
struct check_call {
    struct topk_operator op; /* at most 9 elements along the axis; the level comes by itself */
    bool invalid;            /* breaks a clause: has to be refused */
    bool create_only;
    struct topk_backend_answer answer;
    /* of the buffers, which come by themselves */
    uint64_t offset[TOPK_ROLE_COUNT];
    uint64_t buffer[TOPK_ROLE_COUNT];
    uint64_t at[TOPK_ROLE_COUNT];
};

/* What is asked in one go. Zero it, and set calls to count. */
struct check_frame {
    struct check_call *calls;
    uint32_t count;
    uint32_t group; /* calls wanted in a group; 0: as many as the process takes */
    bool guarded;   /* tensors have guards around them */
    bool scattered; /* buffers lie in another order than their tensors, with gaps */
    bool line_ends; /* there are bytes that a text has at line ends; 256 elements along the axis */
    uint32_t left_out; /* calls that need a higher level than the process has, or too much room */
    uint64_t number;   /* F */
    uint32_t groups;
    uint32_t hinted; /* groups that were told to have begun */
    size_t bytes;
    unsigned char *sent;
    unsigned char *wanted; /* the same after the calls */
    unsigned char *came;
};

/* calls.c: TOP_K of FLOAT32, three rows of `length` elements; */
struct check_call check_call_plain(uint32_t k, uint32_t length);
/* of other types; */
struct check_call check_call_typed(uint32_t type, uint32_t index_type);
/* of so many dimensions, 0 to TOPK_RANK_MAX; */
struct check_call check_call_ranked(uint32_t rank);
/* of tensors with strides, whose elements are not beside one another. */
struct check_call check_call_strided(void);
/* The same, marked as one that breaks a clause: it is only to be created. */
struct check_call check_call_invalid(struct check_call call);

/* Gives the frame its number, and buffers their places and bytes. Leaves out calls that the process
 * does not take. To be freed. False after check_stop(), if memory is short. */
bool check_frame_make(struct check *check, struct check_frame *frame);
void check_frame_free(struct check_frame *frame);

/* Says the lines of a frame; at: where in the memory its bytes are, 0: they come through the pipe.
 */
bool check_frame_say(struct check *check, struct check_frame *frame, uint64_t at);
/* Hears the answer up to its bytes; *bytes: how many follow. */
bool check_frame_hear(struct check *check, struct check_frame *frame, bool shared, size_t *bytes);
/* Holds frame->came, if there are `bytes`, against what is wanted. */
bool check_frame_compare(struct check *check, struct check_frame *frame, size_t bytes);

/* Sends a frame that was made, through the pipe; hears and holds against what is wanted. */
bool check_frame_send(struct check *check, struct check_frame *frame);
bool check_frame_receive(struct check *check, struct check_frame *frame);

/* The calls of an answer that are done. */
uint32_t check_frame_done(const struct check_frame *frame);

/* Bytes that no line end has. */
unsigned char check_filler(uint64_t place);

/* diagnose.c: names the rule that makes the bytes differ; false. */
bool check_diagnose(struct check *check, const struct check_frame *frame);

#endif
