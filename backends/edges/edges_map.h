/* The map of edge counters: a file that a process under test writes and `topk-cts explore
 * --feedback` reads. It starts with struct topk_edges_header. Counters of one byte follow, which
 * stop at 255. The file ends with the constants that the code compares with, 8 bytes each in native
 * byte order; 0 marks an unused place. */
#ifndef TOPK_EDGES_MAP_H
#define TOPK_EDGES_MAP_H

#include <stdint.h>

/* Names the environment variable with the path of the file; without it, a process counts
 * nothing. */
#define TOPK_EDGES_VARIABLE "TOPK_EDGES"

/* The first bytes of the file. */
#define TOPK_EDGES_MAGIC "TOPKEDG1"

struct topk_edges_header {
    char magic[8];    /* TOPK_EDGES_MAGIC, without a terminator */
    uint32_t process; /* the process that last numbered its modules */
    uint32_t modules; /* how many modules it has numbered */
    uint32_t numbers; /* constants at the end of the file: a power of two */
    uint32_t unused[11];
};

#endif
