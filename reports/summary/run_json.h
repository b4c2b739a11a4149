/* A run as JSON, and what a comparison of runs says of each in the same words. */
#ifndef TOPK_RUN_JSON_H
#define TOPK_RUN_JSON_H

#include <stdio.h>

#include "log/log.h"
#include "run.h"
#include "tested.h"

struct topk_summary;

/* The format of the object below: reports/schema/report.def has its members. */
#define TOPK_REPORT_FORMAT 1
/* The object of topk-cts report --format json; NULL if memory is short. */
json_t *topk_report_json(const struct topk_summary *summary);

/* Prints it. False if memory is short; whether it could be written the stream tells. */
bool topk_json_write(FILE *out, const struct topk_summary *summary);

/* Puts the facts by name, and "started". */
void topk_object_facts(struct topk_object *object, char *const facts[TOPK_FACT_COUNT],
                       const char *started);

/* How processes ended: the numbers by kind, and in words those that no case accounts for. */
json_t *topk_processes_json(const struct topk_tested *tested);
/* Puts "replay": the command that runs a case again, of which replay is the start. Not of a case of
 * more than 2000 bytes: that is a job for `topk-cts replay` and a file. */
void topk_object_replay(struct topk_object *object, const char *replay, const char *id);

/* The share of the valid calls that was served; NULL if memory is short. */
json_t *topk_share_json(const struct topk_share *share);

/* Prints an object, which is taken over. False if it is NULL; a failed write the stream tells. */
bool topk_json_print(FILE *out, json_t *json);

#endif
