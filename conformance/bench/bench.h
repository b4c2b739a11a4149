/* `topk-cts bench': measures the judge and a backend, each together with the limit of this machine
 * and with its peers, in one run.
 *
 * A row is one kind of call: a type, a length n, K. In each of several rounds the limit, the work
 * and each peer run in turn for a moment, on rotating buffers, so that no cache holds them. Times
 * are medians over the rounds. Ratios are medians of the ratios of each round, so whatever slows
 * the machine down affects both sides. With one thread, times are processor time of this process;
 * with several threads, or a device, they are wall time.
 *
 * A call has TOPK_BENCH_CALL elements in sequences of n elements, but at least one sequence. Each
 * backend runs in this process. Its result is judged once before it is timed; a wrong result gets
 * no number. */
#ifndef TOPK_BENCH_H
#define TOPK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reference/element.h"

/* Format of the JSON. */
#define TOPK_BENCH_FORMAT 1

/* Elements of a call, if its sequences are shorter. */
#define TOPK_BENCH_CALL (UINT64_C(1) << 16)

#define TOPK_BENCH_PEERS   8
#define TOPK_BENCH_LENGTHS 16
#define TOPK_BENCH_KS      16
#define TOPK_BENCH_RUNS    99
#define TOPK_BENCH_TEXT    256

/* SUBJECT(NAME, word) */
#define TOPK_BENCH_SUBJECT_LIST(SUBJECT)                                                           \
    SUBJECT(JUDGE, "judge")                                                                        \
    SUBJECT(BACKEND, "backend")

enum topk_bench_subject {
#define SUBJECT(name, word) TOPK_BENCH_##name,
    TOPK_BENCH_SUBJECT_LIST(SUBJECT)
#undef SUBJECT
    TOPK_BENCH_SUBJECTS
};

const char *topk_bench_subject_word(enum topk_bench_subject subject);

/* K as a user asks for it. */
struct topk_bench_k {
    bool of_n;       /* n / number */
    uint32_t number; /* above 0 */
};

struct topk_bench_options {
    bool subject[TOPK_BENCH_SUBJECTS];
    const char *backend; /* spec: NAME[:OPTIONS] or PATH[:OPTIONS] */
    const char *peers[TOPK_BENCH_PEERS];
    uint32_t peer_count;
    const char *peer_folder; /* where plugins of peers.def are; NULL: those peers are not wanted */
    uint32_t types[TOPK_TYPE_COUNT]; /* numbers of types */
    uint32_t type_count;
    uint32_t lengths[TOPK_BENCH_LENGTHS];
    uint32_t length_count;
    uint32_t sequences; /* of a call; 0: as many as make TOPK_BENCH_CALL elements, one at least */
    struct topk_bench_k ks[TOPK_BENCH_KS];
    uint32_t k_count; /* 0: those of each subject */
    uint32_t runs;    /* rounds, 1 to TOPK_BENCH_RUNS */
    bool quick;       /* short turns and small buffers: to try the command */
    /* says how far it is; may be NULL */
    void (*progress)(void *context, uint32_t done, uint32_t total, const char *text);
    void *context;
};

/* Fills in the defaults. */
void topk_bench_defaults(struct topk_bench_options *options);

/* What was measured of one side of a row. */
struct topk_bench_figure {
    bool measured;
    double median; /* nanoseconds an element */
    double least;
    double greatest;
    double ratio; /* of the work: to the limit; of a peer: to the work; else 0 */
};

struct topk_bench_row {
    enum topk_bench_subject subject;
    uint32_t type;
    uint32_t n;
    uint32_t k;
    uint32_t stride;    /* of the input along a sequence, in elements */
    uint64_t sequences; /* of a call */
    struct topk_bench_figure limit;
    struct topk_bench_figure work;
    struct topk_bench_figure bare; /* of what a device does; ratio: work / bare */
    struct topk_bench_figure peers[TOPK_BENCH_PEERS]; /* as the report has them */
};

/* A backend that takes part. */
struct topk_bench_party {
    bool open;
    char name[TOPK_BENCH_TEXT]; /* as --peer has it, or of the row of peers.def */
    char version[TOPK_BENCH_TEXT];
    char about[TOPK_BENCH_TEXT]; /* device and features; or why it takes no part */
};

/* GB/s of one thread. */
struct topk_bench_machine {
    double read;    /* a sum in lanes */
    double copy;    /* memcpy(), bytes copied */
    double strided; /* each third element of four bytes, bytes summed */
};

struct topk_bench_report {
    char suite[64];                  /* version of topk-cts */
    char started[32];                /* UTC */
    char processor[TOPK_BENCH_TEXT]; /* model, and what it has of what code is written for */
    uint32_t processors;             /* that the process is pinned to, 0: it is not */
    uint32_t first;                  /* of them */
    bool processor_time;             /* times are those of the processor, not of a clock */
    uint64_t buffers;                /* bytes that the input of calls rotates through */
    uint64_t cache;                  /* bytes of the largest cache, 0: not known */
    uint32_t runs;
    bool quick;
    struct topk_bench_machine machine;
    struct topk_bench_party backend;
    struct topk_bench_party peers[TOPK_BENCH_PEERS];
    uint32_t peer_count;
    struct topk_bench_row *rows; /* owned */
    uint32_t row_count;
    char (*notes)[TOPK_BENCH_TEXT]; /* owned: what was left out, and why */
    uint32_t note_count;
    bool wrong; /* a result was wrong: a note says which */
};

void topk_bench_free(struct topk_bench_report *report);

/* What topk_bench_run() came to. */
enum topk_bench_status {
    TOPK_BENCH_DONE,
    TOPK_BENCH_NOTHING,     /* the options leave no row */
    TOPK_BENCH_UNAVAILABLE, /* the backend does not open */
    TOPK_BENCH_NO_MEMORY
};

/* Lists the rows that the options ask for, without measuring: a report with rows alone. */
enum topk_bench_status topk_bench_plan(const struct topk_bench_options *options,
                                       struct topk_bench_report *report, char *error,
                                       size_t error_bytes);

/* Measures them. *report is to be freed if the status is TOPK_BENCH_DONE; else the reason is in
 * error. Pins the process, if it can and the backend does not compute on a device. */
enum topk_bench_status topk_bench_run(const struct topk_bench_options *options,
                                      struct topk_bench_report *report, char *error,
                                      size_t error_bytes);

/* Whether row A and B measure the same. */
bool topk_bench_same(const struct topk_bench_row *a, const struct topk_bench_row *b);

/* "16", "64k", "1M": k is 1024, M its square. */
#define TOPK_BENCH_NUMBER 16
void topk_bench_number(uint32_t number, char text[TOPK_BENCH_NUMBER]);

/* ---- What is written ------------------------------------------------------------------------- */

/* Tables of at most 100 columns with up to five peers. */
void topk_bench_print(FILE *out, const struct topk_bench_report *report);

/* False if memory is short. */
bool topk_bench_write(FILE *out, const struct topk_bench_report *report);

/* Cost against n, a curve for each K, for a browser. */
void topk_bench_draw(FILE *out, const struct topk_bench_report *report);

/* Reads what topk_bench_write() wrote. False, with what is wrong and where in error. */
bool topk_bench_read(const char *text, size_t length, struct topk_bench_report *report, char *error,
                     size_t error_bytes);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* What became of the rows that two reports share. */
struct topk_bench_comparison {
    uint32_t shared;
    uint32_t regressed; /* the work's ratio to its limit is more than tolerance times as large */
    uint32_t improved;  /* it was more than tolerance times as large */
};

/* Compares by the ratios to the limits, as each run measured them; prints what changed. tolerance:
 * above 1. */
struct topk_bench_comparison topk_bench_compare(FILE *out, const struct topk_bench_report *before,
                                                const struct topk_bench_report *after,
                                                double tolerance);

#endif
