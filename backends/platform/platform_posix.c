/* Platform functions for POSIX: this process, libraries, standard input and output, the clock. */
#define _GNU_SOURCE /* for MAP_ANONYMOUS, and sched_setaffinity() where there is one */
#include "platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* buffer size of a stream */
#define STREAM_BYTES (1u << 16)

/* Opens the standard files that are closed. The replacements can neither be read nor written, so
 * that programs notice. False if files are short. */
static bool open_standard_files(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int file = 0; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) >= 0 || errno != EBADF) {
            continue;
        }
        int opened = open("/dev/null", modes[file]);
        if (opened < 0) {
            opened = open("/", O_RDONLY); /* a folder can neither be read nor written */
        }
        if (opened != file) {
            return false;
        }
    }
    return true;
}

char **topk_process_start(int argc, char **argv)
{
    (void)argc;
    if (!open_standard_files()) {
        return NULL;
    }
    signal(SIGXFSZ, SIG_IGN);
    return argv; /* the bytes of a file's name are used as UTF-8 */
}

void topk_console_start(void)
{
}

void topk_process_guard(void)
{
/* the leak sanitizer inspects its own process like a debugger */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
    prctl(PR_SET_DUMPABLE, 0);
#endif
}

void topk_memory_tune(void)
{
#if defined(__GLIBC__)
    /* By default both thresholds start at 128 KiB and grow with the largest freed block. With these
     * defaults, or with 1 and 8 MiB, a run of profile core takes a third longer, because fresh
     * pages are slow. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_TOP_PAD, 4 << 20);
#endif
}

void *topk_library_open(const char *path, char *error, size_t error_bytes)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        const bool other = why != NULL && (strstr(why, "invalid ELF header") != NULL ||
                                           strstr(why, "file too short") != NULL);
        const char *hint = other ? ": it is not a shared library" : "";
        snprintf(error, error_bytes, "%s%s", why != NULL ? why : "dlopen failed", hint);
    }
    return library;
}

int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes)
{
    void *symbol = dlsym(library, name);
    /* ISO C has no cast from void * to a function pointer; POSIX guarantees the representation */
    memcpy(function, &symbol, function_bytes);
    return symbol != NULL;
}

void topk_library_close(void *library)
{
    dlclose(library);
}

void topk_libraries_print(char *text, size_t size, unsigned most)
{
    (void)size;
    (void)most;
    text[0] = 0;
}

/* the file that topk_stdout_take() took; -1: none yet */
static int stdout_file = -1;

FILE *topk_stdout_take(void)
{
    static char buffer[STREAM_BYTES];
    static char in_buffer[STREAM_BYTES];
    fflush(stdout);
    setvbuf(stdin, in_buffer, _IOFBF, sizeof in_buffer);
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* not inherited */
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "wb");
    if (stream == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return NULL;
    }
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    stdout_file = copy;
    return stream;
}

void topk_stdout_say(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(stdout_file, text, length);
        if (written <= 0) {
            return; /* nobody reads it any more */
        }
        text += written;
        length -= (size_t)written;
    }
}

static bool input_failed;

bool topk_input_failed(void)
{
    return input_failed;
}

int64_t topk_input_read(void *data, size_t room)
{
    ssize_t got;
    do {
        got = read(STDIN_FILENO, data, room);
    } while (got < 0 && errno == EINTR);
    input_failed = got < 0;
    return got < 0 ? 0 : got;
}

bool topk_input_ready(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready;
    do {
        ready = poll(&input, 1, 0);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

uint64_t topk_clock_now(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint32_t topk_process_pin(uint32_t processors, uint32_t *first)
{
#if defined(__linux__)
    cpu_set_t may;
    cpu_set_t chosen;
    uint32_t count = 0;
    const int now = sched_getcpu();
    CPU_ZERO(&chosen);
    if (now < 0 || sched_getaffinity(0, sizeof may, &may) != 0) {
        return 0;
    }
    for (uint32_t i = 0; i < CPU_SETSIZE && count < processors; i++) {
        const uint32_t processor = ((uint32_t)now + i) % CPU_SETSIZE;
        if (CPU_ISSET(processor, &may)) {
            CPU_SET(processor, &chosen);
            *first = count++ == 0 ? processor : *first;
        }
    }
    return sched_setaffinity(0, sizeof chosen, &chosen) == 0 ? count : 0;
#else
    (void)processors;
    (void)first;
    return 0;
#endif
}

uint64_t topk_cache_bytes(void)
{
    long largest = 0;
#if defined(_SC_LEVEL4_CACHE_SIZE)
    static const int levels[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL4_CACHE_SIZE};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const long bytes = sysconf(levels[i]);
        largest = bytes > largest ? bytes : largest;
    }
#endif
    return (uint64_t)largest;
}

uint64_t topk_clock_process(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

size_t topk_page_bytes(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : 65536;
}

unsigned char *topk_walled_map(size_t bytes, size_t wall)
{
    unsigned char *start = bytes > SIZE_MAX - 2 * wall ? MAP_FAILED
                                                       : mmap(NULL, wall + bytes + wall, PROT_NONE,
                                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(start + wall, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, wall + bytes + wall);
        return NULL;
    }
    return start + wall;
}

void topk_walled_unmap(unsigned char *memory, size_t bytes, size_t wall)
{
    munmap(memory - wall, wall + bytes + wall);
}
