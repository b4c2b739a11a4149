/* The lists of words that documents have, each from the table of the program that the writers have
 * them from. */
#ifndef TOPK_SCHEMA_WORDS_H
#define TOPK_SCHEMA_WORDS_H

/* A list: its words are word(0), word(1), ... below count. A word may come twice; one that is empty
 * is none. */
struct topk_words {
    const char *name; /* as types of members name it: "verdict" */
    int count;
    const char *(*word)(int number);
};

/* The list of that name; NULL if there is none. */
const struct topk_words *topk_words_find(const char *name);

#endif
