/* What the parts of the client share: client.c opens and closes; client_cut.c cuts calls into
 * frames, client_frame.c sends them and receives answers, client_block.c has their bytes; all wait
 * and read by client_io.c; client_share.c shares memory, client_memory.c knows what is in it.
 * Nobody else includes this. */
#ifndef TOPK_CLIENT_STATE_H
#define TOPK_CLIENT_STATE_H

#include "client.h"
#include "protocol/protocol.h"

/* Frames that are not answered: one is computed, the next waits. Each has a half of the memory. */
#define TOPK_CLIENT_AHEAD 2u
/* Most bytes that are sent ahead of an answer. */
#define TOPK_CLIENT_AHEAD_BYTES 49152u

/* What a process is waited for. */
enum topk_phase {
    TOPK_PHASE_ANSWER,  /* it computes */
    TOPK_PHASE_READING, /* it is to read what is sent */
    TOPK_PHASE_BYTES    /* it has to finish the answer that it began */
};

/* calls that go together; the oldest first */
struct topk_frame {
    struct topk_call *const *queue;
    uint32_t count;
    uint32_t groups;
    uint32_t part; /* number of the send that it belongs to */
    bool create;   /* the calls are only created: not to be judged */
    uint64_t number;
    uint64_t bytes; /* of its block */
    uint64_t wire;  /* bytes in the pipe, about */
    uint64_t sent;  /* clock */
};

/* cases of the batch; none if first > last */
struct topk_owners {
    uint32_t first;
    uint32_t last;
};

/* what a half of the memory held last */
struct topk_half {
    uint64_t bytes; /* 0: nothing that is looked at */
    uint64_t sum;
    struct topk_owners owners;
};

struct topk_client {
    struct topk_backend table; /* probes */
    struct topk_link link;
    struct topk_greeting greeting;
    struct topk_client_end end;
    struct topk_crash crash; /* where it said that it crashed */
    bool at_end;
    uint64_t limit; /* nanoseconds */
    bool careful;
    /* waiting */
    enum topk_phase phase;
    uint64_t patience; /* nanoseconds that it was given */
    uint64_t deadline;
    uint64_t mark; /* what the process last said to be at */
    bool unread;   /* it closed its input */
    /* frames: those that are sent first, then those that wait */
    struct topk_frame *frames;
    uint32_t frame_room;
    uint32_t frame_count;
    uint32_t sent;
    uint32_t part;           /* number of the last send */
    uint32_t received_part;  /* number of the last part that was received */
    uint64_t number;         /* of the last frame */
    uint64_t answered;       /* clock of the last answer */
    struct topk_owners last; /* of the frame that was answered last */
    uint64_t spent;          /* on frames of the part that is received */
    /* memory */
    unsigned char *memory; /* NULL: there is none */
    bool no_memory;        /* and will be none */
    uint64_t half_bytes;
    struct topk_half halves[TOPK_CLIENT_AHEAD];
    /* probes */
    char names[TOPK_PROBES_MAX][TOPK_PROBE_NAME];
    uint32_t name_count;
    bool named;
    struct topk_stream stream;
};

/* Gives the process so long, for something of so many bytes. */
void topk_client_wait(struct topk_client *client, enum topk_phase phase, uint64_t nanoseconds,
                      uint64_t bytes);

/* The process ended, closed a pipe, or was late: the result of reading or writing says which. */
void topk_client_lost(struct topk_client *client, enum topk_wire_read came);

/* What the process said or did is no answer: it is not to be believed any more. */
void topk_client_wrong(struct topk_client *client, const char *format, ...);
/* The same, of a line; `wanted` is what has to stand there. */
void topk_client_wrong_line(struct topk_client *client, const char *line, size_t length,
                            const char *wanted);

/* The functions of the stream: until the deadline, or until the process ends. */
int64_t topk_client_read(void *self, void *data, size_t room);
int64_t topk_client_write(void *self, const void *data, size_t bytes);

/* Reads a line; wanted, which has to stand there, is for messages. False if there is none. */
bool topk_client_line(struct topk_client *client, const char *wanted, char **line, size_t *length);

/* Cuts calls into frames, which wait behind those that there are. A call that is too large for the
 * process is answered instead. */
void topk_client_cut(struct topk_client *client, struct topk_call *const queue[], uint32_t count);

/* The owners of its first and of its last call. */
struct topk_owners topk_client_owners(const struct topk_frame *frame);

/* ---- the bytes of a frame -----------------------------------------------------------------------
 */

/* Gives the buffers of a call their places from `from` on; returns where they end. */
uint64_t topk_client_place(const struct topk_client *client, struct topk_call *call, uint64_t from);

/* Puts the bytes into the pipe; takes them out of it again, or ends the process and returns false.
 */
enum topk_wire_read topk_client_put_block(struct topk_client *client,
                                          const struct topk_frame *frame);
bool topk_client_take_block(struct topk_client *client, const struct topk_frame *frame);

/* Copies the bytes into the memory that the process maps; copies them out of it again, or ends the
 * process and returns false. */
void topk_client_share_block(struct topk_client *client, const struct topk_frame *frame);
bool topk_client_copy_block(struct topk_client *client, const struct topk_frame *frame);

/* ---- the memory ---------------------------------------------------------------------------------
 */

/* The memory starts with what the process says to be at; the rest of this stays zero. */
#define TOPK_CLIENT_HEAD 4096u
/* A sum reads whole pieces of so many bytes: what follows the bytes of a frame is zero. */
#define TOPK_CLIENT_SUM_BYTES ((size_t)64)

/* The half of the memory that the frame of a number has. */
unsigned char *topk_client_half(const struct topk_client *client, uint64_t number);
/* A sum of bytes, whatever is changed of them. */
uint64_t topk_client_sum(const unsigned char *data, uint64_t bytes);

/* A half that the process wrote to after it had answered; NULL: there is none. */
const struct topk_half *topk_client_late(const struct topk_client *client);

/* Looks at what the half for the frame of a number held last, or at all of them, for writes that
 * came too late. */
void topk_client_settle_half(struct topk_client *client, uint64_t number);
void topk_client_settle_halves(struct topk_client *client);

/* Sees to the memory that a frame needs; false if that has to wait for answers. */
bool topk_client_make_room(struct topk_client *client, const struct topk_frame *frame);

/* The frame that was sent and has a group that a mark, F * 65536 + G, says; NULL: there is none. */
const struct topk_frame *topk_client_marked(const struct topk_client *client, uint64_t mark);

/* The mark in the memory: read once, as the process may change it at any time. */
uint64_t topk_client_mark(const struct topk_client *client);

#endif
