/* topk-cts verify: checks that a package is unchanged since it was signed and is consistent, and
 * prints the result of its run. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "log/log.h"
#include "session/session.h"

enum {
    KEY_RERUN = 8100,
    KEY_SEED
};

struct verify_options {
    struct cli_backend backend;
    const char *path;
    const char *key;   /* or NULL */
    const char *trust; /* the file of --trust, or NULL */
    const char *list;  /* the file of --rerun-list, or NULL */
    uint64_t rerun;
    uint64_t seed;
    bool has_seed;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct verify_options *options = state->input;
    const char *text;
    bool backend = cli_backend_given(&options->backend, &text) != NULL;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->backend;
        options->backend.optional = true;
        return 0;
    case KEY_RERUN:
        options->rerun = cli_number(state, "rerun", argument, UINT32_MAX);
        if (options->rerun == 0) {
            argp_error(state, "--rerun takes a number of cases above 0");
        }
        return 0;
    case KEY_SEED:
        options->seed = cli_number(state, "seed", argument, UINT64_MAX);
        options->has_seed = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL) {
            argp_error(state, "one package at a time: '%s' is a second one", argument);
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->path == NULL) {
            argp_error(state, "no package given. Give a file that `topk-cts package' made");
        }
        if (options->key != NULL && options->trust != NULL) {
            argp_error(state, "--key and --trust exclude each other: a file of --trust has keys");
        }
        if (options->list != NULL && options->rerun == 0) {
            argp_error(state, "--rerun-list is for --rerun N");
        }
        if (options->rerun > 0 && !backend) {
            argp_error(state, "--rerun needs --backend or --backend-command, to run cases on");
        }
        if (options->rerun == 0 && (backend || options->has_seed)) {
            argp_error(state, "%s is for --rerun N", backend ? "a backend" : "--seed");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_verify_argp = {
    .options =
        (const struct argp_option[]){
            {"key", CLI_TEXT(struct verify_options, key), "PUBKEY", 0,
             "The expected signer: a public key of minisign (the second line of its file), or the "
             "name of its file",
             0},
            {"trust", CLI_TEXT(struct verify_options, trust), "FILE", 0,
             "File of trusted signers: a line for each key, with words KEY=VALUE: key, name, and "
             "the dates of runs for which it is valid, from and until, or revoked",
             0},
            {"rerun", KEY_RERUN, "N", 0,
             "Also run N random cases, and compare their results with the log", 0},
            {"rerun-list", CLI_TEXT(struct verify_options, list), "FILE", 0,
             "Write the ids of the cases that --rerun draws to FILE, one per line; `topk-cts "
             "replay --file FILE' runs them",
             0},
            {"seed", KEY_SEED, "SEED", 0, "Draw the same cases as a --rerun that printed this seed",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Verifies a package of `topk-cts package': its signature and digests, that the log is "
           "complete and has each case of its profile, that nothing was left out, corrupted or "
           "waived without being declared, and that every total and verdict follows from the "
           "log.\vIt writes no file except that of --rerun-list, and uses no network. Without "
           "--key or --trust it checks the package against the key in the package, which shows "
           "that it was not changed, but not who made it. Exits with 0 if the package is verified "
           "and states conformance. Exits with 1 if it is verified, but states failures, waivers, "
           "or that the backend could reach its judge, or if --rerun had another result. Exits "
           "with 2 if there is no such file, and with 3 if it is not verified; also if the run "
           "began in the future by "
           "this machine's clock, or a key of --trust was not valid on its day.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, "For --rerun:", 0}, {0}},
};

/* reads a key: the text of the key, or the file that has it */
static void read_key(const char *given, struct topk_public_key *key)
{
    char reason[256];
    size_t size = strlen(given);
    if (topk_public_key_parse(given, size, key, reason, sizeof reason)) {
        return;
    }
    char *text = cli_file_need(given, CLI_KEY_MOST, &size);
    if (!topk_public_key_parse(text, size, key, reason, sizeof reason)) {
        cli_fail(CLI_HARNESS, "%s: %s", given, reason);
    }
    free(text);
}

static void read_signers(const char *path, struct topk_signers *signers)
{
    char error[1024];
    size_t size = 0;
    char *text = cli_file_need(path, TOPK_SIGNERS_MOST, &size);
    if (!topk_signers_parse(signers, path, text, size, error, sizeof error)) {
        cli_fail(CLI_HARNESS, "%s", error);
    }
    free(text);
}

/* Reports that the package is not verified; nothing more is printed about it. */
static int refuse(const char *path, const char *reason)
{
    fputs("NOT VERIFIED: ", stdout);
    fputs(path, stdout);
    fputs(path[0] == 0 ? "" : ": ", stdout);
    topk_text_print(stdout, reason);
    putchar('\n');
    return CLI_HARNESS;
}

/* One day in seconds: time zones and wrongly set clocks may differ by so much. */
#define CLOCK_SLACK 86400

/* Whether the run began in the past, as far as clocks can tell. */
static bool clocks_agree(const char *started, char *reason, size_t size)
{
    char now[32];
    const time_t soon = time(NULL) + CLOCK_SLACK;
    struct tm utc;
    gmtime_r(&soon, &utc);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (strcmp(started, now) <= 0) {
        return true;
    }
    snprintf(reason, size,
             "the run says that it began at %.32s, which is more than a day from now by this "
             "machine's clock: one of the two clocks is wrong",
             started);
    return false;
}

/* Whether the signer of the package is trusted, and its key was valid when the run began. */
static bool is_trusted(const struct topk_signers *signers, const struct topk_package *package,
                       const char *path, char *reason, size_t size)
{
    const struct topk_signer *signer = topk_signers_find(signers, &package->key);
    if (signer == NULL) {
        char id[TOPK_KEY_ID_TEXT];
        topk_key_id_print(package->key.id, id);
        snprintf(reason, size, "it was signed with key %s, which is not among the %zu of %s", id,
                 signers->count, path);
        return false;
    }
    return topk_signer_counts(signer, package->audit.header.started, reason, size);
}

static void print_signer(const struct verify_options *options, const struct topk_package *package,
                         const struct topk_signers *signers)
{
    char id[TOPK_KEY_ID_TEXT];
    topk_key_id_print(package->key.id, id);
    printf("%s: signed with key %s, ", options->path, id);
    const struct topk_signer *signer = topk_signers_find(signers, &package->key);
    if (signer != NULL) {
        fputs("that of '", stdout);
        topk_text_print(stdout, signer->name);
        printf("' (%s:%u)\n", options->trust, signer->line);
    } else {
        puts(options->key != NULL
                 ? "the given key"
                 : "which the package contains: --key or --trust checks the signer");
    }
}

static void print_package(const struct topk_package *package)
{
    const struct topk_audit *audit = &package->audit;
    const struct topk_log_header *header = &audit->header;
    char served[TOPK_SHARE_TEXT];
    const struct topk_share share = topk_audit_share(audit, served);
    char rules[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(&header->contract, rules);
    const char *const facts[][2] = {
        {"backend ", header->backend.name},
        {" ", header->backend.version},
        {" on ", header->backend.device},
        {", driver ", header->backend.driver},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (facts[i][1][0] != 0) {
            fputs(facts[i][0], stdout);
            topk_text_print(stdout, facts[i][1]);
        }
    }
    printf("\ncontract: %s\nserved: %s, %" PRIu64 " of %" PRIu64 "\n%s, by topk-cts ",
           rules[0] == 0 ? "DirectML's documents" : rules, served, share.served, share.asked,
           topk_judge_phrase(header->judge));
    topk_text_print(stdout, header->suite);
    fputs(header->revision[0] == 0 ? "" : ", revision ", stdout);
    topk_text_print(stdout, header->revision);
    fputs(", profile ", stdout);
    topk_text_print(stdout, header->profile);
    printf(" v%" PRIu32 " (digest %.12s), started ", header->profile_version,
           header->profile_digest);
    topk_text_print(stdout, header->started);
    printf("\nall %" PRIu64 " cases up to feature level %u.%u have a result:", header->cases,
           (unsigned)(header->level >> 12), (unsigned)(header->level >> 8 & 15));
    topk_totals_print(stdout, " ", audit->totals, audit->tested.by_status);
    putchar('\n');
}

static int verify(const struct verify_options *options, struct topk_package *package,
                  const char *bytes, size_t size, const struct topk_public_key *key,
                  const struct topk_signers *signers, const struct topk_mustpass_table *table)
{
    char error[1024] = "";
    if (size > 0 && bytes[0] == '{') {
        return refuse(options->path,
                      "this is the log of a run; `topk-cts package' makes a package of it");
    }
    if (!topk_package_read(package, options->path, bytes, size, key, table, error, sizeof error)) {
        return refuse("", error);
    }
    if (!clocks_agree(package->audit.header.started, error, sizeof error) ||
        (options->trust != NULL &&
         !is_trusted(signers, package, options->trust, error, sizeof error))) {
        return refuse(options->path, error);
    }
    print_signer(options, package, signers);
    if (package->format < TOPK_PACKAGE_FORMAT) {
        printf(
            "note: the package is of format %u, whose statement this topk-cts does not make: what "
            "follows is from the log\n",
            package->format);
    }
    print_package(package);
    const enum topk_conformance conformance = topk_audit_conformance(&package->audit, NULL);
    int code = cli_conformance_exit(conformance, false);
    if (conformance == TOPK_CONFORMANCE_WAIVED || conformance == TOPK_CONFORMANCE_UNJUDGED) {
        code = CLI_FAILURES; /* the package is verified, but does not state conformance */
    }
    bool other_files = false;
    if (options->rerun > 0) {
        const struct cli_rerun rerun = {&options->backend, options->rerun, options->seed,
                                        options->has_seed, options->list};
        int rerun_code = cli_rerun(&rerun, package, &other_files);
        if (rerun_code != CLI_CONFORMANT) {
            return rerun_code;
        }
        const int judged =
            cli_judge_exit(cli_judge(&options->backend), options->backend.trust_worker);
        code = code == CLI_CONFORMANT ? judged : code;
    }
    char served[TOPK_SHARE_TEXT];
    (void)topk_audit_share(&package->audit, served);
    cli_need_memory(true);
    printf("VERIFIED: the backend %s, and serves %s (profile ",
           topk_conformance_sentence(conformance), served);
    topk_text_print(stdout, package->audit.header.profile);
    printf(" v%" PRIu32, package->audit.header.profile_version);
    cli_level_print(stdout, package->audit.header.level, false);
    printf(")%s%s\n", other_files ? "; the rerun was not of the files in the package" : "",
           options->key == NULL && options->trust == NULL ? "; the signer was not checked" : "");
    return code;
}

int cli_verify(int argc, char **argv)
{
    struct verify_options options = {0};
    struct topk_public_key key;
    struct topk_signers signers = {0};
    static struct topk_package package; /* static, to keep the stack small */
    size_t size = 0;
    cli_parse(&cli_verify_argp, argc, argv, &options);
    if (options.key != NULL) {
        read_key(options.key, &key);
    }
    if (options.trust != NULL) {
        read_signers(options.trust, &signers);
    }
    char error[1024];
    char *bytes = cli_file_unpack(options.path, CLI_PACKAGE_MOST, &size, error, sizeof error);
    if (bytes == NULL && errno == EBADMSG) {
        exit(refuse("", error));
    }
    if (bytes == NULL && errno == EISDIR) {
        cli_fail(CLI_USAGE,
                 "%s is a folder, not a package; `topk-cts package RUN --sign KEY' makes one",
                 options.path);
    }
    if (bytes == NULL) {
        cli_fail((enum cli_exit)cli_errno_exit(errno), "%s", error);
    }
    struct topk_mustpass *profiles = cli_mustpass_table();
    const struct topk_mustpass_table table = {profiles, topk_profile_count, &cli_case_lookup};
    int code = verify(&options, &package, bytes, size, options.key == NULL ? NULL : &key, &signers,
                      &table);
    topk_package_free(&package);
    topk_signers_free(&signers);
    cli_mustpass_free(profiles);
    free(bytes);
    return code;
}
