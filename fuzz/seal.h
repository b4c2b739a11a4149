/* Makes result logs from inputs. The lines of a log are chained by a digest, which a fuzzer cannot
 * find, so an input has lines without the chain, which is added here. A line that starts with '!'
 * is written unchanged, without the '!'; so is a last line without its end, which is truncated. */
#ifndef TOPK_FUZZ_SEAL_H
#define TOPK_FUZZ_SEAL_H

#include <stdbool.h>
#include <stddef.h>

/* Greatest length of an input. */
#define FUZZ_SEAL_INPUT 4096u

/* Returns the log for an input of at most FUZZ_SEAL_INPUT bytes, valid until the next call; *size
 * is set to its size. spaced: adds a space that JSON ignores to each line, so that the fast reader
 * of plain.h does not apply. */
const char *fuzz_seal(const char *text, size_t length, bool spaced, size_t *size);

/* Passes the words in the grammar of logs. */
void fuzz_log_words(void (*word)(const char *word));

#endif
