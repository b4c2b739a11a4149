/* Groups the cases that did not pass by cause. Private to summary*.c. */
#ifndef TOPK_SUMMARY_GROUP_H
#define TOPK_SUMMARY_GROUP_H

#include "summary.h"

/* Copies a record. Returns false if memory is short; free the example in any case. */
bool topk_example_fill(struct topk_example *example, const struct topk_log_record *record,
                       uint64_t elements);
void topk_example_free(struct topk_example *example);
/* Computes the expected outputs of an example. */
void topk_example_expect(struct topk_example *example, const struct topk_summary *summary);

/* Stores a shrunk case; returns false if memory is short. When the rows are sorted, adds each to
 * the groups of the cases that shrank to it. In summary_shrunk.c. */
bool topk_summary_shrunk_add(struct topk_summary *summary, const struct topk_log_shrunk *shrunk);
void topk_summary_shrunk_finish(struct topk_summary *summary);
void topk_summary_shrunk_free(struct topk_summary *summary);

/* Counts a record in the group of its cause, and stores it if it is a better example than another.
 * keys: numbers of the causes. *group is set to the index of the group. Returns false if memory is
 * short. */
bool topk_summary_group(struct topk_summary *summary, struct topk_ids *keys,
                        const struct topk_log_record *record, const struct topk_case_look *look,
                        uint32_t *group);

/* Computes the expected outputs of the examples, and sorts the groups into `order`. Returns false
 * if memory is short. */
bool topk_summary_groups_finish(struct topk_summary *summary);

void topk_summary_groups_free(struct topk_summary *summary);

#endif
