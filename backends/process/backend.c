/* topk-backend: hosts one backend and speaks the backend protocol of docs/backend-protocol.md over
 * standard input and output. It contains no cases and no judge. It is plain ISO C except for
 * platform.h, so that the same source makes the Windows program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_tell.h"
#include "platform/platform.h"
#include "protocol/protocol.h"
#include "reference/result.h"
#include "serve_calls.h"

/* exit code for wrong usage; protocol.h has the others */
#define EXIT_USAGE 2

static void put_usage(FILE *to)
{
    fputs(
        "Usage: topk-backend NAME[:OPTIONS]|PATH[:OPTIONS]\n"
        "Hosts a backend and speaks the protocol of docs/backend-protocol.md over standard input\n"
        "and output. A judge, which topk-cts starts, asks it; `topk-cts backends' lists the "
        "names.\n"
        "PATH is that of a plugin: ./name.so, or name.dll on Windows.\n",
        to);
}

static int64_t read_input(void *self, void *data, size_t room)
{
    (void)self;
    return topk_input_read(data, room);
}

static int64_t write_output(void *self, const void *data, size_t bytes)
{
    FILE *out = self;
    if (fwrite(data, 1, bytes, out) != bytes || fflush(out) != 0) {
        /* the judge would wait forever */
        fputs("topk-backend: standard output cannot be written\n", stderr);
        exit(TOPK_WORKER_EXIT_HARNESS);
    }
    return (int64_t)bytes;
}

static int serve(const char *spec, FILE *out)
{
    static struct topk_stream stream;
    struct topk_loaded loaded;
    static char error[4096];
    topk_crash_tell();
    if (!topk_loader_find(&loaded, spec, error, sizeof error)) {
        static char word[3 * sizeof error]; /* not on the stack, which may be small */
        topk_word_print(error, word, sizeof word);
        fprintf(out, "unavailable %s\n", word);
        return TOPK_WORKER_EXIT_UNAVAILABLE;
    }
    stream = (struct topk_stream){.self = out, .read = read_input, .write = write_output};
    return topk_calls_serve(
        &loaded, &(struct topk_judge_line){.stream = &stream, .ready = topk_input_ready});
}

int main(int argc, char **argv)
{
    char **arguments = topk_process_start(argc, argv);
    /* stdout is not used any more, because Windows would add carriage returns */
    FILE *out = topk_stdout_take();
    if (arguments == NULL || out == NULL) {
        fprintf(stderr, "topk-backend: %s not usable\n",
                arguments == NULL ? "the command line or a standard file is"
                                  : "standard output is");
        return TOPK_WORKER_EXIT_HARNESS;
    }
    int code = EXIT_SUCCESS;
    if (argc == 2 && strcmp(arguments[1], "--help") == 0) {
        put_usage(out);
    } else if (argc == 2 && arguments[1][0] != '-') {
        code = serve(arguments[1], out);
    } else {
        put_usage(stderr);
        code = EXIT_USAGE;
    }
    if (topk_input_failed()) {
        fputs("topk-backend: standard input cannot be read\n", stderr);
        code = TOPK_WORKER_EXIT_HARNESS;
    }
    fclose(out);
    return code;
}
