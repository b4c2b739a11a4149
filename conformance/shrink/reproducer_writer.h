/* What the parts of reproducer.c share: the program that is being written, and the parts of it that
 * reproducer_data.c writes. */
#ifndef TOPK_REPRODUCER_WRITER_H
#define TOPK_REPRODUCER_WRITER_H

#include <stdio.h>

#include "case/case.h"

struct topk_writer {
    FILE *out;
    const struct topk_case *tc;
    const char *about;
    const char *command; /* that builds the program */
    struct topk_validity validity;
    bool invalid; /* the description is */
    bool created; /* the operator is only created: it is invalid, or too large to be run */
    bool large;   /* the program makes its data itself, and what is expected */
    struct topk_place places[TOPK_ROLE_COUNT];
    unsigned char *input; /* the input's buffer */
    bool no_memory;
};

/* Whether outputs are judged: not those that overlap (T14), nor those of a call that only creates.
 */
bool topk_writer_judges(const struct topk_writer *w);

/* How many orders the clauses allow elements to be compared in. */
uint32_t topk_writer_orders(const struct topk_writer *w);

/* Writes the functions that fill the input, and the one that says what is expected. */
void topk_writer_data(struct topk_writer *w);

#endif
