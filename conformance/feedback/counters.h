/* The counters that one backend process after the other writes while it runs cases: a file for the
 * runtime of backends/edges/, and shared memory for code compiled by AFL++. Variables of the
 * environment tell the process where they are.
 *
 * The process can do to them what it likes. So the file is read and never mapped, as a process that
 * cuts it would end who has it mapped, and all that is read are bytes. */
#ifndef TOPK_COUNTERS_H
#define TOPK_COUNTERS_H

#include "novelty.h"
#include "shared.h"

/* Counters of either kind, unless the variable AFL_MAP_SIZE says how many. */
#define TOPK_COUNTERS     ((uint32_t)1 << 16)
#define TOPK_COUNTERS_MAX ((uint32_t)1 << 24)
/* Constants that the file has room for: a power of two. */
#define TOPK_COUNTERS_NUMBERS 512u
/* Ranges of counts that are told apart: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more. */
#define TOPK_COUNTS 8u

struct topk_counters {
    uint32_t count; /* of either kind */
    int file;       /* -1: there is none */
    char *path;     /* owned */
    struct topk_shared shared;
    unsigned char *bytes; /* owned: room for all that is behind the header of the file, */
    unsigned char *zeros; /* and for the header and as many zeros */
    char *variables[4];   /* "NAME=VALUE", owned; NULL behind the last */
};

/* How many counters AFL_MAP_SIZE asks for, `text` being its value or NULL. 0 if it is no number
 * from 64 to TOPK_COUNTERS_MAX. */
uint32_t topk_counters_wanted(const char *text);

/* Features of counters are below this number. */
uint32_t topk_counters_space(uint32_t count);

/* Makes them. If there is no shared memory, error says why, and the file is enough; if there is no
 * file either, returns false. To be closed in any case. */
bool topk_counters_open(struct topk_counters *counters, uint32_t count, char *error,
                        size_t error_bytes);
void topk_counters_close(struct topk_counters *counters);

/* Makes them ready for another process. */
bool topk_counters_renew(struct topk_counters *counters);

/* Sets all to 0. */
void topk_counters_clear(struct topk_counters *counters);

/* Appends the features of what is counted that have not come. any: becomes true if anything is
 * counted. numbers: gets the constants that were compared with, 0 for none. False if memory is
 * short. */
bool topk_counters_read(struct topk_counters *counters, const struct topk_novelty *novelty,
                        struct topk_feature_list *features, uint64_t numbers[TOPK_COUNTERS_NUMBERS],
                        bool *any);

#endif
