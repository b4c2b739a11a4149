/* The command line, topk-cts: what its commands share. Each command is a row of the table in cli.c
 * and a function in a cli_*.c file; the usage texts and the man page are made from the tables. */
#ifndef TOPK_CLI_H
#define TOPK_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile.h"
#include "runner.h"
#include "tested.h"

#ifndef TOPK_VERSION
#define TOPK_VERSION "unknown"
#endif

/* What topk-cts exits with. */
enum cli_exit {
    CLI_CONFORMANT = 0,
    CLI_FAILURES = 1,
    CLI_USAGE = 2,
    CLI_HARNESS = 3,
    CLI_UNAVAILABLE = 4,
    CLI_INCOMPLETE = 5,
    CLI_SKIPPED = 77
};

struct cli_command {
    const char *name;
    const char *summary; /* one line, no full stop */
    const struct argp *argp;
    int (*run)(int argc, char **argv);
};

extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;

/* argv[0] as the user typed it. */
extern const char *cli_program;
/* The name of the command that runs, for messages; NULL before one is known. */
extern const char *cli_command_name;

/* Prints "topk-cts run: MESSAGE" and a line feed to standard error. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the options of a command into input. Exits with CLI_USAGE if they are wrong. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Whether standard output still takes what is written; if not, there is no point in going on. */
bool cli_output_open(void);

int cli_expectations(int argc, char **argv);
int cli_package(int argc, char **argv);
int cli_verify(int argc, char **argv);
extern const struct argp cli_expectations_argp, cli_package_argp, cli_verify_argp;
int cli_list(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_replay(int argc, char **argv);
int cli_shrink(int argc, char **argv);
int cli_explore(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_backends(int argc, char **argv);
int cli_spec(int argc, char **argv);
int cli_profile(int argc, char **argv);
int cli_coverage(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_import(int argc, char **argv);
int cli_trust(int argc, char **argv);
int cli_man(int argc, char **argv);
extern const struct argp cli_list_argp, cli_run_argp, cli_replay_argp, cli_shrink_argp,
    cli_explore_argp, cli_probe_argp, cli_backends_argp, cli_spec_argp, cli_profile_argp,
    cli_coverage_argp, cli_merge_argp, cli_compare_argp, cli_report_argp, cli_export_argp,
    cli_import_argp, cli_trust_argp, cli_man_argp;

/* The program. */
int cli_main(int argc, char **argv);

/* What topk-cts is, and its exit codes: for --help and the man page. */
extern const char cli_description[];
extern const char *const cli_exit_meanings[]; /* "0", "conformant", ..., NULL */

/* ---- near names: cli_near.c ------------------------------------------------------------------ */

/* The nearest of the names that were offered to a word that is none of them. */
struct cli_near {
    const char *word;
    size_t length; /* of the word */
    struct {
        char name[64];
        unsigned distance;
    } best[3];
    unsigned count;
};

void cli_near_start(struct cli_near *near, const char *word, size_t length);
void cli_near_offer(struct cli_near *near, const char *name);
/* Writes "; did you mean 'a' or 'b'?", or nothing if no name is near. */
void cli_near_print(const struct cli_near *near, char *text, size_t size);
#define CLI_NEAR_TEXT 256

/* ---- options that commands share: cli_options.c ---------------------------------------------- */

/* --profile, --feature-level; child of a command's argp */
struct cli_choice {
    const struct topk_profile *profile; /* NULL: not given */
    uint32_t level;                     /* 0: not given */
};
extern const struct argp cli_choice_argp;

/* --backend, --worker, --timeout, --verbose; child of a command's argp */
struct cli_backend {
    const char *spec;   /* what --backend said, or NULL */
    const char *worker; /* what --worker said, or NULL */
    double timeout;
    bool verbose;
    bool optional; /* neither --backend nor --worker is needed */
};
extern const struct argp cli_backend_argp;

/* A number without sign up to `most`; exits with CLI_USAGE if the text is none. */
uint64_t cli_number(const struct argp_state *state, const char *option, const char *text,
                    uint64_t most);

/* The profile of a name; exits with CLI_USAGE if there is none. */
const struct topk_profile *cli_profile_of(const struct argp_state *state, const char *name);

/* ---- workers: cli_worker.c ------------------------------------------------------------------- */

/* The arguments of a worker's command. */
struct cli_worker_command {
    const char *arguments[4]; /* NULL behind the last */
    char *path;               /* owned */
};

/* A backend that the worker has built in, as `topk-worker --list` says. */
struct cli_builtin {
    char name[64];
    char summary[256];
};
#define CLI_BUILTINS_MAX 32
/* Asks the worker. Returns CLI_CONFORMANT, or after a message what to exit with; *count is set. */
int cli_builtins_read(struct cli_builtin list[CLI_BUILTINS_MAX], size_t *count);

/* The options that open a built-in backend on each device that it can choose, as `topk-worker
 * --devices` says; none where there is no choice. Returns as cli_builtins_read(). */
struct cli_device {
    char options[256];
};
#define CLI_DEVICES_MAX 64
int cli_devices_read(const char *backend, struct cli_device list[CLI_DEVICES_MAX], size_t *count);

/* A fault of the backend faulty, as `topk-worker --faults` says. */
#define CLI_FAULT_NAME 64
struct cli_fault {
    char name[CLI_FAULT_NAME];
    char class[24];    /* what kind of fault */
    bool allowed;      /* nothing may fail on it */
    bool ends;         /* it may end the process, or never return */
    bool always;       /* every call is wrong: it is for trying cases */
    char seen[64];     /* where it was met in the field; "-": nowhere */
    char clauses[160]; /* that a case of profile core names, as backends/faulty/faulty.h says */
    char about[200];
};
#define CLI_FAULTS_MAX 512
/* Returns as cli_builtins_read(). */
int cli_faults_read(struct cli_fault list[CLI_FAULTS_MAX], size_t *count);
/* Writes what comes near to an id that is none, as cli_near_print() does. */
void cli_faults_near(const struct cli_fault *list, size_t count, const char *id,
                     char text[CLI_NEAR_TEXT]);

/* Fills it for a backend. Returns CLI_CONFORMANT, or what to exit with, after a message. */
int cli_worker_command(const struct cli_backend *backend, struct cli_worker_command *command);
void cli_worker_command_free(struct cli_worker_command *command);

/* What to exit with when the runner ended with a status other than DONE; says why. */
int cli_runner_failed(enum topk_runner_status status, const char *backend, const char *error);

/* Prints a backend's name, "(no name)" if it has none, and its version. */
void cli_name_print(FILE *out, const char *name, const char *version);
/* Prints who answers, as a greeting says: "cpu 1.0, DEVICE, driver DRIVER". */
void cli_identity_print(FILE *out, const struct topk_greeting *greeting);
/* The device that answers is software, TOPK_FLAG_SOFTWARE_DEVICE. */
bool cli_software_device(const struct topk_greeting *greeting);

/* The command that replays a case, up to the case: "topk-cts replay --backend cpu". To be freed;
 * NULL if memory is short. */
char *cli_replay_command(const struct cli_backend *backend);

/* ---- cases: cli_select.c --------------------------------------------------------------------- */

struct cli_case {
    const char *id;
    uint32_t length;
    uint32_t text;       /* where the case's text starts in id */
    uint32_t test;       /* number of its test; UINT32_MAX: given by its text */
    uint32_t level;      /* feature level that it asks for */
    uint32_t type;       /* of its values */
    uint32_t index_type; /* of its indices */
};

struct cli_cases {
    struct cli_case *list;
    size_t count;
    size_t room;
    struct cli_block *blocks; /* memory of the ids */
    char *scratch;            /* room for one id */
    bool no_memory;
};

/* Collects the cases of a profile (NULL: of all tests) that one of the selections selects; all if
 * there are none. extra: a selection that is a case's id or text and selects nothing is added.
 * Returns CLI_CONFORMANT, or what to exit with, after a message. */
int cli_cases_select(struct cli_cases *cases, const struct topk_profile *profile,
                     char *const *selections, size_t selection_count, bool extra);

/* Adds a case by its id or text. where: "" or what comes before the message ("line 3: "). Returns
 * CLI_CONFORMANT, or CLI_USAGE after a message that shows where it is wrong. */
int cli_cases_add(struct cli_cases *cases, const char *id, size_t length, const char *where);

/* Adds the cases that a file lists, one a line; empty lines and those that start with '#' are left
 * out. path NULL: standard input. Returns CLI_CONFORMANT, or what to exit with, after a message:
 * CLI_INCOMPLETE if there is none. In cli_cases.c. */
int cli_cases_read(struct cli_cases *cases, const char *path);
/* The same from an open file; name: for messages. */
int cli_cases_parse(struct cli_cases *cases, FILE *file, const char *name);

/* Drops the cases that ask for more than a level. */
void cli_cases_limit(struct cli_cases *cases, uint32_t level);

void cli_cases_free(struct cli_cases *cases);

/* Calls a function with every case of a test, and the number of the test. False: it, or memory,
 * stopped that. */
struct cli_visitor {
    bool (*visit)(void *context, const struct topk_test *test, struct topk_case *c);
    void *context;
};
/* The tests of a profile, or all if it is NULL; false after a message if one is gone. */
bool cli_tests_visit(const struct topk_profile *profile, const struct cli_visitor *visitor);

/* ---- reports: cli_summary.c, cli_progress.c -------------------------------------------------- */

struct cli_reason {
    char *text; /* owned */
    uint64_t count;
};

#define CLI_REASONS_MAX 200

/* What a run comes to. */
struct cli_tally {
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t done;
    struct topk_tested tested;
    uint64_t clauses[TOPK_CLAUSE_COUNT]; /* cases that broke it */
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct cli_reason reasons[CLI_REASONS_MAX]; /* of unsupported cases */
    size_t reason_count;
};

/* Whether the case of an id asks for a result, topk_aspects_ask(); a topk_asks. In cli_expert.c. */
bool cli_asks(const char *id);

/* Counts a case. broken: the clauses of its findings. */
void cli_tally_add(struct cli_tally *tally, const char *id, enum topk_verdict verdict,
                   enum topk_clause clause, const struct topk_clause_set *broken,
                   uint32_t observations, const char *reason);
uint64_t cli_tally_failures(const struct cli_tally *tally);
/* What to exit with if every case has its result. */
int cli_tally_exit(const struct cli_tally *tally);

/* What a verdict is of. */
struct cli_verdict {
    const char *profile;
    uint32_t profile_version;
    const char *backend, *version;
    uint32_t limit;    /* feature level up to which cases were run, below the backend's; or 0 */
    bool selected;     /* a part of the profile */
    bool shard;        /* of several */
    uint64_t findings; /* probes that have one */
};
/* Prints the last line of a run that came to its end with that exit code. */
void cli_verdict_print(const struct cli_tally *tally, const struct cli_verdict *verdict, int code);
/* The counts, the clauses, the reasons, the observations. software_device: those of the device are
 * not the backend's own, TOPK_FLAG_SOFTWARE_DEVICE. */
void cli_tally_print(FILE *out, const struct cli_tally *tally, bool software_device);
void cli_tally_free(struct cli_tally *tally);

/* The line at the bottom of a terminal that says how far a run is. */
struct cli_progress {
    bool on;          /* standard error is a terminal */
    bool shown;       /* it stands there now */
    uint64_t total;   /* cases to run */
    uint64_t skipped; /* of them had a result before */
    uint64_t started; /* ms */
    uint64_t drawn;   /* ms */
};

void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped);
/* Draws it anew, at most ten times a second. */
void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally);
/* Takes it away, before anything else is printed. */
void cli_progress_erase(struct cli_progress *progress);

/* Whether output to a stream may be coloured. */
bool cli_colour(FILE *stream);

#endif
