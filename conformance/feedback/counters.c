/* Creates, clears and reads the file and the shared memory that hold the counters. */
#define _POSIX_C_SOURCE 200809L
#include "counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "edges/edges_map.h"

#define HEADER sizeof(struct topk_edges_header)
/* bytes of the constants */
#define NUMBERS ((size_t)8 * TOPK_COUNTERS_NUMBERS)
/* Counters are read in words of this many bytes, to skip zeros fast. */
#define WORD 8u

uint32_t topk_counters_wanted(const char *text)
{
    char *end;
    if (text == NULL || *text == 0) {
        return TOPK_COUNTERS;
    }
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || number < 64 ||
        number > TOPK_COUNTERS_MAX) {
        return 0;
    }
    return (uint32_t)((number + 63) / 64 * 64);
}

uint32_t topk_counters_space(uint32_t count)
{
    return 2 * count * TOPK_COUNTS;
}

/* ---- creating and freeing -------------------------------------------------------------------- */

/* Creates the file in a folder. The caller tries a folder in memory first. */
static int make_file(struct topk_counters *counters, const char *folder)
{
    const size_t size = strlen(folder) + 64;
    counters->path = malloc(size);
    if (counters->path == NULL) {
        return -1;
    }
    snprintf(counters->path, size, "%s/topk-edges-%ld-XXXXXX", folder, (long)getpid());
    const int file = mkstemp(counters->path);
    if (file < 0) {
        free(counters->path);
        counters->path = NULL;
    }
    return file;
}

static bool write_at(int file, const unsigned char *bytes, size_t length, off_t at)
{
    while (length > 0) {
        const ssize_t written = pwrite(file, bytes, length, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        at += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_all(const struct topk_counters *counters)
{
    return write_at(counters->file, counters->zeros, HEADER + counters->count + NUMBERS, 0);
}

static void drop_file(struct topk_counters *counters)
{
    if (counters->file >= 0) {
        close(counters->file);
        unlink(counters->path);
    }
    counters->file = -1;
    free(counters->path);
    counters->path = NULL;
}

static bool open_file(struct topk_counters *counters)
{
    const char *own = getenv("TMPDIR");
    const char *const folders[] = {"/dev/shm", own != NULL && *own != 0 ? own : "/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        counters->file = make_file(counters, folders[i]);
        if (counters->file >= 0 && write_all(counters)) {
            return true;
        }
        const int failure = errno;
        drop_file(counters);
        errno = failure;
    }
    return false;
}

/* Appends "NAME=VALUE" to the variables. Returns false if memory is short. */
static bool put_variable(struct topk_counters *counters, const char *name, const char *value)
{
    size_t at = 0;
    while (counters->variables[at] != NULL) {
        at++;
    }
    const size_t size = strlen(name) + strlen(value) + 2;
    counters->variables[at] = malloc(size);
    if (counters->variables[at] == NULL) {
        return false;
    }
    snprintf(counters->variables[at], size, "%s=%s", name, value);
    return true;
}

static bool put_variables(struct topk_counters *counters)
{
    char number[24];
    bool put = true;
    for (size_t i = 0; counters->variables[i] != NULL; i++) {
        free(counters->variables[i]);
        counters->variables[i] = NULL;
    }
    if (counters->file >= 0) {
        put = put_variable(counters, TOPK_EDGES_VARIABLE, counters->path);
    }
    if (counters->shared.bytes != NULL) {
        snprintf(number, sizeof number, "%d", counters->shared.id);
        put = put && put_variable(counters, "__AFL_SHM_ID", number);
        snprintf(number, sizeof number, "%" PRIu32, counters->count);
        put = put && put_variable(counters, "AFL_MAP_SIZE", number);
    }
    return put;
}

bool topk_counters_open(struct topk_counters *counters, uint32_t count, char *error,
                        size_t error_bytes)
{
    *counters = (struct topk_counters){.count = count, .file = -1};
    error[0] = 0;
    counters->bytes = malloc(count + NUMBERS);
    counters->zeros = calloc(1, HEADER + count + NUMBERS);
    if (counters->bytes == NULL || counters->zeros == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return false;
    }
    struct topk_edges_header header = {.numbers = TOPK_COUNTERS_NUMBERS};
    memcpy(header.magic, TOPK_EDGES_MAGIC, sizeof header.magic);
    memcpy(counters->zeros, &header, sizeof header);
    const bool shared = topk_shared_renew(&counters->shared, count, error, error_bytes);
    if (!open_file(counters) && !shared) {
        snprintf(error, error_bytes, "no file for counters: %s", strerror(errno));
        return false;
    }
    return put_variables(counters);
}

void topk_counters_close(struct topk_counters *counters)
{
    drop_file(counters);
    topk_shared_close(&counters->shared);
    free(counters->bytes);
    free(counters->zeros);
    for (size_t i = 0; counters->variables[i] != NULL; i++) {
        free(counters->variables[i]);
    }
    *counters = (struct topk_counters){.file = -1};
}

bool topk_counters_renew(struct topk_counters *counters)
{
    char error[128];
    if (counters->file >= 0) {
        write_all(counters);
    }
    if (counters->shared.bytes != NULL) {
        topk_shared_renew(&counters->shared, counters->count, error, sizeof error);
    }
    return put_variables(counters);
}

/* ---- one case -------------------------------------------------------------------------------- */

void topk_counters_clear(struct topk_counters *counters)
{
    if (counters->file >= 0) {
        write_at(counters->file, counters->zeros + HEADER, counters->count + NUMBERS, HEADER);
    }
    if (counters->shared.bytes != NULL) {
        memset(counters->shared.bytes, 0, counters->shared.size);
    }
}

/* Returns the range of a count, which is greater than 0. */
static uint32_t range_of(unsigned char count)
{
    static const unsigned char least[TOPK_COUNTS] = {1, 2, 3, 4, 8, 16, 32, 128};
    uint32_t range = TOPK_COUNTS - 1;
    while (count < least[range]) {
        range--;
    }
    return range;
}

/* Appends the features of the counters in counters->bytes; `first` is the number of the first
 * counter. Sets *any if a counter is not 0. */
static bool take(const struct topk_counters *counters, uint32_t first,
                 const struct topk_novelty *novelty, struct topk_feature_list *features, bool *any)
{
    for (uint32_t i = 0; i < counters->count; i += WORD) {
        uint64_t word;
        memcpy(&word, counters->bytes + i, WORD);
        for (uint32_t at = i; word != 0 && at < i + WORD; at++) {
            if (counters->bytes[at] == 0) {
                continue;
            }
            const uint32_t feature = (first + at) * TOPK_COUNTS + range_of(counters->bytes[at]);
            *any = true;
            if (topk_novelty_new(novelty, feature) && !topk_feature_list_add(features, feature)) {
                return false;
            }
        }
    }
    return true;
}

bool topk_counters_read(struct topk_counters *counters, const struct topk_novelty *novelty,
                        struct topk_feature_list *features, uint64_t numbers[TOPK_COUNTERS_NUMBERS],
                        bool *any)
{
    memset(numbers, 0, NUMBERS);
    if (counters->file >= 0) {
        const size_t all = counters->count + NUMBERS;
        const ssize_t length = pread(counters->file, counters->bytes, all, HEADER);
        const size_t known = length < 0 ? 0 : (size_t)length;
        memset(counters->bytes + known, 0, all - known);
        memcpy(numbers, counters->bytes + counters->count, NUMBERS);
        if (!take(counters, 0, novelty, features, any)) {
            return false;
        }
    }
    if (counters->shared.bytes == NULL) {
        return true;
    }
    memcpy(counters->bytes, counters->shared.bytes, counters->count);
    return take(counters, counters->count, novelty, features, any);
}
