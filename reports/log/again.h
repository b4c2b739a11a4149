/* Failures that were run again at the end of the run: alone, and after the cases that had run
 * before them. Their records follow those of the cases, so a reader first searches the log for
 * them, and then delivers each case with its final verdict. */
#ifndef TOPK_AGAIN_H
#define TOPK_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* The result of running a failure again. AGAIN(NAME, word, phrase) */
#define TOPK_AGAIN_LIST(AGAIN)                                                                     \
    AGAIN(ALWAYS, "always", "failed each time")                                                    \
    AGAIN(BEHIND, "behind", "failed each time, but only after other cases")                        \
    AGAIN(FLAKY, "flaky", "failed in some runs and passed in others")

enum topk_again_kind {
#define AGAIN(name, word, phrase) TOPK_AGAIN_##name,
    TOPK_AGAIN_LIST(AGAIN)
#undef AGAIN
    TOPK_AGAIN_COUNT
};

/* "flaky" */
const char *topk_again_word(enum topk_again_kind kind);
/* Returns TOPK_AGAIN_COUNT if there is no such word. */
enum topk_again_kind topk_again_parse(const char *word);
/* "failed in some runs and passed in others" */
const char *topk_again_phrase(enum topk_again_kind kind);

/* How many times something was run, and failed. */
struct topk_log_runs {
    uint64_t runs, failed;
};

struct topk_log_again {
    uint64_t number; /* number of the case */
    enum topk_again_kind kind;
    struct topk_log_runs alone;  /* in a process that had run nothing else; at least one */
    struct topk_log_runs behind; /* in a process that had run other cases before; runs may be 0 */
    uint64_t before;             /* number of those cases */
    uint32_t rule;               /* line of the expectation that waives it as flaky; 0: none */
};

/* What these numbers show about a failed case. */
enum topk_again_kind topk_again_kind_of(const struct topk_log_again *again);

/* Size of the text, with the terminator. */
#define TOPK_AGAIN_TEXT 160
/* Writes "failed 0 of 2 times alone, 1 of 2 times behind the 64 cases before it". */
void topk_again_print(const struct topk_log_again *again, char text[TOPK_AGAIN_TEXT]);

/* Parses a record. Returns NULL, or the name of a member that is missing or wrong. */
const char *topk_again_read(const json_t *json, struct topk_log_again *again);

/* The records of a log, sorted by number. */
struct topk_agains {
    struct topk_log_again *list; /* owned */
    size_t count;
};

/* Searches a log from the current position, and returns to it. Malformed lines are ignored here.
 * Returns false if memory is short or the file cannot be read. */
bool topk_agains_search(struct topk_agains *agains, FILE *file);
/* The record of a case; a run writes at most one. NULL: none. */
const struct topk_log_again *topk_agains_find(const struct topk_agains *agains, uint64_t number);
void topk_agains_free(struct topk_agains *agains);

#endif
