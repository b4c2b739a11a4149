/* Near names: what a mistyped word may have meant. */
#ifndef TOPK_CLI_NEAR_H
#define TOPK_CLI_NEAR_H

#include <stddef.h>

/* The nearest of the names that were offered to a word that is none of them. */
struct cli_near {
    const char *word;
    size_t length; /* of the word */
    struct {
        char name[64];
        unsigned distance;
    } best[3];
    unsigned count;
};

void cli_near_start(struct cli_near *near, const char *word, size_t length);
void cli_near_offer(struct cli_near *near, const char *name);
/* Writes "; did you mean 'a' or 'b'?", or nothing if no name is near. */
void cli_near_print(const struct cli_near *near, char *text, size_t size);
#define CLI_NEAR_TEXT 256

#endif
