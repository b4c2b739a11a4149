/* The texts of the JUnit report about one or several cases. Private to junit*.c. */
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

/* Maps a verdict to JUnit. */
enum topk_junit_outcome topk_junit_outcome(enum topk_verdict verdict);

/* A line about a case, and everything in the log about it, with the command that replays it: replay
 * and the case. NULL if memory is short. The caller frees them. */
char *topk_junit_message(const struct topk_log_record *record);
char *topk_junit_body(const struct topk_log_record *record, const char *replay);

#endif
