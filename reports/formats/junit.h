/* Writes a result log as JUnit XML for Jenkins and GitLab. */
#ifndef TOPK_JUNIT_H
#define TOPK_JUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct topk_case_lookup;
struct topk_log_source;

#define TOPK_JUNIT_NAME "junit.xml"

/* What a testcase represents; the first is the default. MODE(NAME, word) */
#define TOPK_JUNIT_LIST(MODE)                                                                      \
    /* a test of the profile */                                                                    \
    MODE(TESTS, "tests")                                                                           \
    /* the same, but for the first failing cases of a test: each has a testcase of its own */      \
    MODE(FAILURES, "failures")                                                                     \
    /* a case */                                                                                   \
    MODE(CASES, "cases")

enum topk_junit_mode {
#define MODE(name, word) TOPK_JUNIT_##name,
    TOPK_JUNIT_LIST(MODE)
#undef MODE
    TOPK_JUNIT_COUNT
};

/* Failing cases of a test with a testcase of their own in mode FAILURES. */
#define TOPK_JUNIT_OWN 20

/* "tests"; and the mode of a word, COUNT if there is none. */
const char *topk_junit_word(enum topk_junit_mode mode);
enum topk_junit_mode topk_junit_parse(const char *word);

/* Writes the log at log_path as JUnit XML to xml_path, one testsuite per group. Wrong results are
 * `failure`; crashes, timeouts, lost devices and harness errors `error`; unsupported cases and
 * expected failures `skipped` with the reason. The body has the findings and the replay command. A
 * testcase of several cases is an `error` or a `failure` if one of them is, and `skipped` if none
 * passed or one failed as expected. A run without an end record, or that is incomplete, gets a
 * testsuite "run" with an error; one that does not support what it must gets one with a failure.
 * Bytes that XML cannot contain are replaced. Returns false, with the reason in error, if the log
 * cannot be read or the file not be written; an older file then stays. */
bool topk_junit_write(const char *log_path, const char *xml_path, enum topk_junit_mode mode,
                      const struct topk_case_lookup *lookup, char *error, size_t error_bytes);

/* The same to a stream. Returns 0; 1 if the log is truncated, after writing what is there; -1 if
 * the log cannot be read or memory is short. For 1 and -1 the reason is in error. Write errors are
 * in the stream. */
int topk_junit_print(const struct topk_log_source *log, enum topk_junit_mode mode,
                     const struct topk_case_lookup *lookup, FILE *out, char *error,
                     size_t error_bytes);

#endif
