/* How cases that did not pass are put together by cause. Within summary*.c only. */
#ifndef TOPK_SUMMARY_GROUP_H
#define TOPK_SUMMARY_GROUP_H

#include "summary.h"

/* Counts a record under its cause, and keeps it if it is a better example than one that is there.
 * keys numbers the causes. *group gets the number of the group. False if memory is short. */
bool topk_summary_group(struct topk_summary *summary, struct topk_ids *keys,
                        const struct topk_log_record *record, const struct topk_case_look *look,
                        uint32_t *group);

/* Works out what was expected of the examples, and sorts the groups into `order`. False if memory
 * is short. */
bool topk_summary_groups_finish(struct topk_summary *summary);

void topk_summary_groups_free(struct topk_summary *summary);

#endif
