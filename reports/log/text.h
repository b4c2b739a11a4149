/* Texts in reports: bits in hex, and foreign strings made safe for JSON, XML and the shell. The
 * caller frees returned strings; NULL means that memory is short. */
#ifndef TOPK_TEXT_H
#define TOPK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Size of the text of topk_text_bits, with the terminator. */
#define TOPK_TEXT_BITS 17

/* Writes bits in hex, with as many digits as an element of the type has; 16 if it is unknown. */
void topk_text_bits(uint32_t type, uint64_t bits, char text[TOPK_TEXT_BITS]);

/* Returns the size of the UTF-8 character at `text`, 0 if there is none; *character is set to its
 * code point. Never reads beyond the terminator, which is no continuation byte. */
size_t topk_text_character(const unsigned char *text, uint32_t *character);

/* Whether a character is invisible or affects how others are shown: control and format characters,
 * such as those that change the direction of writing, line separators, characters without width.
 * None of them is written to a terminal or a report unchanged. */
bool topk_text_hidden(uint32_t character);

/* A copy in UTF-8: each invalid byte becomes the four characters \xNN. */
char *topk_text_utf8(const char *text);

/* The same, and the bytes of hidden characters except tabs, line feeds and carriage returns become
 * \xNN, too: the result is valid in XML 1.0. */
char *topk_text_xml(const char *text);

/* The form of foreign text that is safe in a line, a terminal and a rule of expectations: each byte
 * that is not UTF-8, or belongs to a hidden character, becomes \xNN. Applying it twice changes
 * nothing more. */

/* Size of the text of topk_text_piece, with the terminator. */
#define TOPK_TEXT_PIECE 17
/* Writes the first character of a nonempty text in that form. Returns the rest of the text. */
const char *topk_text_piece(const char *text, char piece[TOPK_TEXT_PIECE]);
/* The same in the form of topk_text_xml(). */
const char *topk_text_xml_piece(const char *text, char piece[TOPK_TEXT_PIECE]);
/* Writes a text in that form, as many whole characters as fit. */
void topk_text_line(const char *text, char *line, size_t size);
/* Print a text in that form; the second keeps line feeds and tabs. */
void topk_text_print(FILE *out, const char *text);
void topk_text_print_lines(FILE *out, const char *text);
/* Replaces each such character or byte by '?', in place, where there is no room for that form. */
void topk_text_tame(char *text);

/* Whether a path starts at the root of the system or of a drive. */
bool topk_path_is_absolute(const char *path);

/* A formatted text, as by printf. */
char *topk_text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy that a shell reads as one word: in POSIX quotes; a text with hidden characters, which
 * become \xNN, in $'...' of bash and of POSIX since 2024. On Windows: in double quotes. */
char *topk_text_shell(const char *text);
/* The same, always in POSIX quotes: for a shell that executes it, not for readers. */
char *topk_text_shell_exact(const char *text);

#endif
