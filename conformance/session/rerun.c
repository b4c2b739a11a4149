/* topk-cts verify --rerun. A log cannot prove that its results are those of the backend; running
 * some of its cases again can disprove it. */
#include "rerun.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "log/log.h"
#include "reference/pcg.h"
#include "subject.h"

/* maximum number of differences that are printed */
#define SHOWN 10

struct rerunning {
    const struct topk_package *package;
    uint32_t *numbers; /* of the cases in the run */
    uint64_t count;
    uint64_t wrong;
    size_t other_files; /* tested files that are not those of the package */
};

static const struct topk_mustpass_line *line_of(const struct rerunning *rerunning, uint64_t at)
{
    const struct topk_package *package = rerunning->package;
    return &package->list.lines[package->audit.lines[rerunning->numbers[at]]];
}

static const char *case_text(void *context, uint64_t at, size_t *length)
{
    const struct topk_mustpass_line *line = line_of(context, at);
    const char *text = memchr(line->id, ':', line->length);
    text = text == NULL ? line->id : text + 1;
    *length = line->length - (size_t)(text - line->id);
    return text;
}

static void print_clauses(const struct topk_clause_set *clauses)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(clauses, (enum topk_clause)i)) {
            printf(" %s", topk_clause_id((enum topk_clause)i));
        }
    }
}

static bool take_result(void *context, uint64_t at, const struct topk_result *result)
{
    struct rerunning *rerunning = context;
    const struct topk_outcome *before = &rerunning->package->audit.outcomes[rerunning->numbers[at]];
    struct topk_clause_set clauses = {{0}};
    if (topk_verdict_failure(result->verdict)) {
        topk_result_clauses(result, &clauses);
        if (topk_clause_set_empty(&clauses) && result->clause < TOPK_CLAUSE_COUNT) {
            topk_clause_set_add(&clauses, result->clause);
        }
    }
    bool same = result->verdict == before->verdict && result->by_status == before->by_status &&
                memcmp(&clauses, &before->clauses, sizeof clauses) == 0 &&
                result->judgement.observations == before->observations;
    if (same) {
        return true;
    }
    rerunning->wrong++;
    if (rerunning->wrong <= SHOWN) {
        const struct topk_mustpass_line *line = line_of(rerunning, at);
        printf("DIFFERS: the log has %s%s", topk_verdict_word(before->verdict),
               before->by_status ? " by status" : "");
        print_clauses(&before->clauses);
        printf(", now it is %s%s", topk_verdict_word(result->verdict),
               result->by_status ? " by status" : "");
        print_clauses(&clauses);
        puts(result->judgement.observations == before->observations ? ""
                                                                    : ", with other observations");
        printf("  %.*s\n", (int)line->length, line->id);
    }
    return true;
}

/* draws `count` numbers, and moves them to the front */
static void draw(uint32_t *numbers, uint32_t all, uint32_t count, uint64_t seed)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = i + topk_pcg_below(&pcg, all - i);
        uint32_t number = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = number;
    }
}

/* prints a note if the value differs from that in the package; whether it does */
static bool print_other(const char *what, const char *there, const char *here)
{
    if (strcmp(there, here) == 0) {
        return false;
    }
    printf("note: the package has %s '", what);
    topk_text_print(stdout, there);
    fputs("', this run has '", stdout);
    topk_text_print(stdout, here);
    puts("'");
    return true;
}

/* prints the backend of the rerun, and how it differs from that of the package */
static void print_who(const struct topk_log_backend *before, const struct topk_greeting *greeting)
{
    fputs("run again on ", stdout);
    cli_identity_print(stdout, greeting);
    bool other = print_other("backend", before->name, greeting->name);
    other = print_other("version", before->version, greeting->version) || other;
    other = print_other("device", before->device, greeting->device) || other;
    other = print_other("driver", before->driver, greeting->driver) || other;
    if (!other) {
        puts("its backend, version, device and driver say the same as those of the package");
    }
}

/* the length of the group in an id, such as "ties" */
static uint32_t group_length(const struct topk_mustpass_line *line)
{
    uint32_t length = 0;
    while (length < line->length && line->id[length] != '.' && line->id[length] != ':') {
        length++;
    }
    return length;
}

/* Prints what was drawn: how many cases of each group, and their results in the log. */
static void print_drawn(const struct rerunning *rerunning)
{
    uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    uint64_t by_status = 0;
    bool *counted = cli_need(calloc(rerunning->count + 1, sizeof *counted));
    const char *before = "drawn: ";
    for (uint64_t i = 0; i < rerunning->count; i++) {
        const struct topk_outcome *outcome =
            &rerunning->package->audit.outcomes[rerunning->numbers[i]];
        const struct topk_mustpass_line *line = line_of(rerunning, i);
        const uint32_t length = group_length(line);
        uint64_t count = 0;
        totals[outcome->verdict]++;
        by_status += outcome->by_status;
        for (uint64_t j = i; !counted[i] && j < rerunning->count; j++) {
            const struct topk_mustpass_line *other = line_of(rerunning, j);
            if (group_length(other) == length && memcmp(other->id, line->id, length) == 0) {
                counted[j] = j > i;
                count++;
            }
        }
        if (count > 0) {
            printf("%s%" PRIu64 " of %.*s", before, count, (int)length, line->id);
            before = ", ";
        }
    }
    free(counted);
    topk_totals_print(stdout, "\ntheir results in the log: ", totals, by_status);
    putchar('\n');
}

/* false, after a message, if it cannot be written */
static bool write_list(const struct rerunning *rerunning, const char *path)
{
    struct topk_output file;
    const bool created = cli_file_create(&file, path, TOPK_OUTPUT_NAMED);
    for (uint64_t i = 0; created && i < rerunning->count; i++) {
        const struct topk_mustpass_line *line = line_of(rerunning, i);
        fprintf(file.file, "%.*s\n", (int)line->length, line->id);
    }
    return created && cli_file_close(&file, true);
}

static int run_drawn(const struct cli_rerun *rerun, struct rerunning *rerunning)
{
    static struct cli_workers workers; /* static, to keep the stack small */
    char error[TOPK_RUNNER_ERROR];
    const struct topk_log_backend *before = &rerunning->package->audit.header.backend;
    const struct topk_runner_job job = {
        .count = rerunning->count, .text = case_text, .result = take_result, .context = rerunning};
    /* judged as in the package, whatever contract the backend declares */
    const struct topk_contract *contract = &rerunning->package->audit.header.contract;
    struct cli_backend backend = *rerun->backend;
    if (backend.contract_file == NULL && !topk_contract_plain(contract)) {
        backend.contract_file = "the package";
        backend.contract = *contract;
    }
    cli_workers_open(&workers, &backend, 1, NULL, NULL, NULL);
    print_who(before, &workers.greeting);
    rerunning->other_files =
        cli_subject_compare(&backend, &workers, &rerunning->package->audit.parts);
    print_drawn(rerunning);
    fflush(stdout);
    enum topk_runner_status status = topk_runner_run(workers.runner, &job, error);
    cli_workers_close(&workers);
    return status == TOPK_RUNNER_DONE ? CLI_CONFORMANT : cli_runner_failed(status, error);
}

int cli_rerun(const struct cli_rerun *rerun, const struct topk_package *package, bool *other_files)
{
    const uint32_t all = (uint32_t)package->audit.header.cases;
    uint64_t seed = rerun->seed;
    struct rerunning rerunning = {.package = package,
                                  .numbers = cli_need(malloc((all + (size_t)1) * sizeof(uint32_t))),
                                  .count = rerun->count < all ? rerun->count : all};
    for (uint32_t i = 0; i < all; i++) {
        rerunning.numbers[i] = i;
    }
    if (!rerun->has_seed) {
        seed = randombytes_random();
    }
    draw(rerunning.numbers, all, (uint32_t)rerunning.count, seed);
    int code =
        rerun->list == NULL || write_list(&rerunning, rerun->list) ? CLI_CONFORMANT : CLI_HARNESS;
    if (code == CLI_CONFORMANT) {
        code = run_drawn(rerun, &rerunning);
    }
    free(rerunning.numbers);
    *other_files = rerunning.other_files > 0;
    if (code == CLI_CONFORMANT) {
        printf("run again: %" PRIu64 " of %" PRIu32 " cases, drawn by --seed %" PRIu64 ": %" PRIu64
               " gave another result\n",
               rerunning.count, all, seed, rerunning.wrong);
        const enum topk_judge judge = cli_judge(rerun->backend);
        if (judge != TOPK_JUDGE_APART) {
            printf("note: what was run again was %s\n", topk_judge_phrase(judge));
        }
        if (rerunning.wrong > SHOWN) {
            printf("%" PRIu64 " of them are not shown\n", rerunning.wrong - SHOWN);
        }
        if (rerunning.wrong > 0) {
            puts("VERIFIED, BUT THE RERUN DIFFERS: this backend does not give the results in the "
                 "package");
            code = CLI_FAILURES;
        }
    }
    return code;
}
