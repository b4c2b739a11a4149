/* How cases that did not pass are put together by cause. Within summary*.c only. */
#ifndef TOPK_SUMMARY_GROUP_H
#define TOPK_SUMMARY_GROUP_H

#include "summary.h"

/* Copies what a record says. False if memory is short; to be freed in any case. */
bool topk_example_fill(struct topk_example *example, const struct topk_log_record *record,
                       uint64_t elements);
void topk_example_free(struct topk_example *example);
/* Works out what was expected of it. */
void topk_example_expect(struct topk_example *example, const struct topk_summary *summary);

/* Keeps a shrunk case; false if memory is short. When the rows are sorted, puts each to the groups
 * of the cases that shrank to it. summary_shrunk.c */
bool topk_summary_shrunk_add(struct topk_summary *summary, const struct topk_log_shrunk *shrunk);
void topk_summary_shrunk_finish(struct topk_summary *summary);
void topk_summary_shrunk_free(struct topk_summary *summary);

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
