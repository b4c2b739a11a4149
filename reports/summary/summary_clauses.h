/* What a record says of clauses. Within summary*.c only. */
#ifndef TOPK_SUMMARY_CLAUSES_H
#define TOPK_SUMMARY_CLAUSES_H

#include "summary.h"

/* Counts a record for the clauses that its case tests, and notes in the row, whose test is known,
 * which these are and which it broke. False if memory is short. */
bool topk_summary_clauses(struct topk_summary *summary, const struct topk_log_record *record,
                          const struct topk_case_look *look, struct topk_summary_row *row);

#endif
