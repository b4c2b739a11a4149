/* The runtime for edge counters on Windows, for mingw-w64 and clang. It also works under Wine,
 * where a native program creates the map. Link it into each module whose edges should be counted;
 * edges.h says how to compile the module. */
#include <stdio.h>
#include <windows.h>

#include "edges.h"

EDGES_QUIET static HANDLE edges_file(const char *path)
{
    return CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_ATTRIBUTE_NORMAL, NULL);
}

EDGES_QUIET __attribute__((constructor)) static void edges_open(void)
{
    char path[1024];
    char outside[1026];
    LARGE_INTEGER size;
    const DWORD length = GetEnvironmentVariableA(TOPK_EDGES_VARIABLE, path, sizeof path);
    if (length == 0 || length >= sizeof path) {
        return;
    }
    HANDLE file = edges_file(path);
    if (file == INVALID_HANDLE_VALUE && path[0] == '/') {
        /* Wine maps the root of the host's file system to drive Z */
        snprintf(outside, sizeof outside, "Z:%s", path);
        file = edges_file(outside);
    }
    if (file == INVALID_HANDLE_VALUE) {
        return;
    }
    if (GetFileSizeEx(file, &size) && size.QuadPart > 0) {
        HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
        void *map = mapping == NULL ? NULL : MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, 0);
        if (map != NULL) {
            edges_take(map, (uint64_t)size.QuadPart, (uint32_t)GetCurrentProcessId());
        }
        if (mapping != NULL) {
            CloseHandle(mapping); /* the view keeps the mapping open */
        }
    }
    CloseHandle(file);
}
