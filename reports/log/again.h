/* Failures that were run again when the run was done: alone, and after the cases that had run
 * before them. Their records come after those of the cases, so a log is searched for them first: a
 * reader then gets each case with its final verdict. */
#ifndef TOPK_AGAIN_H
#define TOPK_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* What running a failure again showed. AGAIN(NAME, word, phrase) */
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
/* TOPK_AGAIN_COUNT if there is none of that word. */
enum topk_again_kind topk_again_parse(const char *word);
/* "failed in some runs and passed in others" */
const char *topk_again_phrase(enum topk_again_kind kind);

/* How often something was run, and how often it failed. */
struct topk_log_runs {
    uint64_t runs, failed;
};

struct topk_log_again {
    uint64_t number; /* of the case */
    enum topk_again_kind kind;
    struct topk_log_runs alone;  /* in a process that had run nothing; at least one */
    struct topk_log_runs behind; /* in one that had run other cases before; runs may be 0 */
    uint64_t before;             /* how many cases those were */
    uint32_t rule;               /* line of the expectation that waives it as flaky; 0: none does */
};

/* What the numbers of runs show of a case that failed in its run. */
enum topk_again_kind topk_again_kind_of(const struct topk_log_again *again);

/* Room for the text, with the terminator. */
#define TOPK_AGAIN_TEXT 160
/* Writes "failed 0 of 2 times alone, 1 of 2 times behind the 64 cases before it". */
void topk_again_print(const struct topk_log_again *again, char text[TOPK_AGAIN_TEXT]);

/* Reads a record. NULL, or the name of a member that is missing or wrong. */
const char *topk_again_read(const json_t *json, struct topk_log_again *again);

/* Those of a log; by number once it was searched. */
struct topk_agains {
    struct topk_log_again *list; /* owned */
    size_t count;
};

/* Searches a log from where the file stands, and goes back there. What is malformed is left to the
 * reader. False if memory is short or the file cannot be read. */
bool topk_agains_search(struct topk_agains *agains, FILE *file);
/* That of a case, of which a run writes one at most; NULL: there is none. */
const struct topk_log_again *topk_agains_find(const struct topk_agains *agains, uint64_t number);
void topk_agains_free(struct topk_agains *agains);

#endif
