/* Decides whether classes are possible together: a search that sets, step by step, the aspect with
 * the fewest remaining classes. Also sets of combinations. */
#include "cover_search.h"

#include <stdlib.h>
#include <string.h>

/* ---- assignments ----------------------------------------------------------------------------- */

/* removes the classes that break a rule from the rule's only open aspect */
static void narrow(struct topk_partial *partial, const struct topk_rule *rule, unsigned open)
{
    unsigned first = topk_aspect_first((enum topk_aspect)open);
    for (unsigned i = 0; partial->left[open] >> i != 0; i++) {
        partial->classes[open] = (unsigned char)(first + i);
        if ((partial->left[open] >> i & 1) != 0 && !rule->holds(partial->classes)) {
            partial->left[open] &= (uint16_t) ~(1u << i);
        }
    }
    partial->classes[open] = TOPK_CLASS_OPEN;
}

/* applies a rule with at most one open aspect */
static bool apply(struct topk_partial *partial, const struct topk_rule *rule, uint32_t open)
{
    if (open == 0) {
        return rule->holds(partial->classes);
    }
    unsigned aspect = 0;
    while (open >> aspect != 1) {
        aspect++;
    }
    narrow(partial, rule, aspect);
    return partial->left[aspect] != 0;
}

/* Applies the rules that depend on one of some aspects and can decide. Each is applied once: after
 * that its open aspect only has classes with which the rule holds. */
static bool apply_all(struct topk_partial *partial, uint32_t aspects)
{
    uint64_t waiting = partial->rules;
    for (unsigned i = 0; waiting >> i != 0; i++) {
        const struct topk_rule *rule = &topk_rules[i];
        const uint32_t open = rule->aspects & partial->open;
        if ((waiting >> i & 1) != 0 && (rule->aspects & aspects) != 0 && (open & (open - 1)) == 0) {
            waiting &= ~((uint64_t)1 << i);
            if (!apply(partial, rule, open)) {
                return false;
            }
        }
    }
    partial->rules = waiting;
    return true;
}

bool topk_partial_start(struct topk_partial *partial,
                        const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules)
{
    memcpy(partial->classes, classes, sizeof partial->classes);
    partial->open = 0;
    partial->rules = rules;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        partial->left[i] = (uint16_t)((1u << topk_aspect_classes((enum topk_aspect)i)) - 1);
        partial->open |= (uint32_t)(classes[i] == TOPK_CLASS_OPEN) << i;
    }
    return apply_all(partial, UINT32_MAX);
}

bool topk_partial_settle(struct topk_partial *partial, unsigned aspect, unsigned char class)
{
    partial->classes[aspect] = class;
    partial->open &= ~((uint32_t)1 << aspect);
    return apply_all(partial, (uint32_t)1 << aspect);
}

static unsigned bits_of(unsigned set)
{
    unsigned count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

static bool complete(struct topk_partial *partial)
{
    unsigned aspect = TOPK_ASPECT_COUNT;
    unsigned fewest = UINT32_MAX;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        unsigned left = bits_of(partial->left[i]);
        if (partial->classes[i] == TOPK_CLASS_OPEN && left < fewest) {
            aspect = i;
            fewest = left;
        }
    }
    if (aspect == TOPK_ASPECT_COUNT) {
        return true;
    }
    unsigned first = topk_aspect_first((enum topk_aspect)aspect);
    for (unsigned i = 0; partial->left[aspect] >> i != 0; i++) {
        struct topk_partial next = *partial;
        if ((partial->left[aspect] >> i & 1) != 0 &&
            topk_partial_settle(&next, aspect, (unsigned char)(first + i)) && complete(&next)) {
            *partial = next;
            return true;
        }
    }
    return false;
}

bool topk_cover_extend(unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules)
{
    struct topk_partial partial;
    if (!topk_partial_start(&partial, classes, rules) || !complete(&partial)) {
        return false;
    }
    memcpy(classes, partial.classes, sizeof partial.classes);
    return true;
}

uint64_t topk_cover_reason(const unsigned char classes[TOPK_ASPECT_COUNT])
{
    uint64_t needed = topk_rules_all();
    for (unsigned i = 0; i < topk_rule_count; i++) {
        unsigned char copy[TOPK_ASPECT_COUNT];
        memcpy(copy, classes, sizeof copy);
        uint64_t without = needed & ~((uint64_t)1 << i);
        if (!topk_cover_extend(copy, without)) {
            needed = without;
        }
    }
    return needed;
}

/* ---- combinations ---------------------------------------------------------------------------- */

static size_t number_of(unsigned strength, const unsigned char combination[])
{
    size_t number = 0;
    for (unsigned i = 0; i < strength; i++) {
        number = number * TOPK_CLASS_COUNT + combination[i];
    }
    return number;
}

bool topk_combinations_start(struct topk_combinations *set, unsigned strength)
{
    size_t count = 1;
    for (unsigned i = 0; i < strength; i++) {
        count *= TOPK_CLASS_COUNT;
    }
    set->strength = strength;
    set->bits = calloc(count / 8 + 1, 1);
    return set->bits != NULL;
}

void topk_combinations_free(struct topk_combinations *set)
{
    free(set->bits);
    set->bits = NULL;
}

bool topk_combinations_has(const struct topk_combinations *set, const unsigned char combination[])
{
    size_t number = number_of(set->strength, combination);
    return (set->bits[number / 8] >> number % 8 & 1) != 0;
}

void topk_combinations_add(struct topk_combinations *set, const unsigned char combination[])
{
    size_t number = number_of(set->strength, combination);
    set->bits[number / 8] |= (unsigned char)(1u << number % 8);
}

void topk_combinations_visit(unsigned strength, const unsigned char classes[TOPK_ASPECT_COUNT],
                             void (*visit)(void *context, const unsigned char combination[]),
                             void *context)
{
    unsigned at[TOPK_STRENGTH_MAX];
    for (unsigned i = 0; i < strength; i++) {
        at[i] = i;
    }
    for (;;) {
        unsigned char combination[TOPK_STRENGTH_MAX] = {0};
        for (unsigned i = 0; i < strength; i++) {
            combination[i] = classes[at[i]];
        }
        visit(context, combination);
        /* advances the last position that can move, and resets those after it */
        unsigned place = strength;
        while (place > 0 && at[place - 1] == TOPK_ASPECT_COUNT - (strength - place) - 1) {
            place--;
        }
        if (place == 0) {
            return;
        }
        at[place - 1]++;
        for (unsigned i = place; i < strength; i++) {
            at[i] = at[i - 1] + 1;
        }
    }
}

static void add(void *set, const unsigned char combination[])
{
    topk_combinations_add(set, combination);
}

void topk_combinations_add_all(struct topk_combinations *set,
                               const unsigned char classes[TOPK_ASPECT_COUNT])
{
    topk_combinations_visit(set->strength, classes, add, set);
}

static bool ascending(unsigned strength, const unsigned char combination[])
{
    for (unsigned i = 1; i < strength; i++) {
        if (topk_aspect_of_class(combination[i]) <= topk_aspect_of_class(combination[i - 1])) {
            return false;
        }
    }
    return true;
}

bool topk_combination_next(unsigned strength, unsigned char combination[TOPK_STRENGTH_MAX])
{
    if (combination[0] == TOPK_CLASS_OPEN) {
        memset(combination, 0, strength);
        if (strength == 1) {
            return true;
        }
    }
    do {
        unsigned place = strength;
        while (place > 0 && combination[place - 1] == TOPK_CLASS_COUNT - 1) {
            place--;
        }
        if (place == 0) {
            return false;
        }
        combination[place - 1]++;
        memset(combination + place, combination[place - 1], strength - place);
    } while (!ascending(strength, combination));
    return true;
}

void topk_combination_assign(unsigned strength, const unsigned char combination[],
                             unsigned char classes[TOPK_ASPECT_COUNT])
{
    memset(classes, TOPK_CLASS_OPEN, TOPK_ASPECT_COUNT);
    for (unsigned i = 0; i < strength; i++) {
        classes[topk_aspect_of_class(combination[i])] = combination[i];
    }
}
