/* JSON Schemas (draft 2020-12) of the JSON that topk-cts writes, for programs that read it. They
 * are derived from the tables types.def, log.def, report.def, compare.def, bench.def and
 * statement.def, and from the program's tables of words, so that a schema describes exactly what
 * this version can write.
 *
 * A document contains the number of its format; the schema of format N describes documents with
 * that format. Changes of what is written require a new format, and a reader rejects formats newer
 * than those it supports.
 */
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

/* SCHEMA(name, format, root, title): root is the type of the whole document */
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

/* Returns the schema with a name; NULL if there is none. */
const struct topk_schema *topk_schema_find(const char *name);

/* Returns a schema as a JSON object, which the caller owns; NULL if memory is short or the tables
 * are wrong, which tests exclude. */
json_t *topk_schema_json(const struct topk_schema *schema);

#endif
