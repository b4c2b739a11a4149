/* The machine, from the Windows registry: version, processor, and display adapters with their
 * drivers. */
#include "machine.h"
#include "machine_part.h"

#include <stdio.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <winternl.h>

/* Reads a string of the registry; "" if there is none. */
static void read_text(const wchar_t *key, const wchar_t *name, char text[TOPK_MACHINE_TEXT])
{
    wchar_t wide[TOPK_MACHINE_TEXT] = L"";
    DWORD bytes = sizeof wide - sizeof wide[0];
    text[0] = 0;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, wide, &bytes) == 0 &&
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, TOPK_MACHINE_TEXT, NULL, NULL) == 0) {
        text[0] = 0;
    }
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) {
        text[length - 1] = 0;
    }
}

/* Reads the real version: Windows reports an older one to programs without a manifest. Names Wine
 * if this is Wine. */
static bool add_system(struct topk_log_parts *parts)
{
    typedef NTSTATUS(WINAPI * get_version)(OSVERSIONINFOW *);
    typedef const char *(CDECL * wine_version)(void);
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    char product[TOPK_MACHINE_TEXT];
    char kernel[TOPK_MACHINE_TEXT];
    char build[TOPK_MACHINE_TEXT];
    get_version get = NULL;
    wine_version wine = NULL;
    const FARPROC getter = GetProcAddress(ntdll, "RtlGetVersion");
    const FARPROC winer = GetProcAddress(ntdll, "wine_get_version");
    memcpy(&get, &getter, sizeof get);
    memcpy(&wine, &winer, sizeof wine);
    if (get != NULL) {
        get(&version);
    }
    read_text(L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", L"ProductName", product);
    read_text(L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", L"DisplayVersion", build);
    snprintf(kernel, sizeof kernel, "Windows NT %lu.%lu.%lu x86-64%s%s", version.dwMajorVersion,
             version.dwMinorVersion, version.dwBuildNumber, wine == NULL ? "" : ", Wine ",
             wine == NULL ? "" : wine());
    return topk_machine_part_add(parts, TOPK_LOG_PART_OS, product, build) &&
           topk_machine_part_add(parts, TOPK_LOG_PART_KERNEL, kernel, "");
}

/* The display class of devices; each device has a numbered key below it. */
#define DISPLAYS                                                                                   \
    L"SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"

static bool add_gpus(struct topk_log_parts *parts)
{
    bool added = true;
    for (unsigned i = 0; added && i < 64; i++) {
        wchar_t key[TOPK_MACHINE_TEXT];
        char name[TOPK_MACHINE_TEXT];
        char driver[TOPK_MACHINE_TEXT];
        swprintf(key, TOPK_MACHINE_TEXT, L"%ls\\%04u", DISPLAYS, i);
        read_text(key, L"DriverDesc", name);
        read_text(key, L"DriverVersion", driver);
        added = topk_machine_part_add(parts, TOPK_LOG_PART_GPU, name, driver);
    }
    return added;
}

bool topk_machine_add(struct topk_log_parts *parts)
{
    char processor[TOPK_MACHINE_TEXT];
    read_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString",
              processor);
    return add_system(parts) &&
           topk_machine_part_add(parts, TOPK_LOG_PART_PROCESSOR, processor, "") && add_gpus(parts);
}
