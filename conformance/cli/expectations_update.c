/* topk-cts expectations update: reads a run, and proposes its failures as rules, for a person to
 * complete. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "coverage/coverage.h"
#include "expectations_update.h"
#include "log/log.h"

enum {
    KEY_EXPIRES = 8200
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct cli_expectations_options *options = state->input;
    char today[CLI_DAY];
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_EXPIRES:
        options->expires = argument;
        if (!topk_expectation_date_valid(argument)) {
            argp_error(state, "--expires takes a day, as 2026-12-31, not '%s'", argument);
        }
        /* a rule until a day that has passed would be expired in every run */
        if (strcmp(argument, cli_today(today)) < 0) {
            argp_error(state, "--expires takes today or a later day (UTC), but '%s' has passed",
                       argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (!options->update && strcmp(argument, "update") != 0) {
            argp_error(state, "expected `update', not '%s'", argument);
        }
        if (options->run != NULL) {
            argp_error(state, "one run at a time: '%s' is a second one", argument);
        }
        options->run = options->update ? argument : NULL;
        options->update = true;
        return 0;
    case ARGP_KEY_END:
        if (options->run == NULL) {
            argp_error(state,
                       "no run given. Give `update' and a folder that `topk-cts run --out' made");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_expectations_argp = {
    .options =
        (const struct argp_option[]){
            {"output", 'o', "FILE", 0, "Write to this new file instead of standard output", 0},
            {"owner", CLI_TEXT(struct cli_expectations_options, owner), "NAME", 0,
             "The owner of the failures; default `?', which you must replace before you use the "
             "file",
             0},
            {"expires", KEY_EXPIRES, "DATE", 0,
             "The last day of the new rules, not before today; default 90 days after the run, "
             "or after today if that day has passed",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "update RUN",
    .doc = "Proposes a file for `topk-cts run --expectations' from a run. For a run of a whole "
           "profile it has a rule for each condition that failures share; else a rule for each "
           "test whose cases all ran and failed, and one for each other case that failed. A rule "
           "says which clauses are broken, and the cause if one explains all. Rules of the run are "
           "kept, but as comments if they are expired, if some of their cases passed, or if they "
           "match no case of a whole profile.\vIt is a proposal: you decide what to expect, and "
           "say why. For an incomplete run a warning says how many cases have a result. For a "
           "truncated log the exit code is 3.",
};

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct proposal *p = context;
    p->backend = cli_need(strdup(header->backend.name));
    p->version = cli_need(strdup(header->backend.version));
    p->driver = cli_need(strdup(header->backend.driver));
    p->started = cli_need(strdup(header->started));
    p->text = cli_need(strdup(header->expectations));
    p->selected = header->cases;
    p->part =
        header->selection_count > 0 || header->shards > 0 || header->level < header->backend.level;
    if (!topk_expectations_parse(&p->rules, "expectations of the run", p->text, strlen(p->text),
                                 p->error, sizeof p->error)) {
        return false;
    }
    topk_expectations_start(&p->rules, p->backend, p->version, p->driver, p->started);
    return true;
}

/* the number of the test of an id, which is the part before the ':'; the test gets a tally */
static uint32_t test_of(struct proposal *p, const char *id)
{
    char name[128];
    uint32_t number;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(id, ":"), id);
    cli_need_memory(topk_ids_number(&p->tests, name, &number));
    if (number >= p->tally_room) {
        size_t room = 2 * (size_t)number + 64;
        p->tallies = cli_need(realloc(p->tallies, room * sizeof *p->tallies));
        memset(p->tallies + p->tally_room, 0, (room - p->tally_room) * sizeof *p->tallies);
        p->tally_room = room;
    }
    return number;
}

static bool is_failure(enum topk_verdict verdict)
{
    return topk_verdict_failure(verdict) && verdict != TOPK_VERDICT_HARNESS_ERROR;
}

static void keep_failure(struct proposal *p, const struct topk_log_record *record, uint32_t number,
                         uint32_t test)
{
    char site[TOPK_CRASH_TEXT] = "";
    if (p->count == p->room) {
        p->room = p->room == 0 ? 64 : 2 * p->room;
        p->failures = cli_need(realloc(p->failures, p->room * sizeof *p->failures));
    }
    if (record->crash != NULL) {
        topk_crash_site_print(record->crash, site);
    }
    const char *reason = record->cause[0] != 0       ? record->cause
                         : record->finding_count > 0 ? record->findings[0].sentence
                         : record->reason[0] != 0    ? record->reason
                                                     : "?";
    struct failure *failure = &p->failures[p->count++];
    *failure = (struct failure){
        .number = number,
        .test = test,
        .site = cli_need(strdup(site)),
        .reason = cli_need(strdup(reason)),
        .rule = record->rule,
    };
    topk_ended_read(record, &failure->ended);
    failure->ended.id = p->ids.texts[number];
    if (record->crash != NULL) {
        failure->crash = cli_need(malloc(sizeof *failure->crash));
        *failure->crash = *record->crash;
    }
    failure->ended.crash = failure->crash;
}

/* the number of the way in which a case failed */
static uint32_t kind_of(struct proposal *p, const struct topk_log_record *record)
{
    char text[TOPK_CRASH_TEXT] = "";
    uint32_t kind;
    if (record->crash != NULL) {
        topk_crash_site_print(record->crash, text);
    } else if (record->finding_count > 0) {
        snprintf(text, sizeof text, "%s", record->findings[0].mismatch);
    }
    cli_need_memory(topk_ids_number(&p->kinds, text, &kind));
    return kind;
}

/* keeps a case as a sample to learn from */
static void keep_sample(struct proposal *p, const struct topk_log_record *record, uint32_t number)
{
    struct topk_case tc;
    if (number >= p->sample_room) {
        p->sample_room = 2 * (size_t)number + 1024;
        p->samples = cli_need(realloc(p->samples, p->sample_room * sizeof *p->samples));
    }
    struct topk_sample *sample = &p->samples[number];
    *sample = (struct topk_sample){.label = TOPK_LABEL_NEITHER};
    if (cli_case_parse(record->id, strlen(record->id), &tc)) {
        sample->call = topk_features_call(is_failure(record->own_verdict), record->call);
        topk_features_describe_call(&tc, sample->call, &sample->features);
        sample->refusal = !topk_aspects_ask(topk_case_call(&tc, sample->call));
        sample->verdict = record->own_verdict;
        sample->nature = (unsigned char)record->own_verdict;
        sample->readings = record->readings;
        sample->guess = record->guess;
        sample->wrong = record->has_sequence;
        sample->label = record->own_verdict == TOPK_VERDICT_PASS ? TOPK_LABEL_PASS
                        : is_failure(record->own_verdict)        ? TOPK_LABEL_FAIL
                                                                 : TOPK_LABEL_NEITHER;
        sample->kind = kind_of(p, record);
    }
    topk_case_clear(&tc);
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct proposal *p = context;
    const uint32_t test = test_of(p, record->id);
    struct tally *tally = &p->tallies[test];
    struct topk_ended ended;
    uint32_t line;
    uint32_t number;
    cli_need_memory(topk_ids_number(&p->ids, record->id, &number));
    p->recorded++;
    topk_ended_read(record, &ended);
    (void)topk_expectations_judge(&p->rules, &ended, &line, NULL);
    tally->cases++;
    tally->by_verdict[record->own_verdict]++;
    keep_sample(p, record, number);
    if (is_failure(record->own_verdict)) {
        keep_failure(p, record, number, test);
    }
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct proposal *p = context;
    p->complete = ending->complete;
    return true;
}

/* ---- tests that the log has as a whole ------------------------------------------------------- */

struct search {
    struct topk_ids *ids;
    uint32_t logged; /* so many of the ids, the first ones, are of the log */
    char *id;        /* room for an id, which begins with the name of the test */
    size_t name;     /* length of the name with the ':' */
    bool missing;    /* a case is not in the log */
};

static bool search_case(void *context, struct topk_case *c)
{
    struct search *search = context;
    uint32_t number = 0;
    topk_case_print(c, search->id + search->name, TOPK_CASE_ID - search->name);
    cli_need_memory(topk_ids_number(search->ids, search->id, &number));
    search->missing |= number >= search->logged;
    return !search->missing;
}

/* Finds out which of the tests whose cases all failed the log has as a whole. A selection, a shard,
 * a feature level or an early end may have left out cases. A rule for a test is for all of its
 * cases, and a case that was not run must not be waived. */
static void search_tests(struct proposal *p)
{
    struct search search = {&p->ids, p->ids.count, cli_need(malloc(TOPK_CASE_ID)), 0, false};
    struct topk_sink sink = {.take = search_case, .context = &search};
    for (uint32_t i = 0; i < p->tests.count; i++) {
        const char *name = p->tests.texts[i];
        const struct topk_test *test = topk_test_find(name, strlen(name));
        struct tally *tally = &p->tallies[i];
        bool alike = false;
        for (int v = 0; v < TOPK_VERDICT_COUNT; v++) {
            alike |=
                topk_verdict_failure((enum topk_verdict)v) && tally->by_verdict[v] == tally->cases;
        }
        if (test == NULL || !alike || tally->cases < 2) {
            continue;
        }
        search.name = (size_t)snprintf(search.id, TOPK_CASE_ID, "%s:", name);
        search.missing = false;
        sink.stopped = false;
        topk_test_enumerate(test, &sink);
        tally->whole = !search.missing && sink.broken[0] == 0;
        cli_need_memory(!sink.no_memory);
    }
    free(search.id);
}

/* ---- the command -----------------------------------------------------------------------------*/

static void proposal_free(struct proposal *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->failures[i].site);
        free(p->failures[i].crash);
        free(p->failures[i].reason);
    }
    free(p->failures);
    free(p->samples);
    free(p->tallies);
    free(p->text);
    free(p->backend);
    free(p->version);
    free(p->driver);
    free(p->started);
    topk_ids_free(&p->kinds);
    topk_ids_free(&p->tests);
    topk_ids_free(&p->ids);
    topk_expectations_free(&p->rules);
    free(p);
}

static int write_proposal(struct proposal *p, const struct cli_expectations_options *options)
{
    char error[1024];
    struct topk_output output;
    if (!topk_output_open(&output, options->output, TOPK_OUTPUT_NEW, error, sizeof error)) {
        cli_error("%s", error);
        return output.refused ? CLI_USAGE : CLI_HARNESS;
    }
    proposal_put(output.file, p, options);
    /* errors of standard output are reported at the end of the program */
    if (!topk_output_close(&output, true, error, sizeof error) && output.path != NULL) {
        cli_error("%s", error);
        return CLI_HARNESS;
    }
    return CLI_CONFORMANT;
}

int cli_expectations(int argc, char **argv)
{
    struct cli_expectations_options options = {0};
    char error[1024] = "";
    cli_parse(&cli_expectations_argp, argc, argv, &options);
    struct proposal *p = cli_need(calloc(1, sizeof *p));
    char *path = cli_log_path(options.run);
    cli_note_use(path);
    int code = cli_log_there(options.run, path);
    if (code != CLI_CONFORMANT) {
        proposal_free(p);
        free(path);
        return code;
    }
    code = CLI_HARNESS;
    const struct topk_log_reader reader = {
        .context = p, .header = take_header, .record = take_record, .end = take_end};
    int status = topk_log_read(path, &reader, error, sizeof error);
    bool read = p->error[0] == 0 && status >= 0 && p->text != NULL;
    if (!read) {
        cli_error("%s", p->error[0] != 0 ? p->error : error);
    } else {
        search_tests(p);
        if (status > 0) {
            cli_error("%s; the records before it are used", error);
        } else if (!p->complete) {
            cli_error("warning: the run is incomplete: %" PRIu64 " of %" PRIu64
                      " cases have a result",
                      p->recorded, p->selected);
        }
        code = write_proposal(p, &options);
        code = code == CLI_CONFORMANT && status > 0 ? CLI_HARNESS : code;
    }
    proposal_free(p);
    free(path);
    return code;
}
