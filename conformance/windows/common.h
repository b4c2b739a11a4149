/* What the files of this folder share: paths, and the errors of Windows as those of POSIX. They do
 * not include posix.h's names: what they call is the C library of Windows. */
#ifndef TOPK_WINDOWS_COMMON_H
#define TOPK_WINDOWS_COMMON_H

/* the declarations of posix.h without its names: the build includes it before this file, too */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Sets errno to what an error of Windows is in POSIX; returns -1. */
int windows_fail(DWORD error);

/* A path from UTF-8 to what Windows takes for a file of any length; to be freed. NULL with errno
 * set. folder: the descriptor that it starts from, or AT_FDCWD. */
wchar_t *windows_path(int folder, const char *path);

/* From UTF-16; to be freed. NULL with errno set. */
char *windows_utf8(const wchar_t *text);

/* The path of a folder that windows_open() opened; NULL if the descriptor is of something else. */
const wchar_t *windows_folder_path(int fd);

/* What a descriptor stands for; INVALID_HANDLE_VALUE with errno set. */
HANDLE windows_handle(int fd);

#endif
