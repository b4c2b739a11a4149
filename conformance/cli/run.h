/* What the parts of `topk-cts run` share: run_options.c reads the command line, run_log.c opens the
 * log, run.c runs, run_end.c ends. Nobody else includes this. */
#ifndef TOPK_CLI_RUN_H
#define TOPK_CLI_RUN_H

#include "engine.h"
#include "expectations/expectations.h"
#include "formats/report.h"
#include "identity/identity.h"
#include "log/log.h"
#include "platform/stage.h"
#include "session/session.h"

/* Most of --jobs. */
#define CLI_RUN_JOBS_MAX 256

/* Most notes of processes that ended between cases that are printed. */
#define CLI_RUN_NOTES 5

struct cli_run_options {
    struct cli_choice choice;
    struct cli_backend backend;
    struct cli_early early;
    struct cli_gate gate;
    enum topk_junit_mode junit;
    char *const *selections;
    size_t selection_count;
    uint32_t jobs; /* 0: as many as there are processors */
    bool has_jobs; /* --jobs was given */
    uint64_t seed;
    struct topk_shard shard; /* --shard I/N, or what the environment says */
    uint64_t show_failures;  /* printed in full */
    uint32_t retries;        /* of a failure */
    uint32_t repeat;         /* how often each case is run */
    const char *out;         /* --out, or what the environment says, or NULL */
    struct cli_engine engine;
    bool engine_shard; /* shard is that of the environment */
    bool engine_out;   /* and so is out */
    bool resume;
    bool overwrite;
    bool shrink;
    bool no_probes;
    bool no_identity;
    bool estimate;            /* only say what the run would take */
    const char *stages;       /* --profile-stages, or NULL */
    const char *costs;        /* --costs, or NULL */
    const char *expectations; /* --expectations, or NULL */
    bool strict;
    bool zstd; /* the log is compressed at the end */
};

/* Who looks at what is tested: run_identity.c. */
struct cli_run_look {
    struct topk_identity identity;
    size_t logged; /* parts that are in the log */
    struct cli_subject subject;
    uint64_t began;   /* uv_hrtime() */
    int64_t began_at; /* seconds of the clock then */
    uint64_t last;    /* uv_hrtime() of the last look */
    bool failed;      /* something was exchanged, or cannot be read: the run is not of one thing */
};

/* What cases took in an earlier run, and how that divides this one. */
struct cli_run_costs {
    struct topk_shard_costs costs;
    uint16_t of[TOPK_SHARD_BUCKETS];
};

struct cli_run {
    struct cli_run_options options;
    struct cli_cases cases; /* all that are selected, of every shard */
    uint64_t selectable;    /* cases of all feature levels and shards */
    uint64_t selected;      /* of this shard */
    struct cli_workers workers;
    uint32_t level;        /* in effect */
    char *replay;          /* command up to the case */
    char *resume_command;  /* the command that continues this run */
    uint64_t started_at;   /* uv_hrtime() once the command line was read */
    char *estimate_folder; /* of --estimate, where the sample leaves its log, or NULL */
    char *stages;          /* path of the file that gets the times of stages, or NULL */
    char *dir;             /* with the log */
    char *log_path;
    char *junit_path;
    char *shrunk_path;     /* of what --shrink keeps */
    char *list_prefix;     /* how the files begin that alone.h writes */
    struct topk_lock lock; /* of dir */
    struct topk_log *log;
    struct cli_run_look look;
    struct cli_run_costs *costs; /* by which it is divided, or NULL */
    uint64_t *finished;          /* bits by number: has a result from before */
    uint64_t before;             /* how many have */
    struct cli_order order;      /* of the others; the runner's numbers are positions in it */
    struct topk_expectations expectations;
    char *expectations_text; /* of the file; NULL: none */
    char *contained;         /* cli_contain_print() */
    char *variables;         /* cli_contain_variables() */
    char started[32];        /* UTC; when the run began that this one continues */
    struct cli_tally tally;
    char *lost;                /* lines that say which machines were lost; NULL: none was */
    struct topk_probes probes; /* as far as they are known */
    uint64_t findings;         /* of them that have a record */
    struct cli_progress progress;
    struct topk_failure_style style;
    uint64_t printed;              /* failures */
    struct topk_distinct distinct; /* kinds of failure, then one for each bug */
    struct cli_bugs bugs;
    char *bug_prefix;       /* how the files begin that list the cases of a bug */
    struct cli_again again; /* failures, to be run again */
    struct cli_repeat repeat;
    struct cli_alone alone; /* of what was printed and passes alone */
    uint64_t began;         /* uv_hrtime() at the first case */
    uint64_t notes;
    bool looking;   /* the cases are done: what ends now with cases under way is looked at again */
    bool has_junit; /* the JUnit file is written */
    bool kept;      /* all that the run leaves is on disk, and as it was written */
};

/* The command that continues this run, without --out; to be freed. NULL if memory is short.
 * run_options.c */
char *cli_run_resume_command(int argc, char **argv);

/* Makes the folder of --estimate, if that is asked for. Ends the program after a message if that
 * fails. run_estimate.c */
void cli_run_estimate_start(struct cli_run *run);
/* Runs a sample of the cases and says what all would take. job: its functions. Returns what to exit
 * with. */
int cli_run_estimate(struct cli_run *run, struct topk_runner *runner, struct topk_runner_job *job);
/* Removes the folder of --estimate. */
void cli_run_estimate_end(const struct cli_run *run);

/* Starts the clock of stages, if --profile-stages asks for it. Ends the program after a message if
 * the file cannot be written. run_stages.c */
void cli_run_stages_start(struct cli_run *run);
/* Prints how long each stage took. Once the workers are closed. False after a message. */
bool cli_run_stages_end(struct cli_run *run);

/* Ends the log, writes the rest, says what came out. status, error: of the runner's job. Returns
 * what to exit with. run_end.c */
int cli_run_finish(struct cli_run *run, struct topk_runner *runner, enum topk_runner_status status,
                   const char *error);
/* Ends the log, and has all that the run leaves on disk. The log says that it is complete only if
 * that worked. whole: all that has to stand beside the log does. False, after a message, if it did
 * not. */
bool cli_run_keep(struct cli_run *run, enum topk_runner_status status, bool whole);
/* Says where the JUnit files are. */
void cli_run_print_junit(const struct cli_run *run);

/* Keeps that a machine was lost, as a process record says it, for the summary. run_log.c */
void cli_run_keep_lost(struct cli_run *run, const char *how);

/* Ends the program after a message if --out cannot be used as it was given. Takes the lock of a
 * folder that is there. */
void cli_run_check_out(struct cli_run *run);

/* Reads --costs, if there is one and the run is divided, and divides it by them; ends the program
 * after a message if they cannot be read. run_log.c */
void cli_run_read_costs(struct cli_run *run);

/* Reads the file of --expectations, if there is one; ends the program after a message if it cannot
 * be read. expectations.c */
void cli_run_read_expectations(struct cli_run *run);

/* Says of a failure which rule is for its case, and in what it differs from that, if one is. */
void cli_run_print_nearly(const struct cli_run *run, const char *id,
                          const struct topk_result *result);

/* Says which rules do not hold: one that is expired, one whose case passed, and, of a whole
 * profile, one that matches no case. Returns how many. */
size_t cli_run_print_expectations(const struct cli_run *run);

/* Gets ready to look at what is tested. run_identity.c */
void cli_run_look_start(struct cli_run *run);
/* Looks before the log is there; started: when the run that this one continues began, else "".
 * CLI_CONFORMANT, or what to exit with, after a message. */
int cli_run_look_first(struct cli_run *run, const char *started);
/* Writes the parts that are not in the log yet. False if it cannot be written. */
bool cli_run_look_log(struct cli_run *run);
/* Looks while the cases run, now and then, or once they are done, and writes what is new. False,
 * after a message, if the run is not of one thing. */
bool cli_run_look_again(struct cli_run *run, bool last);
void cli_run_look_free(struct cli_run *run);

/* Keeps a failure, to be run again when the run is done. kind: cli_again_kind(); broken: clauses,
 * as they are counted. run_again.c */
void cli_run_again_keep(struct cli_run *run, uint64_t number, uint64_t kind,
                        enum topk_verdict verdict, enum topk_clause clause,
                        struct topk_clause_set broken);
/* Runs failures again, writes what that shows, counts and prints it. */
void cli_run_again(struct cli_run *run);
/* Whether failures of a bug that were run again fail only behind other cases. */
bool cli_run_is_behind(const struct cli_run *run, const struct topk_entry *entry);
/* Says of failures that were printed, and of what they were shrunk to, which need earlier cases. */
void cli_run_print_alone(struct cli_run *run);

/* Creates the log, or opens it to go on; sets dir, the paths, log, finished and before, and counts
 * the results from before. CLI_CONFORMANT, or what to exit with, after a message. */
int cli_run_open_log(struct cli_run *run);

#endif
