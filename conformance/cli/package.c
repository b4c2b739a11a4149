/* topk-cts package: packs a run into one signed file that others can verify. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <sodium.h>

#include "cli.h"
#include "log/log.h"
#include "session/session.h"

struct package_options {
    const char *run;
    const char *key;
    const char *output; /* or NULL */
    bool zstd;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct package_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->run != NULL) {
            argp_error(state, "one run at a time: '%s' is a second one", argument);
        }
        options->run = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->run == NULL) {
            argp_error(state, "no run given. Give a folder that `topk-cts run --out' made");
        }
        if (options->key == NULL) {
            argp_error(state,
                       "no key given. Give --sign KEY, a secret key that `minisign -G' made");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_package_argp = {
    .options =
        (const struct argp_option[]){
            {"sign", CLI_TEXT(struct package_options, key), "KEY", 0,
             "File of the secret key, made by `minisign -G'. If it has a password, topk-cts asks "
             "for it",
             0},
            {"output", 'o', "FILE", 0,
             "The package to write, a new file; default package.tar in the folder of the run", 0},
            {"zstd", CLI_FLAG(struct package_options, zstd), NULL, 0,
             "Compress the package; its default name is then package.tar.zst. Its content and the "
             "signature stay the same",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "RUN",
    .doc = "Packs a run into one signed file that others can verify: the log, the list of the "
           "profile's cases, a statement of conformance, a manifest of digests. RUN is the folder "
           "of a run, or its log.\vOnly a whole profile can be packed, at the feature level that "
           "the backend reports. It may have failures: the statement lists them. `topk-cts verify' "
           "verifies a package; so do, from its unpacked files, `minisign -Vm manifest.sha256 -p "
           "KEY.pub' and `sha256sum -c manifest.sha256'. Exits with 0 if the package was written, "
           "with 1 if the run is not eligible, with 2 if there is no such file, with 3 if a file "
           "is malformed or cannot be written.",
};

/* ---- the key --------------------------------------------------------------------------------- */

/* reads a password from the terminal without echo, or a line of standard input */
static bool ask_password(void *context, char *text, size_t size)
{
    const char *path = context;
    struct termios before;
    bool terminal = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0;
    if (terminal) {
        struct termios hidden = before;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fputs("Password of ", stderr);
        topk_text_print(stderr, path);
        fputs(": ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    bool got = fgets(text, (int)size, stdin) != NULL;
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        fputc('\n', stderr);
    }
    if (got) {
        text[strcspn(text, "\r\n")] = 0;
    }
    return got;
}

static void read_key(const char *path, struct topk_secret_key *key)
{
    char error[256];
    size_t size = 0;
    if (!topk_minisign_ready(error, sizeof error)) {
        cli_fail(CLI_HARNESS, "%s", error);
    }
    char *text = cli_file_need(path, CLI_KEY_MOST, &size);
    bool read =
        topk_secret_key_parse(text, size, ask_password, (void *)path, key, error, sizeof error);
    sodium_memzero(text, size);
    free(text);
    if (!read) {
        cli_fail(CLI_HARNESS, "%s: %s", path, error);
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

/* gets the profile of the log; NULL if it is unknown, which is reported later */
static bool see_header(void *context, const struct topk_log_header *header)
{
    const struct topk_profile **profile = context;
    *profile = topk_profile_find(header->profile);
    return true;
}

static void list_made(void *context, const struct cli_made *made)
{
    FILE *out = context;
    for (size_t i = 0; i < made->count; i++) {
        fwrite(made->cases[i].id, 1, made->cases[i].length, out);
        fputc('\n', out);
    }
}

/* The ids of a profile, each with a line feed; to be freed. */
static char *list_cases(const struct topk_profile *profile, size_t *size)
{
    char *list = NULL;
    FILE *out = cli_need(topk_memory_stream(&list, size));
    if (profile != NULL) {
        cli_cases_make(profile, NULL, list_made, out);
    }
    cli_need_memory(ferror(out) == 0);
    cli_need_memory(fclose(out) == 0);
    return list;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* "DIR/NAME" with the folder of the run; to be freed */
static char *beside(const char *run, const char *name)
{
    struct stat status;
    bool folder = stat(run, &status) == 0 && S_ISDIR(status.st_mode);
    const char *slash = strrchr(run, '/');
    size_t length = folder ? strlen(run) : slash == NULL ? 0 : (size_t)(slash - run);
    size_t size = length + strlen(name) + 3;
    char *path = cli_need(malloc(size));
    snprintf(path, size, "%.*s%s%s", (int)length, run,
             length == 0 && !folder && slash == NULL ? "" : "/", name);
    return path;
}

/* Writes the whole package, or nothing. */
static int write_package(const char *path, bool zstd, const struct topk_package_source *source,
                         struct topk_audit *audit)
{
    char error[1024];
    struct topk_output output;
    if (!topk_output_open(&output, path, TOPK_OUTPUT_NEW, error, sizeof error)) {
        cli_error("%s", error);
        return output.refused ? CLI_USAGE : CLI_HARNESS;
    }
    FILE *out = zstd ? topk_stream_pack(output.file, UINT64_MAX) : output.file;
    bool failed = out == NULL;
    bool made = !failed && topk_package_write(out, source, audit, error, sizeof error);
    if (failed) {
        snprintf(error, sizeof error, "out of memory");
    } else if (zstd && fclose(out) != 0) {
        snprintf(error, sizeof error, "the package cannot be written: %s", strerror(errno));
        failed = made;
        made = false;
    }
    failed = failed || ferror(output.file) != 0;
    if (!topk_output_close(&output, made, made ? error : NULL, made ? sizeof error : 0)) {
        failed = true;
    }
    if (!made || failed) {
        cli_error("%s", error);
        return failed || topk_memory_short() ? CLI_HARNESS : CLI_FAILURES;
    }
    return CLI_CONFORMANT;
}

static int pack(const struct package_options *options, const char *log_path, const char *output)
{
    struct topk_secret_key key;
    static struct topk_audit audit; /* static, to keep the stack small */
    struct topk_package_source source = {.log_path = log_path, .key = &key};
    const struct topk_profile *profile = NULL;
    const struct topk_log_reader reader = {.context = &profile, .header = see_header};
    char error[1024] = "";
    int code = CLI_HARNESS;
    read_key(options->key, &key);
    cli_note_use(log_path);
    char *log = cli_file_unpack(log_path, CLI_PACKAGE_MOST, &source.log_size, error, sizeof error);
    char *list = NULL;
    struct topk_mustpass *profiles = cli_mustpass_table();
    if (log == NULL || topk_log_read(log_path, &reader, error, sizeof error) != 0) {
        cli_error("%s", error);
    } else {
        list = list_cases(profile, &source.mustpass_size);
    }
    if (list != NULL) {
        source.log = log;
        source.mustpass = list;
        source.table = (struct topk_mustpass_table){profiles, topk_profile_count, &cli_case_lookup};
        code = write_package(output, options->zstd, &source, &audit);
    }
    if (code == CLI_CONFORMANT) {
        char id[TOPK_KEY_ID_TEXT];
        char served[TOPK_SHARE_TEXT];
        topk_key_id_print(key.id, id);
        (void)topk_audit_share(&audit, served);
        cli_print("package: %s, signed with key %s\n", output, id);
        printf("It states that the backend %s: %" PRIu64 " cases of profile %s v%" PRIu32,
               topk_conformance_sentence(topk_audit_conformance(&audit, NULL)), audit.header.cases,
               audit.header.profile, audit.header.profile_version);
        cli_level_print(stdout, audit.header.level, false);
        printf(", %s served.\n", served);
    }
    sodium_memzero(&key, sizeof key);
    topk_audit_free(&audit);
    cli_mustpass_free(profiles);
    free(list);
    free(log);
    return code;
}

int cli_package(int argc, char **argv)
{
    struct package_options options = {0};
    cli_parse(&cli_package_argp, argc, argv, &options);
    char *log_path = cli_log_path(options.run);
    int code = cli_log_there(options.run, log_path);
    if (code != CLI_CONFORMANT) {
        free(log_path);
        return code;
    }
    const char *name = options.zstd ? TOPK_PACKAGE_NAME TOPK_ZSTD_SUFFIX : TOPK_PACKAGE_NAME;
    char *output =
        options.output == NULL ? beside(options.run, name) : cli_need(strdup(options.output));
    code = pack(&options, log_path, output);
    free(log_path);
    free(output);
    return code;
}
