/* Platform functions for Windows, and for Wine. */
#define WIN32_LEAN_AND_MEAN
#include "platform.h"

#include <ctype.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

/* ---- the process --------------------------------------------------------------------------------
 */

/* The C library's own parting of the command line; no header of mingw-w64 declares it. */
extern int __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment, int wildcards,
                                  int *new_mode);

static void tell_exception(const EXCEPTION_POINTERS *exception);

/* The last that is called in a crash. The exception's code becomes the exit code; a parent that
 * sees only some bits of it, as under Wine, has the message. */
static LONG WINAPI end_crash(EXCEPTION_POINTERS *exception)
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

/* NULL if memory is short; to be freed */
static char *to_utf8(const wchar_t *wide)
{
    int bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = bytes <= 0 ? NULL : malloc((size_t)bytes);
    if (text != NULL) {
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, bytes, NULL, NULL);
    }
    return text;
}

char **topk_process_start(int argc, char **argv)
{
    ULONG stack_for_handler = 32 << 10;
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    SetUnhandledExceptionFilter(end_crash);
    SetThreadStackGuarantee(&stack_for_handler);
    _set_error_mode(_OUT_TO_STDERR); /* of assert() and abort() */

    /* argv has lost what the system's code page lacks */
    (void)argv;
    int count = 0;
    int new_mode = 0;
    wchar_t **wide = NULL;
    wchar_t **environment = NULL;
    if (__wgetmainargs(&count, &wide, &environment, 0, &new_mode) != 0 || count != argc) {
        return NULL;
    }
    static char **arguments; /* until the process ends */
    arguments = calloc((size_t)argc + 1, sizeof *arguments);
    for (int i = 0; arguments != NULL && i < argc; i++) {
        arguments[i] = to_utf8(wide[i]);
        if (arguments[i] == NULL) {
            return NULL;
        }
    }
    return arguments;
}

void topk_process_guard(void)
{
    /* topk_stdout_take() has seen to the handles; the rest Windows leaves to who may do what */
}

void topk_process_end_with_parent(void)
{
    /* a pipe that is closed says so to who reads or writes it */
}

void topk_orphans_adopt(void)
{
    /* the job of a child has all that it leaves behind */
}

void topk_orphans_end(bool (*keep)(int64_t pid))
{
    (void)keep;
}

/* ---- libraries ----------------------------------------------------------------------------------
 */

/* A path as the loader wants it: UTF-16, whole if it has a folder, with backslashes. NULL if memory
 * is short or it is no UTF-8; to be freed. */
static wchar_t *to_path(const char *path)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = length <= 0 ? NULL : malloc((size_t)length * sizeof *wide);
    if (wide == NULL) {
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    if (wcspbrk(wide, L"/\\") == NULL) {
        return wide;
    }
    DWORD room = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = room == 0 ? NULL : malloc((size_t)room * sizeof *whole);
    if (whole != NULL) {
        GetFullPathNameW(wide, room, whole, NULL);
    }
    free(wide);
    return whole;
}

/* the system's own text for an error, without its line end */
static void describe_error(DWORD code, char *text, size_t text_bytes)
{
    wchar_t *message = NULL;
    DWORD flags =
        FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    FormatMessageW(flags, NULL, code, 0, (LPWSTR)(void *)&message, 0, NULL);
    char *utf8 = message == NULL ? NULL : to_utf8(message);
    if (utf8 != NULL) {
        utf8[strcspn(utf8, "\r\n")] = 0;
    }
    snprintf(text, text_bytes, "%s", utf8 == NULL ? "no text for it" : utf8);
    free(utf8);
    LocalFree(message);
}

static void explain(DWORD code, const char *path, const wchar_t *wide, char *error,
                    size_t error_bytes)
{
    bool folder = wcspbrk(wide, L"/\\") != NULL;
    DWORD attributes = GetFileAttributesW(wide);
    char text[512];
    if (code == ERROR_MOD_NOT_FOUND && folder && attributes == INVALID_FILE_ATTRIBUTES) {
        snprintf(error, error_bytes, "%s: no such file", path);
    } else if (folder && attributes != INVALID_FILE_ATTRIBUTES &&
               (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        snprintf(error, error_bytes, "%s: a folder, no library", path);
    } else if (code == ERROR_MOD_NOT_FOUND && folder) {
        snprintf(error, error_bytes,
                 "%s: a library that it needs was found neither beside it nor where Windows "
                 "searches",
                 path);
    } else if (code == ERROR_MOD_NOT_FOUND) {
        snprintf(error, error_bytes,
                 "%s: not found where Windows searches, or a library that it needs was not", path);
    } else if (code == ERROR_BAD_EXE_FORMAT) {
        snprintf(error, error_bytes,
                 "%s: no library for 64-bit Windows on x86-64: damaged, or of another architecture",
                 path);
    } else {
        describe_error(code, text, sizeof text);
        snprintf(error, error_bytes, "%s: Windows error %lu: %s", path, (unsigned long)code, text);
    }
}

void *topk_library_open(const char *path, char *error, size_t error_bytes)
{
    wchar_t *wide = to_path(path);
    if (wide == NULL) {
        snprintf(error, error_bytes, "%s: no path in UTF-8, or memory is short", path);
        return NULL;
    }
    bool folder = wcspbrk(wide, L"/\\") != NULL;
    HMODULE library = LoadLibraryExW(wide, NULL, folder ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
    if (library == NULL) {
        explain(GetLastError(), path, wide, error, error_bytes);
    }
    free(wide);
    return library;
}

int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes)
{
    FARPROC symbol = GetProcAddress(library, name);
    memcpy(function, &symbol, function_bytes);
    return symbol != NULL;
}

void topk_library_close(void *library)
{
    FreeLibrary(library);
}

/* ---- standard input and output ------------------------------------------------------------------
 */

/* what topk_stdout_take() took; -1: nothing yet */
static int stdout_file = -1;

FILE *topk_stdout_take(void)
{
    static char buffer[1 << 16];
    fflush(stdout);
    int out = _fileno(stdout);
    int err = _fileno(stderr);
    int copy = _dup(out);
    FILE *stream = copy < 0 ? NULL : _fdopen(copy, "wb");
    if (stream == NULL || _dup2(err, out) != 0) {
        return NULL;
    }
    /* ours alone; NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Windows gives a handle */
    SetHandleInformation((HANDLE)_get_osfhandle(copy), HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(GetStdHandle(STD_INPUT_HANDLE), HANDLE_FLAG_INHERIT, 0);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(copy, _O_BINARY);
    _setmode(out, _O_BINARY);
    _setmode(err, _O_BINARY);
    /* for libraries with a C library of their own, or none */
    SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    stdout_file = copy;
    return stream;
}

uint64_t topk_clock_now(void)
{
    LARGE_INTEGER frequency;
    LARGE_INTEGER ticks;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    uint64_t each = (uint64_t)frequency.QuadPart;
    uint64_t now = (uint64_t)ticks.QuadPart;
    return now / each * 1000000000u + now % each * 1000000000u / each;
}

void topk_stdout_say(const char *text, size_t length)
{
    DWORD written;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Windows gives a handle */
    WriteFile((HANDLE)_get_osfhandle(stdout_file), text, (DWORD)length, &written, NULL);
}

/* ---- when this process crashes ------------------------------------------------------------------
 */

static const struct {
    DWORD code;
    const char *name;
} exceptions[] = {{EXCEPTION_ACCESS_VIOLATION, "access-violation"},
                  {EXCEPTION_STACK_OVERFLOW, "stack-overflow"},
                  {EXCEPTION_INT_DIVIDE_BY_ZERO, "integer-divide-by-zero"},
                  {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal-instruction"},
                  {EXCEPTION_IN_PAGE_ERROR, "in-page-error"}};

static void (*tell_fault)(const struct topk_fault *fault);
/* the stack may have little room left */
static struct topk_fault fault;
static CONTEXT context;
static char modules[TOPK_FAULT_FRAMES][64];
static volatile sig_atomic_t telling;

/* NOLINTBEGIN(bugprone-signal-handler): abort() calls its handler as any function */

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
    /* names are the same in whatever case they were given */
    const wchar_t *slash = wcsrchr(path, L'\\');
    for (const wchar_t *at = slash == NULL ? path : slash + 1;
         *at != 0 && length + 1 < sizeof modules[0]; at++) {
        name[length++] = (char)(*at < 0x80 ? tolower(*at) : '_');
    }
    name[length] = 0;
    frame->module = name;
    frame->offset = address - (DWORD64)(uintptr_t)module;
}

/* steps from a function to the one that called it; false at the end */
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
    context = *exception->ContextRecord;
    tell_from_context();
}

/* of abort(), which then ends the process */
static void on_abort(int number)
{
    (void)number;
    if (!telling) {
        telling = true;
        fault.signal = "SIGABRT";
        RtlCaptureContext(&context);
        step_back(); /* from this function, which is none of theirs */
        tell_from_context();
    }
}

/* NOLINTEND(bugprone-signal-handler) */

void topk_fault_watch(void (*tell)(const struct topk_fault *fault))
{
    tell_fault = tell;
    signal(SIGABRT, on_abort);
}

/* ---- a process beside this one ------------------------------------------------------------------
 */

/* A growing command line as the C library of Windows parts it. */
struct command_line {
    char *text;
    size_t used;
    size_t room;
};

static bool put_character(struct command_line *line, char c)
{
    if (line->used + 1 >= line->room) {
        size_t room = line->room * 2 + 256;
        char *grown = realloc(line->text, room);
        if (grown == NULL) {
            return false;
        }
        line->text = grown;
        line->room = room;
    }
    line->text[line->used++] = c;
    line->text[line->used] = 0;
    return true;
}

/* an argument in quotes: backslashes before a quote are doubled */
static bool put_argument(struct command_line *line, const char *argument)
{
    size_t slashes = 0;
    bool good = (line->used == 0 || put_character(line, ' ')) && put_character(line, '"');
    for (const char *at = argument; good && *at != 0; at++) {
        slashes = *at == '\\' ? slashes + 1 : slashes;
        for (size_t i = 0; good && *at == '"' && i <= slashes; i++) {
            good = put_character(line, '\\');
        }
        slashes = *at == '\\' ? slashes : 0;
        good = good && put_character(line, *at);
    }
    for (size_t i = 0; good && i < slashes; i++) {
        good = put_character(line, '\\');
    }
    return good && put_character(line, '"');
}

/* NULL if memory is short or it is no UTF-8; to be freed */
static wchar_t *command_of(const char *const *arguments)
{
    struct command_line line = {0};
    bool good = true;
    for (size_t i = 0; good && arguments[i] != NULL; i++) {
        good = put_argument(&line, arguments[i]);
    }
    int length =
        good ? MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, line.text, -1, NULL, 0) : 0;
    wchar_t *wide = length <= 0 ? NULL : malloc((size_t)length * sizeof *wide);
    if (wide != NULL) {
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, line.text, -1, wide, length);
    }
    free(line.text);
    return wide;
}

/* most bytes that are on their way to a process */
#define WRITE_BYTES ((DWORD)256 << 10)

struct topk_child {
    HANDLE process;
    HANDLE job; /* it and all that it starts; NULL: there is none */
    HANDLE to;  /* both are pipes that can be waited for */
    HANDLE from;
    HANDLE read;    /* event */
    HANDLE written; /* event */
    /* A write that is given up may have gone in part, and nobody says how much of it. So none is:
     * what is written is copied, and goes on its own until the next. */
    OVERLAPPED writing;
    bool is_writing;
    unsigned char *outgoing;
    HANDLE mapping;
    HANDLE theirs; /* that of the process to the mapping */
    unsigned char *shared;
};

static void close_handles(const HANDLE handles[], int count)
{
    for (int i = 0; i < count; i++) {
        if (handles[i] != NULL && handles[i] != INVALID_HANDLE_VALUE) {
            CloseHandle(handles[i]);
        }
    }
}

/* Makes a pipe of which our end, handles[0], can be waited for; the other is inherited. */
static bool make_pipe(HANDLE handles[2], bool we_write)
{
    static unsigned count;
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    wchar_t name[80];
    swprintf(name, sizeof name / sizeof name[0], L"\\\\.\\pipe\\topk-%lu-%u-%llx",
             (unsigned long)GetCurrentProcessId(), count++, (unsigned long long)topk_clock_now());
    const DWORD access = we_write ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND;
    handles[0] = CreateNamedPipeW(
        name, access | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, 1 << 20,
        1 << 20, 0, NULL);
    if (handles[0] == INVALID_HANDLE_VALUE) {
        return false;
    }
    handles[1] = CreateFileW(name, we_write ? GENERIC_READ : GENERIC_WRITE, 0, &inherited,
                             OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    return handles[1] != INVALID_HANDLE_VALUE;
}

/* Processes that end when the last handle to it is closed, at the latest with this process. NULL:
 * the system has none. */
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job != NULL &&
        !SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) {
        CloseHandle(job);
        return NULL;
    }
    return job;
}

/* Starts a process that inherits these two handles and standard error, and is in the job before it
 * does anything; closes the job if it cannot be. False, with the reason as the last error. */
static bool create_process(wchar_t *command, HANDLE in, HANDLE out, HANDLE *job, HANDLE *process)
{
    HANDLE inherited[] = {in, out, GetStdHandle(STD_ERROR_HANDLE)};
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start,
                                            .dwFlags = STARTF_USESTDHANDLES,
                                            .hStdInput = in,
                                            .hStdOutput = out,
                                            .hStdError = inherited[2]}};
    PROCESS_INFORMATION made = {0};
    SIZE_T room = 0;
    DWORD error;
    const bool told = inherited[2] != NULL && inherited[2] != INVALID_HANDLE_VALUE &&
                      SetHandleInformation(inherited[2], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    InitializeProcThreadAttributeList(NULL, 1, 0, &room);
    start.lpAttributeList = malloc(room);
    if (start.lpAttributeList == NULL ||
        !InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &room)) {
        free(start.lpAttributeList);
        return false;
    }
    const bool good =
        UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                  inherited, (told ? 3 : 2) * sizeof *inherited, NULL, NULL) &&
        CreateProcessW(NULL, command, NULL, NULL, TRUE,
                       EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED, NULL, NULL,
                       &start.StartupInfo, &made);
    error = GetLastError();
    DeleteProcThreadAttributeList(start.lpAttributeList);
    free(start.lpAttributeList);
    if (good) {
        if (*job != NULL && !AssignProcessToJobObject(*job, made.hProcess)) {
            close_handles(job, 1);
            *job = NULL;
        }
        ResumeThread(made.hThread);
        CloseHandle(made.hThread);
    }
    *process = made.hProcess;
    SetLastError(error);
    return good;
}

struct topk_child *topk_child_start(const char *const *arguments, char *error, size_t error_bytes)
{
    HANDLE in[2] = {NULL, NULL};
    HANDLE out[2] = {NULL, NULL};
    HANDLE process = NULL;
    HANDLE job = make_job();
    HANDLE events[2] = {CreateEventW(NULL, TRUE, FALSE, NULL),
                        CreateEventW(NULL, TRUE, FALSE, NULL)};
    wchar_t *command = command_of(arguments);
    unsigned char *outgoing = malloc(WRITE_BYTES);
    struct topk_child *child = calloc(1, sizeof *child);
    char text[512];
    const bool good = child != NULL && outgoing != NULL && events[0] != NULL && events[1] != NULL &&
                      command != NULL && make_pipe(in, true) && make_pipe(out, false) &&
                      create_process(command, in[1], out[1], &job, &process);
    if (!good) {
        describe_error(GetLastError(), text, sizeof text);
        snprintf(error, error_bytes, "cannot start %s: %s", arguments[0], text);
    }
    free(command);
    close_handles((HANDLE[]){in[1], out[1]}, 2);
    if (!good) {
        close_handles((HANDLE[]){in[0], out[0], events[0], events[1], job}, 5);
        free(outgoing);
        free(child);
        return NULL;
    }
    *child = (struct topk_child){.process = process,
                                 .job = job,
                                 .to = in[0],
                                 .from = out[0],
                                 .read = events[0],
                                 .written = events[1],
                                 .outgoing = outgoing};
    return child;
}

/* Waits for an event; false if the deadline comes first. */
static bool wait_for(HANDLE event, uint64_t deadline)
{
    const uint64_t now = topk_clock_now();
    const uint64_t left = now >= deadline ? 0 : (deadline - now + 999999u) / 1000000u;
    return WaitForSingleObject(event, left > 0x7fffffffu ? 0x7fffffffu : (DWORD)left) ==
           WAIT_OBJECT_0;
}

int64_t topk_child_read(struct topk_child *child, void *data, size_t room, uint64_t deadline)
{
    const DWORD most = room > 1 << 20 ? 1 << 20 : (DWORD)room;
    for (;;) {
        OVERLAPPED reading = {.hEvent = child->read};
        DWORD got = 0;
        ResetEvent(child->read);
        if (!ReadFile(child->from, data, most, NULL, &reading) &&
            GetLastError() != ERROR_IO_PENDING) {
            return 0;
        }
        const bool late = !wait_for(child->read, deadline);
        if (late) {
            CancelIo(child->from);
        }
        const bool good = GetOverlappedResult(child->from, &reading, &got, TRUE);
        if (good && got > 0) {
            return (int64_t)got; /* maybe at the last moment */
        }
        if (late) {
            return TOPK_IO_LATE;
        }
        if (!good) {
            return 0;
        }
        /* else a write of no bytes came through */
    }
}

int64_t topk_child_write(struct topk_child *child, const void *data, size_t bytes,
                         uint64_t deadline)
{
    const DWORD most = bytes > WRITE_BYTES ? WRITE_BYTES : (DWORD)bytes;
    DWORD put = 0;
    if (child->is_writing) {
        if (!wait_for(child->written, deadline)) {
            return TOPK_IO_LATE;
        }
        child->is_writing = false;
        if (!GetOverlappedResult(child->to, &child->writing, &put, TRUE)) {
            return 0;
        }
    }
    memcpy(child->outgoing, data, most);
    child->writing = (OVERLAPPED){.hEvent = child->written};
    ResetEvent(child->written);
    if (!WriteFile(child->to, child->outgoing, most, NULL, &child->writing)) {
        if (GetLastError() != ERROR_IO_PENDING) {
            return 0;
        }
        child->is_writing = true;
    }
    return most;
}

void topk_child_close(struct topk_child *child)
{
    DWORD put;
    if (child->is_writing) {
        CancelIo(child->to);
        GetOverlappedResult(child->to, &child->writing, &put, TRUE);
        child->is_writing = false;
    }
    if (child->to != NULL) {
        CloseHandle(child->to);
        child->to = NULL;
    }
}

bool topk_child_ended(struct topk_child *child)
{
    return WaitForSingleObject(child->process, 0) == WAIT_OBJECT_0;
}

static void unshare(struct topk_child *child)
{
    if (child->theirs != NULL) {
        DuplicateHandle(child->process, child->theirs, NULL, NULL, 0, FALSE,
                        DUPLICATE_CLOSE_SOURCE);
    }
    if (child->shared != NULL) {
        UnmapViewOfFile(child->shared);
    }
    close_handles(&child->mapping, 1);
    child->theirs = NULL;
    child->shared = NULL;
    child->mapping = NULL;
}

unsigned char *topk_child_share(struct topk_child *child, uint64_t bytes, uint64_t *handle)
{
    unshare(child);
    child->mapping = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE,
                                        (DWORD)(bytes >> 32), (DWORD)bytes, NULL);
    if (child->mapping == NULL) {
        return NULL;
    }
    child->shared = MapViewOfFile(child->mapping, FILE_MAP_WRITE, 0, 0, (size_t)bytes);
    if (child->shared == NULL ||
        !DuplicateHandle(GetCurrentProcess(), child->mapping, child->process, &child->theirs,
                         FILE_MAP_READ | FILE_MAP_WRITE, FALSE, 0)) {
        unshare(child);
        return NULL;
    }
    *handle = (uint64_t)(uintptr_t)child->theirs;
    return child->shared;
}

bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes)
{
    DWORD code = 0;
    topk_child_close(child);
    const bool ended = WaitForSingleObject(child->process, milliseconds) == WAIT_OBJECT_0;
    if (!ended) {
        TerminateProcess(child->process, 1);
        WaitForSingleObject(child->process, INFINITE);
        snprintf(how, how_bytes, "killed, as it did not end within %g s of %s",
                 milliseconds / 1000.0, event);
    } else {
        GetExitCodeProcess(child->process, &code);
        snprintf(how, how_bytes, code > 255 ? "ended by exception %08lX" : "exited with %lu",
                 (unsigned long)code);
    }
    unshare(child);
    /* with the job end those that it started */
    close_handles((HANDLE[]){child->job, child->from, child->read, child->written, child->process},
                  5);
    free(child->outgoing);
    free(child);
    return ended && code == 0;
}

unsigned char *topk_memory_map(uint64_t handle, uint64_t bytes, char *error, size_t error_bytes)
{
    char text[512];
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): that is what a handle is said as */
    HANDLE mapping = (HANDLE)(uintptr_t)handle;
    unsigned char *memory = MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, (size_t)bytes);
    if (memory == NULL) {
        describe_error(GetLastError(), text, sizeof text);
        snprintf(error, error_bytes, "cannot map %llu bytes of handle %llu: %.150s",
                 (unsigned long long)bytes, (unsigned long long)handle, text);
    }
    return memory;
}

void topk_memory_unmap(unsigned char *memory, uint64_t bytes)
{
    (void)bytes;
    UnmapViewOfFile(memory);
}

/* ---- the input of this process ------------------------------------------------------------------
 */

int64_t topk_input_read(void *data, size_t room)
{
    DWORD got = 0;
    const DWORD most = room > 1 << 20 ? 1 << 20 : (DWORD)room;
    return ReadFile(GetStdHandle(STD_INPUT_HANDLE), data, most, &got, NULL) ? (int64_t)got : 0;
}

bool topk_input_ready(void)
{
    DWORD there = 0;
    return PeekNamedPipe(GetStdHandle(STD_INPUT_HANDLE), NULL, 0, NULL, &there, NULL) && there > 0;
}
