/* Suggests names for a mistyped word. */
#ifndef TOPK_CLI_NEAR_H
#define TOPK_CLI_NEAR_H

#include <stddef.h>

/* Of the names that were offered, the one most like a word that is not among them. */
struct cli_near {
    const char *word;
    size_t length; /* of the word */
    struct {
        char name[64];
        unsigned distance;
    } best[3];
    unsigned count;
    char text[256]; /* of cli_near_text() */
};

void cli_near_start(struct cli_near *near, const char *word, size_t length);
void cli_near_offer(struct cli_near *near, const char *name);
/* "; did you mean 'a' or 'b'?", or what is to stand there if no name is near. */
const char *cli_near_text(struct cli_near *near, const char *otherwise);

#endif
