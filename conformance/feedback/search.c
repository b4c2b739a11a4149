/* Derives new cases from kept ones. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "reference/pcg.h"

/* One case in this many is drawn as explore draws it without feedback. */
#define BLIND_ONE_IN 8u
/* One derived case in this many combines two kept cases. */
#define CROSS_ONE_IN 6u
/* Half of the parents are among this many most recently kept cases. */
#define RECENT 8u
/* Larger cases are chosen as parents less often, in proportion to their elements. */
#define FEW_ELEMENTS 2048u
/* One derived case in this many alters one property; a parent that is a text is always altered. */
#define ALTER_ONE_IN 3u
/* Greater constants are not noted: a case of that size would be too large to draw often. */
#define NUMBER_MAX ((uint32_t)1 << 20)
/* Number of alterations that are tried on a call. */
#define ALTER_TRIES 4

void topk_search_free(struct topk_search *search)
{
    struct topk_kept_list *const lists[] = {&search->first, &search->kept};
    for (int i = 0; i < 2; i++) {
        for (size_t at = 0; at < lists[i]->count; at++) {
            free(lists[i]->list[at].bytes);
        }
        free(lists[i]->list);
        *lists[i] = (struct topk_kept_list){.list = NULL};
    }
    free(search->bytes);
    search->bytes = NULL;
}

/* Appends a copy of an input to a list. */
static bool add(struct topk_kept_list *to, struct topk_kept kept)
{
    if (to->count == to->room) {
        const size_t room = to->room * 2 + 64;
        struct topk_kept *grown = realloc(to->list, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        to->list = grown;
        to->room = room;
    }
    unsigned char *copy = malloc(kept.length == 0 ? 1 : kept.length);
    if (copy == NULL) {
        return false;
    }
    if (kept.length > 0) {
        memcpy(copy, kept.bytes, kept.length);
    }
    kept.bytes = copy;
    to->list[to->count++] = kept;
    return true;
}

bool topk_search_first(struct topk_search *search, const unsigned char *bytes, size_t length)
{
    return add(&search->first,
               (struct topk_kept){.bytes = (unsigned char *)bytes, .length = length});
}

/* Returns the number of input elements of all calls. */
static uint64_t elements_of(const struct topk_case *tc)
{
    uint64_t all = 0;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        const uint64_t more = topk_tensor_elements(&topk_case_call(tc, i)->op.tensors[TOPK_INPUT]);
        all = more > UINT64_MAX - all ? UINT64_MAX : all + more;
    }
    return all;
}

bool topk_search_keep(struct topk_search *search, uint64_t position, uint64_t after)
{
    struct topk_case tc;
    if (!topk_search_draw(search, position, &tc)) {
        return false;
    }
    const struct topk_kept kept = {.bytes = search->bytes,
                                   .length = search->length,
                                   .after = after,
                                   .elements = elements_of(&tc)};
    topk_case_clear(&tc);
    return add(&search->kept, kept);
}

/* ---- drawing --------------------------------------------------------------------------------- */

bool topk_search_wants(const struct topk_search *search, uint64_t number)
{
    const struct topk_numbers *numbers = &search->numbers;
    bool any = number > 1 && number <= NUMBER_MAX && numbers->count < TOPK_SEARCH_NUMBERS;
    for (uint32_t i = 0; any && i < numbers->count; i++) {
        any = numbers->list[i] != number;
    }
    return any;
}

void topk_search_note(struct topk_search *search, uint64_t number, uint64_t after)
{
    struct topk_numbers *numbers = &search->numbers;
    numbers->list[numbers->count] = (uint32_t)number;
    numbers->after[numbers->count++] = after;
}

/* Returns how many kept cases may be used at a position. */
static size_t kept_before(const struct topk_search *search, uint64_t position)
{
    size_t low = 0;
    size_t high = search->kept.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (search->kept.list[middle].after <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Picks a kept case as a parent. Returns NULL if its size rules it out this time; the larger a
 * case, the more often this happens. */
static const struct topk_kept *pick(const struct topk_search *search, struct topk_pcg *pcg,
                                    size_t count)
{
    const size_t recent = count < RECENT ? count : RECENT;
    const size_t at = topk_pcg_below(pcg, 2) == 0
                          ? count - 1 - topk_pcg_below(pcg, (uint32_t)recent)
                          : topk_pcg_below(pcg, (uint32_t)count);
    const struct topk_kept *kept = &search->kept.list[at];
    const uint64_t times = kept->elements / FEW_ELEMENTS + 1;
    const uint32_t chance = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
    return topk_pcg_below(pcg, chance) == 0 ? kept : NULL;
}

/* Replaces the current input by the text of a case. */
static void take_text(struct topk_search *search, const struct topk_case *tc)
{
    search->length = topk_case_print(tc, (char *)search->bytes, TOPK_CASE_TEXT);
}

static void take_bytes(struct topk_search *search, const struct topk_kept *kept)
{
    search->length = kept->length < TOPK_CASE_TEXT ? kept->length : TOPK_CASE_TEXT;
    memcpy(search->bytes, kept->bytes, search->length);
}

/* Unlike topk_case_decode(), accepts texts of cases that are too large for a fuzzer. */
static bool decode(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    struct topk_case_error error;
    if (topk_decode_like_text(bytes, length)) {
        const unsigned char *end = memchr(bytes, '\n', length);
        const size_t line = end == NULL ? length : (size_t)(end - bytes);
        if (topk_case_parse((const char *)bytes, line, tc, &error)) {
            return true;
        }
    }
    return topk_case_decode(bytes, length, tc);
}

/* Draws the case that explore draws without feedback. */
static bool draw_blind(struct topk_search *search, uint64_t position, struct topk_case *tc)
{
    struct topk_choice choice;
    topk_choice_seed(&choice, search->seed, position);
    if (!topk_generate_calls(&choice, search->limits, tc)) {
        return false;
    }
    take_text(search, tc);
    return true;
}

static bool is_valid(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_empty(&validity.broken);
}

/* Returns a noted constant, or a number one less or one greater. Returns 0 if none was noted. */
static uint32_t pick_number(const struct topk_search *search, struct topk_pcg *pcg,
                            uint64_t position)
{
    const struct topk_numbers *numbers = &search->numbers;
    uint32_t count = numbers->count;
    while (count > 0 && numbers->after[count - 1] > position) {
        count--;
    }
    if (count == 0) {
        return 0;
    }
    const uint32_t number = numbers->list[topk_pcg_below(pcg, count)];
    const uint32_t beside = topk_pcg_below(pcg, 8);
    return beside == 0 ? number - 1 : beside == 1 ? number + 1 : number;
}

/* Alters one property of a call. If `number` is not 0, tries to set a size or K to it first. If the
 * case is a sequence or invalid, or no alteration applies, draws a case without feedback
 * instead. */
static bool alter(struct topk_search *search, uint64_t position, uint64_t seed, uint32_t number,
                  struct topk_case *tc)
{
    struct topk_choice choice;
    topk_choice_seed(&choice, seed, 0);
    int altered = 0;
    const bool can = tc->before_count == 0 && is_valid(tc);
    for (int tries = 0; can && altered == 0 && tries < ALTER_TRIES; tries++) {
        const uint32_t which = topk_choice_below(&choice, topk_alteration_count);
        altered = number != 0 && tries == 0 ? topk_alter_number(number, &choice, tc)
                                            : topk_alter(&topk_alterations[which], &choice, tc);
    }
    if (altered == 1) {
        take_text(search, tc);
        return true;
    }
    topk_case_clear(tc);
    return altered == 0 && draw_blind(search, position, tc);
}

/* Draws a case from random choices. */
static bool draw_bytes(struct topk_search *search, struct topk_pcg *pcg, struct topk_case *tc)
{
    for (search->length = 0; search->length < TOPK_DECODE_BYTES; search->length++) {
        search->bytes[search->length] = (unsigned char)topk_pcg_below(pcg, 256);
    }
    struct topk_choice choice;
    topk_choice_bytes(&choice, search->bytes, search->length);
    if (!topk_case_decode_choices(&choice, tc)) {
        return false;
    }
    search->length -= choice.length; /* drop the bytes that were not used */
    return true;
}

static bool draw_around(struct topk_search *search, uint64_t position, struct topk_pcg *pcg,
                        size_t count, struct topk_case *tc)
{
    const struct topk_kept *kept = pick(search, pcg, count);
    const struct topk_kept *other = pick(search, pcg, count);
    const bool cross = topk_pcg_below(pcg, CROSS_ONE_IN) == 0;
    const bool altered = topk_pcg_below(pcg, ALTER_ONE_IN) == 0;
    const uint32_t number = topk_pcg_below(pcg, 2) == 0 ? pick_number(search, pcg, position) : 0;
    const uint64_t seeds[] = {topk_pcg_next64(pcg), topk_pcg_next64(pcg)};
    if (kept == NULL) {
        return draw_bytes(search, pcg, tc);
    }
    take_bytes(search, kept);
    if (altered || topk_decode_like_text(kept->bytes, kept->length)) {
        return decode(search->bytes, search->length, tc) &&
               alter(search, position, seeds[0], number, tc);
    }
    if (cross && other != NULL && !topk_decode_like_text(other->bytes, other->length)) {
        const struct topk_piece a = {kept->bytes, kept->length};
        const struct topk_piece b = {other->bytes, other->length};
        search->length =
            topk_mutate_cross(topk_decode_draw, &a, &b, search->bytes, TOPK_DECODE_BYTES, seeds[0]);
    }
    search->length = topk_mutate_pieces(topk_decode_draw, search->bytes, search->length,
                                        TOPK_DECODE_BYTES, seeds[1]);
    return topk_case_decode(search->bytes, search->length, tc);
}

static bool draw(struct topk_search *search, uint64_t position, struct topk_case *tc)
{
    struct topk_pcg pcg;
    if (position - search->from < search->first.count) {
        const struct topk_kept *first = &search->first.list[position - search->from];
        take_bytes(search, first);
        return decode(search->bytes, search->length, tc);
    }
    const size_t count = kept_before(search, position);
    topk_pcg_seed(&pcg, search->seed, position);
    if (topk_pcg_below(&pcg, BLIND_ONE_IN) == 0) {
        return draw_blind(search, position, tc);
    }
    return count == 0 ? draw_bytes(search, &pcg, tc)
                      : draw_around(search, position, &pcg, count, tc);
}

bool topk_search_draw(struct topk_search *search, uint64_t position, struct topk_case *tc)
{
    if (search->bytes == NULL) {
        search->bytes = malloc(TOPK_CASE_TEXT);
    }
    return search->bytes != NULL && draw(search, position, tc);
}
