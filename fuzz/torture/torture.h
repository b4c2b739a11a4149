/* The driver of scripts/torture: what it attacks (subjects), where and in which ways (points), and
 * the results (outcomes). */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* bytes that grow, with a 0 behind them; ends the program if memory is short */
struct text {
    char *at;
    size_t length;
    size_t room;
};

void text_add(struct text *text, const char *bytes, size_t length);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);
/* The file's bytes are appended; false if it cannot be read. */
bool text_read(struct text *text, const char *path);

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- what is attacked ------------------------------------------------------------------------ */

enum program {
    CTS,
    WORKER,
    BACKEND,
    PROGRAMS
};
extern const char *const program_names[PROGRAMS];

enum subject_kind {
    EXACT, /* prints and writes the same each time */
    RUN,   /* writes a log, in which times differ */
    SPOKEN /* only how it ends, and the last line that it prints, is the same each time */
};

/* A command line of topk-cts. In its words @OUT is a folder for what it writes, @IN that of the
 * fixtures, @CASE, @FEW and @BIN what their names say. A subject that needs more than topk-cts is
 * attacked there, too. */
struct subject {
    const char *name;
    const char *words; /* separated by '|' */
    enum subject_kind kind;
    unsigned programs; /* a bit for each that it starts */
    const char *again; /* a word for doing it again after a failure, or NULL */
    const char *old;   /* below @OUT: a file that is there before, or NULL */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* where everything is */
struct place {
    const char *bin;     /* the folder of the programs */
    const char *library; /* the one that is preloaded */
    char *work;          /* a folder of its own: in/ has the fixtures, N/ is that of slot N */
    double limit;        /* seconds that a process may take */
};

/* Makes place->work/in; ends the program if that fails. */
void fixtures_make(const struct place *place);

/* ---- ways to attack -------------------------------------------------------------------------- */

struct fault {
    const char *word;
    enum torture_class class;
    int error;
    bool ever;
};

extern const struct fault faults[];
extern const size_t fault_count;
extern const char *const class_words[TORTURE_CLASSES];
extern const char *const class_abouts[TORTURE_CLASSES];

enum way {
    FAULT,
    SIGNAL,
    CLOSED,
    LIMIT,
    HOSTILE,
    WAYS
};

struct limit {
    const char *word;
    int resource;
    uint64_t least, most, step; /* values that are tried */
};

extern const struct limit limits[];
extern const size_t limit_count;
extern const int signal_numbers[];
extern const char *const signal_words[];
extern const size_t signal_count;
#define SIGNAL_POINTS 200

struct hostile {
    const char *word;
    bool worker; /* chaos_worker, or the backend process hostile */
};

extern struct hostile *hostiles;
extern size_t hostile_count;
void hostiles_find(const struct place *place);

struct point {
    uint16_t subject;
    uint8_t program;
    uint8_t way;
    uint16_t which; /* of faults, limits, signals or hostiles */
    uint64_t number;
};

/* SUBJECT/PROGRAM/WAY/NUMBER */
#define POINT_ID 128
void point_id(const struct point *point, char id[POINT_ID]);
/* what is counted together in the table: a word of the way */
const char *point_class(const struct point *point);

/* ---- what came of it ------------------------------------------------------------------------- */

struct outcome {
    int status; /* as of waitpid() */
    bool hung;
    bool orphans;
    bool hit; /* the point was reached */
    struct text out, err;
    struct text files; /* below @OUT, each with a line before it */
};

/* Runs a subject in the slot. point: NULL: undisturbed. more: words behind those of the subject, or
 * NULL. Of a way HOSTILE the subject's words are others. keep: @OUT stays as the last one left it.
 */
void outcome_make(struct outcome *outcome, const struct place *place, unsigned slot,
                  struct torture_shared *shared, const struct subject *subject,
                  const struct point *point, const char *more, bool keep);
void outcome_free(struct outcome *outcome);

enum verdict {
    SURVIVED,
    MISSED,
    FALSE_VERDICT,
    HANG,
    ABORT,
    LOST,
    VERDICTS
};

/* Tries the point; why gets what is wrong. */
enum verdict point_try(const struct place *place, unsigned slot, struct torture_shared *shared,
                       const struct outcome *calm, const struct point *point, bool show,
                       struct text *why);

#endif
