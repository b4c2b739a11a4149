/* The conclusions of an audit, for people and for programs. Both texts depend only on the log, so
 * that anyone can derive them from it. The caller frees returned strings; NULL means that memory is
 * short. */
#ifndef TOPK_STATEMENT_H
#define TOPK_STATEMENT_H

#include "audit.h"
#include "summary/summary.h"

/* The statement of conformance in plain words: per feature level and, with the summary of the same
 * log, per clause and sentence. Printable ASCII and line feeds, except UTF-8 in foreign texts.
 * summary: NULL leaves these parts out. */
char *topk_statement_text(const struct topk_audit *audit, const struct topk_summary *summary);

/* Writes the result of each clause and sentence. In statement_trace.c. */
void topk_statement_trace(FILE *out, const struct topk_summary *summary);

/* The same facts as JSON: what was tested, the suite and the profile, totals per feature level, and
 * the fingerprint, which contains observations and probes. */
char *topk_statement_json(const struct topk_audit *audit);

#endif
