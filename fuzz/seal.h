/* Makes result logs from inputs. The lines of a log are chained by a digest, which no fuzzer finds;
 * so an input has the lines without the chain, which is added here. A line that starts with '!' is
 * written unchanged, without the '!'; so is a last line without its end, which is truncated. */
#ifndef TOPK_FUZZ_SEAL_H
#define TOPK_FUZZ_SEAL_H

#include <stdbool.h>
#include <stddef.h>

/* Longest input. */
#define FUZZ_SEAL_INPUT 4096u

/* The log of an input of at most FUZZ_SEAL_INPUT bytes; *size gets its size. spaced: with a space
 * that JSON ignores in each line, so that none is plain. It stays until the next call. */
const char *fuzz_seal(const char *text, size_t length, bool spaced, size_t *size);

/* Hands on the words that readers of logs know. */
void fuzz_log_words(void (*word)(const char *word));

#endif
