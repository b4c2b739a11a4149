/* Shared by the platform functions for Windows. Private to this folder. */
#ifndef TOPK_WIN32_H
#define TOPK_WIN32_H

#define WIN32_LEAN_AND_MEAN
#include "platform.h"

#include <windows.h>

/* Writes the system's text for an error, without its line end. */
void topk_win32_describe(DWORD code, char *text, size_t text_bytes);

/* the rules of topk_contain() */
extern struct topk_containment topk_win32_rules;

/* The last handler of a crash: reports it, and ends the process. */
LONG WINAPI topk_win32_end_crash(EXCEPTION_POINTERS *exception);

#endif
