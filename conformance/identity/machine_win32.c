/* The machine, as Windows tells: its version, the processor, and display adapters with their
 * drivers, from the registry. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <winternl.h>

#define TEXT_BYTES 256

static bool add(struct topk_log_parts *parts, enum topk_log_part_role role, const char *name,
                const char *version)
{
    char line[2][2 * TEXT_BYTES];
    topk_text_line(name, line[0], sizeof line[0]);
    topk_text_line(version, line[1], sizeof line[1]);
    const struct topk_log_part part = {
        .role = role, .texts = {[TOPK_LOG_PART_NAME] = line[0], [TOPK_LOG_PART_VERSION] = line[1]}};
    return name[0] == 0 || topk_log_parts_keep(parts, &part);
}

/* a text of the registry; "" if there is none */
static void read_text(const wchar_t *key, const wchar_t *name, char text[TEXT_BYTES])
{
    wchar_t wide[TEXT_BYTES] = L"";
    DWORD bytes = sizeof wide - sizeof wide[0];
    text[0] = 0;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, wide, &bytes) == 0 &&
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, TEXT_BYTES, NULL, NULL) == 0) {
        text[0] = 0;
    }
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) {
        text[length - 1] = 0;
    }
}

/* The version itself, and not what a program without a manifest is told. Wine says that it is Wine.
 */
static bool add_system(struct topk_log_parts *parts)
{
    typedef NTSTATUS(WINAPI * get_version)(OSVERSIONINFOW *);
    typedef const char *(CDECL * wine_version)(void);
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    char product[TEXT_BYTES];
    char kernel[TEXT_BYTES];
    char build[TEXT_BYTES];
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
    return add(parts, TOPK_LOG_PART_OS, product, build) &&
           add(parts, TOPK_LOG_PART_KERNEL, kernel, "");
}

/* the display class of devices, a number each */
#define DISPLAYS                                                                                   \
    L"SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"

static bool add_gpus(struct topk_log_parts *parts)
{
    bool added = true;
    for (unsigned i = 0; added && i < 64; i++) {
        wchar_t key[TEXT_BYTES];
        char name[TEXT_BYTES];
        char driver[TEXT_BYTES];
        swprintf(key, TEXT_BYTES, L"%ls\\%04u", DISPLAYS, i);
        read_text(key, L"DriverDesc", name);
        read_text(key, L"DriverVersion", driver);
        added = add(parts, TOPK_LOG_PART_GPU, name, driver);
    }
    return added;
}

bool topk_machine_add(struct topk_log_parts *parts)
{
    char processor[TEXT_BYTES];
    read_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString",
              processor);
    return add_system(parts) && add(parts, TOPK_LOG_PART_PROCESSOR, processor, "") &&
           add_gpus(parts);
}
