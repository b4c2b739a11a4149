/* Platform functions for POSIX systems. */
#define _POSIX_C_SOURCE 200809L
#include "platform.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char **topk_process_start(int argc, char **argv)
{
    (void)argc;
    return argv; /* whatever bytes name a file, name it in UTF-8 too */
}

void *topk_library_open(const char *path, char *error, size_t error_bytes)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(error, error_bytes, "%s", why != NULL ? why : "dlopen failed");
    }
    return library;
}

int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes)
{
    void *symbol = dlsym(library, name);
    /* ISO C has no cast from void * to a function pointer; POSIX promises that the bits are right
     */
    memcpy(function, &symbol, function_bytes);
    return symbol != NULL;
}

void topk_library_close(void *library)
{
    dlclose(library);
}

FILE *topk_stdout_take(void)
{
    static char buffer[1 << 16];
    fflush(stdout);
    int copy = dup(STDOUT_FILENO);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "wb");
    if (stream == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return NULL;
    }
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    return stream;
}

uint64_t topk_clock_now(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
