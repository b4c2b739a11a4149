/* The cause of a bug: a reading that explains its failures, and that no passing case contradicts.
 */
#include "gathering.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "reference/diagnosis.h"

/* How many passes within a condition are examined to see whether they contradict a cause; they are
 * taken at even distances. */
#define ASKED_MOST 1024u
/* Failures that a reading that explains most of a bug has to explain for sure. */
#define CAUSED_LEAST 8u

const char *topk_gathered_text(const char *id)
{
    size_t name;
    const char *text;
    topk_case_id_split(id, strlen(id), &name, &text);
    return text;
}

void topk_gathered_look(void *context, size_t number, struct topk_features *features)
{
    const struct topk_gathering *gathering = context;
    const char *text = topk_gathered_text(gathering->cases[number].id);
    struct topk_case tc;
    struct topk_case_error error;
    if (topk_case_parse(text, strlen(text), &tc, &error)) {
        topk_features_look_call(&tc, gathering->samples[number].call, TOPK_FEATURES_ELEMENTS,
                                features);
        topk_case_clear(&tc);
    }
}

/* Returns the readings in a set that would have given a different result for a case that passed. */
static topk_reading_set contradicted_by(const struct topk_gathering *gathering, size_t number,
                                        topk_reading_set readings)
{
    const char *text = topk_gathered_text(gathering->cases[number].id);
    struct topk_case tc;
    struct topk_case_error error;
    topk_reading_set differ = 0;
    if (topk_case_parse(text, strlen(text), &tc, &error)) {
        if (!topk_case_readings_differ(&tc, &gathering->contract, readings, &differ)) {
            differ = 0;
        }
        topk_case_clear(&tc);
    }
    return differ & readings;
}

/* Whether a case passed where a bug should show. Where another bug should show as well it says
 * nothing: the two may cancel out. */
static bool passes_within(const struct topk_gathering *gathering, size_t number,
                          const struct topk_bugs *bugs, size_t bug)
{
    const struct topk_sample *sample = &gathering->samples[number];
    bool within = sample->label == TOPK_LABEL_PASS &&
                  topk_condition_holds(&bugs->list[bug].condition, &sample->features) == TOPK_HOLDS;
    for (size_t other = 0; within && other < bugs->count; other++) {
        const struct topk_condition *condition = &bugs->list[other].condition;
        within = other == bug || condition->count == 0 ||
                 topk_condition_holds(condition, &sample->features) == TOPK_HOLDS_NOT;
    }
    return within;
}

/* Whether the readings were tried on a failure of a bug. */
static bool tried_on(const struct topk_gathering *gathering, const struct topk_bugs *bugs,
                     size_t number, size_t i)
{
    const struct topk_sample *sample = &gathering->samples[i];
    return bugs->of[i] == number + 1 && sample->wrong && topk_sample_tried(sample);
}

/* Returns the readings that explain every failure of a bug on which they were tried. */
static topk_reading_set common_readings(const struct topk_gathering *gathering,
                                        const struct topk_bugs *bugs, size_t number, bool *guess)
{
    topk_reading_set readings = ~(topk_reading_set)0;
    bool any = false;
    *guess = true;
    for (size_t i = 0; i < gathering->count; i++) {
        if (tried_on(gathering, bugs, number, i)) {
            any = true;
            readings &= gathering->samples[i].readings;
            *guess = *guess && gathering->samples[i].guess;
        }
    }
    return any ? readings : 0;
}

/* Of a bug that no reading explains as a whole: the one that explains most of its failures, if it
 * is sure of enough of them; entry->caused becomes how many it explains. */
static topk_reading_set main_reading(const struct topk_gathering *gathering,
                                     const struct topk_bugs *bugs, size_t number,
                                     struct topk_entry *entry)
{
    uint64_t explained[TOPK_READING_COUNT] = {0};
    uint64_t sure[TOPK_READING_COUNT] = {0};
    for (size_t i = 0; i < gathering->count; i++) {
        const struct topk_sample *sample = &gathering->samples[i];
        for (int r = TOPK_READING_NONE + 1; bugs->of[i] == number + 1 && r < TOPK_READING_COUNT;
             r++) {
            const bool one = (sample->readings & topk_reading_only((enum topk_reading)r)) != 0;
            explained[r] += one && !sample->fresh;
            sure[r] += one && !sample->fresh && !sample->guess;
        }
    }
    enum topk_reading best = TOPK_READING_NONE;
    for (int r = TOPK_READING_NONE + 1; r < TOPK_READING_COUNT; r++) {
        if (sure[r] >= CAUSED_LEAST && explained[r] > explained[best]) {
            best = (enum topk_reading)r;
        }
    }
    /* a reading that explains little more than half may explain it by chance */
    if (8 * explained[best] < 7 * entry->count) {
        return 0;
    }
    entry->caused = explained[best];
    entry->guess = false;
    return topk_reading_only(best);
}

/* Finds which readings the passes within the condition contradict, examining passes at even
 * distances: for each pass in `differ`. Returns the readings that no pass contradicts. */
static topk_reading_set ask_passes(const struct topk_gathering *gathering,
                                   const struct topk_bugs *bugs, size_t number,
                                   topk_reading_set readings, topk_reading_set *differ)
{
    uint64_t inside = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < gathering->count; i++) {
        inside += passes_within(gathering, i, bugs, number);
    }
    const uint64_t every = inside / ASKED_MOST + 1;
    topk_reading_set left = readings;
    for (size_t i = 0; i < gathering->count; i++) {
        if (passes_within(gathering, i, bugs, number) && seen++ % every == 0) {
            differ[i] = contradicted_by(gathering, i, readings);
            left &= ~differ[i];
        }
    }
    return left;
}

/* Handles a reading that explains all failures but that passes within the condition contradict. It
 * is the cause if the condition is merely too wide: if one more term excludes these passes, and not
 * by chance. */
static topk_reading_set narrow(struct topk_gathering *gathering, struct topk_bugs *bugs,
                               size_t number, topk_reading_set readings,
                               const topk_reading_set *differ)
{
    const struct topk_look data = {topk_gathered_look, gathering};
    unsigned char *against = malloc(gathering->count + 1);
    bool found = false;
    for (topk_reading_set left = readings; against != NULL && !found && left != 0;) {
        const topk_reading_set one = topk_reading_only(topk_readings_first(left));
        for (size_t i = 0; i < gathering->count; i++) {
            against[i] = (differ[i] & one) != 0;
        }
        found = topk_bug_narrow(bugs, number, gathering->samples, gathering->count, &data, against);
        left &= ~one;
    }
    free(against);
    topk_reading_set stand = found ? readings : 0;
    for (size_t i = 0; found && i < gathering->count; i++) {
        if (passes_within(gathering, i, bugs, number)) {
            stand &= ~differ[i];
        }
    }
    return stand;
}

bool topk_settle_cause(struct topk_gathering *gathering, struct topk_bugs *bugs, size_t number,
                       struct topk_entry *entry)
{
    topk_reading_set readings = common_readings(gathering, bugs, number, &entry->guess);
    const bool mixed = readings == 0;
    entry->caused = entry->count;
    if (mixed) {
        readings = main_reading(gathering, bugs, number, entry);
    }
    if (readings == 0) {
        return true;
    }
    topk_reading_set *differ = calloc(gathering->count + 1, sizeof *differ);
    if (differ == NULL) {
        return false;
    }
    entry->readings = ask_passes(gathering, bugs, number, readings, differ);
    if (entry->readings == 0 && !mixed) {
        entry->readings = narrow(gathering, bugs, number, readings, differ);
        entry->bug = bugs->list[number];
    }
    free(differ);
    return true;
}
