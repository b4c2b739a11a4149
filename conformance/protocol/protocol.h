/* The messages between the suite's processes. docs/protocol.md defines the lines of a worker, which
 * receives cases and answers with verdicts; docs/backend-protocol.md those of a backend process,
 * which receives calls and answers with bytes. */
#ifndef TOPK_PROTOCOL_H
#define TOPK_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reference/contract.h"
#include "reference/crash.h"
#include "topk_backend.h"

/* Greatest number of cases in a batch. */
#define TOPK_PROTOCOL_BATCH 1024u
/* Longest line that a worker or a backend process may send, without its end. */
#define TOPK_WORKER_LINE 8192u
/* How a process ended that broke the backend protocol: this, and what it did. */
#define TOPK_BROKE_PROTOCOL "it broke the backend protocol: "

/* ---- the greeting ---------------------------------------------------------------------------- */

/* The backend does not check descriptions as DirectML does: invalid cases are unsupported. */
#define TOPK_FLAG_OWN_CONTRACT TOPK_BACKEND_OWN_CONTRACT
/* The backend refuses what the requested level does not have, even if it could compute it. */
#define TOPK_FLAG_STRICT_LEVEL TOPK_BACKEND_STRICT_LEVEL
/* The backend is software that stands in for hardware. */
#define TOPK_FLAG_SOFTWARE TOPK_BACKEND_SOFTWARE
/* The backend computes on a software device. */
#define TOPK_FLAG_SOFTWARE_DEVICE TOPK_BACKEND_SOFTWARE_DEVICE
/* The backend answers `probes` and `probe N`. */
#define TOPK_FLAG_PROBES TOPK_BACKEND_PROBES
/* Worker only: it enforces the time limit for a call itself, after a line `limit`. */
#define TOPK_FLAG_LIMITS 128u
/* Backend process only: it computes inside the bytes of a frame; it can share memory; it can place
 * tensors next to guard pages. */
#define TOPK_FLAG_IN_PLACE    32u
#define TOPK_FLAG_MEMORY      64u
#define TOPK_FLAG_GUARD_PAGES 256u

/* Which program sends a greeting. */
enum topk_speaker {
    TOPK_SPEAKER_WORKER, /* "topk-worker 1 ..." */
    TOPK_SPEAKER_BACKEND /* "topk-backend 1 ..." */
};

#define TOPK_GREETING_TEXT  2048
#define TOPK_GREETING_ERROR 8192
/* Size of the text about loaded libraries, and the greatest number of them. */
#define TOPK_TOLD_TEXT 1024
#define TOPK_TOLD_MAX  16u

/* The greeting of a worker or a backend process. Texts may be empty. */
struct topk_greeting {
    char name[TOPK_GREETING_TEXT];
    char version[TOPK_GREETING_TEXT];
    char device[TOPK_GREETING_TEXT];
    char driver[TOPK_GREETING_TEXT];
    char features[TOPK_GREETING_TEXT];
    char own[TOPK_GREETING_TEXT];  /* why the backend does not support invalid calls */
    struct topk_contract contract; /* the declared contract; invalid=own corresponds to flag 1 */
    uint32_t level;                /* 0x5000 */
    uint32_t flags;                /* TOPK_FLAG_... */
    uint32_t batch;                /* how many calls it wants at once */
    uint64_t frame;                /* backend process: greatest size of a frame in bytes; 0: any */
    uint32_t align;                /* backend process: the alignment of buffers in a frame */
    char parts[TOPK_TOLD_TEXT];    /* lines of topk_told_next(), or "" */
};

/* The kinds of first lines. */
enum topk_greeting_kind {
    TOPK_GREETING_HELLO,
    TOPK_GREETING_UNAVAILABLE, /* error is the reason */
    TOPK_GREETING_MISDECLARED, /* the declared contract is not acceptable; error says why */
    TOPK_GREETING_VERSION,     /* of another version of the protocol; error says which */
    TOPK_GREETING_NONE         /* malformed, or no greeting; error says which */
};

/* Reads a first line of `length` characters. Texts are copied byte for byte, whatever they
 * contain. */
enum topk_greeting_kind topk_greeting_parse(enum topk_speaker speaker, const char *line,
                                            size_t length, struct topk_greeting *greeting,
                                            char error[TOPK_GREETING_ERROR]);

#define TOPK_GREETING_LINE 8192

/* Writes the first line for an open backend, with its line end, and returns the length. contract:
 * the declared one, or NULL. parts: lines for topk_told_next(), or NULL. align > 0 is for a backend
 * process only, which then accepts frames of any size. Each text is cut so that it takes at most
 * 1023 characters as a word. In a contract the rules come first, so that only the text about its
 * source is cut. parts is cut after the last whole line that fits. */
size_t topk_greeting_print(enum topk_speaker speaker, const struct topk_backend_info *info,
                           const struct topk_contract *contract, const char *parts, uint32_t flags,
                           uint32_t align, char line[TOPK_GREETING_LINE]);

/* A library that a backend process says it has loaded. */
struct topk_told_part {
    char name[TOPK_TOLD_TEXT];
    char version[48];
};

/* Reads a line "NAME VERSION" and advances *text. Returns false at the end, and if the line is
 * malformed. */
bool topk_told_next(const char **text, struct topk_told_part *part);
/* Whether all lines of a text are well-formed, at most TOPK_TOLD_MAX, and with distinct names. If
 * not, error says which line is wrong. */
bool topk_told_check(const char *text, char *error, size_t error_bytes);

/* Flag 1 and invalid=own mean the same: if one is set, sets the other. Returns the flags. */
uint32_t topk_contract_flags(struct topk_contract *contract, uint32_t flags);

/* Reads a feature level: "5.0" gives 0x5000. Returns false if the text is malformed. */
bool topk_level_parse(const char *text, size_t length, uint32_t *level);

/* Writes foreign text for an error message: at most about 60 characters; bytes other than printable
 * ASCII become \xNN. */
void topk_said_print(const char *said, size_t length, char *text, size_t size);

/* ---- streams ------------------------------------------------------------------------------------
 * Lines and bytes between a judge and a backend process, buffered. */

/* How a read or write ended. */
enum topk_wire_read {
    TOPK_WIRE_READ,
    TOPK_WIRE_END,  /* the stream ended or failed, possibly within a line */
    TOPK_WIRE_LATE, /* it took too long */
    TOPK_WIRE_BAD   /* a line is longer than TOPK_WORKER_LINE, or has a zero byte */
};

#define TOPK_STREAM_BYTES 65536u

/* Set all to zero, then set the first three members. */
struct topk_stream {
    void *self; /* first argument of the functions */
    /* Reads at least one byte and at most `room` > 0. Returns the number of bytes, 0 at the end,
     * and a negative number if it takes too long. */
    int64_t (*read)(void *self, void *data, size_t room);
    /* Writes at least one byte and at most `bytes` > 0. Returns the same. */
    int64_t (*write)(void *self, const void *data, size_t bytes);
    size_t from; /* in[from] to in[to - 1] were read, but not taken */
    size_t to;
    size_t used; /* bytes that were put, but not written */
    char in[TOPK_STREAM_BYTES];
    char out[TOPK_STREAM_BYTES];
};

/* Takes a line without its end, and without a carriage return before that; terminates it. *line is
 * valid until the next call. After END and LATE it is the part that arrived. */
enum topk_wire_read topk_stream_line(struct topk_stream *stream, char **line, size_t *length);
/* Takes exactly `bytes` bytes. */
enum topk_wire_read topk_stream_take(struct topk_stream *stream, void *data, uint64_t bytes);
/* Puts bytes into the stream; some may stay buffered until topk_stream_flush(). */
enum topk_wire_read topk_stream_put(struct topk_stream *stream, const void *data, uint64_t bytes);
enum topk_wire_read topk_stream_flush(struct topk_stream *stream);
/* The number of bytes that were read, but not taken. */
size_t topk_stream_waiting(const struct topk_stream *stream);

/* ---- calls of the backend protocol ----------------------------------------------------------- */

/* Greatest number of calls in a frame. */
#define TOPK_WIRE_CALLS 1024u
/* Longest line of a call, with its terminator. */
#define TOPK_WIRE_LINE 4096
/* Greatest number of dimensions of a tensor. */
#define TOPK_WIRE_RANK 16u
/* Tensors of a call: input, value, index. */
#define TOPK_WIRE_TENSORS 3u

/* In a frame for a process that computes in place, the judge leaves these bytes before and after
 * each buffer, and checks them afterwards to detect writes far outside a tensor. The front slack
 * keeps the alignment. */
#define TOPK_SLACK_FRONT ((uint64_t)512)
#define TOPK_SLACK_BACK  ((uint64_t)4608)

/* The side on which each tensor touches an inaccessible page during a call. For a case both can be
 * requested: it then makes its calls once for each side. */
enum topk_guard_page {
    TOPK_GUARD_PAGE_NONE,
    TOPK_GUARD_PAGE_END,
    TOPK_GUARD_PAGE_START,
    TOPK_GUARD_PAGE_BOTH
};

/* "end", "start" or "both"; "" for NONE. */
const char *topk_guard_page_word(enum topk_guard_page guard_page);
/* Returns false for any other word. */
bool topk_guard_page_parse(const char *word, enum topk_guard_page *guard_page);

/* A parsed call, and the objects that it points to. */
struct topk_wire_call {
    struct topk_backend_call call; /* the buffers' data is NULL: the reader has the bytes */
    enum topk_guard_page guard_page;
    uint64_t at[TOPK_WIRE_TENSORS]; /* offsets of the buffers in the bytes of the frame */
    struct topk_backend_tensor tensors[TOPK_WIRE_TENSORS];
    uint32_t sizes[TOPK_WIRE_TENSORS][TOPK_WIRE_RANK];
    uint32_t strides[TOPK_WIRE_TENSORS][TOPK_WIRE_RANK];
};

/* Writes a call as a line without its end; returns the length. at: the offsets of its buffers.
 * guard_page: only for a process with TOPK_FLAG_GUARD_PAGES. */
size_t topk_wire_call_print(const struct topk_backend_call *call,
                            const uint64_t at[TOPK_WIRE_TENSORS], enum topk_guard_page guard_page,
                            char line[TOPK_WIRE_LINE]);

/* Reads a line of `length` characters. *wire points into itself, so do not move it. Returns false,
 * with the reason in error, if the line is malformed. */
bool topk_wire_call_parse(const char *line, size_t length, struct topk_wire_call *wire, char *error,
                          size_t error_bytes);

/* Returns the buffer of tensor 0 to TOPK_WIRE_TENSORS - 1. */
struct topk_backend_buffer *topk_wire_buffer(struct topk_backend_call *call, uint32_t tensor);

/* Converts the elements of a tensor in `buffer` from the machine's byte order to that of the
 * protocol, or back. Converts the elements within the total size, as far as the buffer has them;
 * for the input, the whole buffer, because a backend that reads too far must find elements there,
 * too. */
void topk_wire_turn(const struct topk_backend_call *call, uint32_t tensor,
                    const struct topk_backend_buffer *buffer);

/* Whether the buffers of a call lie within a frame of `bytes` bytes and do not overlap. */
bool topk_wire_call_fits(const struct topk_wire_call *wire, uint64_t bytes);

/* Writes an answer as a line, "STATUS W"; returns the length. */
size_t topk_wire_answer_print(const struct topk_backend_answer *answer, char line[TOPK_WIRE_LINE]);
/* Reads such a line. Returns false if it is malformed. */
bool topk_wire_answer_parse(const char *line, size_t length, struct topk_backend_answer *answer);

/* Reads a decimal number up to `most` without leading zeros, and advances *at past its digits.
 * Returns false if there is none. */
bool topk_wire_digits(const char **at, const char *end, uint64_t most, uint64_t *number);
/* Reads a decimal number up to `most` that is followed by a space and more, or by the end of the
 * line, and advances *at past that: before a last space it stays. Returns false if there is none.
 */
bool topk_wire_number(const char **at, const char *end, uint64_t most, uint64_t *number);

/* ---- crashes -----------------------------------------------------------------------------------
 * "crash SIGSEGV@0x10;mine.so+0x1139:topk_run+0x20;mine.so+0x1290": the last line of a crashing
 * process, if it can still send one. */

/* Writes the line without its end; returns the length. Async-signal-safe. */
size_t topk_wire_crash_print(const struct topk_crash *crash, char line[TOPK_WIRE_LINE]);
/* Reads a line of `length` characters. Returns false, with *crash empty, if it is malformed. */
bool topk_wire_crash_parse(const char *line, size_t length, struct topk_crash *crash);
/* Makes any text a valid name in a crash line: cuts it to `room` and replaces other characters by
 * '_'. Async-signal-safe. */
void topk_wire_crash_name(char *name, size_t room, const char *text);

/* ---- exit codes of a worker --------------------------------------------------------------------
 * 0 after `quit` or at the end of its input. */

/* it sent `error` or `misdeclared`, or memory is short */
#define TOPK_WORKER_EXIT_HARNESS 3
/* it sent `unavailable` */
#define TOPK_WORKER_EXIT_UNAVAILABLE 4
/* its backend process ended or broke the protocol. It sent `died`; before its greeting, it wrote
 * the reason to standard error. */
#define TOPK_WORKER_EXIT_DIED 70

#endif
