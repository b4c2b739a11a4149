/* What the parts of hostile share: the requests of a judge, as they are read and computed, and ways
 * to answer them. hostile.c reads and has main(); each other file has a table of modes. */
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
    unsigned char *came[TOPK_WIRE_TENSORS]; /* as the judge sent it */
    unsigned char *now[TOPK_WIRE_TENSORS];  /* as it is answered */
};

struct frame {
    uint64_t number;
    uint32_t count;
    uint32_t groups;
    uint64_t bytes;      /* of its block */
    unsigned char *came; /* the block */
    unsigned char *now;
    unsigned char *shared; /* the block in the memory; NULL: it came through the pipe */
    struct call calls[TOPK_WIRE_CALLS];
};

/* what it says of itself */
struct said {
    struct topk_backend_info info;
    uint32_t flags;
    uint64_t frame;
    uint32_t align;
};

struct mode {
    const char *name; /* NULL ends a table */
    const char *about;
    uint32_t batch; /* calls that it wants in a group; 0: one */
    uint32_t flags; /* of the introduction, beside those of cpu */
    uint32_t align; /* 0: 64 */
    bool deaf;      /* it does not end when it is told to */
    bool creates;   /* answer() is for frames of calls that are only created, too */
    /* before anything is read */
    void (*begin)(void);
    /* changes who it says it is, or says it itself: then it returns false */
    bool (*greet)(struct said *said);
    /* once a frame was read and computed: changes what is answered, of each call whose outputs are
     * judged, or in one go */
    void (*spoil_call)(struct call *call);
    void (*spoil)(struct frame *frame);
    uint32_t status; /* of each call that is done, in its place; 0: as it is */
    /* says the answer in its own way */
    void (*answer)(struct frame *frame);
    /* answers any other request in its own way; false: it did not */
    bool (*other)(const char *request);
    /* when it was told to quit */
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
    uint64_t served; /* frames that were answered, but for those that are only created */
    unsigned char *memory;
    uint64_t memory_bytes;
    int memory_file;
};
extern struct hostile hostile;

/* the parent of a process; 0 if it is gone */
pid_t parent_of(pid_t pid);
_Noreturn void give_up(const char *why);
/* waits for its end, whatever else it gets */
_Noreturn void hang(void);
_Noreturn void die_by(int number);
/* instead of an answer */
void die_segv(struct frame *frame);
void sleep_microseconds(uint64_t microseconds);
/* how often this program was started with one HOSTILE_STATE, this time included */
uint64_t starts(void);

/* reads a line of a request; false at the end */
bool read_request(char **line, size_t *length);
/* whether there is more to read, now or soon */
bool request_waits(void);
/* reads what stands behind "frame ", and all that belongs to it, and computes it */
void read_frame(struct frame *frame, const char *at);

void say(const char *format, ...);
/* a character so many times */
void say_many(char c, uint32_t count);
void say_greeting(const struct said *said);
/* a call whose outputs are judged */
bool computed(const struct call *call);
/* what the answer to a frame has to announce */
uint64_t answer_bytes(const struct frame *frame);
void say_head(const struct frame *frame, uint64_t bytes);
void say_status(const struct call *call);
void say_statuses(const struct frame *frame);
/* the bytes of a frame, into the pipe or the memory */
void say_bytes(const struct frame *frame);
/* the whole answer */
void say_answer(struct frame *frame);
/* "at F G" */
void say_mark(uint64_t number, uint64_t group);
/* answers rightly at first; true once that is over */
bool moment_is_there(struct frame *frame, uint64_t right);

unsigned char *tensor_start(struct call *call, uint32_t tensor);
/* the next index, of those that there are, in each place */
void wrong_indices(struct call *call);
/* all bytes as they came */
void echo(struct call *call);
/* calls a function for each call whose outputs are judged */
void spoil_each(struct frame *frame, void (*spoil)(struct call *call));

#endif
