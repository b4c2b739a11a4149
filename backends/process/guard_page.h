/* Calls with tensors next to inaccessible pages: a backend that reads or writes outside a tensor
 * crashes at that access.
 *
 * The buffers of a call are copied to special places, the backend works there, and the results are
 * copied back. Only one side of a tensor can be next to a page; the other has its guard bytes, as
 * in a call without guard pages.
 */
#ifndef TOPK_GUARD_PAGE_H
#define TOPK_GUARD_PAGE_H

#include "protocol/protocol.h"

/* The position of a tensor in a buffer next to a page. It is as near to the page as alignment
 * allows: 64 bytes for the buffer, and 16 or more for the tensor's offset in it. An offset that is
 * no multiple of 16 keeps its remainder. */
struct topk_guard_place {
    uint64_t bytes;  /* of the buffer */
    uint64_t offset; /* of the tensor in the buffer */
    uint64_t gap;    /* bytes between the tensor and the page */
};
struct topk_guard_place topk_guard_place(enum topk_guard_page side,
                                         const struct topk_backend_tensor *tensor,
                                         const struct topk_backend_buffer *buffer);

/* The memory for calls that are in flight together. A process has at most one. */
struct topk_guard_pages;

/* Returns NULL if memory is short. */
struct topk_guard_pages *topk_guard_pages_new(void);
void topk_guard_pages_free(struct topk_guard_pages *pages);

/* The accessible bytes in and around a buffer. */
struct topk_guard_room {
    unsigned char *from, *to;
};

/* Gives a call buffers next to pages on one side. They contain copies of its own buffers, and of
 * TOPK_SLACK_FRONT and TOPK_SLACK_BACK bytes around these as far as they are in its room. A call
 * with create_only, and any call with NONE, stays unchanged. Returns false, with the call
 * unchanged, if memory is short. */
bool topk_guard_pages_give(struct topk_guard_pages *pages, enum topk_guard_page side,
                           const struct topk_guard_room rooms[TOPK_WIRE_TENSORS],
                           struct topk_backend_call *call);

/* Copies the results of the calls given since the last time back. Call it when they are done. */
void topk_guard_pages_take(struct topk_guard_pages *pages);

/* Whether an address is in one of the pages; sets *outside to the tensor next to it. Does not set
 * `access`. Async-signal-safe. */
bool topk_guard_pages_locate(uint64_t address, struct topk_crash_outside *outside);

#endif
