/* What the processes of the suite say to each other. docs/protocol.md has the lines of a worker,
 * which takes cases and answers with verdicts; docs/backend-protocol.md those of a backend process,
 * which takes calls and answers with bytes. */
#ifndef TOPK_PROTOCOL_H
#define TOPK_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reference/contract.h"
#include "reference/crash.h"
#include "topk_backend.h"

/* Most cases of a batch. */
#define TOPK_PROTOCOL_BATCH 1024u
/* Longest line that a worker or a backend process may say, without its end. */
#define TOPK_WORKER_LINE 8192u

/* ---- the greeting -------------------------------------------------------------------------------
 */

/* Descriptions are not checked as DirectML does: cases that break a clause are unsupported. */
#define TOPK_FLAG_OWN_CONTRACT TOPK_BACKEND_OWN_CONTRACT
/* What the level asked for in a case does not have is refused, even if it could be served. */
#define TOPK_FLAG_STRICT_LEVEL TOPK_BACKEND_STRICT_LEVEL
/* What answers is software standing in for hardware. */
#define TOPK_FLAG_SOFTWARE TOPK_BACKEND_SOFTWARE
/* What answers computes on a device that is software. */
#define TOPK_FLAG_SOFTWARE_DEVICE TOPK_BACKEND_SOFTWARE_DEVICE
/* It answers `probes` and `probe N`. */
#define TOPK_FLAG_PROBES TOPK_BACKEND_PROBES
/* Of a worker only: it keeps the limit for a call itself, as the runner says it with `limit`. */
#define TOPK_FLAG_LIMITS 128u
/* Of a backend process only: it computes in the bytes of a frame; it can share memory; it can make
 * a call with its tensors against guard pages. */
#define TOPK_FLAG_IN_PLACE    32u
#define TOPK_FLAG_MEMORY      64u
#define TOPK_FLAG_GUARD_PAGES 256u

/* Who introduces itself. */
enum topk_speaker {
    TOPK_SPEAKER_WORKER, /* "topk-worker 1 ..." */
    TOPK_SPEAKER_BACKEND /* "topk-backend 1 ..." */
};

#define TOPK_GREETING_TEXT  2048
#define TOPK_GREETING_ERROR 8192
/* Room for all that is told of libraries, and the most of them. */
#define TOPK_TOLD_TEXT 1024
#define TOPK_TOLD_MAX  16u

/* How a worker or a backend process introduces itself. Texts may be empty. */
struct topk_greeting {
    char name[TOPK_GREETING_TEXT];
    char version[TOPK_GREETING_TEXT];
    char device[TOPK_GREETING_TEXT];
    char driver[TOPK_GREETING_TEXT];
    char features[TOPK_GREETING_TEXT];
    char own[TOPK_GREETING_TEXT];  /* why invalid calls are unsupported */
    struct topk_contract contract; /* that it declares; invalid=own goes with flag 1 */
    uint32_t level;                /* 0x5000 */
    uint32_t flags;                /* TOPK_FLAG_... */
    uint32_t batch;                /* calls that it wants at once */
    uint64_t frame; /* of a backend process: bytes that a frame may bring; 0: any number */
    uint32_t align; /* of a backend process: buffers start at multiples of it */
    char parts[TOPK_TOLD_TEXT]; /* lines of topk_told_next(), or "" */
};

/* What a first line is. */
enum topk_greeting_kind {
    TOPK_GREETING_HELLO,
    TOPK_GREETING_UNAVAILABLE, /* error is the reason */
    TOPK_GREETING_MISDECLARED, /* the contract that it declares cannot be taken; error says why */
    TOPK_GREETING_VERSION,     /* of another protocol; error says which */
    TOPK_GREETING_NONE         /* malformed, or no introduction; error says which */
};

/* Reads a first line of `length` characters. Texts are as they were said, whatever bytes that are.
 */
enum topk_greeting_kind topk_greeting_parse(enum topk_speaker speaker, const char *line,
                                            size_t length, struct topk_greeting *greeting,
                                            char error[TOPK_GREETING_ERROR]);

#define TOPK_GREETING_LINE 8192

/* Writes the first line for a backend that is open, with these flags, with its end; returns the
 * length. contract: that it declares, or NULL. parts: lines as topk_told_next() reads them, or
 * NULL. align, a number above 0, is only a backend process's, which takes frames of any size. A
 * text is cut to what takes 1023 characters as a word: of a contract, whose rules come first, that
 * cuts what is said of its source. Of the parts as many whole lines are left as the line has room
 * for. */
size_t topk_greeting_print(enum topk_speaker speaker, const struct topk_backend_info *info,
                           const struct topk_contract *contract, const char *parts, uint32_t flags,
                           uint32_t align, char line[TOPK_GREETING_LINE]);

/* A library that a backend process has loaded, as that tells. */
struct topk_told_part {
    char name[TOPK_TOLD_TEXT];
    char version[48];
};

/* Reads a line "NAME VERSION" of *text and steps over it. False at the end, and if it is malformed.
 */
bool topk_told_next(const char **text, struct topk_told_part *part);
/* Whether all lines of a text can be read, no more than TOPK_TOLD_MAX, each with another name; if
 * not, error says which line is wrong. */
bool topk_told_check(const char *text, char *error, size_t error_bytes);

/* Flag 1 and invalid=own say the same: what has one gets the other. Returns the flags. */
uint32_t topk_contract_flags(struct topk_contract *contract, uint32_t flags);

/* Reads a feature level, "5.0": 0x5000. False if the text is malformed. */
bool topk_level_parse(const char *text, size_t length, uint32_t *level);

/* Writes what a stranger said for a reader: at most about 60 characters, other bytes than printable
 * ASCII as \xNN. */
void topk_said_print(const char *said, size_t length, char *text, size_t size);

/* ---- streams ------------------------------------------------------------------------------------
 * Lines and bytes between a judge and a backend process, buffered. */

/* How reading or writing ended. */
enum topk_wire_read {
    TOPK_WIRE_READ,
    TOPK_WIRE_END,  /* the stream ended, or cannot be used; maybe within a line */
    TOPK_WIRE_LATE, /* it took too long */
    TOPK_WIRE_BAD   /* a line is longer than TOPK_WORKER_LINE, or has a zero byte */
};

#define TOPK_STREAM_BYTES 65536u

/* Zero it, and set the first three. */
struct topk_stream {
    void *self; /* what the functions are called with */
    /* Reads at least one byte and at most `room`, above 0; returns how many these are, 0 at the
     * end, below 0 if it takes too long. */
    int64_t (*read)(void *self, void *data, size_t room);
    /* Writes at least one byte and at most `bytes`, above 0; returns the same. */
    int64_t (*write)(void *self, const void *data, size_t bytes);
    size_t from; /* what was read and not taken: in[from] to in[to - 1] */
    size_t to;
    size_t used; /* what was put and not written */
    char in[TOPK_STREAM_BYTES];
    char out[TOPK_STREAM_BYTES];
};

/* Takes a line, terminated, without its end and a carriage return before it; *line is valid until
 * the next call. After END and LATE it is what there was of it. */
enum topk_wire_read topk_stream_line(struct topk_stream *stream, char **line, size_t *length);
/* Takes as many bytes. */
enum topk_wire_read topk_stream_take(struct topk_stream *stream, void *data, uint64_t bytes);
/* Writes as many bytes, by and by; what is left of them topk_stream_flush() writes. */
enum topk_wire_read topk_stream_put(struct topk_stream *stream, const void *data, uint64_t bytes);
enum topk_wire_read topk_stream_flush(struct topk_stream *stream);
/* The bytes that were read and not taken. */
size_t topk_stream_waiting(const struct topk_stream *stream);

/* ---- calls of the backend protocol --------------------------------------------------------------
 */

/* Most calls of a frame. */
#define TOPK_WIRE_CALLS 1024u
/* Longest line of a call, with its terminator. */
#define TOPK_WIRE_LINE 4096
/* Dimensions that a tensor may have. */
#define TOPK_WIRE_RANK 16u
/* Tensors of a call: input, value, index. */
#define TOPK_WIRE_TENSORS 3u

/* Bytes that the judge leaves before and behind each buffer in a frame for a process that computes
 * in place, and looks at: what writes far outside of its tensor shall hit them. The front keeps the
 * alignment. */
#define TOPK_SLACK_FRONT ((uint64_t)512)
#define TOPK_SLACK_BACK  ((uint64_t)4608)

/* Which side of each tensor stands against an inaccessible page while a call is made. Of a case,
 * which makes its calls for each side in turn, both may be wanted. */
enum topk_guard_page {
    TOPK_GUARD_PAGE_NONE,
    TOPK_GUARD_PAGE_END,
    TOPK_GUARD_PAGE_START,
    TOPK_GUARD_PAGE_BOTH
};

/* "end", "start", "both"; "" of NONE. */
const char *topk_guard_page_word(enum topk_guard_page guard_page);
/* False if the word is none of the three. */
bool topk_guard_page_parse(const char *word, enum topk_guard_page *guard_page);

/* A call as it was read, and what it points to. */
struct topk_wire_call {
    struct topk_backend_call call; /* data of the buffers is NULL: the reader has it */
    enum topk_guard_page guard_page;
    uint64_t at[TOPK_WIRE_TENSORS]; /* where the buffers start in the bytes of the frame */
    struct topk_backend_tensor tensors[TOPK_WIRE_TENSORS];
    uint32_t sizes[TOPK_WIRE_TENSORS][TOPK_WIRE_RANK];
    uint32_t strides[TOPK_WIRE_TENSORS][TOPK_WIRE_RANK];
};

/* Writes a call as a line without its end; returns the length. at: where its buffers start. A guard
 * page is only for a process that says that it has them. */
size_t topk_wire_call_print(const struct topk_backend_call *call,
                            const uint64_t at[TOPK_WIRE_TENSORS], enum topk_guard_page guard_page,
                            char line[TOPK_WIRE_LINE]);

/* Reads such a line of `length` characters; *wire is not to be moved. False, with the reason in
 * error, if the line is malformed. */
bool topk_wire_call_parse(const char *line, size_t length, struct topk_wire_call *wire, char *error,
                          size_t error_bytes);

/* The buffer of a tensor, 0 to TOPK_WIRE_TENSORS - 1. */
struct topk_backend_buffer *topk_wire_buffer(struct topk_backend_call *call, uint32_t tensor);

/* Turns the elements of tensor `tensor` of a call, which are in `buffer`, from the byte order of
 * the machine to that of the protocol, or back: those of its total bytes, as far as they lie there;
 * of the input all of its buffer, as a backend that reads too far meets elements there, too. */
void topk_wire_turn(const struct topk_backend_call *call, uint32_t tensor,
                    const struct topk_backend_buffer *buffer);

/* Whether the buffers of a call lie within so many bytes of a frame, and none in another. */
bool topk_wire_call_fits(const struct topk_wire_call *wire, uint64_t bytes);

/* Writes the line of an answer, "STATUS W"; returns the length. */
size_t topk_wire_answer_print(const struct topk_backend_answer *answer, char line[TOPK_WIRE_LINE]);
/* Reads it; false if it is malformed. */
bool topk_wire_answer_parse(const char *line, size_t length, struct topk_backend_answer *answer);

/* Reads a decimal number up to `most`, without needless zeros, and stands behind its digits. False
 * if there is none. */
bool topk_wire_digits(const char **at, const char *end, uint64_t most, uint64_t *number);
/* Reads a decimal number up to `most` that a space ends, or the end of the line, and steps over it.
 * False if there is none. */
bool topk_wire_number(const char **at, const char *end, uint64_t most, uint64_t *number);

/* ---- crashes -----------------------------------------------------------------------------------
 * "crash SIGSEGV@0x10;mine.so+0x1139:topk_run+0x20;mine.so+0x1290": the last line of a process that
 * crashes, if it can say one. */

/* Writes the line without its end; returns the length. May be called in a signal handler. */
size_t topk_wire_crash_print(const struct topk_crash *crash, char line[TOPK_WIRE_LINE]);
/* Reads such a line of `length` characters. False if it is malformed: *crash is then empty. */
bool topk_wire_crash_parse(const char *line, size_t length, struct topk_crash *crash);
/* Makes a name of a crash from any text: cut to the room, with '_' for what a name has not. May be
 * called in a signal handler. */
void topk_wire_crash_name(char *name, size_t room, const char *text);

/* ---- what a worker exits with -------------------------------------------------------------------
 * 0 after `quit` or at the end of its input. */

/* it said `error` or `misdeclared`, or memory is short */
#define TOPK_WORKER_EXIT_HARNESS 3
/* it said `unavailable` */
#define TOPK_WORKER_EXIT_UNAVAILABLE 4
/* its backend process ended, or broke the protocol: it said `died`, or, if it had not introduced
 * itself yet, the reason on standard error */
#define TOPK_WORKER_EXIT_DIED 70

#endif
