/* Tests the line that a crashing process prints, for everything that may be known of the crash.
 * Wrappers replace the platform's functions, so the process survives. */
#include "process/crash_tell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"
#include "process/guard_page.h"

static void (*tell)(const struct topk_fault *fault);
static char said[TOPK_WIRE_LINE + 1];

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker requires these names */
void __wrap_topk_fault_watch(void (*told)(const struct topk_fault *fault));
void __wrap_topk_stdout_say(const char *text, size_t length);

void __wrap_topk_fault_watch(void (*told)(const struct topk_fault *fault))
{
    tell = told;
}

void __wrap_topk_stdout_say(const char *text, size_t length)
{
    assert_true(length < sizeof said);
    memcpy(said, text, length);
    said[length] = 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void assert_tells(const struct topk_fault *fault, const char *line)
{
    tell(fault);
    assert_string_equal(said, line);
}

static void what_is_known_is_told(void **state)
{
    (void)state;
    struct topk_fault fault = {.signal = "SIGABRT", .access = '?'};
    assert_tells(&fault, "crash SIGABRT\n");
    fault = (struct topk_fault){.signal = "SIGSEGV", .has_address = true, .address = 16};
    assert_tells(&fault, "crash SIGSEGV@0x10\n");
    fault.frame_count = 4;
    fault.frames[0].module = "a b.so";
    fault.frames[0].offset = 0x1139;
    fault.frames[0].symbol = "run%";
    fault.frames[0].symbol_offset = 0x20;
    fault.frames[1].module = "b.so";
    fault.frames[1].offset = 0x1290;
    fault.frames[2].offset = 5; /* without a module, the offset is not printed */
    fault.frames[3].module = "";
    fault.frames[3].offset = 5;
    assert_tells(&fault, "crash SIGSEGV@0x10;a_b.so+0x1139:run_+0x20;b.so+0x1290;?+0x0;?+0x0\n");
}

static void an_access_to_a_guard_page_is_told(void **state)
{
    (void)state;
    static unsigned char memory[TOPK_WIRE_TENSORS][256];
    struct topk_backend_tensor tensor = {.total_bytes = 64};
    struct topk_backend_call call = {.input = &tensor, .value = &tensor, .index = &tensor};
    struct topk_guard_room rooms[TOPK_WIRE_TENSORS];
    struct topk_guard_pages *pages = topk_guard_pages_new();
    struct topk_fault fault = {.signal = "SIGSEGV", .has_address = true};
    static const struct {
        char access;
        const char *word;
    } rows[] = {{'r', "reads"}, {'w', "writes"}, {'?', "accesses"}};
    assert_non_null(pages);
    for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
        rooms[t] = (struct topk_guard_room){memory[t], memory[t] + 256};
        *topk_wire_buffer(&call, t) = (struct topk_backend_buffer){memory[t], 64, 0};
    }
    assert_true(topk_guard_pages_give(pages, TOPK_GUARD_PAGE_END, rooms, &call));
    fault.address = (uintptr_t)call.value_buffer.data + 64 + 4;
    for (size_t i = 0; i < 3; i++) {
        char wanted[TOPK_WIRE_LINE];
        snprintf(wanted, sizeof wanted, "crash SIGSEGV@0x%llx=%s,value,end,0x4\n",
                 (unsigned long long)fault.address, rows[i].word);
        fault.access = rows[i].access;
        assert_tells(&fault, wanted);
    }
    fault.has_address = false;
    assert_tells(&fault, "crash SIGSEGV\n");
    topk_guard_pages_free(pages);
}

static int watch(void **state)
{
    (void)state;
    topk_crash_tell();
    return tell == NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_told),
        cmocka_unit_test(an_access_to_a_guard_page_is_told),
    };
    return cmocka_run_group_tests(tests, watch, NULL);
}
