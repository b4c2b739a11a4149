/* What the platform functions for Windows share. Nobody else includes this. */
#ifndef TOPK_WIN32_H
#define TOPK_WIN32_H

#define WIN32_LEAN_AND_MEAN
#include "platform.h"

#include <windows.h>

/* The system's own text for an error, without its line end. */
void topk_win32_describe(DWORD code, char *text, size_t text_bytes);

/* what topk_contain() said */
extern struct topk_containment topk_win32_rules;

/* The last that is called in a crash: tells of it, and ends the process. */
LONG WINAPI topk_win32_end_crash(EXCEPTION_POINTERS *exception);

#endif
