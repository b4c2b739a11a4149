/* The summary of a run: counts, and what they mean. */
#ifndef TOPK_CLI_SUMMARY_H
#define TOPK_CLI_SUMMARY_H

#include <stdio.h>

#include "log/log.h"
#include "options.h"
#include "run/runner.h"
#include "summary/summary.h"

struct cli_reason {
    char *text; /* owned */
    uint64_t count;
};

#define CLI_REASONS_MAX 200

/* What a run comes to. */
struct cli_tally {
    enum topk_judge judge; /* zero is whom least is believed */
    bool trust_worker;     /* exit as if its judge were to be believed, if that is a worker */
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t done;
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_contract contract;       /* by which cases are judged */
    uint64_t clauses[TOPK_CLAUSE_COUNT]; /* cases that broke it */
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct cli_reason reasons[CLI_REASONS_MAX]; /* of unsupported cases */
    size_t reason_count;
};

/* Says who judges, before the first case is counted. */
void cli_tally_start(struct cli_tally *tally, const struct cli_backend *backend);
/* Counts a case. by_status, by_contract: as in struct topk_result; broken: the clauses of its
 * findings. */
void cli_tally_add(struct cli_tally *tally, const char *id, enum topk_verdict verdict,
                   bool by_status, bool by_contract, enum topk_clause clause,
                   const struct topk_clause_set *broken, uint32_t observations, const char *reason);
/* Counts a process that ended so. */
void cli_tally_ended(struct cli_tally *tally, enum topk_process_end end);
/* A failure that was counted counts as something else. broken: as it was given then, with its
 * clause if it had none. */
void cli_tally_move(struct cli_tally *tally, enum topk_verdict from, enum topk_verdict to,
                    const struct topk_clause_set *broken);
uint64_t cli_tally_failures(const struct cli_tally *tally);
/* What to exit with if every case has its result. */
int cli_tally_exit(const struct cli_tally *tally);

/* What to exit with of a run, a merged one or a package. */
int cli_conformance_exit(enum topk_conformance conformance, bool trust_worker);
/* CLI_CONFORMANT if a judge is to be believed; CLI_FAILURES if not. */
int cli_judge_exit(enum topk_judge judge, bool trust_worker);

/* What a verdict is of. */
struct cli_verdict {
    const char *profile;
    uint32_t profile_version;
    const char *backend, *version;
    uint32_t level;          /* feature level up to which cases were run */
    uint32_t limit;          /* the same, if --feature-level is below the backend's; else 0 */
    bool selected;           /* a part of the profile */
    bool shard;              /* of several */
    uint64_t findings;       /* probes that have one */
    struct topk_early early; /* whether, and why, it ended early */
    size_t strict;           /* expectations that do not hold, if --strict asks for that; else 0 */
};
/* The last line of a run that came to its end, or ended early, with its line feed: for
 * cli_conclude(), and to be freed; and what to exit with then. */
char *cli_verdict_line(const struct cli_tally *tally, const struct cli_verdict *verdict);
int cli_verdict_exit(const struct cli_tally *tally, const struct cli_verdict *verdict);
/* Notes who judged, where there is no such line, unless the suite did and could not be reached. */
void cli_judge_note(const struct cli_tally *tally);
/* The counts, the clauses, the reasons, the observations. software_device: those of the device are
 * not the backend's own, TOPK_FLAG_SOFTWARE_DEVICE. */
void cli_tally_print(FILE *out, const struct cli_tally *tally, bool software_device);
void cli_tally_free(struct cli_tally *tally);

/* ---- probes ---------------------------------------------------------------------------------- */

/* A line: "PROBE violation: denormals.float32.flush, kept: DETAIL". */
void cli_probe_print_finding(FILE *out, const struct topk_probe *probe);

/* A line with how many came to what: "probes: 12 allowed, 1 violation; ...". */
void cli_probe_print_all(FILE *out, const struct topk_probes *probes);

#endif
