/* What a log and a list of cases come to, derived from nothing else: who answered, every total, and
 * whether the run is one that may be shown to others: whole, of all cases of the profile, not
 * spoiled on purpose, and each verdict the one that its record gives reason for. */
#ifndef TOPK_AUDIT_H
#define TOPK_AUDIT_H

#include "expectations/expectations.h"
#include "log/log.h"
#include "mustpass.h"
#include "summary/summary.h"

/* Levels that the cases of a list may ask for. */
#define TOPK_AUDIT_LEVELS 32

struct topk_audit_level {
    uint32_t level;
    uint64_t totals[TOPK_VERDICT_COUNT];
    struct topk_tested tested;
};

struct topk_audit {
    struct topk_log_header header; /* its texts are owned; without selections and gate */
    char *texts[24];               /* owned: those of the header */
    size_t text_count;
    struct topk_outcome *outcomes; /* owned: by number of the case, header.cases of
                                      them; what each came to by itself */
    uint32_t *lines;               /* owned: by number of the case, its place in the list */
    uint64_t totals[TOPK_VERDICT_COUNT];
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_gate level_gate;         /* of a level alone: nothing is required of it */
    uint64_t clauses[TOPK_CLAUSE_COUNT]; /* failures that break each */
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct topk_audit_level levels[TOPK_AUDIT_LEVELS]; /* ascending; level_count of them */
    size_t level_count;
    struct topk_expectations expectations; /* owned: those of the run, with what they came to */
    struct topk_probe *probes;             /* owned; probe_count of them */
    size_t probe_count;
    struct topk_log_parts parts; /* owned: what was tested; none if it is not recorded */
};

/* What is audited. */
struct topk_audit_log {
    const char *path; /* for messages */
    const char *bytes;
    size_t size;
    const struct topk_mustpass *profile; /* that the list is of */
    const struct topk_mustpass_list *list;
    const char *list_digest; /* SHA-256 of the list, 64 hex digits */
    const struct topk_asks *asks;
};

/* What the cases of a level come to, or all if it is NULL. */
struct topk_standing topk_audit_standing(const struct topk_audit *audit,
                                         const struct topk_audit_level *level);
enum topk_conformance topk_audit_conformance(const struct topk_audit *audit,
                                             const struct topk_audit_level *level);

/* The share of all cases that was served, which it returns, in words: "78 % of the valid calls". */
struct topk_share topk_audit_share(const struct topk_audit *audit, char text[TOPK_SHARE_TEXT]);

/* False, with file, line and reason in error, if the run may not be shown. *audit is to be
 * freed in any case. */
bool topk_audit(struct topk_audit *audit, const struct topk_audit_log *log, char *error,
                size_t error_bytes);

void topk_audit_free(struct topk_audit *audit);

#endif
