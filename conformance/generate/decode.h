/* Cases from byte strings: what a fuzzer makes up, and what a file of its corpus holds. Every byte
 * string is a case; a short one is a small case.
 *
 * A string that starts with the text of a case, up to its end or a line end, is that case; this is
 * how the cases of corpus/ become seeds. Any other is the choices of the generator. Either way a
 * case that is to be run stays within topk_decode_limits, and takes few calls. */
#ifndef TOPK_DECODE_H
#define TOPK_DECODE_H

#include "generate.h"

extern const struct topk_limits topk_decode_limits;

/* Longest byte string of which every byte can count. */
#define TOPK_DECODE_BYTES 4096u

/* Makes *tc, which is to be cleared, from a byte string. False if memory is short. */
bool topk_case_decode(const unsigned char *bytes, size_t length, struct topk_case *tc);

/* The same for a string that is no text: choices alone. */
bool topk_case_decode_choices(struct topk_choice *choice, struct topk_case *tc);

/* What these choices draw, made and dropped: for the mutator. */
void topk_decode_draw(struct topk_choice *choice);

/* Whether a byte string is meant as the text of a case, malformed or not. */
bool topk_decode_like_text(const unsigned char *bytes, size_t length);

/* A number that is another one if byte strings mean other cases: the version of a corpus. */
uint32_t topk_decode_version(void);

#endif
