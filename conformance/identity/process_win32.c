/* Processes, from the functions of Windows: see process.h. */
#include "descent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>
#include <shellapi.h>
#include <tlhelp32.h>
#include <winternl.h>

#undef TEXT
#include "log/log.h"

/* paths of Windows may have 32767 characters, but those of programs are short */
#define PATH_BYTES 2048

/* Converts UTF-16 to UTF-8 and '\' to '/'; "" if there is not enough room. */
static void to_path(const wchar_t *wide, char *path, size_t size)
{
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)size, NULL, NULL) == 0) {
        path[0] = 0;
    }
    for (char *at = path; *at != 0; at++) {
        if (*at == '\\') {
            *at = '/';
        }
    }
}

static HANDLE open_process(int64_t pid, DWORD access)
{
    HANDLE process = OpenProcess(access, FALSE, (DWORD)pid);
    errno = process != NULL ? 0 : GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ESRCH;
    return process;
}

/* ---- descendants ----------------------------------------------------------------------------- */

static bool read_all(struct topk_kin **kin, size_t *count)
{
    bool read = true;
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    bool more = all != INVALID_HANDLE_VALUE && Process32FirstW(all, &entry);
    while (more && read) {
        struct topk_kin *one = topk_list_add(kin, count, sizeof *one);
        read = one != NULL;
        if (read) {
            *one = (struct topk_kin){entry.th32ProcessID, entry.th32ParentProcessID, false};
        }
        more = Process32NextW(all, &entry);
    }
    if (all != INVALID_HANDLE_VALUE) {
        CloseHandle(all);
    }
    return read;
}

bool topk_processes_find(struct topk_processes *processes, const int64_t *roots, size_t count,
                         bool themselves)
{
    struct topk_kin *kin = NULL;
    size_t kin_count = 0;
    *processes = (struct topk_processes){NULL, 0};
    /* Unlike on other systems there is no keeper between a worker and what it starts. */
    const bool found =
        read_all(&kin, &kin_count) &&
        topk_descent_find(processes, kin, kin_count, roots, count, themselves, false);
    free(kin);
    return found;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Whether a library is part of Windows itself, and so says nothing about what is tested. Graphics
 * libraries in the system folder do not count: they belong to what is tested. */
static bool is_of_system(const char *path)
{
    static const char *const tested[] = {"d3d", "dxgi", "dxcore", "directml", "vulkan"};
    char folder[PATH_BYTES];
    wchar_t wide[MAX_PATH + 1];
    const UINT length = GetSystemDirectoryW(wide, MAX_PATH + 1);
    to_path(length == 0 ? L"" : wide, folder, sizeof folder);
    const size_t used = strlen(folder);
    const char *name = strrchr(path, '/');
    if (used == 0 || name == NULL || (size_t)(name - path) != used ||
        _strnicmp(path, folder, used) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof tested / sizeof tested[0]; i++) {
        if (_strnicmp(name + 1, tested[i], strlen(tested[i])) == 0) {
            return false;
        }
    }
    return true;
}

int topk_process_mappings(int64_t pid,
                          bool (*take)(void *context, const struct topk_mapping *mapping),
                          void *context)
{
    static HMODULE modules[4096];
    DWORD bytes = 0;
    int result = 0;
    HANDLE process = open_process(pid, PROCESS_QUERY_INFORMATION | PROCESS_VM_READ);
    if (process == NULL) {
        return -1;
    }
    if (!EnumProcessModulesEx(process, modules, sizeof modules, &bytes, LIST_MODULES_ALL)) {
        errno = ESRCH;
        result = -1;
    }
    bytes = bytes < sizeof modules ? bytes : sizeof modules;
    for (DWORD i = 0; result == 0 && i < bytes / sizeof(HMODULE); i++) {
        wchar_t wide[PATH_BYTES];
        char path[PATH_BYTES];
        if (GetModuleFileNameExW(process, modules[i], wide, PATH_BYTES) == 0) {
            continue;
        }
        to_path(wide, path, sizeof path);
        const struct topk_mapping mapping = {.path = path, .code = true};
        if (path[0] != 0 && !is_of_system(path) && !take(context, &mapping)) {
            result = 1;
        }
    }
    CloseHandle(process);
    return result;
}

/* ---- command line and environment ------------------------------------------------------------ */

typedef NTSTATUS(WINAPI *query)(HANDLE, PROCESSINFOCLASS, PVOID, ULONG, PULONG);

/* Returns the command line of a process, to be freed; NULL if it is unavailable. */
static wchar_t *command_line_of(HANDLE process)
{
    static const PROCESSINFOCLASS command_line = (PROCESSINFOCLASS)60;
    query ask;
    FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtQueryInformationProcess");
    const size_t room = sizeof(UNICODE_STRING) + 65536 + sizeof(wchar_t);
    UNICODE_STRING *text = calloc(1, room);
    wchar_t *line = NULL;
    ULONG used = 0;
    memcpy(&ask, &found, sizeof ask);
    if (found != NULL && text != NULL &&
        ask(process, command_line, text, (ULONG)room, &used) >= 0) {
        line = calloc(text->Length / sizeof *line + 1, sizeof *line);
        if (line != NULL) {
            memcpy(line, text->Buffer, text->Length);
        }
    }
    free(text);
    return line;
}

int topk_process_words(int64_t pid, bool (*take)(void *context, const char *word), void *context)
{
    int count = 0;
    int result = 0;
    HANDLE process = open_process(pid, PROCESS_QUERY_LIMITED_INFORMATION);
    wchar_t *line = process == NULL ? NULL : command_line_of(process);
    wchar_t **words = line == NULL ? NULL : CommandLineToArgvW(line, &count);
    for (int i = 0; words != NULL && result == 0 && i < count; i++) {
        char word[PATH_BYTES];
        to_path(words[i], word, sizeof word);
        result = !take(context, word);
    }
    if (words != NULL) {
        LocalFree((HLOCAL)words);
    }
    free(line);
    if (process != NULL) {
        CloseHandle(process);
    }
    return words == NULL ? -1 : result;
}

/* Windows has no documented function that reads the environment of another process. */
int topk_process_variables(int64_t pid, bool (*take)(void *context, const char *variable),
                           void *context)
{
    (void)pid;
    (void)take;
    (void)context;
    return 0;
}

void topk_process_program(int64_t pid, char *path, size_t size)
{
    wchar_t wide[PATH_BYTES];
    DWORD length = PATH_BYTES;
    HANDLE process = open_process(pid, PROCESS_QUERY_LIMITED_INFORMATION);
    path[0] = 0;
    if (process != NULL && QueryFullProcessImageNameW(process, 0, wide, &length)) {
        to_path(wide, path, size);
    }
    if (process != NULL) {
        CloseHandle(process);
    }
}

void topk_process_name(int64_t pid, char name[TOPK_PROCESS_NAME])
{
    char path[PATH_BYTES];
    topk_process_program(pid, path, sizeof path);
    const char *slash = strrchr(path, '/');
    const char *last = slash == NULL ? path : slash + 1;
    snprintf(name, TOPK_PROCESS_NAME, "%.*s", TOPK_PROCESS_NAME - 1, last[0] == 0 ? "?" : last);
}

bool topk_process_writes(int64_t pid, const char *path)
{
    (void)pid;
    (void)path;
    return false;
}

/* All processes have the same root. */
void topk_process_reach(int64_t pid, const char *path, char *reach, size_t size, bool *foreign)
{
    (void)pid;
    *foreign = false;
    snprintf(reach, size, "%s", path);
}
