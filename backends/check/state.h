/* Shared by the parts of the check. Private to this folder. */
#ifndef TOPK_CHECK_STATE_H
#define TOPK_CHECK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "platform/platform.h"
#include "protocol/protocol.h"

enum check_rule {
    CHECK_NO_RULE,
#define RULE(name, key, section, quote, fix) CHECK_##name,
#include "rules.def"
#undef RULE
    CHECK_RULE_COUNT
};

/* The most bytes that a judge sends before it reads an answer, and the longest line of an
 * answer. */
#define CHECK_AHEAD_BYTES 49152u
#define CHECK_LINE        8192u

struct check {
    FILE *out;
    const char *const *command;
    uint64_t timeout;                 /* nanoseconds */
    int code;                         /* exit code */
    bool stopped;                     /* by check_stop() */
    bool was_late;                    /* an answer did not come in time */
    bool quiet;                       /* check_broken() and check_stop() print nothing */
    bool listed;                      /* `devices' passed */
    bool spoke;                       /* the command sent something */
    uint32_t broke[CHECK_RULE_COUNT]; /* steps that broke each rule */
    const char *why_skipped;          /* why the last steps were skipped; NULL: they were not */
    const char *first_skipped;
    const char *last_skipped;
    struct topk_child *child; /* NULL: none is running */
    const char *step;         /* name of the step */
    char note[400];           /* result of the step, for its line */
    /* the rule that is broken if there is no answer, or the process ends; CHECK_NO_RULE: TIMEOUT,
     * DIED */
    enum check_rule blame;
    /* the rule that is broken if an answer is malformed; CHECK_NO_RULE: that of the error itself */
    enum check_rule suspect;
    char sent[900]; /* the last request, for messages */
    size_t sent_length;
    char came[1200];     /* what the process then sent or did */
    unsigned char *held; /* if not NULL, sent bytes are stored here, where there is room */
    size_t held_length;
    uint64_t slowest; /* slowest answer in nanoseconds */
    /* bytes that were read, but not taken: in[from] to in[to - 1] */
    char in[65536];
    size_t from;
    size_t to;
    char line[CHECK_LINE + 2]; /* the last line that was read */
    size_t length;
    char devices[CHECK_LINE + 2];      /* its answer to `devices`, after the = */
    char introduction[CHECK_LINE + 2]; /* its answer to the first `open` */
    struct topk_greeting greeting;
    uint64_t frame;       /* number of the last frame */
    bool typed;           /* `types' passed, so that `unsupported' is known */
    uint32_t unsupported; /* bit mask of types that the process does not support */
};

/* ---- report.c -----------------------------------------------------------------------------------
 */

/* Reports a broken rule, with what was sent and received, and how to fix it; format: what is wrong.
 * If an earlier step broke the same rule, prints only what is wrong. Returns false. */
#if defined(__GNUC__) && !defined(_WIN32) /* its printf is not that of the attribute */
__attribute__((format(printf, 3, 4)))
#endif
bool check_broken(struct check *check, enum check_rule rule, const char *format, ...);
/* The rule for a malformed answer: the step's, if it has a better one. */
enum check_rule check_garbled(const struct check *check, enum check_rule rule);
/* Ends the check for another reason; returns false. */
bool check_stop(struct check *check, int code, const char *text);
/* Prints the line of a passed step. */
void check_passed(struct check *check);
/* Notes that a step is skipped. Successive steps that are skipped for the same reason share a
 * line. */
void check_skipped(struct check *check, const char *why);
/* Prints the last line; left: steps that were not reached. */
void check_summary(struct check *check, size_t left);

/* ---- link.c: the process and its output ---------------------------------------------------------
 * All return false after check_broken(). */

bool check_start(struct check *check);
/* Starts and opens a process for the next step. False without a report if that fails. */
bool check_reopen(struct check *check);
/* Kills the process, if it is running, without a check. */
void check_kill(struct check *check);
/* Starts a request: messages show what check_send() and check_say() send from here on. */
void check_request(struct check *check);
/* Sends bytes. */
bool check_send(struct check *check, const void *data, size_t bytes);
/* Sends a line without its end. */
bool check_say(struct check *check, const char *line);
/* Reads a line into check->line, check->length. */
bool check_hear(struct check *check);
bool check_hear_bytes(struct check *check, void *data, size_t bytes);
/* Whether the process sends something within a time; takes nothing. */
bool check_hears_within(struct check *check, uint64_t nanoseconds);
/* Whether the process has sent nothing more than was taken; if it has, messages show it. */
bool check_silent(struct check *check);
/* Waits for the end of the process, which is expected after an event, with an exit code; -1: any.
 * It must send nothing before. */
bool check_ends(struct check *check, int code, const char *event, enum check_rule rule);
/* Closes its input and waits for its end with exit code 0. */
bool check_ends_with_input(struct check *check);

#endif
