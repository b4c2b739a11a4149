/* What an audit says, for people and for programs. Both texts are functions of the log alone, so
 * that whoever has the log makes the same ones. Strings that are returned are the caller's to free;
 * NULL says that memory is short. */
#ifndef TOPK_STATEMENT_H
#define TOPK_STATEMENT_H

#include "audit.h"
#include "summary/summary.h"

/* The statement of conformance in plain words: per feature level and, with the summary of the same
 * log, per clause and sentence. Printable ASCII and line feeds, but for bytes of UTF-8. summary:
 * NULL leaves these out. */
char *topk_statement_text(const struct topk_audit *audit, const struct topk_summary *summary);

/* What each clause and sentence came to. statement_trace.c */
void topk_statement_trace(FILE *out, const struct topk_summary *summary);

/* The same facts as JSON: who answered, of what suite and profile, totals per feature level, and
 * the fingerprint, which is what was observed and probed. */
char *topk_statement_json(const struct topk_audit *audit);

#endif
