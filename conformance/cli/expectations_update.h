/* What the parts of `topk-cts expectations update' share: expectations_update.c reads the run,
 * expectations_propose.c writes the rules. Nobody else includes this. */
#ifndef TOPK_CLI_EXPECTATIONS_UPDATE_H
#define TOPK_CLI_EXPECTATIONS_UPDATE_H

#include <stdio.h>

#include "condition/learn.h"
#include "expectations/expectations.h"
#include "summary/summary.h"

struct cli_expectations_options {
    const char *run;
    const char *output;
    const char *owner;
    const char *expires;
    bool update;
};

/* a case that failed */
struct failure {
    uint32_t number;          /* of its id */
    uint32_t test;            /* number of its test */
    struct topk_ended ended;  /* its id is of the ids */
    struct topk_crash *crash; /* owned: that of ended, or NULL */
    char *site;               /* owned: of a crash; "" if it is not known */
    char *reason;             /* owned */
    uint32_t rule;            /* line of the one that waived it; 0: none */
    bool waived;              /* by a rule of the proposal */
};

struct proposal {
    uint64_t selected, recorded; /* cases of the run, and how many of them have a record */
    bool part;                   /* of what the backend serves of a profile */
    bool complete;               /* by the end record */
    struct topk_ids ids;         /* of the cases of the log */
    struct failure *failures;    /* owned */
    size_t count;
    size_t room;
    struct topk_sample *samples; /* owned: by number of the id */
    size_t sample_room;
    struct topk_expectations rules; /* of the run */
    char *text;                     /* of their file */
    char *backend, *version, *driver, *started;
    struct topk_ids kinds; /* how cases fail, in words */
    struct topk_ids tests; /* names of them */
    struct tally {
        uint64_t cases;
        uint64_t by_verdict[TOPK_VERDICT_COUNT]; /* what they came to */
        bool whole;                              /* the log has all cases that the test has */
        bool done;                               /* the test's rule is written */
    } * tallies;
    size_t tally_room;
    char error[512];
};

/* Writes the rules of the run that are kept, and new ones for what they do not waive: one for each
 * condition that failures share, for each test that failed as a whole, for each case of the rest.
 */
void proposal_put(FILE *out, struct proposal *p, const struct cli_expectations_options *options);

#endif
