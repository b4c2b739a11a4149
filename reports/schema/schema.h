/* What topk-cts writes as JSON, as JSON Schema (draft 2020-12), for programs that read it: made
 * from the tables types.def, log.def, report.def, compare.def, bench.def and statement.def, and the
 * words in them from the tables of the program, so a schema has all that this version can write and
 * nothing else.
 *
 * A document says its format; the schema of format N is for documents of that format. What is
 * written is changed only with a new format, and a reader refuses what is newer than it knows. */
#ifndef TOPK_SCHEMA_H
#define TOPK_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/bench.h"
#include "compare/compare.h"
#include "log/log.h"
#include "package/package.h"
#include "summary/summary.h"

/* SCHEMA(name, format, root, title): root is the type of the whole, of the tables */
#define TOPK_SCHEMA_LIST(SCHEMA)                                                                   \
    SCHEMA("log", TOPK_LOG_FORMAT, "record", "A line of the log of topk-cts, results.jsonl")       \
    SCHEMA("report", TOPK_REPORT_FORMAT, "report", "What topk-cts report --format json writes")    \
    SCHEMA("compare", TOPK_COMPARE_FORMAT, "compare",                                              \
           "What topk-cts compare --format json writes")                                           \
    SCHEMA("bench", TOPK_BENCH_FORMAT, "bench", "What topk-cts bench --json writes")               \
    SCHEMA("statement", TOPK_PACKAGE_FORMAT, "statement", "package.json of a package of topk-cts")

struct topk_schema {
    const char *name; /* "log" */
    unsigned format;
    const char *root;
    const char *title;
};

extern const struct topk_schema topk_schemas[];
extern const size_t topk_schema_count;

/* The schema of that name; NULL if there is none. */
const struct topk_schema *topk_schema_find(const char *name);

/* The schema as a JSON object, the caller's; NULL if memory is short or the tables are wrong, which
 * a test would have noticed. */
json_t *topk_schema_json(const struct topk_schema *schema);

#endif
