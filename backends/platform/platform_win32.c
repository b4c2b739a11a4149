/* Platform functions for Windows, and for Wine. */
#define WIN32_LEAN_AND_MEAN
#include "platform.h"

#include <fcntl.h>
#include <io.h>
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

/* The last that is called in a crash. The exception's code becomes the exit code; a parent that
 * sees only some bits of it, as under Wine, has the message. */
static LONG WINAPI end_crash(EXCEPTION_POINTERS *exception)
{
    const EXCEPTION_RECORD *record = exception->ExceptionRecord;
    char message[100];
    DWORD written;
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
    return stream;
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

static FILE *stream_of(HANDLE handle, int flags, const char *mode)
{
    int file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY);
    FILE *stream = file < 0 ? NULL : _fdopen(file, mode);
    if (stream != NULL) {
        setvbuf(stream, NULL, _IOFBF, 1 << 16);
    }
    return stream;
}

bool topk_child_start(const char *const *arguments, struct topk_child *child, char *error,
                      size_t error_bytes)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE in[2] = {NULL, NULL};
    HANDLE out[2] = {NULL, NULL};
    PROCESS_INFORMATION process = {0};
    wchar_t *command = command_of(arguments);
    char text[512];
    *child = (struct topk_child){.process = NULL};
    bool good = command != NULL && CreatePipe(&in[0], &in[1], &inherited, 1 << 16) != 0 &&
                CreatePipe(&out[0], &out[1], &inherited, 1 << 16) != 0 &&
                SetHandleInformation(in[1], HANDLE_FLAG_INHERIT, 0) != 0 &&
                SetHandleInformation(out[0], HANDLE_FLAG_INHERIT, 0) != 0;
    if (good) {
        STARTUPINFOW start = {.cb = sizeof start,
                              .dwFlags = STARTF_USESTDHANDLES,
                              .hStdInput = in[0],
                              .hStdOutput = out[1],
                              .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
        good =
            CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process) != 0;
    }
    if (!good) {
        describe_error(GetLastError(), text, sizeof text);
        snprintf(error, error_bytes, "cannot start %s: %s", arguments[0], text);
    }
    free(command);
    HANDLE theirs[] = {in[0], out[1], process.hThread};
    for (int i = 0; i < 3; i++) {
        if (theirs[i] != NULL) {
            CloseHandle(theirs[i]);
        }
    }
    if (good) {
        child->process = process.hProcess;
        child->to = stream_of(in[1], _O_WRONLY, "wb");
        child->from = stream_of(out[0], _O_RDONLY, "rb");
        good = child->to != NULL && child->from != NULL;
        if (!good) {
            snprintf(error, error_bytes, "cannot start %s: no stream for its pipes", arguments[0]);
            TerminateProcess(process.hProcess, 1);
            CloseHandle(process.hProcess);
        }
    }
    return good;
}

bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes)
{
    DWORD code = 0;
    fclose(child->to);
    const bool ended = child->process == NULL ||
                       WaitForSingleObject(child->process, milliseconds) == WAIT_OBJECT_0;
    if (!ended) {
        TerminateProcess(child->process, 1);
        WaitForSingleObject(child->process, INFINITE);
        snprintf(how, how_bytes, "killed, as it did not end within %g s of %s",
                 milliseconds / 1000.0, event);
    } else {
        if (child->process != NULL) {
            GetExitCodeProcess(child->process, &code);
        }
        snprintf(how, how_bytes, code > 255 ? "ended by exception %08lX" : "exited with %lu",
                 (unsigned long)code);
    }
    fclose(child->from);
    if (child->process != NULL) {
        CloseHandle(child->process);
    }
    *child = (struct topk_child){.process = NULL};
    return ended && code == 0;
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
