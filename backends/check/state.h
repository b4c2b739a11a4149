/* What the parts of the check share. Nobody else includes this. */
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

/* The most that a judge sends before it reads an answer, and the longest line of an answer. */
#define CHECK_AHEAD 49152u
#define CHECK_LINE  8192u

struct check {
    FILE *out;
    const char *const *command;
    uint64_t timeout;         /* nanoseconds */
    int code;                 /* what to exit with */
    struct topk_child *child; /* NULL: none runs */
    const char *step;         /* its name */
    char note[400];           /* what the step found, for its line */
    /* the rule that is broken if no answer comes, or the process ends; CHECK_NO_RULE: TIMEOUT, DIED
     */
    enum check_rule blame;
    /* the rule that is broken if an answer is garbled; CHECK_NO_RULE: the one that it breaks as it
     * stands */
    enum check_rule suspect;
    char sent[900]; /* the last request, for a reader */
    size_t sent_length;
    char came[1200];     /* what the process said or did then */
    unsigned char *held; /* what is sent is put here, if it is not NULL: there is room */
    size_t held_length;
    uint64_t slowest; /* of the answers, nanoseconds */
    /* what was read and not taken: in[from] to in[to - 1] */
    char in[65536];
    size_t from;
    size_t to;
    char line[CHECK_LINE + 2]; /* the last one that was heard */
    size_t length;
    char devices[CHECK_LINE + 2];      /* what it answered to `devices`, behind the = */
    char introduction[CHECK_LINE + 2]; /* to the first `open` */
    struct topk_greeting greeting;
    uint64_t frame;       /* the number of the last one */
    uint32_t unsupported; /* types, as bits: the process said so */
};

/* ---- report.c -----------------------------------------------------------------------------------
 */

/* Says that a rule is broken, what was sent and what came, and how to mend it; the format says what
 * is wrong with it. Returns false. */
#if defined(__GNUC__) && !defined(_WIN32) /* its printf is not that of the attribute */
__attribute__((format(printf, 3, 4)))
#endif
bool check_broken(struct check *check, enum check_rule rule, const char *format, ...);
/* The same of an answer that is garbled: the step may have a better rule for it. */
enum check_rule check_garbled(const struct check *check, enum check_rule rule);
/* Says that the check cannot go on, for another reason; false. */
bool check_stop(struct check *check, int code, const char *text);
/* Ends the line of a step that was passed. */
void check_passed(struct check *check);

/* ---- link.c: the process and what it says -------------------------------------------------------
 * All return false after check_broken(). */

bool check_start(struct check *check);
/* Kills it, if it runs: nothing is checked. */
void check_kill(struct check *check);
/* Begins a request: what check_send() and check_say() send from here on is shown. */
void check_request(struct check *check);
/* Sends bytes. */
bool check_send(struct check *check, const void *data, size_t bytes);
/* Sends a line without its end. */
bool check_say(struct check *check, const char *line);
/* Takes a line: check->line, check->length. */
bool check_hear(struct check *check);
bool check_hear_bytes(struct check *check, void *data, size_t bytes);
/* Whether something is said within so many nanoseconds; nothing is taken. */
bool check_hears_within(struct check *check, uint64_t nanoseconds);
/* Whether nothing more was said than was taken; else it is shown as what came. */
bool check_silent(struct check *check);
/* Waits for the end of the process, which is due after an event, with an exit code; -1: any. It may
 * say nothing before. */
bool check_ends(struct check *check, int code, const char *event, enum check_rule rule);
/* Closes its input and waits for its end, with exit code 0. */
bool check_ends_with_input(struct check *check);

#endif
