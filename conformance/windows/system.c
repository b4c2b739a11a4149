/* Signals, processes, the environment and the clock, as far as topk-cts uses them. */
#include "posix.h"

#include "common.h"
#include <termios.h>

#include <wchar.h>

int windows_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    (void)number;
    (void)action;
    *before = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}

int windows_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how;
    (void)set;
    if (before != NULL) {
        *before = 0;
    }
    return 0;
}

#undef signal
void (*windows_signal(int number, void (*handler)(int)))(int)
{
    const bool known = number == SIGINT || number == SIGTERM || number == SIGABRT;
    return known ? signal(number, handler) : SIG_DFL;
}

int windows_kill(int process, int number)
{
    const DWORD id = (DWORD)(process < 0 ? -process : process);
    HANDLE handle = OpenProcess(PROCESS_TERMINATE, FALSE, id);
    (void)number;
    if (handle == NULL) {
        errno = ESRCH;
        return -1;
    }
    const bool ended = TerminateProcess(handle, 1);
    CloseHandle(handle);
    errno = ended ? errno : EPERM;
    return ended ? 0 : -1;
}

const char *windows_strsignal(int number)
{
    static const char *const names[] = {
        [SIGINT] = "Interrupt",   [SIGILL] = "Illegal instruction",
        [SIGABRT] = "Aborted",    [SIGFPE] = "Floating point exception",
        [SIGKILL] = "Killed",     [SIGSEGV] = "Segmentation fault",
        [SIGTERM] = "Terminated",
    };
    const bool known = number > 0 && number < (int)(sizeof names / sizeof names[0]);
    return known && names[number] != NULL ? names[number] : "Unknown signal";
}

int windows_gethostname(char *name, int namelen)
{
    wchar_t wide[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD length = MAX_COMPUTERNAME_LENGTH + 1;
    if (!GetComputerNameW(wide, &length) ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, namelen, NULL, NULL) == 0) {
        return windows_fail(GetLastError());
    }
    return 0;
}

char **windows_environ;

__attribute__((constructor)) static void read_environment(void)
{
    wchar_t *block = GetEnvironmentStringsW();
    size_t count = 0;
    for (const wchar_t *at = block; at != NULL && *at != 0; at += wcslen(at) + 1) {
        count++;
    }
    char **list = (char **)calloc(count + 1, sizeof *list);
    size_t used = 0;
    for (const wchar_t *at = block; list != NULL && at != NULL && *at != 0; at += wcslen(at) + 1) {
        if (*at != L'=') { /* entries with the current folders of drives begin with '=' */
            list[used] = windows_utf8(at);
            used += list[used] != NULL;
        }
    }
    if (block != NULL) {
        FreeEnvironmentStringsW(block);
    }
    windows_environ = list;
}

static bool is_among(char *const *variables, const char *variable)
{
    while (*variables != NULL && strcmp(*variables, variable) != 0) {
        variables++;
    }
    return *variables != NULL;
}

void windows_environment_keep(char *const *variables)
{
    wchar_t *block = GetEnvironmentStringsW();
    for (const wchar_t *at = block; at != NULL && *at != 0; at += wcslen(at) + 1) {
        char *variable = *at == L'=' ? NULL : windows_utf8(at);
        wchar_t *name = variable == NULL || is_among(variables, variable) ? NULL : _wcsdup(at);
        if (name != NULL) {
            name[wcscspn(name, L"=")] = 0;
            SetEnvironmentVariableW(name, NULL);
        }
        free(name);
        free(variable);
    }
    if (block != NULL) {
        FreeEnvironmentStringsW(block);
    }
}

char *windows_getenv(const char *name)
{
    const size_t length = strlen(name);
    for (char **at = windows_environ; at != NULL && *at != NULL; at++) {
        if (_strnicmp(*at, name, length) == 0 && (*at)[length] == '=') {
            return *at + length + 1;
        }
    }
    return NULL;
}

int windows_tcgetattr(int fd, struct termios *modes)
{
    DWORD mode;
    if (!GetConsoleMode(windows_handle(fd), &mode)) {
        errno = ENOTTY;
        return -1;
    }
    modes->c_lflag = mode;
    return 0;
}

int windows_tcsetattr(int fd, int when, const struct termios *modes)
{
    (void)when;
    return SetConsoleMode(windows_handle(fd), modes->c_lflag) ? 0 : windows_fail(GetLastError());
}

struct tm *windows_gmtime_r(const time_t *time, struct tm *room)
{
    const struct tm *made = gmtime(time);
    if (made != NULL) {
        *room = *made;
    }
    return made == NULL ? NULL : room;
}

struct tm *windows_localtime_r(const time_t *time, struct tm *room)
{
    const struct tm *made = localtime(time);
    if (made != NULL) {
        *room = *made;
    }
    return made == NULL ? NULL : room;
}
