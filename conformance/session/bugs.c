/* Prints the bugs of a run at the end of a command. */
#define _POSIX_C_SOURCE 200809L
#include "bugs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "condition/vary.h"

/* maximum number of variants that are made to find fresh cases */
#define ATTEMPTS 3000u
/* members of a bug that variants are made from */
#define PARENTS 12u
/* the Bloom filter of the texts of the run's cases: its least and largest size in bits, powers of
 * two; bits of its size for each case; bits that mark a case */
#define KNOWN_LEAST  ((uint64_t)1 << 20)
#define KNOWN_MOST   ((uint64_t)1 << 27)
#define KNOWN_EACH   48u
#define KNOWN_HASHES 8u
/* maximum number of cases that a file lists */
#define LISTED_MOST 100000u

bool cli_bugs_read(struct cli_bugs *bugs, const char *log_path)
{
    const struct topk_log_source source = {.path = log_path};
    char error[1024] = "";
    /* the log has no end record yet, so a truncated log is not an error */
    const int status = topk_gathering_read(&bugs->gathering, &source, error, sizeof error);
    if (status >= 0 && topk_gathering_learn(bugs->gathering, &bugs->entries)) {
        return true;
    }
    cli_error("cannot determine what the failures share: %s", status < 0 ? error : "out of memory");
    return false;
}

void cli_bugs_free(struct cli_bugs *bugs)
{
    topk_entries_free(&bugs->entries);
    topk_gathering_free(bugs->gathering);
    bugs->gathering = NULL;
}

/* ---- fresh cases ----------------------------------------------------------------------------- */

struct fresh {
    struct cli_bugs *bugs;
    struct topk_log *log;
    struct topk_runner *runner;
    uint64_t until; /* uv_hrtime() at which to stop */
    char *texts[CLI_BUGS_ROUNDS * CLI_BUGS_PROBED * CLI_BUGS_FRESH];
    size_t count;
    size_t first; /* index of the first text of this round */
    /* a Bloom filter of the texts of the run's cases */
    uint64_t *known;
    uint64_t known_bits;
};

static void free_texts(struct fresh *fresh)
{
    for (size_t i = 0; i < fresh->count; i++) {
        free(fresh->texts[i]);
    }
    fresh->count = 0;
}

static bool parse_id(const char *id, struct topk_case *tc)
{
    return id != NULL && cli_case_parse(id, strlen(id), tc);
}

/* hashes a text into two numbers */
static void hash_text(const char *text, uint64_t hash[2])
{
    hash[0] = UINT64_C(14695981039346656037);
    for (const char *at = text; *at != 0; at++) {
        hash[0] = (hash[0] ^ (unsigned char)*at) * UINT64_C(1099511628211);
    }
    hash[1] = (hash[0] ^ hash[0] >> 31) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    hash[0] ^= hash[0] >> 29;
}

/* Adds the texts of the run's cases to the filter. False if memory is short. */
static bool know(struct fresh *fresh, const struct cli_cases *cases)
{
    fresh->known_bits = KNOWN_LEAST;
    while (fresh->known_bits < KNOWN_MOST && fresh->known_bits / KNOWN_EACH < cases->count) {
        fresh->known_bits *= 2;
    }
    fresh->known = calloc((size_t)(fresh->known_bits / 64), sizeof *fresh->known);
    for (size_t i = 0; fresh->known != NULL && i < cases->count; i++) {
        const struct cli_case *c = cli_case_at(cases, i);
        uint64_t hash[2];
        hash_text(c->id + c->text, hash);
        for (unsigned k = 0; k < KNOWN_HASHES; k++) {
            cli_bits_put(fresh->known, (hash[0] + k * hash[1]) % fresh->known_bits);
        }
    }
    return fresh->known != NULL;
}

/* Very rarely false for a text that the run does not have; then another one is made. */
static bool is_new(const struct fresh *fresh, const char *text)
{
    for (size_t i = 0; i < fresh->count; i++) {
        if (strcmp(fresh->texts[i], text) == 0) {
            return false;
        }
    }
    uint64_t hash[2];
    bool known = true;
    hash_text(text, hash);
    for (unsigned k = 0; known && k < KNOWN_HASHES; k++) {
        known = cli_bits_have(fresh->known, (hash[0] + k * hash[1]) % fresh->known_bits);
    }
    return !known;
}

static bool add_text(struct fresh *fresh, const struct topk_case *tc)
{
    const size_t length = topk_case_print(tc, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        return false;
    }
    topk_case_print(tc, text, length + 1);
    if (!is_new(fresh, text)) {
        free(text);
        return false;
    }
    fresh->texts[fresh->count++] = text;
    return true;
}

/* Makes fresh cases of a bug: inside its condition, and outside each border, that is, where exactly
 * one term does not hold. */
static void make_fresh(struct fresh *fresh, size_t number, uint64_t seed)
{
    const struct topk_entry *entry = &fresh->bugs->entries.list[number];
    const struct topk_condition *condition = &entry->bug.condition;
    const size_t sides = condition->count + 1;
    size_t wanted[TOPK_CONDITION_TERMS + 1];
    struct topk_case parents[PARENTS];
    size_t parent_count = 0;
    for (size_t i = 0; i < sides; i++) {
        wanted[i] = CLI_BUGS_FRESH / sides;
    }
    for (size_t i = 0; parent_count < PARENTS && i < PARENTS; i++) {
        const char *id = topk_gathering_member(fresh->bugs->gathering, &fresh->bugs->entries,
                                               number, i * (entry->count / PARENTS + 1));
        parent_count += parse_id(id, &parents[parent_count]);
    }
    for (unsigned attempt = 0; parent_count > 0 && attempt < ATTEMPTS; attempt++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, seed, attempt);
        if (!topk_vary(&parents[attempt % parent_count], condition, &choice, &tc)) {
            continue;
        }
        struct topk_features features;
        topk_features_describe(&tc, &features);
        topk_features_look(&tc, TOPK_FEATURES_ELEMENTS, &features);
        const size_t missed = topk_condition_missed(condition, &features);
        if (missed < sides && wanted[missed] > 0 && add_text(fresh, &tc)) {
            wanted[missed]--;
        }
        topk_case_clear(&tc);
    }
    for (size_t i = 0; i < parent_count; i++) {
        topk_case_clear(&parents[i]);
    }
}

static const char *fresh_text(void *context, uint64_t number, size_t *length)
{
    const struct fresh *fresh = context;
    const char *text = fresh->texts[fresh->first + number];
    *length = strlen(text);
    return text;
}

static bool take_fresh(void *context, uint64_t number, const struct topk_result *result)
{
    struct fresh *fresh = context;
    const char *text = fresh->texts[fresh->first + number];
    return topk_log_fresh(fresh->log, text, result) &&
           topk_gathering_add_result(fresh->bugs->gathering, 0, text, result, true);
}

static void tick(void *context)
{
    const struct fresh *fresh = context;
    if (uv_hrtime() >= fresh->until) {
        topk_runner_stop(fresh->runner);
    }
}

/* Excludes hangs, each of which costs its time limit, and cases that do not ask for a result: the
 * profile already shows which valid calls a backend refuses, and which invalid ones it accepts. */
static bool worth_probing(const struct topk_entry *entry)
{
    return !entry->bug.refusal && entry->bug.condition.count > 0 &&
           entry->verdict != TOPK_VERDICT_TIMEOUT && entry->verdict != TOPK_VERDICT_DEVICE_LOST &&
           entry->verdict != TOPK_VERDICT_HARNESS_ERROR && entry->verdict != TOPK_VERDICT_FLAKY;
}

enum topk_runner_status cli_bugs_probe(struct cli_bugs *bugs, struct topk_runner *runner,
                                       struct topk_log *log, const struct cli_cases *cases,
                                       double seconds)
{
    const double most = CLI_BUGS_LEAST + CLI_BUGS_SHARE * seconds;
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    struct fresh *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        return status;
    }
    *fresh = (struct fresh){
        .bugs = bugs, .log = log, .runner = runner, .until = uv_hrtime() + (uint64_t)(most * 1e9)};
    bool more = know(fresh, cases);
    for (uint64_t round = 0; more && round < CLI_BUGS_ROUNDS; round++) {
        char error[TOPK_RUNNER_ERROR];
        fresh->first = fresh->count;
        for (size_t i = 0; i < bugs->entries.count && i < CLI_BUGS_PROBED; i++) {
            if (worth_probing(&bugs->entries.list[i])) {
                make_fresh(fresh, i, round * CLI_BUGS_PROBED + i);
            }
        }
        const struct topk_runner_job job = {.count = fresh->count - fresh->first,
                                            .text = fresh_text,
                                            .result = take_fresh,
                                            .tick = tick,
                                            .context = fresh};
        more = fresh->count > fresh->first;
        if (more) {
            status = topk_runner_run(runner, &job, error);
            more = status == TOPK_RUNNER_DONE;
            topk_entries_free(&bugs->entries);
            if (!topk_gathering_learn(bugs->gathering, &bugs->entries)) {
                more = false;
            }
        }
    }
    free_texts(fresh);
    free(fresh->known);
    free(fresh);
    return status;
}

/* ---- one failure for each bug ---------------------------------------------------------------- */

struct single {
    const char *id;
    struct topk_result result;
    bool done;
};

static const char *single_text(void *context, uint64_t number, size_t *length)
{
    const struct single *single = context;
    size_t name;
    const char *text;
    (void)number;
    topk_case_id_split(single->id, strlen(single->id), &name, &text);
    *length = strlen(text);
    return text;
}

static bool take_single(void *context, uint64_t number, const struct topk_result *result)
{
    struct single *single = context;
    (void)number;
    single->result = *result;
    single->done = true;
    return true;
}

/* Runs the smallest case of a bug again; false if it passes now, or cannot be run. */
static bool run_example(const struct topk_entry *entry, struct topk_runner *runner,
                        struct topk_result *result)
{
    struct single single = {.id = entry->id};
    const struct topk_runner_job job = {
        .count = 1, .text = single_text, .result = take_single, .context = &single};
    char error[TOPK_RUNNER_ERROR];
    (void)topk_runner_run(runner, &job, error);
    *result = single.result;
    return single.done && topk_verdict_failure(single.result.verdict);
}

/* the smallest distinct failure of a bug; NULL if it has none */
static struct topk_distinct_failure *smallest_of(const struct topk_distinct *distinct,
                                                 const struct topk_entries *entries,
                                                 const struct topk_entry *entry)
{
    struct topk_distinct_failure *found = NULL;
    for (size_t i = 0; i < distinct->count; i++) {
        struct topk_distinct_failure *failure = &distinct->list[i];
        if (topk_entries_find(entries, failure->number) == entry &&
            (found == NULL || failure->elements < found->elements ||
             (failure->elements == found->elements && failure->number < found->number))) {
            found = failure;
        }
    }
    return found;
}

bool cli_bugs_collapse(const struct cli_bugs *bugs, struct topk_runner *runner,
                       struct topk_distinct *distinct)
{
    const struct topk_entries *entries = &bugs->entries;
    struct topk_distinct_failure *list = calloc(entries->count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < entries->count; i++) {
        const struct topk_entry *entry = &entries->list[i];
        struct topk_distinct_failure *from = smallest_of(distinct, entries, entry);
        if (from != NULL) {
            list[i] = *from;
            from->id = NULL;
            from->shrunk = NULL;
        } else {
            list[i] = (struct topk_distinct_failure){.number = entry->number,
                                                     .elements = entry->elements,
                                                     .id = strdup(entry->id),
                                                     .id_length = strlen(entry->id)};
            ok = list[i].id != NULL;
            if (ok && (runner == NULL || !run_example(entry, runner, &list[i].result))) {
                struct topk_result *result = &list[i].result;
                *result = (struct topk_result){.verdict = entry->verdict, .clause = entry->clause};
                snprintf(result->reason, sizeof result->reason, "%sthe log says how it failed",
                         runner == NULL ? "" : "it passes now; ");
            }
        }
        list[i].count = entry->count;
        list[i].first = entry->first;
    }
    const uint64_t failures = distinct->failures;
    topk_distinct_free(distinct);
    *distinct = (struct topk_distinct){.list = list,
                                       .count = list == NULL ? 0 : entries->count,
                                       .room = list == NULL ? 0 : entries->count + 1,
                                       .failures = failures};
    return ok;
}

/* ---- on the terminal ------------------------------------------------------------------------- */

/* The head of a bug's block. */
static void print_entry(FILE *out, const struct topk_entries *entries, size_t number)
{
    const struct topk_entry *entry = &entries->list[number];
    char sentence[TOPK_BUG_TEXT];
    char fresh[TOPK_BUG_FRESH];
    char about[TOPK_CONDITION_ABOUT];
    char order[TOPK_ENTRY_ORDER];
    char cause[TOPK_ENTRY_CAUSE];
    topk_bug_print(&entry->bug, sentence);
    topk_bug_fresh_print(&entry->bug, fresh);
    topk_entry_cause(entry, cause);
    fprintf(out, "\n%zu. %s\n", number + 1, sentence);
    topk_condition_about(&entry->bug.condition, about);
    if (about[0] != 0) {
        fprintf(out, "  %s\n", about);
    }
    if (fresh[0] != 0) {
        fprintf(out, "  tried with %s\n", fresh);
    }
    topk_entry_order(entry, order);
    if (order[0] != 0) {
        fprintf(out, "  %s\n", order);
    }
    if (cause[0] != 0) {
        fprintf(out, "  cause: %s\n", cause);
    }
}

static void print_count(FILE *out, const struct topk_entries *entries)
{
    fprintf(out, "\n%" PRIu64 " case%s failed: %zu bug%s, as far as the cases can tell\n",
            entries->failures, entries->failures == 1 ? "" : "s", entries->count,
            entries->count == 1 ? "" : "s");
    char sample[TOPK_ENTRIES_SAMPLE];
    topk_entries_sample(entries, sample);
    if (sample[0] != 0) {
        fprintf(out, "  %s\n", sample);
    }
}

void cli_bugs_print_entries(FILE *out, const struct topk_entries *entries)
{
    print_count(out, entries);
    for (size_t i = 0; i < entries->count; i++) {
        print_entry(out, entries, i);
    }
    fputc('\n', out);
}

/* Lists the cases of a bug in a file; false after a message. */
static bool write_members(const struct cli_bugs *bugs, size_t number, const char *path)
{
    struct topk_output file;
    if (!cli_file_create(&file, path, TOPK_OUTPUT_OURS)) {
        return false;
    }
    topk_gathering_write(bugs->gathering, &bugs->entries, number, LISTED_MOST, file.file);
    return cli_file_close(&file, true);
}

static void print_all(FILE *out, const struct cli_bugs *bugs, size_t number,
                      const struct cli_bugs_style *style)
{
    const struct topk_entry *entry = &bugs->entries.list[number];
    const size_t size = strlen(style->file_prefix) + 32;
    char *path = malloc(size);
    if (path == NULL || entry->count < 2) {
        free(path);
        return;
    }
    snprintf(path, size, "%s%zu.txt", style->file_prefix, number + 1);
    char *word = topk_text_shell(path);
    if (word != NULL && write_members(bugs, number, path)) {
        if (entry->count > LISTED_MOST) {
            fprintf(out, "  the first %u of %" PRIu64, LISTED_MOST, entry->count);
        } else {
            fprintf(out, "  all %" PRIu64, entry->count);
        }
        if (style->behind != NULL && style->behind(style->context, entry)) {
            fprintf(out, ", which fail only after other cases, are listed in %s\n", path);
        } else {
            fprintf(out, ":\n  %s --file %s\n", style->failure->replay, word);
        }
    }
    free(word);
    free(path);
}

static const struct topk_distinct_failure *failure_of(const struct topk_distinct *distinct,
                                                      const struct topk_entries *entries,
                                                      const struct topk_entry *entry)
{
    for (size_t i = 0; i < distinct->count; i++) {
        if (topk_entries_find(entries, distinct->list[i].number) == entry) {
            return &distinct->list[i];
        }
    }
    return NULL;
}

/* The result of a bug's smallest case, with the cause of the whole bug. The smallest case alone may
 * have several possible causes, and is often too small to be sure of one. */
static struct topk_result result_in(const struct topk_entry *entry,
                                    const struct topk_distinct_failure *failure)
{
    struct topk_result result = failure->result;
    const enum topk_reading own = result.reading;
    struct topk_case tc;
    result.readings &= entry->readings;
    result.reading = topk_readings_first(result.readings);
    result.guess = entry->guess;
    if (result.reading != own && result.judgement.count > 0 && parse_id(failure->id, &tc)) {
        result.clause = topk_reading_clause(result.reading, &tc.op, &result.judgement);
        topk_case_clear(&tc);
    }
    if (entry->verdict == TOPK_VERDICT_FLAKY && failure->shrunk == NULL) {
        result.verdict = TOPK_VERDICT_FLAKY;
    }
    return result;
}

static void print_bug(FILE *out, const struct cli_bugs *bugs, const struct topk_distinct *distinct,
                      size_t number, const struct cli_bugs_style *style)
{
    const struct topk_entry *entry = &bugs->entries.list[number];
    const struct topk_distinct_failure *failure = failure_of(distinct, &bugs->entries, entry);
    print_entry(out, &bugs->entries, number);
    if (failure == NULL) {
        fputs("  its smallest case shrinks to that of another bug\n", out);
    } else {
        const struct topk_result result = result_in(entry, failure);
        const bool behind = style->behind != NULL && style->behind(style->context, entry);
        struct topk_failure_style shown = *style->failure;
        shown.replay = behind ? NULL : shown.replay;
        topk_failure_print(out, &shown, cli_distinct_text(failure), &result);
        if (behind) {
            fputs("  alone it passes: under PASSES ALONE, below, is what it fails after\n", out);
        }
        if (style->after != NULL) {
            style->after(style->context, failure->id, &result);
        }
    }
    print_all(out, bugs, number, style);
}

void cli_bugs_print(FILE *out, const struct cli_bugs *bugs, const struct topk_distinct *distinct,
                    const struct cli_bugs_style *style)
{
    const struct topk_entries *entries = &bugs->entries;
    const size_t shown = entries->count < style->most ? entries->count : (size_t)style->most;
    print_count(out, entries);
    for (size_t i = 0; i < shown; i++) {
        print_bug(out, bugs, distinct, i, style);
    }
    if (shown < entries->count) {
        const size_t more = entries->count - shown;
        fprintf(
            out,
            "\n%zu more bug%s: --show-failures %zu shows %s, and so does the report of the log\n",
            more, more == 1 ? "" : "s", entries->count, more == 1 ? "it" : "them");
    }
    fputc('\n', out);
    fflush(out);
}
