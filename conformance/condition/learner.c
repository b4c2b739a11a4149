/* Represents samples as sets of bits. */
#include "learner.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets ------------------------------------------------------------------------------------ */

bool topk_set_holds(const uint64_t *of, size_t number)
{
    return (of[number / 64] >> number % 64) & 1;
}

void topk_set_put(uint64_t *into, size_t number)
{
    into[number / 64] |= (uint64_t)1 << number % 64;
}

static uint64_t ones(uint64_t bits)
{
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (bits * 0x0101010101010101u) >> 56;
}

uint64_t topk_set_count(const struct topk_learner *learner, const uint64_t *of)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < learner->words; i++) {
        sum += ones(of[i]);
    }
    return sum;
}

topk_set topk_set_new(const struct topk_learner *learner)
{
    return calloc(learner->words + 1, sizeof(uint64_t));
}

/* ---- levels of numbers ----------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static unsigned level_of(const struct topk_levels *levels, uint64_t value)
{
    unsigned low = 0;
    unsigned high = levels->count;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (levels->least[middle] <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void topk_learner_restrict(const struct topk_learner *learner, const struct topk_term *term,
                           bool may, const uint64_t *from, uint64_t *within)
{
    if (!term->is_number) {
        for (size_t i = 0; i < learner->words; i++) {
            within[i] = may ? from[i] : 0;
        }
        for (unsigned word = 0; word < learner->category_words[term->feature]; word++) {
            const bool held = ((term->words[word / 64] >> word % 64) & 1) != 0;
            const uint64_t *samples = learner->by_word[term->feature][word];
            for (size_t i = 0; held != may && i < learner->words; i++) {
                within[i] = may ? within[i] & ~samples[i] : within[i] | (samples[i] & from[i]);
            }
        }
        return;
    }
    const struct topk_levels *levels = &learner->numbers[term->feature];
    const uint64_t *known = levels->below[levels->count];
    const uint64_t *below = levels->below[level_of(levels, term->least)];
    const uint64_t *up_to = levels->below[level_of(levels, term->most) + 1];
    for (size_t i = 0; i < learner->words; i++) {
        within[i] = from[i] & ((up_to[i] & ~below[i]) | (may ? ~known[i] : 0));
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool index_category(struct topk_learner *learner, enum topk_category category)
{
    unsigned words = 0;
    while (topk_category_word(category, words) != NULL) {
        learner->by_word[category][words] = topk_set_new(learner);
        learner->category_words[category] = words + 1;
        if (learner->by_word[category][words] == NULL) {
            return false;
        }
        words++;
    }
    for (size_t s = 0; s < learner->count; s++) {
        const unsigned word = learner->samples[s]->features.words[category];
        if (word != TOPK_WORD_UNKNOWN) {
            topk_set_put(learner->by_word[category][word], s);
        }
    }
    return true;
}

static bool index_number(struct topk_learner *learner, enum topk_number number, uint64_t *values)
{
    struct topk_levels *levels = &learner->numbers[number];
    size_t different = 0;
    size_t known = 0;
    for (size_t s = 0; s < learner->count; s++) {
        values[known] = learner->samples[s]->features.numbers[number];
        known += values[known] != TOPK_NUMBER_UNKNOWN;
    }
    qsort(values, known, sizeof *values, by_value);
    for (size_t s = 0; s < known; s++) {
        if (s == 0 || values[s] != values[different - 1]) {
            values[different++] = values[s];
        }
    }
    levels->count = different < LEVELS_MOST ? (unsigned)different : LEVELS_MOST;
    if (levels->count == 0) {
        levels->count = 1;
        values[0] = 0;
        different = 1;
    }
    levels->greatest = values[different - 1];
    bool ok = true;
    for (unsigned i = 0; i <= levels->count; i++) {
        levels->below[i] = topk_set_new(learner);
        ok = ok && levels->below[i] != NULL;
    }
    for (unsigned i = 0; i < levels->count; i++) {
        levels->least[i] = values[i * different / levels->count];
    }
    for (size_t s = 0; ok && s < learner->count; s++) {
        const uint64_t value = learner->samples[s]->features.numbers[number];
        for (unsigned i = level_of(levels, value) + 1; i <= levels->count; i++) {
            if (value != TOPK_NUMBER_UNKNOWN) {
                topk_set_put(levels->below[i], s);
            }
        }
    }
    return ok;
}

static bool index_samples(struct topk_learner *learner, uint64_t *values)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < TOPK_CATEGORY_COUNT; i++) {
        ok = index_category(learner, (enum topk_category)i);
    }
    for (unsigned i = 0; ok && i < TOPK_NUMBER_COUNT; i++) {
        ok = index_number(learner, (enum topk_number)i, values);
    }
    return ok;
}

bool topk_learner_start(struct topk_learner *learner, const struct topk_sample *const *samples,
                        size_t count)
{
    uint64_t *values = malloc((count + 1) * sizeof *values);
    *learner =
        (struct topk_learner){.samples = samples, .count = count, .words = (count + 63) / 64};
    learner->failures =
        (const struct topk_sample **)malloc((count + 1) * sizeof(struct topk_sample *));
    learner->numbers = calloc(TOPK_NUMBER_COUNT, sizeof *learner->numbers);
    learner->pass = topk_set_new(learner);
    learner->room = topk_set_new(learner);
    const bool ok = values != NULL && learner->failures != NULL && learner->numbers != NULL &&
                    learner->pass != NULL && learner->room != NULL &&
                    index_samples(learner, values);
    for (size_t i = 0; ok && i < count; i++) {
        if (samples[i]->label == TOPK_LABEL_PASS) {
            topk_set_put(learner->pass, i);
        }
    }
    free(values);
    return ok;
}

void topk_learner_free(struct topk_learner *learner)
{
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        for (unsigned word = 0; word < learner->category_words[i]; word++) {
            free(learner->by_word[i][word]);
        }
    }
    for (unsigned i = 0; learner->numbers != NULL && i < TOPK_NUMBER_COUNT; i++) {
        for (unsigned level = 0; level <= LEVELS_MOST; level++) {
            free(learner->numbers[i].below[level]);
        }
    }
    free(learner->numbers);
    free(learner->pass);
    free(learner->room);
    free((void *)learner->failures);
}
