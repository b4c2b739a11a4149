/* The lists of words in documents, from the same tables that the writers use. */
#ifndef TOPK_SCHEMA_WORDS_H
#define TOPK_SCHEMA_WORDS_H

/* A list: its words are word(0), word(1), ... below count. Words may repeat; empty ones are
 * ignored. */
struct topk_words {
    const char *name; /* as in the types of members: "verdict" */
    int count;
    const char *(*word)(int number);
};

/* Returns the list with a name; NULL if there is none. */
const struct topk_words *topk_words_find(const char *name);

#endif
