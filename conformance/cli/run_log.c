/* topk-cts run: makes the folder of the results, and creates or continues the log. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/report.h"
#include "log/log.h"
#include "protocol/protocol.h"
#include "revision.h"
#include "run.h"

_Static_assert(TOPK_LOG_SOFTWARE == TOPK_FLAG_SOFTWARE &&
                   TOPK_LOG_SOFTWARE_DEVICE == TOPK_FLAG_SOFTWARE_DEVICE,
               "the log has the flags of the greeting");

#define DEFAULT_FOLDER "topk-results"

static void set_dir(struct cli_run *run, const char *dir)
{
    run->dir = cli_need(strdup(dir));
    run->log_path = cli_need(topk_log_path(dir));
    run->junit_path = cli_path_join(dir, TOPK_JUNIT_NAME);
    run->shrunk_path = cli_path_join(dir, "shrunk.txt");
    run->list_prefix = cli_path_join(dir, "behind-");
    run->bug_prefix = cli_path_join(dir, "bug-");
}

void cli_run_check_out(struct cli_run *run)
{
    const struct cli_run_options *options = &run->options;
    struct stat status;
    if (options->out == NULL) {
        return;
    }
    if (stat(options->out, &status) == 0 && S_ISDIR(status.st_mode)) {
        const int code = cli_folder_lock(&run->lock, options->out);
        if (code != CLI_CONFORMANT) {
            exit(code);
        }
    }
    char *path = cli_need(topk_log_path(options->out));
    bool there = access(path, F_OK) == 0;
    if (there && !options->resume && !options->overwrite) {
        cli_fail(CLI_USAGE, "%s already exists: --resume continues it, --overwrite replaces it",
                 path);
    } else if (!there && options->resume) {
        cli_fail(CLI_USAGE, "there is nothing to continue: no file %s", path);
    }
    free(path);
}

void cli_run_read_costs(struct cli_run *run)
{
    struct topk_shard *shard = &run->options.shard;
    char error[1024] = "";
    if (run->options.costs == NULL) {
        return;
    }
    char *path = cli_log_path(run->options.costs);
    run->costs = cli_need(malloc(sizeof *run->costs));
    if (!topk_shard_costs_read(&run->costs->costs, path, error, sizeof error)) {
        cli_fail(CLI_USAGE, "--costs: %s", error);
    }
    free(path);
    if (shard->count > 0) {
        cli_need_memory(topk_shard_costs_deal(&run->costs->costs, shard->count, run->costs->of));
        shard->rule = TOPK_SHARD_BY_COSTS;
        shard->of = run->costs->of;
    }
}

/* makes a new folder: topk-results/BACKEND-PROFILE-DATE-TIME */
static int make_default_dir(struct cli_run *run)
{
    char name[64];
    char stamp[32];
    char dir[256];
    time_t now = time(NULL);
    struct tm utc;
    size_t length = 0;
    const char *from = run->workers.greeting.name[0] == 0 ? "worker" : run->workers.greeting.name;
    for (; *from != 0 && length + 1 < sizeof name; from++) {
        bool plain = (*from >= '0' && *from <= '9') || (*from >= 'A' && *from <= 'Z') ||
                     (*from >= 'a' && *from <= 'z');
        name[length] = '_';
        if (plain) {
            name[length] = *from;
        }
        length++;
    }
    name[length] = 0;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &utc);
    if (mkdir(DEFAULT_FOLDER, 0777) != 0 && errno != EEXIST) {
        cli_error("cannot make the folder %s: %s; --out can name another", DEFAULT_FOLDER,
                  strerror(errno));
        return CLI_HARNESS;
    }
    for (int i = 1; i < 1000; i++) {
        int used = snprintf(dir, sizeof dir, "%s/%s-%s-%s", DEFAULT_FOLDER, name,
                            run->options.choice.profile->name, stamp);
        if (i > 1 && used > 0 && (size_t)used < sizeof dir) {
            snprintf(dir + used, sizeof dir - (size_t)used, "-%d", i);
        }
        if (mkdir(dir, 0777) == 0) {
            set_dir(run, dir);
            return CLI_CONFORMANT;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    cli_error("cannot make the folder %s: %s", dir, strerror(errno));
    return CLI_HARNESS;
}

static void fill_header(struct cli_run *run, struct topk_log_header *header)
{
    const struct cli_contain *contain = &run->options.backend.contain;
    free(run->contained);
    free(run->variables);
    run->contained = cli_contain_print(contain);
    run->variables = cli_contain_variables(contain);
    const struct cli_run_options *options = &run->options;
    const struct topk_greeting *greeting = &run->workers.greeting;
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(run->started, sizeof run->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *header = (struct topk_log_header){
        .format = TOPK_LOG_FORMAT,
        .suite = TOPK_VERSION,
        .profile = options->choice.profile->name,
        .profile_version = options->choice.profile->version,
        .profile_digest = run->options.choice.profile->digest,
        .selections = (const char *const *)options->selections,
        .selection_count = options->selection_count,
        .level = run->level,
        .seed = options->seed,
        .timeout = options->backend.timeout,
        .cases = run->selected,
        .shard = options->shard.number,
        .shards = options->shard.count,
        .shard_total = options->shard.count > 0 ? run->cases.count : 0,
        .shard_rule = options->shard.rule,
        .shard_costs = options->shard.rule == TOPK_SHARD_BY_COSTS ? run->costs->costs.digest : "",
        .started = run->started,
        .replay = run->replay,
        .judge = cli_judge(&options->backend),
        .guard_pages = topk_guard_page_word(options->backend.guard_page),
        .contract = greeting->contract,
        .revision = TOPK_REVISION,
        .expectations = run->expectations_text,
        .contained = run->contained,
        .variables = run->variables,
        .gate = options->gate.gate,
        .backend =
            {
                .spec = options->backend.spec == NULL ? "" : options->backend.spec,
                .command = options->backend.command == NULL ? "" : options->backend.command,
                .worker = options->backend.worker == NULL ? "" : options->backend.worker,
                .name = greeting->name,
                .version = greeting->version,
                .device = greeting->device,
                .driver = greeting->driver,
                .features = greeting->features,
                .level = greeting->level,
                .flags = greeting->flags,
            },
    };
}

/* decides which rules apply, once it is known when the run began */
static void start_expectations(struct cli_run *run)
{
    topk_expectations_start(&run->expectations, run->workers.greeting.name,
                            run->workers.greeting.version, run->workers.greeting.driver,
                            run->started);
}

/* ---- resuming -------------------------------------------------------------------------------- */

struct resume {
    struct cli_run *run;
    const struct topk_log_header *ours;
    bool has_header;
    char problem[512]; /* why the log is not of this run */
};

static bool differs(struct resume *resume, const char *what, const char *there, const char *here)
{
    if (resume->problem[0] == 0 && strcmp(there, here) != 0) {
        snprintf(resume->problem, sizeof resume->problem, "its %s is '%.150s', not '%.150s'", what,
                 there, here);
    }
    return resume->problem[0] != 0;
}

static bool differs_in(struct resume *resume, const char *what, uint64_t there, uint64_t here)
{
    if (resume->problem[0] == 0 && there != here) {
        snprintf(resume->problem, sizeof resume->problem, "its %s is %" PRIu64 ", not %" PRIu64,
                 what, there, here);
    }
    return resume->problem[0] != 0;
}

static bool resume_header(void *context, const struct topk_log_header *theirs)
{
    struct resume *resume = context;
    const struct topk_log_header *ours = resume->ours;
    char their_rules[TOPK_CONTRACT_RULES];
    char our_rules[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(&theirs->contract, their_rules);
    topk_contract_rules_print(&ours->contract, our_rules);
    resume->has_header = true;
    char gates[2][TOPK_GATE_TEXT];
    topk_gate_print(&theirs->gate, gates[0], sizeof gates[0]);
    topk_gate_print(&ours->gate, gates[1], sizeof gates[1]);
    if (theirs->format != TOPK_LOG_FORMAT) {
        snprintf(resume->problem, sizeof resume->problem,
                 "it is in format %" PRIu32
                 ", which this topk-cts reads but does not write; continue with the topk-cts that "
                 "began it, or start again with --overwrite",
                 theirs->format);
    }
    if (theirs->merged != 0) {
        snprintf(resume->problem, sizeof resume->problem,
                 "it was merged from shards: run those that are missing, and merge them again");
    }
    bool other =
        differs(resume, "suite", theirs->suite, ours->suite) ||
        differs(resume, "profile", theirs->profile, ours->profile) ||
        differs_in(resume, "profile's version", theirs->profile_version, ours->profile_version) ||
        differs(resume, "profile's digest", theirs->profile_digest, ours->profile_digest) ||
        differs(resume, "--backend", theirs->backend.spec, ours->backend.spec) ||
        differs(resume, "--backend-command", theirs->backend.command, ours->backend.command) ||
        differs(resume, "--worker", theirs->backend.worker, ours->backend.worker) ||
        differs(resume, "judge", topk_judge_word(theirs->judge), topk_judge_word(ours->judge)) ||
        differs(resume, "--guard-pages", theirs->guard_pages, ours->guard_pages) ||
        differs(resume, "contract", their_rules, our_rules) ||
        differs(resume, "containment", theirs->contained, ours->contained) ||
        differs(resume, "backend", theirs->backend.name, ours->backend.name) ||
        differs(resume, "backend's version", theirs->backend.version, ours->backend.version) ||
        differs(resume, "device", theirs->backend.device, ours->backend.device) ||
        differs(resume, "driver", theirs->backend.driver, ours->backend.driver) ||
        differs(resume, "features", theirs->backend.features, ours->backend.features) ||
        differs_in(resume, "backend's feature level, as a number,", theirs->backend.level,
                   ours->backend.level) ||
        differs_in(resume, "flags, as a number,", theirs->backend.flags, ours->backend.flags) ||
        differs(resume, "text of expectations", theirs->expectations,
                ours->expectations == NULL ? "" : ours->expectations) ||
        differs(resume, "gate", gates[0], gates[1]) ||
        differs_in(resume, "shard", theirs->shard, ours->shard) ||
        differs_in(resume, "number of shards", theirs->shards, ours->shards) ||
        differs(resume, "rule of shards", topk_shard_rule_word(theirs->shard_rule),
                topk_shard_rule_word(ours->shard_rule)) ||
        differs(resume, "digest of --costs", theirs->shard_costs, ours->shard_costs) ||
        differs_in(resume, "number of selections", theirs->selection_count, ours->selection_count);
    for (size_t i = 0; !other && i < ours->selection_count; i++) {
        other = differs(resume, "selection", theirs->selections[i], ours->selections[i]);
    }
    if (!other && theirs->level != ours->level) {
        snprintf(resume->problem, sizeof resume->problem, "its feature level is %u.%u, not %u.%u",
                 (unsigned)(theirs->level >> 12), (unsigned)(theirs->level >> 8 & 15),
                 (unsigned)(ours->level >> 12), (unsigned)(ours->level >> 8 & 15));
    }
    snprintf(resume->run->started, sizeof resume->run->started, "%s", theirs->started);
    start_expectations(resume->run);
    return !differs_in(resume, "number of cases", theirs->cases, ours->cases);
}

static bool resume_record(void *context, const struct topk_log_record *record)
{
    struct resume *resume = context;
    struct cli_run *run = resume->run;
    struct topk_clause_set broken = {{0}};
    if (record->number >= run->cases.count ||
        !cli_case_of_shard(&run->cases, &run->options.shard, record->number) ||
        strcmp(record->id, cli_case_at(&run->cases, record->number)->id) != 0) {
        snprintf(resume->problem, sizeof resume->problem, "its case %" PRIu64 " is a different one",
                 record->number);
        return false;
    }
    if (cli_bits_have(run->finished, record->number)) {
        return true;
    }
    struct topk_ended ended;
    uint32_t rule; /* the log already has it */
    topk_ended_read(record, &ended);
    (void)topk_expectations_judge(&run->expectations, &ended, &rule, NULL);
    topk_log_clauses(record, &broken);
    cli_bits_put(run->finished, record->number);
    run->before++;
    if (record->again == NULL && topk_verdict_failure(record->verdict)) {
        const uint64_t kind =
            cli_again_kind(record->verdict, record->clause, record->cause, record->crash,
                           cli_case_at(&run->cases, record->number)->type);
        cli_run_again_keep(run, record->number, kind, record->verdict, record->clause, broken);
    }
    cli_tally_add(&run->tally, cli_tally_ask(&run->tally, record->id), record->verdict,
                  record->by_status, record->by_contract, record->clause, &broken,
                  record->observations, record->reason);
    return true;
}

/* Keeps a probe as it is in the log; run.c matches it with the probes of the worker by name. */
static bool resume_probe(void *context, const struct topk_probe *probe)
{
    struct topk_probes *probes = &((struct resume *)context)->run->probes;
    if (probes->count < TOPK_PROBES_MAX) {
        probes->list[probes->count++] = *probe;
    }
    return true;
}

void cli_run_keep_lost(struct cli_run *run, const char *how)
{
    char *longer =
        cli_need(topk_text_make("%slost: %s\n", run->lost == NULL ? "" : run->lost, how));
    free(run->lost);
    run->lost = longer;
}

static bool resume_process(void *context, const struct topk_log_process *process)
{
    struct resume *resume = context;
    cli_tally_ended(&resume->run->tally, process->end);
    if (process->end == TOPK_PROCESS_LOST) {
        cli_run_keep_lost(resume->run, process->reason);
    }
    if (resume->problem[0] == 0 && topk_process_wrong(process->end) != NULL) {
        snprintf(resume->problem, sizeof resume->problem, "%s: %.150s",
                 topk_process_wrong(process->end), process->reason);
    }
    return resume->problem[0] == 0;
}

static bool resume_part(void *context, const struct topk_log_part *part)
{
    struct cli_run *run = ((struct resume *)context)->run;
    cli_need_memory(topk_identity_know(&run->look.identity, part));
    run->look.logged = run->look.identity.parts.count;
    return true;
}

/* Reads the log that is continued. A log that is truncated within its header can be started again
 * without loss; a compressed log always has an end. */
static int read_log(struct cli_run *run, const struct topk_log_header *header)
{
    char error[1024] = "";
    struct resume resume = {.run = run, .ours = header};
    struct topk_log_reader reader = {.context = &resume,
                                     .header = resume_header,
                                     .record = resume_record,
                                     .probe = resume_probe,
                                     .part = resume_part,
                                     .process = resume_process};
    int status = topk_log_read(run->log_path, &reader, error, sizeof error);
    if (resume.problem[0] != 0) {
        char line[sizeof resume.problem];
        topk_text_line(resume.problem, line, sizeof line); /* untrusted text */
        cli_error("%s is of another run: %s", run->log_path, line);
        return CLI_USAGE;
    }
    if (status < 0) {
        cli_error("cannot continue a log that is damaged: %s", error);
        return CLI_HARNESS;
    }
    const size_t length = strlen(run->log_path);
    const size_t suffix = strlen(TOPK_ZSTD_SUFFIX);
    const bool packed =
        length > suffix && strcmp(run->log_path + length - suffix, TOPK_ZSTD_SUFFIX) == 0;
    if (!resume.has_header && !packed) {
        cli_error("note: %s has no header yet: the run starts again", run->log_path);
        run->options.resume = false;
        run->options.overwrite = true;
    } else if (!resume.has_header) {
        cli_error("%s has no header: there is nothing to continue; --overwrite starts again",
                  run->log_path);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

/* removes the files that list cases of the earlier run: PREFIX1.txt, PREFIX2.txt, ... */
static void remove_lists(const char *prefix)
{
    const size_t size = strlen(prefix) + 32;
    char *path = cli_need(malloc(size));
    size_t number = 1;
    do {
        snprintf(path, size, "%s%zu.txt", prefix, number++);
    } while (unlink(path) == 0 || number <= CLI_ALONE_FAILURES);
    free(path);
}

/* Creates the log, and replaces an earlier one. */
static struct topk_log *create_log(struct cli_run *run, const struct topk_log_header *header,
                                   char *error, size_t error_bytes)
{
    if (run->options.overwrite) {
        /* these files belong to the earlier run */
        unlink(run->junit_path);
        unlink(run->shrunk_path);
        remove_lists(run->list_prefix);
        remove_lists(run->bug_prefix);
        char *path = NULL;
        if (!topk_log_remove(run->dir, &path)) {
            const int reason = errno;
            cli_need_memory(path != NULL);
            snprintf(error, error_bytes, "cannot replace %s: %s", path, strerror(reason));
            free(path);
            return NULL;
        }
    }
    return topk_log_create(run->dir, header, error, error_bytes);
}

/* Opens the log to continue it, and decompresses it if necessary. */
static struct topk_log *append_log(const struct cli_run *run, char *error, size_t error_bytes)
{
    return topk_log_unpack(run->dir, error, error_bytes)
               ? topk_log_append(run->dir, error, error_bytes)
               : NULL;
}

/* makes the folder if it is missing, and takes its lock */
static int claim_dir(struct cli_run *run)
{
    if (run->lock.slot != 0) {
        return CLI_CONFORMANT;
    }
    if (!topk_directories_make(run->dir)) {
        cli_error("cannot make directory '%s': %s", run->dir, strerror(errno));
        return CLI_HARNESS;
    }
    return cli_folder_lock(&run->lock, run->dir);
}

int cli_run_open_log(struct cli_run *run)
{
    const struct cli_run_options *options = &run->options;
    char error[1024] = "";
    struct topk_log_header header;
    run->finished = cli_bits_new(run->cases.count);
    if (options->out != NULL) {
        set_dir(run, options->out);
    }
    fill_header(run, &header);
    topk_gate_take(&run->tally.gate, &header, &cli_asks);
    start_expectations(run);
    int code = options->resume ? read_log(run, &header) : CLI_CONFORMANT;
    /* of a resumed run, by the day on which it began */
    topk_gate_take(&run->tally.gate, &header, &cli_asks);
    if (code == CLI_CONFORMANT) {
        code = cli_run_look_first(run, options->resume ? run->started : "");
    }
    if (code == CLI_CONFORMANT && options->out == NULL) {
        code = make_default_dir(run);
    }
    code = code == CLI_CONFORMANT ? claim_dir(run) : code;
    if (code != CLI_CONFORMANT) {
        return code;
    }
    run->log = options->resume ? append_log(run, error, sizeof error)
                               : create_log(run, &header, error, sizeof error);
    free(run->log_path);
    run->log_path = cli_path_join(run->dir, TOPK_LOG_NAME);
    if (run->log != NULL && !cli_run_look_log(run)) {
        snprintf(error, sizeof error, "%s", topk_log_error(run->log));
        code = CLI_HARNESS;
    }
    if (run->log == NULL || code != CLI_CONFORMANT) {
        cli_error("%s", error);
        return CLI_HARNESS;
    }
    return CLI_CONFORMANT;
}
