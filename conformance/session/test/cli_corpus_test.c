/* A fuzzer's corpus as an archive: the same for the same inputs, in whatever order they come, and
 * refused if it is malformed. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "package/archive.h"
#include "session/corpus.h"

static char folder[] = "/tmp/cli_corpus_test.XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 ? -1 : 0;
}

static int leave(void **state)
{
    (void)state;
    return remove("one.tar") != 0 || remove("two.tar") != 0 || chdir("/") != 0 ||
           rmdir(folder) != 0;
}

/* appends a file of that text */
static void add(struct cli_corpus *corpus, const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    assert_int_equal(cli_corpus_read_input(name, corpus), CLI_CONFORMANT);
    remove(name);
}

static size_t read_file(const char *name, char bytes[8192])
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, 8192, file);
    fclose(file);
    return size;
}

static void inputs_have_one_archive(void **state)
{
    (void)state;
    struct cli_corpus corpus;
    char one[8192];
    char two[8192];
    cli_corpus_begin(&corpus, "npy", false);
    add(&corpus, "0b", "second");
    add(&corpus, "a", "");
    add(&corpus, "0a", "first");
    assert_int_equal(cli_corpus_write("one.tar", &corpus), CLI_CONFORMANT);
    cli_corpus_free(&corpus);

    cli_corpus_begin(&corpus, "npy", false);
    add(&corpus, "a", "");
    assert_int_equal(cli_corpus_read("one.tar", &corpus), CLI_CONFORMANT);
    assert_int_equal(corpus.count, 4);
    assert_string_equal(corpus.list[1].name, "one.tar/0a");
    assert_int_equal(corpus.list[1].piece.length, 5);
    assert_memory_equal(corpus.list[1].piece.bytes, "first", 5);
    assert_int_equal(cli_corpus_write("two.tar", &corpus), CLI_CONFORMANT);
    cli_corpus_free(&corpus);
    const size_t size = read_file("one.tar", one);
    assert_int_equal(read_file("two.tar", two), size);
    assert_memory_equal(one, two, size);
    assert_string_equal(one + 512, "topk-cts fuzz corpus of npy, version 00000001\n");
}

static void what_cannot_be_packed_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"id:000", "-a", "a..b", "version", "a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct cli_corpus corpus;
        cli_corpus_begin(&corpus, "npy", false);
        add(&corpus, "a", "one");
        add(&corpus, names[i], "another");
        assert_int_equal(cli_corpus_write("refused.tar", &corpus), CLI_USAGE);
        assert_int_equal(access("refused.tar", F_OK), -1);
        cli_corpus_free(&corpus);
    }
}

static void other_archives_are_refused(void **state)
{
    (void)state;
    struct cli_corpus corpus;
    struct topk_archive_entry entry = {"a", "text", 4};
    FILE *file = fopen("two.tar", "wb");
    assert_non_null(file);
    assert_true(topk_archive_write(file, &entry, 1) && fclose(file) == 0);
    cli_corpus_begin(&corpus, "npy", false);
    assert_int_equal(cli_corpus_read("two.tar", &corpus), CLI_USAGE); /* without a version */
    assert_int_equal(corpus.count, 0);
    cli_corpus_begin(&corpus, "onnx", false);
    assert_int_equal(cli_corpus_read("one.tar", &corpus), CLI_USAGE);
    cli_corpus_begin(&corpus, "npy", true);
    assert_int_equal(cli_corpus_read("one.tar", &corpus), CLI_USAGE);
    cli_corpus_free(&corpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_one_archive),
        cmocka_unit_test(what_cannot_be_packed_is_refused),
        cmocka_unit_test(other_archives_are_refused),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
