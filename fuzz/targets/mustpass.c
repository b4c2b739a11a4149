/* Checks the reader of case lists: the list of a profile is read as its lines, and a list with one
 * changed byte is refused; any other text is refused with a reason and a line. The profile is made
 * from the input: each run of lines with the same name (up to the first ':') becomes a test with
 * its digest. Every line of a list must ask for a feature level, so an input with a line that does
 * not is skipped. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "log/text.h"
#include "open.h"
#include "package/mustpass.h"
#include "sha256/sha256.h"

#define INPUT_MAX 1024u
#define TESTS_MAX 16u

struct made {
    struct topk_mustpass_test tests[TESTS_MAX];
    char names[TESTS_MAX][INPUT_MAX + 1];
    char digests[TESTS_MAX][TOPK_SHA256_TEXT];
    struct topk_mustpass profile;
    size_t lines;
};

/* Returns the length of a line's name; SIZE_MAX if the line has no name that a test can have. */
static size_t name_of(const char *line, size_t length)
{
    const char *colon = memchr(line, ':', length);
    const size_t name = colon == NULL ? SIZE_MAX : (size_t)(colon - line);
    return name == SIZE_MAX || memchr(line, 0, name) != NULL ? SIZE_MAX : name;
}

/* Makes a profile whose list is this text. Returns false if no profile of this many tests can have
 * such a list. */
static bool make_profile(struct made *made, const char *text, size_t length)
{
    const char *from = text; /* start of the last test */
    size_t count = 0;
    made->lines = 0;
    while (length > 0) {
        const char *feed = memchr(text, '\n', length);
        const size_t name = feed == NULL ? SIZE_MAX : name_of(text, (size_t)(feed - text));
        if (name == SIZE_MAX) {
            return false;
        }
        if (count == 0 || strlen(made->names[count - 1]) != name ||
            memcmp(made->names[count - 1], text, name) != 0) {
            if (count == TESTS_MAX) {
                return false;
            }
            from = text;
            memcpy(made->names[count], text, name);
            made->names[count][name] = 0;
            made->tests[count] =
                (struct topk_mustpass_test){made->names[count], 0, made->digests[count]};
            count++;
        }
        length -= (size_t)(feed + 1 - text);
        text = feed + 1;
        made->tests[count - 1].cases++;
        made->lines++;
        topk_sha256_print(from, (size_t)(text - from), made->digests[count - 1]);
    }
    made->profile = (struct topk_mustpass){"fuzzed", 1, made->tests, count};
    return true;
}

/* Returns whether a list is read. The caller frees *list. */
static bool read_list(const struct made *made, const char *text, size_t length,
                      struct topk_mustpass_list *list)
{
    char error[2 * INPUT_MAX] = "";
    unsigned long line = 0;
    const bool read =
        topk_mustpass_read(list, &made->profile, "path", text, length, error, sizeof error);
    if (!read) {
        FUZZ_REQUIRE(sscanf(error, "path:%lu: ", &line) == 1 && line >= 1 &&
                         line <= made->lines + 1,
                     "mustpass no-reason", error);
    }
    return read;
}

static void check_lines(const char *text, size_t length, const struct topk_mustpass_list *list)
{
    const char *at = text;
    for (size_t i = 0; i < list->count; i++) {
        const struct topk_mustpass_line *line = &list->lines[i];
        FUZZ_REQUIRE(line->id == at && line->level >= 0x100 && (line->level & 0xff) == 0,
                     "mustpass line", "it is not where it stands");
        at += line->length + 1;
    }
    FUZZ_REQUIRE(at == text + length, "mustpass lines", "there are others than in the list");
}

static void run(const unsigned char *bytes, size_t length)
{
    static struct made made;
    struct topk_mustpass_list list;
    if (length == 0 || length > INPUT_MAX) {
        return;
    }
    /* Allocates exactly the length, so that a sanitizer notices any read beyond it. */
    char *text = malloc(length);
    if (text == NULL) {
        return;
    }
    memcpy(text, bytes, length);
    if (make_profile(&made, text, length)) {
        if (read_list(&made, text, length, &list)) {
            FUZZ_REQUIRE(list.count == made.lines, "mustpass count", "lines are missing");
            check_lines(text, length, &list);
        }
        topk_mustpass_free(&list);
        /* Changes a bit at a position, both chosen by the text itself. */
        char *changed = text + bytes[length / 2] % length;
        *changed = (char)(*changed ^ (1 << bytes[length - 2 < length ? length - 2 : 0] % 8));
        FUZZ_REQUIRE(!read_list(&made, text, length, &list), "mustpass changed",
                     "a list that was changed is read");
        topk_mustpass_free(&list);
    }
    free(text);
}

static const char *const words[] = {
    "ties.one:top_k fl=2.0 ", "axis.two:top_k1 fl=5.0 ", ":top_k fl=", ":top_k1 fl=", "\n", NULL};

const struct fuzz_target fuzz_target = {
    .name = "mustpass",
    .about = "the list of a profile is read as its lines, and no other is",
    .max_bytes = INPUT_MAX,
    .open = fuzz_open_sodium,
    .run = run,
    .words = words,
};
