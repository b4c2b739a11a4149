/* Parts in the result log: what is written is read back, shown and compared, and nothing else is
 * read. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include "compare/compare.h"
#include "log/line.h"

#define DIGEST_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define DIGEST_B "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static struct topk_log_part file_part(enum topk_log_part_role role, const char *path,
                                      const char *digest)
{
    const char *slash = strrchr(path, '/');
    return (struct topk_log_part){.role = role,
                                  .texts = {[TOPK_LOG_PART_NAME] = slash + 1,
                                            [TOPK_LOG_PART_PATH] = path,
                                            [TOPK_LOG_PART_SHA256] = digest}};
}

static struct topk_log_part word_part(enum topk_log_part_role role, const char *name)
{
    return (struct topk_log_part){.role = role, .texts = {[TOPK_LOG_PART_NAME] = name}};
}

/* Writes a log of parts, DIR/NAME/results.jsonl. */
static void write_parts(const struct scratch *scratch, const char *name,
                        const struct topk_log_part *parts, size_t count, char *path, size_t size)
{
    char dir[PATH_BYTES];
    char error[1024];
    const struct topk_log_header header = sample_header();
    const uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    snprintf(dir, sizeof dir, "%.200s/%s", scratch->dir, name);
    snprintf(path, size, "%.240s/" TOPK_LOG_NAME, dir);
    struct topk_log *log = topk_log_create(dir, &header, error, sizeof error);
    assert_non_null(log);
    for (size_t i = 0; i < count; i++) {
        assert_null(topk_log_part_wrong(&parts[i]));
        assert_true(topk_log_part(log, &parts[i]));
    }
    assert_true(topk_log_end(log, true, totals));
    assert_true(topk_log_close(log));
}

static void parts_round_trip(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log_part parts[4];
    struct topk_run run;
    struct topk_ids ids = {0};
    char path[PATH_BYTES];
    parts[0] = file_part(TOPK_LOG_PART_LIBRARY, "/usr/lib/libfoo.so.1", DIGEST_A);
    parts[0].texts[TOPK_LOG_PART_BUILD_ID] = "a0b1";
    parts[0].texts[TOPK_LOG_PART_VERSION] = "1.2";
    parts[0].texts[TOPK_LOG_PART_PACKAGE] = "libfoo1:amd64 1.2-3";
    parts[1] = word_part(TOPK_LOG_PART_KERNEL, "Linux \"6\"");
    parts[2] = parts[0]; /* a second record of the same says nothing new */
    parts[3] = word_part(TOPK_LOG_PART_LIBRARY, "DirectML.dll");
    parts[3].told = true;
    write_parts(scratch, "a", parts, 4, path, sizeof path);
    assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error), 0);
    assert_int_equal(run.parts.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct topk_log_part *wanted = &parts[i < 2 ? i : 3];
        assert_int_equal(run.parts.list[i].role, wanted->role);
        assert_int_equal(run.parts.list[i].told, wanted->told);
        for (int t = 0; t < TOPK_LOG_PART_TEXT_COUNT; t++) {
            assert_string_equal(topk_log_part_text(&run.parts.list[i], (enum topk_log_part_text)t),
                                topk_log_part_text(wanted, (enum topk_log_part_text)t));
        }
    }
    topk_run_free(&run);
    topk_ids_free(&ids);
}

static void a_part_has_its_form(void **state)
{
    struct scratch *scratch = *state;
    const struct topk_log_part part =
        file_part(TOPK_LOG_PART_LIBRARY, "/usr/lib/libfoo.so.1", DIGEST_A);
    char path[PATH_BYTES];
    size_t size;
    write_parts(scratch, "a", &part, 1, path, sizeof path);
    char *bytes = file_read(path, &size);
    assert_non_null(strstr(bytes,
                           "\n{\"record\":\"part\",\"role\":\"library\",\"name\":\"libfoo.so.1\","
                           "\"path\":\"/usr/lib/libfoo.so.1\",\"sha256\":\"" DIGEST_A
                           "\",\"by\":\"seen\",\"chain\":\""));
    free(bytes);
}

/* Appends a line with a chain that holds, as another program might. */
static void append_line(const char *path, const char *body)
{
    struct topk_lines lines;
    char error[1024];
    char tail[TOPK_LINE_TAIL + 1];
    assert_true(topk_lines_open(&lines, path, error, sizeof error));
    while (topk_lines_next(&lines, error, sizeof error) < TOPK_LINE_NONE) {
    }
    struct topk_chain chain = lines.chain;
    topk_lines_close(&lines);
    topk_chain_seal(&chain, body, strlen(body), tail);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fprintf(file, "%s%s", body, tail);
    assert_int_equal(fclose(file), 0);
}

static void what_is_no_part_is_not_read(void **state)
{
    static const struct {
        const char *members, *wrong; /* NULL: it is read, up to where the log was cut */
    } rows[] = {
        {"\"role\":\"library\",\"name\":\"a\",\"sha256\":\"" DIGEST_A "\",\"by\":\"seen\"", NULL},
        {"\"role\":\"library\",\"name\":\"a\",\"by\":\"told\"", NULL},
        {"\"role\":\"library\",\"name\":\"a\",\"problem\":\"gone\",\"by\":\"seen\"", NULL},
        {"\"role\":\"library\",\"name\":\"a\",\"by\":\"seen\"", "\"sha256\""},
        {"\"role\":\"library\",\"name\":\"a\",\"sha256\":\"12\",\"by\":\"seen\"", "\"sha256\""},
        {"\"role\":\"library\",\"name\":\"a\",\"sha256\":\"G123456789abcdef0123456789abcdef"
         "0123456789abcdef0123456789abcdef\",\"by\":\"seen\"",
         "\"sha256\""},
        {"\"role\":\"kernel\",\"name\":\"a\",\"sha256\":\"" DIGEST_A "\",\"by\":\"seen\"",
         "\"sha256\""},
        {"\"role\":\"library\",\"name\":\"\",\"sha256\":\"" DIGEST_A "\",\"by\":\"seen\"",
         "\"name\""},
        {"\"role\":\"library\",\"sha256\":\"" DIGEST_A "\",\"by\":\"seen\"", "\"name\""},
        {"\"role\":\"friend\",\"name\":\"a\",\"by\":\"seen\"", "\"role\""},
        {"\"name\":\"a\",\"by\":\"seen\"", "\"role\""},
        {"\"role\":\"os\",\"name\":\"a\"", "\"by\""},
        {"\"role\":\"os\",\"name\":\"a\",\"by\":\"guessed\"", "\"by\""},
        {"\"role\":\"os\",\"name\":1,\"by\":\"seen\"", "\"name\""},
        {"\"role\":\"os\",\"name\":\"a\",\"path\":\"/a\",\"by\":\"seen\"", "\"path\""},
        {"\"role\":\"library\",\"name\":\"a\",\"sha256\":\"" DIGEST_A
         "\",\"build_id\":\"abc\",\"by\":\"seen\"",
         "\"build_id\""},
        {"\"role\":\"clock\",\"name\":\"UTC\",\"by\":\"seen\"", "\"problem\""},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_run run;
        struct topk_ids ids = {0};
        char body[1024];
        struct topk_log *log = log_open(scratch);
        assert_true(topk_log_close(log));
        snprintf(body, sizeof body, "{\"record\":\"part\",%s", rows[i].members);
        append_line(scratch->log, body);
        const int status =
            topk_run_read(&run, &ids, scratch->log, scratch->error, sizeof scratch->error);
        assert_int_equal(status, rows[i].wrong == NULL ? 1 : -1);
        if (rows[i].wrong != NULL) {
            assert_non_null(strstr(scratch->error, rows[i].wrong));
        }
        topk_run_free(&run);
        topk_ids_free(&ids);
        remove(scratch->log);
    }
}

/* ---- two runs -------------------------------------------------------------------------------- */

static void keep(struct topk_log_parts *parts, struct topk_log_part part)
{
    assert_true(topk_log_parts_keep(parts, &part));
}

static void parts_are_held_against_each_other(void **state)
{
    (void)state;
    struct topk_run a = {.parts = {NULL, 0}};
    struct topk_run b = {.parts = {NULL, 0}};
    struct topk_ids ids = {0};
    struct topk_comparison comparison;
    keep(&a.parts, file_part(TOPK_LOG_PART_LIBRARY, "/lib/libsame.so", DIGEST_A));
    keep(&b.parts, file_part(TOPK_LOG_PART_LIBRARY, "/lib/libsame.so", DIGEST_A));
    keep(&a.parts, file_part(TOPK_LOG_PART_BACKEND, "/home/a/mine.so", DIGEST_A)); /* moved */
    keep(&b.parts, file_part(TOPK_LOG_PART_BACKEND, "/home/b/mine.so", DIGEST_A));
    keep(&a.parts, file_part(TOPK_LOG_PART_DRIVER, "/lib/libicd.so", DIGEST_A));
    keep(&b.parts, file_part(TOPK_LOG_PART_DRIVER, "/opt/libicd.so", DIGEST_B));
    keep(&a.parts, word_part(TOPK_LOG_PART_KERNEL, "Linux 6.1"));
    keep(&b.parts, word_part(TOPK_LOG_PART_KERNEL, "Linux 6.2"));
    keep(&a.parts, file_part(TOPK_LOG_PART_LIBRARY, "/lib/libgone.so", DIGEST_A));
    keep(&b.parts, file_part(TOPK_LOG_PART_LIBRARY, "/lib/libnew.so", DIGEST_A));
    assert_true(topk_compare(&comparison, &ids, &a, &b, 10));
    assert_int_equal(comparison.part_count, 4);
    assert_int_equal(comparison.parts[0].before->role, TOPK_LOG_PART_DRIVER);
    assert_int_equal(comparison.parts[0].after->role, TOPK_LOG_PART_DRIVER);
    assert_int_equal(comparison.parts[1].before->role, TOPK_LOG_PART_KERNEL);
    assert_ptr_equal(comparison.parts[1].after, &b.parts.list[3]);
    assert_ptr_equal(comparison.parts[2].before, &a.parts.list[4]);
    assert_null(comparison.parts[2].after);
    assert_null(comparison.parts[3].before);
    assert_ptr_equal(comparison.parts[3].after, &b.parts.list[4]);
    topk_comparison_free(&comparison);
    topk_log_parts_free(&a.parts);
    /* a log of an earlier version has none: there is nothing to compare */
    assert_true(topk_compare(&comparison, &ids, &a, &b, 10));
    assert_int_equal(comparison.part_count, 0);
    topk_comparison_free(&comparison);
    topk_log_parts_free(&b.parts);
}

static void one_that_was_exchanged_is_kept_beside_what_it_was(void **state)
{
    (void)state;
    struct topk_log_parts parts = {NULL, 0};
    const struct topk_log_part before = file_part(TOPK_LOG_PART_BACKEND, "/a/mine.so", DIGEST_A);
    const struct topk_log_part after = file_part(TOPK_LOG_PART_BACKEND, "/a/mine.so", DIGEST_B);
    keep(&parts, before);
    keep(&parts, after);
    keep(&parts, before);
    keep(&parts, after);
    assert_int_equal(parts.count, 2);
    assert_ptr_equal(topk_log_parts_find(&parts, &after), &parts.list[0]);
    assert_false(topk_log_part_agrees(&parts.list[0], &after));
    topk_log_parts_free(&parts);
}

static void words_say_what_is_known(void **state)
{
    (void)state;
    char words[TOPK_PART_WORDS];
    struct topk_log_parts parts = {NULL, 0};
    struct topk_log_part part = file_part(TOPK_LOG_PART_BACKEND, "/a/mine.so", DIGEST_A);
    topk_identity_brief(&parts, words, sizeof words);
    assert_string_equal(words, "not recorded");
    keep(&parts, part);
    keep(&parts, file_part(TOPK_LOG_PART_LIBRARY, "/a/libone.so", DIGEST_A));
    keep(&parts, file_part(TOPK_LOG_PART_LIBRARY, "/a/libtwo.so", DIGEST_A));
    topk_identity_brief(&parts, words, sizeof words);
    assert_string_equal(words, "mine.so (SHA-256 0123456789ab), 2 libraries");
    topk_identity_brief(&parts, words, 20); /* what has no room is cut */
    assert_string_equal(words, "mine.so (SHA-256 01");
    part.texts[TOPK_LOG_PART_PACKAGE] = "mine 1";
    part.told = true;
    topk_part_words(&part, words);
    assert_string_equal(words, "SHA-256 " DIGEST_A ", package mine 1, told by what was tested");
    topk_part_words(NULL, words);
    assert_string_equal(words, "not there");
    topk_log_parts_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_round_trip, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(a_part_has_its_form, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(what_is_no_part_is_not_read, scratch_make, scratch_remove),
        cmocka_unit_test(parts_are_held_against_each_other),
        cmocka_unit_test(one_that_was_exchanged_is_kept_beside_what_it_was),
        cmocka_unit_test(words_say_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
