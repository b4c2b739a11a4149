/* Shared by the parts of `topk-cts run`: run_options.c reads the command line, run_log.c opens the
 * log, run.c runs the cases, run_end.c ends the run. No other file includes this. */
#ifndef TOPK_CLI_RUN_H
#define TOPK_CLI_RUN_H

#include "engine.h"
#include "expectations/expectations.h"
#include "formats/report.h"
#include "identity/identity.h"
#include "log/log.h"
#include "platform/stage.h"
#include "session/session.h"

/* Maximum of --jobs. */
#define CLI_RUN_JOBS_MAX 256

/* Maximum number of printed notes about processes that ended between cases. */
#define CLI_RUN_NOTES 5

struct cli_run_options {
    struct cli_choice choice;
    struct cli_backend backend;
    struct cli_early early;
    struct cli_gate gate;
    enum topk_junit_mode junit;
    char *const *selections;
    size_t selection_count;
    uint32_t jobs; /* 0: one for each processor */
    bool has_jobs; /* --jobs was given */
    uint64_t seed;
    struct topk_shard shard; /* --shard I/N, or from the environment */
    uint64_t show_failures;  /* number of failures that are printed in full */
    uint32_t retries;        /* --retries */
    uint32_t repeat;         /* how often each case is run */
    const char *out;         /* --out, or from the environment, or NULL */
    struct cli_engine engine;
    bool engine_shard; /* shard is from the environment */
    bool engine_out;   /* out is from the environment */
    bool resume;
    bool overwrite;
    bool shrink;
    bool no_probes;
    bool no_identity;
    bool estimate;            /* only estimate what the run would take */
    const char *stages;       /* --profile-stages, or NULL */
    const char *costs;        /* --costs, or NULL */
    const char *expectations; /* --expectations, or NULL */
    bool strict;
    bool zstd; /* compress the log at the end */
};

/* The identification of what is tested: run_identity.c. */
struct cli_run_look {
    struct topk_identity identity;
    size_t logged; /* number of parts that are in the log */
    struct cli_subject subject;
    uint64_t began;   /* uv_hrtime() */
    int64_t began_at; /* the same time by the system's clock, in seconds */
    uint64_t last;    /* uv_hrtime() of the last look */
    bool failed;      /* a file was replaced or is unreadable: the run is void */
};

/* The costs of cases in an earlier run, and how they divide this run into shards. */
struct cli_run_costs {
    struct topk_shard_costs costs;
    uint16_t of[TOPK_SHARD_BUCKETS];
};

struct cli_run {
    struct cli_run_options options;
    struct cli_cases cases; /* all selected cases, of every shard */
    uint64_t selectable;    /* cases of all feature levels and shards */
    uint64_t selected;      /* cases of this shard */
    struct cli_workers workers;
    uint32_t level;                /* the feature level in effect */
    char *replay;                  /* command that replays a case, without the case */
    char *resume_command;          /* the command that continues this run */
    uint64_t started_at;           /* uv_hrtime() once the command line was read */
    char *estimate_folder;         /* folder of --estimate for the log of the sample, or NULL */
    struct cli_estimate *estimate; /* what --estimate has measured, while it runs; else NULL */
    char *stages;                  /* path of the file for the times of stages, or NULL */
    char *dir;                     /* the folder of the log */
    char *log_path;
    char *junit_path;
    char *shrunk_path;     /* path of the file for shrunk cases */
    char *list_prefix;     /* prefix of the files that alone.h writes */
    struct topk_lock lock; /* of dir */
    struct topk_log *log;
    struct cli_run_look look;
    struct cli_run_costs *costs; /* the costs by which the run is divided, or NULL */
    uint64_t *finished;          /* a bit per case: it has a result from before a resume */
    uint64_t before;             /* number of these cases */
    struct cli_order order;      /* the other cases; the runner's numbers are positions in it */
    struct topk_expectations expectations;
    char *expectations_text; /* the text of the file; NULL: none */
    char *contained;         /* cli_contain_print() */
    char *variables;         /* cli_contain_variables() */
    char started[32];        /* UTC; when the run began, before any resume */
    struct cli_tally tally;
    char *lost;                /* lines about lost machines; NULL: none was lost */
    struct topk_probes probes; /* the probes that are known so far */
    uint64_t findings;         /* logged probes that have a finding */
    struct cli_progress progress;
    struct topk_failure_style style;
    uint64_t printed;              /* number of printed failures */
    struct topk_distinct distinct; /* one for each kind of failure, then one for each bug */
    struct cli_bugs bugs;
    char *bug_prefix;       /* prefix of the files that list the cases of a bug */
    struct cli_again again; /* failures to run again */
    struct cli_repeat repeat;
    struct cli_alone alone; /* printed failures that pass alone */
    uint64_t began;         /* uv_hrtime() at the first case */
    uint64_t notes;
    bool looking;   /* the cases are done; processes now run failures again */
    bool has_junit; /* the JUnit file is written */
    bool kept;      /* all files of the run are on disk, as they were written */
};

/* Returns the command that continues this run, without --out, to be freed; NULL if memory is short.
 * In run_options.c. */
char *cli_run_resume_command(int argc, char **argv);

/* Makes the folder of --estimate, if this option was given. Ends the program after a message if
 * that fails. In run_estimate.c, like the next two. */
void cli_run_estimate_start(struct cli_run *run);
/* Runs a sample of the cases and prints what all cases would take. job: has the functions of the
 * sample's jobs. Returns the exit code. */
int cli_run_estimate(struct cli_run *run, struct topk_runner *runner, struct topk_runner_job *job);
/* Removes the folder of --estimate. */
void cli_run_estimate_end(const struct cli_run *run);

/* Starts the clock of stages, if --profile-stages was given. Ends the program after a message if
 * its file cannot be written. In run_stages.c, like the next one. */
void cli_run_stages_start(struct cli_run *run);
/* Prints how long each stage took; to be called after the workers are closed. False after a
 * message. */
bool cli_run_stages_end(struct cli_run *run);

/* Ends the log, writes the other files, and prints the result. status, error: of the runner's job.
 * Returns the exit code. In run_end.c, like the next two. */
int cli_run_finish(struct cli_run *run, struct topk_runner *runner, enum topk_runner_status status,
                   const char *error);
/* Ends the log, and brings all files of the run to disk. The log says that it is complete only if
 * that worked. whole: the files beside the log were written. False, after a message, if something
 * failed. */
bool cli_run_keep(struct cli_run *run, enum topk_runner_status status, bool whole);
/* Prints where the JUnit files are. */
void cli_run_print_junit(const struct cli_run *run);

/* Keeps a line about a lost machine for the summary. how: from its process record. In run_log.c. */
void cli_run_keep_lost(struct cli_run *run, const char *how);

/* Ends the program after a message if --out cannot be used as it was given. If the folder exists,
 * takes its lock. */
void cli_run_check_out(struct cli_run *run);

/* Reads the file of --costs, if it was given and the run is divided, and divides the run by the
 * costs. Ends the program after a message if the file cannot be read. In run_log.c. */
void cli_run_read_costs(struct cli_run *run);

/* Reads the file of --expectations, if it was given. Ends the program after a message if the file
 * cannot be read. In expectations.c, like the next two. */
void cli_run_read_expectations(struct cli_run *run);

/* If there is a rule for the case of a failure, prints it and how the failure differs from it. */
void cli_run_print_nearly(const struct cli_run *run, const char *id,
                          const struct topk_result *result);

/* Prints which rules do not hold: those that are expired, those whose cases passed, and, for a
 * whole profile, those that match no case. Returns how many. */
size_t cli_run_print_expectations(const struct cli_run *run);

/* Prepares the identification of what is tested. In run_identity.c, like the next ones. */
void cli_run_look_start(struct cli_run *run);
/* Identifies what is tested before the log exists. started: of a resumed run, when it began; else
 * "". Returns CLI_CONFORMANT, or, after a message, the exit code. */
int cli_run_look_first(struct cli_run *run, const char *started);
/* Writes the parts that are not in the log yet. False if the log cannot be written. */
bool cli_run_look_log(struct cli_run *run);
/* Identifies what is tested again, from time to time while the cases run, and once they are done
 * (last), and logs what is new. False, after a message, if the files under test have changed or are
 * unreadable. */
bool cli_run_look_again(struct cli_run *run, bool last);
void cli_run_look_free(struct cli_run *run);

/* Keeps a failure, to be run again at the end of the run. kind: from cli_again_kind(). broken: its
 * clauses, as they are counted. In run_again.c, like the next three. */
void cli_run_again_keep(struct cli_run *run, uint64_t number, uint64_t kind,
                        enum topk_verdict verdict, enum topk_clause clause,
                        struct topk_clause_set broken);
/* Runs failures again; logs, counts and prints the results. */
void cli_run_again(struct cli_run *run);
/* Whether all failures of a bug that were run again fail only after other cases. */
bool cli_run_is_behind(const struct cli_run *run, const struct topk_entry *entry);
/* Prints which of the printed failures, and of the cases that they were shrunk to, need earlier
 * cases. */
void cli_run_print_alone(struct cli_run *run);

/* Creates the log, or opens it to continue it. Sets dir, the paths, log, finished and before, and
 * counts the earlier results. Returns CLI_CONFORMANT, or, after a message, the exit code. */
int cli_run_open_log(struct cli_run *run);

#endif
