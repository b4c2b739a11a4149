/* Greedy covering arrays. While a possible combination is missing, makes a few assignments that
 * contain it, class by class, each time with the class that adds most new combinations, and takes
 * the best of them. Uses only integers and one random stream, so that the result is the same
 * everywhere. */
#include <stdlib.h>
#include <string.h>

#include "cover_search.h"
#include "reference/pcg.h"

/* assignments that are compared; more make the array slightly smaller */
#define ATTEMPTS 5

/* Greatest number of classes of an aspect, which are added up in one vector. */
#define CLASSES_MAX 16

struct filling {
    unsigned strength;
    /* One byte for each combination that is new: not known to be impossible, and in no assignment
     * yet. The bytes of the classes that complete the same other classes form a row, so that each
     * combination has a byte for each of its classes. */
    unsigned char *fresh;
    struct topk_pcg pcg;
    unsigned char order[TOPK_ASPECT_COUNT]; /* the order in which open aspects get their classes */
    unsigned gain;                          /* number of new combinations in the assignment */
};

/* the row of some classes, ascending: one byte for each class that completes a combination */
static unsigned char *row_of(const struct filling *filling, const unsigned char others[])
{
    size_t row = 0;
    for (unsigned i = 0; i + 1 < filling->strength; i++) {
        row = row * TOPK_CLASS_COUNT + others[i];
    }
    return filling->fresh + row * TOPK_CLASS_COUNT;
}

static bool is_fresh(const struct filling *filling, const unsigned char combination[])
{
    return row_of(filling, combination)[combination[filling->strength - 1]] != 0;
}

static void set_done(void *context, const unsigned char combination[])
{
    const struct filling *filling = context;
    for (unsigned last = 0; last < filling->strength; last++) {
        unsigned char others[TOPK_STRENGTH_MAX] = {0};
        for (unsigned i = 0, to = 0; i < filling->strength; i++) {
            if (i != last) {
                others[to++] = combination[i];
            }
        }
        row_of(filling, others)[combination[last]] = 0;
    }
}

static void add_row(unsigned char gains[CLASSES_MAX], const unsigned char *row)
{
    for (unsigned i = 0; i < CLASSES_MAX; i++) {
        gains[i] = (unsigned char)(gains[i] + row[i]);
    }
}

/* counts the new combinations of each class of an aspect with the classes chosen so far */
static void count_gains(const struct filling *filling, const unsigned char *classes, unsigned first,
                        unsigned char gains[CLASSES_MAX])
{
    unsigned char settled[TOPK_ASPECT_COUNT];
    unsigned count = 0;
    memset(gains, 0, CLASSES_MAX);
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        if (classes[i] != TOPK_CLASS_OPEN) {
            settled[count++] = classes[i];
        }
    }
    if (filling->strength == 1) {
        add_row(gains, filling->fresh + first);
    }
    for (unsigned i = 0; filling->strength > 1 && i < count; i++) {
        unsigned char others[2] = {settled[i], 0};
        if (filling->strength == 2) {
            add_row(gains, row_of(filling, others) + first);
            continue;
        }
        for (unsigned j = i + 1; j < count; j++) {
            others[1] = settled[j];
            add_row(gains, row_of(filling, others) + first);
        }
    }
}

/* chooses classes for the open aspects from position `place` of the order on; adds to
 * filling->gain */
static bool fill(struct filling *filling, struct topk_partial *partial, unsigned place)
{
    while (place < TOPK_ASPECT_COUNT &&
           partial->classes[filling->order[place]] != TOPK_CLASS_OPEN) {
        place++;
    }
    if (place == TOPK_ASPECT_COUNT) {
        return true;
    }
    unsigned aspect = filling->order[place];
    unsigned first = topk_aspect_first((enum topk_aspect)aspect);
    unsigned count = topk_aspect_classes((enum topk_aspect)aspect);
    unsigned start = topk_pcg_below(&filling->pcg, count); /* with equal gains, tried first */
    unsigned char gains[CLASSES_MAX];
    count_gains(filling, partial->classes, first, gains);
    unsigned left = partial->left[aspect];
    while (left != 0) {
        unsigned best = count;
        for (unsigned i = 0; i < count; i++) {
            unsigned class = (start + i) % count;
            if ((left >> class & 1) != 0 && (best == count || gains[class] > gains[best])) {
                best = class;
            }
        }
        left &= ~(1u << best);
        struct topk_partial next = *partial;
        unsigned before = filling->gain;
        filling->gain += gains[best];
        if (topk_partial_settle(&next, aspect, (unsigned char)(first + best)) &&
            fill(filling, &next, place + 1)) {
            *partial = next;
            return true;
        }
        filling->gain = before;
    }
    return false;
}

/* puts the aspects in random order */
static void shuffle(struct filling *filling)
{
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        filling->order[i] = (unsigned char)i;
    }
    for (unsigned i = TOPK_ASPECT_COUNT; i > 1; i--) {
        unsigned j = topk_pcg_below(&filling->pcg, i);
        unsigned char swap = filling->order[i - 1];
        filling->order[i - 1] = filling->order[j];
        filling->order[j] = swap;
    }
}

/* completes an assignment; classes becomes the best of several attempts */
static void complete(struct filling *filling, unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct topk_partial start;
    unsigned most = 0;
    topk_partial_start(&start, classes, topk_rules_all());
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct topk_partial partial = start;
        filling->gain = 0;
        shuffle(filling);
        if (fill(filling, &partial, 0) && (attempt == 0 || filling->gain > most)) {
            most = filling->gain;
            memcpy(classes, partial.classes, sizeof partial.classes);
        }
    }
}

bool topk_cover_array(unsigned strength,
                      bool (*take)(void *context, const unsigned char classes[TOPK_ASPECT_COUNT]),
                      void *context)
{
    size_t bytes = 1;
    for (unsigned i = 0; i < strength; i++) {
        bytes *= TOPK_CLASS_COUNT;
    }
    struct filling filling = {.strength = strength, .fresh = malloc(bytes + CLASSES_MAX)};
    if (filling.fresh == NULL) {
        return false;
    }
    memset(filling.fresh, 1, bytes + CLASSES_MAX);
    topk_pcg_seed(&filling.pcg, strength, 0);
    unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
    bool wanted = true;
    while (wanted && topk_combination_next(strength, combination)) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        unsigned char extended[TOPK_ASPECT_COUNT];
        if (!is_fresh(&filling, combination)) {
            continue;
        }
        topk_combination_assign(strength, combination, classes);
        memcpy(extended, classes, sizeof extended);
        if (!topk_cover_extend(extended, topk_rules_all())) {
            set_done(&filling, combination);
            continue;
        }
        complete(&filling, classes);
        topk_combinations_visit(strength, classes, set_done, &filling);
        wanted = take(context, classes);
    }
    free(filling.fresh);
    return true;
}
