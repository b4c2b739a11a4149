/* topk-cts explore --against: runs random cases on two implementations. Prints the cases on which
 * they disagree, shrunk, and says whose outputs the documents support. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "pair.h"

/* maximum number of candidates for all disagreements, and for those in which both are right */
#define RUNS_MAX       50000u
#define RUNS_MAX_RIGHT 10000u

/* the results of both for a case that is shown */
struct shown {
    char *text; /* owned; of the shrunk case */
    struct topk_result results[2];
};

struct against {
    struct explore *explore;
    struct pair pair;
    uint64_t counts[PAIR_KIND_COUNT];
    struct topk_distinct distinct[PAIR_KIND_COUNT]; /* for kinds that disagree or are wrong */
    uint64_t done;
    struct shown *shown;
    size_t shown_count;
};

/* ---- looking for disagreements --------------------------------------------------------------- */

static const char *text_of(void *context, uint64_t number, size_t *length)
{
    const struct against *against = context;
    struct topk_case tc;
    if (explore_draw(against->explore, against->explore->position + number, &tc, length)) {
        topk_case_clear(&tc);
    } else {
        *length = 0; /* the worker then reports that it is not a case; the run ends anyway */
    }
    return against->explore->text;
}

static uint64_t disagreements(const struct against *against)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        sum += pair_kind_rows[kind].disagree ? against->counts[kind] : 0;
    }
    return sum;
}

static void tick(void *context)
{
    struct against *against = context;
    struct explore *explore = against->explore;
    const double passed = explore_now() - explore->started;
    if (explore->time > 0 && passed > explore->time + EXPLORE_GRACE) {
        pair_stop(&against->pair);
    }
    char left[64] = "";
    if (explore->time > passed) {
        snprintf(left, sizeof left, "  %.0f s left", explore->time - passed);
    } else if (explore->count > against->done) {
        snprintf(left, sizeof left, "  %" PRIu64 " cases left", explore->count - against->done);
    }
    cli_progress_show(&explore->progress, "%" PRIu64 " cases  %.0f/s  %" PRIu64 " disagree%s",
                      against->done, passed > 0 ? (double)against->done / passed : 0,
                      disagreements(against), left);
}

/* Takes the results of a case; false if memory is short. */
static bool take(struct against *against, uint64_t position, const struct topk_result *a,
                 const struct topk_result *b)
{
    struct explore *explore = against->explore;
    const enum pair_kind kind = pair_kind_of(a, b);
    struct topk_case tc;
    size_t length;
    against->done++;
    against->counts[kind]++;
    if (!pair_kind_rows[kind].disagree && !pair_kind_rows[kind].wrong) {
        return true;
    }
    if (!explore_draw(explore, position, &tc, &length)) {
        return false;
    }
    length = explore_id(explore, position);
    const bool added = topk_distinct_add(&against->distinct[kind], position, explore->id, length,
                                         &tc, kind == PAIR_B_WRONG ? b : a);
    topk_case_clear(&tc);
    return added;
}

/* the number of cases of the next batch */
static uint32_t next_count(const struct against *against)
{
    const struct explore *explore = against->explore;
    const uint64_t left = explore->count == 0 ? PAIR_BATCH : explore->count - against->done;
    if ((explore->time > 0 && explore_now() - explore->started >= explore->time) ||
        (explore->first && disagreements(against) > 0) || explore->no_memory) {
        return 0;
    }
    return left < PAIR_BATCH ? (uint32_t)left : PAIR_BATCH;
}

static enum topk_runner_status look(struct against *against, char error[TOPK_RUNNER_ERROR])
{
    struct explore *explore = against->explore;
    struct pair_batch batch = {
        .text = text_of, .tick = tick, .context = against, .last = 1, .early = true};
    while ((batch.count = next_count(against)) > 0) {
        const enum topk_runner_status status = pair_run(&against->pair, &batch, error);
        if (status != TOPK_RUNNER_DONE) {
            return status;
        }
        for (uint32_t i = 0; i < batch.count; i++) {
            explore->no_memory |=
                !take(against, explore->position + i, &against->pair.sides[0].results[i],
                      &against->pair.sides[1].results[i]);
        }
        explore->position += batch.count;
    }
    return TOPK_RUNNER_DONE;
}

/* ---- shrinking them -------------------------------------------------------------------------- */

/* a batch of one case */
struct single {
    const char *text;
    size_t length;
};

static const char *single_text(void *context, uint64_t number, size_t *length)
{
    const struct single *single = context;
    (void)number;
    *length = single->length;
    return single->text;
}

/* Runs the case of an id on both. */
static enum topk_runner_status run_one(struct pair *pair, const char *id,
                                       struct topk_result results[2])
{
    char error[TOPK_RUNNER_ERROR];
    struct single single;
    size_t name_length;
    topk_case_id_split(id, strlen(id), &name_length, &single.text);
    single.length = strlen(single.text);
    const struct pair_batch batch = {
        .count = 1, .text = single_text, .context = &single, .last = 1};
    const enum topk_runner_status status = pair_run(pair, &batch, error);
    if (status == TOPK_RUNNER_DONE) {
        results[0] = pair->sides[0].results[0];
        results[1] = pair->sides[1].results[0];
    }
    return status;
}

/* Keeps the results of both for a shrunk case. If memory is short, the case is shown without the
 * comparison. */
static void keep(struct against *against, const char *text, const struct topk_result results[2])
{
    struct shown *longer =
        realloc(against->shown, (against->shown_count + 1) * sizeof *against->shown);
    if (longer == NULL) {
        return;
    }
    against->shown = longer;
    struct shown *shown = &longer[against->shown_count];
    shown->text = strdup(text);
    shown->results[0] = results[0];
    shown->results[1] = results[1];
    against->shown_count += shown->text != NULL;
}

/* Shrinks the examples of a kind. */
static enum topk_runner_status shrink_kind(struct against *against, enum pair_kind kind,
                                           uint64_t *runs, uint64_t most)
{
    struct topk_distinct *distinct = &against->distinct[kind];
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    topk_distinct_sort(distinct);
    size_t entry = 0;
    while (entry < distinct->count && *runs < most && status == TOPK_RUNNER_DONE) {
        struct topk_result results[2];
        struct topk_case tc;
        const struct topk_distinct_failure *example = &distinct->list[entry];
        bool removed = false;
        cli_progress_show(&against->explore->progress, "shrinking: %s, %zu of %zu",
                          pair_kind_rows[kind].text, entry + 1, distinct->count);
        status = run_one(&against->pair, example->id, results);
        const bool again =
            status == TOPK_RUNNER_DONE && pair_kind_of(&results[0], &results[1]) == kind;
        if (again && cli_case_parse(example->id, example->id_length, &tc)) {
            bool minimal;
            const uint64_t left = most - *runs;
            status = pair_shrink(&against->pair, &tc, results,
                                 left < TOPK_SHRINK_RUNS ? left : TOPK_SHRINK_RUNS, runs, &minimal);
            removed = topk_distinct_shrunk(distinct, entry, &tc,
                                           &results[kind == PAIR_B_WRONG ? 1 : 0], minimal);
            if (!removed && distinct->list[entry].shrunk != NULL) {
                keep(against, distinct->list[entry].shrunk, results);
            }
            topk_case_clear(&tc);
        }
        entry += !removed;
    }
    return status;
}

/* Shrinks all disagreements; first the kinds in which one is wrong. */
static enum topk_runner_status shrink_all(struct against *against)
{
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    for (int wrong = 1; wrong >= 0; wrong--) {
        uint64_t runs = 0;
        for (int kind = 0; kind < PAIR_KIND_COUNT && status == TOPK_RUNNER_DONE; kind++) {
            if (pair_kind_rows[kind].wrong == (wrong == 1)) {
                status = shrink_kind(against, (enum pair_kind)kind, &runs,
                                     wrong == 1 ? RUNS_MAX : RUNS_MAX_RIGHT);
            }
        }
    }
    cli_progress_erase(&against->explore->progress);
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Maximum number of differences between right results that are remembered, so that each is shown
 * once. */
#define WAYS 32
struct ways {
    uint32_t observations[WAYS][2]; /* those of A alone, and of B alone */
    size_t count;
    size_t repeated; /* disagreements that repeat a difference */
};

/* Whether a disagreement shows a new difference. */
static bool is_new(struct ways *ways, const struct topk_result results[2])
{
    const uint32_t a = results[0].judgement.observations;
    const uint32_t b = results[1].judgement.observations;
    for (size_t i = 0; i < ways->count; i++) {
        if (ways->observations[i][0] == (a & ~b) && ways->observations[i][1] == (b & ~a)) {
            return false;
        }
    }
    if (ways->count < WAYS) {
        ways->observations[ways->count][0] = a & ~b;
        ways->observations[ways->count++][1] = b & ~a;
    }
    return true;
}

static void print_entry(struct against *against, enum pair_kind kind, struct ways *ways,
                        const struct topk_distinct_failure *entry)
{
    const char *id = cli_distinct_text(entry);
    const struct topk_result *results = NULL;
    for (size_t i = 0; i < against->shown_count && results == NULL; i++) {
        results = strcmp(against->shown[i].text, id) == 0 ? against->shown[i].results : NULL;
    }
    if (results != NULL && !pair_kind_rows[kind].wrong && !is_new(ways, results)) {
        ways->repeated++;
        return;
    }
    printf("\n%" PRIu64 " case%s%s: %s\n", entry->count, entry->count == 1 ? "" : "s",
           entry->shrunk == NULL ? ", not shrunk"
           : entry->minimal      ? ""
                                 : ", may become smaller",
           pair_kind_rows[kind].text);
    if (results != NULL) {
        pair_print(stdout, &against->pair, against->explore->style.colour, id, results);
    } else {
        const struct pair_side *side = &against->pair.sides[kind == PAIR_B_WRONG ? 1 : 0];
        const struct topk_failure_style style = {
            .colour = against->explore->style.colour,
            .replay = side->replay,
            .contract = side->workers.greeting.contract,
        };
        printf("of %c: ", kind == PAIR_B_WRONG ? 'B' : 'A');
        topk_failure_print(stdout, &style, id, &entry->result);
    }
}

/* Writes the shrunk cases to --out; false after a message. */
static bool write_cases(const struct against *against, const char *path)
{
    struct topk_output file;
    if (path == NULL || !cli_file_create(&file, path, TOPK_OUTPUT_NAMED)) {
        return false;
    }
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        for (size_t i = 0; i < against->distinct[kind].count; i++) {
            const struct topk_distinct_failure *entry = &against->distinct[kind].list[i];
            fprintf(file.file, "# %s; %" PRIu64 " case%s, one of them %s\n%s\n",
                    pair_kind_rows[kind].text, entry->count, entry->count == 1 ? "" : "s",
                    entry->id, cli_distinct_text(entry));
        }
    }
    return cli_file_close(&file, true);
}

/* Shrinks, prints and writes the disagreements; false if they could not be written. */
static bool report(struct against *against, enum topk_runner_status looked)
{
    bool any = false;
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        any |= against->distinct[kind].count > 0;
    }
    if (!any) {
        return true;
    }
    const bool runs = looked == TOPK_RUNNER_DONE || looked == TOPK_RUNNER_STOPPED ||
                      (looked == TOPK_RUNNER_INTERRUPTED && pair_restart(&against->pair));
    const enum topk_runner_status status = runs ? shrink_all(against) : looked;
    if (status != TOPK_RUNNER_DONE) {
        cli_error("shrinking ended early (%s): the cases may become smaller",
                  status == TOPK_RUNNER_INTERRUPTED ? "interrupted"
                                                    : "workers cannot be kept running");
    }
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        struct ways ways = {.count = 0};
        for (size_t i = 0; i < against->distinct[kind].count; i++) {
            print_entry(against, (enum pair_kind)kind, &ways, &against->distinct[kind].list[i]);
        }
        if (ways.repeated > 0) {
            printf("%zu more distinct ones, in which A and B differ as above, are in the file\n",
                   ways.repeated);
        }
    }
    putchar('\n');
    char names[120];
    snprintf(names, sizeof names, "%.50s-against-%.50s",
             topk_name_shown(against->pair.sides[0].workers.greeting.name),
             topk_name_shown(against->pair.sides[1].workers.greeting.name));
    char *path = explore_out_path(against->explore, names);
    const bool written = write_cases(against, path);
    if (written) {
        cli_print("distinct disagreements: %s\n", path);
    }
    free(path);
    return written;
}

static void print_end(const struct against *against, double seconds)
{
    const struct explore *explore = against->explore;
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        if (against->counts[kind] > 0) {
            printf("%9" PRIu64 "  %s\n", against->counts[kind], pair_kind_rows[kind].text);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (against->pair.sides[i].unclean > 0) {
            printf("%9" PRIu64 "  processes of %c did not end well\n",
                   against->pair.sides[i].unclean, 'A' + i);
        }
    }
    printf("compared %" PRIu64 " case%s in %.1f s: %" PRIu64 " disagree\n", against->done,
           against->done == 1 ? "" : "s", seconds, disagreements(against));
    if (explore->cases.count == 0) {
        printf("to continue: --seed %" PRIu64 " --from %" PRIu64 "%s%s\n", explore->seed,
               explore->position, explore->corpus_path == NULL ? "" : " --corpus ",
               explore->corpus_path == NULL ? "" : explore->corpus_path);
    }
}

static int exit_code(const struct against *against)
{
    bool wrong = false;
    bool compared = false;
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        wrong |= pair_kind_rows[kind].wrong && against->counts[kind] > 0;
        compared |= kind != PAIR_APART && against->counts[kind] > 0;
    }
    wrong |= against->pair.sides[0].unclean > 0 || against->pair.sides[1].unclean > 0;
    if (!wrong && !compared) {
        cli_error("nothing was compared: no case was served by both");
    }
    return wrong ? CLI_FAILURES : compared ? CLI_CONFORMANT : CLI_INCOMPLETE;
}

/* "topk-cts explore --backend A --against B"; to be freed */
static char *again_command(const struct explore *explore)
{
    const struct cli_backend *against = &explore->against;
    char *first = cli_backend_command("explore", &explore->backend);
    char *second = cli_shell_word(against->spec != NULL ? against->spec : against->command);
    char *contract = against->contract_file == NULL ? NULL : cli_shell_word(against->contract_file);
    char *command = cli_need(topk_text_make(
        "%s %s %s%s%s", first, against->spec != NULL ? "--against" : "--against-command", second,
        contract == NULL ? "" : " --against-contract ", contract == NULL ? "" : contract));
    free(first);
    free(second);
    free(contract);
    return command;
}

static int run(struct against *against)
{
    static char error[TOPK_RUNNER_ERROR]; /* static, to keep the stack small */
    struct explore *explore = against->explore;
    struct pair *pair = &against->pair;
    printf("topk-cts %s compares", TOPK_VERSION);
    if (explore->cases.count == 0) {
        printf(" with seed %" PRIu64, explore->seed);
    }
    for (int i = 0; i < 2; i++) {
        printf("\n%c: ", 'A' + i);
        cli_identity_print(stdout, &pair->sides[i].workers.greeting);
    }
    cli_guard_pages_print(stdout, &explore->backend);
    fflush(stdout);
    explore->position = explore->from;
    explore->started = explore_now();
    const enum topk_runner_status status = look(against, error);
    const double seconds = explore_now() - explore->started;
    cli_progress_erase(&explore->progress);
    for (int i = 0; i < 2; i++) {
        cli_early_explain(&pair->sides[i].early, false);
    }
    const bool kept = report(against, status);
    const bool known = pair_close(pair);
    print_end(against, seconds);
    cli_need_memory(!explore->no_memory);
    if (status != TOPK_RUNNER_DONE && status != TOPK_RUNNER_STOPPED &&
        status != TOPK_RUNNER_INTERRUPTED) {
        return cli_runner_failed(status, error);
    }
    const int code = !kept || !known ? CLI_HARNESS : exit_code(against);
    return code == CLI_CONFORMANT && status == TOPK_RUNNER_INTERRUPTED ? CLI_INCOMPLETE : code;
}

int explore_against(struct explore *explore)
{
    struct topk_lock lock = {0};
    struct against *against = cli_need(calloc(1, sizeof *against));
    char *again = again_command(explore);
    against->explore = explore;
    against->pair.again = again;
    against->pair.progress = &explore->progress;
    if (explore->cases.count > 0) {
        explore->count = explore->cases.count;
        explore->time = 0;
        explore->from = 0;
    }
    explore_check_out(&lock, explore->out);
    pair_open(&against->pair, &explore->backend, &explore->against, explore->jobs);
    const int code = run(against);
    topk_lock_release(&lock);
    for (int kind = 0; kind < PAIR_KIND_COUNT; kind++) {
        topk_distinct_free(&against->distinct[kind]);
    }
    for (size_t i = 0; i < against->shown_count; i++) {
        free(against->shown[i].text);
    }
    free(against->shown);
    free(again);
    free(against);
    return code;
}
