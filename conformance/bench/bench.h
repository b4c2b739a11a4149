/* `topk-cts bench': in one run measures the judge and a backend, each together with the limit of
 * this machine, and the backend with its peers.
 *
 * A row is one kind of call: a type, a length n, K. In each of several rounds the limit, the work
 * and each peer take turns, on rotating buffers so that no cache holds them. Times are medians over
 * the rounds. Ratios are medians of the ratios of each round, so a slower machine affects both
 * sides. With one thread, times are processor time of this process; with several threads, or a
 * device, they are wall time.
 *
 * A call has TOPK_BENCH_CALL elements in sequences of n elements, but at least one sequence. Each
 * backend runs in this process. Its result is judged once before it is timed; a wrong result is not
 * timed. */
#ifndef TOPK_BENCH_H
#define TOPK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reference/element.h"

/* Version of the JSON format. */
#define TOPK_BENCH_FORMAT 1

/* Default elements of a call; a call with a longer sequence has more. */
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

/* K as requested by a user. */
struct topk_bench_k {
    bool of_n;       /* n / number */
    uint32_t number; /* above 0 */
};

struct topk_bench_options {
    bool subject[TOPK_BENCH_SUBJECTS];
    const char *backend; /* spec: NAME[:OPTIONS] or PATH[:OPTIONS] */
    const char *peers[TOPK_BENCH_PEERS];
    uint32_t peer_count;
    const char *peer_folder;         /* folder of the plugins in peers.def; NULL: omit its peers */
    uint32_t types[TOPK_TYPE_COUNT]; /* numbers of types */
    uint32_t type_count;
    uint32_t lengths[TOPK_BENCH_LENGTHS];
    uint32_t length_count;
    uint32_t sequences; /* of a call; 0: enough for TOPK_BENCH_CALL elements, at least one */
    struct topk_bench_k ks[TOPK_BENCH_KS];
    uint32_t k_count; /* 0: the defaults of each subject */
    uint32_t runs;    /* rounds, 1 to TOPK_BENCH_RUNS */
    bool quick;       /* short turns and small buffers, to try the command */
    /* Reports progress; may be NULL. */
    void (*progress)(void *context, uint32_t done, uint32_t total, const char *text);
    void *context;
};

/* Fills in the defaults. */
void topk_bench_defaults(struct topk_bench_options *options);

/* Times of one side of a row. */
struct topk_bench_figure {
    bool measured;
    double median; /* nanoseconds per element, like the next two */
    double least;
    double greatest;
    double ratio; /* of the work: to the limit; of a peer: to the work; 0 if there is none */
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
    struct topk_bench_figure bare; /* time on the device alone; ratio: work / bare */
    struct topk_bench_figure peers[TOPK_BENCH_PEERS]; /* in the order of the report's peers */
};

/* A backend that is measured, or left out. */
struct topk_bench_party {
    bool open;
    char name[TOPK_BENCH_TEXT]; /* as in --peer, or from peers.def */
    char version[TOPK_BENCH_TEXT];
    char about[TOPK_BENCH_TEXT]; /* device and features, or why it is left out */
};

/* GB/s of one thread. */
struct topk_bench_machine {
    double read;    /* sum in lanes */
    double copy;    /* memcpy(): bytes copied */
    double strided; /* every third element of four bytes: bytes summed */
};

struct topk_bench_report {
    char suite[64];                  /* version of topk-cts */
    char started[32];                /* UTC */
    char processor[TOPK_BENCH_TEXT]; /* model, and the instruction sets that the code can use */
    uint32_t processors;             /* that the process is pinned to; 0: it is not pinned */
    uint32_t first;                  /* number of the first of them */
    bool processor_time;             /* times are processor time, otherwise wall time */
    uint64_t buffers;                /* bytes that the inputs of calls rotate through */
    uint64_t cache;                  /* bytes of the largest cache; 0: unknown */
    uint32_t runs;
    bool quick;
    struct topk_bench_machine machine;
    struct topk_bench_party backend;
    struct topk_bench_party peers[TOPK_BENCH_PEERS];
    uint32_t peer_count;
    struct topk_bench_row *rows; /* owned */
    uint32_t row_count;
    char (*notes)[TOPK_BENCH_TEXT]; /* owned; what was left out, and why */
    uint32_t note_count;
    bool wrong; /* a result was wrong; a note says which */
};

void topk_bench_free(struct topk_bench_report *report);

/* Outcome of topk_bench_run() or topk_bench_plan(). */
enum topk_bench_status {
    TOPK_BENCH_DONE,
    TOPK_BENCH_NOTHING,     /* the options leave no row */
    TOPK_BENCH_UNAVAILABLE, /* the backend cannot be opened */
    TOPK_BENCH_NO_MEMORY
};

/* Lists the rows that the options ask for, without measuring; the report has nothing but rows. */
enum topk_bench_status topk_bench_plan(const struct topk_bench_options *options,
                                       struct topk_bench_report *report, char *error,
                                       size_t error_bytes);

/* Measures these rows. On TOPK_BENCH_DONE the caller frees *report; otherwise the reason is in
 * error. Pins the process, if possible, unless a backend computes on a device. */
enum topk_bench_status topk_bench_run(const struct topk_bench_options *options,
                                      struct topk_bench_report *report, char *error,
                                      size_t error_bytes);

/* Whether two rows measure the same kind of call. */
bool topk_bench_same(const struct topk_bench_row *a, const struct topk_bench_row *b);

/* Writes a number such as "16", "64k" or "1M", where k is 1024 and M is k squared. */
#define TOPK_BENCH_NUMBER 16
void topk_bench_number(uint32_t number, char text[TOPK_BENCH_NUMBER]);

/* ---- output ---------------------------------------------------------------------------------- */

/* Prints tables of at most 100 columns with up to five peers. */
void topk_bench_print(FILE *out, const struct topk_bench_report *report);

/* Writes the report as JSON. False if memory is short. */
bool topk_bench_write(FILE *out, const struct topk_bench_report *report);

/* Draws cost against n as SVG for a browser, with a curve for each K. */
void topk_bench_draw(FILE *out, const struct topk_bench_report *report);

/* Reads JSON of topk_bench_write(). False if it is malformed, with the place and the reason in
 * error. */
bool topk_bench_read(const char *text, size_t length, struct topk_bench_report *report, char *error,
                     size_t error_bytes);

/* ---- comparing ------------------------------------------------------------------------------- */

/* Counts of rows that two reports share and both measured. */
struct topk_bench_comparison {
    uint32_t shared;
    uint32_t regressed; /* the ratio to the limit is more than `tolerance` times the earlier one */
    uint32_t improved;  /* the earlier ratio is more than `tolerance` times this one */
};

/* Compares the ratios to the limits, which each run measured on its own machine; prints what
 * changed. tolerance: above 1. */
struct topk_bench_comparison topk_bench_compare(FILE *out, const struct topk_bench_report *before,
                                                const struct topk_bench_report *after,
                                                double tolerance);

#endif
