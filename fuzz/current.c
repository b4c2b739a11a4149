/* Keeps the current input in a mapped file; see current.h. */
#define _POSIX_C_SOURCE 200809L
#include "current.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define SAVED_MAX 100u

struct current {
    volatile uint32_t running; /* length + 1 while an input runs, otherwise 0 */
    uint32_t saved;
    unsigned char bytes[];
};

static const char *name;
static struct current *current; /* NULL if the engine did not ask for it */

void fuzz_current_open(void)
{
    const size_t size = sizeof *current + fuzz_target.max_bytes;
    name = getenv("TOPK_FUZZ_CURRENT"); /* NOLINT(concurrency-mt-unsafe) */
    if (name == NULL) {
        return;
    }
    const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    /* Also reserves the disk space: writing to a mapped page that has none would end the process.
     */
    const int error = file < 0 ? errno : posix_fallocate(file, 0, (off_t)size);
    void *map =
        error != 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "fuzz %s: %s: %s\n", fuzz_target.name, name,
                strerror(error != 0 ? error : errno)); /* NOLINT(concurrency-mt-unsafe) */
        exit(1);                                       /* NOLINT(concurrency-mt-unsafe) */
    }
    close(file);
    current = map;
}

void fuzz_current_run(const unsigned char *bytes, size_t length)
{
    if (current == NULL) {
        fuzz_target.run(bytes, length);
        return;
    }
    /* Engines are told max_bytes, so a longer input came from somewhere else and is cut here. */
    const size_t kept = length < fuzz_target.max_bytes ? length : fuzz_target.max_bytes;
    memcpy(current->bytes, bytes, kept);
    current->running = (uint32_t)kept + 1;
    fuzz_target.run(bytes, length);
    current->running = 0;
}

void fuzz_current_save(void)
{
    char path[4096];
    if (current == NULL) {
        return;
    }
    if (current->running != 0 && current->saved < SAVED_MAX) {
        snprintf(path, sizeof path, "%s.%u", name, current->saved++);
        FILE *file = fopen(path, "wb");
        if (file == NULL ||
            fwrite(current->bytes, 1, current->running - 1, file) + 1 != current->running ||
            fclose(file) != 0) {
            fprintf(stderr, "fuzz %s: cannot write %s\n", fuzz_target.name, path);
        }
    }
    current->running = 0;
}
