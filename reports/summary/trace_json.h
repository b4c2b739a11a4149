/* Parts of a report's JSON: clauses, and the sentences from which they follow. Private to this
 * folder. */
#ifndef TOPK_TRACE_JSON_H
#define TOPK_TRACE_JSON_H

#include "summary.h"

/* The observations for a clause, or all if that is NONE. */
json_t *topk_observations_json(const struct topk_summary *summary, enum topk_clause clause);

/* Lists; NULL if memory is short. */
json_t *topk_clauses_json(const struct topk_summary *summary);
json_t *topk_sentences_json(const struct topk_summary *summary);
json_t *topk_documents_json(void);

#endif
