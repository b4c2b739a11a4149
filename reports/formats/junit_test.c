/* Makes one testcase of a test of a profile: the results of its cases together. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "junit_test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many causes get a line, and how many of those also show a case. */
#define CAUSES_NAMED  5
#define CAUSES_SHOWN  3
#define MESSAGE_BYTES 500
#define BODY_BYTES    8000

/* ---- cases ----------------------------------------------------------------------------------- */

/* Cuts a text that is longer than `most' bytes, after a complete line if `lines` is set, and adds
 * that there is more. */
static char *shortened(char *text, size_t most, bool lines)
{
    if (text == NULL || strlen(text) <= most) {
        return text;
    }
    size_t end = most;
    while (end > 0 && (lines ? text[end - 1] != '\n' : ((unsigned char)text[end] & 0xc0) == 0x80)) {
        end--;
    }
    text[end] = 0;
    char *cut = topk_text_make("%s...%s", text, lines ? " the log has the rest\n" : "");
    free(text);
    return cut;
}

static char *message_of(const struct topk_log_record *record)
{
    return shortened(topk_junit_message(record), MESSAGE_BYTES, false);
}

/* Returns the cause of a failure, adding a new one if there is room. NULL if there is no room (*ok
 * is true) or memory ran out (*ok is false). */
static struct topk_junit_cause *cause_of(struct topk_junit_test *test,
                                         const struct topk_log_record *record, bool *ok)
{
    char *cause = topk_group_cause(record, NULL);
    *ok = cause != NULL;
    for (size_t i = 0; *ok && i < test->cause_count; i++) {
        struct topk_group *group = &test->causes[i].group;
        if (group->verdict == record->verdict && group->clause == record->clause &&
            strcmp(group->cause, cause) == 0) {
            free(cause);
            return &test->causes[i];
        }
    }
    if (!*ok || test->cause_count == TOPK_JUNIT_CAUSES) {
        free(cause);
        return NULL;
    }
    struct topk_junit_cause *added = &test->causes[test->cause_count++];
    added->group.verdict = record->verdict;
    added->group.clause = record->clause;
    added->group.cause = cause;
    added->group.first = record->number;
    return added;
}

static bool add_failure(struct topk_junit_test *test, const struct topk_log_record *record,
                        const struct topk_case_lookup *lookup, const char *replay)
{
    struct topk_case_look look;
    bool ok;
    lookup->look(record->id, &look);
    struct topk_junit_cause *cause = cause_of(test, record, &ok);
    if (cause == NULL) {
        test->others++;
        return ok;
    }
    const bool smaller = look.elements < cause->elements ||
                         (look.elements == cause->elements && record->number < cause->group.first);
    if (cause->group.count++ > 0 && !smaller) {
        return true;
    }
    cause->elements = look.elements;
    cause->group.first = record->number;
    free(cause->message);
    free(cause->body);
    cause->message = message_of(record);
    cause->body = shortened(topk_junit_body(record, replay), BODY_BYTES, true);
    return cause->message != NULL && cause->body != NULL;
}

bool topk_junit_test_add(struct topk_junit_test *test, const struct topk_log_record *record,
                         const struct topk_case_lookup *lookup, const char *replay)
{
    const uint64_t room = UINT64_MAX - test->nanoseconds;
    test->totals[record->verdict]++;
    test->nanoseconds += record->nanoseconds < room ? record->nanoseconds : room;
    if (topk_verdict_failure(record->verdict)) {
        return add_failure(test, record, lookup, replay);
    }
    if (test->skipped == NULL && topk_junit_outcome(record->verdict) == TOPK_JUNIT_SKIPPED) {
        test->skipped = message_of(record);
        return test->skipped != NULL;
    }
    return true;
}

void topk_junit_test_free(struct topk_junit_test *test)
{
    for (size_t i = 0; i < test->cause_count; i++) {
        free(test->causes[i].group.cause);
        free(test->causes[i].message);
        free(test->causes[i].body);
    }
    free(test->skipped);
}

/* ---- the result of a test
 * ---------------------------------------------------------------------- */

static uint64_t failures_of(const struct topk_junit_test *test)
{
    uint64_t failures = 0;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        failures += topk_verdict_failure((enum topk_verdict)i) ? test->totals[i] : 0;
    }
    return failures;
}

/* Returns the verdict of the testcase if not all cases passed. Errors take precedence over
 * failures, and expected failures over what was not supported. */
static enum topk_verdict verdict_of(const struct topk_junit_test *test)
{
    static const enum topk_junit_outcome order[] = {TOPK_JUNIT_ERROR, TOPK_JUNIT_FAILURE};
    for (size_t o = 0; o < sizeof order / sizeof order[0]; o++) {
        for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
            if (test->totals[i] > 0 && topk_junit_outcome((enum topk_verdict)i) == order[o]) {
                return (enum topk_verdict)i;
            }
        }
    }
    const bool passed =
        test->totals[TOPK_VERDICT_PASS] + test->totals[TOPK_VERDICT_UNEXPECTED_PASS] > 0;
    return test->totals[TOPK_VERDICT_EXPECTED_FAIL] > 0 ? TOPK_VERDICT_EXPECTED_FAIL
           : passed                                     ? TOPK_VERDICT_PASS
                                                        : TOPK_VERDICT_UNSUPPORTED;
}

enum topk_junit_outcome topk_junit_test_outcome(const struct topk_junit_test *test)
{
    return topk_junit_outcome(verdict_of(test));
}

const char *topk_junit_test_type(const struct topk_junit_test *test)
{
    return topk_verdict_word(verdict_of(test));
}

/* Sorts causes by their number of cases, largest first, then by the size of their case, smallest
 * first. */
static int by_weight(const void *a, const void *b)
{
    const struct topk_junit_cause *x = *(const struct topk_junit_cause *const *)a;
    const struct topk_junit_cause *y = *(const struct topk_junit_cause *const *)b;
    if (x->group.count != y->group.count) {
        return x->group.count > y->group.count ? -1 : 1;
    }
    if (x->elements != y->elements) {
        return x->elements < y->elements ? -1 : 1;
    }
    return x->group.first < y->group.first ? -1 : x->group.first > y->group.first;
}

static void sort_causes(const struct topk_junit_test *test,
                        const struct topk_junit_cause *sorted[TOPK_JUNIT_CAUSES])
{
    for (size_t i = 0; i < test->cause_count; i++) {
        sorted[i] = &test->causes[i];
    }
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): they are pointers */
    qsort(sorted, test->cause_count, sizeof sorted[0], by_weight);
}

/* "12 of 240 cases failed" */
static void print_counts(FILE *out, const struct topk_junit_test *test)
{
    const uint64_t failures = failures_of(test);
    const uint64_t cases = topk_totals_sum(test->totals);
    if (failures > 0) {
        fprintf(out, "%" PRIu64 " of %" PRIu64 " %scases failed", failures, cases,
                test->own > 0 ? "other " : "");
    } else if (test->totals[TOPK_VERDICT_EXPECTED_FAIL] > 0) {
        fprintf(out, "%" PRIu64 " of %" PRIu64 " cases failed as expected",
                test->totals[TOPK_VERDICT_EXPECTED_FAIL], cases);
    } else {
        fprintf(out, "none of %" PRIu64 " cases is supported", cases);
    }
}

static void print_message(FILE *out, const struct topk_junit_test *test)
{
    const struct topk_junit_cause *sorted[TOPK_JUNIT_CAUSES];
    sort_causes(test, sorted);
    print_counts(out, test);
    if (test->cause_count > 1) {
        fprintf(out, ", in %zu%s ways; most often", test->cause_count,
                test->others > 0 ? " or more" : "");
    }
    const char *first = test->cause_count > 0 ? sorted[0]->message : test->skipped;
    fprintf(out, "%s%s", first == NULL ? "" : ": ", first == NULL ? "" : first);
}

static void print_body(FILE *out, const struct topk_junit_test *test)
{
    const struct topk_junit_cause *sorted[TOPK_JUNIT_CAUSES];
    uint64_t rest = test->others;
    sort_causes(test, sorted);
    print_counts(out, test);
    topk_totals_print(out, ": ", test->totals, 0);
    fputc('\n', out);
    for (size_t i = 0; i < test->cause_count; i++) {
        if (i < CAUSES_NAMED) {
            topk_group_print(out, &sorted[i]->group);
            fputc('\n', out);
        } else {
            rest += sorted[i]->group.count;
        }
    }
    if (rest > 0) {
        fprintf(out, "and %" PRIu64 " cases for other reasons\n", rest);
    }
    for (size_t i = 0; i < test->cause_count && i < CAUSES_SHOWN; i++) {
        if (test->cause_count == 1) {
            fputs("\nthe smallest of these cases", out);
        } else {
            fputs("\nthe smallest case of: ", out);
            topk_group_print(out, &sorted[i]->group);
        }
        fprintf(out, "\n%s", sorted[i]->body);
    }
}

/* Returns the text that print() prints; NULL if memory ran out. */
static char *printed(const struct topk_junit_test *test,
                     void (*print)(FILE *out, const struct topk_junit_test *test))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    print(out, test);
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

char *topk_junit_test_message(const struct topk_junit_test *test)
{
    return printed(test, print_message);
}

char *topk_junit_test_body(const struct topk_junit_test *test)
{
    return printed(test, print_body);
}
