/* The parts of the HTML page. Within html*.c only. Whatever comes from a log passes through
 * topk_html_text or topk_html_json. */
#ifndef TOPK_HTML_PART_H
#define TOPK_HTML_PART_H

#include <stdio.h>

#include "summary.h"

/* Writes text as HTML text or as an attribute's value in quotes. Characters that turn the direction
 * of writing, which could make a text look like another, and control characters are written as
 * \uNNNN; bytes that are no UTF-8 as \xNN. */
void topk_html_text(FILE *out, const char *text);
/* The same, cut behind `most` bytes, at the start of a character, with the length said. */
void topk_html_cut(FILE *out, const char *text, size_t most);
/* Writes text as a JSON string that can stand in a script element. */
void topk_html_json(FILE *out, const char *text);
/* Writes a number with a space between thousands that does not break. */
void topk_html_number(FILE *out, uint64_t number);
/* Writes a verdict as a badge. */
void topk_html_verdict(FILE *out, enum topk_verdict verdict);
/* Writes a time of nanoseconds, "2.5 us", as plain text. */
void topk_html_time(FILE *out, double nanoseconds);

/* Writes a page of page/: {{policy}}, {{style}} and {{script}} are filled here, what other names
 * mean is section's to write. scripts: NULL behind the last. False if libsodium cannot be used. */
bool topk_html_page(FILE *out, const char *page, const char *const *scripts,
                    void (*section)(FILE *out, const void *context, const char *name,
                                    size_t length),
                    const void *context);

/* Writes the command that runs a case again, or where it is found if it is too long. */
void topk_html_replay(FILE *out, const char *replay, const char *id);

/* Most bytes of a case that are shown; of a longer one the log has all. */
#define TOPK_HTML_CASE 2000

/* Groups that are shown one by one; of the others the cases are found all the same. */
#define TOPK_HTML_GROUPS 150

void topk_html_failures(FILE *out, const struct topk_summary *summary);
void topk_html_clauses(FILE *out, const struct topk_summary *summary);
void topk_html_maps(FILE *out, const struct topk_summary *summary);
void topk_html_times(FILE *out, const struct topk_summary *summary);
void topk_html_observations(FILE *out, const struct topk_summary *summary);
void topk_html_probes(FILE *out, const struct topk_summary *summary);
void topk_html_data(FILE *out, const struct topk_summary *summary);
void topk_html_rows(FILE *out, const struct topk_summary *summary);
void topk_html_texts(FILE *out, const struct topk_summary *summary);
void topk_html_texts_note(FILE *out, const struct topk_summary *summary);

#endif
