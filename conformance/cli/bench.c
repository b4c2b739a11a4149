/* topk-cts bench: measures the cost of the judge and of a backend. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "bench/bench.h"
#include "cli.h"

/* maximum number of elements of a call: strides of a tensor have 32 bits */
#define MOST_LENGTH (UINT32_C(1) << 28)
/* maximum size in bytes of the file of --compare */
#define MOST_BYTES ((size_t)64 << 20)

enum {
    KEY_PEER = 8000,
    KEY_TYPE,
    KEY_LENGTH,
    KEY_SEQUENCES,
    KEY_K,
    KEY_RUNS,
    KEY_TOLERANCE
};

struct bench_options {
    struct topk_bench_options bench;
    const char *backend; /* NULL: not given */
    const char *json;    /* files to write, or NULL */
    const char *svg;
    const char *compare; /* the file of --compare, or NULL */
    double tolerance;    /* a ratio; default 1.25 */
    bool no_peers;
    bool quick;
    bool list;
    bool lengths; /* --n was given */
};

/* ---- options --------------------------------------------------------------------------------- */

/* Parses a number from 1 to MOST_LENGTH, which may end with k or M; 0 if the word is malformed. */
static uint32_t number_of(const char *word, size_t length)
{
    uint64_t number = 0;
    size_t i = 0;
    while (i < length && word[i] >= '0' && word[i] <= '9' && number <= MOST_LENGTH) {
        number = 10 * number + (uint64_t)(word[i++] - '0');
    }
    if (i > 0 && i + 1 == length && (word[i] == 'k' || word[i] == 'M')) {
        number *= word[i++] == 'k' ? 1u << 10 : 1u << 20;
    }
    return i == length && number <= MOST_LENGTH ? (uint32_t)number : 0;
}

static void take_type(struct bench_options *options, const struct argp_state *state,
                      const char *word, size_t length)
{
    uint32_t type = 0;
    size_t read = 0;
    if (!topk_type_parse(word, &type, &read) || read != length || !topk_type_known(type)) {
        argp_error(state, "there is no type '%.*s'; `topk-cts list --types' lists them",
                   (int)length, word);
    }
    if (options->bench.type_count == TOPK_TYPE_COUNT) {
        argp_error(state, "--type names more types than there are");
    }
    options->bench.types[options->bench.type_count++] = type;
}

static void take_length(struct bench_options *options, const struct argp_state *state,
                        const char *word, size_t length)
{
    const uint32_t number = number_of(word, length);
    if (number == 0) {
        argp_error(state, "--n takes lengths from 1 to 256M, such as 16,64k,1M, not '%.*s'",
                   (int)length, word);
    }
    if (options->bench.length_count == TOPK_BENCH_LENGTHS) {
        argp_error(state, "--n takes %d lengths at most", TOPK_BENCH_LENGTHS);
    }
    options->lengths = true;
    options->bench.lengths[options->bench.length_count++] = number;
}

static void take_k(struct bench_options *options, const struct argp_state *state, const char *word,
                   size_t length)
{
    struct topk_bench_k k = {.of_n = word[0] == 'n', .number = 1};
    if (!k.of_n) {
        k.number = number_of(word, length);
    } else if (length > 1) {
        k.number = word[1] == '/' ? number_of(word + 2, length - 2) : 0;
    }
    if (k.number == 0) {
        argp_error(state, "--k takes K from 1 to 256M, n or n/2, such as 1,64,n/2,n, not '%.*s'",
                   (int)length, word);
    }
    if (options->bench.k_count == TOPK_BENCH_KS) {
        argp_error(state, "--k takes %d at most", TOPK_BENCH_KS);
    }
    options->bench.ks[options->bench.k_count++] = k;
}

/* Calls take() with each word of a comma-separated list. */
static void take_list(struct bench_options *options, const struct argp_state *state,
                      const char *list,
                      void (*take)(struct bench_options *options, const struct argp_state *state,
                                   const char *word, size_t length))
{
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        take(options, state, list, length);
        list += length;
        if (*list == 0) {
            return;
        }
    }
}

static void take_subject(struct bench_options *options, const struct argp_state *state,
                         const char *word)
{
    for (int i = 0; i < TOPK_BENCH_SUBJECTS; i++) {
        if (strcmp(topk_bench_subject_word((enum topk_bench_subject)i), word) == 0) {
            options->bench.subject[i] = true;
            return;
        }
    }
    argp_error(state, "unexpected argument '%s': bench measures `judge' or `backend'", word);
}

static bool to_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Fills in the defaults of options that were not given, and checks the options. */
static void complete(struct bench_options *options, const struct argp_state *state)
{
    struct topk_bench_options *bench = &options->bench;
    static struct topk_bench_options defaults; /* static, to keep the stack small */
    topk_bench_defaults(&defaults);
    if (!bench->subject[TOPK_BENCH_JUDGE] && !bench->subject[TOPK_BENCH_BACKEND]) {
        memcpy(bench->subject, defaults.subject, sizeof bench->subject);
    }
    if (bench->type_count == 0) {
        memcpy(bench->types, defaults.types, sizeof bench->types);
        bench->type_count = options->quick ? 2 : defaults.type_count;
    }
    if (bench->length_count == 0) {
        memcpy(bench->lengths, defaults.lengths, sizeof bench->lengths);
        bench->length_count = options->quick ? 2 : defaults.length_count;
    }
    if (bench->runs == 0) {
        bench->runs = options->quick ? 3 : defaults.runs;
    }
    bench->backend = options->backend != NULL ? options->backend : defaults.backend;
    bench->quick = options->quick;
    if (to_stdout(options->json) && to_stdout(options->svg)) {
        argp_error(state, "--json and --svg cannot both be standard output");
    }
    for (uint32_t i = 0; i < bench->length_count; i++) {
        if ((uint64_t)bench->sequences * bench->lengths[i] > MOST_LENGTH) {
            argp_error(state, "%u sequences of %u elements are more than 256M elements",
                       bench->sequences, bench->lengths[i]);
        }
    }
    if (options->lengths && bench->k_count > 0) {
        for (uint32_t i = 0; i < bench->k_count; i++) {
            bool fits = bench->ks[i].of_n;
            for (uint32_t j = 0; j < bench->length_count; j++) {
                fits = fits || bench->ks[i].number <= bench->lengths[j];
            }
            if (!fits) {
                argp_error(state, "K = %u is greater than every n of --n", bench->ks[i].number);
            }
        }
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench_options *options = state->input;
    struct topk_bench_options *bench = &options->bench;
    switch (key) {
    case KEY_PEER:
        if (bench->peer_count == TOPK_BENCH_PEERS) {
            argp_error(state, "--peer may be given %d times", TOPK_BENCH_PEERS);
        }
        bench->peers[bench->peer_count++] = argument;
        return 0;
    case KEY_TYPE:
        take_list(options, state, argument, take_type);
        return 0;
    case KEY_LENGTH:
        take_list(options, state, argument, take_length);
        return 0;
    case KEY_SEQUENCES:
        bench->sequences = number_of(argument, strlen(argument));
        if (bench->sequences == 0) {
            argp_error(state,
                       "--sequences takes a number from 1 to 256M, such as 1000 or 1M, "
                       "not '%s'",
                       argument);
        }
        return 0;
    case KEY_K:
        take_list(options, state, argument, take_k);
        return 0;
    case KEY_RUNS:
        bench->runs = (uint32_t)cli_number_from(state, "runs", argument, 1, TOPK_BENCH_RUNS);
        return 0;
    case KEY_TOLERANCE:
        options->tolerance =
            1 + (double)cli_number_from(state, "tolerance", argument, 1, 10000) / 100;
        return 0;
    case ARGP_KEY_ARG:
        take_subject(options, state, argument);
        return 0;
    case ARGP_KEY_END:
        complete(options, state);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_bench_argp = {
    .options =
        (const struct argp_option[]){
            {"backend", CLI_TEXT(struct bench_options, backend), "NAME[:OPTIONS]|PATH[:OPTIONS]", 0,
             "Measure this backend; default cpu", 0},
            {"peer", KEY_PEER, "NAME[:OPTIONS]|PATH[:OPTIONS]", 0,
             "Compare with this backend, too; can be given several times", 0},
            {"no-peers", CLI_FLAG(struct bench_options, no_peers), NULL, 0,
             "Leave out the default peers", 0},
            {"type", KEY_TYPE, "TYPES", 0, "Element types; default f32,f16,i32,i64,u8", 0},
            {"n", KEY_LENGTH, "NUMBERS", 0, "Lengths of sequences; default 16,1k,64k,1M", 0},
            {"sequences", KEY_SEQUENCES, "NUMBER", 0,
             "Number of sequences in a call; default as many as make 64k elements", 0},
            {"k", KEY_K, "NUMBERS", 0,
             "Values of K: numbers, n or n/2; default 1,8,64,n/2,n, for the judge 8,n", 0},
            {"runs", KEY_RUNS, "N", 0,
             "Number of rounds, of which the results are medians; default 7", 0},
            {"quick", CLI_FLAG(struct bench_options, quick), NULL, 0,
             "Measure a few small rows in seconds, to try the command. Do not publish these "
             "numbers",
             0},
            {"list", CLI_FLAG(struct bench_options, list), NULL, 0,
             "List the rows without measuring them", 0},
            {"json", CLI_TEXT(struct bench_options, json), "FILE", 0,
             "Also write the results as JSON to this file; - is standard output, without tables",
             0},
            {"svg", CLI_TEXT(struct bench_options, svg), "FILE", 0,
             "Also draw the results as SVG to this file; - is standard output, without tables", 0},
            {"compare", CLI_TEXT(struct bench_options, compare), "FILE", 0,
             "List what regressed since this JSON was written, by the ratios to the limits", 0},
            {"tolerance", KEY_TOLERANCE, "PERCENT", 0,
             "Percentage by which a ratio may grow before it counts as a regression; default 25",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "[judge] [backend]",
    .doc = "Measures the judge, a backend or both. The same run measures the limit of this machine "
           "(reading and writing the memory once) and the backend's peers: ONNX Runtime, libtorch, "
           "std::partial_sort, std::nth_element and qsort(). It names the peers that the build "
           "lacks. All take turns, on rotating buffers. Times are medians; a ratio is of times of "
           "the same round. Results are judged before they are timed.\vbench pins itself to one "
           "processor, or to N for a backend with the option threads=N, or to none for a backend "
           "that computes on a device. Peers have one thread, unless --peer gives them more. The "
           "backend runs in this process and can crash it. Exits with 1 if a result is wrong, or "
           "if --compare finds a regression.",
};

/* ---- the command ----------------------------------------------------------------------------- */

static void list_rows(const struct topk_bench_report *report)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct topk_bench_row *row = &report->rows[i];
        char type[TOPK_TYPE_TEXT];
        topk_type_print(row->type, type);
        printf("%s %s n=%u k=%u stride=%u sequences=%llu\n", topk_bench_subject_word(row->subject),
               type, row->n, row->k, row->stride, (unsigned long long)row->sequences);
    }
}

static void show_progress(void *context, uint32_t done, uint32_t total, const char *text)
{
    cli_progress_show(context, "%u of %u rows, %s", done, total, text);
}

/* The folder `peers' beside this program. */
static const char *peer_folder(void)
{
    static char path[4096];
    char own[4000];
    size_t length = sizeof own;
    if (uv_exepath(own, &length) != 0) {
        return "peers";
    }
    while (length > 0 && own[length] != '/' && own[length] != '\\') {
        length--;
    }
    snprintf(path, sizeof path, "%.*s/peers", (int)length, own);
    return path;
}

static void read_before(const char *path, struct topk_bench_report *before)
{
    size_t size = 0;
    char error[512];
    char *text = cli_file_need(path, MOST_BYTES, &size);
    if (!topk_bench_read(text, size, before, error, sizeof error)) {
        cli_fail(CLI_HARNESS, "%s: %s", path, error);
    }
    free(text);
}

/* Opens a file, unless it is NULL or standard output. Called before measuring, which takes
 * minutes. */
static struct topk_output *open_file(const char *path, struct topk_output *output)
{
    if (path == NULL || to_stdout(path)) {
        return NULL;
    }
    errno = 0;
    if (!cli_file_create(output, path, TOPK_OUTPUT_NAMED)) {
        exit(cli_errno_exit(errno));
    }
    return output;
}

/* Prints how rows have changed since the file of --compare; returns the exit code. */
static int compare(const struct bench_options *options, const struct topk_bench_report *before,
                   const struct topk_bench_report *after)
{
    const struct topk_bench_comparison found =
        topk_bench_compare(stdout, before, after, options->tolerance);
    if (found.shared == 0) {
        cli_error("%s has no row in common with this run: there is nothing to compare",
                  options->compare);
        return CLI_USAGE;
    }
    if (strcmp(before->backend.name, after->backend.name) != 0) {
        cli_error("note: %s is of the backend '%s'", options->compare, before->backend.name);
    }
    if (before->quick != after->quick) {
        cli_error("note: one of the two was measured with --quick");
    }
    printf("%s: %u of %u rows are slower than in %s by more than %.0f %%, %u faster\n",
           found.regressed > 0 ? "REGRESSED" : "NOT REGRESSED", found.regressed, found.shared,
           options->compare, 100 * (options->tolerance - 1), found.improved);
    return found.regressed > 0 ? CLI_FAILURES : CLI_CONFORMANT;
}

static int run(const struct bench_options *options, struct topk_bench_report *report)
{
    char error[4096];
    switch (topk_bench_run(&options->bench, report, error, sizeof error)) {
    case TOPK_BENCH_DONE:
        return CLI_CONFORMANT;
    case TOPK_BENCH_NOTHING:
        cli_error("%s", error);
        return CLI_USAGE;
    case TOPK_BENCH_UNAVAILABLE:
        cli_error("%s", error);
        return CLI_UNAVAILABLE;
    default:
        cli_error("%s", error);
        return CLI_HARNESS;
    }
}

static int write_all(const struct bench_options *options, const struct topk_bench_report *report,
                     struct topk_output *json, struct topk_output *svg)
{
    bool good = true;
    if (to_stdout(options->json)) {
        cli_need_memory(topk_bench_write(stdout, report));
    } else if (to_stdout(options->svg)) {
        topk_bench_draw(stdout, report);
    } else {
        topk_bench_print(stdout, report);
    }
    if (json != NULL) {
        const bool whole = topk_bench_write(json->file, report);
        good = cli_file_close(json, whole) && good;
        cli_need_memory(whole);
    }
    if (svg != NULL) {
        topk_bench_draw(svg->file, report);
        good = cli_file_close(svg, true) && good;
    }
    return good ? CLI_CONFORMANT : CLI_HARNESS;
}

int cli_bench(int argc, char **argv)
{
    static struct bench_options options; /* static, to keep the stack small */
    static struct topk_bench_report report;
    static struct topk_bench_report before;
    struct topk_output files[2];
    struct cli_progress progress;
    char error[256];
    options.tolerance = 1.25;
    cli_parse(&cli_bench_argp, argc, argv, &options);
    if (options.list) {
        if (topk_bench_plan(&options.bench, &report, error, sizeof error) != TOPK_BENCH_DONE) {
            cli_fail(CLI_USAGE, "%s", error);
        }
        list_rows(&report);
        topk_bench_free(&report);
        return CLI_CONFORMANT;
    }
    if (options.compare != NULL) {
        read_before(options.compare, &before);
    }
    struct topk_output *json = open_file(options.json, &files[0]);
    struct topk_output *svg = open_file(options.svg, &files[1]);
    cli_progress_start(&progress, 0, 0);
    options.bench.progress = show_progress;
    options.bench.context = &progress;
    options.bench.peer_folder = options.no_peers ? NULL : peer_folder();
    int code = run(&options, &report);
    cli_progress_erase(&progress);
    if (code != CLI_CONFORMANT) {
        exit(code);
    }
    snprintf(report.suite, sizeof report.suite, "%s", TOPK_VERSION);
    code = write_all(&options, &report, json, svg);
    if (code == CLI_CONFORMANT && options.compare != NULL) {
        code = compare(&options, &before, &report);
    }
    if (code == CLI_CONFORMANT && report.wrong) {
        code = CLI_FAILURES;
    }
    topk_bench_free(&report);
    topk_bench_free(&before);
    return code;
}
