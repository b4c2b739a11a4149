/* Tests the lines of the backend protocol: every printed line parses to the same call, and altered
 * lines are malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/protocol.h"
#include "reference/element.h"

static const uint32_t sizes[] = {3, 9};
static const uint32_t strides[] = {UINT32_MAX, 1};

static struct topk_backend_tensor tensor = {.data_type = 1,
                                            .flags = 1,
                                            .dimension_count = 2,
                                            .guaranteed_base_offset_alignment = 256,
                                            .sizes = sizes,
                                            .strides = strides,
                                            .total_bytes = 108};
static struct topk_backend_tensor packed = {
    .data_type = UINT32_MAX, .dimension_count = 2, .sizes = sizes, .total_bytes = UINT64_MAX};
static struct topk_backend_tensor scalar = {.data_type = 3, .sizes = sizes, .total_bytes = 4};

/* Returns a call with two present tensors, and one of rank 0. */
static struct topk_backend_call some_call(void)
{
    return (struct topk_backend_call){.operator_type = 112,
                                      .feature_level = 0x1f00,
                                      .execution_flags = 5,
                                      .axis = 1,
                                      .k = UINT32_MAX,
                                      .direction = 7,
                                      .input = &tensor,
                                      .value = &packed,
                                      .index = &scalar,
                                      .input_buffer = {.bytes = 300, .offset = 64},
                                      .value_buffer = {.bytes = 200, .offset = 200},
                                      .index_buffer = {.bytes = UINT64_MAX - 500, .offset = 0}};
}

/* Offsets of the buffers of a call. */
static const uint64_t places[TOPK_WIRE_TENSORS] = {UINT64_MAX, 4096, 7};

static void assert_tensor(const struct topk_backend_tensor *read,
                          const struct topk_backend_tensor *wanted)
{
    if (wanted == NULL) {
        assert_null(read);
        return;
    }
    assert_int_equal(read->data_type, wanted->data_type);
    assert_int_equal(read->flags, wanted->flags);
    assert_int_equal(read->guaranteed_base_offset_alignment,
                     wanted->guaranteed_base_offset_alignment);
    assert_int_equal(read->dimension_count, wanted->dimension_count);
    assert_true(read->total_bytes == wanted->total_bytes);
    assert_memory_equal(read->sizes, wanted->sizes, 4 * (size_t)wanted->dimension_count);
    assert_int_equal(read->strides == NULL, wanted->strides == NULL);
    if (wanted->strides != NULL) {
        assert_memory_equal(read->strides, wanted->strides, 4 * (size_t)wanted->dimension_count);
    }
}

static void assert_read_back(struct topk_backend_call call)
{
    char line[TOPK_WIRE_LINE];
    char error[512];
    static struct topk_wire_call wire;
    const size_t length = topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line);
    assert_int_equal(strlen(line), length);
    if (!topk_wire_call_parse(line, length, &wire, error, sizeof error)) {
        fail_msg("%s: %s", line, error);
    }
    assert_int_equal(wire.call.operator_type, call.operator_type);
    assert_int_equal(wire.call.feature_level, call.feature_level);
    assert_int_equal(wire.call.execution_flags, call.execution_flags);
    assert_int_equal(wire.call.create_only, call.create_only);
    assert_int_equal(wire.call.axis, call.axis);
    assert_int_equal(wire.call.k, call.k);
    assert_int_equal(wire.call.direction, call.direction);
    assert_tensor(wire.call.input, call.input);
    assert_tensor(wire.call.value, call.value);
    assert_tensor(wire.call.index, call.index);
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        assert_true(topk_wire_buffer(&wire.call, i)->bytes == topk_wire_buffer(&call, i)->bytes);
        assert_true(topk_wire_buffer(&wire.call, i)->offset == topk_wire_buffer(&call, i)->offset);
    }
    const struct topk_backend_tensor *const tensors[] = {call.input, call.value, call.index};
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        assert_true(wire.at[i] == (tensors[i] == NULL ? 0 : places[i]));
    }
}

static void a_call_is_read_as_it_was_printed(void **state)
{
    (void)state;
    assert_read_back(some_call());
}

static void a_call_that_is_created_only_may_lack_tensors(void **state)
{
    (void)state;
    struct topk_backend_call call = {.operator_type = 71, .create_only = 1, .value = &tensor};
    assert_read_back(call);
}

static void the_longest_call_fits_into_its_line(void **state)
{
    (void)state;
    uint32_t most[TOPK_WIRE_RANK];
    memset(most, 0xff, sizeof most);
    struct topk_backend_tensor large = {.data_type = UINT32_MAX,
                                        .flags = UINT32_MAX,
                                        .dimension_count = TOPK_WIRE_RANK,
                                        .guaranteed_base_offset_alignment = UINT32_MAX,
                                        .sizes = most,
                                        .strides = most,
                                        .total_bytes = UINT64_MAX};
    struct topk_backend_buffer buffer = {.bytes = UINT64_MAX, .offset = UINT64_MAX};
    struct topk_backend_call call = {.operator_type = UINT32_MAX,
                                     .feature_level = UINT32_MAX,
                                     .execution_flags = UINT32_MAX,
                                     .axis = UINT32_MAX,
                                     .k = UINT32_MAX,
                                     .direction = UINT32_MAX,
                                     .input = &large,
                                     .value = &large,
                                     .index = &large,
                                     .input_buffer = buffer,
                                     .value_buffer = buffer,
                                     .index_buffer = buffer};
    char line[TOPK_WIRE_LINE];
    assert_true(topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line) + 1 <
                sizeof line / 2);
    assert_read_back(call);
}

static void refused(const char *line, size_t length)
{
    char error[512] = "";
    static struct topk_wire_call wire;
    assert_false(topk_wire_call_parse(line, length, &wire, error, sizeof error));
    assert_true(error[0] != 0);
}

static void any_other_line_is_refused(void **state)
{
    (void)state;
    char line[TOPK_WIRE_LINE];
    struct topk_backend_call call = some_call();
    const size_t length = topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line);
    for (size_t i = 0; i < length; i++) {
        refused(line, i);
        char kept = line[i];
        line[i] = (char)(kept ^ 0x40); /* never turns a digit into another digit */
        refused(line, length);
        line[i] = kept;
    }
    line[length] = ' ';
    refused(line, length + 1);
}

static void a_call_that_is_run_has_its_tensors_within_their_buffers(void **state)
{
    (void)state;
    char line[TOPK_WIRE_LINE];
    struct topk_backend_call call = some_call();
    call.value_buffer.offset = 201;
    refused(line, topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line));
    call = some_call();
    call.input = NULL;
    refused(line, topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line));
}

static void numbers_have_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool number;
        uint64_t value;
    } rows[] = {
        {"0", true, 0},   {"10", true, 10}, {"18446744073709551615", true, UINT64_MAX},
        {"", false, 0},   {"01", false, 0}, {"18446744073709551616", false, 0},
        {"-1", false, 0}, {"+1", false, 0}, {"184467440737095516150", false, 0},
        {"1x", false, 0}, {" 1", false, 0}, {"0x1", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at = rows[i].text;
        uint64_t value = 0;
        const bool taken = topk_wire_number(&at, at + strlen(at), UINT64_MAX, &value);
        assert_int_equal(taken, rows[i].number);
        assert_true(!taken || value == rows[i].value);
    }
    /* one space separates numbers; none follows the last one */
    static const char line[] = "1 2 ";
    const char *at = line;
    const char *end = line + strlen(line);
    uint64_t value = 0;
    assert_true(topk_wire_number(&at, end, UINT64_MAX, &value));
    assert_true(topk_wire_number(&at, end, UINT64_MAX, &value) && value == 2);
    assert_ptr_equal(at, end - 1);
}

static void an_answer_is_read_as_it_was_printed(void **state)
{
    (void)state;
    for (uint32_t status = 0; status <= TOPK_BACKEND_FAILED; status++) {
        struct topk_backend_answer answer = {.status = status};
        struct topk_backend_answer read;
        char line[TOPK_WIRE_LINE];
        memset(answer.reason, status == 0 ? 0 : '\xff', sizeof answer.reason - 1);
        const size_t length = topk_wire_answer_print(&answer, line);
        assert_true(topk_wire_answer_parse(line, length, &read));
        assert_int_equal(read.status, status);
        assert_string_equal(read.reason, answer.reason);
        assert_false(topk_wire_answer_parse(line, strcspn(line, " "), &read));
    }
    struct topk_backend_answer none;
    assert_false(topk_wire_answer_parse("done", 4, &none));
    assert_false(topk_wire_answer_parse("done!", 5, &none));
    assert_true(topk_wire_answer_parse("done ", 5, &none));
}

static void a_status_that_is_none_is_a_failure(void **state)
{
    (void)state;
    struct topk_backend_answer answer = {.status = 6, .reason = "odd"};
    struct topk_backend_answer read;
    char line[TOPK_WIRE_LINE];
    assert_true(topk_wire_answer_parse(line, topk_wire_answer_print(&answer, line), &read));
    assert_int_equal(read.status, TOPK_BACKEND_FAILED);
    assert_non_null(strstr(read.reason, "status 6"));
    assert_non_null(strstr(read.reason, "odd"));
}

static void buffers_lie_in_their_frame_and_apart(void **state)
{
    (void)state;
    static const struct {
        uint64_t at[TOPK_WIRE_TENSORS];
        uint64_t frame;
        bool fits;
    } rows[] = {
        {{0, 10, 30}, 60, true},  {{50, 30, 0}, 60, true},          {{0, 10, 30}, 59, false},
        {{0, 9, 30}, 60, false},  {{0, 10, 29}, 60, false},         {{5, 15, 0}, 60, false},
        {{0, 10, 31}, 60, false}, {{0, 10, UINT64_MAX}, 60, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_wire_call wire = {.call = {.input_buffer = {.bytes = 10},
                                               .value_buffer = {.bytes = 20},
                                               .index_buffer = {.bytes = 30}}};
        memcpy(wire.at, rows[i].at, sizeof wire.at);
        assert_int_equal(topk_wire_call_fits(&wire, rows[i].frame), rows[i].fits);
        wire.call.create_only = 1;
        assert_true(topk_wire_call_fits(&wire, 0));
    }
    /* an empty buffer may be anywhere */
    struct topk_wire_call empty = {.call = {.input_buffer = {.bytes = 10}}, .at = {0, 5, 5}};
    assert_true(topk_wire_call_fits(&empty, 10));
    empty = (struct topk_wire_call){.call = {.value_buffer = {.bytes = 10}}, .at = {5, 0, 5}};
    assert_true(topk_wire_call_fits(&empty, 10));
    struct topk_wire_call huge = {.call = {.input_buffer = {.bytes = UINT64_MAX}}, .at = {1, 0, 0}};
    assert_false(topk_wire_call_fits(&huge, UINT64_MAX));
}

static void guard_pages_are_words(void **state)
{
    (void)state;
    enum topk_guard_page read;
    for (int i = TOPK_GUARD_PAGE_END; i <= TOPK_GUARD_PAGE_BOTH; i++) {
        assert_true(topk_guard_page_parse(topk_guard_page_word((enum topk_guard_page)i), &read));
        assert_int_equal(read, i);
    }
    assert_false(topk_guard_page_parse("", &read));
    assert_false(topk_guard_page_parse("ends", &read));
}

static void a_guard_page_comes_last(void **state)
{
    (void)state;
    char line[TOPK_WIRE_LINE];
    char error[512];
    static struct topk_wire_call wire;
    struct topk_backend_call call = some_call();
    for (int i = TOPK_GUARD_PAGE_END; i <= TOPK_GUARD_PAGE_START; i++) {
        const size_t length = topk_wire_call_print(&call, places, (enum topk_guard_page)i, line);
        assert_true(topk_wire_call_parse(line, length, &wire, error, sizeof error));
        assert_int_equal(wire.guard_page, i);
        refused(line, length - 1);
        line[length] = 's';
        refused(line, length + 1);
    }
    /* a call is made for one side at a time */
    refused(line, topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_BOTH, line));
    /* a tensor has at most 16 dimensions */
    static const uint32_t many[TOPK_WIRE_RANK] = {1};
    const struct topk_backend_tensor wide = {.dimension_count = TOPK_WIRE_RANK, .sizes = many};
    call.input = &wide;
    size_t length = topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line);
    assert_true(topk_wire_call_parse(line, length, &wire, error, sizeof error));
    char *const list = strstr(line, "sizes=") + strlen("sizes=");
    memmove(list + 2, list, strlen(list) + 1);
    memcpy(list, "1,", 2);
    refused(line, length + 2);
    /* create_only is 0 or 1 */
    call.create_only = 2;
    refused(line, topk_wire_call_print(&call, places, TOPK_GUARD_PAGE_NONE, line));
}

/* On a machine with the protocol's byte order, nothing changes. Tensors that are empty or of
 * unknown type never change. */
static void elements_are_turned_where_they_lie(void **state)
{
    (void)state;
    static const unsigned char is[] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned char bytes[sizeof is];
    struct topk_backend_tensor words = {.data_type = 4, .total_bytes = 4}; /* UINT16 */
    const struct topk_backend_tensor none = {.data_type = UINT32_MAX, .total_bytes = 4};
    const struct topk_backend_call call = {.input = &words, .value = &words};
    const struct topk_backend_call odd = {.input = &none};
    struct topk_backend_buffer buffer = {.data = bytes, .bytes = sizeof bytes, .offset = 4};
    memcpy(bytes, is, sizeof is);
    topk_wire_turn(&call, 0, &buffer);
    topk_wire_turn(&call, 1, &buffer);
    topk_wire_turn(&call, 2, &buffer);
    topk_wire_turn(&odd, 0, &buffer);
    buffer.offset = 9;
    topk_wire_turn(&call, 1, &buffer);
    buffer = (struct topk_backend_buffer){.data = NULL, .bytes = 8};
    topk_wire_turn(&call, 1, &buffer);
    if (topk_machine_little_endian()) {
        assert_memory_equal(bytes, is, sizeof is);
    }
}

/* Names in a crash line are cut to their size, with '_' for invalid characters. */
static void names_of_crashes_fit(void **state)
{
    (void)state;
    char name[8];
    topk_wire_crash_name(name, sizeof name, "a b%c;\x7f");
    assert_string_equal(name, "a_b_c__");
    topk_wire_crash_name(name, sizeof name, "123456789");
    assert_string_equal(name, "1234567");
}

/* The bytes of a stream, delivered in pieces. */
struct source {
    const char *bytes;
    size_t left;
    size_t piece;
    bool late; /* at the end, time out instead of reporting the end */
};

static int64_t read_source(void *self, void *data, size_t room)
{
    struct source *source = self;
    size_t got = source->left < source->piece ? source->left : source->piece;
    got = got < room ? got : room;
    if (got == 0 && source->late) {
        return -1;
    }
    memcpy(data, source->bytes, got);
    source->bytes += got;
    source->left -= got;
    return (int64_t)got;
}

/* Asserts the results of reading a stream line by line: r(ead), b(ad), e(nd), l(ate). */
static void assert_lines(const char *bytes, size_t length, const char *wanted)
{
    static const enum topk_wire_read comes[] = {['r'] = TOPK_WIRE_READ,
                                                ['b'] = TOPK_WIRE_BAD,
                                                ['e'] = TOPK_WIRE_END,
                                                ['l'] = TOPK_WIRE_LATE};
    static const size_t pieces[] = {1, 2, 3, 70000};
    static struct topk_stream stream;
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        struct source source = {bytes, length, pieces[p], strchr(wanted, 'l') != NULL};
        stream = (struct topk_stream){.self = &source, .read = read_source};
        for (const char *due = wanted; *due != 0; due++) {
            char *line;
            size_t read = 99;
            const enum topk_wire_read came = topk_stream_line(&stream, &line, &read);
            assert_int_equal(came, comes[(unsigned char)*due]);
            assert_true(came != TOPK_WIRE_READ || read == strlen(line));
            assert_null(strpbrk(came == TOPK_WIRE_READ ? line : "", "\r\n"));
        }
    }
}

static void a_line_is_whole_or_none(void **state)
{
    (void)state;
    static char most[TOPK_WORKER_LINE + 3];
    assert_lines("", 0, "e");
    assert_lines("a\nb\r\n\n", 6, "rrre");
    assert_lines("a\nb", 3, "re");
    assert_lines("a\nb", 3, "rl");
    assert_lines("a\0b\nc\n", 6, "bre");
    assert_lines("\0\n", 2, "b");
    memset(most, 'a', sizeof most);
    most[TOPK_WORKER_LINE] = '\n';
    assert_lines(most, TOPK_WORKER_LINE + 1, "re");
    most[TOPK_WORKER_LINE] = '\r'; /* not part of the line */
    most[TOPK_WORKER_LINE + 1] = '\n';
    assert_lines(most, TOPK_WORKER_LINE + 2, "re");
    most[TOPK_WORKER_LINE] = most[TOPK_WORKER_LINE + 1] = 'a';
    assert_lines(most, sizeof most, "b");
}

static void bytes_come_behind_lines(void **state)
{
    (void)state;
    static const char first[] = {'l', 'i', 'n', 'e', '\n'};
    static const char last[] = {'l', 'a', 's', 't', '\n'};
    static char bytes[3 * TOPK_STREAM_BYTES];
    static char taken[sizeof bytes];
    static struct topk_stream stream;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 7 + i / 256);
    }
    memcpy(bytes, first, sizeof first);
    memcpy(bytes + sizeof bytes - sizeof last, last, sizeof last);
    for (size_t piece = 1; piece < sizeof bytes; piece *= 17) {
        struct source source = {bytes, sizeof bytes, piece, false};
        char *line;
        size_t length;
        stream = (struct topk_stream){.self = &source, .read = read_source};
        assert_int_equal(topk_stream_line(&stream, &line, &length), TOPK_WIRE_READ);
        assert_int_equal(topk_stream_take(&stream, taken, sizeof bytes - 10), TOPK_WIRE_READ);
        assert_memory_equal(taken, bytes + 5, sizeof bytes - 10);
        assert_int_equal(topk_stream_line(&stream, &line, &length), TOPK_WIRE_READ);
        assert_string_equal(line, "last");
        assert_int_equal(topk_stream_waiting(&stream), 0);
        assert_int_equal(topk_stream_take(&stream, taken, 1), TOPK_WIRE_END);
    }
}

static char written[3 * TOPK_STREAM_BYTES];
static size_t written_bytes;

/* Writes fewer bytes than requested. */
static int64_t write_some(void *self, const void *data, size_t bytes)
{
    const size_t taken = bytes > 1000 ? 1000 : bytes;
    (void)self;
    memcpy(written + written_bytes, data, taken);
    written_bytes += taken;
    return (int64_t)taken;
}

static void what_is_put_is_written_in_order(void **state)
{
    (void)state;
    static char bytes[TOPK_STREAM_BYTES + 1000];
    static struct topk_stream stream;
    memset(bytes, 'b', sizeof bytes);
    stream = (struct topk_stream){.write = write_some};
    written_bytes = 0;
    assert_int_equal(topk_stream_put(&stream, "a", 1), TOPK_WIRE_READ);
    assert_int_equal(written_bytes, 0);
    assert_int_equal(topk_stream_put(&stream, bytes, sizeof bytes), TOPK_WIRE_READ);
    assert_int_equal(topk_stream_put(&stream, "c", 1), TOPK_WIRE_READ);
    assert_int_equal(topk_stream_flush(&stream), TOPK_WIRE_READ);
    assert_int_equal(written_bytes, sizeof bytes + 2);
    assert_int_equal(written[0], 'a');
    assert_memory_equal(written + 1, bytes, sizeof bytes);
    assert_int_equal(written[sizeof bytes + 1], 'c');
}

/* A stream whose functions fail: they return `how`. */
static int64_t how;

static int64_t read_nothing(void *self, void *data, size_t room)
{
    (void)self;
    (void)data;
    (void)room;
    return how;
}

static int64_t write_nothing(void *self, const void *data, size_t bytes)
{
    (void)self;
    (void)data;
    (void)bytes;
    return how;
}

static void a_stream_that_fails_says_how(void **state)
{
    (void)state;
    static char bytes[TOPK_STREAM_BYTES + 1];
    static struct topk_stream stream;
    for (how = 0; how >= -1; how--) {
        const enum topk_wire_read wanted = how == 0 ? TOPK_WIRE_END : TOPK_WIRE_LATE;
        stream = (struct topk_stream){.read = read_nothing, .write = write_nothing};
        /* few bytes go through the buffer, many bypass it */
        assert_int_equal(topk_stream_take(&stream, bytes, 1), wanted);
        assert_int_equal(topk_stream_take(&stream, bytes, sizeof bytes), wanted);
        assert_int_equal(topk_stream_put(&stream, bytes, sizeof bytes), wanted);
        assert_int_equal(topk_stream_put(&stream, bytes, 1), TOPK_WIRE_READ);
        /* buffered bytes must be written first */
        assert_int_equal(topk_stream_put(&stream, bytes, TOPK_STREAM_BYTES), wanted);
    }
}

/* ---- crashes --------------------------------------------------------------------------------- */

static void a_crash_is_read_as_it_was_printed(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "crash SIGABRT",
        "crash SIGSEGV@0x0",
        "crash SIGSEGV@0xffffffffffffffff;?+0x0;mine.so+0x1139:topk_run+0x20;mine.so+0x0",
        "crash a@b@0x1;lib+0x1.so+0x2:f+0x3+0x4",
        "crash SIGSEGV@0x10=reads,input,end,0x0",
        "crash SIGSEGV@0x10=writes,value,start,0x1;m+0x1",
        "crash SIGSEGV@0x10=accesses,index,end,0xffffffffffffffff",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct topk_crash crash;
        char line[TOPK_WIRE_LINE];
        assert_true(topk_wire_crash_parse(lines[i], strlen(lines[i]), &crash));
        assert_int_equal(topk_wire_crash_print(&crash, line), strlen(lines[i]));
        assert_string_equal(line, lines[i]);
    }
    struct topk_crash crash;
    assert_true(topk_wire_crash_parse(lines[2], strlen(lines[2]), &crash));
    assert_string_equal(crash.signal, "SIGSEGV");
    assert_true(crash.has_address);
    assert_true(crash.address == UINT64_MAX);
    assert_int_equal(crash.frame_count, 3);
    assert_string_equal(crash.frames[0].module, TOPK_CRASH_UNKNOWN);
    assert_string_equal(crash.frames[1].module, "mine.so");
    assert_int_equal(crash.frames[1].offset, 0x1139);
    assert_string_equal(crash.frames[1].symbol, "topk_run");
    assert_int_equal(crash.frames[1].symbol_offset, 0x20);
    assert_string_equal(crash.frames[2].symbol, "");
}

static void what_is_no_crash_is_not_read(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "crash",
        "crash ",
        "crash @0x1",
        "crash  SIGSEGV",
        "crash SIGSEGV ",
        "crash SIGSEGV@",
        "crash SIGSEGV@1",
        "crash SIGSEGV@0x",
        "crash SIGSEGV@0x01",
        "crash SIGSEGV@0xA",
        "crash SIGSEGV@0x10000000000000000",
        "crash SIGSEGV@0x1 ",
        "crash SIGSEGV;",
        "crash SIGSEGV=reads,input,end,0x0",
        "crash SIGSEGV@0x1=",
        "crash SIGSEGV@0x1=reads",
        "crash SIGSEGV@0x1=sees,input,end,0x1",
        "crash SIGSEGV@0x1=reads,output,end,0x1",
        "crash SIGSEGV@0x1=reads,input,middle,0x1",
        "crash SIGSEGV@0x1=reads,input,end,1",
        "crash SIGSEGV@0x1=reads,input,start,0x0",
        "crash SIGSEGV@0x1=reads,input,end,0x1,0x1",
        "crash SIGSEGV;m",
        "crash SIGSEGV;+0x1",
        "crash SIGSEGV;m+1",
        "crash SIGSEGV;m+0x1;",
        "crash SIGSEGV;m+0x1:",
        "crash SIGSEGV;m+0x1:f",
        "crash SIGSEGV;m+0x1:+0x1",
        "crash SIGSEGV;m+0x1:f+1",
        "crash SIGSEGV;m+0x1:f+0x1:g+0x1",
        "crash SIGSEGV;m%20+0x1",
        "crash SIGSEGV;m,+0x1",
        "crash SIGSEGV;m=+0x1",
        "crash SIGSEGV;m\033+0x1",
        "crash SIGSEGV;m\377+0x1",
        /* names of 32 and 48 characters */
        "crash 01234567890123456789012345678901",
        "crash S;012345678901234567890123456789012345678901234567+0x1",
    };
    struct topk_crash crash;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (topk_wire_crash_parse(lines[i], strlen(lines[i]), &crash)) {
            fail_msg("read: %s", lines[i]);
        }
        assert_string_equal(crash.signal, "");
    }
    assert_false(topk_wire_crash_parse("crash S\0S", 9, &crash));
    assert_false(topk_wire_crash_parse("crash S@0x1\0", 12, &crash));
    /* more frames than a crash can have */
    char line[TOPK_WIRE_LINE] = "crash S";
    for (uint32_t i = 0; i < TOPK_CRASH_FRAMES; i++) {
        strcat(line, ";m+0x1"); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
    }
    assert_true(topk_wire_crash_parse(line, strlen(line), &crash));
    strcat(line, ";m+0x1"); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
    assert_false(topk_wire_crash_parse(line, strlen(line), &crash));
}

static void the_longest_crash_fits_into_its_line(void **state)
{
    (void)state;
    struct topk_crash crash;
    struct topk_crash back;
    char line[TOPK_WIRE_LINE];
    memset(&crash, 0, sizeof crash);
    /* topk_wire_crash_name() makes a valid name of any text */
    topk_wire_crash_name(crash.signal, sizeof crash.signal,
                         "S %,=;:\033\377345678901234567890123456789");
    assert_string_equal(crash.signal, "S________3456789012345678901234");
    crash.has_address = true;
    crash.address = UINT64_MAX;
    crash.has_outside = true;
    crash.outside = (struct topk_crash_outside){TOPK_CRASH_ACCESSES, TOPK_INDEX, true, UINT64_MAX};
    crash.frame_count = TOPK_CRASH_FRAMES;
    for (uint32_t i = 0; i < TOPK_CRASH_FRAMES; i++) {
        memset(crash.frames[i].module, '+', sizeof crash.frames[i].module - 1);
        memset(crash.frames[i].symbol, '+', sizeof crash.frames[i].symbol - 1);
        crash.frames[i].offset = UINT64_MAX;
        crash.frames[i].symbol_offset = UINT64_MAX;
    }
    const size_t length = topk_wire_crash_print(&crash, line);
    assert_true(length < sizeof line);
    assert_true(topk_wire_crash_parse(line, length, &back));
    assert_memory_equal(&crash, &back, sizeof crash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_read_as_it_was_printed),
        cmocka_unit_test(a_call_that_is_created_only_may_lack_tensors),
        cmocka_unit_test(the_longest_call_fits_into_its_line),
        cmocka_unit_test(any_other_line_is_refused),
        cmocka_unit_test(a_call_that_is_run_has_its_tensors_within_their_buffers),
        cmocka_unit_test(numbers_have_one_form),
        cmocka_unit_test(an_answer_is_read_as_it_was_printed),
        cmocka_unit_test(a_status_that_is_none_is_a_failure),
        cmocka_unit_test(buffers_lie_in_their_frame_and_apart),
        cmocka_unit_test(a_line_is_whole_or_none),
        cmocka_unit_test(bytes_come_behind_lines),
        cmocka_unit_test(what_is_put_is_written_in_order),
        cmocka_unit_test(a_stream_that_fails_says_how),
        cmocka_unit_test(guard_pages_are_words),
        cmocka_unit_test(a_guard_page_comes_last),
        cmocka_unit_test(elements_are_turned_where_they_lie),
        cmocka_unit_test(names_of_crashes_fit),
        cmocka_unit_test(a_crash_is_read_as_it_was_printed),
        cmocka_unit_test(what_is_no_crash_is_not_read),
        cmocka_unit_test(the_longest_crash_fits_into_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
