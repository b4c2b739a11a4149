/* All that a report says of a run, gathered in one reading of its log: totals, clauses, failures by
 * cause, where in the space of cases they lie, times, observations, probes, who answered. */
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

/* ---- what a case's text says; the cases are the caller's to understand ----------------------- */

/* In what respects the cases of a report are told apart. FACET(NAME, name, title) */
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

/* Most classes of a facet. */
#define TOPK_FACET_CLASSES 24

/* What is read off the text of a case. */
struct topk_case_look {
    unsigned char facets[TOPK_FACET_COUNT]; /* class by facet */
    uint64_t elements;                      /* of the input; UINT64_MAX: not known */
    uint32_t n, k;                          /* length of the axis and K; 0: there are none */
    struct topk_clause_set clauses;         /* that it tests */
    struct topk_clause_set maybe; /* that it may test as well: there is too much data to look at */
};

/* Outputs that were expected where a record shows the actual ones, as text. */
struct topk_expected {
    uint32_t count; /* 0: not known */
    bool one_of;    /* others are allowed as well (NaN, F02; what the contract leaves open) */
    struct topk_expected_output {
        char value[48]; /* "0.1" */
        char bits[20];  /* "3dcccccd" */
        uint64_t index;
    } outputs[TOPK_WINDOW];
};

/* Who understands cases, and what is known of them beside the log. */
struct topk_case_lookup {
    /* the classes of a facet: their names, NULL behind the last */
    const char *const *(*classes)(enum topk_facet facet);
    /* Looks at a case; what is not understood is of the last class of each facet. */
    void (*look)(const char *id, struct topk_case_look *look);
    const struct topk_asks *asks;
    /* Works out `count` outputs of a sequence from position `from` on; call: as in the result. */
    void (*expect)(const char *id, uint32_t call, const struct topk_contract *contract,
                   uint64_t sequence, uint32_t from, uint32_t count,
                   struct topk_expected *expected);
    /* The call of a case in lines of text: shapes, and the elements of the input if they are few.
     * To be freed; NULL if the case is not understood, or memory is short. The function may be
     * NULL. */
    char *(*describe)(const char *id);
    struct topk_earlier *earlier; /* whose times are told beside those of this run; NULL: none */
};

/* ---- a summary ------------------------------------------------------------------------------- */

/* What a case came to, in few bytes. */
struct topk_summary_row {
    uint64_t number;
    const char *text; /* of the case, behind its test's name; NULL: not kept */
    uint32_t test;    /* number in tests */
    uint16_t group;   /* number in groups + 1; 0: it passed */
    uint16_t clauses; /* number in clause_sets + 1 of those that it broke; 0: none */
    uint16_t tests;   /* the same of those that it tests; 0: none, or it was not served */
    unsigned char facets[TOPK_FACET_COUNT];
    unsigned char time; /* its bucket */
    unsigned char n, k; /* classes of its sizes; TOPK_SIZE_NONE: it has none */
};

/* A case that stands for a group; all owned. */
struct topk_example {
    uint64_t number;
    uint64_t elements; /* of the input */
    char *id;
    char *reason;
    char *runs;               /* how often it was run, and failed: topk_log_runs_print() */
    struct topk_crash *crash; /* NULL: none, or nothing is known of it */
    uint32_t call;            /* of a case of several: which is wrong, from 1; 0: there is one */
    bool has_sequence;
    uint64_t sequence;
    uint32_t position;
    size_t finding_count;
    struct topk_example_finding {
        enum topk_clause clause;
        char *place, *sentence;
        char *expected, *actual; /* "2 (00000002)"; "" where there are none */
        uint64_t count;
    } * findings;
    uint32_t window_from;
    size_t window_count;
    struct topk_example_output {
        char *value, *bits;
        uint64_t index;
    } * window;
    struct topk_expected expected; /* of the window */
};

/* What failures were shrunk to, and the cases that shrank to it. */
struct topk_shrunk_example {
    struct topk_example example; /* its number is 0 */
    uint64_t *of;                /* owned: numbers of cases, of_count of them */
    size_t of_count;
    enum topk_clause clause; /* that it breaks, or NONE */
    bool minimal;            /* no step makes it smaller */
};

/* Most that are kept of a run. */
#define TOPK_SHRUNK_MAX 4000

/* Examples of a group: those of the smallest inputs, then of the lowest numbers. */
#define TOPK_EXAMPLES 3

/* Cases that did not pass: failures of one bug and one verdict; or, of others, alike in verdict,
 * clause and cause. */
struct topk_group {
    enum topk_verdict verdict;
    enum topk_clause clause;        /* or NONE */
    const struct topk_entry *entry; /* its bug, of the summary's entries; NULL: no failures */
    char *cause;                    /* owned: a sentence; what is alike of them */
    uint64_t count;
    uint64_t first; /* the lowest number of a case */
    size_t example_count;
    struct topk_example examples[TOPK_EXAMPLES];
    size_t shrunk_count;
    uint32_t shrunk[TOPK_EXAMPLES]; /* by number in the summary's: the smallest first */
};

/* What is alike of the cases of a record's group, a sentence; type: of its elements. To be freed;
 * NULL if memory is short. */
char *topk_group_cause(const struct topk_log_record *record, const char *type);

/* More kinds of failure than this are put together in the last one. */
#define TOPK_GROUPS_MAX 4000

/* Times are counted in buckets, two to a doubling: bucket b holds those below 2^((b+1)/2) ns. */
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

/* Slowest cases that are named. */
#define TOPK_SLOWEST 10

/* Cases of a clause. */
struct topk_clause_count {
    uint64_t cases;     /* that were run and test it */
    uint64_t maybe;     /* that were run and may test it, too: there was too much data to look at */
    uint64_t passing;   /* of them */
    uint64_t by_status; /* of those, by a status alone */
    uint64_t failing;   /* that broke it */
    uint64_t waived;    /* that broke it, and fail as an expectation says */
    uint64_t unsupported; /* that would test it, and were not served */
};

/* Cases of a test. */
struct topk_test_count {
    uint32_t cases[TOPK_CLAUSE_COUNT];   /* that were run and test a clause */
    uint32_t failing[TOPK_CLAUSE_COUNT]; /* of them, that broke it, waived or not */
};

/* What a run says of a clause; the first that holds. CLAIM(NAME, word) */
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
    uint64_t selected; /* cases of the run, by its header */
    bool whole;        /* nothing was selected from the profile, and no level or shard left out */
    bool software;     /* device */
    enum topk_judge judge;
    struct topk_contract contract; /* by which it was judged */
    bool complete;                 /* by its end record */
    bool cut;                      /* the log was; it has no end record */
    struct topk_early early;       /* whether, and why, it ended early */
    uint64_t recorded;
    uint64_t failures;
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t again[TOPK_AGAIN_COUNT]; /* failures that were run again, by what that showed */
    uint64_t once;                    /* failures that were not */
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_clause_count clauses[TOPK_CLAUSE_COUNT];
    struct topk_test_count *by_test; /* owned; by number in tests */
    size_t by_test_count;
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    uint64_t probe_findings;
    struct topk_probe *probes; /* owned */
    size_t probe_count;
    struct topk_log_parts parts; /* owned: what was tested; none if it is not recorded */
    struct topk_group *groups;   /* owned; in the order of the log: rows point to them by number */
    size_t group_count;
    uint32_t *order;             /* owned; group_count numbers: failures first, then by count */
    struct topk_entries entries; /* the bugs; none if no case failed */
    struct topk_shrunk_example *shrunk; /* owned */
    size_t shrunk_count;
    struct topk_heat_cell heat[TOPK_HEAT_COUNT][TOPK_FACET_CLASSES][TOPK_FACET_CLASSES];
    struct topk_sizes sizes;
    uint64_t times[TOPK_TIME_BUCKETS];
    uint64_t nanoseconds; /* in all; UINT64_MAX: that many or more */
    struct topk_slow {
        uint64_t nanoseconds;
        uint64_t number;
        char *id; /* owned */
    } slowest[TOPK_SLOWEST];
    size_t slow_count;
    struct topk_ids tests;         /* names of tests, "ties.boundary" */
    struct topk_ids clause_sets;   /* "S08 S09" */
    struct topk_summary_row *rows; /* owned; by number of the case */
    size_t row_count;
    struct topk_ids texts;   /* of cases that did not pass: what rows point to */
    struct topk_ids passing; /* the same of those that did, if passing_texts */
    bool passing_texts;      /* if not, they would have been too many */
    const struct topk_case_lookup *lookup;
};

/* How a group is told, in every report. Its title: "fail S08". */
#define TOPK_GROUP_TITLE 48
void topk_group_title(const struct topk_group *group, char title[TOPK_GROUP_TITLE]);
/* What is said of it: what its cases share and their cause, if it is a bug, else the reason. NULL
 * if memory is short; to be freed. */
char *topk_group_says(const struct topk_group *group);
/* Prints a line without its end: "fail S08, 12 cases: CAUSE". */
void topk_group_print(FILE *out, const struct topk_group *group);
/* The smallest of its cases that is known, shrunk if it was; NULL if none is. */
const struct topk_example *topk_group_smallest(const struct topk_summary *summary,
                                               const struct topk_group *group);

/* What a run comes to. */
enum topk_conformance topk_summary_conformance(const struct topk_summary *summary);
/* All that it depends on; points into the summary. */
struct topk_standing topk_summary_standing(const struct topk_summary *summary);
/* topk_conformance_lead(); TOPK_LEAD_TEXT of text. */
void topk_summary_lead(const struct topk_summary *summary, char *text, size_t size);
/* What the run says of a clause, and in a word. */
enum topk_claim topk_summary_claim(const struct topk_summary *summary, enum topk_clause clause);
const char *topk_claim_word(enum topk_claim claim);
/* The same of a sentence of the documents, by its clauses. "" if it leads to none. */
const char *topk_summary_sentence_claim(const struct topk_summary *summary, size_t sentence);
/* Room for a sentence, with the terminator. */
#define TOPK_SUMMARY_SENTENCE (TOPK_SENTENCE_TEXT + TOPK_EARLY_TEXT)
/* Writes a sentence with the numbers behind the words: "71 of 22109 cases failed". */
void topk_summary_sentence(const struct topk_summary *summary, char *text, size_t size);

/* Room for the sentence, with the terminator. */
#define TOPK_SUMMARY_AGAIN 240
/* Writes what running failures again showed: "run again: 3 of 7 failures: 1 failed each time; ...",
 * or "" if none was. */
void topk_summary_again(const struct topk_summary *summary, char text[TOPK_SUMMARY_AGAIN]);

/* The time in nanoseconds below which all of a bucket are. */
double topk_time_limit(unsigned bucket);
/* The bucket below whose limit that share of the cases (0 to 1) is; 0 if there are none. */
unsigned topk_summary_quantile(const struct topk_summary *summary, double share);

/* The facets of a heat map. */
void topk_heat_facets(enum topk_heat heat, enum topk_facet *row, enum topk_facet *column);

/* Reads a log. Returns as topk_run_read() does; *summary is to be freed in any case. */
int topk_summary_read(struct topk_summary *summary, const struct topk_case_lookup *lookup,
                      const struct topk_log_source *source, char *error, size_t error_bytes);

void topk_summary_free(struct topk_summary *summary);

/* the rest of what this folder shows others */
#include "conformance.h"
#include "ids.h"
#include "merge.h"
#include "run.h"
#include "run_json.h"
#include "sizes.h"
#include "tested.h"

#endif
