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
    bool valid;          /* its call is valid at some feature level */
};

/* A list of cases. Those beyond 16 MiB are in a temporary file. */
struct cli_cases {
    size_t count;
    const char *drifted; /* a selected test whose cases are not those of the profile, or NULL */
    struct cli_store *store;
};

/* Returns a case by its number. The pointer is valid until a case is added or several others are
 * asked for, so do not keep it. In case_store.c, like cli_cases_append() and cli_cases_keep(). */
const struct cli_case *cli_case_at(const struct cli_cases *cases, uint64_t number);
/* Gets the types of the outputs of a call of a case. call: its number, as in struct topk_result. */
void cli_case_types(const struct cli_case *c, uint32_t call, uint32_t types[TOPK_ROLE_COUNT]);
/* Describes a case, without its id: the id has `length` characters, of which the first `text` are
 * the name of its test, number `test`. */
struct cli_case cli_case_of(const struct topk_case *c, size_t length, size_t text, uint32_t test);
/* Adds a case with the id of c->length characters. */
void cli_cases_append(struct cli_cases *cases, const char *id, const struct cli_case *c);
/* Keeps only the cases for which keep() is true; they get new numbers. */
void cli_cases_keep(struct cli_cases *cases,
                    bool (*keep)(const struct cli_case *c, const void *context),
                    const void *context);

/* Collects the cases of a profile (NULL: of all tests) that one of the selections selects; all
 * cases if there are no selections. extra: a selection that selects nothing, but is the id or the
 * text of a case, is added as a case. Ends the program after a message if a selection selects
 * nothing, or if there are no cases. */
void cli_cases_select(struct cli_cases *cases, const struct topk_profile *profile,
                      char *const *selections, size_t selection_count, bool extra);

/* Ends the program after a message if the cases of a selected test differ from those of the
 * profile. */
void cli_cases_hold(const struct cli_cases *cases, const struct topk_profile *profile);

/* Adds a case by its id or text. where: the start of the message, such as "line 3: ", or "".
 * Returns CLI_CONFORMANT, or CLI_USAGE after a message that shows where the id or text is wrong. */
int cli_cases_add(struct cli_cases *cases, const char *id, size_t length, const char *where);

/* Adds the cases that a file lists, one per line; empty lines and those that start with '#' are
 * ignored. path NULL: standard input. Returns CLI_CONFORMANT, or, after a message, the exit code:
 * CLI_INCOMPLETE if the file has no case. In cases.c. */
int cli_cases_read(struct cli_cases *cases, const char *path);
/* The same from an open file; name: for messages. */
int cli_cases_parse(struct cli_cases *cases, FILE *file, const char *name);

/* Whether a case belongs to a shard. */
bool cli_case_of_shard(const struct cli_cases *cases, const struct topk_shard *shard,
                       uint64_t number);

/* The text of a case, as runners take it. */
const char *cli_case_text(const struct cli_cases *cases, uint64_t number, size_t *length);

/* Parses an id, or only a case's text, that was parsed before. False if memory is short; *tc can
 * be cleared in any case. */
bool cli_case_parse(const char *id, size_t length, struct topk_case *tc);

/* Drops the cases that ask for a feature level above `level`. */
void cli_cases_limit(struct cli_cases *cases, uint32_t level);

void cli_cases_free(struct cli_cases *cases);

/* The number of tests of a profile, or of all tests if it is NULL; one of them by its place; and
 * its number among all tests. cli_test_at() ends the program after a message if the profile names a
 * test that does not exist. */
size_t cli_test_count(const struct topk_profile *profile);
const struct topk_test *cli_test_at(const struct topk_profile *profile, size_t place);
uint32_t cli_test_number(const struct topk_test *test);

#endif
