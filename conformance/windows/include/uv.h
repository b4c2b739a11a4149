/* uv.h without the words that the headers of Windows take from everybody else. */
#ifndef TOPK_WINDOWS_UV_H
#define TOPK_WINDOWS_UV_H

#pragma GCC system_header
#include_next <uv.h>

/* paths are parted by '/', as everywhere else */
static inline int windows_part(int result, char *path)
{
    for (; result == 0 && *path != 0; path++) {
        *path = *path == '\\' ? '/' : *path;
    }
    return result;
}
#define uv_exepath(path, size) windows_part((uv_exepath)(path, size), path)
#define uv_cwd(path, size)     windows_part((uv_cwd)(path, size), path)

#undef near
#undef far
#undef small
#undef interface
#undef IN
#undef OUT
#undef TEXT
#undef ERROR
#undef DELETE
#undef min
#undef max

#endif
