/* The driver of scripts/torture: what it attacks (subjects), where and how (points), and the
 * results (outcomes). */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* a growing text, terminated by 0; ends the program if memory is short */
struct text {
    char *at;
    size_t length;
    size_t room;
};

void text_add(struct text *text, const char *bytes, size_t length);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);
/* Appends the content of a file; returns false if it cannot be read. */
bool text_read(struct text *text, const char *path);

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- subjects -------------------------------------------------------------------------------- */

enum program {
    CTS,
    WORKER,
    BACKEND,
    PROGRAMS
};
extern const char *const program_names[PROGRAMS];

enum subject_kind {
    EXACT, /* its output and files are always the same */
    RUN,   /* writes a log with varying times */
    SPOKEN /* only its end and its last line of output are always the same */
};

/* A command line of topk-cts. In its words, @OUT is a folder for its output, @IN the folder of the
 * fixtures, @CASE, @FEW and @BIN what their names say. A subject that starts other programs than
 * topk-cts is attacked there, too. */
struct subject {
    const char *name;
    const char *words; /* separated by '|' */
    enum subject_kind kind;
    unsigned programs; /* a bit for each program that it starts */
    const char *again; /* a word to repeat it after a failure, or NULL */
    const char *old;   /* a file below @OUT that exists before, or NULL */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* paths and limits */
struct place {
    const char *bin;     /* folder of the programs */
    const char *library; /* the preloaded library */
    char *work;          /* its own folder: in/ has the fixtures, N/ belongs to slot N */
    double limit;        /* time limit for a process in seconds */
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
    uint64_t least, most, step; /* values to try */
};

extern const struct limit limits[];
extern const size_t limit_count;
extern const int signal_numbers[];
extern const char *const signal_words[];
extern const size_t signal_count;
#define SIGNAL_POINTS 200

struct hostile {
    const char *word;
    bool worker; /* chaos_worker, or the hostile backend process */
};

extern struct hostile *hostiles;
extern size_t hostile_count;
void hostiles_find(const struct place *place);

struct point {
    uint16_t subject;
    uint8_t program;
    uint8_t way;
    uint16_t which; /* index in faults, limits, signals or hostiles */
    uint64_t number;
};

/* SUBJECT/PROGRAM/WAY/NUMBER */
#define POINT_ID 128
void point_id(const struct point *point, char id[POINT_ID]);
/* the rows of the table of results: a word of the way */
const char *point_class(const struct point *point);

/* ---- results --------------------------------------------------------------------------------- */

struct outcome {
    int status; /* as from waitpid() */
    bool hung;
    bool orphans;
    bool hit; /* the point was reached */
    struct text out, err;
    struct text files; /* the files below @OUT, each after a line with its name */
};

/* Runs a subject in a slot. point: NULL: undisturbed. more: words after those of the subject, or
 * NULL. The way HOSTILE replaces the subject's words. keep: @OUT keeps its content from the last
 * run. */
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

/* Tries a point; why is set to what is wrong. */
enum verdict point_try(const struct place *place, unsigned slot, struct torture_shared *shared,
                       const struct outcome *calm, const struct point *point, bool show,
                       struct text *why);

#endif
