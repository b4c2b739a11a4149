/* Shared by the files of this folder: paths, and Windows errors as errno. The files of this folder
 * call the C library of Windows itself, not the replacements in posix.h. */
#ifndef TOPK_WINDOWS_COMMON_H
#define TOPK_WINDOWS_COMMON_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Sets errno to the equivalent of a Windows error; returns -1. */
int windows_fail(DWORD error);

/* Converts a UTF-8 path to a Windows path of any length; to be freed. NULL with errno set. folder:
 * descriptor of the folder that a relative path starts from, or AT_FDCWD. */
wchar_t *windows_path(int folder, const char *path);

/* Converts UTF-16 to UTF-8; to be freed. NULL with errno set. */
char *windows_utf8(const wchar_t *text);

/* Returns the path of a folder that windows_open() opened; NULL if the descriptor is not such a
 * folder. */
const wchar_t *windows_folder_path(int fd);

/* Returns the handle of a descriptor; INVALID_HANDLE_VALUE with errno set. */
HANDLE windows_handle(int fd);

#endif
