/* Suggests names for a mistyped word. */
#ifndef TOPK_CLI_NEAR_H
#define TOPK_CLI_NEAR_H

#include <stddef.h>

/* The names, of those that were offered, that are most similar to a mistyped word. */
struct cli_near {
    const char *word;
    size_t length; /* of the word */
    struct {
        char name[64];
        unsigned distance;
    } best[3];
    unsigned count;
    char text[256]; /* returned by cli_near_text() */
};

/* Starts without names. The word, of `length` characters, must outlive *near. */
void cli_near_start(struct cli_near *near, const char *word, size_t length);
/* Takes a name if it is similar to the word, and one of the three most similar so far. */
void cli_near_offer(struct cli_near *near, const char *name);
/* Returns "; did you mean 'a' or 'b'?", or `otherwise` if no name is similar. */
const char *cli_near_text(struct cli_near *near, const char *otherwise);

#endif
