/* Sources of choices. */
#include "choice.h"

#include <assert.h>
#include <string.h>

void topk_choice_seed(struct topk_choice *choice, uint64_t seed, uint64_t position)
{
    memset(choice, 0, sizeof *choice);
    choice->source = TOPK_CHOICE_RANDOM;
    topk_pcg_seed(&choice->pcg, seed, position);
}

void topk_choice_bytes(struct topk_choice *choice, const unsigned char *bytes, size_t length)
{
    memset(choice, 0, sizeof *choice);
    choice->source = TOPK_CHOICE_BYTES;
    choice->bytes = bytes;
    choice->length = length;
}

void topk_choice_pieces(struct topk_choice *choice, const struct topk_pieces *pieces)
{
    memset(choice, 0, sizeof *choice);
    choice->source = TOPK_CHOICE_PIECES;
    choice->pieces = pieces;
}

void topk_choice_part(struct topk_choice *choice, enum topk_part part)
{
    choice->part = part;
    if (choice->source == TOPK_CHOICE_PIECES) {
        const size_t number = choice->next[part]++;
        const bool more = number < choice->pieces->count[part];
        choice->bytes = more ? choice->pieces->list[part][number].bytes : NULL;
        choice->length = more ? choice->pieces->list[part][number].length : 0;
    }
    if (choice->trace != NULL) {
        choice->trace->begins = true;
    }
}

void topk_choice_all(struct topk_choice *choice)
{
    memset(choice, 0, sizeof *choice);
    choice->source = TOPK_CHOICE_ALL;
}

bool topk_choice_advance(struct topk_choice *choice)
{
    assert(choice->source == TOPK_CHOICE_ALL);
    while (choice->depth > 0) {
        uint32_t last = --choice->depth;
        if (choice->chosen[last] + 1 < choice->bounds[last]) {
            choice->chosen[last]++;
            /* later choices start again at 0 */
            memset(choice->chosen + last + 1, 0,
                   (TOPK_CHOICE_DEPTH - last - 1) * sizeof choice->chosen[0]);
            choice->depth = 0;
            return true;
        }
    }
    memset(choice->chosen, 0, sizeof choice->chosen);
    return false;
}

static void trace(struct topk_choice *choice, uint64_t bits, uint32_t count, uint32_t bound)
{
    struct topk_trace *trace = choice->trace;
    trace->full = trace->full || trace->room - trace->length < count;
    if (trace->full) {
        return;
    }
    if (trace->count < trace->list_room) {
        trace->list[trace->count++] = (struct topk_traced){.at = (uint32_t)trace->length,
                                                           .bound = bound,
                                                           .bytes = (uint8_t)count,
                                                           .part = (uint8_t)choice->part,
                                                           .first = trace->begins};
        trace->begins = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        trace->bytes[trace->length++] = (unsigned char)(bits >> 8 * i);
    }
}

static uint64_t take_bytes(struct topk_choice *choice, uint32_t count, uint32_t bound)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count && choice->length > 0; i++) {
        bits |= (uint64_t)*choice->bytes++ << 8 * i;
        choice->length--;
    }
    if (choice->trace != NULL) {
        trace(choice, bits, count, bound);
    }
    return bits;
}

static uint32_t next_of_all(struct topk_choice *choice, uint32_t bound)
{
    if (choice->depth == TOPK_CHOICE_DEPTH) {
        return 0;
    }
    uint32_t at = choice->depth++;
    choice->bounds[at] = bound;
    return choice->chosen[at];
}

uint32_t topk_choice_below(struct topk_choice *choice, uint32_t bound)
{
    if (bound == 1) {
        return 0;
    }
    switch (choice->source) {
    case TOPK_CHOICE_RANDOM:
        return topk_pcg_below(&choice->pcg, bound);
    case TOPK_CHOICE_BYTES:
    case TOPK_CHOICE_PIECES: {
        uint32_t most = bound - 1;
        uint32_t count = most > 0xffffff ? 4 : most > 0xffff ? 3 : most > 0xff ? 2 : 1;
        return (uint32_t)(take_bytes(choice, count, bound) % bound);
    }
    default:
        return next_of_all(choice, bound);
    }
}

bool topk_choice_once_in(struct topk_choice *choice, uint32_t times)
{
    return topk_choice_below(choice, times) == times - 1;
}

uint64_t topk_choice_bits(struct topk_choice *choice, uint32_t bytes)
{
    switch (choice->source) {
    case TOPK_CHOICE_RANDOM:
        return topk_pcg_next64(&choice->pcg) >> (64 - 8 * bytes);
    case TOPK_CHOICE_BYTES:
    case TOPK_CHOICE_PIECES:
        return take_bytes(choice, bytes, 0);
    default:
        return 0;
    }
}
