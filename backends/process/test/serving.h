/* Shared by the tests of the backend's end of the backend protocol: a judge that says what the test
 * tells it to, and a backend that counts its calls. */
#ifndef TOPK_SERVING_H
#define TOPK_SERVING_H

#include "process/serve_calls.h"

/* What the judge says: a text, then `zeros` zero bytes, then another text. Each part is delivered
 * by a separate read. */
struct said {
    const char *first;
    size_t first_length;
    size_t zeros;
    const char *last;
    size_t last_length;
};

#define OUT_ROOM ((size_t)1 << 20)

/* What was exchanged with the process under test. */
extern struct judge {
    struct said said;
    size_t from;        /* bytes read by the process */
    char out[OUT_ROOM]; /* output of the process, with a terminator */
    size_t used;
    const char *answer; /* the output after its first line */
    size_t answer_length;
} judge;

/* `batch` of the backend */
#define BATCH 2u
/* K of calls that it does not serve */
#define DECLINED 3u

/* The backend: adds 1 to each byte of the output buffers, and counts what it is asked. */
extern struct adder {
    const char *contract;
    uint32_t devices;
    const char *device; /* options of each device */
    char options[64];   /* options it was opened with; it refuses "none" */
    uint32_t opened;
    uint32_t closed;
    uint32_t runs; /* calls of run() and start() */
    uint32_t calls;
    uint32_t created; /* calls with create_only */
    uint32_t asked;   /* calls of supports() */
    const struct topk_backend_call *at_work;
    size_t read; /* bytes of the judge that had been read at the first finish() */
    bool walled; /* assert that each buffer ends at a page boundary */
} adder;

/* The function table of the backend; a test may change it. */
extern struct topk_backend adder_table;

/* Setup function for each test. */
int serving_reset(void **state);

/* Runs a fresh process on this input and returns its exit code; `ready` is that of struct
 * topk_judge_line. Asserts that the backend was closed as often as it was opened, and has
 * finished. */
int serve(struct said said, bool (*ready)(void));
int serve_text(const char *text);
/* Lets the backend offer start() and finish() from now on. */
void serving_start(void);

/* Fails unless the process refused a request: its first line must be followed by exactly one line,
 * an error that contains `why`. */
void assert_refused(int code, const char *request, const char *why);

/* The following functions write to `to` and return the number of characters written. */

size_t put_text(char *to, const char *text);

/* Writes the line of a call with this K, whose buffers of BUFFER bytes start at `at`. */
#define BUFFER ((size_t)64)
size_t put_call(char *to, uint32_t k, uint32_t create_only, const uint64_t at[TOPK_WIRE_TENSORS],
                enum topk_guard_page side);

/* Writes a frame with one call, but not its FRAME bytes. A frame whose call is only created has no
 * bytes. */
#define FRAME (TOPK_WIRE_TENSORS * BUFFER)
size_t put_frame(char *to, unsigned number, uint32_t k, uint32_t create_only);

/* Start of the buffers of such a call. */
extern const uint64_t packed[TOPK_WIRE_TENSORS];

#endif
