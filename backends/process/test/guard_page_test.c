/* Guard pages: where tensors are placed, which surrounding bytes are copied, and which tensor an
 * address belongs to. */
#include "process/guard_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SIDES 2
static const enum topk_guard_page sides[SIDES] = {TOPK_GUARD_PAGE_END, TOPK_GUARD_PAGE_START};

/* buffers and offsets keep their alignment */
static void offsets_and_buffers_stay_aligned(void **state)
{
    (void)state;
    static const uint32_t alignments[] = {0, 4, 16, 32, 64, 256};
    for (size_t a = 0; a < sizeof alignments / sizeof alignments[0]; a++) {
        const uint64_t step = alignments[a] > 16 ? alignments[a] : 16;
        for (uint64_t offset = 0; offset <= 1024; offset += 4) {
            for (uint64_t total = 0; total <= 260; total += 4) {
                const struct topk_backend_tensor tensor = {
                    .guaranteed_base_offset_alignment = alignments[a], .total_bytes = total};
                const struct topk_backend_buffer buffer = {NULL, offset + total + 128, offset};
                const struct topk_guard_place end =
                    topk_guard_place(TOPK_GUARD_PAGE_END, &tensor, &buffer);
                const struct topk_guard_place start =
                    topk_guard_place(TOPK_GUARD_PAGE_START, &tensor, &buffer);
                assert_int_equal(end.offset % step, offset % step);
                assert_int_equal(start.offset, offset % step);
                assert_int_equal(end.bytes % 64, 0);
                assert_int_equal(end.offset + total + end.gap, end.bytes);
                assert_true(end.offset >= offset);
                assert_true(end.gap < (step < 64 ? step : 64));
                assert_int_equal(start.gap, start.offset);
                assert_int_equal(buffer.bytes - buffer.offset, start.bytes - start.offset);
            }
        }
    }
}

/* of a tensor that its buffer cannot hold, what it holds of it ends at the page */
static void what_a_buffer_cannot_hold_is_left_out(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.total_bytes = 100};
    const struct topk_backend_buffer buffer = {NULL, 64, 16};
    const struct topk_guard_place end = topk_guard_place(TOPK_GUARD_PAGE_END, &tensor, &buffer);
    assert_int_equal(end.bytes, 64);
    assert_int_equal(end.offset, 16);
    assert_int_equal(end.gap, 0);
}

#define ROOM 16384u
static unsigned char memory[TOPK_WIRE_TENSORS][ROOM];
static unsigned char before[TOPK_WIRE_TENSORS][ROOM];

static void fill(struct topk_backend_call *call, struct topk_guard_room rooms[TOPK_WIRE_TENSORS],
                 uint64_t offset)
{
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        for (uint32_t b = 0; b < ROOM; b++) {
            memory[i][b] = (unsigned char)(b * 7 + b / 256 + i);
        }
        rooms[i] = (struct topk_guard_room){memory[i], memory[i] + ROOM};
        *topk_wire_buffer(call, i) =
            (struct topk_backend_buffer){memory[i] + TOPK_SLACK_FRONT, 4096, offset};
    }
    memcpy(before, memory, sizeof memory);
}

/* the bytes around a tensor are copied, and writes to them are copied back */
static void surroundings_come_along(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.total_bytes = 100};
    struct topk_backend_call call = {.input = &tensor, .value = &tensor, .index = &tensor};
    struct topk_guard_pages *pages = topk_guard_pages_new();
    struct topk_guard_room rooms[TOPK_WIRE_TENSORS];
    assert_non_null(pages);
    for (int s = 0; s < SIDES; s++) {
        struct topk_crash_outside outside = {TOPK_CRASH_READS, 0, false, 0};
        fill(&call, rooms, 320);
        assert_true(topk_guard_pages_give(pages, sides[s], rooms, &call));
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, i);
            unsigned char *data = buffer->data;
            unsigned char *own = memory[i] + TOPK_SLACK_FRONT + 320;
            assert_int_equal((uintptr_t)data % 64, 0);
            assert_memory_equal(data, own - buffer->offset, buffer->bytes);
            data[buffer->offset]++;
            data[buffer->offset + 99]++;
            data[buffer->bytes - 1]++;
            data[0]++;
            /* the page is directly after the buffer, or before it */
            const uint64_t page = (uintptr_t)data + (s == 0 ? buffer->bytes : (uint64_t)-1);
            assert_true(topk_guard_pages_locate(page, &outside));
            assert_int_equal(outside.role, i);
            assert_int_equal(outside.before, s == 1);
            assert_int_equal(outside.bytes,
                             s == 0 ? buffer->bytes - buffer->offset - 100 : buffer->offset + 1);
            assert_int_equal(outside.access, TOPK_CRASH_READS);
            assert_false(topk_guard_pages_locate((uintptr_t)data, &outside));
        }
        topk_guard_pages_take(pages);
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, i);
            const size_t at = (size_t)(TOPK_SLACK_FRONT + 320);
            const size_t first = at - buffer->offset;
            before[i][at]++;
            before[i][at + 99]++;
            before[i][first]++;
            before[i][first + buffer->bytes - 1]++;
            assert_memory_equal(memory[i], before[i], ROOM);
        }
    }
    topk_guard_pages_free(pages);
}

/* a call that is only created has no buffers, and gets none, whatever those before it had */
static void calls_without_buffers_get_none(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.total_bytes = 100};
    struct topk_backend_call call = {.input = &tensor, .value = &tensor, .index = &tensor};
    struct topk_backend_call created = call;
    struct topk_guard_pages *pages = topk_guard_pages_new();
    struct topk_guard_room rooms[TOPK_WIRE_TENSORS];
    const struct topk_guard_room none[TOPK_WIRE_TENSORS] = {{NULL, NULL}};
    assert_non_null(pages);
    created.create_only = 1;
    for (int s = 0; s < SIDES; s++) {
        fill(&call, rooms, 0);
        assert_true(topk_guard_pages_give(pages, sides[s], rooms, &call));
        topk_guard_pages_take(pages);
        assert_true(topk_guard_pages_give(pages, sides[s], none, &created));
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            assert_null(topk_wire_buffer(&created, i)->data);
        }
        topk_guard_pages_take(pages);
    }
    topk_guard_pages_free(pages);
}

/* what is not in the room is neither read nor written */
static void nothing_outside_of_the_room_is_touched(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.total_bytes = 4000};
    struct topk_backend_call call = {.input = &tensor, .value = &tensor, .index = &tensor};
    struct topk_guard_pages *pages = topk_guard_pages_new();
    struct topk_guard_room rooms[TOPK_WIRE_TENSORS];
    assert_non_null(pages);
    for (int s = 0; s < SIDES; s++) {
        fill(&call, rooms, 0);
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            rooms[i].from = memory[i] + TOPK_SLACK_FRONT;
            rooms[i].to = rooms[i].from + 4096;
        }
        assert_true(topk_guard_pages_give(pages, sides[s], rooms, &call));
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, i);
            memset(buffer->data, 1, buffer->bytes);
            /* changes by other code meanwhile */
            memory[i][TOPK_SLACK_FRONT - 1]++;
            memory[i][TOPK_SLACK_FRONT + 4096]++;
        }
        topk_guard_pages_take(pages);
        for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
            assert_int_equal(memory[i][TOPK_SLACK_FRONT - 1],
                             (unsigned char)(before[i][TOPK_SLACK_FRONT - 1] + 1));
            assert_int_equal(memory[i][TOPK_SLACK_FRONT + 4096],
                             (unsigned char)(before[i][TOPK_SLACK_FRONT + 4096] + 1));
            assert_int_equal(memory[i][TOPK_SLACK_FRONT], 1);
            assert_int_equal(memory[i][TOPK_SLACK_FRONT + 3999], 1);
        }
    }
    topk_guard_pages_free(pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_and_buffers_stay_aligned),
        cmocka_unit_test(what_a_buffer_cannot_hold_is_left_out),
        cmocka_unit_test(surroundings_come_along),
        cmocka_unit_test(calls_without_buffers_get_none),
        cmocka_unit_test(nothing_outside_of_the_room_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
