/* Lists of cases: from selections, from single ids, from files. */
#ifndef TOPK_CLI_SELECT_H
#define TOPK_CLI_SELECT_H

#include <stdio.h>

#include "log/log.h"
#include "suite/suite.h"

struct cli_case {
    const char *id;
    uint32_t length;
    uint32_t text;       /* where the case's text starts in id */
    uint32_t test;       /* number of its test; UINT32_MAX: given by its text */
    uint32_t level;      /* feature level that it asks for */
    uint32_t type;       /* of its values */
    uint32_t index_type; /* of its indices */
};

/* A list of cases: what is beyond 16 MiB lies in a temporary file. */
struct cli_cases {
    size_t count;
    const char *drifted; /* of what was selected, a test whose cases are not those of the profile */
    struct cli_store *store;
    char *scratch; /* room for one id */
};

/* A case by its number. It lives until the list is added to, or several others were asked for: it
 * is not to be kept. In case_store.c, as are the next two. */
const struct cli_case *cli_case_at(const struct cli_cases *cases, uint64_t number);
/* The types of the outputs of a call of a case, by the number that a result has. */
void cli_case_types(const struct cli_case *c, uint32_t call, uint32_t types[TOPK_ROLE_COUNT]);
/* Adds a case with the id of c->length characters. */
void cli_cases_append(struct cli_cases *cases, const char *id, const struct cli_case *c);
/* Leaves the cases of which keep() is true; they get new numbers. */
void cli_cases_keep(struct cli_cases *cases,
                    bool (*keep)(const struct cli_case *c, const void *context),
                    const void *context);

/* Collects the cases of a profile (NULL: of all tests) that one of the selections selects; all if
 * there are none. extra: a selection that is a case's id or text and selects nothing is added.
 * Ends the program after a message if that cannot be done, or if there are none. */
void cli_cases_select(struct cli_cases *cases, const struct topk_profile *profile,
                      char *const *selections, size_t selection_count, bool extra);

/* Ends the program after a message if one of the tests that were selected has other cases than the
 * profile means. */
void cli_cases_hold(const struct cli_cases *cases, const struct topk_profile *profile);

/* Adds a case by its id or text. where: "" or what comes before the message ("line 3: "). Returns
 * CLI_CONFORMANT, or CLI_USAGE after a message that shows where it is wrong. */
int cli_cases_add(struct cli_cases *cases, const char *id, size_t length, const char *where);

/* Adds the cases that a file lists, one a line; empty lines and those that start with '#' are left
 * out. path NULL: standard input. Returns CLI_CONFORMANT, or what to exit with, after a message:
 * CLI_INCOMPLETE if there is none. In cases.c. */
int cli_cases_read(struct cli_cases *cases, const char *path);
/* The same from an open file; name: for messages. */
int cli_cases_parse(struct cli_cases *cases, FILE *file, const char *name);

/* Whether a case is of a shard. */
bool cli_case_of_shard(const struct cli_cases *cases, const struct topk_shard *shard,
                       uint64_t number);

/* The text of a case, as runners take it. */
const char *cli_case_text(const struct cli_cases *cases, uint64_t number, size_t *length);

/* Parses an id, or only a case's text, that was parsed before. False if memory is short; *tc can
 * be cleared in any case. */
bool cli_case_parse(const char *id, size_t length, struct topk_case *tc);

/* Drops the cases that ask for more than a level. */
void cli_cases_limit(struct cli_cases *cases, uint32_t level);

void cli_cases_free(struct cli_cases *cases);

/* Calls a function with every case of a test, and the number of the test in the order of all. */
struct cli_visitor {
    void (*visit)(void *context, const struct topk_test *test, uint32_t number,
                  struct topk_case *c);
    /* whether the cases of a test are to be gone through; NULL: those of all are */
    bool (*wanted)(void *context, const struct topk_test *test);
    /* called behind the cases of a test, with its row in the profile; NULL: nothing is */
    void (*done)(void *context, const struct topk_profile_test *row);
    void *context;
};
/* The tests of a profile, or all if it is NULL. Ends the program after a message if one is gone. */
void cli_tests_visit(const struct topk_profile *profile, const struct cli_visitor *visitor);

#endif
