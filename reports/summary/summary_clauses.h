/* What a record says about clauses. Private to summary*.c. */
#ifndef TOPK_SUMMARY_CLAUSES_H
#define TOPK_SUMMARY_CLAUSES_H

#include "summary.h"

/* Counts a record for the clauses that its case tests, and stores in the row, whose test is set,
 * which these are and which it broke. Returns false if memory is short. */
bool topk_summary_clauses(struct topk_summary *summary, const struct topk_log_record *record,
                          const struct topk_case_look *look, struct topk_summary_row *row);

#endif
