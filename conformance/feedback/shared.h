/* The shared memory that code compiled by AFL++ counts in: a System V segment, which the variable
 * __AFL_SHM_ID names. The segment is removed by the system with the last process that has it, and
 * nobody can make it smaller. */
#ifndef TOPK_FEEDBACK_SHARED_H
#define TOPK_FEEDBACK_SHARED_H

#include <stdbool.h>
#include <stddef.h>

struct topk_shared {
    int id;
    unsigned char *bytes; /* NULL: there is none */
    size_t size;
};

/* Makes a segment of zeros in the place of what there was. False, with the reason in error and no
 * segment, if the system has none to give. */
bool topk_shared_renew(struct topk_shared *shared, size_t size, char *error, size_t error_bytes);
void topk_shared_close(struct topk_shared *shared);

#endif
