/* Finds the bugs of a run: chooses the samples to learn from, applies the learned conditions to all
 * other cases, and prints them as sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learner.h"

/* If a label has more samples than this, only some of them are used for learning. What is learned
 * must then be adjusted to the others. */
#define PASSES_MOST   8192u
#define FAILURES_MOST 4096u

/* State of the search for bugs. */
struct finding {
    struct topk_bugs *bugs;
    struct topk_sample *samples;
    size_t count;
    const struct topk_look *look;
    const struct topk_sample **room;  /* room for a pointer to every sample */
    unsigned char *part_of;           /* part of each sample in room */
    uint32_t verdicts[TOPK_BUGS_MAX]; /* verdict of one failure of each bug */
    unsigned char natures[TOPK_BUGS_MAX];
};

static void look_at(const struct finding *finding, size_t number)
{
    struct topk_sample *sample = &finding->samples[number];
    if (!sample->looked) {
        sample->looked = true;
        finding->look->look(finding->look->context, number, &sample->features);
    }
}

/* Returns whether a condition holds. Looks at the data only if the answer depends on it. */
static enum topk_holds holds(const struct finding *finding, size_t number,
                             const struct topk_condition *condition)
{
    enum topk_holds found = topk_condition_holds(condition, &finding->samples[number].features);
    if (found == TOPK_HOLDS_UNKNOWN) {
        look_at(finding, number);
        found = topk_condition_holds(condition, &finding->samples[number].features);
    }
    return found;
}

/* Takes the samples of a kind of cases, but only the failures of one nature. If a label has too
 * many, takes an evenly spaced subset. Returns how many samples are in the room. */
static size_t take_samples(const struct finding *finding, bool refusal, unsigned nature)
{
    static const uint64_t most[] = {PASSES_MOST, FAILURES_MOST};
    uint64_t all[2] = {0, 0};
    uint64_t seen[2] = {0, 0};
    size_t taken = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < finding->count; i++) {
            const struct topk_sample *sample = &finding->samples[i];
            const unsigned label = sample->label;
            if (sample->refusal != refusal || label == TOPK_LABEL_NEITHER ||
                (label == TOPK_LABEL_FAIL && sample->nature != nature) ||
                finding->bugs->of[i] != 0) {
                continue;
            }
            if (pass == 0) {
                all[label]++;
            } else if (seen[label]++ % ((all[label] + most[label] - 1) / most[label]) == 0 ||
                       sample->fresh) {
                look_at(finding, i);
                finding->room[taken++] = sample;
            }
        }
    }
    return all[TOPK_LABEL_FAIL] == 0 ? 0 : taken;
}

/* Adds at most `most` bugs for a kind of cases and a nature of failures. */
static bool add_bugs(struct finding *finding, bool refusal, unsigned nature, size_t most)
{
    struct topk_bugs *bugs = finding->bugs;
    struct topk_condition conditions[TOPK_BUGS_MAX];
    size_t parts = 0;
    const size_t taken = take_samples(finding, refusal, nature);
    if (taken == 0 || most == 0) {
        return true;
    }
    if (!topk_learn(finding->room, taken, conditions, finding->part_of, &parts)) {
        return false;
    }
    const size_t added = parts < most ? parts : most;
    for (size_t i = 0; i < taken; i++) {
        const size_t part = finding->part_of[i] < added ? finding->part_of[i] : added - 1;
        if (finding->room[i]->label == TOPK_LABEL_FAIL) {
            finding->verdicts[bugs->count + part] = finding->room[i]->verdict;
            bugs->of[finding->room[i] - finding->samples] = (unsigned char)(bugs->count + part + 1);
        }
    }
    for (size_t i = 0; i < added; i++) {
        finding->natures[bugs->count] = (unsigned char)nature;
        bugs->list[bugs->count++] =
            (struct topk_bug){.condition = conditions[i], .refusal = refusal};
    }
    return true;
}

/* Adds the bugs of a kind of cases. Reserves room for one bug of each further nature and kind of
 * cases. */
static bool add_kind(struct finding *finding, bool refusal)
{
    bool any[2][TOPK_NATURES] = {{false}};
    size_t left = 0;
    bool ok = true;
    for (size_t i = 0; i < finding->count; i++) {
        const struct topk_sample *sample = &finding->samples[i];
        bool *one = &any[sample->refusal][sample->nature];
        if (sample->label == TOPK_LABEL_FAIL && sample->refusal >= refusal &&
            finding->bugs->of[i] == 0 && !*one) {
            *one = true;
            left++;
        }
    }
    for (unsigned nature = 0; ok && nature < TOPK_NATURES; nature++) {
        if (any[refusal][nature]) {
            const size_t room = TOPK_BUGS_MAX - finding->bugs->count;
            left--;
            ok = add_bugs(finding, refusal, nature, room > left ? room - left : room > 0);
        }
    }
    return ok;
}

/* Assigns each failure that was left out of the learning to the first bug of its kind whose
 * condition holds. If `across`, a failure of a call that may be refused can also join a bug of
 * calls that may not: an unrefused call takes the same path as these, and one that crashes as they
 * do probably has the same bug. */
static void place(const struct finding *finding, bool across)
{
    struct topk_bugs *bugs = finding->bugs;
    for (size_t i = 0; i < finding->count; i++) {
        const struct topk_sample *sample = &finding->samples[i];
        if (sample->label != TOPK_LABEL_FAIL || bugs->of[i] != 0) {
            continue;
        }
        for (size_t b = 0; bugs->of[i] == 0 && b < bugs->count; b++) {
            const struct topk_bug *bug = &bugs->list[b];
            if (finding->natures[b] != sample->nature) {
                continue;
            }
            if (bug->refusal == sample->refusal
                    ? holds(finding, i, &bug->condition) != TOPK_HOLDS_NOT
                    : across &&
                          (sample->features.words[TOPK_CATEGORY_BREAKS] == 0 ||
                           sample->verdict == finding->verdicts[b]) &&
                          holds(finding, i, &bug->condition) != TOPK_HOLDS_NOT) {
                bugs->of[i] = (unsigned char)(b + 1);
            }
        }
        for (size_t b = 0; !across && bugs->of[i] == 0 && b < bugs->count; b++) {
            const bool same =
                bugs->list[b].refusal == sample->refusal && finding->natures[b] == sample->nature;
            bugs->of[i] = same ? (unsigned char)(b + 1) : 0;
        }
    }
}

/* Splits bugs whose crashes are at different places, even if no condition separates these. The
 * other failures of a bug stay with its first place. */
static void split_sites(const struct finding *finding)
{
    struct topk_bugs *bugs = finding->bugs;
    uint32_t sites[TOPK_BUGS_MAX] = {0};
    size_t parents[TOPK_BUGS_MAX];
    const size_t learned = bugs->count;
    for (size_t b = 0; b < learned; b++) {
        parents[b] = b;
    }
    for (size_t i = 0; i < finding->count; i++) {
        const uint32_t site = finding->samples[i].site;
        if (site == 0 || bugs->of[i] == 0) {
            continue;
        }
        const size_t parent = bugs->of[i] - 1u;
        size_t b = 0;
        while (b < bugs->count && (parents[b] != parent || (sites[b] != site && sites[b] != 0))) {
            b++;
        }
        if (b == bugs->count && b < TOPK_BUGS_MAX) {
            bugs->list[b] = bugs->list[parent];
            parents[b] = parent;
            bugs->count++;
        }
        if (b < bugs->count) {
            sites[b] = site;
            bugs->of[i] = (unsigned char)(b + 1);
        }
    }
}

/* Extends the terms of a bug to all its failures, including those left out of the learning. Drops a
 * term that then excludes nothing. */
static void widen(const struct finding *finding, size_t number)
{
    struct topk_condition *condition = &finding->bugs->list[number].condition;
    size_t failed = 0;
    size_t kept = 0;
    for (size_t i = 0; i < finding->count; i++) {
        if (finding->bugs->of[i] == number + 1) {
            finding->room[failed++] = &finding->samples[i];
        }
    }
    for (size_t i = 0; i < condition->count; i++) {
        struct topk_term *term = &condition->terms[i];
        struct topk_term tight;
        bool excludes;
        if (term->is_number) {
            excludes =
                topk_tight_bounds(finding->room, failed, (enum topk_number)term->feature, &tight);
            term->least = term->least > 0 ? tight.least : 0;
            term->most = term->most < UINT64_MAX ? tight.most : UINT64_MAX;
        } else {
            excludes =
                topk_tight_words(finding->room, failed, (enum topk_category)term->feature, &tight);
            *term = tight;
        }
        if (excludes) {
            condition->terms[kept++] = *term;
        }
    }
    memset(&condition->terms[kept], 0, (condition->count - kept) * sizeof condition->terms[0]);
    condition->count = kept;
}

static void count_sample(const struct finding *finding, size_t number, size_t of)
{
    const struct topk_sample *sample = &finding->samples[number];
    struct topk_bug *bug = &finding->bugs->list[of];
    const bool mine = finding->bugs->of[number] == of + 1;
    const bool failed = sample->label == TOPK_LABEL_FAIL;
    if (sample->label == TOPK_LABEL_NEITHER || (failed ? !mine : sample->refusal != bug->refusal)) {
        return;
    }
    const enum topk_holds found = holds(finding, number, &bug->condition);
    const bool within = found == TOPK_HOLDS || (mine && failed);
    if (found == TOPK_HOLDS_UNKNOWN && !within) {
        return;
    }
    if (sample->fresh) {
        bug->fresh_inside += within;
        bug->fresh_failed += within && failed;
        bug->fresh_beside +=
            topk_condition_missed(&bug->condition, &sample->features) < bug->condition.count;
    } else {
        bug->inside += within;
        bug->failed += failed;
        bug->outside += !within;
    }
}

static void count_bug(const struct finding *finding, size_t number)
{
    finding->bugs->list[number] =
        (struct topk_bug){.condition = finding->bugs->list[number].condition,
                          .refusal = finding->bugs->list[number].refusal};
    for (size_t i = 0; i < finding->count; i++) {
        count_sample(finding, i, number);
    }
}

static void sort_bugs(struct topk_bugs *bugs, size_t samples)
{
    unsigned char place_of[TOPK_BUGS_MAX + 1] = {0};
    struct topk_bug sorted[TOPK_BUGS_MAX];
    for (size_t i = 0; i < bugs->count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < bugs->count; j++) {
            before += bugs->list[j].failed > bugs->list[i].failed ||
                      (bugs->list[j].failed == bugs->list[i].failed && j < i);
        }
        sorted[before] = bugs->list[i];
        place_of[i + 1] = (unsigned char)(before + 1);
    }
    memcpy(bugs->list, sorted, bugs->count * sizeof sorted[0]);
    for (size_t i = 0; i < samples; i++) {
        bugs->of[i] = place_of[bugs->of[i]];
    }
}

bool topk_bugs_learn(struct topk_bugs *bugs, struct topk_sample *samples, size_t count,
                     const struct topk_look *look)
{
    struct finding finding = {.bugs = bugs, .samples = samples, .count = count, .look = look};
    bugs->count = 0;
    bugs->of = calloc(count + 1, 1);
    finding.room = (const struct topk_sample **)malloc((count + 1) * sizeof(struct topk_sample *));
    finding.part_of = calloc(count + 1, 1);
    bool ok = bugs->of != NULL && finding.room != NULL && finding.part_of != NULL &&
              add_kind(&finding, false);
    if (ok) {
        place(&finding, true);
        ok = add_kind(&finding, true);
    }
    if (ok) {
        place(&finding, false);
        split_sites(&finding);
        for (size_t b = 0; b < bugs->count; b++) {
            widen(&finding, b);
        }
        for (size_t b = 0; b < bugs->count; b++) {
            count_bug(&finding, b);
        }
        sort_bugs(bugs, count);
    }
    free((void *)finding.room);
    free(finding.part_of);
    return ok;
}

/* ---- narrowing a condition ------------------------------------------------------------------- */

/* Bits needed to rule out that a term excludes samples by chance, and how many similar samples
 * count as one. */
#define NARROW_BITS  10.0
#define NARROW_ALIKE 3.0

/* Returns how many of the marked passes within a condition a term excludes; 0 if the term holds for
 * any of them. */
static size_t excluded_by(const struct finding *finding, size_t number,
                          const struct topk_term *term, const unsigned char *against)
{
    const struct topk_condition *condition = &finding->bugs->list[number].condition;
    size_t excluded = 0;
    for (size_t i = 0; i < finding->count; i++) {
        const struct topk_sample *sample = &finding->samples[i];
        if (against[i] != 0 && topk_condition_holds(condition, &sample->features) == TOPK_HOLDS) {
            const enum topk_holds held = topk_term_holds(term, &sample->features);
            if (held == TOPK_HOLDS) {
                return 0;
            }
            excluded += held == TOPK_HOLDS_NOT;
        }
    }
    return excluded;
}

bool topk_bug_narrow(struct topk_bugs *bugs, size_t number, struct topk_sample *samples,
                     size_t count, const struct topk_look *look, const unsigned char *against)
{
    struct finding finding = {.bugs = bugs, .samples = samples, .count = count, .look = look};
    struct topk_condition *condition = &bugs->list[number].condition;
    struct topk_term best = {.feature = 0};
    size_t most = 0;
    size_t failed = 0;
    finding.room = (const struct topk_sample **)malloc((count + 1) * sizeof(struct topk_sample *));
    for (size_t i = 0; finding.room != NULL && i < count; i++) {
        if (bugs->of[i] == number + 1) {
            finding.room[failed++] = &samples[i];
        }
    }
    /* The chance that a value like those of the failures lies outside their tightest term is the
     * chance that it would be the least or the greatest of them. */
    const double each = log2(((double)failed + 2) / 3) / NARROW_ALIKE;
    /* categories come first, because they tell a reader more */
    for (unsigned i = 0; failed > 0 && i < TOPK_CATEGORY_COUNT + TOPK_NUMBER_COUNT; i++) {
        struct topk_term term;
        const bool offered =
            i < TOPK_CATEGORY_COUNT
                ? topk_tight_words(finding.room, failed, (enum topk_category)i, &term)
                : topk_tight_bounds(finding.room, failed,
                                    (enum topk_number)(i - TOPK_CATEGORY_COUNT), &term);
        const size_t excluded = offered ? excluded_by(&finding, number, &term, against) : 0;
        if (excluded > most) {
            best = term;
            most = excluded;
        }
    }
    const bool found =
        (double)most * each >= NARROW_BITS && condition->count < TOPK_CONDITION_TERMS;
    if (found) {
        condition->terms[condition->count++] = best;
        count_bug(&finding, number);
    }
    free((void *)finding.room);
    return found;
}

void topk_bugs_free(struct topk_bugs *bugs)
{
    free(bugs->of);
    bugs->of = NULL;
    bugs->count = 0;
}

/* Without a condition, "cases of all kinds" is claimed only if the choice of failing cases takes
 * this many bits; runs with fewer cases than this are taken for selections of a profile. */
#define TELLING_BITS   25.0
#define SELECTION_MOST 1000u

/* Prints why there is no condition: either nothing separates the failures from the passes, or there
 * are too few cases to tell. */
static void print_none(const struct topk_bug *bug, char text[TOPK_BUG_TEXT])
{
    const double all = (double)bug->inside;
    const double failed = (double)bug->failed;
    const double bits = (lgamma(all + 1) - lgamma(failed + 1) - lgamma(all - failed + 1)) / log(2);
    if (bits >= TELLING_BITS) {
        snprintf(text, TOPK_BUG_TEXT, "fails in cases of all kinds: %" PRIu64 " of %" PRIu64,
                 bug->failed, bug->inside);
        return;
    }
    snprintf(text, TOPK_BUG_TEXT,
             "fails in %" PRIu64 " of %" PRIu64 " case%s: too few %s to say what the failing ones "
             "share%s",
             bug->failed, bug->inside, bug->inside == 1 ? "" : "s",
             2 * bug->failed < bug->inside ? "fail" : "pass",
             bug->inside < SELECTION_MOST ? "; run the whole profile" : "");
}

void topk_bug_print(const struct topk_bug *bug, char text[TOPK_BUG_TEXT])
{
    char condition[TOPK_CONDITION_TEXT];
    topk_condition_print(&bug->condition, condition);
    if (bug->condition.count == 0) {
        print_none(bug, text);
    } else {
        snprintf(text, TOPK_BUG_TEXT,
                 "fails only where %s: %" PRIu64 " of %" PRIu64 " such cases, 0 of %" PRIu64
                 " others",
                 condition, bug->failed, bug->inside, bug->outside);
    }
}

void topk_bug_fresh_print(const struct topk_bug *bug, char text[TOPK_BUG_FRESH])
{
    int used = 0;
    text[0] = 0;
    if (bug->fresh_inside > 0) {
        used = snprintf(text, TOPK_BUG_FRESH,
                        "fresh cases: %" PRIu64 " of %" PRIu64 " such cases fail",
                        bug->fresh_failed, bug->fresh_inside);
    }
    if (bug->fresh_beside > 0) {
        snprintf(text + used, TOPK_BUG_FRESH - (size_t)used,
                 "%s0 of %" PRIu64 " that differ from them in one respect",
                 used > 0 ? ", " : "fresh cases: ", bug->fresh_beside);
    }
}
