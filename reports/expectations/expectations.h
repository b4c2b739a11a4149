/* Expectations: a text file of rules, each of which says which cases are known to fail on which
 * backend, how, and who looks after that. The cases still run. A line is a rule, empty, or a
 * comment that begins with '#'; a rule is words KEY=VALUE in any order, VALUE in double quotes if
 * it has spaces
 * ('"' and '\' in it then have a '\' before them):
 *
 *   verdict=fail clause=S08 when="rank>=5 and type=f16|i8" backend=mine version=1.0..1.4
 *   driver="Mesa 22.3..25.0" owner="J. Doe" reason="ties are broken by the last index"
 *   link=https://... expires=2026-12-31
 *
 * (one line). Which cases: select is a prefix or glob of ids, as everywhere, or a whole id, which
 * has a space and means that case alone; when is a condition (condition.h), any term of which may
 * be a word of its own: rank>=5 type=f16|i8. A rule has one or the other, or both.
 *
 * How they fail: verdict; clause, cause, mismatch and crash where the rule has them. clause,
 * cause and mismatch take several words with '|' between them. Every clause that a case breaks has
 * to be one of clause (by its findings, or as a run tells it by its cause), every kind of finding
 * one of mismatch; one of the causes that explain it has to be one of cause. crash is a text that
 * the place of the crash has.
 *
 * backend="" is one that gives itself no name; what a backend says of itself is meant in the form
 * of topk_text_line (text.h). version and driver may be left out, and link. version is a version, a
 * range or one with an open end (1.4, 1.0..1.4, ..1.4): a bound counts as far as it goes, so 1.4.9
 * is within 1.0..1.4. driver is a text that has to be in the driver's name; if its last word has
 * "..", that is the range of the version behind the text. */
#ifndef TOPK_EXPECTATIONS_H
#define TOPK_EXPECTATIONS_H

#include "condition/condition.h"
#include "log/log.h"
#include "reference/result.h"

#define TOPK_EXPECTATIONS_MOST ((size_t)1 << 24) /* bytes of a file */

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

/* How a case ended, as far as rules ask. */
struct topk_ended {
    const char *id;
    enum topk_verdict verdict;
    uint32_t call;                  /* of a sequence: the call that failed; 0: all of it */
    struct topk_clause_set clauses; /* that it breaks, by its findings */
    uint64_t causes; /* bits 1 << reading: all that give every output; that of NONE if none does */
    uint64_t mismatches;            /* bits 1 << mismatch */
    const struct topk_crash *crash; /* NULL: it did not, or nothing is known */
    struct topk_clause_set told; /* the same as a run tells them: by the cause, if one is known */
};
/* From a result, and from a record of the log: the same of both. */
void topk_ended_of(const char *id, const struct topk_result *result, struct topk_ended *ended);
void topk_ended_read(const struct topk_log_record *record, struct topk_ended *ended);

/* Room for how a case differs from a rule, with the terminator. */
#define TOPK_DIFFERS_TEXT 512

struct topk_expectation {
#define KEY(name, needed) char *name; /* owned; "" if it was left out */
    TOPK_EXPECTATION_LIST(KEY)
#undef KEY
    uint32_t line;                   /* of the file, 1.. */
    enum topk_verdict expect;        /* what verdict says */
    struct topk_condition condition; /* of when, which has the text of all terms; none: any case */
    struct topk_clause_set clauses;  /* of clause; empty: any */
    uint64_t causes, mismatches;     /* of cause and mismatch, as in struct topk_ended; 0: any */
    /* Of a run: */
    bool applies;    /* it is for this backend, version and driver */
    bool expired;    /* before the run began */
    uint64_t cases;  /* that it is for */
    uint64_t failed; /* of them as it says, and are waived */
    uint64_t passed; /* of them */
    uint64_t others; /* of them in another way, and no rule waives them */
    char *other;     /* owned: the id of the first of these; NULL: none, or memory was short */
    char *differs;   /* owned: in which way; NULL as other */
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

/* What a case counts as: EXPECTED_FAIL if it failed as a rule that applies says; UNEXPECTED_PASS if
 * it passed and a rule without a condition is for it; *line is that of the rule. Else its verdict,
 * and *line is 0. Counts. Of a case that fails in another way than the rules for it say, *nearly is
 * the rule that is nearest, else NULL; it may be NULL. */
enum topk_verdict topk_expectations_judge(struct topk_expectations *expectations,
                                          const struct topk_ended *ended, uint32_t *line,
                                          const struct topk_expectation **nearly);

/* That rule, of any case, without counting; NULL if none is for it. */
const struct topk_expectation *
topk_expectations_nearest(const struct topk_expectations *expectations,
                          const struct topk_ended *ended);

/* Whether a failure is another than a rule for the case says, and how: "it expects S08, and this
 * case breaks M01". */
bool topk_expectation_differs(const struct topk_expectation *rule, const struct topk_ended *ended,
                              char text[TOPK_DIFFERS_TEXT]);

/* Prints what fails, and how: "fail of ties. where rank>=5, clause S08". */
void topk_expectation_print(FILE *out, const struct topk_expectation *rule);

/* Whether a rule has a condition, and none of the cases that it is for fails as it says. Only a
 * whole run shows that the rule is no longer needed. */
bool topk_expectation_stale(const struct topk_expectation *rule);

/* How many of the rules that apply are expired. */
size_t topk_expectations_expired(const struct topk_expectations *expectations);

/* Whether a text such as "Mesa 25.0.7-2 (LLVM 15)" is meant by a rule's driver, and a version by a
 * rule's version. */
bool topk_expectation_driver_meant(const char *rule, const char *driver);
bool topk_expectation_version_meant(const char *rule, const char *version);

/* Whether it is a date, "2026-12-31". */
bool topk_expectation_date_valid(const char *text);

void topk_expectations_free(struct topk_expectations *expectations);

#endif
