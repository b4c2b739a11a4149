/* Expectations: a text file of rules. Each rule says which cases are known to fail with which
 * backend, how they fail, and who is responsible. The cases still run. A line is a rule, empty, or
 * a comment that starts with '#'. A rule consists of words KEY=VALUE in any order; a VALUE with
 * spaces is in double quotes, in which '"' and '\' are preceded by '\':
 *
 *   verdict=fail clause=S08 when="rank>=5 and type=f16|i8" backend=mine version=1.0..1.4
 *   driver="Mesa 22.3..25.0" owner="J. Doe" reason="ties are broken by the last index"
 *   link=https://... expires=2026-12-31
 *
 * (on one line). Which cases: select is a prefix or glob of ids, as everywhere, or a whole id,
 * which contains a space and selects that case alone; when is a condition (condition.h), whose
 * terms may also be separate words: rank>=5 type=f16|i8. A rule has at least one of the two.
 *
 * How they fail: verdict; and clause, cause, mismatch and crash, if the rule has them. clause,
 * cause and mismatch accept several words separated by '|'. All clauses that a case breaks must be
 * in clause (by its findings, or as a run reports it by its cause), and all its kinds of findings
 * in mismatch; at least one of the causes that explain it must be in cause. crash is a text that
 * the place of the crash contains.
 *
 * backend="" is a backend without a name; what a backend says about itself is compared in the form
 * of topk_text_line (text.h). version, driver and link are optional. version is a version or a
 * range, which may be open (1.4, 1.0..1.4, ..1.4); a bound is compared only to its own length, so
 * 1.4.9 is within 1.0..1.4. driver is a text that the driver's name must contain; if its last word
 * contains "..", that is a range for the version after the text.
 */
#ifndef TOPK_EXPECTATIONS_H
#define TOPK_EXPECTATIONS_H

#include "condition/condition.h"
#include "log/log.h"
#include "reference/result.h"

#define TOPK_EXPECTATIONS_MOST ((size_t)1 << 24) /* greatest size of a file */

/* The keys: KEY(name, needed) */
#define TOPK_EXPECTATION_LIST(KEY)                                                                 \
    KEY(verdict, true)                                                                             \
    KEY(clause, false)                                                                             \
    KEY(cause, false)                                                                              \
    KEY(mismatch, false)                                                                           \
    KEY(crash, false)                                                                              \
    KEY(select, false)                                                                             \
    KEY(when, false)                                                                               \
    KEY(backend, true)                                                                             \
    KEY(version, false)                                                                            \
    KEY(driver, false)                                                                             \
    KEY(owner, true)                                                                               \
    KEY(reason, true)                                                                              \
    KEY(link, false)                                                                               \
    KEY(expires, true)

_Static_assert(TOPK_MISMATCH_COUNT <= 64, "mismatches are a 64-bit mask");

/* The bit of `cause=none' in sets of causes. A topk_reading_set has no such bit. */
#define TOPK_CAUSE_NONE ((uint64_t)1 << TOPK_READING_NONE)

/* How a case ended, as far as rules depend on it. */
struct topk_ended {
    const char *id;
    enum topk_verdict verdict;
    uint32_t call;                  /* in a sequence, the call that failed; 0: the whole case */
    struct topk_clause_set clauses; /* that the case breaks, by its findings */
    /* bits 1 << reading: all that give every output; TOPK_CAUSE_NONE if none does */
    uint64_t causes;
    uint64_t mismatches;            /* bits 1 << mismatch */
    const struct topk_crash *crash; /* NULL: no crash, or nothing is known about it */
    struct topk_clause_set told;    /* the same as a run reports it: by the cause, if it is known */
};
/* Fill it from a result, and from a record of the log, with the same values. */
void topk_ended_of(const char *id, const struct topk_result *result, struct topk_ended *ended);
void topk_ended_read(const struct topk_log_record *record, struct topk_ended *ended);

/* Size of a description of a difference, with the terminator. */
#define TOPK_DIFFERS_TEXT 512

struct topk_expectation {
#define KEY(name, needed) char *name; /* owned; "" if it is missing */
    TOPK_EXPECTATION_LIST(KEY)
#undef KEY
    uint32_t line;            /* in the file, from 1 */
    enum topk_verdict expect; /* the rule's verdict */
    /* the parsed `when`, which contains the text of all terms; none: any case */
    struct topk_condition condition;
    struct topk_clause_set clauses; /* the rule's clauses; empty: any */
    /* the rule's causes and mismatches, as in struct topk_ended; 0: any */
    uint64_t causes, mismatches;
    /* The following depends on the run: */
    bool applies;      /* it is for this backend, version and driver */
    bool expired;      /* it expired before the run began */
    uint64_t cases;    /* cases that it is for */
    uint64_t failed;   /* of them, those that fail as it says, which are waived */
    uint64_t passed;   /* of them */
    uint64_t unserved; /* of them, those that are unsupported */
    uint64_t others;   /* of them, those that fail in another way, and that no rule waives */
    char *other;       /* owned: id of the first of these; NULL: none, or memory was short */
    char *differs;     /* owned: how it differs; NULL as for other */
};

struct topk_expectations {
    struct topk_expectation *rules; /* owned; count of them */
    size_t count;
};

/* Parses a file. Returns false, with "path:line:column: reason" in error, if a line is malformed.
 * Free *expectations in any case. */
bool topk_expectations_parse(struct topk_expectations *expectations, const char *path,
                             const char *text, size_t size, char *error, size_t error_bytes);

/* Sets what is under test, and when the run began (UTC, "2026-01-31T..."), which decides which
 * rules apply. */
void topk_expectations_start(struct topk_expectations *expectations, const char *backend,
                             const char *version, const char *driver, const char *started);

/* Decides what a case counts as, and counts it: EXPECTED_FAIL if it failed as an applicable rule
 * says; UNEXPECTED_PASS if it passed, and a rule without a condition is for it; *line is that of
 * the rule. Otherwise its verdict, with *line 0. *nearly is set to the nearest rule if the case
 * fails in another way than its rules say, else to NULL; nearly may be NULL. */
enum topk_verdict topk_expectations_judge(struct topk_expectations *expectations,
                                          const struct topk_ended *ended, uint32_t *line,
                                          const struct topk_expectation **nearly);

/* Returns that rule without counting, for any case; NULL if none is for it. */
const struct topk_expectation *
topk_expectations_nearest(const struct topk_expectations *expectations,
                          const struct topk_ended *ended);

/* Whether a failure differs from a rule that is for the case, and how: "it expects S08, and this
 * case breaks M01". */
bool topk_expectation_differs(const struct topk_expectation *rule, const struct topk_ended *ended,
                              char text[TOPK_DIFFERS_TEXT]);

/* Prints which cases fail, and how: "fail of ties. where rank>=5, clause S08". */
void topk_expectation_print(FILE *out, const struct topk_expectation *rule);

/* Whether a rule has a condition, and none of its cases fails as it says. Only a whole run shows
 * that such a rule is obsolete. */
bool topk_expectation_stale(const struct topk_expectation *rule);

/* How many of the applicable rules are expired. */
size_t topk_expectations_expired(const struct topk_expectations *expectations);

/* Whether a driver such as "Mesa 25.0.7-2 (LLVM 15)" matches a rule's driver, and a version a
 * rule's version. */
bool topk_expectation_driver_meant(const char *rule, const char *driver);
bool topk_expectation_version_meant(const char *rule, const char *version);

/* Whether a text is a date such as "2026-12-31". */
bool topk_expectation_date_valid(const char *text);

void topk_expectations_free(struct topk_expectations *expectations);

#endif
