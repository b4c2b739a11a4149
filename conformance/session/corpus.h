/* A fuzzer's corpus, the byte strings that a target takes as inputs: an archive of corpus/fuzz/, or
 * a folder of an engine. Only commands and the replay drivers of fuzz/ include this. */
#ifndef TOPK_CLI_CORPUS_H
#define TOPK_CLI_CORPUS_H

#include "generate/generate.h"
#include "session.h"

struct cli_input {
    char *name; /* of its file */
    struct topk_piece piece;
};

/* All zero: no corpus. */
struct cli_corpus {
    /* What inputs mean, a line "topk-cts fuzz corpus of differential, version 1234abcd". Archives
     * have it in an entry `version', a folder DIR in a file DIR.version or not at all. */
    char version[128];
    struct cli_input *list; /* owned, and all in it; in the order of names */
    size_t count;
};

/* One without inputs. Those of a target that takes choices come to mean other cases when the
 * generator changes. */
void cli_corpus_begin(struct cli_corpus *corpus, const char *target, bool choices);

/* Appends the inputs of a folder or of an archive, if they mean the same. Returns CLI_CONFORMANT,
 * or what to exit with, after a message. */
int cli_corpus_read(const char *path, struct cli_corpus *corpus);

/* Appends an input that is a file. Returns the same. */
int cli_corpus_read_input(const char *path, struct cli_corpus *corpus);

/* Writes the inputs as an archive, which is the same whatever their order was; inputs that come
 * twice are written once. Returns the same. */
int cli_corpus_write(const char *path, struct cli_corpus *corpus);

/* Draws a case around the corpus: its members come first, in their order, then what the mutator
 * makes of one or two of them. The same seed and position make the same case. False if memory is
 * short; *tc is to be cleared. */
bool cli_corpus_draw(const struct cli_corpus *corpus, uint64_t seed, uint64_t position,
                     struct topk_case *tc);

void cli_corpus_free(struct cli_corpus *corpus);

#endif
