/* A backend process that says what a test has it say, at once and in whatever order, and the client
 * that is to cope with it. The clock is the script's: silence costs no time. */
#ifndef TOPK_SCRIPTED_H
#define TOPK_SCRIPTED_H

#include "worker/client_state.h"

/* what it does when it has said all */
enum ending {
    ENDS,   /* its output, and then itself */
    SILENT, /* it says nothing more, and time goes on */
    GONE,   /* it ended, and others hold its pipe */
    FAILS   /* reading it fails */
};

extern struct scripted {
    /* `|' parts what is read at once, `#' stands for `block' bytes, all zero, `$' for how many they
     * are, `~' for a zero byte. */
    const char *says;
    enum ending ending;
    bool slow;       /* what it says comes late: the first time that it is read there is nothing */
    bool was_read;   /* that once */
    int64_t takes;   /* bytes that it reads; -1: all */
    int64_t after;   /* what writing returns then */
    bool ended;      /* when it is told to quit */
    bool unheard;    /* it did not read that */
    bool bad;        /* its exit code */
    const char *how; /* it ended */
    bool no_memory;  /* the system has none to share */
    uint64_t shared;
    uint32_t shares;
    uint64_t mark;      /* that it stores when it is silent, once */
    uint64_t block;     /* bytes of a frame of two calls */
    uint64_t zeros;     /* of those, to be said */
    char said[1 << 16]; /* to it, as far as there is room */
    size_t said_length;
} process;

/* Its functions. */
extern const struct topk_link scripted_link;

/* What it maps: two halves of a MiB. */
extern unsigned char scripted_memory[((size_t)2 << 20) + TOPK_CLIENT_HEAD];

/* The clock. */
extern uint64_t now;

/* Calls of the cases 0 to 3. */
#define CALLS 4u
extern struct topk_call calls[CALLS];
extern struct topk_call *const queue[CALLS];

/* The client that was opened last. */
extern struct topk_client *client;
extern struct topk_loaded loaded;

/* Introductions; of processes with memory, or probes. */
#define HELLO                                                                                      \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 batch=2 "       \
    "frame=0 align=1 own=\n"
#define HELLO_MEMORY                                                                               \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=40 batch=2 "      \
    "frame=0 align=1 own=\n"
#define HELLO_PROBES                                                                               \
    "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=10 batch=2 "      \
    "frame=0 align=1 own=\n"

/* Starts another process. */
void start(const char *says, enum ending ending);
/* The same, with a client whose calls may take 50 ms. */
void open_client(const char *says, enum ending ending);
/* Closes it; false if the process did not end well. */
bool close_client(void);

/* Prepares the calls, all of a case. */
void prepare(const char *text);
/* Calls of a few bytes; frees them. */
int prepare_small(void **state);
int free_calls(void **state);

/* Sends the calls 0 and 1, in a group and a frame, and receives what comes. */
const struct topk_client_end *ask(void);

/* Fails unless the process came to its end so, `$' as above. says: what it had said. */
void assert_end(const char *says, const char *how, bool expired, uint32_t first, uint32_t last);

#endif
