/* Most records say no more than that a case passed and what was observed. They are read without a
 * JSON parser: docs/benchmarks.md has what that saves. */
#ifndef TOPK_PLAIN_H
#define TOPK_PLAIN_H

#include "line.h"
#include "log.h"

/* Whether a line whose chain was verified is such a record, byte for byte as topk_log_case writes
 * it. Fills *record then, with an id that stands in the line, which is terminated there; else
 * leaves both as they are, and a JSON parser has to say what it is. */
bool topk_plain_case(const struct topk_lines *lines, struct topk_log_record *record);

#endif
