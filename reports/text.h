/* Texts that the reports share: bits as hex, and strings from outside made fit for JSON, XML and
 * the shell. Strings that are returned are the caller's to free; NULL says that memory is short. */
#ifndef TOPK_TEXT_H
#define TOPK_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Room for topk_text_bits, with the terminator. */
#define TOPK_TEXT_BITS 17

/* Writes bits in hex, as many digits as an element of the type has, 16 if that is unknown. */
void topk_text_bits(uint32_t type, uint64_t bits, char text[TOPK_TEXT_BITS]);

/* The bytes of the UTF-8 character at `text`, 0 if there is none; *character gets its number. The
 * terminator is no continuation byte, so nothing behind it is read. */
size_t topk_text_character(const unsigned char *text, uint32_t *character);

/* A copy that is UTF-8: each byte that is not becomes the four characters \xNN. */
char *topk_text_utf8(const char *text);

/* The same, and characters that XML 1.0 cannot hold become \xNN too, byte by byte. */
char *topk_text_xml(const char *text);

/* Text that comes from a backend or a log, for a terminal, which must take nothing of it for a
 * command, nor a reader for another line: each control character, those of Latin-1 too, and each
 * byte that is not UTF-8 becomes '?'. In place; printed; and printed with its line feeds and tabs.
 */
void topk_text_tame(char *text);
void topk_text_print(FILE *out, const char *text);
void topk_text_print_lines(FILE *out, const char *text);

/* A copy that a POSIX shell reads as one word. */
char *topk_text_shell(const char *text);

/* The SHA-256 of bytes in hex; topk_chain_ready() comes before it. */
#define TOPK_SHA256_TEXT 65
void topk_sha256_print(const char *bytes, size_t size, char text[TOPK_SHA256_TEXT]);

#endif
