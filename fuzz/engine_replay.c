/* Runs a target on input files without a fuzzing engine, so that it builds with any compiler. It
 * also prints what scripts need to know about a target (its dictionary, and the cases that inputs
 * stand for), and packs corpora. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "session/corpus.h"

#define EXIT_USAGE 2
/* seconds that an input run on its own may take */
#define EACH_SECONDS 10u
/* After this many inputs took longer than that, the remaining ones are not tried. */
#define HANGS_MAX  3u
#define EXIT_HANGS 3

static int usage(FILE *to)
{
    fprintf(to,
            "Usage: fuzz_%s [OPTION] PATH...\n"
            "Runs inputs: files, all files of folders, all of archives NAME.tar.\n"
            "Or, of an OPTION:\n"
            "  --cases         print the case that each input stands for, and its file\n"
            "  --each          run each by a process of its own, and print which fail\n"
            "  --pack ARCHIVE  write the inputs to an archive, as those of corpus/fuzz are\n"
            "  --info          print name, longest input, kind of input, and what is asserted\n"
            "  --version       print what the bytes of an input mean, as a number\n"
            "  --words         print the dictionary for engines\n"
            "The fuzz target `%s': %s.\n",
            fuzz_target.name, fuzz_target.name, fuzz_target.about);
    return to == stderr ? EXIT_USAGE : EXIT_SUCCESS;
}

static void give_up(const char *path, const char *why)
{
    fprintf(stderr, "fuzz %s: %s: %s\n", fuzz_target.name, path, why);
    exit(EXIT_USAGE);
}

/* ---- what is done with an input
 * --------------------------------------------------------------- */

/* What to do with one input. */
typedef void take_input(const char *path, const unsigned char *bytes, size_t length);

/* Prints the name of the input that crashed, because the crash message itself does not say it. */
static void on_crash(int number)
{
    static const char words[] = "fuzz: crashed on input ";
    const char *name = fuzz_input_name;
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    written += write(STDERR_FILENO, name, strlen(name));
    written += write(STDERR_FILENO, "\n", 1);
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static void run_input(const char *path, const unsigned char *bytes, size_t length)
{
    fuzz_input_name = path;
    fuzz_target.run(bytes, length);
    fuzz_input_name = "";
}

/* Runs an input in its own process. An input that hangs is ended and counts as failed. */
static void run_alone(const char *path, const unsigned char *bytes, size_t length)
{
    static unsigned hangs;
    /* set by the child when it passed: exit code 0 alone could come from an _exit(0) in the target
     */
    static volatile bool *passed;
    int status = 0;
    if (passed == NULL) {
        passed =
            mmap(NULL, sizeof *passed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    if (passed == MAP_FAILED) {
        give_up(path, "out of memory");
    }
    *passed = false;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(EACH_SECONDS);
        if (freopen("/dev/null", "w", stderr) != NULL) {
            fuzz_target.run(bytes, length);
            *passed = true;
        }
        _exit(EXIT_SUCCESS);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        give_up(path, "cannot be run by a process of its own");
    }
    if (!*passed) {
        puts(path);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        fprintf(stderr, "fuzz %s: ran for %u s, and hangs: %s\n", fuzz_target.name, EACH_SECONDS,
                path);
        if (++hangs == HANGS_MAX) {
            exit(fflush(stdout) == 0 ? EXIT_HANGS
                                     : EXIT_FAILURE); /* NOLINT(concurrency-mt-unsafe) */
        }
    }
}

static void print_case(const char *path, const unsigned char *bytes, size_t length)
{
    static char text[TOPK_CASE_TEXT];
    struct topk_case tc;
    if (fuzz_target.decode == NULL) {
        give_up(path, "inputs of this target stand for no case");
    }
    if (fuzz_target.decode(bytes, length, &tc)) {
        topk_case_print(&tc, text, sizeof text);
        topk_case_clear(&tc);
        printf("%s\t%s\n", text, path);
    }
}

static void print_word(const char *word)
{
    putchar('"');
    for (; *word != 0; word++) {
        if (*word > ' ' && *word < 0x7f && *word != '"' && *word != '\\') {
            putchar(*word);
        } else {
            printf("\\x%02x", (unsigned)(unsigned char)*word);
        }
    }
    puts("\"");
}

static const char *input_kind(void)
{
    const bool words = fuzz_target.words != NULL || fuzz_target.more_words != NULL;
    return fuzz_target.decode != NULL ? "case"
           : fuzz_target.draw != NULL ? "choices"
           : words                    ? "text"
                                      : "bytes";
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool read_path(const char *path, struct cli_corpus *corpus)
{
    struct stat status;
    const size_t length = strlen(path);
    const bool archive = length > 4 && strcmp(path + length - 4, ".tar") == 0;
    return (archive || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
                ? cli_corpus_read(path, corpus)
                : cli_corpus_read_input(path, corpus)) == CLI_CONFORMANT;
}

static void catch_crashes(void)
{
#ifndef TOPK_SANITIZED
    signal(SIGSEGV, on_crash);
    signal(SIGFPE, on_crash);
    signal(SIGBUS, on_crash);
#else
    (void)on_crash;
#endif
}

static bool take_inputs(struct cli_corpus *corpus, take_input *take)
{
    if (take != print_case) {
        if (fuzz_target.open != NULL && !fuzz_target.open()) {
            return false;
        }
        catch_crashes();
    }
    for (size_t i = 0; i < corpus->count; i++) {
        const struct cli_input *input = &corpus->list[i];
        take(input->name, input->piece.bytes, input->piece.length);
    }
    if (take == run_input) {
        printf("fuzz %s: %zu inputs, nothing wrong\n", fuzz_target.name, corpus->count);
    }
    return true;
}

/* Handles an option that takes no inputs. Returns false if it is some other option. */
static bool tell(const char *option, const char *version)
{
    if (strcmp(option, "--help") == 0) {
        usage(stdout);
    } else if (strcmp(option, "--info") == 0) {
        printf("%s\t%zu\t%s\t%s\n", fuzz_target.name, fuzz_target.max_bytes, input_kind(),
               fuzz_target.about);
    } else if (strcmp(option, "--version") == 0) {
        fputs(version, stdout);
    } else if (strcmp(option, "--words") == 0) {
        for (const char *const *word = fuzz_target.words; word != NULL && *word != NULL; word++) {
            print_word(*word);
        }
        if (fuzz_target.more_words != NULL) {
            fuzz_target.more_words(print_word);
        }
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{

    struct cli_corpus corpus;
    take_input *take = run_input;
    const char *archive = NULL;
    int first = 2;
    cli_corpus_begin(&corpus, fuzz_target.name, fuzz_target.draw != NULL);
    if (argc == 2 && tell(argv[1], corpus.version)) {
        return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (argc > 2 && strcmp(argv[1], "--cases") == 0) {
        take = print_case;
    } else if (argc > 2 && strcmp(argv[1], "--each") == 0) {
        take = run_alone;
    } else if (argc > 3 && strcmp(argv[1], "--pack") == 0) {
        archive = argv[2];
        first = 3;
    } else if (argc > 1 && argv[1][0] != '-') {
        first = 1;
    } else {
        return usage(stderr);
    }
    int code = EXIT_SUCCESS;
    for (int i = first; i < argc && code == EXIT_SUCCESS; i++) {
        code = read_path(argv[i], &corpus) ? EXIT_SUCCESS : EXIT_USAGE;
    }
    if (code == EXIT_SUCCESS && archive != NULL) {
        code = cli_corpus_write(archive, &corpus);
    } else if (code == EXIT_SUCCESS) {
        code = take_inputs(&corpus, take) && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    cli_corpus_free(&corpus);
    return code;
}
