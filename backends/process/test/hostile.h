/* Shared by the parts of hostile, a backend process that cheats: reads and computes the judge's
 * requests, and offers ways to falsify the answers. hostile.c reads and has main(); each other file
 * has a table of modes. */
#ifndef TOPK_HOSTILE_H
#define TOPK_HOSTILE_H

#include <stdio.h>
#include <sys/types.h>

#include "process/loader.h"
#include "protocol/protocol.h"

#define EXIT_USAGE 2

enum {
    INPUT,
    VALUE,
    INDEX
};

struct call {
    struct topk_wire_call wire;
    struct topk_backend_answer answer;
    uint32_t group;
    uint64_t bytes[TOPK_WIRE_TENSORS];
    unsigned char *came[TOPK_WIRE_TENSORS]; /* as received from the judge */
    unsigned char *now[TOPK_WIRE_TENSORS];  /* as sent in the answer */
};

struct frame {
    uint64_t number;
    uint32_t count;
    uint32_t groups;
    uint64_t bytes;      /* of its block */
    unsigned char *came; /* the block */
    unsigned char *now;
    unsigned char *shared; /* the block in shared memory; NULL: it came through the pipe */
    struct call calls[TOPK_WIRE_CALLS];
};

/* what the greeting says */
struct said {
    struct topk_backend_info info;
    uint32_t flags;
    uint64_t frame;
    uint32_t align;
};

struct mode {
    const char *name; /* NULL ends a table */
    const char *about;
    uint32_t batch; /* calls in a group; 0: one */
    uint32_t flags; /* of the greeting, in addition to those of cpu */
    uint32_t align; /* 0: 64 */
    bool deaf;      /* it does not end when it is told to quit */
    bool creates;   /* answer() also gets frames whose calls are only created */
    /* called before anything is read */
    void (*begin)(void);
    /* changes the greeting, or sends it itself and returns false */
    bool (*greet)(struct said *said);
    /* called after a frame was computed: changes each call whose outputs are judged, or the whole
     * frame */
    void (*spoil_call)(struct call *call);
    void (*spoil)(struct frame *frame);
    uint32_t status; /* replaces the status of each call that is done; 0: unchanged */
    /* sends the answer itself */
    void (*answer)(struct frame *frame);
    /* answers any other request itself; false: it did not */
    bool (*other)(const char *request);
    /* called when it is told to quit */
    void (*quit)(void);
};

extern const struct mode byte_modes[];
extern const struct mode answer_modes[];
extern const struct mode line_modes[];
extern const struct mode end_modes[];
extern const struct mode greeting_modes[];
extern const struct mode request_modes[];
extern const struct mode memory_modes[];
extern const struct mode reach_modes[];
extern const struct mode contain_modes[];

struct hostile {
    struct mode mode;
    FILE *out;
    pid_t judge;
    uint64_t served; /* answered frames, without those whose calls are only created */
    unsigned char *memory;
    uint64_t memory_bytes;
    int memory_file;
};
extern struct hostile hostile;

/* the parent of a process; 0 if it is gone */
pid_t parent_of(pid_t pid);
_Noreturn void give_up(const char *why);
/* waits to be killed, and ignores everything else */
_Noreturn void hang(void);
_Noreturn void die_by(int number);
/* used instead of an answer */
void die_segv(struct frame *frame);
void sleep_microseconds(uint64_t microseconds);
/* how often this program was started with the same HOSTILE_STATE, including this time */
uint64_t starts(void);

/* reads the line of a request; false at the end */
bool read_request(char **line, size_t *length);
/* whether more input follows, now or soon */
bool request_waits(void);
/* reads and computes the frame whose line continues at `at`, after "frame " */
void read_frame(struct frame *frame, const char *at);

void say(const char *format, ...);
/* prints a character `count` times */
void say_many(char c, uint32_t count);
void say_greeting(const struct said *said);
/* whether the call's outputs are judged */
bool computed(const struct call *call);
/* the number of bytes that the answer to a frame announces */
uint64_t answer_bytes(const struct frame *frame);
void say_head(const struct frame *frame, uint64_t bytes);
void say_status(const struct call *call);
void say_statuses(const struct frame *frame);
/* sends the bytes of a frame, through the pipe or the memory */
void say_bytes(const struct frame *frame);
/* sends the whole answer */
void say_answer(struct frame *frame);
/* "at F G" */
void say_mark(uint64_t number, uint64_t group);
/* answers correctly `right` times; then returns true */
bool moment_is_there(struct frame *frame, uint64_t right);

unsigned char *tensor_start(struct call *call, uint32_t tensor);
/* replaces each index by the next valid one */
void wrong_indices(struct call *call);
/* returns all bytes as received */
void echo(struct call *call);
/* calls a function for each call whose outputs are judged */
void spoil_each(struct frame *frame, void (*spoil)(struct call *call));

#endif
