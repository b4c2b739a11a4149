/* Runs and comparisons as JSON, and what both say of a run. */
#ifndef TOPK_RUN_JSON_H
#define TOPK_RUN_JSON_H

#include <stdio.h>

#include "object.h"
#include "run.h"

struct topk_summary;
struct topk_compare_report;

/* The objects of --format json; NULL if memory is short. */
json_t *topk_report_json(const struct topk_summary *summary);
json_t *topk_compare_json(const struct topk_compare_report *report);

/* Puts the facts by name, and "started". */
void topk_object_facts(struct topk_object *object, char *const facts[TOPK_FACT_COUNT],
                       const char *started);

/* Puts "totals": cases by verdict. */
void topk_object_totals(struct topk_object *object, const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Puts "replay": the command that runs a case again, of which replay is the start. Not of a case of
 * more than 2000 bytes: that is a job for `topk-cts replay` and a file. */
void topk_object_replay(struct topk_object *object, const char *replay, const char *id);

/* Prints an object, which is taken over. False if it is NULL; a failed write the stream tells. */
bool topk_json_print(FILE *out, json_t *json);

#endif
