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
    /* What the inputs mean, as a line "topk-cts fuzz corpus of differential, version 1234abcd". An
     * archive has it in its entry `version'. A folder DIR has it in the file DIR.version, which may
     * be missing. */
    char version[128];
    struct cli_input *list; /* owned, with everything in it; cli_corpus_write() sorts it by name */
    size_t count;
};

/* Makes a corpus without inputs. choices: the inputs of the target are choices of the generator, so
 * they mean other cases when the generator changes. */
void cli_corpus_begin(struct cli_corpus *corpus, const char *target, bool choices);

/* Appends the inputs of a folder or of an archive, if its version is the same. Returns
 * CLI_CONFORMANT, or, after a message, the exit code. */
int cli_corpus_read(const char *path, struct cli_corpus *corpus);

/* Appends a file as one input. Returns the same. */
int cli_corpus_read_input(const char *path, struct cli_corpus *corpus);

/* Writes the inputs as an archive, which does not depend on their order. Duplicates are written
 * once. Returns the same. */
int cli_corpus_write(const char *path, struct cli_corpus *corpus);

/* Draws a case from the corpus: first come its inputs, in their order, then mutations of one or two
 * of them. The same seed and position make the same case. False if memory is short. The caller
 * clears *tc in any case. */
bool cli_corpus_draw(const struct cli_corpus *corpus, uint64_t seed, uint64_t position,
                     struct topk_case *tc);

void cli_corpus_free(struct cli_corpus *corpus);

#endif
