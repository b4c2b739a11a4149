/* Texts that the reports share: bits as hex, and strings from outside made fit for JSON, XML and
 * the shell. Strings that are returned are the caller's to free; NULL says that memory is short. */
#ifndef TOPK_TEXT_H
#define TOPK_TEXT_H

#include <stdbool.h>
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

/* Whether a character shows nothing, or changes how others are shown: controls, format characters
 * such as those that turn the direction of writing, line separators, what has no width. None of
 * them reaches a terminal or a report as it is. */
bool topk_text_hidden(uint32_t character);

/* A copy that is UTF-8: each byte that is not becomes the four characters \xNN. */
char *topk_text_utf8(const char *text);

/* The same, and hidden characters but tabs, line feeds and carriage returns become \xNN too, byte
 * by byte: what remains is text of XML 1.0, too. */
char *topk_text_xml(const char *text);

/* The one form of a text from anywhere that fits into a line, a terminal and a rule of
 * expectations: each byte that is not UTF-8 or is of a hidden character becomes \xNN. What has that
 * form already stays as it is. */

/* Room for topk_text_piece, with the terminator. */
#define TOPK_TEXT_PIECE 17
/* Writes the first character of a text, which is not empty, in that form. Returns what is behind.
 */
const char *topk_text_piece(const char *text, char piece[TOPK_TEXT_PIECE]);
/* Writes a text in that form, as far as its characters have room. */
void topk_text_line(const char *text, char *line, size_t size);
/* Prints it; and prints it with its line feeds and tabs. */
void topk_text_print(FILE *out, const char *text);
void topk_text_print_lines(FILE *out, const char *text);
/* Where there is no room for that form: each such character, or byte, becomes '?', in place. */
void topk_text_tame(char *text);

/* Whether a path starts at the root of the system, or of a drive. */
bool topk_path_is_absolute(const char *path);

/* A text as printf makes it. */
char *topk_text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy that a shell reads as one word: in the quotes of POSIX; a text with hidden characters,
 * which become \xNN, in those of bash and of POSIX from 2024 on, $'...'. On Windows: in double
 * quotes. */
char *topk_text_shell(const char *text);
/* The same in the quotes of POSIX whatever the text has: for a shell that runs it, not for people.
 */
char *topk_text_shell_exact(const char *text);

/* The SHA-256 of bytes in hex; topk_chain_ready() comes before it. */
#define TOPK_SHA256_TEXT 65
void topk_sha256_print(const char *bytes, size_t size, char text[TOPK_SHA256_TEXT]);

#endif
