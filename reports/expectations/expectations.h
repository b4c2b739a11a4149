/* Expectations: a text file of rules, each of which says which cases are known to fail on which
 * backend, and who looks after that. The cases still run. A line is a rule, empty, or a comment
 * that begins with '#'; a rule is words KEY=VALUE in any order, VALUE in double quotes if it has
 * spaces
 * ('"' and '\' in it then have a '\' before them):
 *
 *   verdict=fail select="ties.boundary:" backend=mine version=1.0..1.4 driver="Mesa 22.3..25.0"
 *   owner="J. Doe" reason="ties are broken by the last index" link=https://... expires=2026-12-31
 *
 * (one line). select is a prefix or glob of ids, as everywhere, or a whole id, which has a space
 * and means that case alone. backend="" is one that gives itself no name; what a backend says of
 * itself is meant in the form of topk_text_line (text.h). version and driver may be left out, and
 * link. version is a version, a range or one with an open end (1.4, 1.0..1.4, ..1.4): a bound
 * counts as far as it goes, so 1.4.9 is within 1.0..1.4. driver is a text that has to be in the
 * driver's name; if its last word has
 * "..", that is the range of the version behind the text. */
#ifndef TOPK_EXPECTATIONS_H
#define TOPK_EXPECTATIONS_H

#include "reference/result.h"

#define TOPK_EXPECTATIONS_MOST ((size_t)1 << 24) /* bytes of a file */

/* The keys: KEY(name, needed) */
#define TOPK_EXPECTATION_LIST(KEY)                                                                 \
    KEY(verdict, true)                                                                             \
    KEY(select, true)                                                                              \
    KEY(backend, true)                                                                             \
    KEY(version, false)                                                                            \
    KEY(driver, false)                                                                             \
    KEY(owner, true)                                                                               \
    KEY(reason, true)                                                                              \
    KEY(link, false)                                                                               \
    KEY(expires, true)

struct topk_expectation {
#define KEY(name, needed) char *name; /* owned; "" if it was left out */
    TOPK_EXPECTATION_LIST(KEY)
#undef KEY
    uint32_t line;            /* of the file, 1.. */
    enum topk_verdict expect; /* what verdict says */
    /* Of a run: */
    bool applies;    /* it is for this backend, version and driver */
    bool expired;    /* before the run began */
    uint64_t cases;  /* that it selects */
    uint64_t failed; /* of them as it says, and are waived */
    uint64_t passed; /* of them */
};

struct topk_expectations {
    struct topk_expectation *rules; /* owned; count of them */
    size_t count;
};

/* Reads a file's text. False, with "path:line:column: reason" in error, if a line is bad.
 * *expectations is to be freed in any case. */
bool topk_expectations_parse(struct topk_expectations *expectations, const char *path,
                             const char *text, size_t size, char *error, size_t error_bytes);

/* Says who is under test, and when the run began (UTC, "2026-01-31T..."): which rules apply. */
void topk_expectations_start(struct topk_expectations *expectations, const char *backend,
                             const char *version, const char *driver, const char *started);

/* What a case that came to a verdict counts as: EXPECTED_FAIL if a rule that applies says this
 * verdict, UNEXPECTED_PASS if it passed and one says something else; *line is that of the rule.
 * Else the verdict itself, and *line is 0. Counts. */
enum topk_verdict topk_expectations_judge(struct topk_expectations *expectations, const char *id,
                                          enum topk_verdict verdict, uint32_t *line);

/* Whether a text such as "Mesa 25.0.7-2 (LLVM 15)" is meant by a rule's driver, and a version by a
 * rule's version. */
bool topk_expectation_driver_meant(const char *rule, const char *driver);
bool topk_expectation_version_meant(const char *rule, const char *version);

/* Whether it is a date, "2026-12-31". */
bool topk_expectation_date_valid(const char *text);

void topk_expectations_free(struct topk_expectations *expectations);

#endif
