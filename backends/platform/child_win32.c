/* Platform functions for Windows and Wine: a child process, its pipes with deadlines, the memory
 * shared with it, and the job that ends what it leaves behind. */
#include "win32.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- a process beside this one --------------------------------------------------------------- */

/* A growing command line, quoted as the C library of Windows parses it. */
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

/* Appends an argument, quoted only if necessary, because cmd.exe does not recognise its own options
 * in quotes. Backslashes before a quote are doubled. */
static bool put_argument(struct command_line *line, const char *argument)
{
    size_t slashes = 0;
    if (*argument != 0 && strpbrk(argument, " \t\n\v\"") == NULL) {
        bool put = line->used == 0 || put_character(line, ' ');
        for (const char *at = argument; put && *at != 0; at++) {
            put = put_character(line, *at);
        }
        return put;
    }
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

/* Appends the user's command line for cmd.exe after /c, unchanged: cmd.exe removes the outer
 * quotes. */
static bool put_command(struct command_line *line, const char *command)
{
    bool good = put_character(line, ' ') && put_character(line, '"');
    for (const char *at = command; good && *at != 0; at++) {
        good = put_character(line, *at);
    }
    return good && put_character(line, '"');
}

/* NULL if memory is short or it is not UTF-8; the caller frees it */
static wchar_t *command_of(const char *const *arguments)
{
    struct command_line line = {0};
    bool good = true;
    for (size_t i = 0; good && arguments[i] != NULL; i++) {
        const bool raw =
            i > 0 && strcmp(arguments[0], "cmd.exe") == 0 && strcmp(arguments[i - 1], "/c") == 0;
        good = raw ? put_command(&line, arguments[i]) : put_argument(&line, arguments[i]);
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

/* A Windows process cannot replace itself: it waits for the other program, and ends with its exit
 * code. */
bool topk_process_become(const char *const *arguments, char *error, size_t error_bytes)
{
    const DWORD standard[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION made = {0};
    HANDLE handles[3];
    wchar_t *command = command_of(arguments);
    for (int i = 0; i < 3; i++) {
        handles[i] = GetStdHandle(standard[i]);
        SetHandleInformation(handles[i], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    }
    start.hStdInput = handles[0];
    start.hStdOutput = handles[1];
    start.hStdError = handles[2];
    fflush(NULL);
    if (command == NULL ||
        !CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made)) {
        char text[512];
        topk_win32_describe(command == NULL ? ERROR_OUTOFMEMORY : GetLastError(), text,
                            sizeof text);
        snprintf(error, error_bytes, "cannot start %s: %s", arguments[0], text);
        free(command);
        return false;
    }
    DWORD code = 1;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    exit((int)code);
}

/* greatest number of bytes in flight to a process */
#define WRITE_BYTES ((DWORD)256 << 10)

struct topk_child {
    HANDLE process;
    HANDLE job; /* contains it and everything that it starts; NULL: none */
    HANDLE to;  /* both are pipes that can be waited for */
    HANDLE from;
    HANDLE read;    /* event */
    HANDLE written; /* event */
    /* A cancelled write may have transferred some bytes, and the system does not say how many. So
     * writes are never cancelled: the bytes are copied, and the write continues until the next
     * one. */
    OVERLAPPED writing;
    bool is_writing;
    unsigned char *outgoing;
    HANDLE mapping;
    HANDLE theirs; /* the process's handle of the mapping */
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

/* Makes a pipe whose end handles[0] is ours and can be waited for; the other end is inherited. */
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

/* Creates a job: its processes end when the last handle to it is closed, at the latest with this
 * process. NULL: the system has none. */
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (topk_win32_rules.memory > 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
        limits.JobMemoryLimit = (SIZE_T)topk_win32_rules.memory;
    }
    if (job != NULL &&
        !SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) {
        CloseHandle(job);
        return NULL;
    }
    return job;
}

/* Starts a process that inherits these two handles and standard error, and is in the job before it
 * runs; closes the job if that is not possible. False, with the reason as the last error, if it
 * fails. */
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
        topk_win32_describe(GetLastError(), text, sizeof text);
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

/* Waits for an event; false if the deadline passes first. */
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
            return (int64_t)got; /* it may have arrived at the last moment */
        }
        if (late) {
            return TOPK_IO_LATE;
        }
        if (!good) {
            return 0;
        }
        /* otherwise a write of zero bytes arrived */
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

/* the writing end of a pipe does not tell how much is unread */
bool topk_child_unheard(const struct topk_child *child)
{
    (void)child;
    return false;
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
        snprintf(how, how_bytes,
                 code >= 0x40000000 ? "ended by exception %08lX" : "exited with %lu",
                 (unsigned long)code);
    }
    unshare(child);
    /* closing the job ends the processes that it started */
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
        topk_win32_describe(GetLastError(), text, sizeof text);
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
