/* Learns conditions. Each candidate term is the tightest one that holds for all failures. Terms are
 * chosen one by one, by how many bits each saves. Failures are then split in two: first by the
 * readings that explain them, then by every feature, verdict and kind of failure. Splitting goes on
 * as long as two conditions describe the failures in far fewer bits than one. */
#include "learner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A term must exclude at least this share of the remaining passes. */
#define TERM_SHARE 0.25
/* A condition is good enough if this share of the cases within it fail. */
#define FAILING_ENOUGH 0.95
/* Greatest number of terms: more are hard to read. */
#define TERMS_MOST 5u
/* A split must save this share of the bits, and SPLIT_BITS more. */
#define SPLIT_SHARE         0.7
#define SPLIT_SHARE_VERDICT 0.1
#define SPLIT_SHARE_CAUSE   0.3
/* A reading is a cause to split by only if it explains this many failures with certainty. */
#define CAUSED_LEAST 8u
/* the share if most failures of both parts are of the same kind */
#define SPLIT_SHARE_ALIKE 0.9
#define SPLIT_BITS        60.0
/* Weight of the bits of a term: cases resemble each other, so each is weaker evidence than an
 * independent one. */
#define TERM_WEIGHT 3.0
/* number of values of a number at which splits are tried */
#define CUTS 7u

/* A set of failures and the condition that describes them. */
struct part {
    topk_set fail;
    uint64_t failed;
    topk_set clear; /* what the condition should exclude: passes, and failures with another cause */
    struct topk_condition condition;
    topk_set passing; /* members of `clear` within the condition */
    double bits;
};

/* ---- description length ---------------------------------------------------------------------- */

/* Returns the bits that select `some` of `all` cases. */
static double choose_bits(uint64_t all, uint64_t some)
{
    return (lgamma((double)all + 1) - lgamma((double)some + 1) - lgamma((double)(all - some) + 1)) /
           log(2);
}

/* Returns the extra cost of a feature, in bits. Among features that select the same cases, this
 * favours those that a reader thinks in over those that follow from them. */
static double category_handicap(enum topk_category category)
{
    switch (category) {
    case TOPK_CATEGORY_RECIPE:
        return 40;
    case TOPK_CATEGORY_CHECK:
        return 10;
    case TOPK_CATEGORY_LENGTH:
    case TOPK_CATEGORY_K:
    case TOPK_CATEGORY_BATCH:
    case TOPK_CATEGORY_LEVEL:
    case TOPK_CATEGORY_LEAST:
    case TOPK_CATEGORY_GREATEST:
    case TOPK_CATEGORY_INDEX_TYPE:
        return 4;
    default:
        return 0;
    }
}

static double number_handicap(enum topk_number number)
{
    switch (number) {
    case TOPK_NUMBER_RANK:
    case TOPK_NUMBER_N:
    case TOPK_NUMBER_K_NUMBER:
    case TOPK_NUMBER_ROWS:
        return 0;
    case TOPK_NUMBER_N_DIVISOR:
    case TOPK_NUMBER_K_DIVISOR:
    case TOPK_NUMBER_SIZE_DIVISOR:
    case TOPK_NUMBER_BITS:
    case TOPK_NUMBER_WIDTH:
        return 4;
    default:
        return 10;
    }
}

static double term_bits(const struct topk_learner *learner, const struct topk_term *term)
{
    double bits = log2(TOPK_CATEGORY_COUNT + TOPK_NUMBER_COUNT);
    if (term->is_number) {
        const double value = log2(learner->numbers[term->feature].count);
        bits += number_handicap((enum topk_number)term->feature) + 1;
        bits += term->least > 0 ? value : 0;
        bits += term->most < UINT64_MAX ? value : 0;
    } else {
        const unsigned all = learner->category_words[term->feature];
        unsigned held = 0;
        for (unsigned word = 0; word < all; word++) {
            held += (term->words[word / 64] >> word % 64) & 1;
        }
        bits += category_handicap((enum topk_category)term->feature) + log2(all) +
                choose_bits(all, held);
    }
    return TERM_WEIGHT * bits;
}

/* ---- the tightest terms ---------------------------------------------------------------------- */

bool topk_tight_words(const struct topk_sample *const *failures, size_t count,
                      enum topk_category category, struct topk_term *term)
{
    bool all = true;
    size_t known = 0;
    *term = (struct topk_term){.feature = (unsigned char)category};
    for (size_t i = 0; i < count; i++) {
        const unsigned word = failures[i]->features.words[category];
        if (word != TOPK_WORD_UNKNOWN) {
            known++;
            term->words[word / 64] |= (uint64_t)1 << word % 64;
        }
    }
    for (unsigned word = 0; topk_category_word(category, word) != NULL; word++) {
        all = all && ((term->words[word / 64] >> word % 64) & 1) != 0;
    }
    return !all && known > 0 && 2 * known >= count;
}

bool topk_tight_bounds(const struct topk_sample *const *failures, size_t count,
                       enum topk_number number, struct topk_term *term)
{
    size_t known = 0;
    *term = (struct topk_term){
        .is_number = true, .feature = (unsigned char)number, .least = UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = failures[i]->features.numbers[number];
        if (value != TOPK_NUMBER_UNKNOWN) {
            known++;
            term->least = value < term->least ? value : term->least;
            term->most = value > term->most ? value : term->most;
        }
    }
    return known > 0 && 2 * known >= count;
}

/* ---- one condition --------------------------------------------------------------------------- */

/* Candidates: the tightest term of each category, and a lower bound, an upper bound and both for
 * each number. */
#define OFFERS (TOPK_CATEGORY_COUNT + 3 * TOPK_NUMBER_COUNT)

static size_t list_offers(const struct topk_learner *learner, struct topk_term offers[OFFERS])
{
    const struct topk_sample *const *failures = learner->failures;
    size_t count = 0;
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        count += topk_tight_words(failures, learner->failure_count, (enum topk_category)i,
                                  &offers[count]);
    }
    for (unsigned i = 0; i < TOPK_NUMBER_COUNT; i++) {
        struct topk_term both;
        if (topk_tight_bounds(failures, learner->failure_count, (enum topk_number)i, &both)) {
            const struct topk_levels *levels = &learner->numbers[i];
            const bool below = both.least > levels->least[0];
            const bool above = both.most < levels->greatest;
            offers[count] = both;
            offers[count].most = UINT64_MAX;
            count += below;
            offers[count] = both;
            offers[count].least = 0;
            count += above;
            offers[count] = both;
            count += below && above;
        }
    }
    return count;
}

/* Returns the bits that a term saves; -1 if it excludes too few passes. */
static double saved_by(const struct topk_learner *learner, const struct part *part,
                       uint64_t passing, const struct topk_term *term)
{
    topk_learner_restrict(learner, term, true, part->passing, learner->room);
    const uint64_t left = topk_set_count(learner, learner->room);
    return (double)(passing - left) < TERM_SHARE * (double)passing
               ? -1
               : choose_bits(part->failed + passing, part->failed) -
                     choose_bits(part->failed + left, part->failed) - term_bits(learner, term);
}

static double part_bits(const struct topk_learner *learner, const struct part *part)
{
    double bits = choose_bits(part->failed + topk_set_count(learner, part->passing), part->failed);
    for (size_t i = 0; i < part->condition.count; i++) {
        bits += term_bits(learner, &part->condition.terms[i]);
    }
    return bits;
}

static void passing_within(const struct topk_learner *learner, struct part *part)
{
    memcpy(part->passing, part->clear, learner->words * sizeof(uint64_t));
    for (size_t i = 0; i < part->condition.count; i++) {
        topk_learner_restrict(learner, &part->condition.terms[i], false, part->passing,
                              learner->room);
        memcpy(part->passing, learner->room, learner->words * sizeof(uint64_t));
    }
}

/* Removes terms that later ones made superfluous. */
static void prune(const struct topk_learner *learner, struct part *part)
{
    for (size_t i = part->condition.count; i-- > 0 && part->condition.count > 1;) {
        const struct topk_condition before = part->condition;
        const double bits = part_bits(learner, part);
        part->condition.count--;
        memmove(&part->condition.terms[i], &part->condition.terms[i + 1],
                (part->condition.count - i) * sizeof part->condition.terms[0]);
        passing_within(learner, part);
        if (part_bits(learner, part) > bits) {
            part->condition = before;
            passing_within(learner, part);
        }
    }
}

static void list_failures(struct topk_learner *learner, const struct part *part)
{
    learner->failure_count = 0;
    for (size_t i = 0; i < learner->words; i++) {
        uint64_t left = part->fail[i];
        for (unsigned bit = 0; left != 0; bit++, left >>= 1) {
            if ((left & 1) != 0) {
                learner->failures[learner->failure_count++] = learner->samples[64 * i + bit];
            }
        }
    }
}

/* Finds the condition of a part from its failures. */
static void describe(struct topk_learner *learner, struct part *part)
{
    struct topk_term offers[OFFERS];
    list_failures(learner, part);
    const size_t count = list_offers(learner, offers);
    part->failed = learner->failure_count;
    part->condition.count = 0;
    memcpy(part->passing, part->clear, learner->words * sizeof(uint64_t));
    while (part->condition.count < TERMS_MOST) {
        const uint64_t passing = topk_set_count(learner, part->passing);
        if ((double)part->failed >= FAILING_ENOUGH * (double)(part->failed + passing)) {
            break;
        }
        const struct topk_term *best = NULL;
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            const double saved = saved_by(learner, part, passing, &offers[i]);
            if (saved > most) {
                best = &offers[i];
                most = saved;
            }
        }
        if (best == NULL) {
            break;
        }
        part->condition.terms[part->condition.count++] = *best;
        passing_within(learner, part);
    }
    prune(learner, part);
    part->bits = part_bits(learner, part);
}

/* ---- splitting ------------------------------------------------------------------------------- */

static bool part_make(const struct topk_learner *learner, struct part *part)
{
    *part = (struct part){.fail = topk_set_new(learner),
                          .clear = topk_set_new(learner),
                          .passing = topk_set_new(learner)};
    return part->fail != NULL && part->clear != NULL && part->passing != NULL;
}

static void part_free(struct part *part)
{
    free(part->fail);
    free(part->clear);
    free(part->passing);
}

static void part_copy(const struct topk_learner *learner, struct part *to, const struct part *from)
{
    memcpy(to->fail, from->fail, learner->words * sizeof(uint64_t));
    memcpy(to->clear, from->clear, learner->words * sizeof(uint64_t));
    memcpy(to->passing, from->passing, learner->words * sizeof(uint64_t));
    to->failed = from->failed;
    to->condition = from->condition;
    to->bits = from->bits;
}

/* A way to split failures in two. */
struct split {
    enum {
        SPLIT_CAUSE,
        SPLIT_VERDICT,
        SPLIT_KIND,
        SPLIT_WORD,
        SPLIT_NUMBER
    } by;
    unsigned feature;
    /* reading, verdict, kind or word of the first part; least number of the second part */
    uint64_t value;
};

static bool first_part(const struct split *split, const struct topk_sample *sample)
{
    switch (split->by) {
    case SPLIT_CAUSE:
        return (sample->readings >> split->value & 1) != 0;
    case SPLIT_VERDICT:
        return sample->verdict == split->value;
    case SPLIT_KIND:
        return sample->kind == split->value;
    case SPLIT_WORD:
        return sample->features.words[split->feature] == split->value;
    default:
        return sample->features.numbers[split->feature] < split->value;
    }
}

bool topk_sample_tried(const struct topk_sample *sample)
{
    return sample->readings != 0 ||
           (sample->wrong && sample->features.words[TOPK_CATEGORY_NAN] == 0 &&
            sample->features.numbers[TOPK_NUMBER_ELEMENTS] <= TOPK_DIAGNOSED_ELEMENTS);
}

/* Returns whether a split cannot tell to which part a failure belongs. */
static bool undecided(const struct split *split, const struct topk_sample *sample)
{
    return split->by == SPLIT_CAUSE && !topk_sample_tried(sample);
}

struct splitting {
    struct topk_learner *learner;
    const struct part *whole;
    struct part tried[2], best[2];
    double gain; /* of `best` */
};

/* Finds the kind that more than half of a part's failures have. Returns false if there is none. */
static bool main_kind(const struct topk_learner *learner, const struct part *part, uint32_t *kind)
{
    uint64_t lead = 0;
    uint64_t all = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < learner->count; i++) {
            if (!topk_set_holds(part->fail, i)) {
                continue;
            }
            const uint32_t other = learner->samples[i]->kind;
            if (pass == 1) {
                all += other == *kind;
            } else if (lead == 0) {
                *kind = other;
                lead = 1;
            } else {
                lead = other == *kind ? lead + 1 : lead - 1;
            }
        }
    }
    return 2 * all > part->failed;
}

static bool alike(const struct topk_learner *learner, const struct part parts[2])
{
    uint32_t kinds[2] = {0, 0};
    return main_kind(learner, &parts[0], &kinds[0]) && main_kind(learner, &parts[1], &kinds[1]) &&
           kinds[0] == kinds[1];
}

/* Returns whether a condition explains one part although none explains the whole: it must save most
 * of the bits that the part's failures add to those of the other part. Otherwise a bug with a
 * condition would be lost among more failures without one. */
static bool stands_out(const struct splitting *splitting, const struct part *part,
                       const struct part *other, double gain)
{
    return splitting->whole->condition.count == 0 && part->condition.count > 0 &&
           gain > SPLIT_SHARE * (splitting->whole->bits - other->bits);
}

/* Returns whether two parts are two bugs rather than one. */
static bool pays(const struct splitting *splitting, const struct split *split, double gain)
{
    const struct part *parts = splitting->tried;
    if (split->by == SPLIT_CAUSE) {
        return gain > SPLIT_SHARE_CAUSE * splitting->whole->bits && parts[1].condition.count > 0;
    }
    const bool are_alike = alike(splitting->learner, parts);
    const double share = split->by == SPLIT_VERDICT ? SPLIT_SHARE_VERDICT
                         : are_alike                ? SPLIT_SHARE_ALIKE
                                                    : SPLIT_SHARE;
    return gain > share * splitting->whole->bits ||
           (!are_alike && (stands_out(splitting, &parts[0], &parts[1], gain) ||
                           stands_out(splitting, &parts[1], &parts[0], gain)));
}

/* Puts failures for which no reading was tried into the part with the cause, unless only the other
 * condition holds for them. */
static void place_undecided(struct splitting *splitting, const struct split *split)
{
    struct topk_learner *learner = splitting->learner;
    struct part *parts = splitting->tried;
    bool any = false;
    for (size_t i = 0; i < learner->count; i++) {
        const struct topk_sample *sample = learner->samples[i];
        if (topk_set_holds(splitting->whole->fail, i) && undecided(split, sample)) {
            const bool other =
                topk_condition_holds(&parts[0].condition, &sample->features) == TOPK_HOLDS_NOT &&
                topk_condition_holds(&parts[1].condition, &sample->features) != TOPK_HOLDS_NOT;
            topk_set_put(parts[other].fail, i);
            any = true;
        }
    }
    if (any) {
        describe(learner, &parts[0]);
        describe(learner, &parts[1]);
    }
}

static void try_split(struct splitting *splitting, const struct split *split)
{
    struct topk_learner *learner = splitting->learner;
    struct part *parts = splitting->tried;
    memset(parts[0].fail, 0, learner->words * sizeof(uint64_t));
    memset(parts[1].fail, 0, learner->words * sizeof(uint64_t));
    memcpy(parts[0].clear, splitting->whole->clear, learner->words * sizeof(uint64_t));
    memcpy(parts[1].clear, splitting->whole->clear, learner->words * sizeof(uint64_t));
    uint64_t count[2] = {0, 0};
    for (size_t i = 0; i < learner->count; i++) {
        if (topk_set_holds(splitting->whole->fail, i) && !undecided(split, learner->samples[i])) {
            const int which = first_part(split, learner->samples[i]) ? 0 : 1;
            topk_set_put(parts[which].fail, i);
            count[which]++;
            if (split->by == SPLIT_CAUSE && which == 0) {
                topk_set_put(parts[1].clear, i);
            }
        }
    }
    if (count[0] == 0 || count[1] == 0) {
        return;
    }
    describe(learner, &parts[0]);
    describe(learner, &parts[1]);
    place_undecided(splitting, split);
    /* the parts also tell which failures the reading explains: credit the bits of that */
    const double told = split->by == SPLIT_CAUSE ? choose_bits(count[0] + count[1], count[0]) : 0;
    const double gain = splitting->whole->bits + told - parts[0].bits - parts[1].bits - SPLIT_BITS;
    if (gain > splitting->gain && pays(splitting, split, gain)) {
        splitting->gain = gain;
        part_copy(learner, &splitting->best[0], &parts[0]);
        part_copy(learner, &splitting->best[1], &parts[1]);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void try_numbers(struct splitting *splitting, unsigned number, uint64_t *values)
{
    const struct topk_learner *learner = splitting->learner;
    size_t count = 0;
    for (size_t i = 0; i < learner->count; i++) {
        const uint64_t value = learner->samples[i]->features.numbers[number];
        if (topk_set_holds(splitting->whole->fail, i) && value != TOPK_NUMBER_UNKNOWN) {
            values[count++] = value;
        }
    }
    if (count == 0) {
        return;
    }
    qsort(values, count, sizeof *values, by_value);
    size_t different = 1;
    for (size_t i = 1; i < count; i++) {
        if (values[i] != values[different - 1]) {
            values[different++] = values[i];
        }
    }
    uint64_t last = values[0];
    for (size_t cut = 1; cut <= CUTS; cut++) {
        const uint64_t value = values[cut * different / (CUTS + 1)];
        const struct split split = {SPLIT_NUMBER, number, value};
        if (value != last) {
            try_split(splitting, &split);
        }
        last = value;
    }
}

/* Tries to split by each verdict, or each kind, that occurs among the failures. */
static void try_kinds(struct splitting *splitting, bool verdict, uint64_t *values)
{
    const struct topk_learner *learner = splitting->learner;
    size_t count = 0;
    for (size_t i = 0; i < learner->count; i++) {
        if (topk_set_holds(splitting->whole->fail, i)) {
            const struct topk_sample *sample = learner->samples[i];
            values[count++] = verdict ? sample->verdict : sample->kind;
        }
    }
    qsort(values, count, sizeof *values, by_value);
    unsigned tried = 0;
    for (size_t i = 0; i < count && tried < 32; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            const struct split split = {verdict ? SPLIT_VERDICT : SPLIT_KIND, 0, values[i]};
            try_split(splitting, &split);
            tried++;
        }
    }
}

/* Tries to split by each reading that explains most of the failures. A reading that explains only a
 * few may do so by chance. */
static void try_causes(struct splitting *splitting)
{
    const struct topk_learner *learner = splitting->learner;
    for (int reading = TOPK_READING_NONE + 1; reading < TOPK_READING_COUNT; reading++) {
        const struct split split = {SPLIT_CAUSE, 0, (uint64_t)reading};
        uint64_t explained = 0;
        uint64_t sure = 0;
        for (size_t i = 0; i < learner->count; i++) {
            const struct topk_sample *sample = learner->samples[i];
            const bool one =
                first_part(&split, sample) && topk_set_holds(splitting->whole->fail, i);
            explained += one;
            sure += one && !sample->guess;
        }
        if (sure >= CAUSED_LEAST && 2 * explained > splitting->whole->failed) {
            try_split(splitting, &split);
        }
    }
}

/* Splits a whole in two if that pays. */
static bool part_in_two(struct splitting *splitting, uint64_t *values)
{
    const struct topk_learner *learner = splitting->learner;
    splitting->gain = 0;
    try_causes(splitting);
    if (splitting->gain > 0) {
        return true;
    }
    try_kinds(splitting, true, values);
    try_kinds(splitting, false, values);
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        for (unsigned word = 0; word < learner->category_words[i]; word++) {
            const struct split split = {SPLIT_WORD, i, word};
            try_split(splitting, &split);
        }
    }
    for (unsigned i = 0; i < TOPK_NUMBER_COUNT; i++) {
        try_numbers(splitting, i, values);
    }
    return splitting->gain > 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void part_all(struct splitting *splitting, struct part parts[TOPK_BUGS_MAX], size_t *count,
                     uint64_t *values)
{
    bool room = true;
    for (size_t p = 0; p < *count; p++) {
        splitting->whole = &parts[p];
        while (room && *count < TOPK_BUGS_MAX && part_in_two(splitting, values)) {
            room = part_make(splitting->learner, &parts[*count]);
            if (room) {
                part_copy(splitting->learner, &parts[p], &splitting->best[0]);
                part_copy(splitting->learner, &parts[*count], &splitting->best[1]);
                ++*count;
            }
        }
    }
}

bool topk_learn(const struct topk_sample *const *samples, size_t count,
                struct topk_condition conditions[TOPK_BUGS_MAX], unsigned char *part_of,
                size_t *part_count)
{
    struct topk_learner *learner = calloc(1, sizeof *learner);
    struct part parts[TOPK_BUGS_MAX] = {{0}};
    struct splitting splitting = {.learner = learner};
    uint64_t *values = malloc((count + 1) * sizeof *values);
    bool ok = learner != NULL && values != NULL && topk_learner_start(learner, samples, count) &&
              part_make(learner, &parts[0]) && part_make(learner, &splitting.tried[0]) &&
              part_make(learner, &splitting.tried[1]) && part_make(learner, &splitting.best[0]) &&
              part_make(learner, &splitting.best[1]);
    *part_count = 0;
    for (size_t i = 0; ok && i < count; i++) {
        if (samples[i]->label == TOPK_LABEL_FAIL) {
            topk_set_put(parts[0].fail, i);
            *part_count = 1;
        }
    }
    if (*part_count > 0) {
        memcpy(parts[0].clear, learner->pass, learner->words * sizeof(uint64_t));
        describe(learner, &parts[0]);
        part_all(&splitting, parts, part_count, values);
    }
    for (size_t p = 0; p < *part_count; p++) {
        conditions[p] = parts[p].condition;
        for (size_t i = 0; i < count; i++) {
            part_of[i] = topk_set_holds(parts[p].fail, i) ? (unsigned char)p : part_of[i];
        }
    }
    for (size_t p = 0; p < TOPK_BUGS_MAX; p++) {
        part_free(&parts[p]);
    }
    for (int i = 0; i < 2; i++) {
        part_free(&splitting.tried[i]);
        part_free(&splitting.best[i]);
    }
    if (learner != NULL) {
        topk_learner_free(learner);
    }
    free(learner);
    free(values);
    return ok;
}
