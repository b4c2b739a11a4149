/* Platform functions for Windows and Wine: reports a crash of this process. */
#include "win32.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <wchar.h>

static const struct {
    DWORD code;
    const char *name;
} exceptions[] = {{EXCEPTION_ACCESS_VIOLATION, "access-violation"},
                  {EXCEPTION_STACK_OVERFLOW, "stack-overflow"},
                  {EXCEPTION_INT_DIVIDE_BY_ZERO, "integer-divide-by-zero"},
                  {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal-instruction"},
                  {EXCEPTION_IN_PAGE_ERROR, "in-page-error"}};

static void (*tell_fault)(const struct topk_fault *fault);
/* static, because the stack may be almost full */
static struct topk_fault fault;
static CONTEXT context;
static char modules[TOPK_FAULT_FRAMES][64];
static volatile sig_atomic_t telling;

/* NOLINTBEGIN(bugprone-signal-handler): abort() calls its handler like any function */

static void add_frame(DWORD64 address)
{
    wchar_t path[MAX_PATH];
    HMODULE module = NULL;
    const DWORD flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    struct topk_fault_frame *frame = &fault.frames[fault.frame_count];
    char *name = modules[fault.frame_count];
    size_t length = 0;
    *frame = (struct topk_fault_frame){.module = NULL};
    fault.frame_count++;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): registers are numbers */
    if (!GetModuleHandleExW(flags, (LPCWSTR)address, &module) ||
        GetModuleFileNameW(module, path, MAX_PATH) == 0) {
        return;
    }
    /* lower case, because the case of file names varies */
    const wchar_t *slash = wcsrchr(path, L'\\');
    for (const wchar_t *at = slash == NULL ? path : slash + 1;
         *at != 0 && length + 1 < sizeof modules[0]; at++) {
        name[length++] = (char)(*at < 0x80 ? tolower(*at) : '_');
    }
    name[length] = 0;
    frame->module = name;
    frame->offset = address - (DWORD64)(uintptr_t)module;
}

/* moves from a function to its caller; false at the end */
static bool step_back(void)
{
#if defined(__x86_64__)
    DWORD64 base;
    void *handler;
    DWORD64 establisher;
    RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context.Rip, &base, NULL);
    if (function != NULL) {
        RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &handler,
                         &establisher, NULL);
    } else {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): registers are numbers */
        memcpy(&context.Rip, (const void *)context.Rsp, sizeof context.Rip);
        context.Rsp += sizeof context.Rip;
    }
    return context.Rip != 0;
#else
    return false;
#endif
}

static void tell_from_context(void)
{
#if defined(__x86_64__)
    do {
        add_frame(context.Rip);
    } while (fault.frame_count < TOPK_FAULT_FRAMES && step_back());
#endif
    tell_fault(&fault);
}

static void tell_exception(const EXCEPTION_POINTERS *exception)
{
    static char other[32];
    const EXCEPTION_RECORD *record = exception->ExceptionRecord;
    if (tell_fault == NULL || telling) {
        return;
    }
    telling = true;
    snprintf(other, sizeof other, "exception-%08lx", (unsigned long)record->ExceptionCode);
    fault.signal = other;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (exceptions[i].code == record->ExceptionCode) {
            fault.signal = exceptions[i].name;
        }
    }
    fault.has_address =
        record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record->NumberParameters >= 2;
    fault.address = fault.has_address ? record->ExceptionInformation[1] : 0;
    fault.access = '?';
    if (fault.has_address && record->ExceptionInformation[0] <= 1) {
        fault.access = "rw"[record->ExceptionInformation[0]];
    }
    context = *exception->ContextRecord;
    tell_from_context();
}

/* The exception's code becomes the exit code. A parent that gets only some bits of it, as under
 * Wine, has the message. */
LONG WINAPI topk_win32_end_crash(EXCEPTION_POINTERS *exception)
{
    const EXCEPTION_RECORD *record = exception->ExceptionRecord;
    char message[100];
    DWORD written;
    tell_exception(exception);
    int length = snprintf(message, sizeof message, "exception %08lX at %p\n",
                          (unsigned long)record->ExceptionCode, record->ExceptionAddress);
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), message, (DWORD)length, &written, NULL);
    TerminateProcess(GetCurrentProcess(), record->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

/* handler for abort(), which then ends the process */
static void on_abort(int number)
{
    (void)number;
    if (!telling) {
        telling = true;
        fault.signal = "SIGABRT";
        RtlCaptureContext(&context);
        step_back(); /* starts the trace at the caller, because this function did not crash */
        tell_from_context();
    }
}

/* NOLINTEND(bugprone-signal-handler) */

void topk_fault_watch(void (*tell)(const struct topk_fault *fault))
{
    tell_fault = tell;
    signal(SIGABRT, on_abort);
}
