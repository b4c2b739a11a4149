/* Build ids of ELF files and versions of PE files. Malformed files must not mislead the readers: a
 * good file with each byte changed, and truncated to each length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "identity/image.h"

#define FILE_BYTES 2048

struct bytes {
    const unsigned char *data;
    size_t size;
    size_t reads;
};

static bool read_bytes(void *self, uint64_t offset, void *to, size_t bytes)
{
    struct bytes *file = self;
    file->reads++;
    if (offset > file->size || bytes > file->size - offset) {
        return false;
    }
    memcpy(to, file->data + offset, bytes);
    return true;
}

static bool big; /* byte order of the numbers that put() writes */

static void put(unsigned char *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[big ? bytes - 1 - i : i] = (unsigned char)(number >> 8 * i);
    }
}

/* ---- ELF ------------------------------------------------------------------------------------- */

/* Writes a note; returns its size in bytes. */
static size_t put_note(unsigned char *at, const char *name, uint32_t type, size_t bytes)
{
    put(at, strlen(name) + 1, 4);
    put(at + 4, bytes, 4);
    put(at + 8, type, 4);
    memcpy(at + 12, name, strlen(name) + 1);
    const size_t start = 12 + (strlen(name) + 4) / 4 * 4;
    for (size_t i = 0; i < bytes; i++) {
        at[start + i] = (unsigned char)(0xa0 + i);
    }
    return start + (bytes + 3) / 4 * 4;
}

/* Writes an ELF file with a code segment and a segment of two notes, the second of which is the
 * build id. */
static void make_elf(unsigned char file[FILE_BYTES], bool wide, size_t id_bytes)
{
    memset(file, 0, FILE_BYTES);
    memcpy(file, (const char[4]){0x7f, 'E', 'L', 'F'}, 4);
    file[4] = wide ? 2 : 1;
    file[5] = big ? 2 : 1;
    const size_t table = 128;
    const size_t row = wide ? 56 : 32;
    put(file + (wide ? 32 : 28), table, wide ? 8 : 4);
    put(file + (wide ? 54 : 42), row, 2);
    put(file + (wide ? 56 : 44), 2, 2);
    put(file + table, 1, 4);
    unsigned char *notes = file + table + row;
    size_t bytes = put_note(file + 512, "GNU", 1, 16);
    bytes += put_note(file + 512 + bytes, "GNU", 3, id_bytes);
    put(notes, 4, 4);
    put(notes + (wide ? 8 : 4), 512, wide ? 8 : 4);
    put(notes + (wide ? 32 : 16), bytes, wide ? 8 : 4);
    put(notes + (wide ? 48 : 28), 4, wide ? 8 : 4);
}

static const char *build_id(const unsigned char *file, size_t size)
{
    static char text[TOPK_BUILD_ID_TEXT];
    struct bytes bytes = {file, size, 0};
    memset(text, 'x', sizeof text);
    topk_elf_build_id(&(struct topk_image){&bytes, read_bytes}, text);
    assert_true(bytes.reads < 200000);
    assert_non_null(memchr(text, 0, sizeof text));
    assert_int_equal(strspn(text, "0123456789abcdef"), strlen(text));
    return text;
}

static void a_build_id_is_read(void **state)
{
    unsigned char file[FILE_BYTES];
    (void)state;
    for (int form = 0; form < 4; form++) {
        const bool wide = form % 2 != 0;
        big = form >= 2;
        make_elf(file, wide, 4);
        assert_string_equal(build_id(file, sizeof file), "a0a1a2a3");
        make_elf(file, wide, 64);
        assert_int_equal(strlen(build_id(file, sizeof file)), 128);
        make_elf(file, wide, 65); /* longer than the limit */
        assert_string_equal(build_id(file, sizeof file), "");
        make_elf(file, wide, 4);
        file[5] = big ? 1 : 2; /* not the byte order of the numbers */
        assert_string_equal(build_id(file, sizeof file), "");
        file[5] = 3;
        assert_string_equal(build_id(file, sizeof file), "");
    }
    big = false;
    make_elf(file, true, 4);
    file[512 + 32 + 12 + 2] = 'X'; /* a note of another owner */
    assert_string_equal(build_id(file, sizeof file), "");
}

static void a_segment_has_its_end(void **state)
{
    unsigned char file[FILE_BYTES];
    (void)state;
    make_elf(file, true, 4);
    put(file + 128 + 56 + 32, 51, 8); /* the id ends one byte after the segment */
    assert_string_equal(build_id(file, sizeof file), "");
    put(file + 128 + 56 + 32, 52, 8);
    assert_string_equal(build_id(file, sizeof file), "a0a1a2a3");
}

static void offsets_may_lie(void **state)
{
    static const uint64_t lies[] = {0,          1,          0x7fffffff,     0x80000000,
                                    0xffffffff, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX - 60};
    unsigned char file[FILE_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        for (size_t at = 0; at < 700; at += 4) {
            for (int wide = 0; wide < 2; wide++) {
                make_elf(file, wide, 20);
                put(file + at, lies[i], at % 8 == 0 ? 8 : 4);
                (void)build_id(file, sizeof file);
            }
        }
    }
}

/* ---- PE -------------------------------------------------------------------------------------- */

#define RESOURCES 0x400u /* offset in the file */
#define ADDRESS   0x3000u

static void make_pe(unsigned char file[FILE_BYTES], bool wide)
{
    memset(file, 0, FILE_BYTES);
    put(file, 0x5a4d, 2);
    put(file + 0x3c, 0x80, 4);
    unsigned char *coff = file + 0x80;
    put(coff, 0x4550, 4);
    const unsigned optional_bytes = wide ? 240 : 224;
    put(coff + 6, 2, 2);
    put(coff + 20, optional_bytes, 2);
    unsigned char *optional = coff + 24;
    put(optional, wide ? 0x20b : 0x10b, 2);
    unsigned char *directories = optional + (wide ? 112 : 96);
    put(directories - 4, 16, 4);
    put(directories + 16, ADDRESS, 4);
    unsigned char *sections = optional + optional_bytes;
    put(sections + 12, 0x1000, 4); /* code */
    put(sections + 16, 0x200, 4);
    put(sections + 20, 0x200, 4);
    put(sections + 40 + 12, ADDRESS, 4);
    put(sections + 40 + 16, 0x200, 4);
    put(sections + 40 + 20, RESOURCES, 4);
    unsigned char *tree = file + RESOURCES;
    put(tree + 14, 2, 2); /* two types */
    put(tree + 16, 24, 4);
    put(tree + 20, 0x80000100, 4);
    put(tree + 24, 16, 4);
    put(tree + 28, 0x80000030, 4);
    put(tree + 0x30 + 14, 1, 2); /* a name */
    put(tree + 0x30 + 16, 1, 4);
    put(tree + 0x30 + 20, 0x80000060, 4);
    put(tree + 0x60 + 14, 1, 2); /* a language */
    put(tree + 0x60 + 16, 0x409, 4);
    put(tree + 0x60 + 20, 0x90, 4);
    put(tree + 0x90, ADDRESS + 0xa0, 4); /* the leaf */
    put(tree + 0x94, 0x100, 4);
    put(tree + 0xa0 + 40, 0xfeef04bd, 4);
    put(tree + 0xa0 + 48, 0x0001000f, 4);
    put(tree + 0xa0 + 52, 0x0004ffff, 4);
}

static const char *version(const unsigned char *file, size_t size)
{
    static char text[TOPK_PE_VERSION_TEXT];
    struct bytes bytes = {file, size, 0};
    memset(text, 'x', sizeof text);
    topk_pe_version(&(struct topk_image){&bytes, read_bytes}, text);
    assert_true(bytes.reads < 200000);
    assert_non_null(memchr(text, 0, sizeof text));
    return text;
}

static void a_version_is_read(void **state)
{
    unsigned char file[FILE_BYTES];
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        make_pe(file, wide);
        assert_string_equal(version(file, sizeof file), "1.15.4.65535");
    }
    put(file + RESOURCES + 24, 17, 4); /* none of the types is a version */
    assert_string_equal(version(file, sizeof file), "");
    make_pe(file, true);
    put(file + RESOURCES + 0x60 + 20, 0x80000000, 4); /* a tree that leads back to its root */
    assert_string_equal(version(file, sizeof file), "");
    make_pe(file, true);
    put(file + RESOURCES + 0x90, ADDRESS + 0x1f0, 4); /* the leaf extends beyond the section */
    (void)version(file, sizeof file);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void what_is_cut_or_changed_harms_nobody(void **state)
{
    unsigned char file[FILE_BYTES];
    (void)state;
    for (int make = 0; make < 4; make++) {
        for (size_t at = 0; at < 0x600; at++) {
            make < 2 ? make_elf(file, make == 1, 20) : make_pe(file, make == 3);
            /* an exact copy: sanitizers detect reads beyond it */
            unsigned char *cut = malloc(at + 1);
            assert_non_null(cut);
            memcpy(cut, file, at);
            (void)build_id(cut, at);
            (void)version(cut, at);
            free(cut);
            for (unsigned change = 1; change < 256; change = change * 2 + 1) {
                file[at] ^= (unsigned char)change;
                (void)build_id(file, sizeof file);
                (void)version(file, sizeof file);
                file[at] ^= (unsigned char)change;
            }
        }
    }
}

static void the_first_bytes_say_the_kind(void **state)
{
    static const struct {
        const char *start;
        size_t size;
        enum topk_image_kind kind;
    } rows[] = {{"\177ELF", 4, TOPK_IMAGE_ELF}, {"\177ELG", 4, TOPK_IMAGE_OTHER},
                {"MZ..", 4, TOPK_IMAGE_PE},     {"#!/b", 4, TOPK_IMAGE_OTHER},
                {"MZ", 2, TOPK_IMAGE_OTHER},    {"", 0, TOPK_IMAGE_OTHER}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes bytes = {(const unsigned char *)rows[i].start, rows[i].size, 0};
        assert_int_equal(topk_image_kind(&(struct topk_image){&bytes, read_bytes}), rows[i].kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_id_is_read),
        cmocka_unit_test(a_segment_has_its_end),
        cmocka_unit_test(offsets_may_lie),
        cmocka_unit_test(a_version_is_read),
        cmocka_unit_test(what_is_cut_or_changed_harms_nobody),
        cmocka_unit_test(the_first_bytes_say_the_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
