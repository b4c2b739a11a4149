/* Shared by the parts of the client. client.c opens and closes it; client_cut.c cuts calls into
 * frames; client_frame.c sends frames and receives answers, and client_block.c their bytes;
 * client_io.c waits and reads; client_share.c shares memory, and client_memory.c accesses it.
 * Private to the client. */
#ifndef TOPK_CLIENT_STATE_H
#define TOPK_CLIENT_STATE_H

#include "client.h"
#include "protocol/protocol.h"

/* Greatest number of unanswered frames: one is computed, the next waits. Each has a half of the
 * memory. */
#define TOPK_CLIENT_AHEAD 2u
/* Greatest number of bytes that are sent before an answer is received. */
#define TOPK_CLIENT_AHEAD_BYTES 49152u

/* What the client waits for. */
enum topk_phase {
    TOPK_PHASE_ANSWER,  /* the process computes */
    TOPK_PHASE_READING, /* the process must read what is sent */
    TOPK_PHASE_BYTES    /* the process must finish the answer that it began */
};

/* calls that are sent together */
struct topk_frame {
    struct topk_call *const *queue;
    uint32_t count;
    uint32_t groups;
    uint32_t part; /* number of the topk_client_send() that it belongs to */
    bool create;   /* the calls are only created, and not judged */
    uint64_t number;
    uint64_t bytes; /* of its block */
    uint64_t wire;  /* approximate bytes in the pipe */
    uint64_t sent;  /* clock when it was sent */
};

/* cases of the batch; none if first > last */
struct topk_owners {
    uint32_t first;
    uint32_t last;
};

/* the last contents of a half of the memory */
struct topk_half {
    uint64_t bytes; /* 0: nothing to check */
    uint64_t sum;
    struct topk_owners owners;
};

struct topk_client {
    struct topk_backend table; /* probes */
    struct topk_link link;
    struct topk_greeting greeting;
    struct topk_client_end end;
    struct topk_crash crash; /* the place of the crash that it reported */
    bool at_end;
    uint64_t limit; /* nanoseconds */
    bool careful;
    /* waiting */
    enum topk_phase phase;
    uint64_t patience; /* nanoseconds that it was given */
    uint64_t deadline;
    uint64_t mark; /* the last mark from the process */
    bool unread;   /* it closed its input */
    /* frames: first those that were sent, then those that wait */
    struct topk_frame *frames;
    uint32_t frame_room;
    uint32_t frame_count;
    uint32_t sent;
    uint32_t part;           /* number of the last send */
    uint32_t received_part;  /* number of the last part that was received */
    uint64_t number;         /* of the last frame */
    uint64_t answered;       /* clock of the last answer */
    struct topk_owners last; /* owners of the last answered frame */
    uint64_t spent;          /* nanoseconds spent on frames of the part that is being received */
    /* memory */
    unsigned char *memory; /* NULL: no shared memory */
    bool no_memory;        /* and there will be none */
    uint64_t half_bytes;
    struct topk_half halves[TOPK_CLIENT_AHEAD];
    /* probes */
    char names[TOPK_PROBES_MAX][TOPK_PROBE_NAME];
    uint32_t name_count;
    bool named;
    struct topk_stream stream;
};

/* Gives the process some time, for something of `bytes` bytes. */
void topk_client_wait(struct topk_client *client, enum topk_phase phase, uint64_t nanoseconds,
                      uint64_t bytes);

/* The process ended, closed a pipe, or was late, according to the result of a read or write. */
void topk_client_lost(struct topk_client *client, enum topk_wire_read came);

/* Ends the process, which cannot be used any more. */
void topk_client_give_up(struct topk_client *client, const char *why);
/* The process violated the protocol and is not trusted any more. format: what it did. What is
 * stored begins with TOPK_BROKE_PROTOCOL. */
void topk_client_wrong(struct topk_client *client, const char *format, ...);
/* The same for an invalid line; `wanted` describes the valid one. */
void topk_client_wrong_line(struct topk_client *client, const char *line, size_t length,
                            const char *wanted);

/* The functions of the stream: they wait until the deadline, or until the process ends. */
int64_t topk_client_read(void *self, void *data, size_t room);
int64_t topk_client_write(void *self, const void *data, size_t bytes);

/* Reads a line; wanted describes it for messages. Returns false if there is none. */
bool topk_client_line(struct topk_client *client, const char *wanted, char **line, size_t *length);

/* Cuts calls into frames and appends these to the waiting ones. Answers a call that is too large
 * for the process itself. */
void topk_client_cut(struct topk_client *client, struct topk_call *const queue[], uint32_t count);

/* The owners of a frame's first and last calls. */
struct topk_owners topk_client_owners(const struct topk_frame *frame);

/* ---- the bytes of a frame -------------------------------------------------------------------- */

/* Assigns offsets to the buffers of a call, starting at `from`; returns the end. */
uint64_t topk_client_place(const struct topk_client *client, struct topk_call *call, uint64_t from);

/* Writes the bytes of a frame to the pipe; reads them from it, or ends the process and returns
 * false. */
enum topk_wire_read topk_client_put_block(struct topk_client *client,
                                          const struct topk_frame *frame);
bool topk_client_take_block(struct topk_client *client, const struct topk_frame *frame);

/* Copies the bytes of a frame into the shared memory; copies them out, or ends the process and
 * returns false. */
void topk_client_share_block(struct topk_client *client, const struct topk_frame *frame);
bool topk_client_copy_block(struct topk_client *client, const struct topk_frame *frame);

/* ---- the memory ------------------------------------------------------------------------------ */

/* The memory starts with the mark of the process; the rest of the head stays zero. */
#define TOPK_CLIENT_HEAD 4096u
/* A sum reads blocks of this size, so zeros follow the bytes of a frame. */
#define TOPK_CLIENT_SUM_BYTES ((size_t)64)

/* The half of the memory for a frame, by its number. */
unsigned char *topk_client_half(const struct topk_client *client, uint64_t number);
/* A sum of bytes that changes with each byte and with their order, taken in parts. Zero it first.
 * As members rather than an array, the lanes stay in the registers of vectors. */
struct topk_client_lanes {
    uint64_t a, b, c, d, e, f, g, h;
};
struct topk_client_sum {
    struct topk_client_lanes sums;
    struct topk_client_lanes sums_of_sums;
    uint64_t taken; /* number of bytes, a multiple of TOPK_CLIENT_SUM_BYTES */
};
/* Takes at least the first `bytes` bytes of data, which must be the same each time: those that were
 * not taken before. */
void topk_client_sum_take(struct topk_client_sum *sum, const unsigned char *data, uint64_t bytes);
uint64_t topk_client_sum_end(const struct topk_client_sum *sum);
/* The sum of all bytes. */
uint64_t topk_client_sum(const unsigned char *data, uint64_t bytes);

/* A half that the process wrote to after its answer; NULL: none. */
const struct topk_half *topk_client_late(const struct topk_client *client);

/* Checks the half for a frame, or all halves, for writes that came too late. */
void topk_client_settle_half(struct topk_client *client, uint64_t number);
void topk_client_settle_halves(struct topk_client *client);

/* Provides the memory that a frame needs. Returns false if that must wait for answers. */
bool topk_client_make_room(struct topk_client *client, const struct topk_frame *frame);

/* The frame that a mark, F * 65536 + G, refers to, if it was sent and has that group; else NULL. */
const struct topk_frame *topk_client_marked(const struct topk_client *client, uint64_t mark);

/* The mark in the memory; read once, because the process may change it at any time. */
uint64_t topk_client_mark(const struct topk_client *client);

#endif
