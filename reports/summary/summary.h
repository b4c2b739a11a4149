/* Everything that a report says about a run, collected in one pass over its log: totals, clauses,
 * failures by cause and by properties of cases, times, observations, probes, what was tested. */
#ifndef TOPK_SUMMARY_H
#define TOPK_SUMMARY_H

#include "conformance.h"
#include "entries.h"
#include "identity.h"
#include "ids.h"
#include "log/log.h"
#include "run.h"
#include "sizes.h"
#include "tested.h"

/* ---- properties of cases, which the caller's functions determine ----------------------------- */

/* The properties by which a report classifies cases. FACET(NAME, name, title) */
#define TOPK_FACET_LIST(FACET)                                                                     \
    FACET(TYPE, "type", "element type")                                                            \
    FACET(RANK, "rank", "rank")                                                                    \
    FACET(K, "k", "K")                                                                             \
    FACET(LAYOUT, "layout", "input layout")                                                        \
    FACET(AXIS, "axis", "axis")

enum topk_facet {
#define FACET(name, text, title) TOPK_FACET_##name,
    TOPK_FACET_LIST(FACET)
#undef FACET
    TOPK_FACET_COUNT
};

const char *topk_facet_name(enum topk_facet facet);  /* "type" */
const char *topk_facet_title(enum topk_facet facet); /* "element type" */

/* Greatest number of classes of a facet. */
#define TOPK_FACET_CLASSES 24

/* The properties of a case, from its text. */
struct topk_case_look {
    unsigned char facets[TOPK_FACET_COUNT]; /* the class for each facet */
    uint64_t elements;                      /* of the inputs of all calls; UINT64_MAX: unknown */
    uint32_t n, k;                          /* length of the axis and K; 0: none */
    struct topk_clause_set clauses;         /* that it tests */
    struct topk_clause_set maybe; /* that it may test, because there is too much data to examine */
};

/* The expected outputs at the positions where a record has actual ones, as text. */
struct topk_expected {
    uint32_t count; /* 0: unknown */
    bool one_of;    /* other outputs are allowed, too (NaN, F02; choices of the contract) */
    struct topk_expected_output {
        char value[48]; /* "0.1" */
        char bits[20];  /* "3dcccccd" */
        uint64_t index;
    } outputs[TOPK_WINDOW];
};

/* Functions that interpret cases, and knowledge besides the log. */
struct topk_case_lookup {
    /* the names of the classes of a facet, ended by NULL */
    const char *const *(*classes)(enum topk_facet facet);
    /* Determines the properties of a case; one that is malformed is in the last class of each
     * facet. */
    void (*look)(const char *id, struct topk_case_look *look);
    const struct topk_asks *asks;
    /* Computes `count` outputs of a sequence from position `from` on; call: as in the result. */
    void (*expect)(const char *id, uint32_t call, const struct topk_contract *contract,
                   uint64_t sequence, uint32_t from, uint32_t count,
                   struct topk_expected *expected);
    /* Describes the call of a case in lines of text: shapes, and the elements of the input if they
     * are few. The caller frees it; NULL if the case is malformed, or if memory is short, which
     * topk_memory_short() then says. May be NULL. */
    char *(*describe)(const char *id);
    /* a run whose times are shown next to those of this run; NULL: none */
    struct topk_earlier *earlier;
};

/* ---- a summary ------------------------------------------------------------------------------- */

/* The outcome of a case in compact form. */
struct topk_summary_row {
    uint64_t number;
    const char *text; /* of the case, after its test's name; NULL: not stored */
    uint32_t test;    /* index in tests */
    uint16_t group;   /* index in groups + 1; 0: it passed */
    uint16_t clauses; /* index in clause_sets + 1 of the clauses that it broke; 0: none */
    uint16_t tests;   /* the same for the clauses that it tests; 0: none, or it was unsupported */
    unsigned char facets[TOPK_FACET_COUNT];
    unsigned char time; /* its bucket */
    unsigned char n, k; /* classes of its sizes; TOPK_SIZE_NONE: none */
};

/* A case that represents a group; owns its members. */
struct topk_example {
    uint64_t number;
    uint64_t elements; /* of the inputs of all calls */
    char *id;
    char *reason;
    char *runs;               /* how often it was run and failed: topk_log_runs_print() */
    struct topk_crash *crash; /* NULL: none, or nothing is known about it */
    /* in a case of several calls, the wrong call, from 1; 0: there is only one */
    uint32_t call;
    bool has_sequence;
    uint64_t sequence;
    uint32_t position;
    size_t finding_count;
    struct topk_example_finding {
        enum topk_clause clause;
        char *place, *sentence;
        char *expected, *actual; /* "2 (00000002)"; "" if there are none */
        uint64_t count;
    } * findings;
    uint32_t window_from;
    size_t window_count;
    struct topk_example_output {
        char *value, *bits;
        uint64_t index;
    } * window;
    struct topk_expected expected; /* outputs for the window */
};

/* The result of shrinking failures, and the cases that shrank to it. */
struct topk_shrunk_example {
    struct topk_example example; /* its number is 0 */
    uint64_t *of;                /* owned: numbers of cases, of_count of them */
    size_t of_count;
    enum topk_clause clause; /* that it breaks, or NONE */
    bool minimal;            /* no step makes it smaller */
};

/* Greatest number of these in a summary. */
#define TOPK_SHRUNK_MAX 4000

/* Number of examples of a group: those with the smallest inputs; if equal, the lowest numbers. */
#define TOPK_EXAMPLES 3

/* Cases that did not pass: failures with the same bug and verdict; or other cases with the same
 * verdict, clause and cause. */
struct topk_group {
    enum topk_verdict verdict;
    enum topk_clause clause; /* or NONE */
    /* the bug, in the summary's entries; NULL if these are no failures */
    const struct topk_entry *entry;
    char *cause; /* owned: a sentence; what the cases share */
    uint64_t count;
    uint64_t first; /* least number of its cases */
    size_t example_count;
    struct topk_example examples[TOPK_EXAMPLES];
    size_t shrunk_count;
    uint32_t shrunk[TOPK_EXAMPLES]; /* indices in the summary's list, the smallest first */
};

/* What the cases of a record's group share, as a sentence; type: of its elements. The caller frees
 * it; NULL if memory is short. */
char *topk_group_cause(const struct topk_log_record *record, const char *type);

/* Further kinds of failures are put into the last group. */
#define TOPK_GROUPS_MAX 4000

/* Times are counted in buckets, two per factor of two: bucket b contains those below 2^((b+1)/2)
 * ns. */
#define TOPK_TIME_BUCKETS 64

/* A table of counts over two facets. */
#define TOPK_HEAT_LIST(HEAT)                                                                       \
    HEAT(TYPE, RANK)                                                                               \
    HEAT(TYPE, K)                                                                                  \
    HEAT(LAYOUT, AXIS)

enum topk_heat {
#define HEAT(row, column) TOPK_HEAT_##row##_##column,
    TOPK_HEAT_LIST(HEAT)
#undef HEAT
    TOPK_HEAT_COUNT
};

struct topk_heat_cell {
    uint64_t cases, failures, unsupported;
};

/* Number of slowest cases that are listed. */
#define TOPK_SLOWEST 10

/* The cases of a clause. */
struct topk_clause_count {
    uint64_t cases; /* that were run and test it */
    /* that were run and may test it, because there was too much data to examine */
    uint64_t maybe;
    uint64_t passing;     /* of these, those that passed */
    uint64_t by_status;   /* of those, by a status alone */
    uint64_t failing;     /* that broke it */
    uint64_t waived;      /* that broke it, and fail as an expectation says */
    uint64_t unsupported; /* that would test it, but are unsupported */
};

/* The cases of a test. */
struct topk_test_count {
    uint32_t cases[TOPK_CLAUSE_COUNT];   /* that were run and test a clause */
    uint32_t failing[TOPK_CLAUSE_COUNT]; /* of these, those that broke it, waived or not */
};

/* What a run says about a clause; the first that applies. CLAIM(NAME, word) */
#define TOPK_CLAIM_LIST(CLAIM)                                                                     \
    CLAIM(BROKEN, "broken")                                                                        \
    CLAIM(WAIVED, "broken, waived")                                                                \
    /* of grade PRACTICE or OBSERVE: nothing is promised, see what was observed */                 \
    CLAIM(OPEN, "open")                                                                            \
    /* the declared contract has another rule in its place, which all cases that test it kept */   \
    CLAIM(RESTATED, "held as declared")                                                            \
    /* all cases that test it passed */                                                            \
    CLAIM(HELD, "held")                                                                            \
    /* some of them passed, the others failed of other clauses */                                  \
    CLAIM(PARTLY, "held in what passed")                                                           \
    /* by the declared contract: nothing is promised; what is promised cannot be seen */           \
    CLAIM(NOT_PROMISED, "not promised")                                                            \
    CLAIM(NOT_OBSERVED, "not observed")                                                            \
    CLAIM(UNTESTED, "not tested")                                                                  \
    /* cases test it, and none of them passed, for other reasons */                                \
    CLAIM(UNSHOWN, "not shown")

enum topk_claim {
#define CLAIM(name, word) TOPK_CLAIM_##name,
    TOPK_CLAIM_LIST(CLAIM)
#undef CLAIM
    TOPK_CLAIM_COUNT
};

struct topk_summary {
    char *facts[TOPK_FACT_COUNT]; /* owned; as in struct topk_run */
    char *started, *replay;       /* owned */
    char *profile;                /* owned; "core" */
    uint64_t seed;
    uint64_t selected; /* number of cases of the run, from its header */
    bool whole;        /* the whole profile was run: no selection, level or shard */
    bool software;     /* device */
    enum topk_judge judge;
    struct topk_contract contract; /* by which it was judged */
    bool complete;                 /* from the end record */
    bool cut;                      /* the log is truncated: it has no end record */
    struct topk_early early;       /* whether and why it ended early */
    uint64_t recorded;
    uint64_t failures;
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t again[TOPK_AGAIN_COUNT]; /* failures that were run again, by result */
    uint64_t once;                    /* failures that were not run again */
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_clause_count clauses[TOPK_CLAUSE_COUNT];
    struct topk_test_count *by_test; /* owned; by index in tests */
    size_t by_test_count;
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    uint64_t probe_findings;
    struct topk_probe *probes; /* owned */
    size_t probe_count;
    struct topk_log_parts parts; /* owned: what was tested; empty if it is not recorded */
    struct topk_group *groups;   /* owned; in the order of the log; rows refer to them by index */
    size_t group_count;
    uint32_t *order;             /* owned; group_count indices: failures first, then by count */
    struct topk_entries entries; /* the bugs; empty if no case failed */
    struct topk_shrunk_example *shrunk; /* owned */
    size_t shrunk_count;
    struct topk_heat_cell heat[TOPK_HEAT_COUNT][TOPK_FACET_CLASSES][TOPK_FACET_CLASSES];
    struct topk_sizes sizes;
    uint64_t times[TOPK_TIME_BUCKETS];
    uint64_t nanoseconds; /* total; UINT64_MAX if it saturates */
    struct topk_slow {
        uint64_t nanoseconds;
        uint64_t number;
        char *id; /* owned */
    } slowest[TOPK_SLOWEST];
    size_t slow_count;
    struct topk_ids tests;         /* names of tests, such as "ties.boundary" */
    struct topk_ids clause_sets;   /* "S08 S09" */
    struct topk_summary_row *rows; /* owned; by number of the case */
    size_t row_count;
    struct topk_ids texts;   /* texts of cases that did not pass, to which rows point */
    struct topk_ids passing; /* the same for passing cases, if passing_texts */
    bool passing_texts;      /* false if they would have been too many */
    const struct topk_case_lookup *lookup;
};

/* The texts about a group, the same in every report. Its title: "fail S08". */
#define TOPK_GROUP_TITLE 48
void topk_group_title(const struct topk_group *group, char title[TOPK_GROUP_TITLE]);
/* Describes a group: what its cases share and their cause if it is a bug, otherwise the reason. The
 * caller frees it; NULL if memory is short. */
char *topk_group_says(const struct topk_group *group);
/* Prints a line without its end: "fail S08, 12 cases: CAUSE". */
void topk_group_print(FILE *out, const struct topk_group *group);
/* Returns the smallest known case of a group, shrunk if possible; NULL if none is known. */
const struct topk_example *topk_group_smallest(const struct topk_summary *summary,
                                               const struct topk_group *group);

/* The outcome of the run. */
enum topk_conformance topk_summary_conformance(const struct topk_summary *summary);
/* What the outcome depends on; points into the summary. */
struct topk_standing topk_summary_standing(const struct topk_summary *summary);
/* topk_conformance_lead(); text has TOPK_LEAD_TEXT bytes. */
void topk_summary_lead(const struct topk_summary *summary, char *text, size_t size);
/* What the run says about a clause, and as a word. */
enum topk_claim topk_summary_claim(const struct topk_summary *summary, enum topk_clause clause);
const char *topk_claim_word(enum topk_claim claim);
/* The same for a sentence of the documents, by its clauses. "" if no clause follows from it. */
const char *topk_summary_sentence_claim(const struct topk_summary *summary, size_t sentence);
/* Size of a sentence, with the terminator. */
#define TOPK_SUMMARY_SENTENCE (TOPK_SENTENCE_TEXT + TOPK_EARLY_TEXT)
/* Writes a sentence with the numbers of the outcome: "71 of 22109 cases failed". */
void topk_summary_sentence(const struct topk_summary *summary, char *text, size_t size);

/* Size of the sentence, with the terminator. */
#define TOPK_SUMMARY_AGAIN 240
/* Writes the results of running failures again: "run again: 3 of 7 failures: 1 failed each time;
 * ...", or "" if none was run again. */
void topk_summary_again(const struct topk_summary *summary, char text[TOPK_SUMMARY_AGAIN]);

/* The upper limit of a bucket in nanoseconds. */
double topk_time_limit(unsigned bucket);
/* The first bucket below whose limit a share (0 to 1) of the cases is; 0 if there are none. */
unsigned topk_summary_quantile(const struct topk_summary *summary, double share);

/* The facets of a heat map. */
void topk_heat_facets(enum topk_heat heat, enum topk_facet *row, enum topk_facet *column);

/* Reads a log. Returns like topk_run_read(). Free *summary in any case. */
int topk_summary_read(struct topk_summary *summary, const struct topk_case_lookup *lookup,
                      const struct topk_log_source *source, char *error, size_t error_bytes);

void topk_summary_free(struct topk_summary *summary);

/* the other headers that this folder offers */
#include "conformance.h"
#include "ids.h"
#include "merge.h"
#include "run.h"
#include "run_json.h"
#include "sizes.h"
#include "tested.h"

#endif
