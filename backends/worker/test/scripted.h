/* A scripted backend process, which says what a test tells it to, in any order, and the client that
 * must cope with it. The clock is part of the script, so waiting takes no real time. */
#ifndef TOPK_SCRIPTED_H
#define TOPK_SCRIPTED_H

#include "worker/client_state.h"

/* What the process does after it has said everything. */
enum ending {
    ENDS,   /* its output ends, then the process */
    SILENT, /* it says nothing more, and time passes */
    GONE,   /* it ended, but another process keeps its pipe open */
    FAILS   /* reading its output fails */
};

extern struct scripted {
    /* What the process says. `|' ends a read, `#' stands for `block' zero bytes, `$' for the number
     * `block', `~' for a zero byte. */
    const char *says;
    enum ending ending;
    bool slow;       /* the first read returns nothing */
    bool was_read;   /* the first read has happened */
    int64_t takes;   /* bytes that it accepts; -1: all */
    int64_t after;   /* result of further writes */
    bool ended;      /* it ended before it was told to quit */
    bool unheard;    /* it did not read `quit' */
    bool bad;        /* its exit code is not 0 */
    const char *how; /* how it ended */
    bool no_memory;  /* the system cannot share memory */
    uint64_t shared;
    uint32_t shares;
    uint64_t mark;      /* stored in the memory at the first timeout; 0: none */
    uint64_t block;     /* bytes of a frame of calls 0 and 1 */
    uint64_t zeros;     /* zero bytes still to be said */
    char said[1 << 16]; /* what the process was told, as far as it fits */
    size_t said_length;
} process;

/* The functions of the process. */
extern const struct topk_link scripted_link;

/* The memory that it maps: two halves of 1 MiB. */
extern unsigned char scripted_memory[((size_t)2 << 20) + TOPK_CLIENT_HEAD];

/* The scripted time, in nanoseconds. */
extern uint64_t now;

/* The calls of cases 0 to 3. */
#define CALLS 4u
extern struct topk_call calls[CALLS];
extern struct topk_call *const queue[CALLS];

/* The most recently opened client. */
extern struct topk_client *client;
extern struct topk_loaded loaded;

/* Introductions: without options, with shared memory, and with probes. */
#define HELLO                                                                                      \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 batch=2 "       \
    "frame=0 align=1 own=\n"
#define HELLO_MEMORY                                                                               \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=40 batch=2 "      \
    "frame=0 align=1 own=\n"
#define HELLO_PROBES                                                                               \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=10 batch=2 "      \
    "frame=0 align=1 own=\n"

/* Starts a new process. */
void start(const char *says, enum ending ending);
/* Starts a new process and opens a client with a time limit of 50 ms. */
void open_client(const char *says, enum ending ending);
/* Closes the client. Returns false if the process did not end well. */
bool close_client(void);

/* Prepares all calls from this case. */
void prepare(const char *text);
/* Prepares calls of a few bytes, and frees the calls. */
int prepare_small(void **state);
int free_calls(void **state);

/* Sends calls 0 and 1 in one group and frame, and receives the answer. */
const struct topk_client_end *ask(void);

/* Fails unless the process ended in this way; `$' in `how' is as above. `says' is what it said, for
 * the message. */
void assert_end(const char *says, const char *how, bool expired, uint32_t first, uint32_t last);

#endif
