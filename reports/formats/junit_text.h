/* The text of the JUnit report about one case or several. Within junit*.c only. */
#ifndef TOPK_JUNIT_TEXT_H
#define TOPK_JUNIT_TEXT_H

#include "reference/result.h"

struct topk_log_record;

enum topk_junit_outcome {
    TOPK_JUNIT_PASSED,
    TOPK_JUNIT_FAILURE,
    TOPK_JUNIT_ERROR,
    TOPK_JUNIT_SKIPPED,
    TOPK_JUNIT_OUTCOMES
};

/* What a verdict is in JUnit. */
enum topk_junit_outcome topk_junit_outcome(enum topk_verdict verdict);

/* A line, and all that the log has on a case with the command that replays it: replay and the case.
 * NULL if memory is short. The caller frees it. */
char *topk_junit_message(const struct topk_log_record *record);
char *topk_junit_body(const struct topk_log_record *record, const char *replay);

#endif
