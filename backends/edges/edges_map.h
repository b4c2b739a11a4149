/* The map of edge counters: a file that a process under test writes and `topk-cts explore
 * --feedback` reads. It starts with struct topk_edges_header. Behind that each byte is a counter,
 * which stays at 255, but for the end of the file: numbers that the code compares with, 8 bytes
 * each as the machine has them; 0 is none. */
#ifndef TOPK_EDGES_MAP_H
#define TOPK_EDGES_MAP_H

#include <stdint.h>

/* The variable that names the file; a process that is started without it counts nothing. */
#define TOPK_EDGES_VARIABLE "TOPK_EDGES"

/* how the file begins */
#define TOPK_EDGES_MAGIC "TOPKEDG1"

struct topk_edges_header {
    char magic[8];    /* TOPK_EDGES_MAGIC, without a terminator */
    uint32_t process; /* that numbered modules last */
    uint32_t modules; /* that it has numbered */
    uint32_t numbers; /* at the end of the file: a power of two */
    uint32_t unused[11];
};

#endif
