/* Buffers next to inaccessible pages. Each tensor of a call gets a slot: memory between two walls
 * of such pages. Slots are reused, so a call costs two copies and no system call. */
#include "guard_page.h"

#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "reference/operator.h"

/* alignment of buffers in the plugin interface */
#define ALIGNMENT ((uint64_t)64)
/* divisor of every offset, DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT */
#define OFFSET_STEP ((uint64_t)16)
/* least size of a wall in bytes: an access may be a whole row too far */
#define WALL ((size_t)65536)
/* Slots larger than a wall, which is the least size, are freed if they exceed this together. */
#define KEPT_BYTES ((uint64_t)64 << 20)
/* fills memory to which nothing was copied */
#define POISON 0xa5

/* A slot, and what it holds of a call. */
struct slot {
    unsigned char *memory; /* NULL: not allocated yet */
    size_t bytes;
    const unsigned char *tensor; /* the tensor that is or was there */
    uint64_t tensor_bytes;
    uint32_t role;
    /* `copied` bytes from `here`, which come from `there` */
    unsigned char *here;
    unsigned char *there;
    size_t copied;
};

struct topk_guard_pages {
    struct slot *slots;
    uint32_t room;
    uint32_t used;  /* slots of calls in flight */
    uint64_t large; /* size of the slots that are larger than a wall */
    size_t wall;
};

/* the only one of this process, for signal handlers */
static struct topk_guard_pages *active;

struct topk_guard_pages *topk_guard_pages_new(void)
{
    struct topk_guard_pages *pages = calloc(1, sizeof *pages);
    if (pages != NULL) {
        const size_t page = topk_page_bytes();
        pages->wall = page > WALL ? page : WALL;
        active = pages;
    }
    return pages;
}

static void unmap(struct topk_guard_pages *pages, struct slot *slot)
{
    if (slot->memory != NULL) {
        topk_walled_unmap(slot->memory, slot->bytes, pages->wall);
        pages->large -= slot->bytes > pages->wall ? slot->bytes : 0;
        slot->memory = NULL;
        slot->bytes = 0;
    }
}

void topk_guard_pages_free(struct topk_guard_pages *pages)
{
    if (pages != NULL) {
        active = NULL;
        for (uint32_t i = 0; i < pages->room; i++) {
            unmap(pages, &pages->slots[i]);
        }
        free(pages->slots);
        free(pages);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* the number of a tensor's bytes that are in its buffer */
static uint64_t held(const struct topk_backend_tensor *tensor,
                     const struct topk_backend_buffer *buffer)
{
    return least(tensor->total_bytes, buffer->bytes - buffer->offset);
}

struct topk_guard_place topk_guard_place(enum topk_guard_page side,
                                         const struct topk_backend_tensor *tensor,
                                         const struct topk_backend_buffer *buffer)
{
    const uint64_t aligned = tensor->guaranteed_base_offset_alignment;
    const uint64_t step = aligned > OFFSET_STEP ? aligned : OFFSET_STEP;
    if (side == TOPK_GUARD_PAGE_START) {
        const uint64_t offset = buffer->offset % step;
        return (struct topk_guard_place){buffer->bytes - (buffer->offset - offset), offset, offset};
    }
    /* The page starts at a multiple of the buffer's alignment. The tensor ends `lacking` bytes
     * before such a multiple; the offset is increased by as much of that as its alignment allows.
     */
    const uint64_t end = buffer->offset + held(tensor, buffer);
    const uint64_t lacking = (ALIGNMENT - end % ALIGNMENT) % ALIGNMENT;
    const uint64_t gap = step < ALIGNMENT && ALIGNMENT % step == 0 ? lacking % step : lacking;
    return (struct topk_guard_place){end + lacking, buffer->offset + lacking - gap, gap};
}

/* The next free slot, with room for `bytes`; NULL if memory is short. */
static struct slot *take_slot(struct topk_guard_pages *pages, uint64_t bytes)
{
    if (pages->used == pages->room) {
        const uint32_t room = pages->room * 2 + 12;
        struct slot *grown = realloc(pages->slots, room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        memset(grown + pages->room, 0, (room - pages->room) * sizeof *grown);
        pages->slots = grown;
        pages->room = room;
    }
    struct slot *slot = &pages->slots[pages->used];
    if (slot->bytes < bytes) {
        size_t room = pages->wall; /* whole pages */
        while (room < bytes) {
            if (room > SIZE_MAX / 4) {
                return NULL;
            }
            room *= 2;
        }
        unmap(pages, slot);
        slot->memory = topk_walled_map(room, pages->wall);
        if (slot->memory == NULL) {
            return NULL;
        }
        slot->bytes = room;
        pages->large += room > pages->wall ? room : 0;
    }
    pages->used++;
    return slot;
}

/* Moves a buffer to a slot; false if memory is short. */
static bool move(struct topk_guard_pages *pages, enum topk_guard_page side,
                 struct topk_guard_room room, const struct topk_backend_tensor *tensor,
                 struct topk_backend_buffer *buffer)
{
    const struct topk_guard_place place = topk_guard_place(side, tensor, buffer);
    unsigned char *data = buffer->data;
    /* number of bytes that are copied before the buffer and after it */
    const uint64_t front_room = least((uint64_t)(data - room.from), TOPK_SLACK_FRONT);
    const uint64_t back_room = least((uint64_t)(room.to - data) - buffer->bytes, TOPK_SLACK_BACK);
    uint64_t before = front_room + buffer->offset;
    uint64_t behind = buffer->bytes - buffer->offset + back_room;
    const uint64_t front = before > place.offset ? before : place.offset;
    const uint64_t back = behind > place.bytes - place.offset ? behind : place.bytes - place.offset;
    struct slot *slot = take_slot(pages, front + back);
    if (slot == NULL) {
        return false;
    }
    unsigned char *const start = slot->memory;
    unsigned char *const end = slot->memory + slot->bytes;
    unsigned char *const now = side == TOPK_GUARD_PAGE_START ? start : end - place.bytes;
    unsigned char *const at = now + place.offset;
    before = least(before, (uint64_t)(at - start));
    behind = least(behind, (uint64_t)(end - at));
    memset(now, POISON, place.bytes);
    slot->tensor = at;
    slot->tensor_bytes = held(tensor, buffer);
    slot->here = at - before;
    slot->there = data + buffer->offset - before;
    slot->copied = (size_t)(before + behind);
    memcpy(slot->here, slot->there, slot->copied);
    *buffer = (struct topk_backend_buffer){now, place.bytes, place.offset};
    return true;
}

bool topk_guard_pages_give(struct topk_guard_pages *pages, enum topk_guard_page side,
                           const struct topk_guard_room rooms[TOPK_WIRE_TENSORS],
                           struct topk_backend_call *call)
{
    if (side == TOPK_GUARD_PAGE_NONE || call->create_only != 0) {
        return true;
    }
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    struct topk_backend_call moved = *call;
    const uint32_t used = pages->used;
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        if (!move(pages, side, rooms[i], tensors[i], topk_wire_buffer(&moved, i))) {
            pages->used = used;
            return false;
        }
        pages->slots[pages->used - 1].role = i;
    }
    *call = moved;
    return true;
}

void topk_guard_pages_take(struct topk_guard_pages *pages)
{
    for (uint32_t i = 0; i < pages->used; i++) {
        const struct slot *slot = &pages->slots[i];
        memcpy(slot->there, slot->here, slot->copied);
    }
    pages->used = 0;
    for (uint32_t i = 0; i < pages->room && pages->large > KEPT_BYTES; i++) {
        if (pages->slots[i].bytes > pages->wall) {
            unmap(pages, &pages->slots[i]);
        }
    }
}

bool topk_guard_pages_locate(uint64_t address, struct topk_crash_outside *outside)
{
    for (uint32_t i = 0; active != NULL && i < active->room; i++) {
        const struct slot *slot = &active->slots[i];
        const uint64_t memory = (uintptr_t)slot->memory;
        const uint64_t tensor = (uintptr_t)slot->tensor;
        if (slot->memory == NULL || address < memory - active->wall ||
            address >= memory + slot->bytes + active->wall ||
            (address >= memory && address < memory + slot->bytes)) {
            continue;
        }
        outside->role = slot->role;
        outside->before = address < memory;
        outside->bytes =
            outside->before ? tensor - address : address - (tensor + slot->tensor_bytes);
        return true;
    }
    return false;
}
