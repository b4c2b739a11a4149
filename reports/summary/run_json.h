/* A run as JSON, and the parts that a comparison of runs has in the same form. */
#ifndef TOPK_RUN_JSON_H
#define TOPK_RUN_JSON_H

#include <stdio.h>

#include "log/log.h"
#include "run.h"
#include "tested.h"

struct topk_summary;

/* The format of the JSON object: reports/schema/report.def lists its members. */
#define TOPK_REPORT_FORMAT 1
/* The object of topk-cts report --format json; NULL if memory is short. */
json_t *topk_report_json(const struct topk_summary *summary);

/* Prints it. Returns false if memory is short; write errors are in the stream. */
bool topk_json_write(FILE *out, const struct topk_summary *summary);

/* Adds the facts by name, and "started". */
void topk_object_facts(struct topk_object *object, char *const facts[TOPK_FACT_COUNT],
                       const char *started);

/* How processes ended: numbers by kind, and in words those that no case explains. */
json_t *topk_processes_json(const struct topk_tested *tested);
/* Adds "replay": the command that replays a case; replay: its start. Leaves it out for a case of
 * more than 2000 bytes, which needs a file for `topk-cts replay'. */
void topk_object_replay(struct topk_object *object, const char *replay, const char *id);

/* The share of the valid calls that is supported; NULL if memory is short. */
json_t *topk_share_json(const struct topk_share *share);

/* Prints an object and consumes it. Returns false if it is NULL; write errors are in the stream. */
bool topk_json_print(FILE *out, json_t *json);

#endif
