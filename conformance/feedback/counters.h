/* The counters that backend processes write while they run cases: a file for the runtime in
 * backends/edges/, and shared memory for code compiled by AFL++. Environment variables tell the
 * process where they are.
 *
 * The process may do anything to them. The file is therefore read, never mapped: if a process
 * truncated a mapped file, the reader would crash. No value in it is trusted. */
#ifndef TOPK_COUNTERS_H
#define TOPK_COUNTERS_H

#include "novelty.h"
#include "shared.h"

/* Number of counters in the file, and in the shared memory, unless AFL_MAP_SIZE sets another. */
#define TOPK_COUNTERS     ((uint32_t)1 << 16)
#define TOPK_COUNTERS_MAX ((uint32_t)1 << 24)
/* Number of constants that the file has room for: a power of two. */
#define TOPK_COUNTERS_NUMBERS 512u
/* Number of ranges that counts are reduced to: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128 and more. */
#define TOPK_COUNTS 8u

struct topk_counters {
    uint32_t count; /* of the file, and of the shared memory */
    int file;       /* -1: there is none */
    char *path;     /* owned */
    struct topk_shared shared;
    unsigned char *bytes; /* owned: room for the counters and constants */
    unsigned char *zeros; /* owned: the header of the file, then that many zeros */
    char *variables[4];   /* "NAME=VALUE", owned; NULL after the last */
};

/* Returns how many counters AFL_MAP_SIZE asks for; `text` is its value or NULL. Returns 0 if it is
 * not a number from 64 to TOPK_COUNTERS_MAX. */
uint32_t topk_counters_wanted(const char *text);

/* Returns the number that all features of counters are less than. */
uint32_t topk_counters_space(uint32_t count);

/* Creates the counters. If there is no shared memory, `error` says why, and the file is used alone.
 * Returns false if there is no file either. Close *counters in any case. */
bool topk_counters_open(struct topk_counters *counters, uint32_t count, char *error,
                        size_t error_bytes);
void topk_counters_close(struct topk_counters *counters);

/* Resets the file and the shared memory for a new process. Returns false if memory is short. */
bool topk_counters_renew(struct topk_counters *counters);

/* Sets all counters and constants to 0. */
void topk_counters_clear(struct topk_counters *counters);

/* Appends the features of the counters that no kept case has. Sets *any if a counter is not 0.
 * `numbers` gets the constants that the code compared with; 0 marks an empty place. Returns false
 * if memory is short. */
bool topk_counters_read(struct topk_counters *counters, const struct topk_novelty *novelty,
                        struct topk_feature_list *features, uint64_t numbers[TOPK_COUNTERS_NUMBERS],
                        bool *any);

#endif
