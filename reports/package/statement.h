/* What an audit says, for people and for programs. Both texts are functions of the audit alone, so
 * that whoever has the log makes the same ones. Strings that are returned are the caller's to free;
 * NULL says that memory is short. */
#ifndef TOPK_STATEMENT_H
#define TOPK_STATEMENT_H

#include "audit.h"

/* The statement of conformance, per feature level, in plain words. Printable ASCII and line feeds,
 * but for bytes of UTF-8. */
char *topk_statement_text(const struct topk_audit *audit);

/* The same facts as JSON: who answered, of what suite and profile, totals per feature level, and
 * the fingerprint, which is what was observed and probed. */
char *topk_statement_json(const struct topk_audit *audit);

#endif
