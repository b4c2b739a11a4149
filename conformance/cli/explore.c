/* topk-cts explore: runs random cases until the time is up, and shrinks the failures. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "explore.h"

enum {
    KEY_TIME = 5000,
    KEY_COUNT,
    KEY_SEED,
    KEY_FROM,
    KEY_ELEMENTS,
    KEY_AGAINST_COMMAND,
    KEY_FEEDBACK
};

#define JOBS_MAX     256
#define TIME_DEFAULT 60.0
#define ELEMENTS_MAX (1u << 26)
/* number of positions that are tracked: more than can run at once */
#define WINDOW (1u << 24)

/* ---- options --------------------------------------------------------------------------------- */

static double seconds_of(struct argp_state *state, const char *text)
{
    char *end;
    errno = 0;
    double seconds = strtod(text, &end);
    if (errno != 0 || *text == 0 || *end != 0 || !(seconds > 0 && seconds < HUGE_VAL)) {
        argp_error(state, "--time takes seconds above 0, not '%s'", text);
    }
    return seconds;
}

/* checks which options exclude --against, and which need it */
static void check_against(struct explore *explore, const struct argp_state *state)
{
    struct cli_backend *against = &explore->against;
    const struct cli_backend *backend = &explore->backend;
    if (against->spec == NULL && against->command == NULL) {
        if (explore->given_count > 0) {
            argp_error(state, "cases are for --against; `topk-cts replay' runs cases");
        }
        if (against->contract_file != NULL) {
            argp_error(state, "--against-contract goes with --against or --against-command");
        }
        return;
    }
    if (against->spec != NULL && against->command != NULL) {
        argp_error(state, "--against and --against-command exclude each other");
    }
    if (backend->worker != NULL || backend->machine_count > 1) {
        argp_error(state, "--against compares one --backend or --backend-command with another");
    }
    if (explore->list || (explore->corpus_path != NULL && explore->given_count > 0)) {
        argp_error(state, explore->list ? "--list and --against exclude each other"
                                        : "--corpus and cases exclude each other");
    }
    if (against->spec != NULL ? *against->spec == 0 : *against->command == 0) {
        argp_error(state, against->spec != NULL ? "--against takes a backend, not ''"
                                                : "--against-command takes a command, not ''");
    }
    if (against->contract_file != NULL) {
        cli_contract_need(against->contract_file, &against->contract);
    }
    explore->backend.outputs = true;
    against->outputs = true;
    against->timeout = backend->timeout;
    against->guard_page = backend->guard_page;
    against->contain = backend->contain;
    against->verbose = backend->verbose;
}

/* checks which options exclude --feedback, and which need it */
static void check_feedback(const struct explore *explore, const struct argp_state *state)
{
    if (explore->keep != NULL && !explore->guided) {
        argp_error(state, "--keep goes with --feedback");
    }
    if (explore->guided && (explore->against.spec != NULL || explore->against.command != NULL)) {
        argp_error(state, "--feedback and --against exclude each other");
    }
    if (explore->guided && explore->list) {
        argp_error(state, "--list and --feedback exclude each other: cases depend on what earlier "
                          "ones show");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const char *text;
    struct explore *explore = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &explore->backend;
        explore->backend.optional = true;
        explore->jobs = 1;
        explore->limits = topk_limits_usual;
        return 0;
    case KEY_TIME:
        explore->time = seconds_of(state, argument);
        return 0;
    case KEY_COUNT:
        explore->count = cli_number(state, "count", argument, UINT64_MAX);
        if (explore->count == 0) {
            argp_error(state, "--count takes a number from 1 on, not '%s'", argument);
        }
        return 0;
    case KEY_SEED:
        explore->seed = cli_number(state, "seed", argument, UINT64_MAX);
        explore->seeded = true;
        return 0;
    case KEY_FROM:
        explore->from = cli_number(state, "from", argument, UINT64_MAX / 4);
        return 0;
    case KEY_ELEMENTS:
        explore->limits.elements =
            (uint32_t)cli_number(state, "max-elements", argument, ELEMENTS_MAX);
        if (explore->limits.elements == 0) {
            argp_error(state, "--max-elements takes a number from 1 on, not '%s'", argument);
        }
        return 0;
    case KEY_AGAINST_COMMAND:
        explore->against.command = argument;
        explore->against.machines[0] = argument;
        explore->against.machine_count = 1;
        return 0;
    case KEY_FEEDBACK:
        explore->guided = true;
        if (argument != NULL && !topk_feedback_parse(argument, &explore->feedback_kind)) {
            argp_error(state, "--feedback takes auto, edges or results, not '%s'", argument);
        }
        return 0;
    case 'j':
        explore->jobs = (uint32_t)cli_number(state, "jobs", argument, JOBS_MAX);
        return 0;
    case 'o':
        explore->out = argument;
        return 0;
    case ARGP_KEY_ARGS:
        explore->given = state->argv + state->next;
        explore->given_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        check_against(explore, state);
        check_feedback(explore, state);
        if (explore->list && explore->count == 0) {
            argp_error(state, "--list needs --count");
        }
        if (!explore->list && cli_backend_given(&explore->backend, &text) == NULL) {
            argp_error(state, "no backend given. Give --backend NAME or --backend-command COMMAND");
        }
        if (explore->time == 0 && explore->count == 0) {
            explore->time = TIME_DEFAULT;
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_explore_argp = {
    .options =
        (const struct argp_option[]){
            {"time", KEY_TIME, "SECONDS", 0, "Stop after this many seconds; default 60", 0},
            {"count", KEY_COUNT, "N", 0,
             "Stop after this many cases; without --time there is no time limit", 0},
            {"seed", KEY_SEED, "SEED", 0,
             "Seed of the cases; default a new one each time, which is printed", 0},
            {"from", KEY_FROM, "POSITION", 0,
             "Position of the first case; default 0. A seed and a position identify a case", 0},
            {"first", CLI_FLAG(struct explore, first), NULL, 0, "Stop at the first failure", 0},
            {"max-elements", KEY_ELEMENTS, "N", 0,
             "Largest number of elements of an input; default 2097152. It changes which cases are "
             "drawn",
             0},
            {"corpus", CLI_TEXT(struct explore, corpus_path), "CORPUS", 0,
             "Start from the cases of a fuzzer's corpus, an archive such as "
             "corpus/fuzz/differential.tar or a folder: these first, then variants of one or two "
             "of them. --max-elements does not apply",
             0},
            {"feedback", KEY_FEEDBACK, "KIND", OPTION_ARG_OPTIONAL,
             "Keep cases that make the backend do something new, and draw most cases around them. "
             "KIND is what is looked at: edges, which a backend counts that was compiled for it; "
             "results, that is verdicts and times; or auto, the default: edges if the first cases "
             "show any, else results",
             0},
            {"keep", CLI_TEXT(struct explore, keep), "FOLDER", 0,
             "With --feedback: write kept cases to this folder, and start from those that are "
             "there",
             0},
            {"jobs", 'j', "N", 0, "Number of workers; 0: one for each processor; default 1", 0},
            {"out", 'o', "FILE", 0,
             "File for the shrunk cases, one per line; default "
             "topk-results/explore-NAME-SEED-POSITION.txt",
             0},
            {"against", CLI_TEXT(struct explore, against.spec), "BACKEND", 0,
             "Compare with this backend: look for cases on which the two disagree, and say whose "
             "outputs their contracts support",
             0},
            {"against-command", KEY_AGAINST_COMMAND, "COMMAND", 0,
             "Compare with the process that this shell command starts", 0},
            {"against-contract", CLI_TEXT(struct explore, against.contract_file), "FILE", 0,
             "Declared contract of the backend of --against", 0},
            {"list", CLI_FLAG(struct explore, list), NULL, 0,
             "Print the cases instead of running them; needs --count and no backend", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "[CASE...|-]",
    .doc =
        "Runs random cases, valid and invalid, until the time is up. Shrinks distinct failures, "
        "prints each once, and writes them to a file.\vCtrl-C ends it early; failures so far are "
        "still shrunk, unless there is a second Ctrl-C. The last lines say how to continue.\n"
        "\n"
        "With --against both A, --backend, and B, --against, run each case, and each is judged by "
        "its own contract. Exits with 1 if one of them is wrong, with 0 if they only differ where "
        "both are right. CASE: run these instead of random cases; - reads them from standard "
        "input.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0}, {0}},
};

/* ---- cases ----------------------------------------------------------------------------------- */

static int list_cases(struct explore *explore)
{
    for (uint64_t i = 0; i < explore->count && cli_output_open(); i++) {
        struct topk_case tc;
        size_t length;
        cli_need_memory(explore_draw(explore, explore->from + i, &tc, &length));
        topk_case_clear(&tc);
        explore_id(explore, explore->from + i);
        puts(explore->id);
    }
    return CLI_CONFORMANT;
}

/* ---- the job --------------------------------------------------------------------------------- */

static bool next(void *context, uint64_t *number)
{
    struct explore *explore = context;
    const bool done = explore->count > 0 && explore->position - explore->from >= explore->count;
    if (done || (explore->feedback != NULL && explore->position == explore->end) ||
        explore->no_memory || explore->position - explore->low >= WINDOW ||
        (explore->time > 0 && explore_now() - explore->started >= explore->time)) {
        return false;
    }
    *number = explore->position++;
    return true;
}

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    struct explore *explore = context;
    struct topk_case tc;
    if (explore->texted && explore->text_position == number) {
        *length = explore->text_length;
    } else if (explore_draw(explore, number, &tc, length)) {
        topk_case_clear(&tc);
    } else {
        *length = 0; /* the worker then reports that it is not a case; the job ends anyway */
    }
    return explore->text;
}

static void mark_answered(struct explore *explore, uint64_t number)
{
    cli_bits_put(explore->answered, number % WINDOW);
    while (cli_bits_have(explore->answered, explore->low % WINDOW)) {
        const uint64_t bit = explore->low++ % WINDOW;
        explore->answered[bit / 64] &= ~((uint64_t)1 << bit % 64);
    }
}

static void note(void *context, const char *text)
{
    struct explore *explore = context;
    cli_progress_erase(&explore->progress);
    cli_error("note: %s", text);
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct explore *explore = context;
    mark_answered(explore, number);
    if (explore->feedback != NULL) {
        topk_feedback_result(explore->feedback, number, result);
    }
    const bool goes_on = cli_early_take(&explore->early, result->verdict);
    struct topk_clause_set broken = {{0}};
    struct topk_case tc;
    size_t length;
    topk_result_clauses(result, &broken);
    explore->id[0] = 0;
    if (!explore->tally.tested.served) { /* if not, the tally ignores the feature level */
        if (!explore_draw(explore, number, &tc, &length)) {
            return false;
        }
        topk_case_clear(&tc);
        explore_id(explore, number);
    }
    cli_tally_add(&explore->tally, cli_tally_ask(&explore->tally, explore->id), result->verdict,
                  result->by_status, result->by_contract, result->clause, &broken,
                  result->judgement.observations, result->reason);
    if (!topk_verdict_failure(result->verdict)) {
        return true;
    }
    cli_tally_protocol(&explore->tally, &explore->backend, result, note, explore);
    if (!explore_draw(explore, number, &tc, &length)) {
        return false;
    }
    length = explore_id(explore, number);
    explore->no_memory |=
        !topk_distinct_add(&explore->distinct, number, explore->id, length, &tc, result);
    topk_case_clear(&tc);
    return !explore->no_memory && !explore->first && goes_on;
}

static void tick(void *context)
{
    struct explore *explore = context;
    double passed = explore_now() - explore->started;
    if (explore->time > 0 && passed > explore->time + EXPLORE_GRACE) {
        topk_runner_stop(explore->workers.runner);
    }
    char left[64] = "";
    uint64_t done = explore->tally.done;
    if (explore->time > passed) {
        snprintf(left, sizeof left, "  %.0f s left", explore->time - passed);
    } else if (explore->count > done) {
        snprintf(left, sizeof left, "  %" PRIu64 " cases left", explore->count - done);
    }
    cli_progress_show(&explore->progress,
                      "%" PRIu64 " cases  %.0f/s  %" PRIu64 " failed, %zu distinct%s", done,
                      passed > 0 ? (double)done / passed : 0, cli_tally_failures(&explore->tally),
                      explore->distinct.count, left);
}

static void ended(void *context, enum topk_process_end end, const char *how)
{
    struct explore *explore = context;
    (void)how; /* the runner has printed a note */
    cli_tally_ended(&explore->tally, end);
}

/* ---- the end --------------------------------------------------------------------------------- */

static enum topk_runner_status shrink(struct explore *explore, bool interrupted)
{
    struct topk_runner *runner = explore->workers.runner;
    static struct topk_greeting greeting; /* static, to keep the stack small */
    enum topk_runner_status status = TOPK_RUNNER_BROKEN;
    char error[TOPK_RUNNER_ERROR];
    if (interrupted) { /* the runner has ended: another one shrinks */
        cli_workers_remain(&explore->workers);
        runner = topk_runner_open(&explore->workers.options, &greeting, &status, error);
    }
    if (runner != NULL) {
        status = cli_distinct_shrink(&explore->distinct, runner, explore->backend.timeout);
    }
    if (interrupted) {
        topk_runner_close(runner);
    }
    return status;
}

static const char *id_of(void *context, uint64_t number)
{
    struct explore *explore = context;
    struct topk_case tc;
    size_t length;
    if (!explore_draw(explore, number, &tc, &length)) {
        return NULL;
    }
    topk_case_clear(&tc);
    explore_id(explore, number);
    return explore->id;
}

/* Prints which of the printed failures need earlier cases. */
static void print_alone(struct explore *explore, const char *path)
{
    struct cli_alone alone = {
        .options = &explore->workers.options,
        .id = id_of,
        .context = explore,
        .replay = explore->style.replay,
        .seconds = CLI_ALONE_LEAST + CLI_ALONE_SHARE * (explore_now() - explore->started),
    };
    uint64_t last = explore->from;
    for (size_t i = 0; i < explore->distinct.count; i++) {
        const struct topk_distinct_failure *entry = &explore->distinct.list[i];
        cli_alone_add(&alone, cli_distinct_text(entry), entry->number);
        last = entry->number > last && i < CLI_ALONE_FAILURES ? entry->number : last;
    }
    const uint64_t all = last - explore->from + 1;
    struct cli_order order = {.count = all < CLI_ALONE_EARLIER ? all : CLI_ALONE_EARLIER};
    order.first = last + 1 - order.count;
    char *prefix = cli_need(malloc(strlen(path) + sizeof ".behind-"));
    sprintf(prefix, "%s.behind-", path);
    alone.order = &order;
    alone.list_prefix = prefix;
    cli_alone_print(stdout, &alone);
    free(prefix);
}

static int report_failures(struct explore *explore, bool broken, bool interrupted)
{
    if (explore->distinct.count == 0) {
        return CLI_CONFORMANT;
    }
    /* without workers the failures are kept as they are */
    enum topk_runner_status status = broken ? TOPK_RUNNER_BROKEN : shrink(explore, interrupted);
    if (status != TOPK_RUNNER_DONE) {
        cli_error("shrinking ended early (%s): the cases may become smaller",
                  status == TOPK_RUNNER_INTERRUPTED ? "interrupted"
                                                    : "workers cannot be kept running");
    }
    cli_distinct_print(stdout, &explore->distinct, &explore->style);
    putchar('\n');
    char *path = explore_out_path(explore, explore->workers.greeting.name);
    if (path != NULL && status == TOPK_RUNNER_DONE && !interrupted) {
        print_alone(explore, path);
    }
    bool written = path != NULL && cli_distinct_write(path, TOPK_OUTPUT_NAMED, &explore->distinct);
    if (written) {
        cli_print("distinct failures: %s\n", path);
    }
    free(path);
    return written ? CLI_FAILURES : CLI_HARNESS;
}

static void print_end(const struct explore *explore, double seconds)
{
    uint64_t failures = cli_tally_failures(&explore->tally);
    cli_tally_print(stdout, &explore->tally, explore->style.software_device);
    printf("explored %" PRIu64 " cases in %.1f s: ", explore->tally.done, seconds);
    if (failures == 0) {
        puts("none failed");
    } else {
        printf("%" PRIu64 " failed, %zu distinct\n", failures, explore->distinct.count);
    }
    explore_feedback_print(explore);
    cli_judge_note(&explore->tally);
    if (explore->low > explore->from) {
        printf("seed %" PRIu64 ", positions %" PRIu64 " to %" PRIu64 "; ", explore->seed,
               explore->from, explore->low - 1);
    }
    const char *const again = explore->guided ? explore->keep : explore->corpus_path;
    if (explore->guided && again == NULL) {
        puts("--keep FOLDER keeps cases for another run");
        return;
    }
    printf("to continue: --seed %" PRIu64 " --from %" PRIu64, explore->seed, explore->low);
    if (again != NULL) {
        char *word = cli_shell_word(again);
        printf("%s%s", explore->guided ? " --feedback --keep " : " --corpus ", word);
        free(word);
    }
    putchar('\n');
}

static int run(struct explore *explore)
{
    static char error[TOPK_RUNNER_ERROR]; /* static, to keep the stack small */
    struct topk_runner_job job = {
        .next = next,
        .text = case_text,
        .result = take_result,
        .tick = tick,
        .context = explore,
    };
    printf("topk-cts %s explores with seed %" PRIu64 "\nbackend: ", TOPK_VERSION, explore->seed);
    cli_identity_print(stdout, &explore->workers.greeting);
    cli_guard_pages_print(stdout, &explore->backend);
    fflush(stdout);
    explore->position = explore->from;
    explore->low = explore->from;
    explore->started = explore_now();
    cli_early_start(&explore->early, explore->backend.timeout);
    enum topk_runner_status status = explore->feedback != NULL
                                         ? explore_feedback_run(explore, &job, error)
                                         : topk_runner_run(explore->workers.runner, &job, error);
    double seconds = explore_now() - explore->started;
    cli_progress_erase(&explore->progress);
    cli_early_explain(&explore->early, false);
    bool interrupted = status == TOPK_RUNNER_INTERRUPTED;
    bool broken = status != TOPK_RUNNER_DONE && status != TOPK_RUNNER_STOPPED && !interrupted;
    int code = report_failures(explore, broken, interrupted);
    if (!cli_workers_close(&explore->workers) && code == CLI_CONFORMANT) {
        code = CLI_HARNESS;
    }
    print_end(explore, seconds);
    cli_need_memory(!explore->no_memory);
    if (explore->feedback != NULL && topk_feedback_silent(explore->feedback)) {
        cli_error("the backend counted no edges: compile it for that, or give --feedback=results");
        code = code == CLI_CONFORMANT ? CLI_UNAVAILABLE : code;
    }
    if (broken) {
        return cli_runner_failed(status, error);
    }
    if (code != CLI_CONFORMANT) {
        return code;
    }
    return interrupted ? CLI_INCOMPLETE : cli_tally_exit(&explore->tally);
}

static int open_and_run(struct explore *explore)
{
    struct topk_lock lock = {0};
    explore_check_out(&lock, explore->out);
    cli_tally_start(&explore->tally, &explore->backend);
    if (explore->guided) {
        explore_feedback_open(explore);
    }
    cli_workers_open(&explore->workers, &explore->backend, explore->jobs, note, ended, explore);
    explore->style.software_device = cli_software_device(&explore->workers.greeting);
    explore->style.contract = explore->workers.greeting.contract;
    explore->tally.contract = explore->workers.greeting.contract;
    int code = run(explore);
    cli_workers_close(&explore->workers);
    explore_feedback_close(explore);
    topk_lock_release(&lock);
    return code;
}

int cli_explore(int argc, char **argv)
{
    struct explore *explore = cli_need(calloc(1, sizeof *explore));
    cli_parse(&cli_explore_argp, argc, argv, explore);
    if (!explore->seeded) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        explore->seed = ((uint64_t)time.tv_sec << 20 ^ (uint64_t)time.tv_nsec) % 1000000000;
    }
    char *replay = explore->list ? NULL : cli_replay_command(&explore->backend);
    explore->style.colour = cli_colour(stdout);
    explore->style.replay = replay;
    cli_progress_start(&explore->progress, 0, 0);
    explore->text = cli_need(malloc(TOPK_CASE_TEXT));
    explore->id = cli_need(malloc(TOPK_CASE_ID));
    explore->answered = cli_bits_new(WINDOW);
    int code = CLI_CONFORMANT;
    if (explore->corpus_path != NULL) {
        cli_corpus_begin(&explore->corpus, "differential", true);
        code = cli_corpus_read(explore->corpus_path, &explore->corpus);
    }
    for (size_t i = 0; i < explore->given_count && code == CLI_CONFORMANT; i++) {
        const char *given = explore->given[i];
        code = strcmp(given, "-") == 0 ? cli_cases_read(&explore->cases, NULL)
                                       : cli_cases_add(&explore->cases, given, strlen(given), "");
    }
    if (code == CLI_CONFORMANT) {
        const bool two = explore->against.spec != NULL || explore->against.command != NULL;
        code = explore->list ? list_cases(explore)
               : two         ? explore_against(explore)
                             : open_and_run(explore);
    }
    free(replay);
    free(explore->text);
    free(explore->id);
    free(explore->answered);
    cli_corpus_free(&explore->corpus);
    cli_cases_free(&explore->cases);
    cli_tally_free(&explore->tally);
    topk_distinct_free(&explore->distinct);
    free(explore);
    return code;
}
