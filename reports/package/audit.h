/* The conclusions from a log and a list of cases: what was tested, all totals, and whether the run
 * may be published: it is complete, has all cases of the profile, was not spoiled on purpose, and
 * each verdict is justified by its record. */
#ifndef TOPK_AUDIT_H
#define TOPK_AUDIT_H

#include "expectations/expectations.h"
#include "log/log.h"
#include "mustpass.h"
#include "summary/summary.h"

/* Greatest number of levels that the cases of a list request. */
#define TOPK_AUDIT_LEVELS 32

struct topk_audit_level {
    uint32_t level;
    uint64_t totals[TOPK_VERDICT_COUNT];
    struct topk_tested tested;
};

struct topk_audit {
    struct topk_log_header header; /* its texts are owned; without selections and gate */
    char *texts[24];               /* owned: the texts of the header */
    size_t text_count;
    /* owned: header.cases of them, by number of the case, without expectations */
    struct topk_outcome *outcomes;
    uint32_t *lines; /* owned: by number of the case, its position in the list */
    uint64_t totals[TOPK_VERDICT_COUNT];
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_gate level_gate;         /* for a single level, which has no requirements */
    uint64_t clauses[TOPK_CLAUSE_COUNT]; /* failures that break each clause */
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct topk_audit_level levels[TOPK_AUDIT_LEVELS]; /* ascending; level_count of them */
    size_t level_count;
    struct topk_expectations expectations; /* owned: those of the run, with their counts */
    struct topk_probe *probes;             /* owned; probe_count of them */
    size_t probe_count;
    struct topk_log_parts parts; /* owned: what was tested; empty if it is not recorded */
};

/* The input of an audit. */
struct topk_audit_log {
    const char *path; /* for messages */
    const char *bytes;
    size_t size;
    const struct topk_mustpass *profile; /* the profile of the list */
    const struct topk_mustpass_list *list;
    const char *list_digest; /* SHA-256 of the list, 64 hex digits */
    const struct topk_asks *asks;
};

/* The standing and the outcome of the cases of a level, or of all if it is NULL. */
struct topk_standing topk_audit_standing(const struct topk_audit *audit,
                                         const struct topk_audit_level *level);
enum topk_conformance topk_audit_conformance(const struct topk_audit *audit,
                                             const struct topk_audit_level *level);

/* Returns the share of all cases that is supported, also in words: "78 % of the valid calls". */
struct topk_share topk_audit_share(const struct topk_audit *audit, char text[TOPK_SHARE_TEXT]);

/* Audits a log. Returns false, with file, line and reason in error, if the run may not be
 * published. Free *audit in any case. */
bool topk_audit(struct topk_audit *audit, const struct topk_audit_log *log, char *error,
                size_t error_bytes);

void topk_audit_free(struct topk_audit *audit);

#endif
