/* The records of a result log as JSON, without the chain. log.h defines them. */
#ifndef TOPK_RECORD_H
#define TOPK_RECORD_H

#include <jansson.h>

#include "log.h"

/* Each makes an object, which the caller owns; NULL if memory is short. */
/* "contract" of a header. */
json_t *topk_contract_json(const struct topk_contract *contract);
json_t *topk_record_header(const struct topk_log_header *header);
json_t *topk_record_case(uint64_t number, const char *id, uint32_t type, uint32_t index_type,
                         const struct topk_result *result);
/* Adds the case's own verdict, and the rule that changed it, to its record, which is consumed. */
json_t *topk_record_waived(json_t *record, enum topk_verdict verdict, uint32_t line);

json_t *topk_record_shrunk(const uint64_t *of, size_t of_count, bool minimal, const char *id,
                           uint32_t type, uint32_t index_type, const struct topk_result *result);
/* {"signal":"SIGSEGV",...}, as in log.h */
json_t *topk_crash_json(const struct topk_crash *crash);
json_t *topk_record_process(const struct topk_log_process *process);
json_t *topk_record_again(const struct topk_log_again *again);
json_t *topk_record_fresh(const char *id, const struct topk_result *result);
/* {"runs":2,"failed":1} */
json_t *topk_log_runs_json(const struct topk_log_runs *runs);
json_t *topk_record_part(const struct topk_log_part *part);
/* The same without "record", and with the title of its role, for reports. */
json_t *topk_log_part_json(const struct topk_log_part *part);
json_t *topk_record_probe(const struct topk_probe *probe);
/* {"pass":5210,...}: number of cases by verdict */
json_t *topk_totals_json(const uint64_t totals[TOPK_VERDICT_COUNT]);
/* early: why the run ended early, or NULL */
json_t *topk_record_end(bool complete, const struct topk_early *early,
                        const uint64_t totals[TOPK_VERDICT_COUNT]);
/* {"by":"max-crashes","limit":3,"left":30663} */
json_t *topk_early_json(const struct topk_early *early);

#endif
