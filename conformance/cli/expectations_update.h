/* Shared by the parts of `topk-cts expectations update': expectations_update.c reads the run,
 * expectations_propose.c writes the rules. No other file includes this. */
#ifndef TOPK_CLI_EXPECTATIONS_UPDATE_H
#define TOPK_CLI_EXPECTATIONS_UPDATE_H

#include <stdio.h>

#include "condition/learn.h"
#include "expectations/expectations.h"
#include "summary/summary.h"

/* Room for a day, such as 2026-12-31, and its end. */
#define CLI_DAY 11

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
    struct topk_ended ended;  /* its id belongs to `ids` */
    struct topk_crash *crash; /* owned: the crash in `ended`, or NULL */
    char *site;               /* owned: of a crash; "" if it is unknown */
    char *reason;             /* owned */
    uint32_t rule;            /* line of the rule that waived it; 0: none */
    bool waived;              /* by a rule of the proposal */
};

struct proposal {
    uint64_t selected, recorded; /* cases of the run, and how many of them have a record */
    bool part;                   /* only a part of the profile was run */
    bool complete;               /* the end record says so */
    struct topk_ids ids;         /* of the cases of the log */
    struct failure *failures;    /* owned */
    size_t count;
    size_t room;
    struct topk_sample *samples; /* owned: indexed by number of the id */
    size_t sample_room;
    struct topk_expectations rules; /* of the run */
    char *text;                     /* the text of their file */
    char *backend, *version, *driver, *started;
    struct topk_ids kinds; /* how cases fail, in words */
    struct topk_ids tests; /* names of tests */
    struct tally {
        uint64_t cases;
        uint64_t by_verdict[TOPK_VERDICT_COUNT]; /* counts of their verdicts */
        bool whole;                              /* the log has all cases of the test */
        bool done;                               /* the test's rule is written */
    } * tallies;
    size_t tally_room;
    char error[512];
};

/* Writes the current day, in UTC, and returns it. "": the clock cannot be read. */
const char *cli_today(char day[CLI_DAY]);

/* Writes the rules of the run that are kept, and new ones for failures that these do not waive: one
 * for each condition that failures share, for each test whose cases all failed, and for each
 * remaining case. */
void proposal_put(FILE *out, struct proposal *p, const struct cli_expectations_options *options);

#endif
