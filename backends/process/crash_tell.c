/* Writes the last line of a crashing process, in a signal handler: without memory or streams. */
#include "crash_tell.h"

#include "guard_page.h"
#include "platform/platform.h"
#include "protocol/protocol.h"

_Static_assert(TOPK_FAULT_FRAMES <= TOPK_CRASH_FRAMES, "all frames fit");

static void tell(const struct topk_fault *fault)
{
    static struct topk_crash crash;
    static char line[TOPK_WIRE_LINE];
    topk_wire_crash_name(crash.signal, sizeof crash.signal, fault->signal);
    crash.has_address = fault->has_address;
    crash.address = fault->address;
    crash.outside.access = fault->access == 'r'   ? TOPK_CRASH_READS
                           : fault->access == 'w' ? TOPK_CRASH_WRITES
                                                  : TOPK_CRASH_ACCESSES;
    crash.has_outside =
        fault->has_address && topk_guard_pages_locate(fault->address, &crash.outside);
    crash.frame_count = fault->frame_count;
    for (uint32_t i = 0; i < fault->frame_count; i++) {
        const struct topk_fault_frame *from = &fault->frames[i];
        struct topk_crash_frame *to = &crash.frames[i];
        const bool known = from->module != NULL && from->module[0] != 0;
        topk_wire_crash_name(to->module, sizeof to->module,
                             known ? from->module : TOPK_CRASH_UNKNOWN);
        to->offset = known ? from->offset : 0;
        topk_wire_crash_name(to->symbol, sizeof to->symbol,
                             from->symbol == NULL ? "" : from->symbol);
        to->symbol_offset = from->symbol_offset;
    }
    const size_t length = topk_wire_crash_print(&crash, line);
    line[length] = '\n';
    topk_stdout_say(line, length + 1);
}

void topk_crash_tell(void)
{
    topk_fault_watch(tell);
}
