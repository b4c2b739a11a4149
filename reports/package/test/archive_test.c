/* Tests archives: what was written is read back; every other feature of tar is refused, with its
 * place. */
#define _XOPEN_SOURCE 700 /* open_memstream */

#include "fixture.h"

#include "package/archive.h"

#define BLOCK 512u

/* An archive made by hand. */
struct made {
    char bytes[16 * BLOCK];
    size_t size;
};

static void put(char *to, const char *from, size_t count)
{
    memcpy(to, from, count);
}

/* Writes a correct checksum, whatever else the header contains. */
static void seal(char *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++) {
        sum += (unsigned char)header[i];
    }
    snprintf(header + 148, 8, "%06o", sum);
}

static char *add(struct made *made, const char *name, char type, const char *text)
{
    char *header = made->bytes + made->size;
    memset(header, 0, BLOCK);
    put(header, name, strlen(name));
    put(header + 100, "0000644\0000000000\0000000000", 23);
    snprintf(header + 124, 12, "%011o", (unsigned)strlen(text) & 0777u);
    put(header + 136, "00000000000", 11);
    header[156] = type;
    put(header + 257, "ustar\00000", 8);
    seal(header);
    memset(header + BLOCK, 0, BLOCK);
    put(header + BLOCK, text, strlen(text));
    made->size += BLOCK + (text[0] == 0 ? 0 : BLOCK);
    return header;
}

static void end(struct made *made)
{
    memset(made->bytes + made->size, 0, (size_t)2 * BLOCK);
    made->size += (size_t)2 * BLOCK;
}

static bool is_read(const struct made *made, char error[256])
{
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    /* an exact copy, so that reads past the end are noticed */
    char *bytes = malloc(made->size);
    assert_non_null(bytes);
    memcpy(bytes, made->bytes, made->size);
    bool read = topk_archive_read("a.tar", bytes, made->size, entries, TOPK_ARCHIVE_ENTRIES, &count,
                                  error, 256);
    free(bytes);
    return read;
}

static void assert_refused(const struct made *made, const char *reason)
{
    char error[256] = "";
    if (is_read(made, error) || strstr(error, reason) == NULL) {
        fail_msg("'%s', where '%s' was expected", error, reason);
    }
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    const struct topk_archive_entry written[] = {
        {"a.txt", "hello", 5}, {"2b-_c", NULL, 0}, {"c", NULL, BLOCK}};
    static const char block[BLOCK] = "a whole block";
    struct topk_archive_entry copy[3];
    struct topk_archive_entry read[TOPK_ARCHIVE_ENTRIES];
    char *bytes;
    size_t size;
    size_t count;
    char error[256];
    memcpy(copy, written, sizeof copy);
    copy[2].bytes = block;
    FILE *out = open_memstream(&bytes, &size);
    assert_true(topk_archive_write(out, copy, 3));
    fclose(out);
    assert_int_equal(size, (3 + 2 + 2) * BLOCK);
    assert_true(topk_archive_read("a", bytes, size, read, TOPK_ARCHIVE_ENTRIES, &count, error,
                                  sizeof error));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(read[i].name, copy[i].name);
        assert_int_equal(read[i].size, copy[i].size);
        assert_true(read[i].size == 0 || memcmp(read[i].bytes, copy[i].bytes, read[i].size) == 0);
    }
    assert_ptr_equal(topk_archive_find(read, count, "c"), &read[2]);
    assert_null(topk_archive_find(read, count, "d"));
    free(bytes);
}

static void one_made_by_hand_is_read(void **state)
{
    (void)state;
    char error[256];
    struct made made = {.size = 0};
    add(&made, "a.txt", '0', "hello");
    end(&made);
    assert_true(is_read(&made, error));
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *reason;
    } rows[] = {
        {"../a", "is a path"},
        {"/etc/passwd", "is a path"},
        {"a/b", "is a path"},
        {"..", "is a path"},
        {"a..b", "is a path"},
        {"", "no name that is allowed"},
        {".a", "no name"},
        {"-a", "no name"},
        {"a b", "no name"},
        {"a\nb", "no name"},
        {"a\\b", "no name"},
        {"\xc3\xa4", "no name"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "too long"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made = {.size = 0};
        add(&made, rows[i].name, '0', "x");
        end(&made);
        assert_refused(&made, rows[i].reason);
    }
    struct made made = {.size = 0};
    memcpy(add(&made, "a", '0', "x") + 345, "folder", 6); /* a prefix, which precedes the name */
    seal(made.bytes);
    end(&made);
    assert_refused(&made, "too long");
}

static void kinds_other_than_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        char type;
        const char *reason;
    } rows[] = {
        {'1', "hard link"}, {'2', "symbolic link"}, {'3', "device"},       {'4', "device"},
        {'5', "a folder"},  {'6', "pipe"},          {'7', "unknown kind"}, {'g', "unknown kind"},
        {'x', "unknown"},   {'L', "unknown kind"},  {'S', "unknown kind"}, {0, "older form"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made = {.size = 0};
        add(&made, "a", '0', "x");
        add(&made, "b", rows[i].type, "");
        end(&made);
        assert_refused(&made, rows[i].reason);
        assert_refused(&made, "a.tar: at byte 1024: ");
    }
}

static void a_second_entry_of_a_name_is_refused(void **state)
{
    (void)state;
    struct made made = {.size = 0};
    add(&made, "a", '0', "x");
    add(&made, "b", '0', "x");
    add(&made, "a", '0', "y");
    end(&made);
    assert_refused(&made, "at byte 2048: there is a second entry of the same name");
}

/* Fields of a header other than name and size must have fixed values. */
static void other_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *text;
        const char *reason;
    } rows[] = {
        {100, "0000755", "not as"},
        {108, "0000001", "not as"},
        {116, "0000001", "not as"},
        {136, "00000000001", "not as"},
        {124, "77777777777", "ends after"},
        {124, "0000000000x", "is not a number"},
        {124, "\x80", "is not a number"},
        {157, "target", "not as"},
        {257, "ustar ", "not as"},
        {257, "UStar", "not a header of a ustar"},
        {265, "root", "not as"},
        {329, "0000001", "not as"},
        {500, "x", "not as"},
        {1, "\0z", "not as"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made = {.size = 0};
        char *header = add(&made, "a", '0', "x");
        /* a text that begins with a zero has two bytes */
        memcpy(header + rows[i].at, rows[i].text, rows[i].text[0] == 0 ? 2 : strlen(rows[i].text));
        seal(header);
        end(&made);
        assert_refused(&made, rows[i].reason);
    }
    struct made made = {.size = 0};
    memcpy(add(&made, "a", '0', "x") + 148, "000000", 6);
    end(&made);
    assert_refused(&made, "not as");
}

static void padding_and_end_are_zero(void **state)
{
    (void)state;
    struct made made = {.size = 0};
    add(&made, "a", '0', "x");
    end(&made);
    made.bytes[2 * BLOCK - 1] = 1;
    assert_refused(&made, "at byte 0: the padding after the entry is not zero");
    made.bytes[2 * BLOCK - 1] = 0;
    made.bytes[made.size - 1] = 1;
    assert_refused(&made, "not two blocks of zeros");
    made.bytes[made.size - 1] = 0;
    made.size += BLOCK;
    memset(made.bytes + made.size - BLOCK, 0, BLOCK);
    assert_refused(&made, "bytes follow the end");
    made.size -= (size_t)2 * BLOCK;
    assert_refused(&made, "the end of the archive is missing");
    made.size = BLOCK + 1;
    assert_refused(&made, "at byte 0: the entry ends after the end of the file");
}

static void more_entries_than_there_is_room_for_are_refused(void **state)
{
    (void)state;
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES + 1];
    char *bytes;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    for (size_t i = 0; i <= TOPK_ARCHIVE_ENTRIES; i++) {
        snprintf(entries[i].name, sizeof entries[i].name, "e%zu", i);
        entries[i].bytes = NULL;
        entries[i].size = 0;
    }
    assert_true(topk_archive_write(out, entries, TOPK_ARCHIVE_ENTRIES + 1));
    fclose(out);
    char error[256];
    size_t count;
    struct topk_archive_entry read[TOPK_ARCHIVE_ENTRIES];
    assert_false(topk_archive_read("a", bytes, size, read, TOPK_ARCHIVE_ENTRIES, &count, error,
                                   sizeof error));
    assert_non_null(strstr(error, "too many entries"));
    free(bytes);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *reason;
    } rows[] = {
        {"", 1, "is missing"},
        {"\x1f\x8b\x08\x00 and so on", 14, "is compressed"},
        {"\x28\xb5\x2f\xfd and so on", 14, "is compressed"},
        {"\xfd\x37zXZ and so on", 14, "is compressed"},
        {"BZh9 and so on", 14, "is compressed"},
        {"PK\x03\x04 a zip", 10, "is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made = {.size = rows[i].size};
        memcpy(made.bytes, rows[i].bytes, rows[i].size);
        assert_refused(&made, rows[i].reason);
    }
    struct made text = {.size = (size_t)4 * BLOCK};
    memset(text.bytes, 'x', text.size);
    assert_refused(&text, "this is not a header of a ustar archive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(one_made_by_hand_is_read),
        cmocka_unit_test(names_that_lead_elsewhere_are_refused),
        cmocka_unit_test(kinds_other_than_files_are_refused),
        cmocka_unit_test(a_second_entry_of_a_name_is_refused),
        cmocka_unit_test(other_headers_are_refused),
        cmocka_unit_test(padding_and_end_are_zero),
        cmocka_unit_test(more_entries_than_there_is_room_for_are_refused),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
