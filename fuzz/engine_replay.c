/* A target without an engine, under any compiler: runs inputs that are files. And says what scripts
 * want to know of a target: what it is, its dictionary, the cases that inputs stand for. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode.h"
#include "fuzz.h"

#define EXIT_USAGE 2
/* a larger file is no input */
#define FILE_MAX ((size_t)1 << 24)
/* that an input which runs alone may take */
#define EACH_SECONDS 10u
/* after so many that take longer the others are not tried */
#define HANGS_MAX  3u
#define EXIT_HANGS 3

static uint64_t inputs;

static int usage(FILE *to)
{
    fprintf(
        to,
        "Usage: %s PATH...      runs the inputs: files, and all files of folders\n"
        "       %s --cases PATH...   prints the case that each input stands for, and its file\n"
        "       %s --info       prints name, longest input, kind of input, and what is asserted\n"
        "       %s --version    prints what the bytes of an input mean, as a number\n"
        "       %s --words      prints the dictionary for engines\n"
        "The fuzz target `%s': %s.\n",
        fuzz_target.name, fuzz_target.name, fuzz_target.name, fuzz_target.name, fuzz_target.name,
        fuzz_target.name, fuzz_target.about);
    return to == stderr ? EXIT_USAGE : EXIT_SUCCESS;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* What is done with an input; a path that is none ends the program. */
typedef void take_input(const char *path, const unsigned char *bytes, size_t length);

static void give_up(const char *path, const char *why)
{
    fprintf(stderr, "fuzz %s: %s: %s\n", fuzz_target.name, path, why);
    exit(EXIT_USAGE);
}

static void read_file(const char *path, take_input *take)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        give_up(path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return;
    }
    size_t size = (size_t)status.st_size;
    /* exactly as large, so that a sanitizer sees each byte too many */
    unsigned char *bytes = size > FILE_MAX ? NULL : malloc(size == 0 ? 1 : size);
    if (bytes == NULL || fread(bytes, 1, size, file) != size) {
        give_up(path, size > FILE_MAX ? "is too large" : "cannot be read");
    }
    fclose(file);
    take(path, bytes, size);
    free(bytes);
}

static void read_path(const char *path, take_input *take)
{
    struct stat status;
    struct dirent **names;
    if (stat(path, &status) != 0) {
        give_up(path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    }
    if (!S_ISDIR(status.st_mode)) {
        read_file(path, take);
        return;
    }
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        give_up(path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    }
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.') {
            size_t room = strlen(path) + strlen(names[i]->d_name) + 2;
            char *inner = malloc(room);
            if (inner == NULL) {
                give_up(path, "memory ran out");
                return;
            }
            snprintf(inner, room, "%s/%s", path, names[i]->d_name);
            read_path(inner, take);
            free(inner);
        }
        free(names[i]);
    }
    free(names);
}

/* ---- what is done with them ------------------------------------------------------------------ */

/* an input that crashes is named: what crashes says nothing of it */
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
    inputs++;
    fuzz_target.run(bytes, length);
    fuzz_input_name = "";
}

/* one that hangs is ended, and fails so */
static void run_alone(const char *path, const unsigned char *bytes, size_t length)
{
    static unsigned hangs;
    static volatile bool *passed; /* the child says so: one that leaves by _exit(0) does not */
    int status = 0;
    inputs++;
    if (passed == NULL) {
        passed =
            mmap(NULL, sizeof *passed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    if (passed == MAP_FAILED) {
        give_up(path, "memory ran out");
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
    struct topk_case test;
    if (fuzz_target.decode == NULL) {
        give_up(path, "inputs of this target stand for no case");
    }
    inputs++;
    if (fuzz_target.decode(bytes, length, &test)) {
        topk_case_print(&test, text, sizeof text);
        topk_case_clear(&test);
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
    return fuzz_target.decode != NULL  ? "case"
           : fuzz_target.draw != NULL  ? "choices"
           : fuzz_target.words != NULL ? "text"
                                       : "bytes";
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return usage(stdout);
    }
    if (argc == 2 && strcmp(argv[1], "--info") == 0) {
        printf("%s\t%zu\t%s\t%s\n", fuzz_target.name, fuzz_target.max_bytes, input_kind(),
               fuzz_target.about);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("topk-cts fuzz corpus of %s, version %08" PRIx32 "\n", fuzz_target.name,
               fuzz_target.draw == NULL ? 1 : topk_decode_version());
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--words") == 0) {
        if (fuzz_target.words != NULL) {
            fuzz_target.words(print_word);
        }
        return EXIT_SUCCESS;
    }
    const bool cases = argc > 2 && strcmp(argv[1], "--cases") == 0;
    const bool each = argc > 2 && strcmp(argv[1], "--each") == 0;
    if (argc < 2 || (argv[1][0] == '-' && !cases && !each)) {
        return usage(stderr);
    }
    if (!cases && fuzz_target.open != NULL && !fuzz_target.open()) {
        return EXIT_FAILURE;
    }
#ifndef TOPK_SANITIZED
    signal(SIGSEGV, on_crash);
    signal(SIGFPE, on_crash);
    signal(SIGBUS, on_crash);
#else
    (void)on_crash;
#endif
    for (int i = cases || each ? 2 : 1; i < argc; i++) {
        read_path(argv[i], cases ? print_case : each ? run_alone : run_input);
    }
    if (inputs == 0) {
        give_up(argv[argc - 1], "has no input");
    }
    if (!cases && !each) {
        printf("fuzz %s: %" PRIu64 " inputs, nothing wrong\n", fuzz_target.name, inputs);
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
