/* Runs the rounds: collects the features of their cases and decides which cases are kept. */
#include "feedback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "behaviour.h"
#include "search.h"

/* Number of constants that are taken from one case; later cases provide the others. */
#define NUMBERS 32u

/* What a case of the round showed. */
struct seen {
    uint32_t place; /* index of the counters of its worker */
    bool done;      /* it has a result and is no failure: cases near one repeat it */
    struct topk_feature_list edges; /* that no case kept before the round has */
    struct topk_feature_list results;
    uint32_t numbers[NUMBERS]; /* constants not yet noted */
    uint32_t number_count;
    bool slow;
    uint32_t slowness; /* feature of its time, if slow */
    uint64_t nanoseconds;
};

/* The counters of one worker at a time: when a worker is replaced, the next one inherits its
 * place. */
struct place {
    struct topk_counters counters;
    uint64_t worker;
    bool open;
};

struct topk_feedback {
    struct topk_feedback_options options;
    enum topk_feedback_kind kind;
    struct topk_search search;
    struct topk_novelty novelty;
    uint32_t behaviours;  /* number of the first feature of results */
    struct place *places; /* owned */
    uint32_t place_count;
    uint64_t round; /* position of its first case */
    struct seen seen[TOPK_FEEDBACK_ROUND];
    bool counted; /* a counter was written */
    bool ended;   /* a round has ended */
    bool noted;   /* the user was told that counters are missing, wholly or in part */
    bool no_memory;
};

static const char *const words[] = {"auto", "edges", "results"};

const char *topk_feedback_word(enum topk_feedback_kind kind)
{
    return words[kind];
}

bool topk_feedback_parse(const char *word, enum topk_feedback_kind *kind)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0) {
            *kind = (enum topk_feedback_kind)i;
            return true;
        }
    }
    return false;
}

struct topk_feedback *topk_feedback_open(const struct topk_feedback_options *options)
{
    struct topk_feedback *feedback = calloc(1, sizeof *feedback);
    if (feedback == NULL) {
        return NULL;
    }
    feedback->options = *options;
    feedback->kind = options->kind;
    feedback->search = (struct topk_search){
        .seed = options->seed, .from = options->from, .limits = options->limits};
    feedback->behaviours = topk_counters_space(options->counters);
    if (!topk_novelty_make(&feedback->novelty, feedback->behaviours + TOPK_BEHAVIOURS)) {
        topk_feedback_close(feedback);
        return NULL;
    }
    return feedback;
}

void topk_feedback_close(struct topk_feedback *feedback)
{
    if (feedback == NULL) {
        return;
    }
    for (uint32_t i = 0; i < feedback->place_count; i++) {
        if (feedback->places[i].open) {
            topk_counters_close(&feedback->places[i].counters);
        }
    }
    for (uint32_t i = 0; i < TOPK_FEEDBACK_ROUND; i++) {
        topk_feature_list_free(&feedback->seen[i].edges);
        topk_feature_list_free(&feedback->seen[i].results);
    }
    free(feedback->places);
    topk_novelty_free(&feedback->novelty);
    topk_search_free(&feedback->search);
    free(feedback);
}

bool topk_feedback_first(struct topk_feedback *feedback, const unsigned char *bytes, size_t length)
{
    return topk_search_first(&feedback->search, bytes, length);
}

bool topk_feedback_draw(struct topk_feedback *feedback, uint64_t position, struct topk_case *tc)
{
    return topk_search_draw(&feedback->search, position, tc);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void note(struct topk_feedback *feedback, const char *why)
{
    char text[512];
    if (feedback->options.note != NULL && !feedback->noted && why[0] != 0) {
        snprintf(text, sizeof text, "feedback from %s: %s",
                 feedback->kind == TOPK_FEEDBACK_RESULTS ? "results" : "backends/edges alone", why);
        feedback->options.note(feedback->options.context, text);
        feedback->noted = true;
    }
}

/* Makes room for the places up to this one. */
static bool reserve_place(struct topk_feedback *feedback, uint32_t place)
{
    if (place < feedback->place_count) {
        return true;
    }
    struct place *grown = realloc(feedback->places, (place + 1) * sizeof *grown);
    if (grown == NULL) {
        feedback->no_memory = true;
        return false;
    }
    memset(grown + feedback->place_count, 0, (place + 1 - feedback->place_count) * sizeof *grown);
    feedback->places = grown;
    feedback->place_count = place + 1;
    return true;
}

char *const *topk_feedback_variables(struct topk_feedback *feedback, uint32_t place,
                                     uint64_t worker)
{
    static char *const none[] = {NULL};
    char error[256] = "";
    if (feedback->options.kind == TOPK_FEEDBACK_RESULTS || !reserve_place(feedback, place)) {
        return none;
    }
    struct place *at = &feedback->places[place];
    at->worker = worker;
    if (!at->open) {
        at->open =
            topk_counters_open(&at->counters, feedback->options.counters, error, sizeof error);
        if (!at->open) {
            topk_counters_close(&at->counters);
            feedback->kind = TOPK_FEEDBACK_RESULTS;
        }
        note(feedback, error);
    } else if (!topk_counters_renew(&at->counters)) {
        feedback->no_memory = true;
    }
    return at->open ? at->counters.variables : none;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* Returns what a case showed; NULL if it is not in the round. */
static struct seen *seen_of(struct topk_feedback *feedback, uint64_t position)
{
    const uint64_t at = position - feedback->round;
    return at < TOPK_FEEDBACK_ROUND ? &feedback->seen[at] : NULL;
}

uint64_t topk_feedback_begin(struct topk_feedback *feedback, uint64_t position)
{
    feedback->round = position;
    for (uint32_t i = 0; i < TOPK_FEEDBACK_ROUND; i++) {
        struct seen *seen = &feedback->seen[i];
        seen->place = UINT32_MAX;
        seen->done = false;
        seen->slow = false;
        seen->number_count = 0;
        seen->edges.count = 0;
        seen->results.count = 0;
    }
    return position + TOPK_FEEDBACK_ROUND;
}

void topk_feedback_sent(struct topk_feedback *feedback, uint64_t position, uint64_t worker)
{
    struct seen *seen = seen_of(feedback, position);
    for (uint32_t i = 0; seen != NULL && i < feedback->place_count; i++) {
        struct place *place = &feedback->places[i];
        if (place->open && place->worker == worker) {
            topk_counters_clear(&place->counters);
            seen->place = i;
        }
    }
}

/* Takes the constants that were not noted before. */
static void see_numbers(const struct topk_feedback *feedback, struct seen *seen,
                        const uint64_t numbers[TOPK_COUNTERS_NUMBERS])
{
    for (uint32_t i = 0; i < TOPK_COUNTERS_NUMBERS && seen->number_count < NUMBERS; i++) {
        if (topk_search_wants(&feedback->search, numbers[i])) {
            seen->numbers[seen->number_count++] = (uint32_t)numbers[i];
        }
    }
}

static void see_edges(struct topk_feedback *feedback, struct seen *seen)
{
    uint64_t numbers[TOPK_COUNTERS_NUMBERS];
    if (feedback->kind == TOPK_FEEDBACK_RESULTS || seen->place >= feedback->place_count) {
        return;
    }
    if (!topk_counters_read(&feedback->places[seen->place].counters, &feedback->novelty,
                            &seen->edges, numbers, &feedback->counted)) {
        feedback->no_memory = true;
    }
    see_numbers(feedback, seen, numbers);
}

static void see_results(struct topk_feedback *feedback, uint64_t position, struct seen *seen,
                        const struct topk_result *result)
{
    struct topk_case tc;
    if (feedback->kind == TOPK_FEEDBACK_EDGES) {
        return;
    }
    if (!topk_feedback_draw(feedback, position, &tc)) {
        feedback->no_memory = true;
        return;
    }
    if (!topk_behaviour_add(&tc, result, &feedback->novelty, feedback->behaviours,
                            &seen->results)) {
        feedback->no_memory = true;
    }
    seen->nanoseconds = result->nanoseconds;
    seen->slow = topk_behaviour_slow(&tc, result->nanoseconds, &seen->slowness) &&
                 topk_novelty_new(&feedback->novelty, feedback->behaviours + seen->slowness);
    topk_case_clear(&tc);
}

void topk_feedback_result(struct topk_feedback *feedback, uint64_t position,
                          const struct topk_result *result)
{
    struct seen *seen = seen_of(feedback, position);
    if (seen == NULL) {
        return;
    }
    seen->done = !topk_verdict_failure(result->verdict);
    if (seen->done) {
        see_edges(feedback, seen);
        see_results(feedback, position, seen, result);
    }
}

uint32_t topk_feedback_slow(const struct topk_feedback *feedback,
                            uint64_t positions[TOPK_FEEDBACK_ROUND])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < TOPK_FEEDBACK_ROUND; i++) {
        if (feedback->seen[i].slow) {
            positions[count++] = feedback->round + i;
        }
    }
    return count;
}

void topk_feedback_time(struct topk_feedback *feedback, uint64_t position, uint64_t nanoseconds)
{
    struct topk_case tc;
    struct seen *seen = seen_of(feedback, position);
    if (seen == NULL || nanoseconds >= seen->nanoseconds) {
        return;
    }
    if (!topk_feedback_draw(feedback, position, &tc)) {
        feedback->no_memory = true;
        return;
    }
    seen->nanoseconds = nanoseconds;
    seen->slow = topk_behaviour_slow(&tc, nanoseconds, &seen->slowness);
    topk_case_clear(&tc);
}

/* Returns whether a case has a feature that no kept case has, and notes all its features. */
static bool is_new(struct topk_feedback *feedback, const struct seen *seen)
{
    const struct topk_feature_list *features =
        feedback->kind == TOPK_FEEDBACK_EDGES ? &seen->edges : &seen->results;
    bool any = false;
    for (size_t i = 0; i < features->count; i++) {
        any |= topk_novelty_new(&feedback->novelty, features->list[i]);
        topk_novelty_note(&feedback->novelty, features->list[i]);
    }
    const uint32_t slowness = feedback->behaviours + seen->slowness;
    if (feedback->kind == TOPK_FEEDBACK_RESULTS && seen->slow) {
        any |= topk_novelty_new(&feedback->novelty, slowness);
        topk_novelty_note(&feedback->novelty, slowness);
    }
    return any;
}

static void note_numbers(struct topk_feedback *feedback, const struct seen *seen)
{
    for (uint32_t i = 0; i < seen->number_count; i++) {
        if (topk_search_wants(&feedback->search, seen->numbers[i])) {
            topk_search_note(&feedback->search, seen->numbers[i],
                             feedback->round + TOPK_FEEDBACK_ROUND);
        }
    }
}

static void keep(struct topk_feedback *feedback, uint64_t position)
{
    struct topk_search *search = &feedback->search;
    if (!topk_search_keep(search, position, feedback->round + TOPK_FEEDBACK_ROUND)) {
        feedback->no_memory = true;
    } else if (feedback->options.kept != NULL) {
        const struct topk_kept *kept = &search->kept.list[search->kept.count - 1];
        feedback->options.kept(feedback->options.context, kept->bytes, kept->length);
    }
}

bool topk_feedback_end(struct topk_feedback *feedback)
{
    if (feedback->kind == TOPK_FEEDBACK_AUTO) {
        feedback->kind = feedback->counted ? TOPK_FEEDBACK_EDGES : TOPK_FEEDBACK_RESULTS;
    }
    for (uint32_t i = 0; i < TOPK_FEEDBACK_ROUND && !feedback->no_memory; i++) {
        const struct seen *seen = &feedback->seen[i];
        if (!seen->done) {
            continue;
        }
        note_numbers(feedback, seen);
        if (is_new(feedback, seen)) {
            keep(feedback, feedback->round + i);
        }
    }
    feedback->ended = true;
    return !feedback->no_memory;
}

struct topk_feedback_state topk_feedback_state(const struct topk_feedback *feedback)
{
    return (struct topk_feedback_state){
        .kind = feedback->kind,
        .kept = feedback->search.kept.count,
        .features = feedback->novelty.count,
    };
}

bool topk_feedback_silent(const struct topk_feedback *feedback)
{
    return feedback->options.kind == TOPK_FEEDBACK_EDGES && feedback->ended && !feedback->counted;
}
