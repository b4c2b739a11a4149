/* The structure-aware mutator. */
#include "mutate.h"

#include <string.h>

#include "reference/element.h"
#include "reference/pcg.h"

#define TRACE_BYTES   16384u
#define TRACE_CHOICES 4096u
/* greatest number of pieces of a part that can be changed; further ones become plain */
#define PIECES_MAX 256u
/* bytes of a piece that is drawn again; more than any piece uses */
#define FRESH_BYTES 16u
#define FRESH_MAX   256u
/* elements of a case whose elements are drawn again */
#define FRESH_ELEMENTS 64u
/* One mutation in ANEW_ONE_IN draws about half of all parts again, as a generator without feedback
 * does. That finds what many cases show sooner than small steps from the plainest case. */
#define ANEW_ONE_IN 3u
/* a mutation has a further step with a chance of one in ANOTHER_ONE_IN, and so on */
#define ANOTHER_ONE_IN 3u
/* number of parts that are layouts, starting with TOPK_PART_INPUT */
#define LAYOUTS 3u
/* greatest number of pieces of a part, except for elements and breakers */
#define PARTS_PIECES 4u
/* number of byte changes when there are no pieces to change */
#define BYTE_CHANGES 4u

struct piece {
    struct topk_piece choices;
    uint32_t first; /* index into the trace's list; count 0: not traced */
    uint32_t count;
};

/* An input that was split into pieces. */
struct draft {
    topk_draw *drawn; /* the function that split it; NULL if the draft is stale */
    size_t length;    /* number of bytes, without trailing zeros */
    unsigned char bytes[TRACE_BYTES];
    struct topk_traced list[TRACE_CHOICES];
    struct piece pieces[TOPK_PART_COUNT][PIECES_MAX];
    size_t counts[TOPK_PART_COUNT];
    unsigned char fresh[FRESH_MAX][FRESH_BYTES];
    size_t fresh_count;
};

static uint32_t below(struct topk_pcg *pcg, size_t bound)
{
    return topk_pcg_below(pcg, (uint32_t)bound);
}

/* ---- split and join -------------------------------------------------------------------------- */

/* makes all choices and records them as pieces; room: size of the buffer */
static void draw_draft(topk_draw *draw, struct draft *draft, size_t room,
                       struct topk_choice *choice)
{
    struct topk_trace trace = {.bytes = draft->bytes,
                               .room = room,
                               .list = draft->list,
                               .list_room = TRACE_CHOICES,
                               .begins = true};
    struct piece *piece = NULL;
    memset(draft->counts, 0, sizeof draft->counts);
    draft->fresh_count = 0;
    choice->trace = &trace;
    draw(choice);
    draft->length = trace.length;
    while (draft->length > 0 && draft->bytes[draft->length - 1] == 0) {
        draft->length--; /* after the end, every choice is 0 */
    }
    draft->drawn = trace.full ? NULL : draw;
    for (uint32_t i = 0; i < trace.count; i++) {
        const struct topk_traced *traced = &trace.list[i];
        if (traced->first) {
            size_t *count = &draft->counts[traced->part];
            piece = *count == PIECES_MAX ? NULL : &draft->pieces[traced->part][(*count)++];
            if (piece != NULL) {
                *piece = (struct piece){.choices.bytes = draft->bytes + traced->at, .first = i};
            }
        }
        if (piece != NULL) {
            piece->choices.length += traced->bytes;
            piece->count++;
        }
    }
}

static void take_apart(topk_draw *draw, struct draft *draft, const unsigned char *bytes,
                       size_t length)
{
    struct topk_choice choice;
    topk_choice_bytes(&choice, bytes, length);
    draw_draft(draw, draft, TRACE_BYTES, &choice);
}

/* Drawing takes most of the time. Engines usually mutate the last result, and cross it with the
 * same partner, so both are kept as drafts. */
static struct draft drafts[3];
static struct draft *const partner = &drafts[0]; /* of the last crossing */
static struct draft *work = &drafts[1];
static struct draft *last = &drafts[2]; /* the last result */

static bool is_draft_of(const struct draft *draft, topk_draw *draw, const unsigned char *bytes,
                        size_t length)
{
    return draft->drawn == draw && draft->length == length &&
           memcmp(draft->bytes, bytes, length) == 0;
}

/* splits an input into `work`, to be changed */
static void take_work(topk_draw *draw, const unsigned char *bytes, size_t length)
{
    if (is_draft_of(last, draw, bytes, length)) {
        struct draft *const swap = work;
        work = last;
        last = swap;
    } else {
        take_apart(draw, work, bytes, length);
    }
    work->drawn = NULL;
}

/* joins `work` into `last` and copies that to `to`; returns its length */
static size_t put_together(topk_draw *draw, unsigned char *to, size_t room)
{
    static struct topk_piece lists[TOPK_PART_COUNT][PIECES_MAX];
    const struct draft *const draft = work;
    struct topk_pieces pieces;
    struct topk_choice choice;
    for (int part = 0; part < TOPK_PART_COUNT; part++) {
        pieces.list[part] = lists[part];
        pieces.count[part] = draft->counts[part];
        for (size_t i = 0; i < draft->counts[part]; i++) {
            lists[part][i] = draft->pieces[part][i].choices;
        }
    }
    topk_choice_pieces(&choice, &pieces);
    draw_draft(draw, last, room < TRACE_BYTES ? room : TRACE_BYTES, &choice);
    memcpy(to, last->bytes, last->length);
    return last->length;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* each step returns false if there is nothing that it can change */

/* Picks a part that has pieces. All parts have the same chance, so that K is as likely as the
 * elements. */
static bool pick_part(const struct draft *draft, struct topk_pcg *pcg, int *part)
{
    for (int tries = 0; tries < 16; tries++) {
        *part = (int)below(pcg, TOPK_PART_COUNT);
        if (draft->counts[*part] > 0) {
            return true;
        }
    }
    return false;
}

static uint64_t load(const unsigned char *at, uint32_t bytes)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        number |= (uint64_t)at[i] << 8 * i;
    }
    return number;
}

/* replaces a choice: with an end of its range, a neighbour, the value of a similar choice, or
 * any */
static bool change_choice(struct draft *draft, struct topk_pcg *pcg)
{
    int part;
    if (!pick_part(draft, pcg, &part)) {
        return false;
    }
    const struct piece *piece = &draft->pieces[part][below(pcg, draft->counts[part])];
    if (piece->count == 0) {
        return false;
    }
    const struct topk_traced *traced = &draft->list[piece->first + below(pcg, piece->count)];
    const struct topk_traced *other = &draft->list[piece->first + below(pcg, piece->count)];
    const uint64_t bound = traced->bound;
    unsigned char *at = draft->bytes + traced->at;
    uint64_t number = load(at, traced->bytes);
    number = bound == 0 ? number : number % bound;
    switch (below(pcg, 7)) {
    case 0:
        number = 0;
        break;
    case 1:
        number = bound - 1; /* for random bits: all ones */
        break;
    case 2:
        number++;
        break;
    case 3:
        number += bound - 1;
        break;
    case 4:
        number = load(draft->bytes + other->at, other->bytes);
        break;
    case 5:
        number ^= (uint64_t)1 << below(pcg, (size_t)8 * traced->bytes);
        break;
    default:
        number = topk_pcg_next64(pcg);
        break;
    }
    number = bound == 0 ? number : number % bound;
    for (uint32_t i = 0; i < traced->bytes; i++) {
        at[i] = (unsigned char)(number >> 8 * i);
    }
    return true;
}

/* False if the fresh bytes are used up. */
static bool renew(struct draft *draft, struct topk_pcg *pcg, struct piece *piece)
{
    if (draft->fresh_count == FRESH_MAX) {
        return false;
    }
    unsigned char *fresh = draft->fresh[draft->fresh_count++];
    for (uint32_t i = 0; i < FRESH_BYTES; i += 8) {
        const uint64_t bits = topk_pcg_next64(pcg);
        memcpy(fresh + i, &bits, sizeof bits);
        topk_elements_turn(fresh + i, sizeof bits, sizeof bits);
    }
    *piece = (struct piece){.choices = {fresh, FRESH_BYTES}};
    return true;
}

/* draws a piece again */
static bool renew_piece(struct draft *draft, struct topk_pcg *pcg)
{
    int part;
    return pick_part(draft, pcg, &part) &&
           renew(draft, pcg, &draft->pieces[part][below(pcg, draft->counts[part])]);
}

/* draws a whole part again, also pieces that it did not have */
static void renew_part(struct draft *draft, struct topk_pcg *pcg, int part)
{
    const size_t most = part == TOPK_PART_ELEMENT ? FRESH_ELEMENTS : PARTS_PIECES;
    size_t count = 0;
    while (count < most && renew(draft, pcg, &draft->pieces[part][count])) {
        count++;
    }
    draft->counts[part] = count;
}

/* makes a piece plain */
static bool empty_piece(struct draft *draft, struct topk_pcg *pcg)
{
    int part;
    if (!pick_part(draft, pcg, &part)) {
        return false;
    }
    draft->pieces[part][below(pcg, draft->counts[part])] = (struct piece){.first = 0};
    return true;
}

static void swap(struct piece *a, struct piece *b)
{
    struct piece kept = *a;
    *a = *b;
    *b = kept;
}

/* changes the elements from position a to position b; a < b */
typedef void change_elements(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg);

static void swap_elements(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg)
{
    (void)pcg;
    swap(&elements[a], &elements[b]);
}

static void reverse_elements(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg)
{
    (void)pcg;
    for (; a < b; a++, b--) {
        swap(&elements[a], &elements[b]);
    }
}

/* one element gets the value of another */
static void tie_elements(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg)
{
    if (below(pcg, 2) == 0) {
        elements[a] = elements[b];
    } else {
        elements[b] = elements[a];
    }
}

/* all elements of a range get one value */
static void tie_run(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg)
{
    const struct piece value = elements[a + below(pcg, b - a + 1)];
    for (; a <= b; a++) {
        elements[a] = value;
    }
}

/* moves an element; those in between move up */
static void move_element(struct piece *elements, size_t a, size_t b, struct topk_pcg *pcg)
{
    (void)pcg;
    const struct piece moved = elements[a];
    memmove(elements + a, elements + a + 1, (b - a) * sizeof *elements);
    elements[b] = moved;
}

/* gives a tensor the layout of another */
static bool copy_layout(struct draft *draft, struct topk_pcg *pcg)
{
    const int to = TOPK_PART_INPUT + (int)below(pcg, LAYOUTS);
    const int from = TOPK_PART_INPUT + (int)below(pcg, LAYOUTS);
    if (to == from || draft->counts[to] == 0 || draft->counts[from] == 0) {
        return false;
    }
    draft->pieces[to][0] = draft->pieces[from][0];
    return true;
}

/* steps for any piece, and for elements; a step that is listed twice is twice as likely */
static const struct {
    bool (*change)(struct draft *draft, struct topk_pcg *pcg);
    change_elements *elements;
} steps[] = {
    {change_choice, NULL},    {change_choice, NULL}, {change_choice, NULL}, {change_choice, NULL},
    {renew_piece, NULL},      {renew_piece, NULL},   {empty_piece, NULL},   {NULL, swap_elements},
    {NULL, swap_elements},    {NULL, tie_elements},  {NULL, tie_elements},  {NULL, tie_run},
    {NULL, reverse_elements}, {NULL, move_element},  {copy_layout, NULL},
};
#define STEPS (sizeof steps / sizeof steps[0])

static bool step(struct draft *draft, struct topk_pcg *pcg)
{
    const size_t number = below(pcg, STEPS);
    const size_t count = draft->counts[TOPK_PART_ELEMENT];
    if (steps[number].change != NULL) {
        return steps[number].change(draft, pcg);
    }
    if (count < 2) {
        return false;
    }
    const size_t i = below(pcg, count);
    size_t j = below(pcg, count - 1);
    j += j >= i;
    steps[number].elements(draft->pieces[TOPK_PART_ELEMENT], i < j ? i : j, i < j ? j : i, pcg);
    return true;
}

/* ---- the mutator ----------------------------------------------------------------------------- */

size_t topk_mutate_pieces(topk_draw *draw, unsigned char *bytes, size_t length, size_t room,
                          uint64_t seed)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, seed, 0);
    take_work(draw, bytes, length);
    if (below(&pcg, ANEW_ONE_IN) == 0) {
        for (int part = 0; part < TOPK_PART_COUNT; part++) {
            if (below(&pcg, 2) == 0) {
                renew_part(work, &pcg, part);
            }
        }
        return put_together(draw, bytes, room);
    }
    do {
        for (int tries = 0; tries < 16 && !step(work, &pcg); tries++) {
        }
    } while (below(&pcg, ANOTHER_ONE_IN) == 0);
    return put_together(draw, bytes, room);
}

size_t topk_mutate_cross(topk_draw *draw, const struct topk_piece *a, const struct topk_piece *b,
                         unsigned char *to, size_t room, uint64_t seed)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, seed, 1);
    if (!is_draft_of(partner, draw, b->bytes, b->length)) {
        take_apart(draw, partner, b->bytes, b->length);
    }
    take_work(draw, a->bytes, a->length);
    for (int part = 0; part < TOPK_PART_COUNT; part++) {
        if (below(&pcg, 2) == 0) {
            work->counts[part] = partner->counts[part];
            memcpy(work->pieces[part], partner->pieces[part],
                   partner->counts[part] * sizeof partner->pieces[part][0]);
        }
    }
    return put_together(draw, to, room);
}

size_t topk_mutate_piece_count(topk_draw *draw, const unsigned char *bytes, size_t length)
{
    size_t count = 0;
    take_work(draw, bytes, length);
    for (int part = 0; part < TOPK_PART_COUNT; part++) {
        count += work->counts[part];
    }
    return count;
}

size_t topk_mutate_without_piece(topk_draw *draw, const unsigned char *bytes, size_t length,
                                 size_t piece, unsigned char *to, size_t room)
{
    take_work(draw, bytes, length);
    for (int part = 0; part < TOPK_PART_COUNT; part++) {
        if (piece < work->counts[part]) {
            work->pieces[part][piece] = (struct piece){.first = 0};
            break;
        }
        piece -= work->counts[part];
    }
    return put_together(draw, to, room);
}

size_t topk_mutate_bytes(unsigned char *bytes, size_t length, size_t room, uint64_t seed)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, seed, 2);
    for (uint32_t changes = 1 + below(&pcg, BYTE_CHANGES); changes > 0 && room > 0; changes--) {
        const size_t at = below(&pcg, length + 1);
        const unsigned char byte = (unsigned char)below(&pcg, 256);
        const uint32_t kind = below(&pcg, 4);
        if (kind == 0 && length < room) {
            memmove(bytes + at + 1, bytes + at, length++ - at);
            bytes[at] = byte;
        } else if (kind == 1 && at < length) {
            memmove(bytes + at, bytes + at + 1, --length - at);
        } else if (kind == 2 && at < length) {
            bytes[at] = (unsigned char)(bytes[at] ^ 1u << byte % 8);
        } else if (at < length) {
            bytes[at] = byte;
        }
    }
    return length;
}
