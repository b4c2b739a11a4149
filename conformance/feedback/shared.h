/* The shared memory in which code compiled by AFL++ counts: a System V segment, whose id is in the
 * variable __AFL_SHM_ID. The system removes it when the last process has detached. No process can
 * make it smaller. */
#ifndef TOPK_FEEDBACK_SHARED_H
#define TOPK_FEEDBACK_SHARED_H

#include <stdbool.h>
#include <stddef.h>

struct topk_shared {
    int id;
    unsigned char *bytes; /* NULL: there is none */
    size_t size;
};

/* Creates a segment of zeros and detaches the previous one. Returns false, with the reason in error
 * and no segment, if the system cannot provide one. */
bool topk_shared_renew(struct topk_shared *shared, size_t size, char *error, size_t error_bytes);
void topk_shared_close(struct topk_shared *shared);

#endif
