/* Groups of tests: const tables that say which cases there are. A test is `group.name` and yields
 * cases; the id of a case is "group.name:" and its text. */
#ifndef TOPK_GROUP_H
#define TOPK_GROUP_H

#include "generate/generate.h"

/* A case as a file of corpus/ lists it; cmake/corpus.cmake makes tables of them. */
struct topk_text {
    const char *file; /* "corpus/faults.txt"; NULL behind the last row of a table */
    uint32_t line;    /* 1.. */
    const char *name; /* what stands before the ':', to be "GROUP.TEST"; "" if nothing does */
    const char *text; /* the case */
};

/* A group is an array of these that ends with a zero row. */
struct topk_test {
    const char *group; /* "ties" */
    const char *name;  /* "boundary" */
    const char *about; /* what it shows, one line */
    /* One of these three says its cases. */
    const char *product; /* a row, see product.h */
    void (*enumerate)(struct topk_sink *sink);
    const struct topk_text *texts;
    const char *clause; /* one that every case shows beyond those of its text, or NULL */
};

/* All tests, group by group: how many, and each by number, below the count. */
size_t topk_test_count(void);
const struct topk_test *topk_test_at(size_t number);
/* The test of a name, "ties.boundary", of `length` characters; NULL if there is none. */
const struct topk_test *topk_test_find(const char *name, size_t length);

/* Yields the cases of a test in their order, up to what cannot be used: sink->broken says what. */
void topk_test_enumerate(const struct topk_test *test, struct topk_sink *sink);

/* Room for the id of any case, with the terminator. */
#define TOPK_CASE_ID (TOPK_CASE_TEXT + 64u)

#endif
