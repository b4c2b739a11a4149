/* Tests what reads and writes compressed files: that all comes back, that no cut and no changed
 * byte goes unnoticed, and that files which are made to exhaust their reader are refused early. */
#define _GNU_SOURCE /* memmem */
#include "fixture.h"

#include <errno.h>
#include <zstd.h>

#include "log/stream.h"

#define ROOM ((size_t)8 << 20)

/* what was read of a file in memory; the text stays until the next one is read */
struct result {
    char *text;
    size_t size;
    bool failed, cut, packed;
    char problem[160];
};

static struct result read_bytes(const char *bytes, size_t size, bool unpack, bool lines)
{
    static char room[ROOM]; /* once: a sanitizer takes its time for each */
    struct result result = {.text = room};
    struct topk_stream *stream;
    FILE *file = fmemopen((void *)bytes, size, "rb");
    assert_non_null(file);
    FILE *in = topk_stream_open(file, unpack, lines, &stream);
    assert_non_null(in);
    result.size = fread(room, 1, sizeof room, in);
    result.failed = ferror(in) != 0;
    result.cut = topk_stream_cut(stream);
    result.packed = topk_stream_packed(stream);
    snprintf(result.problem, sizeof result.problem, "%s", topk_stream_problem(stream));
    assert_int_equal(fclose(in), 0);
    return result;
}

/* bytes that compress a little, with lines */
static char *make_text(size_t size)
{
    char *text = malloc(size + 1);
    uint32_t random = 1;
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525u + 1013904223u;
        text[i] = (char)(i % 97 == 96 ? '\n' : 'a' + (random >> 24) % 16);
    }
    text[size] = 0;
    return text;
}

static char *pack(const char *text, size_t size, bool known, size_t *packed)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, packed);
    assert_non_null(out);
    FILE *in = topk_stream_pack(out, known ? size : UINT64_MAX);
    assert_non_null(in);
    for (size_t at = 0; at < size;) {
        const size_t piece = size - at < 10007 ? size - at : 10007;
        assert_int_equal(fwrite(text + at, 1, piece, in), piece);
        at += piece;
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
    return bytes;
}

static void test_all_comes_back(void **state)
{
    static const size_t sizes[] = {0, 1, 96, 4096, 65536, 65537, 1000000, 5000000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t packed;
        char *text = make_text(sizes[i]);
        char *bytes = pack(text, sizes[i], i % 2 == 0, &packed);
        struct result result = read_bytes(bytes, packed, true, true);
        assert_true(result.packed && !result.failed && !result.cut);
        assert_int_equal(result.size, sizes[i]);
        assert_memory_equal(result.text, text, sizes[i]);
        /* what nobody decompresses stays what it is */
        result = read_bytes(bytes, packed, false, false);
        assert_false(result.packed || result.failed);
        assert_int_equal(result.size, packed);
        assert_memory_equal(result.text, bytes, packed);
        free(bytes);
        free(text);
    }
}

static void test_plain_is_plain(void **state)
{
    char *text = make_text(300000);
    (void)state;
    for (size_t size = 1; size <= 300000; size = size * 3 + 1) {
        struct result result = read_bytes(text, size, true, true);
        assert_false(result.packed || result.failed || result.cut);
        assert_int_equal(result.size, size);
        assert_memory_equal(result.text, text, size);
    }
    free(text);
}

static void test_wrong_size_is_noticed(void **state)
{
    char *bytes = NULL;
    size_t packed;
    (void)state;
    FILE *out = open_memstream(&bytes, &packed);
    FILE *in = topk_stream_pack(out, 10);
    assert_int_equal(fputs("nine char", in), 1);
    assert_int_not_equal(fclose(in), 0);
    fclose(out);
    free(bytes);
}

static void test_each_cut(void **state)
{
    size_t packed;
    char *text = make_text(3000);
    char *bytes = pack(text, 3000, true, &packed);
    (void)state;
    for (size_t size = 4; size < packed; size++) {
        struct result result = read_bytes(bytes, size, true, true);
        assert_true(result.packed && result.cut && !result.failed);
        assert_true(result.size <= 3000);
        assert_memory_equal(result.text, text, result.size);
    }
    free(bytes);
    free(text);
}

static void flip(char *byte, int bit)
{
    *byte = (char)((unsigned char)*byte ^ 1u << bit);
}

static void test_each_changed_byte(void **state)
{
    size_t packed;
    char *text = make_text(3000);
    char *bytes = pack(text, 3000, true, &packed);
    (void)state;
    for (size_t at = 4; at < packed; at++) {
        for (int bit = 0; bit < 8; bit++) {
            flip(bytes + at, bit);
            struct result result = read_bytes(bytes, packed, true, true);
            /* some bits of the head of a frame mean nothing */
            assert_true(result.failed || result.cut ||
                        (result.size == 3000 && memcmp(result.text, text, 3000) == 0));
            assert_true(!result.failed || result.problem[0] != 0);
            flip(bytes + at, bit);
        }
    }
    free(bytes);
    free(text);
}

/* what follows a frame: another one, an empty one, one to be skipped, a byte */
static void test_one_frame_alone(void **state)
{
    static const char *const more[] = {"frame", "empty", "\x50\x2a\x4d\x18\x02\0\0\0ab", "x"};
    static const size_t more_sizes[] = {0, 0, 10, 1};
    size_t packed;
    size_t empty_size;
    char *text = make_text(3000);
    char *bytes = pack(text, 3000, true, &packed);
    char *empty = pack("", 0, true, &empty_size);
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const char *tail = i == 0 ? bytes : i == 1 ? empty : more[i];
        const size_t size = i == 0 ? packed : i == 1 ? empty_size : more_sizes[i];
        char *both = malloc(packed + size);
        assert_non_null(both);
        memcpy(both, bytes, packed);
        memcpy(both + packed, tail, size);
        struct result result = read_bytes(both, packed + size, true, true);
        assert_true(result.failed);
        assert_string_equal(result.problem, "bytes follow the end of the compressed data");
        free(both);
    }
    /* one to be skipped that comes first is no frame at all */
    struct result result = read_bytes(more[2], 10, true, true);
    assert_false(result.packed || result.failed);
    free(empty);
    free(bytes);
    free(text);
}

/* compresses so many zero bytes; window: a power of two */
static char *pack_zeros(size_t size, int window, size_t *packed)
{
    char *zeros = calloc(1, size);
    ZSTD_CCtx *encoder = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(size);
    char *bytes = malloc(room);
    assert_true(zeros != NULL && encoder != NULL && bytes != NULL);
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_windowLog, window);
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_contentSizeFlag, 0);
    *packed = ZSTD_compress2(encoder, bytes, room, zeros, size);
    assert_false(ZSTD_isError(*packed));
    ZSTD_freeCCtx(encoder);
    free(zeros);
    return bytes;
}

static void test_what_expands_too_much(void **state)
{
    size_t packed;
    (void)state;
    char *bytes = pack_zeros((size_t)64 << 20, 20, &packed);
    struct result result = read_bytes(bytes, packed, true, false);
    assert_true(result.failed && !result.cut);
    assert_non_null(strstr(result.problem, "it expands to more than 64 times its size"));
    assert_true(result.size < (size_t)6 << 20);
    free(bytes);
    /* little is little, whatever it stands for */
    bytes = pack_zeros((size_t)3 << 20, 20, &packed);
    result = read_bytes(bytes, packed, true, false);
    assert_false(result.failed || result.cut);
    assert_int_equal(result.size, (size_t)3 << 20);
    free(bytes);
}

static void test_large_window(void **state)
{
    (void)state;
    for (int window = 23; window <= 24; window++) {
        size_t packed;
        char *bytes = pack_zeros((size_t)32 << 20, window, &packed);
        struct result result = read_bytes(bytes, packed, true, false);
        assert_true(result.failed);
        assert_non_null(
            strstr(result.problem, window == 23 ? "it expands to more"
                                                : "takes a window of more than 8 MiB: compress"));
        assert_true(window == 23 || result.size == 0);
        free(bytes);
    }
}

/* a line that is too long is refused where it becomes so, compressed or not */
static void test_long_line(void **state)
{
    struct scratch *scratch = *state;
    static char piece[65536];
    memset(piece, 'x', sizeof piece);
    for (int lines = 0; lines < 2; lines++) {
        char path[PATH_BYTES + 8];
        struct topk_stream *stream;
        size_t count = 0;
        snprintf(path, sizeof path, "%s/long", scratch->dir);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fputs("first\n", file), 1);
        assert_int_equal(fseek(file, (long)(TOPK_LINE_MOST + 100000), SEEK_SET), 0);
        assert_int_equal(fputs("\nlast\n", file), 1);
        assert_int_equal(fclose(file), 0);
        file = topk_stream_open(fopen(path, "rb"), true, lines == 1, &stream);
        assert_non_null(file);
        for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) {
            count += got;
        }
        assert_int_equal(ferror(file) != 0, lines);
        assert_int_equal(strstr(topk_stream_problem(stream), "longer than 32 MiB") != NULL, lines);
        assert_int_equal(count <= TOPK_LINE_MOST, lines);
        fclose(file);
    }
}

static void test_back_to_the_start(void **state)
{
    size_t packed;
    char *text = make_text(200000);
    char *bytes = pack(text, 200000, true, &packed);
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        struct topk_stream *stream;
        char *read = malloc(200001);
        FILE *in = topk_stream_open(compressed ? fmemopen(bytes, packed, "rb")
                                               : fmemopen(text, 200000, "rb"),
                                    true, true, &stream);
        assert_true(read != NULL && in != NULL);
        for (size_t size = 1; size <= 200000; size = size * 7 + 1) {
            assert_int_equal(ftell(in), 0);
            assert_int_equal(fread(read, 1, size, in), size);
            assert_memory_equal(read, text, size);
            assert_int_equal(ftell(in), size);
            assert_int_equal(fseek(in, 0, SEEK_SET), 0);
        }
        assert_int_equal(fread(read, 1, 200001, in), 200000);
        assert_true(feof(in) != 0);
        assert_int_equal(fseek(in, 0, SEEK_SET), 0);
        assert_int_equal(fread(read, 1, 200001, in), 200000);
        assert_memory_equal(read, text, 200000);
        assert_int_not_equal(fseek(in, 0, SEEK_END), 0);
        fclose(in);
        free(read);
    }
    free(bytes);
    free(text);
}

static void test_folder_is_no_file(void **state)
{
    struct topk_stream *stream;
    char byte;
    (void)state;
    FILE *in = topk_stream_open(fopen("/", "rb"), true, true, &stream);
    errno = 0;
    assert_int_equal(fread(&byte, 1, 1, in), 0);
    assert_int_equal(errno, EISDIR);
    assert_string_equal(topk_stream_problem(stream), "");
    fclose(in);
}

/* values that take more memory than their text has reason for */
static void test_too_many_values(void **state)
{
    const size_t count = (size_t)4 << 20;
    char *line = malloc(2 * count + 16);
    json_error_t reason;
    bool large = false;
    (void)state;
    topk_memory_watch();
    assert_non_null(line);
    size_t used = (size_t)sprintf(line, "{\"a\":[0");
    for (size_t i = 0; i < count; i++) {
        line[used++] = ',';
        line[used++] = '0';
    }
    used += (size_t)sprintf(line + used, "]}");
    assert_null(topk_json_read(line, used, &reason, &large));
    assert_true(large);
    assert_false(topk_memory_short());
    /* a text of that length is one value */
    memset(line + 5, 'x', used - 6);
    line[5] = line[used - 2] = '"';
    json_t *json = topk_json_read(line, used, &reason, &large);
    assert_non_null(json);
    assert_false(large);
    json_decref(json);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_comes_back),
        cmocka_unit_test(test_plain_is_plain),
        cmocka_unit_test(test_wrong_size_is_noticed),
        cmocka_unit_test(test_each_cut),
        cmocka_unit_test(test_each_changed_byte),
        cmocka_unit_test(test_one_frame_alone),
        cmocka_unit_test(test_what_expands_too_much),
        cmocka_unit_test(test_large_window),
        cmocka_unit_test_setup_teardown(test_long_line, scratch_make, scratch_remove),
        cmocka_unit_test(test_back_to_the_start),
        cmocka_unit_test(test_folder_is_no_file),
        cmocka_unit_test(test_too_many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
