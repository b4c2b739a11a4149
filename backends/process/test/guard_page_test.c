/* Tests guard pages: where tensors are placed, which surrounding bytes are copied, and which tensor
 * an address belongs to. */
#include "process/guard_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDES 2
static const enum topk_guard_page sides[SIDES] = {TOPK_GUARD_PAGE_END, TOPK_GUARD_PAGE_START};

/* Buffers and offsets keep their alignment. */
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

/* If a buffer is too small for its tensor, the part that fits ends at the page. */
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

/* The bytes around a tensor are copied, and writes to them are copied back. */
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
            /* the page is directly after the buffer, or directly before it */
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

/* A call that is only created has no buffers and gets none, even if an earlier call had some. */
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

/* Bytes outside the room are neither read nor written. */
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
            /* other code changes these bytes meanwhile */
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

/* If the alignment of a tensor does not divide that of its buffer, the offset does not change. */
static void odd_alignments_keep_their_offset(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.guaranteed_base_offset_alignment = 48,
                                               .total_bytes = 42};
    const struct topk_backend_buffer buffer = {NULL, 300, 96};
    const struct topk_guard_place place = topk_guard_place(TOPK_GUARD_PAGE_END, &tensor, &buffer);
    assert_int_equal(place.offset, 96);
    assert_int_equal(place.bytes, 192);
    assert_int_equal(place.gap, 54);
}

static struct topk_backend_call call_of(const struct topk_backend_tensor *tensor, void *data,
                                        uint64_t bytes)
{
    const struct topk_backend_buffer buffer = {data, bytes, 0};
    return (struct topk_backend_call){.input = tensor,
                                      .value = tensor,
                                      .index = tensor,
                                      .input_buffer = buffer,
                                      .value_buffer = buffer,
                                      .index_buffer = buffer};
}

/* The slots of large tensors are freed as soon as the calls were made. */
static void large_slots_are_not_kept(void **state)
{
    (void)state;
    static const size_t sizes[] = {1 << 20, (32 << 20) + 1};
    for (size_t i = 0; i < 2; i++) {
        unsigned char *data = calloc(1, sizes[i]);
        const struct topk_backend_tensor tensor = {.total_bytes = sizes[i]};
        const struct topk_guard_room room = {data, data + sizes[i]};
        const struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {room, room, room};
        struct topk_guard_pages *pages = topk_guard_pages_new();
        struct topk_crash_outside outside = {TOPK_CRASH_READS, 0, false, 0};
        struct topk_backend_call small = call_of(&tensor, data, 64);
        struct topk_backend_call large = call_of(&tensor, data, sizes[i]);
        assert_non_null(data);
        assert_non_null(pages);
        assert_true(topk_guard_pages_give(pages, TOPK_GUARD_PAGE_START, rooms, &small));
        assert_true(topk_guard_pages_give(pages, TOPK_GUARD_PAGE_START, rooms, &large));
        const uint64_t by_small = (uintptr_t)small.index_buffer.data - 1;
        const uint64_t by_large = (uintptr_t)large.input_buffer.data - 1;
        assert_true(topk_guard_pages_locate(by_large, &outside));
        ((unsigned char *)large.index_buffer.data)[sizes[i] - 1] = 9;
        topk_guard_pages_take(pages);
        assert_int_equal(data[sizes[i] - 1], 9);
        assert_true(topk_guard_pages_locate(by_small, &outside));
        assert_int_equal(topk_guard_pages_locate(by_large, &outside), i == 0);
        topk_guard_pages_free(pages);
        assert_false(topk_guard_pages_locate(by_small, &outside)); /* no guard pages are left */
        free(data);
    }
}

/* If a buffer is too large for any memory, the call does not change, and later calls still get
 * guard pages. */
static void what_has_no_room_is_not_given(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {(uint64_t)1 << 61, (uint64_t)1 << 63};
    const struct topk_backend_tensor tensor = {.total_bytes = 64};
    const struct topk_guard_room room = {memory[0], memory[0] + ROOM};
    const struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {room, room, room};
    struct topk_guard_pages *pages = topk_guard_pages_new();
    assert_non_null(pages);
    for (size_t i = 0; i < 2; i++) {
        struct topk_backend_call call = call_of(&tensor, memory[0], 64);
        call.index_buffer.bytes = sizes[i];
        assert_false(topk_guard_pages_give(pages, TOPK_GUARD_PAGE_START, rooms, &call));
        assert_ptr_equal(call.input_buffer.data, memory[0]);
        /* nothing is copied back */
        memory[0][0]++;
        const unsigned char now = memory[0][0];
        topk_guard_pages_take(pages);
        assert_int_equal(memory[0][0], now);
        call.index_buffer.bytes = 64;
        assert_true(topk_guard_pages_give(pages, TOPK_GUARD_PAGE_START, rooms, &call));
        assert_ptr_not_equal(call.index_buffer.data, memory[0]);
        topk_guard_pages_take(pages);
    }
    topk_guard_pages_free(pages);
}

/* A call without guard pages or without buffers does not change. */
static void calls_without_pages_are_left(void **state)
{
    (void)state;
    const struct topk_backend_tensor tensor = {.total_bytes = 64};
    const struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {{NULL, NULL}};
    struct topk_guard_pages *pages = topk_guard_pages_new();
    assert_non_null(pages);
    for (uint32_t created = 0; created < 2; created++) {
        struct topk_backend_call call = call_of(&tensor, memory[0], 64);
        call.create_only = created;
        assert_true(topk_guard_pages_give(
            pages, created == 0 ? TOPK_GUARD_PAGE_NONE : TOPK_GUARD_PAGE_END, rooms, &call));
        assert_ptr_equal(call.input_buffer.data, memory[0]);
    }
    topk_guard_pages_take(pages);
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
        cmocka_unit_test(odd_alignments_keep_their_offset),
        cmocka_unit_test(large_slots_are_not_kept),
        cmocka_unit_test(what_has_no_room_is_not_given),
        cmocka_unit_test(calls_without_pages_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
