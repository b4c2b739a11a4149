/* Turns byte strings into cases: the inputs of a fuzzer, and the files of its corpus. Every byte
 * string is a case; a short one is a small case.
 *
 * A string that starts with the text of a case, up to the end of the string or of the line, is that
 * case. In this way the cases of corpus/ become seeds. Any other string supplies the generator's
 * choices. In both forms, a case that is run stays within topk_decode_limits and makes few calls.
 */
#ifndef TOPK_DECODE_H
#define TOPK_DECODE_H

#include "generate.h"

extern const struct topk_limits topk_decode_limits;

/* Longest byte string in which every byte can matter. */
#define TOPK_DECODE_BYTES 4096u

/* Makes *tc from a byte string; clear it. Returns false if memory is short. */
bool topk_case_decode(const unsigned char *bytes, size_t length, struct topk_case *tc);

/* The same for a string that is no text of a case: from choices alone. */
bool topk_case_decode_choices(struct topk_choice *choice, struct topk_case *tc);

/* Draws a case from these choices and drops it: the mutator needs only the trace. */
void topk_decode_draw(struct topk_choice *choice);

/* Whether a byte string looks like the text of a case, well-formed or malformed. */
bool topk_decode_like_text(const unsigned char *bytes, size_t length);

/* The version of a corpus: a number that changes when byte strings get other meanings. */
uint32_t topk_decode_version(void);

#endif
