/* What tests of the backend's end of the backend protocol share: a judge that says what a test has
 * it say, and a backend that counts what it is asked. */
#ifndef TOPK_SERVING_H
#define TOPK_SERVING_H

#include "process/serve_calls.h"

/* What the judge says: a text, so many zeros, another text. Each is read by itself. */
struct said {
    const char *first;
    size_t first_length;
    size_t zeros;
    const char *last;
    size_t last_length;
};

#define OUT_ROOM ((size_t)1 << 20)

/* What the process read and said. */
extern struct judge {
    struct said said;
    size_t from;        /* bytes that were read */
    char out[OUT_ROOM]; /* terminated */
    size_t used;
    const char *answer; /* what followed the first line */
    size_t answer_length;
} judge;

/* `batch` of the backend */
#define BATCH 2u
/* K of calls that it does not serve */
#define DECLINED 3u

/* It adds 1 to each byte of the outputs' buffers. */
extern struct adder {
    const char *contract;
    uint32_t devices;
    const char *device; /* what opens each of them */
    char options[64];   /* that it was opened with; "none" does not open */
    uint32_t opened;
    uint32_t closed;
    uint32_t runs; /* by run() or start() */
    uint32_t calls;
    uint32_t created; /* calls that were only created */
    uint32_t asked;   /* supports() was called */
    const struct topk_backend_call *at_work;
    size_t read; /* bytes of the judge that were read when it was first finished */
    bool walled; /* each buffer has to end where a page does */
} adder;

/* Its functions, which a test may change. */
extern struct topk_backend adder_table;

/* Before each test. */
int serving_reset(void **state);

/* Says all that to a fresh process; returns what it exits with. ready: as in struct
 * topk_judge_line. The backend is closed as often as it was opened, and not at work. */
int serve(struct said said, bool (*ready)(void));
int serve_text(const char *text);
/* Has the backend started and finished from now on. */
void serving_start(void);

/* Fails unless the process said why a request is malformed, and nothing else behind its first line.
 */
void assert_refused(int code, const char *request, const char *why);

/* What follows writes to the end of a text, and returns the length of what it wrote. */

size_t put_text(char *to, const char *text);

/* The line of a call of this K whose buffers, of BUFFER bytes, start there. */
#define BUFFER ((size_t)64)
size_t put_call(char *to, uint32_t k, uint32_t create_only, const uint64_t at[TOPK_WIRE_TENSORS],
                enum topk_guard_page side);

/* A frame of one call, without its FRAME bytes; a call that is only created has none. */
#define FRAME (TOPK_WIRE_TENSORS * BUFFER)
size_t put_frame(char *to, unsigned number, uint32_t k, uint32_t create_only);

/* Where the buffers of such a call start. */
extern const uint64_t packed[TOPK_WIRE_TENSORS];

#endif
