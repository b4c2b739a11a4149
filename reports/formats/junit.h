/* JUnit XML from a result log, as Jenkins and GitLab read it. */
#ifndef TOPK_JUNIT_H
#define TOPK_JUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct topk_asks;
struct topk_log_source;

#define TOPK_JUNIT_NAME "junit.xml"

/* Writes the log at log_path as JUnit XML to xml_path: a testsuite a group, a testcase a case;
 * wrong results are `failure`, crashes, timeouts, lost devices and harness errors `error`,
 * unsupported and expected failures `skipped` with the reason; the body has the findings and the
 * replay command. A run without an end, or with one that is not complete, gets a testsuite "run"
 * with an error, one that does not serve what it has to one with a failure. Bytes that XML cannot
 * hold are replaced. False, with the reason in error, if the log cannot be read or the file not be
 * written: an older file then stays. */
bool topk_junit_write(const char *log_path, const char *xml_path, const struct topk_asks *asks,
                      char *error, size_t error_bytes);

/* The same to a stream. Returns 0; 1 if the log was cut: what stands before was written; -1 if the
 * log cannot be read or memory is short. Of 1 and -1 the reason is in error. Whether it could be
 * written the stream tells. */
int topk_junit_print(const struct topk_log_source *log, const struct topk_asks *asks, FILE *out,
                     char *error, size_t error_bytes);

#endif
