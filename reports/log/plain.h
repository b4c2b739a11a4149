/* Reads and writes the most common records, which only say that a case passed and what was
 * observed, without a JSON library. docs/benchmarks.md says what reading them so saves. */
#ifndef TOPK_PLAIN_H
#define TOPK_PLAIN_H

#include "line.h"
#include "log.h"

/* Whether a line with a verified chain is such a record, byte for byte as topk_log_case() writes
 * it. If so, fills *record, with an id that points into the line, where it is terminated. Otherwise
 * changes nothing, and the line needs a JSON parser. */
bool topk_plain_case(const struct topk_lines *lines, struct topk_log_record *record);

/* Writes the record of a case, without its closing brace, as topk_record_case() makes it. Returns
 * its length, or 0 if the result says more than such a record has, the id has characters that JSON
 * escapes, or `room` is too small. */
size_t topk_plain_print(char *text, size_t room, uint64_t number, const char *id,
                        const struct topk_result *result);

#endif
