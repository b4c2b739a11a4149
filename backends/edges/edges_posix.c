/* The runtime for edge counters on POSIX systems. Link it into each module whose edges should be
 * counted; edges.h says how to compile the module. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "edges.h"

EDGES_QUIET __attribute__((constructor)) static void edges_open(void)
{
    struct stat status;
    const char *path = getenv(TOPK_EDGES_VARIABLE);
    const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) {
            edges_take(map, (uint64_t)status.st_size, (uint32_t)getpid());
        }
    }
    close(file);
}
