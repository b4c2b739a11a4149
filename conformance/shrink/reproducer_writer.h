/* Shared by the parts of reproducer.c: the state while a program is written, and the parts that
 * reproducer_data.c writes. */
#ifndef TOPK_REPRODUCER_WRITER_H
#define TOPK_REPRODUCER_WRITER_H

#include <stdio.h>

#include "case/case.h"

struct topk_writer {
    FILE *out;
    const struct topk_case *tc;
    const char *about;
    const char *command; /* the command that builds the program */
    struct topk_validity validity;
    bool invalid; /* the description is invalid */
    bool created; /* the operator is only created, because it is invalid or too large to be run */
    bool large;   /* the program computes its data and the expected output itself */
    struct topk_place places[TOPK_ROLE_COUNT];
    unsigned char *input; /* contents of the input's buffer */
    bool no_memory;
};

/* Whether outputs are judged. They are not if they overlap (T14), or if the operator is only
 * created. */
bool topk_writer_judges(const struct topk_writer *w);

/* In how many orders the clauses allow a backend to sort the elements. */
uint32_t topk_writer_orders(const struct topk_writer *w);

/* Writes the functions that fill the input and that return the expected output. */
void topk_writer_data(struct topk_writer *w);

#endif
