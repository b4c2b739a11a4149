/* topk-cts replay: runs single cases and prints what is wrong with each. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "session/session.h"

/* where cases come from */
struct source {
    const char *text; /* an id or the text of a case, "-", or a path */
    enum {
        SOURCE_TEXT,
        SOURCE_FILE,
        SOURCE_CORPUS
    } kind;
};

enum {
    KEY_CORPUS = 3000
};

struct replay {
    struct cli_backend backend;
    struct cli_early early;
    struct source *sources; /* owned; room for every argument */
    size_t source_count;
    struct cli_cases cases;
    uint32_t times; /* how often each case is run */
    struct cli_repeat repeat;
    struct topk_failure_style style;
    struct cli_tally tally;
    struct topk_gathering *gathering; /* for several cases; else NULL */
    struct topk_runner *runner;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct replay *replay = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &replay->backend;
        state->child_inputs[1] = &replay->early;
        state->child_inputs[2] = &replay->times;
        return 0;
    case 'f':
    case KEY_CORPUS:
    case ARGP_KEY_ARG:
        replay->sources[replay->source_count++] = (struct source){
            argument,
            key == 'f'          ? SOURCE_FILE
            : key == KEY_CORPUS ? SOURCE_CORPUS
                                : SOURCE_TEXT,
        };
        return 0;
    case ARGP_KEY_END:
        if (replay->source_count == 0) {
            argp_error(
                state,
                "no case given. Give its id or text, --file, --corpus, or - for standard input");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_replay_argp = {
    .options =
        (const struct argp_option[]){
            {"file", 'f', "FILE", 0, "Run the cases in FILE, one per line, as in corpus/", 0},
            {"corpus", KEY_CORPUS, "CORPUS", 0,
             "Run the cases of a fuzzer's corpus: corpus/fuzz/differential.tar, or a folder of "
             "scripts/fuzz",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "CASE...\n--file FILE\n--corpus CORPUS",
    .doc = "Runs single cases and prints the result of each. For a wrong sequence it prints "
           "expected and actual outputs side by side.\vA CASE is an id, `ties.boundary:top_k1 "
           "fl=5.0 ...', or only its text, in quotes for the shell. With `-' cases are read from "
           "standard input, one per line; there and in a FILE, empty lines and lines that start "
           "with `#' are ignored. replay writes no log.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0},
                                            {&cli_early_argp, 0, NULL, 0},
                                            {&cli_repeat_argp, 0, NULL, 0},
                                            {0}},
};

/* adds the cases of a fuzzer's corpus, by their texts */
static int read_corpus(struct cli_cases *cases, const char *path)
{
    struct cli_corpus corpus;
    char *text = cli_need(malloc(TOPK_CASE_TEXT));
    cli_corpus_begin(&corpus, "differential", true);
    int code = cli_corpus_read(path, &corpus);
    for (size_t i = 0; i < corpus.count && code == CLI_CONFORMANT; i++) {
        struct topk_case tc;
        const struct topk_piece *piece = &corpus.list[i].piece;
        cli_need_memory(topk_case_decode(piece->bytes, piece->length, &tc));
        const size_t length = topk_case_print(&tc, text, TOPK_CASE_TEXT);
        topk_case_clear(&tc);
        code = cli_cases_add(cases, text, length, path);
    }
    cli_corpus_free(&corpus);
    free(text);
    return code;
}

/* reads the cases of the command line, in its order */
static int read_cases(struct replay *replay)
{
    int code = CLI_CONFORMANT;
    for (size_t i = 0; i < replay->source_count && code == CLI_CONFORMANT; i++) {
        const struct source *source = &replay->sources[i];
        if (source->kind == SOURCE_CORPUS) {
            code = read_corpus(&replay->cases, source->text);
        } else if (source->kind == SOURCE_FILE) {
            code = cli_cases_read(&replay->cases, source->text);
        } else if (strcmp(source->text, "-") == 0) {
            code = cli_cases_read(&replay->cases, NULL);
        } else {
            code = cli_cases_add(&replay->cases, source->text, strlen(source->text), "");
        }
    }
    return code;
}

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct replay *replay = context;
    return cli_case_text(&replay->cases, number / replay->times, length);
}

static bool next_number(void *context, uint64_t *number)
{
    struct replay *replay = context;
    return cli_repeat_next(&replay->repeat, number);
}

static bool take_result(void *context, uint64_t number, const struct topk_result *one)
{
    struct replay *replay = context;
    const char *id = cli_case_at(&replay->cases, number / replay->times)->id;
    const struct topk_clause_set none = {{0}};
    bool ok;
    const struct topk_result *result = cli_repeat_take(&replay->repeat, number, one, &ok);
    cli_need_memory(ok);
    if (result == NULL) {
        return true;
    }
    topk_failure_print(stdout, &replay->style, id, result);
    cli_tally_add(&replay->tally, cli_tally_ask(&replay->tally, id), result->verdict,
                  result->by_status, result->by_contract, TOPK_CLAUSE_NONE, &none, 0,
                  result->reason);
    if (replay->gathering != NULL) {
        cli_need_memory(topk_gathering_add_result(replay->gathering, number / replay->times, id,
                                                  result, false));
    }
    cli_tally_protocol(&replay->tally, &replay->backend, result, cli_note, NULL);
    fflush(stdout);
    return cli_early_take(&replay->early, result->verdict);
}

static void tick(void *context)
{
    struct replay *replay = context;
    if (!cli_early_tick(&replay->early)) {
        topk_runner_stop(replay->runner);
    }
}

static void ended(void *context, enum topk_process_end end, const char *how)
{
    struct replay *replay = context;
    (void)how; /* the runner has printed a note */
    cli_tally_ended(&replay->tally, end);
}

/* prints what the failures among several cases have in common */
static void print_bugs(const struct replay *replay)
{
    struct topk_entries entries;
    cli_need_memory(topk_gathering_learn(replay->gathering, &entries));
    if (entries.count > 0) {
        cli_bugs_print_entries(stdout, &entries);
    }
    topk_entries_free(&entries);
}

static int run_cases(struct replay *replay)
{
    static struct cli_workers workers; /* static, to keep the stack small */
    char error[TOPK_RUNNER_ERROR];
    cli_workers_open(&workers, &replay->backend, 1, cli_note, ended, replay);
    cli_tally_start(&replay->tally, &replay->backend);
    const struct topk_runner_job job = {
        .next = next_number,
        .text = case_text,
        .result = take_result,
        .tick = tick,
        .context = replay,
    };
    replay->repeat = (struct cli_repeat){.times = replay->times, .count = replay->cases.count};
    replay->style.software_device = cli_software_device(&workers.greeting);
    replay->style.contract = workers.greeting.contract;
    replay->tally.contract = workers.greeting.contract;
    replay->runner = workers.runner;
    if (replay->cases.count > 1) {
        replay->gathering = cli_need(topk_gathering_new(&workers.greeting.contract));
    }
    cli_early_start(&replay->early, replay->backend.timeout);
    enum topk_runner_status status = topk_runner_run(workers.runner, &job, error);
    cli_workers_close(&workers);
    if (status != TOPK_RUNNER_DONE && status != TOPK_RUNNER_STOPPED) {
        return cli_runner_failed(status, error);
    }
    if (replay->gathering != NULL) {
        print_bugs(replay);
        cli_tally_print(stdout, &replay->tally, replay->style.software_device);
    }
    cli_judge_note(&replay->tally);
    if (cli_early_ended(&replay->early, replay->cases.count - replay->tally.done)) {
        char why[TOPK_EARLY_TEXT];
        topk_early_print(&replay->early.end, why, sizeof why);
        printf("%s: %" PRIu64 " of %zu cases were not run\n", why, replay->early.end.left,
               replay->cases.count);
        return cli_tally_failures(&replay->tally) == 0 ? CLI_INCOMPLETE
                                                       : cli_tally_exit(&replay->tally);
    }
    return cli_tally_exit(&replay->tally);
}

int cli_replay(int argc, char **argv)
{
    struct replay *replay = cli_need(calloc(1, sizeof *replay));
    replay->sources = cli_need(calloc((size_t)argc + 1, sizeof *replay->sources));
    cli_parse(&cli_replay_argp, argc, argv, replay);
    int code = read_cases(replay);
    char *command_text = cli_replay_command(&replay->backend);
    replay->style.colour = cli_colour(stdout);
    replay->style.replay = command_text;
    if (code == CLI_CONFORMANT) {
        code = run_cases(replay);
    }
    cli_cases_free(&replay->cases);
    cli_tally_free(&replay->tally);
    topk_gathering_free(replay->gathering);
    cli_repeat_free(&replay->repeat);
    free(command_text);
    free(replay->sources);
    free(replay);
    return code;
}
