/* The scripted judge and the counting backend of serving.h. */
#include "serving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"
#include "reference/result.h"

struct judge judge;
struct adder adder;
struct topk_backend adder_table;
const uint64_t packed[TOPK_WIRE_TENSORS] = {0, BUFFER, 2 * BUFFER};

/* ---- the judge ------------------------------------------------------------------------------- */

static int64_t read_judge(void *self, void *data, size_t room)
{
    const struct said *said = &judge.said;
    const size_t zeros = said->first_length;
    const size_t last = zeros + said->zeros;
    const size_t end = last + said->last_length;
    (void)self;
    if (judge.from < zeros) {
        room = zeros - judge.from < room ? zeros - judge.from : room;
        memcpy(data, said->first + judge.from, room);
    } else if (judge.from < last) {
        room = last - judge.from < room ? last - judge.from : room;
        memset(data, 0, room);
    } else {
        room = end - judge.from < room ? end - judge.from : room;
        memcpy(data, room == 0 ? "" : said->last + (judge.from - last), room);
    }
    judge.from += room;
    return (int64_t)room;
}

static int64_t write_judge(void *self, const void *data, size_t bytes)
{
    (void)self;
    assert_true(judge.used + bytes < OUT_ROOM);
    memcpy(judge.out + judge.used, data, bytes);
    judge.used += bytes;
    judge.out[judge.used] = 0;
    return (int64_t)bytes;
}

/* ---- the backend ----------------------------------------------------------------------------- */

static void *adder_open(const char *options, char *error, size_t error_bytes)
{
    snprintf(adder.options, sizeof adder.options, "%s", options);
    if (strcmp(options, "none") == 0) {
        snprintf(error, error_bytes, "there is no device, 100%%");
        return NULL;
    }
    adder.opened++;
    return &adder;
}

static void adder_describe(void *self, struct topk_backend_info *info)
{
    (void)self;
    info->name = "adder";
    info->feature_level = 0x5000;
    info->batch = BATCH;
}

static void adder_supports(void *self, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    (void)self;
    assert_int_equal(call->create_only, 0);
    adder.asked++;
    if (call->k == DECLINED) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason, "no such K");
    }
}

static void adder_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                      struct topk_backend_answer *answers)
{
    (void)self;
    assert_in_range(count, 1, BATCH);
    adder.runs++;
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_call call = calls[i];
        assert_int_equal(answers[i].status, TOPK_BACKEND_DONE);
        adder.calls++;
        adder.created += call.create_only;
        for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, t);
            unsigned char *data = buffer->data;
            assert_true((data == NULL) == (call.create_only == 1));
            assert_true((uintptr_t)data % 64 == 0);
            assert_true(!adder.walled ||
                        ((uintptr_t)data + buffer->bytes) % topk_page_bytes() == 0);
            for (uint64_t b = 0; t > 0 && data != NULL && b < buffer->bytes; b++) {
                data[b]++;
            }
        }
    }
}

static void adder_start(void *self, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    assert_null(adder.at_work);
    adder.at_work = calls;
    adder_run(self, calls, count, answers);
}

static void adder_finish(void *self)
{
    (void)self;
    assert_non_null(adder.at_work);
    adder.read = adder.read == 0 ? judge.from : adder.read;
    adder.at_work = NULL;
}

static void adder_close(void *self)
{
    assert_ptr_equal(self, &adder);
    adder.closed++;
}

static uint32_t adder_device(uint32_t number, char *options, size_t options_bytes)
{
    if (number >= adder.devices) {
        return 0;
    }
    snprintf(options, options_bytes, "%s", adder.device);
    return 1;
}

static const char *adder_contract(void *self)
{
    (void)self;
    return adder.contract;
}

int serving_reset(void **state)
{
    (void)state;
    memset(&adder, 0, sizeof adder);
    adder_table = (struct topk_backend){.abi = TOPK_BACKEND_ABI,
                                        .struct_bytes = sizeof adder_table,
                                        .name = "adder",
                                        .open = adder_open,
                                        .describe = adder_describe,
                                        .supports = adder_supports,
                                        .run = adder_run,
                                        .close = adder_close,
                                        .device = adder_device,
                                        .contract = adder_contract};
    return 0;
}

/* ---- a dialogue ------------------------------------------------------------------------------ */

int serve(struct said said, bool (*ready)(void))
{
    static struct topk_stream stream;
    struct topk_loaded loaded = {.backend = &adder_table, .options = ""};
    judge.said = said;
    judge.from = judge.used = 0;
    judge.out[0] = 0;
    adder.opened = adder.closed = adder.calls = adder.created = adder.runs = adder.asked = 0;
    stream = (struct topk_stream){.read = read_judge, .write = write_judge};
    const int code =
        topk_calls_serve(&loaded, &(struct topk_judge_line){.stream = &stream, .ready = ready});
    assert_int_equal(adder.opened, adder.closed);
    assert_null(adder.at_work);
    const char *end = strchr(judge.out, '\n');
    judge.answer = end == NULL ? "" : end + 1;
    judge.answer_length = end == NULL ? 0 : judge.used - (size_t)(judge.answer - judge.out);
    return code;
}

void serving_start(void)
{
    adder_table.start = adder_start;
    adder_table.finish = adder_finish;
}

int serve_text(const char *text)
{
    return serve((struct said){.first = text, .first_length = strlen(text)}, NULL);
}

void assert_refused(int code, const char *request, const char *why)
{
    char said[600] = "";
    if (code != TOPK_WORKER_EXIT_HARNESS || strncmp(judge.answer, "error ", 6) != 0 ||
        strchr(judge.answer, '\n') != judge.answer + judge.answer_length - 1 ||
        !topk_word_parse(judge.answer + 6, judge.answer_length - 7, said, sizeof said) ||
        strstr(said, why) == NULL) {
        fail_msg("%.200s: exit code %d, \"%.300s\"", request, code, judge.answer);
    }
}

size_t put_call(char *to, uint32_t k, uint32_t create_only, const uint64_t at[TOPK_WIRE_TENSORS],
                enum topk_guard_page side)
{
    static const uint32_t four = 4;
    const struct topk_backend_tensor input = {
        .data_type = TOPK_BACKEND_FLOAT32, .dimension_count = 1, .sizes = &four, .total_bytes = 16};
    const struct topk_backend_tensor output = {
        .data_type = TOPK_BACKEND_UINT32, .dimension_count = 1, .sizes = &k, .total_bytes = 8};
    const struct topk_backend_buffer buffer = {NULL, BUFFER, 0};
    const struct topk_backend_call call = {.operator_type = TOPK_OPERATOR_TOP_K,
                                           .feature_level = 0x5000,
                                           .create_only = create_only,
                                           .k = k,
                                           .input = &input,
                                           .value = &output,
                                           .index = &output,
                                           .input_buffer = buffer,
                                           .value_buffer = buffer,
                                           .index_buffer = buffer};
    char text[TOPK_WIRE_LINE];
    const size_t length = topk_wire_call_print(&call, at, side, text);
    memcpy(to, text, length);
    memcpy(to + length, "\n", 2);
    return length + 1;
}

size_t put_text(char *to, const char *text)
{
    memcpy(to, text, strlen(text) + 1);
    return strlen(text);
}

size_t put_frame(char *to, unsigned number, uint32_t k, uint32_t create_only)
{
    const int used =
        sprintf(to, "frame %u 1 1 %zu\ngroup 1\n", number, create_only == 0 ? FRAME : 0);
    return (size_t)used + put_call(to + used, k, create_only, packed, TOPK_GUARD_PAGE_NONE);
}
