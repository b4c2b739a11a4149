/* Platform functions for Windows and Wine: this process, libraries, standard input and output, the
 * clock. */
#include "win32.h"

#include <fcntl.h>
#include <io.h>
#include <psapi.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include <winver.h>

/* ---- the process ----------------------------------------------------------------------------- */

/* The C library's own parser of the command line, which no header of mingw-w64 declares. */
extern int __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment, int wildcards,
                                  int *new_mode);

/* NULL if memory is short; the caller frees it */
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
    SetUnhandledExceptionFilter(topk_win32_end_crash);
    SetThreadStackGuarantee(&stack_for_handler);
    _set_error_mode(_OUT_TO_STDERR); /* for assert() and abort() */

    /* argv lacks the characters that are not in the system's code page */
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

static UINT code_page_before;

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page_before);
}

/* The C library writes to a console byte by byte, which is slow and breaks non-ASCII characters. So
 * the streams get buffers, which this thread flushes often. */
static _Noreturn DWORD WINAPI flush_often(void *nothing)
{
    (void)nothing;
    for (;;) {
        Sleep(50);
        fflush(stdout);
        fflush(stderr);
    }
}

void topk_console_start(void)
{
    static const DWORD outputs[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    bool console = false;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        HANDLE output = GetStdHandle(outputs[i]);
        DWORD mode;
        if (GetConsoleMode(output, &mode)) {
            console = true;
            SetConsoleMode(output,
                           mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        }
    }
    if (console) {
        code_page_before = GetConsoleOutputCP();
        SetConsoleOutputCP(CP_UTF8);
        atexit(restore_code_page);
        setvbuf(stdout, NULL, _IOFBF, 8192);
        setvbuf(stderr, NULL, _IOFBF, 8192);
        HANDLE thread = CreateThread(NULL, 65536, flush_often, NULL, 0, NULL);
        if (thread != NULL) {
            CloseHandle(thread);
        }
    }
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

void topk_process_guard(void)
{
    /* topk_stdout_take() handles the rest; otherwise Windows' access rights apply */
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* A path for the loader: UTF-16, absolute if it has a folder, with backslashes. NULL if memory is
 * short or it is not UTF-8; the caller frees it. */
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

void topk_win32_describe(DWORD code, char *text, size_t text_bytes)
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
        topk_win32_describe(code, text, sizeof text);
        snprintf(error, error_bytes, "%s: Windows error %lu: %s", path, (unsigned long)code, text);
    }
}

void topk_memory_tune(void)
{
    /* the heap returns large blocks by itself */
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

/* Whether a library in the folder of Windows can affect a result: it belongs to DirectX or Vulkan,
 * or is a driver. name: the end of path. */
static bool system_library_matters(const wchar_t *path, const wchar_t *name)
{
    static const wchar_t *const starts[] = {L"d3d12",       L"dxgi",       L"directml",
                                            L"d3dcompiler", L"dxcompiler", L"dxil"};
    wchar_t lower[MAX_PATH];
    size_t length = 0;
    for (; name[length] != 0 && length + 1 < MAX_PATH; length++) {
        lower[length] = (wchar_t)towlower(name[length]);
    }
    lower[length] = 0;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (wcsncmp(lower, starts[i], wcslen(starts[i])) == 0) {
            return true;
        }
    }
    return wcsstr(lower, L"vulkan") != NULL || wcsstr(path, L"\\DriverStore\\") != NULL;
}

/* Whether a path is in the folder of Windows or below it. */
static bool is_systems(const wchar_t *path)
{
    wchar_t folder[MAX_PATH];
    const UINT length = GetSystemWindowsDirectoryW(folder, MAX_PATH);
    return length > 0 && length < MAX_PATH && _wcsnicmp(path, folder, length) == 0 &&
           path[length] == L'\\';
}

/* The version from the resources of a loaded library; false if it has none. */
static bool version_of(HMODULE library, VS_FIXEDFILEINFO *fixed)
{
    /* three numbers, L"VS_VERSION_INFO" and padding come before it */
    enum {
        FIXED_AT = 40
    };
    HRSRC found = FindResourceW(library, MAKEINTRESOURCEW(VS_VERSION_INFO),
                                MAKEINTRESOURCEW(16 /* RT_VERSION */));
    HGLOBAL resource = found == NULL ? NULL : LoadResource(library, found);
    const unsigned char *data = resource == NULL ? NULL : LockResource(resource);
    if (data == NULL || SizeofResource(library, found) < FIXED_AT + sizeof *fixed) {
        return false;
    }
    memcpy(fixed, data + FIXED_AT, sizeof *fixed);
    return fixed->dwSignature == VS_FFI_SIGNATURE;
}

/* Writes a library's line; false if it is left out. */
static bool print_library(HMODULE library, char *line, size_t size)
{
    wchar_t path[1024];
    char name[256];
    VS_FIXEDFILEINFO fixed;
    const DWORD length = GetModuleFileNameW(library, path, sizeof path / sizeof path[0]);
    if (length == 0 || length >= sizeof path / sizeof path[0] || !version_of(library, &fixed)) {
        return false;
    }
    const wchar_t *slash = wcsrchr(path, L'\\');
    const wchar_t *file = slash == NULL ? path : slash + 1;
    if (is_systems(path) && !system_library_matters(path, file)) {
        return false;
    }
    size_t used = 0;
    for (; file[used] != 0 && used + 1 < sizeof name; used++) {
        /* file names cannot contain a question mark */
        const bool plain = file[used] > L' ' && file[used] <= L'~';
        name[used] = '?';
        if (plain) {
            name[used] = (char)file[used];
        }
    }
    name[used] = 0;
    snprintf(line, size, "%s %u.%u.%u.%u", name, (unsigned)HIWORD(fixed.dwFileVersionMS),
             (unsigned)LOWORD(fixed.dwFileVersionMS), (unsigned)HIWORD(fixed.dwFileVersionLS),
             (unsigned)LOWORD(fixed.dwFileVersionLS));
    return true;
}

/* Whether a text has a line with the same first word as this line. */
static bool has_name(const char *text, const char *line)
{
    const size_t name = strcspn(line, " ") + 1;
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, name) == 0) {
            return true;
        }
    }
    return false;
}

void topk_libraries_print(char *text, size_t size, unsigned most)
{
    HMODULE libraries[512];
    DWORD bytes = 0;
    size_t used = 0;
    unsigned printed = 0;
    text[0] = 0;
    if (!K32EnumProcessModules(GetCurrentProcess(), libraries, sizeof libraries, &bytes)) {
        return;
    }
    const size_t count = (bytes < sizeof libraries ? bytes : sizeof libraries) / sizeof(HMODULE);
    for (size_t i = 0; i < count && printed < most; i++) {
        char line[320];
        if (libraries[i] == GetModuleHandleW(NULL) ||
            !print_library(libraries[i], line, sizeof line) || has_name(text, line)) {
            continue;
        }
        const size_t length = strlen(line);
        if (used + 1 + length >= size) {
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : "\n", line);
        printed++;
    }
}

/* ---- standard input and output --------------------------------------------------------------- */

/* the file that topk_stdout_take() took; -1: none yet */
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
    /* not inherited */
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Windows gives a handle */
    SetHandleInformation((HANDLE)_get_osfhandle(copy), HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(GetStdHandle(STD_INPUT_HANDLE), HANDLE_FLAG_INHERIT, 0);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(copy, _O_BINARY);
    _setmode(out, _O_BINARY);
    _setmode(err, _O_BINARY);
    /* for libraries with another C library, or none */
    SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    stdout_file = copy;
    return stream;
}

void topk_stdout_say(const char *text, size_t length)
{
    DWORD written;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Windows gives a handle */
    WriteFile((HANDLE)_get_osfhandle(stdout_file), text, (DWORD)length, &written, NULL);
}

static bool input_failed;

bool topk_input_failed(void)
{
    return input_failed;
}

int64_t topk_input_read(void *data, size_t room)
{
    DWORD got = 0;
    const DWORD most = room > 1 << 20 ? 1 << 20 : (DWORD)room;
    if (ReadFile(GetStdHandle(STD_INPUT_HANDLE), data, most, &got, NULL)) {
        return (int64_t)got;
    }
    input_failed = GetLastError() != ERROR_BROKEN_PIPE && GetLastError() != ERROR_HANDLE_EOF;
    return 0;
}

bool topk_input_ready(void)
{
    DWORD there = 0;
    return PeekNamedPipe(GetStdHandle(STD_INPUT_HANDLE), NULL, 0, NULL, &there, NULL) && there > 0;
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

uint64_t topk_clock_process(void)
{
    return 0; /* its resolution is 15 ms */
}

/* ---- the processor --------------------------------------------------------------------------- */

uint32_t topk_process_pin(uint32_t processors, uint32_t *first)
{
    DWORD_PTR may = 0;
    DWORD_PTR system = 0;
    DWORD_PTR chosen = 0;
    uint32_t count = 0;
    const uint32_t now = GetCurrentProcessorNumber();
    const uint32_t bits = 8 * sizeof may;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &may, &system)) {
        return 0;
    }
    for (uint32_t i = 0; i < bits && count < processors; i++) {
        const uint32_t processor = (now + i) % bits;
        const DWORD_PTR bit = (DWORD_PTR)1 << processor;
        if ((may & bit) != 0) {
            chosen |= bit;
            *first = count++ == 0 ? processor : *first;
        }
    }
    return SetProcessAffinityMask(GetCurrentProcess(), chosen) ? count : 0;
}

uint64_t topk_cache_bytes(void)
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION rows[256];
    DWORD bytes = sizeof rows;
    uint64_t largest = 0;
    if (!GetLogicalProcessorInformation(rows, &bytes)) {
        return 0;
    }
    for (size_t i = 0; i < bytes / sizeof rows[0]; i++) {
        if (rows[i].Relationship == RelationCache && rows[i].Cache.Size > largest) {
            largest = rows[i].Cache.Size;
        }
    }
    return largest;
}

/* ---- memory between inaccessible pages ------------------------------------------------------- */

size_t topk_page_bytes(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

unsigned char *topk_walled_map(size_t bytes, size_t wall)
{
    unsigned char *start = bytes > SIZE_MAX - 2 * wall ? NULL
                                                       : VirtualAlloc(NULL, wall + bytes + wall,
                                                                      MEM_RESERVE, PAGE_NOACCESS);
    if (start != NULL && VirtualAlloc(start + wall, bytes, MEM_COMMIT, PAGE_READWRITE) == NULL) {
        VirtualFree(start, 0, MEM_RELEASE);
        start = NULL;
    }
    return start == NULL ? NULL : start + wall;
}

void topk_walled_unmap(unsigned char *memory, size_t bytes, size_t wall)
{
    (void)bytes;
    VirtualFree(memory - wall, 0, MEM_RELEASE);
}
