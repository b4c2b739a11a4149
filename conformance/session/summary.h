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

/* The counts of a run. */
struct cli_tally {
    enum topk_judge judge; /* 0 is the least trusted judge */
    bool trust_worker;     /* a run that a worker judges can exit with 0 */
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t done;
    struct topk_tested tested;
    struct topk_gate gate;
    struct topk_contract contract;       /* the contract by which cases are judged */
    uint64_t clauses[TOPK_CLAUSE_COUNT]; /* number of cases that broke each */
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct cli_reason reasons[CLI_REASONS_MAX]; /* of unsupported cases */
    size_t reason_count;
    bool protocol; /* cli_tally_protocol() called note() */
};

/* Sets who judges; to be called before the first case is counted. */
void cli_tally_start(struct cli_tally *tally, const struct cli_backend *backend);
/* Whether a case asks for a result, and which of the gate's words it is, as in topk_gate_ask(). */
uint64_t cli_tally_ask(const struct cli_tally *tally, const char *id);
/* Counts a case. asked: of cli_tally_ask(); by_status, by_contract: as in struct topk_result;
 * broken: the clauses of its findings. */
void cli_tally_add(struct cli_tally *tally, uint64_t asked, enum topk_verdict verdict,
                   bool by_status, bool by_contract, enum topk_clause clause,
                   const struct topk_clause_set *broken, uint32_t observations, const char *reason);
/* Calls note() once a run, for the first failure whose program, that of --backend-command, broke
 * the backend protocol: with the command that says which rules it breaks. */
void cli_tally_protocol(struct cli_tally *tally, const struct cli_backend *backend,
                        const struct topk_result *result,
                        void (*note)(void *context, const char *text), void *context);
/* Counts how a process ended. */
void cli_tally_ended(struct cli_tally *tally, enum topk_process_end end);
/* Changes the verdict of a failure that was counted. broken: as it was passed then, but with its
 * clause if it was empty. */
void cli_tally_move(struct cli_tally *tally, enum topk_verdict from, enum topk_verdict to,
                    const struct topk_clause_set *broken);
/* The number of cases that failed. */
uint64_t cli_tally_failures(const struct cli_tally *tally);
/* The exit code if every case has its result. */
int cli_tally_exit(const struct cli_tally *tally);

/* The exit code of a run, a merged run or a package. */
int cli_conformance_exit(enum topk_conformance conformance, bool trust_worker);
/* CLI_CONFORMANT if the judge is trusted; CLI_FAILURES if not. */
int cli_judge_exit(enum topk_judge judge, bool trust_worker);

/* What a verdict is about. */
struct cli_verdict {
    const char *profile;
    uint32_t profile_version;
    const char *backend, *version;
    uint32_t level;          /* feature level up to which cases were run */
    uint32_t limit;          /* the same, if --feature-level is below the backend's; else 0 */
    bool selected;           /* only a part of the profile was run */
    bool shard;              /* only one of several shards was run */
    uint64_t findings;       /* number of probes that have a finding */
    struct topk_early early; /* whether, and why, it ended early */
    size_t strict;           /* with --strict, expectations that do not hold; else 0 */
};
/* The last line of a run that is complete or ended early, with its line feed, for cli_conclude();
 * to be freed. cli_verdict_exit() returns the exit code that goes with it. */
char *cli_verdict_line(const struct cli_tally *tally, const struct cli_verdict *verdict);
int cli_verdict_exit(const struct cli_tally *tally, const struct cli_verdict *verdict);
/* For commands without such a line: prints a note that says who judged, unless the suite judged and
 * the backend could not reach it. */
void cli_judge_note(const struct cli_tally *tally);
/* Prints the counts, the clauses, the reasons and the observations. software_device:
 * TOPK_FLAG_SOFTWARE_DEVICE is set, so observations of the device are not the backend's own. */
void cli_tally_print(FILE *out, const struct cli_tally *tally, bool software_device);
void cli_tally_free(struct cli_tally *tally);

/* ---- probes ---------------------------------------------------------------------------------- */

/* Prints a line "PROBE violation: denormals.float32.flush, kept: DETAIL". */
void cli_probe_print_finding(FILE *out, const struct topk_probe *probe);

/* Prints a line with the number of probes of each verdict: "probes: 12 allowed, 1 violation;
 * ...". */
void cli_probe_print_all(FILE *out, const struct topk_probes *probes);

#endif
