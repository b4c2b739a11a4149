/* topk-cts expectations update: a run's failures as rules, for a person to complete. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "expectations/expectations.h"
#include "log/log.h"
#include "summary/summary.h"

enum {
    KEY_EXPIRES = 8200
};

#define DAYS 90

struct expectations_options {
    const char *run;
    const char *output;
    const char *owner;
    const char *expires;
    bool update;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct expectations_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_EXPIRES:
        options->expires = argument;
        if (!topk_expectation_date_valid(argument)) {
            argp_error(state, "--expires takes a day, as 2026-12-31, not '%s'", argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (!options->update && strcmp(argument, "update") != 0) {
            argp_error(state, "the word 'update' comes first, not '%s'", argument);
        }
        if (options->run != NULL) {
            argp_error(state, "one run at a time: '%s' is a second one", argument);
        }
        options->run = options->update ? argument : NULL;
        options->update = true;
        return 0;
    case ARGP_KEY_END:
        if (options->run == NULL) {
            argp_error(state, "which run? Give `update' and a folder that `topk-cts run --out' "
                              "made");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_expectations_argp = {
    .options =
        (const struct argp_option[]){
            {"output", 'o', "FILE", 0,
             "Write there, to a file that is not there yet, instead of to standard output", 0},
            {"owner", CLI_TEXT(struct expectations_options, owner), "NAME", 0,
             "Who looks after the failures; else `?', which `run --expectations' refuses until it "
             "is replaced",
             0},
            {"expires", KEY_EXPIRES, "DATE", 0,
             "The last day of the new rules; default 90 days after the run", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "update RUN",
    .doc = "Proposes a file for `topk-cts run --expectations' from a run: a rule for each test of "
           "which all cases were run and failed in the same way, else for each case that failed. "
           "Rules that the run had are kept; those that are expired, or of which cases passed, or, "
           "if a whole profile was run, matched none are kept as comments that say so."
           "\vIt is a proposal: a person decides what to expect, and says why. Of a run that is "
           "incomplete a warning says how many cases have a result; what is left of a log that was "
           "cut is proposed, with exit code 3.",
};

/* a case that failed */
struct failure {
    char *id; /* owned */
    char *reason;
    enum topk_verdict verdict; /* that it came to */
    uint32_t rule;             /* line of the one that waived it; 0: none */
};

struct proposal {
    uint64_t selected, recorded; /* cases of the run, and how many of them have a record */
    bool part;                   /* of what the backend serves of a profile */
    bool complete;               /* by the end record */
    struct topk_ids ids;         /* of the cases of the log */
    struct failure *failures;    /* owned */
    size_t count;
    size_t room;
    struct topk_expectations rules; /* of the run */
    char *text;                     /* of their file */
    char *backend, *version, *driver, *started;
    struct topk_ids tests; /* names of them */
    struct tally {
        uint64_t cases;
        uint64_t by_verdict[TOPK_VERDICT_COUNT]; /* what they came to */
        bool whole;                              /* the log has all cases that the test has */
        bool done;                               /* the test's rule is written */
    } * tallies;
    size_t tally_room;
    char error[512];
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

/* the tally of the test that an id names, by its characters up to the ':' */
static struct tally *tally_of(struct proposal *p, const char *id)
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
    return &p->tallies[number];
}

static void keep_failure(struct proposal *p, const struct topk_log_record *record)
{
    if (p->count == p->room) {
        p->room = p->room == 0 ? 64 : 2 * p->room;
        p->failures = cli_need(realloc(p->failures, p->room * sizeof *p->failures));
    }
    const char *reason = record->cause[0] != 0       ? record->cause
                         : record->finding_count > 0 ? record->findings[0].sentence
                         : record->reason[0] != 0    ? record->reason
                                                     : "?";
    p->failures[p->count++] = (struct failure){
        .id = cli_need(strdup(record->id)),
        .reason = cli_need(strdup(reason)),
        .verdict = record->own_verdict,
        .rule = record->rule,
    };
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct proposal *p = context;
    struct tally *tally = tally_of(p, record->id);
    struct topk_ended ended;
    uint32_t line;
    uint32_t number;
    cli_need_memory(topk_ids_number(&p->ids, record->id, &number));
    p->recorded++;
    topk_ended_read(record, &ended);
    (void)topk_expectations_judge(&p->rules, &ended, &line, NULL);
    tally->cases++;
    tally->by_verdict[record->own_verdict]++;
    if (topk_verdict_failure(record->own_verdict) &&
        record->own_verdict != TOPK_VERDICT_HARNESS_ERROR) {
        keep_failure(p, record);
    }
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct proposal *p = context;
    p->complete = ending->complete;
    return true;
}

/* ---- what the log has of a test -------------------------------------------------------------- */

struct search {
    struct topk_ids *ids;
    uint32_t logged; /* the first so many of them are of the log */
    char *id;        /* room for one, that begins with the test's name */
    size_t name;     /* characters of that, with the ':' */
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

/* Finds out which of the tests that failed as a whole the log has as a whole, whatever was left out
 * by a selection, a shard, a feature level or an end that came early: a rule for a test is for all
 * of its cases, and one that was not run is not to be waived. */
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

/* ---- writing --------------------------------------------------------------------------------- */

/* a value in quotes, in the form that a run will hold it against */
static void put_quoted(FILE *out, const char *text)
{
    char piece[TOPK_TEXT_PIECE];
    fputc('"', out);
    while (*text != 0) {
        text = topk_text_piece(text, piece);
        for (const char *c = piece; *c != 0; c++) {
            fputs(*c == '"' || *c == '\\' ? "\\" : "", out);
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

/* the day, `days` after "2026-01-31T..." */
static void later(const char *started, int days, char text[11])
{
    char from[11];
    snprintf(from, sizeof from, "%.10s", started);
    snprintf(text, 11, "?");
    if (topk_expectation_date_valid(from)) {
        struct tm day = {.tm_hour = 12,
                         .tm_year = (int)strtol(from, NULL, 10) - 1900,
                         .tm_mon = (int)strtol(from + 5, NULL, 10) - 1,
                         .tm_mday = (int)strtol(from + 8, NULL, 10) + days,
                         .tm_isdst = -1};
        if (mktime(&day) != (time_t)-1) {
            strftime(text, 11, "%Y-%m-%d", &day);
        }
    }
}

/* why a rule is not proposed again; NULL if it is: what was left out may be what it is for */
static const char *reason_against(const struct proposal *p, const struct topk_expectation *rule)
{
    return !rule->applies            ? NULL
           : rule->expired           ? "expired"
           : rule->passed > 0        ? "cases passed"
           : p->part || !p->complete ? NULL
           : rule->cases == 0        ? "matched no case"
           : rule->failed == 0       ? "no case failed as it says"
                                     : NULL;
}

/* whether a rule that is proposed again waives it */
static bool is_waived(const struct proposal *p, const struct failure *failure)
{
    for (size_t i = 0; i < p->rules.count; i++) {
        if (p->rules.rules[i].line == failure->rule) {
            return reason_against(p, &p->rules.rules[i]) == NULL;
        }
    }
    return false;
}

/* the rules of the run, line by line as they stand there */
static void put_kept(FILE *out, const struct proposal *p)
{
    const char *at = p->text;
    size_t rule = 0;
    for (uint32_t line = 1; *at != 0; line++) {
        size_t length = strcspn(at, "\n");
        if (rule < p->rules.count && p->rules.rules[rule].line == line) {
            const char *reason = reason_against(p, &p->rules.rules[rule++]);
            if (reason != NULL) {
                fprintf(out, "# %s: ", reason);
            }
        }
        fprintf(out, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void put_rule(FILE *out, const struct proposal *p,
                     const struct expectations_options *options, const struct failure *failure,
                     const char *select)
{
    char until[11];
    later(p->started, DAYS, until);
    fprintf(out, "verdict=%s select=", topk_verdict_word(failure->verdict));
    put_quoted(out, select);
    fputs(" backend=", out);
    put_quoted(out, p->backend);
    size_t version = strspn(p->version, "0123456789.");
    if (p->version[0] != '.' && version > 0 && p->version[version] == 0 &&
        strstr(p->version, "..") == NULL) {
        fprintf(out, " version=%s", p->version);
    }
    const char *last = strrchr(p->driver, ' ');
    if (p->driver[0] != 0 && strstr(last == NULL ? p->driver : last, "..") == NULL) {
        fputs(" driver=", out);
        put_quoted(out, p->driver);
    }
    fputs(" owner=", out);
    put_quoted(out, options->owner == NULL ? "?" : options->owner);
    fputs(" reason=", out);
    put_quoted(out, failure->reason);
    fprintf(out, " expires=%s\n", options->expires == NULL ? until : options->expires);
}

static void put_proposal(FILE *out, struct proposal *p, const struct expectations_options *options)
{
    if (p->text[0] == 0) {
        fputs("# Failures that are known: proposed by `topk-cts expectations update', for a person "
              "to complete.\n",
              out);
    }
    put_kept(out, p);
    for (size_t i = 0; i < p->count; i++) {
        const struct failure *failure = &p->failures[i];
        struct tally *tally = tally_of(p, failure->id);
        size_t name = strcspn(failure->id, ":");
        if ((tally->whole && tally->done) || is_waived(p, failure)) {
            continue;
        }
        char select[128];
        snprintf(select, sizeof select, "%.*s:", (int)name, failure->id);
        put_rule(out, p, options, failure, tally->whole ? select : failure->id);
        tally->done = true;
    }
}

static void proposal_free(struct proposal *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->failures[i].id);
        free(p->failures[i].reason);
    }
    free(p->failures);
    free(p->tallies);
    free(p->text);
    free(p->backend);
    free(p->version);
    free(p->driver);
    free(p->started);
    topk_ids_free(&p->tests);
    topk_ids_free(&p->ids);
    topk_expectations_free(&p->rules);
    free(p);
}

static int write_proposal(struct proposal *p, const struct expectations_options *options)
{
    if (options->output == NULL) {
        put_proposal(stdout, p, options);
        return CLI_CONFORMANT;
    }
    int fd = open(options->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (out == NULL) {
        int reason = errno;
        cli_error("cannot write %s: %s", options->output, strerror(reason));
        return reason == EEXIST ? CLI_USAGE : CLI_HARNESS;
    }
    put_proposal(out, p, options);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        cli_error("cannot write %s: %s", options->output, strerror(errno));
        return CLI_HARNESS;
    }
    return CLI_CONFORMANT;
}

int cli_expectations(int argc, char **argv)
{
    struct expectations_options options = {0};
    char error[1024] = "";
    cli_parse(&cli_expectations_argp, argc, argv, &options);
    struct proposal *p = cli_need(calloc(1, sizeof *p));
    char *path = cli_log_path(options.run);
    int code = CLI_HARNESS;
    const struct topk_log_reader reader = {
        .context = p, .header = take_header, .record = take_record, .end = take_end};
    int status = topk_log_read(path, &reader, error, sizeof error);
    bool read = p->error[0] == 0 && status >= 0 && p->text != NULL;
    if (!read) {
        cli_error("%s", p->error[0] != 0 ? p->error : error);
    } else {
        search_tests(p);
        if (status > 0) {
            cli_error("%s; what stands before is proposed", error);
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
