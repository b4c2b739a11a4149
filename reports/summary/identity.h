/* What was tested, in words: the parts of a run in reports and statements. */
#ifndef TOPK_SUMMARY_IDENTITY_H
#define TOPK_SUMMARY_IDENTITY_H

#include "log/log.h"

/* Size of the description of a part, with the terminator. */
#define TOPK_PART_WORDS 2048

/* Writes what is known about a part besides its name and path: "SHA-256 1f2e..., build id 3d4c...,
 * package libfoo1:amd64 1.2-3"; "not there" for NULL. */
void topk_part_words(const struct topk_log_part *part, char words[TOPK_PART_WORDS]);

/* Prints the parts by role, two lines for a file: its title and name; its digest and path, as
 * sha256sum writes them. If nothing is recorded, one line says so. */
void topk_identity_print(FILE *out, const struct topk_log_parts *parts);

/* Writes a line with what was tested, by the first digits of its SHA-256, and how many other parts
 * there are: "mine.so (SHA-256 1f2e3d4c5b6a), 1 program, 3 libraries"; "not recorded" if nothing
 * is. */
void topk_identity_brief(const struct topk_log_parts *parts, char *text, size_t size);

/* An array of the parts as in log.h, each with the title of its role; NULL if memory is short. */
json_t *topk_identity_json(const struct topk_log_parts *parts);

#endif
