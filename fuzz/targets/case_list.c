/* Checks the reader of case files (replay --file, and -): each line that is neither empty nor a
 * comment must be a case that is kept unchanged, or the file must be refused with the number of a
 * line and a column in it. */
#define _GNU_SOURCE /* stderr can be another stream */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "session/session.h"
#include "words.h"

#define INPUT_MAX 2048u

/* what the reader prints, captured as a string */
static char *said;
static size_t said_size;
static FILE *said_file;

static bool open_said(void)
{
    said_file = open_memstream(&said, &said_size);
    if (said_file == NULL) {
        perror("fuzz case_list");
    }
    return said_file != NULL;
}

static int read_cases(struct cli_cases *cases, FILE *file)
{
    FILE *shown = stderr;
    rewind(said_file);
    stderr = said_file;
    const int code = cli_cases_parse(cases, file, "the list");
    fputc(0, said_file);
    fflush(said_file);
    stderr = shown;
    return code;
}

/* Moves to the next line that should be a case. Returns false if there is none. */
static bool next_line(const char **text, size_t *left, const char **line, size_t *length,
                      unsigned long *number)
{
    while (*left > 0) {
        const char *feed = memchr(*text, '\n', *left);
        const size_t taken = feed == NULL ? *left : (size_t)(feed + 1 - *text);
        *line = *text;
        *length = taken;
        *text += taken;
        *left -= taken;
        ++*number;
        while (*length > 0 && ((*line)[*length - 1] == '\n' || (*line)[*length - 1] == '\r')) {
            --*length;
        }
        if (*length > 0 && **line != '#') {
            return true;
        }
    }
    return false;
}

/* Checks that the accepted cases are the first lines, and that an error is about the line that
 * follows them. */
static void check(const struct cli_cases *cases, int code, const char *text, size_t left)
{
    const char *line;
    size_t length;
    unsigned long number = 0;
    unsigned long told = 0;
    unsigned long column = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct cli_case *c = cli_case_at(cases, i);
        FUZZ_REQUIRE(next_line(&text, &left, &line, &length, &number) && c->length == length &&
                         memcmp(c->id, line, length) == 0,
                     "list case", c->id);
    }
    const bool more = next_line(&text, &left, &line, &length, &number);
    if (code == CLI_USAGE) {
        const char *at = strstr(said, "the list, line ");
        FUZZ_REQUIRE(at != NULL && sscanf(at, "the list, line %lu: not a case: column %lu: ", &told,
                                          &column) == 2,
                     "list no-reason", said);
        FUZZ_REQUIRE(more && told == number && column >= 1 && column <= length + 1, "list place",
                     said);
    } else {
        FUZZ_REQUIRE(!more && (code == (cases->count == 0 ? CLI_INCOMPLETE : CLI_CONFORMANT)),
                     "list end", said);
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    struct cli_cases cases = {.count = 0};
    if (length == 0 || length > INPUT_MAX) {
        return;
    }
    /* The stream is only read from, so the cast is safe. */
    FILE *file = fmemopen((void *)bytes, length, "r");
    if (file != NULL) {
        const int code = read_cases(&cases, file);
        check(&cases, code, (const char *)bytes, length);
        cli_cases_free(&cases);
        fclose(file);
    }
}

static const char *const words[] = {"\n#", "\r\n", "ties.one:", NULL};

const struct fuzz_target fuzz_target = {
    .name = "case_list",
    .about = "a file of cases is read as its lines, or refused at one of them",
    .max_bytes = INPUT_MAX,
    .open = open_said,
    .run = run,
    .words = words,
    .more_words = fuzz_case_words,
};
