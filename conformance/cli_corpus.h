/* A fuzzer's corpus: a folder of byte strings, each a case (decode.h). Nobody but commands includes
 * this. */
#ifndef TOPK_CLI_CORPUS_H
#define TOPK_CLI_CORPUS_H

#include "decode.h"
#include "session.h"

/* Zero is none. */
struct cli_corpus {
    struct topk_piece *list; /* owned, the bytes too; in the order of the files' names */
    size_t count;
};

/* Reads the files of a folder. If DIR.version is there, it has to be that of these cases. Returns
 * CLI_CONFORMANT, or what to exit with, after a message. */
int cli_corpus_read(const char *dir, struct cli_corpus *corpus);

/* Draws a case around the corpus: its members come first, in their order, then what the mutator
 * makes of one or two of them. The same seed and position make the same case. False if memory is
 * short; *test is to be cleared. */
bool cli_corpus_draw(const struct cli_corpus *corpus, uint64_t seed, uint64_t position,
                     struct topk_case *test);

void cli_corpus_free(struct cli_corpus *corpus);

#endif
