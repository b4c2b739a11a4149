/* topk-cts trust: tests the suite itself. Runs the backend `faulty' with each of its seeded faults
 * against the cases of a profile, and prints which cases detect them. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "cli.h"
#include "trust/trust.h"

enum {
    KEY_FAULT = 7000
};

#define JOBS_MAX 256

struct options {
    const struct topk_profile *profile;
    const char *wanted[CLI_FAULTS_MAX]; /* ids of --fault */
    size_t wanted_count;
    uint32_t jobs;     /* 0: one for each processor */
    const char *out;   /* or NULL */
    const char *check; /* or NULL */
    bool brief;
    bool verdicts;
    bool list;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'p':
        options->profile = cli_profile_of(state, argument);
        return 0;
    case KEY_FAULT:
        if (options->wanted_count == CLI_FAULTS_MAX) {
            argp_error(state, "--fault is given more than %d times", CLI_FAULTS_MAX);
        }
        options->wanted[options->wanted_count++] = argument;
        return 0;
    case 'j':
        options->jobs = (uint32_t)cli_number(state, "jobs", argument, JOBS_MAX);
        return 0;
    case 'o':
        if (*argument == 0) {
            argp_error(state, "--out takes the name of a folder, not ''");
        }
        options->out = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s': name a fault with --fault ID", argument);
        return 0;
    case ARGP_KEY_END:
        if (options->verdicts && options->brief) {
            argp_error(state, "--verdicts and --brief cannot go together");
        }
        if (options->verdicts && options->check != NULL && options->wanted_count > 0) {
            argp_error(state, "--verdicts --check is about all faults, not those of --fault");
        }
        if (options->brief && options->out != NULL) {
            argp_error(state, "--brief leaves out what --out writes");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_trust_argp = {
    .options =
        (const struct argp_option[]){
            {"profile", 'p', "PROFILE", 0, "The cases of this profile; default core", 0},
            {"fault", KEY_FAULT, "ID", 0,
             "Run this fault only, and do not try the cases; may be given several times", 0},
            {"jobs", 'j', "N", 0, "Processes at once; default as many as there are processors", 0},
            {"out", 'o', "DIR", 0,
             "Write the matrix, the ids of the cases that kill each fault, and the ledger to this "
             "folder; with --verdicts, what is stated of each fault",
             0},
            {"check", CLI_TEXT(struct options, check), "FILE", 0,
             "Exit with 1 if a fault survives that this ledger calls dead, if less than 95 % die, "
             "if one survives profile full, or if no wrong answer fails a case; with --fault, of "
             "these faults only",
             0},
            {"brief", CLI_FLAG(struct options, brief), NULL, 0,
             "Stop testing a fault once enough tests have failed and its clauses are named; with "
             "--check, first run the group that the ledger names; print no matrix",
             0},
            {"verdicts", CLI_FLAG(struct options, verdicts), NULL, 0,
             "Check what a run states about each fault: the condition of its failures, their "
             "cause, and the number of bugs",
             0},
            {"list", CLI_FLAG(struct options, list), NULL, 0, "List the faults, and run nothing",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "",
    .doc = "Runs the backend `faulty', with each of its seeded faults, against the cases of a "
           "profile. Prints which group of cases kills which fault, which faults survive, and "
           "which cases no wrong answer fails.\vA fault is killed by a case that fails on it. "
           "Large cases are run only while fewer than two groups have killed the fault. Exits with "
           "1 if a fault is alive or a case is not to be trusted.",
};

/* ---- faults ---------------------------------------------------------------------------------- */

static void list_faults(const struct cli_fault *list, size_t count)
{
    for (size_t i = 0; i < count && cli_output_open(); i++) {
        const struct cli_fault *fault = &list[i];
        bool seen = strcmp(fault->seen, "-") != 0;
        printf("%-28s %-12s %s%s%s%s\n", fault->name, fault->class, fault->about, seen ? " (" : "",
               seen ? fault->seen : "", seen ? ")" : "");
    }
}

/* Keeps the faults of --fault, or all except drills and those of class giant, in the order of the
 * list. */
static void choose(const struct options *options, struct cli_fault *list, size_t *count)
{
    for (size_t w = 0; w < options->wanted_count; w++) {
        struct cli_near near;
        if (!cli_faults_have(list, *count, options->wanted[w], &near)) {
            cli_fail(CLI_USAGE, "there is no fault '%s'%s --list lists them", options->wanted[w],
                     cli_near_text(&near, ";"));
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        bool wanted = options->wanted_count == 0 && !list[i].always && !list[i].giant;
        for (size_t w = 0; w < options->wanted_count; w++) {
            wanted |= strcmp(list[i].name, options->wanted[w]) == 0;
        }
        if (wanted) {
            list[kept++] = list[i];
        }
    }
    *count = kept;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_file(const char *dir, const char *name, const struct trust *trust,
                       void (*print)(FILE *out, const struct trust *trust))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    struct topk_output file;
    if (!cli_file_create(&file, path, TOPK_OUTPUT_NAMED)) {
        return false;
    }
    print(file.file, trust);
    return cli_file_close(&file, true);
}

/* called before anything is run, so that no work is lost */
static void make_folder(const char *dir)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        cli_fail(CLI_USAGE, "cannot make the folder %s: %s", dir, strerror(errno));
    }
}

static int write_files(const char *dir, const struct trust *trust)
{
    bool written = write_file(dir, "summary.txt", trust, trust_print_summary) &&
                   write_file(dir, "matrix.txt", trust, trust_print_matrix) &&
                   write_file(dir, "kills.txt", trust, trust_print_kills) &&
                   write_file(dir, "ledger.txt", trust, trust_print_ledger);
    return written ? CLI_CONFORMANT : CLI_HARNESS;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Checks that profile full kills the faults that survive this profile. */
static int check_full(const struct trust *trust, uint32_t jobs)
{
    static struct cli_fault alive[CLI_FAULTS_MAX];
    struct trust full = {.faults = alive, .brief = trust->brief};
    for (size_t i = 0; i < trust->fault_count; i++) {
        if (!trust->faults[i].allowed && !trust_dead(trust, i)) {
            alive[full.fault_count++] = trust->faults[i];
        }
    }
    const struct topk_profile *profile = topk_profile_find("full");
    if (full.fault_count == 0 || profile == trust->suite.profile) {
        return full.fault_count == 0 ? CLI_CONFORMANT : CLI_FAILURES;
    }
    trust_suite_open(&full.suite, profile);
    int code = trust_run(&full, jobs);
    for (size_t i = 0; code != CLI_HARNESS && code != CLI_INCOMPLETE && i < full.fault_count; i++) {
        if (!trust_dead(&full, i)) {
            cli_error("%s survives profile full", alive[i].name);
            code = CLI_FAILURES;
        }
    }
    trust_free(&full);
    trust_suite_close(&full.suite);
    return code;
}

/* Runs each fault, and prints whether what a run states about it is true. */
static int measure(const struct options *options, struct trust *trust, uint32_t jobs)
{
    trust_verdicts_open(trust);
    int code = trust_run(trust, jobs);
    if (code == CLI_CONFORMANT) {
        trust_figure(trust, &trust->figures);
        trust->measured = true;
        trust_print_verdicts(stdout, trust);
        fflush(stdout);
        code = options->out != NULL &&
                       !write_file(options->out, "verdicts.txt", trust, trust_print_verdicts)
                   ? CLI_HARNESS
                   : CLI_CONFORMANT;
    }
    trust_free(trust);
    return code;
}

static int judge_verdicts(const struct options *options, const struct trust *trust)
{
    const bool holds = trust_figures_hold(&trust->figures);
    if (!holds) {
        cli_error("the figures miss their targets: see docs/trust.md");
    }
    const int differs = options->check == NULL
                            ? CLI_CONFORMANT
                            : trust_ledger_check_figures(options->check, &trust->figures);
    return differs != CLI_CONFORMANT ? differs : holds ? CLI_CONFORMANT : CLI_FAILURES;
}

static int judge(const struct trust *trust)
{
    struct trust_totals totals;
    trust_count(trust, &totals);
    bool good = totals.dead == totals.faults && totals.rejected == 0 && totals.unnamed == 0 &&
                totals.mistrusted == 0 && totals.thin == 0;
    return good ? CLI_CONFORMANT : CLI_FAILURES;
}

static int report(const struct options *options, const struct trust *trust, uint32_t jobs)
{
    if (options->check == NULL && !options->brief) {
        trust_print_matrix(stdout, trust);
        putchar('\n');
    }
    trust_print_summary(stdout, trust);
    int code = options->out == NULL ? CLI_CONFORMANT : write_files(options->out, trust);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    if (options->check == NULL) {
        return judge(trust);
    }
    fflush(stdout);
    int differs = trust_ledger_check(options->check, trust);
    int survives = check_full(trust, jobs);
    return survives > differs ? survives : differs;
}

/* Finds out which cases detect which fault. */
static int meet_all(const struct options *options, struct trust *trust, uint32_t jobs)
{
    trust->drills = options->wanted_count == 0;
    const int code = trust_run(trust, jobs);
    return code == CLI_CONFORMANT ? report(options, trust, jobs) : code;
}

int cli_trust(int argc, char **argv)
{
    static struct cli_fault faults[CLI_FAULTS_MAX];
    struct options options = {.profile = topk_profile_find("core")};
    struct trust trust = {.faults = faults};
    cli_parse(&cli_trust_argp, argc, argv, &options);
    trust.fault_count = cli_faults_read(faults);
    if (options.list) {
        list_faults(faults, trust.fault_count);
        return CLI_CONFORMANT;
    }
    choose(&options, faults, &trust.fault_count);
    if (options.out != NULL) {
        make_folder(options.out);
    }
    trust.brief = options.brief;
    trust_suite_open(&trust.suite, options.profile);
    if (options.check != NULL) {
        trust_ledger_open(options.check, &trust, options.verdicts);
    }
    uint32_t jobs = options.jobs > 0 ? options.jobs : (uint32_t)uv_available_parallelism();
    const bool whole = options.out != NULL && options.wanted_count == 0; /* for the ledger */
    int code = options.verdicts || whole ? measure(&options, &trust, jobs) : CLI_CONFORMANT;
    if (code == CLI_CONFORMANT) {
        code =
            options.verdicts ? judge_verdicts(&options, &trust) : meet_all(&options, &trust, jobs);
    }
    trust_free(&trust);
    trust_suite_close(&trust.suite);
    return code;
}
