/* .npy files: that what is written is what NumPy's format says, and that of what others write no
 * byte is taken on trust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exchange/npy.h"

struct file {
    unsigned char bytes[4096];
    size_t size;
};

static struct topk_packed packed;
static struct topk_refusal refusal;

static void make(uint32_t type, uint32_t rank, const int64_t *sizes)
{
    assert_true(topk_packed_shape(&packed, type, sizes, rank, 0, &refusal));
    assert_true(topk_packed_allocate(&packed, 0, &refusal));
    for (uint64_t i = 0; i < topk_packed_bytes(&packed); i++) {
        packed.data[i] = (unsigned char)(i * 89 + 1);
    }
}

static void write_file(struct file *file)
{
    file->size = topk_npy_head(&packed, file->bytes);
    memcpy(file->bytes + file->size, packed.data, (size_t)topk_packed_bytes(&packed));
    file->size += (size_t)topk_packed_bytes(&packed);
}

/* a file of a version with a header of somebody else's */
static void make_file(struct file *file, unsigned version, const char *header, size_t data)
{
    const size_t length = strlen(header);
    const size_t start = version == 1 ? 10 : 12;
    memset(file, 0, sizeof *file);
    memcpy(file->bytes, "\x93NUMPY", 6);
    file->bytes[6] = (unsigned char)version;
    file->bytes[8] = (unsigned char)(length & 0xff);
    file->bytes[9] = (unsigned char)(length >> 8);
    memcpy(file->bytes + start, header, length);
    file->size = start + length + data;
}

static bool read_file(const struct file *file)
{
    /* where the sanitizers see a byte too many */
    unsigned char *bytes = malloc(file->size + 1);
    assert_non_null(bytes);
    memcpy(bytes, file->bytes, file->size);
    bytes = realloc(bytes, file->size == 0 ? 1 : file->size);
    assert_non_null(bytes);
    const bool ok = topk_npy_read(bytes, file->size, &packed, &refusal);
    free(bytes);
    return ok;
}

static void a_file_is_as_numpy_writes_it(void **state)
{
    (void)state;
    static const int64_t sizes[] = {3, 4};
    static const char expected[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
    unsigned char head[TOPK_NPY_HEAD];
    make(TOPK_TYPE_F32, 2, sizes);
    assert_int_equal(topk_npy_head(&packed, head), 128);
    assert_memory_equal(head, expected, sizeof expected - 1);
    for (size_t i = sizeof expected - 1; i < 127; i++) {
        assert_int_equal(head[i], ' ');
    }
    assert_int_equal(head[127], '\n');
    topk_packed_clear(&packed);
}

static void every_type_has_its_name(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {{TOPK_TYPE_F32, "'<f4'"}, {TOPK_TYPE_F16, "'<f2'"}, {TOPK_TYPE_I64, "'<i8'"},
                 {TOPK_TYPE_I32, "'<i4'"}, {TOPK_TYPE_I16, "'<i2'"}, {TOPK_TYPE_I8, "'|i1'"},
                 {TOPK_TYPE_U64, "'<u8'"}, {TOPK_TYPE_U32, "'<u4'"}, {TOPK_TYPE_U16, "'<u2'"},
                 {TOPK_TYPE_U8, "'|u1'"}};
    static const int64_t sizes[] = {7};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[TOPK_NPY_HEAD + 1] = "";
        make(names[i].type, 1, sizes);
        const size_t length = topk_npy_head(&packed, (unsigned char *)text);
        assert_int_equal(length % 64, 0);
        assert_non_null(strstr(text + 10, names[i].name));
        assert_non_null(strstr(text + 10, "(7,)"));
        topk_packed_clear(&packed);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 1, 3, 1, 2, 1, 1, 5};
    static const int64_t longest[] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (unsigned t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t rank = 0; rank <= 8; rank++) {
            struct file file;
            unsigned char data[1024];
            make(topk_types[t], rank, rank == 7 ? longest : sizes);
            const struct topk_packed before = packed;
            const size_t bytes = (size_t)topk_packed_bytes(&packed);
            memcpy(data, packed.data, bytes);
            write_file(&file);
            topk_packed_clear(&packed);
            assert_true(read_file(&file));
            assert_int_equal(packed.type, before.type);
            assert_int_equal(packed.rank, before.rank);
            assert_memory_equal(packed.sizes, before.sizes, sizeof before.sizes);
            assert_memory_equal(packed.data, data, bytes);
            topk_packed_clear(&packed);
        }
    }
}

/* the longest header that there can be */
static void a_header_fits(void **state)
{
    (void)state;
    unsigned char head[TOPK_NPY_HEAD];
    struct topk_packed most = {.type = TOPK_TYPE_F32, .rank = TOPK_RANK_VALID};
    for (unsigned d = 0; d < TOPK_RANK_VALID; d++) {
        most.sizes[d] = UINT32_MAX;
    }
    const size_t length = topk_npy_head(&most, head);
    assert_true(length <= sizeof head);
    assert_int_equal(head[length - 1], '\n');
    assert_int_equal(head[length - 2], ' ');
}

static void files_of_others_are_read(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        const char *header;
        size_t data;
        uint32_t type;
        uint64_t elements;
    } files[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8, TOPK_TYPE_F32, 2},
        {2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8, TOPK_TYPE_F32, 2},
        {3, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8, TOPK_TYPE_F32, 2},
        {1, "{\"shape\":(2L,3L),\"descr\":\"|u1\",\"fortran_order\":False}", 6, TOPK_TYPE_U8, 6},
        {1, "{'descr': '<i1', 'fortran_order': False, 'shape': (4,), }", 4, TOPK_TYPE_I8, 4},
        {1, "{'descr': '=i8', 'fortran_order': False, 'shape': (), }", 8, TOPK_TYPE_I64, 1},
        {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3,), }", 6, TOPK_TYPE_F16, 3},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct file file;
        make_file(&file, files[i].version, files[i].header, files[i].data);
        if (!read_file(&file)) {
            fail_msg("%s: %s", files[i].header, refusal.reason);
        }
        assert_int_equal(packed.type, files[i].type);
        assert_int_equal(packed.elements, files[i].elements);
        topk_packed_clear(&packed);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
#define REST "'fortran_order': False, 'shape': "
#define F4   "{'descr': '<f4', 'fortran_order': False, 'shape': "
    static const struct {
        unsigned version;
        const char *header;
        size_t data;
        const char *reason;
    } files[] = {
        {4, F4 "(2,), }", 8, "version 4.0"},
        {0, F4 "(2,), }", 8, "version 0.0"},
        {1, "{'descr': '>f4', " REST "(2,), }", 8, "greatest byte comes first"},
        {1, "{'descr': '<f8', " REST "(2,), }", 16, "the type '<f8'"},
        {1, "{'descr': '|b1', " REST "(2,), }", 2, "the type '|b1'"},
        {1, "{'descr': '<f44', " REST "(2,), }", 2, "the type '<f44'"},
        {1, "{'descr': '', " REST "(2,), }", 2, "the type ''"},
        {1, "{'descr': [('a', '<f4')], " REST "(2,), }", 8, "structured"},
        {1, "{'descr': f4, " REST "(2,), }", 8, "no string"},
        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8, "fortran_order"},
        {1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", 8, "neither True nor False"},
        {1, F4 "(-2,), }", 8, "the size -2"},
        {1, F4 "(0,), }", 0, "the size 0"},
        {1, F4 "(99999999999,), }", 8, "the size 99999999999"},
        {1, F4 "(99999999999999999999999,), }", 8, "beyond 64 bits"},
        {1, F4 "(65536, 65536), }", 8, "more than 2^32-1 elements"},
        {1, F4 "(4294967295, 4294967295, 4294967295), }", 8, "more than 2^32-1 elements"},
        {1, F4 "(4294967295,), }", 8, "needs 17179869180 bytes"},
        {1, F4 "(1,1,1,1,1,1,1,1,1), }", 4, "9 dimensions"},
        {1, F4 "(1,1,1,1,1,1,1,1,1,1,1,1), }", 4, "more than 8 dimensions"},
        {1, F4 "(2 2), }", 16, "no ','"},
        {1, F4 "(2), }", 8, "no tuple"},
        {1, F4 "(2,a), }", 16, "no number"},
        {1, F4 "(2,", 8, "no number"},
        {1, F4 "2, }", 8, "no '('"},
        {1, F4 "(2,), ", 8, "no string"},
        {1, F4 "(2,), } x", 8, "behind its dictionary"},
        {1, "{'descr': '<f4', 'shape': (2,), }", 8, "no 'fortran_order'"},
        {1, "{'descr': '<f4', 'fortran_order': False, }", 8, "no 'shape'"},
        {1, "{" REST "(2,), }", 8, "no 'descr'"},
        {1, F4 "(2,), 'descr': '<f4', }", 8, "'descr' twice"},
        {1, F4 "(2,), 'more': 1, }", 8, "the key 'more'"},
        {1, "{'descr\\\n", 8, "no end"},
        {1, "", 8, "no '{'"},
        {1, F4 "(2,), }", 7, "needs 8 bytes of data, and there are 7"},
        {1, F4 "(2,), }", 9, "needs 8 bytes of data, and there are 9"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct file file;
        make_file(&file, files[i].version, files[i].header, files[i].data);
        if (read_file(&file) || strstr(refusal.reason, files[i].reason) == NULL) {
            fail_msg("%s: '%s' instead of '%s'", files[i].header, refusal.reason, files[i].reason);
        }
        assert_null(packed.data);
        assert_true(refusal.byte <= file.size);
    }
}

/* every file that is cut, and every one with another byte: read or refused, and no byte beyond */
static void no_byte_is_trusted(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 3};
    struct file file;
    make(TOPK_TYPE_I16, 2, sizes);
    write_file(&file);
    topk_packed_clear(&packed);
    const size_t whole = file.size;
    for (file.size = 0; file.size < whole; file.size++) {
        assert_false(read_file(&file));
        assert_true(refusal.reason[0] != 0);
        assert_true(file.size < 6 || file.size >= 128 ||
                    strncmp(refusal.reason, "cut off", 7) == 0);
    }
    for (size_t at = 0; at < whole; at++) {
        const unsigned char byte = file.bytes[at];
        for (unsigned other = 0; other < 256; other++) {
            file.bytes[at] = (unsigned char)other;
            if (read_file(&file)) {
                assert_true(topk_packed_bytes(&packed) == 12);
                topk_packed_clear(&packed);
            }
        }
        file.bytes[at] = byte;
    }
    file.bytes[5] = 'X';
    assert_false(read_file(&file));
    assert_non_null(strstr(refusal.reason, "not an .npy file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_as_numpy_writes_it), cmocka_unit_test(every_type_has_its_name),
        cmocka_unit_test(what_is_written_is_read),      cmocka_unit_test(a_header_fits),
        cmocka_unit_test(files_of_others_are_read),     cmocka_unit_test(others_are_refused),
        cmocka_unit_test(no_byte_is_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
