/* Calls whose tensors stand against inaccessible pages: what a backend reads or writes beyond a
 * tensor crashes it where it does so, instead of going unseen.
 *
 * The buffers of a call are copied to places of their own, the backend works there, and what it
 * left there is copied back. Only one side of a tensor can stand at a page; the other has its guard
 * bytes, as in a call without guard pages. */
#ifndef TOPK_GUARD_PAGE_H
#define TOPK_GUARD_PAGE_H

#include "protocol/protocol.h"

/* Where a tensor stands in a buffer that leaves the page out: as near to it as the alignments
 * allow, which are 64 bytes of the buffer, and 16 or more of the tensor's offset in it. What is not
 * a multiple of 16 to begin with keeps its remainder. */
struct topk_guard_place {
    uint64_t bytes;  /* of the buffer */
    uint64_t offset; /* of the tensor in it */
    uint64_t gap;    /* bytes between the tensor and the page */
};
struct topk_guard_place topk_guard_place(enum topk_guard_page side,
                                         const struct topk_backend_tensor *tensor,
                                         const struct topk_backend_buffer *buffer);

/* The memory of calls that are under way together. A process has one at most. */
struct topk_guard_pages;

/* NULL if memory is short. */
struct topk_guard_pages *topk_guard_pages_new(void);
void topk_guard_pages_free(struct topk_guard_pages *pages);

/* The bytes that may be read and written in and around a buffer. */
struct topk_guard_room {
    unsigned char *from, *to;
};

/* Gives a call buffers against pages on one side, with copies of what its own hold and of
 * TOPK_SLACK_FRONT and TOPK_SLACK_BACK bytes around these, as far as they lie in its room. A call
 * that is create_only, and any with NONE, stays as it is. False if memory is short: the call is
 * then unchanged. */
bool topk_guard_pages_give(struct topk_guard_pages *pages, enum topk_guard_page side,
                           const struct topk_guard_room rooms[TOPK_WIRE_TENSORS],
                           struct topk_backend_call *call);

/* Once the calls given since the last time are done: copies back what they left. */
void topk_guard_pages_take(struct topk_guard_pages *pages);

/* Says outside of which tensor an address is, if it is in one of the pages; false if it is in none.
 * access is left alone. May be called in a signal handler. */
bool topk_guard_pages_locate(uint64_t address, struct topk_crash_outside *outside);

#endif
