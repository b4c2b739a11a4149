/* Groups of tests: constant tables of cases. A test is called `group.name`. The id of a case is
 * "group.name:" followed by its text. */
#ifndef TOPK_GROUP_H
#define TOPK_GROUP_H

#include "generate/generate.h"

/* A case from a file of corpus/; cmake/corpus.cmake makes the tables. */
struct topk_text {
    const char *file; /* "corpus/faults.txt"; NULL in the row that ends a table */
    uint32_t line;    /* from 1 */
    /* the part of the line before the ':', which must be "GROUP.TEST"; "" if there is none */
    const char *name;
    const char *text; /* the case */
};

/* A group is an array of these; a row of zeros ends it. */
struct topk_test {
    const char *group; /* "ties" */
    const char *name;  /* "boundary" */
    const char *about; /* what its cases show, one line */
    /* One of these three defines the cases. */
    const char *product; /* a row, see product.h */
    void (*enumerate)(struct topk_sink *sink);
    const struct topk_text *texts;
    const char *clause; /* a clause that every case shows, besides those of its text; or NULL */
};

/* All tests, group by group: their number, and the test with a number below that. */
size_t topk_test_count(void);
const struct topk_test *topk_test_at(size_t number);
/* Returns the test with a name of `length` characters, such as "ties.boundary"; NULL if there is
 * none. */
const struct topk_test *topk_test_find(const char *name, size_t length);

/* Passes the cases of a test to a sink, in order. Stops at the first that cannot be used;
 * sink->broken then says why. */
void topk_test_enumerate(const struct topk_test *test, struct topk_sink *sink);

/* Room for the id of any case, with its terminator. */
#define TOPK_CASE_ID (TOPK_CASE_TEXT + 64u)

#endif
