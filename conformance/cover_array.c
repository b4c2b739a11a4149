/* Covering arrays, made greedily: as long as there is a possible combination that no assignment has
 * yet, a few assignments that have it are completed class by class, each time with the class that
 * brings most new combinations, and the best of them is taken. Integers only and one source of
 * random numbers, so every machine makes the same one. */
#include <string.h>

#include "cover_search.h"
#include "pcg.h"

/* completions that are compared for each assignment: more make the array a little smaller */
#define ATTEMPTS 5

struct filling {
    const struct topk_combinations *done; /* impossible, or some assignment has it */
    struct topk_pcg pcg;
    unsigned char order[TOPK_ASPECT_COUNT]; /* in which open aspects are settled */
    unsigned gain;                          /* new combinations of the assignment */
};

/* the combination of a class and others, ascending, is a new one */
static bool is_new(const struct topk_combinations *done, unsigned char class,
                   const unsigned char others[])
{
    unsigned char combination[TOPK_STRENGTH_MAX];
    unsigned place = 0;
    for (unsigned i = 0; i + 1 < done->strength; i++) {
        if (others[i] < class) {
            place = i + 1;
        }
        combination[others[i] < class ? i : i + 1] = others[i];
    }
    combination[place] = class;
    return !topk_combinations_has(done, combination);
}

/* how many new combinations a class makes with those that are settled */
static unsigned gain_of(const struct topk_combinations *done, const unsigned char *classes,
                        unsigned char class)
{
    unsigned char settled[TOPK_ASPECT_COUNT];
    unsigned count = 0;
    unsigned gain = 0;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        if (classes[i] != TOPK_CLASS_OPEN) {
            settled[count++] = classes[i];
        }
    }
    if (done->strength == 1) {
        return is_new(done, class, settled);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned char others[TOPK_STRENGTH_MAX] = {settled[i]};
        if (done->strength == 2) {
            gain += is_new(done, class, others);
            continue;
        }
        for (unsigned j = i + 1; j < count; j++) {
            others[1] = settled[j];
            gain += is_new(done, class, others);
        }
    }
    return gain;
}

/* settles the open aspects from a place of the order on. Adds to filling->gain. */
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
    unsigned start = topk_pcg_below(&filling->pcg, count); /* of equal ones this is tried first */
    unsigned gains[16];
    for (unsigned i = 0; i < count; i++) {
        gains[i] = gain_of(filling->done, partial->classes, (unsigned char)(first + i));
    }
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
        if (topk_partial_settle(&next, aspect, (unsigned char)(first + best), topk_rules_all()) &&
            fill(filling, &next, place + 1)) {
            *partial = next;
            return true;
        }
        filling->gain = before;
    }
    return false;
}

/* puts the aspects into a random order */
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

/* completes an assignment that can be; classes becomes the best of the attempts */
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
    struct topk_combinations done;
    if (!topk_combinations_start(&done, strength)) {
        return false;
    }
    struct filling filling = {.done = &done};
    topk_pcg_seed(&filling.pcg, strength, 0);
    unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
    bool wanted = true;
    while (wanted && topk_combination_next(strength, combination)) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        unsigned char extended[TOPK_ASPECT_COUNT];
        if (topk_combinations_has(&done, combination)) {
            continue;
        }
        topk_combination_assign(strength, combination, classes);
        memcpy(extended, classes, sizeof extended);
        if (!topk_cover_extend(extended, topk_rules_all())) {
            topk_combinations_add(&done, combination);
            continue;
        }
        complete(&filling, classes);
        topk_combinations_add_all(&done, classes);
        wanted = take(context, classes);
    }
    topk_combinations_free(&done);
    return true;
}
