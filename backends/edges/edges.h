/* Records which edges a module executes, how close its comparisons come to equality, and which
 * constants it compares with, in the map of edges_map.h. Included by edges_posix.c and
 * edges_win32.c, which open the map.
 *
 * Compilers insert calls to these functions into code compiled with
 *   gcc    -fsanitize-coverage=trace-pc,trace-cmp -fno-optimize-sibling-calls
 *   clang  -fsanitize-coverage=trace-pc-guard,trace-cmp
 * Each module, a program or shared library, links its own copy, whose symbols are hidden. A place
 * in the code is identified by its distance from that copy, which is the same in every process,
 * wherever the module is loaded. Several threads may count at once; a few counts are then lost.
 *
 * Comparisons guide a fuzzer step by step: at `k == 37`, a K that shares more bits with 37 than any
 * before, or is closer to it, sets a byte that was not set before. */
#ifndef TOPK_EDGES_H
#define TOPK_EDGES_H

#include <stdint.h>
#include <string.h>

#include "edges_map.h"

/* If all sources of a module are compiled with the flag, the callbacks must not call themselves. */
#if defined(__clang__)
#define EDGES_QUIET __attribute__((no_sanitize("coverage")))
#elif defined(__GNUC__) && __GNUC__ >= 12
#define EDGES_QUIET __attribute__((no_sanitize_coverage))
#else
#define EDGES_QUIET
#endif
#if defined(__ELF__)
#define EDGES_CALLBACK EDGES_QUIET __attribute__((visibility("hidden"), used))
#else
#define EDGES_CALLBACK EDGES_QUIET __attribute__((used))
#endif

/* Numbers per comparison: 64 for how many bits differ, and 64 for the bit length of the
 * difference. */
#define EDGES_COMPARISONS 128u

/* Greatest size of a module, in bytes. */
#define EDGES_MODULE ((uint64_t)1 << 30)

static unsigned char *edges_counters; /* NULL: counting is off */
static uint64_t edges_count;
static unsigned char *edges_numbers; /* room for a power of two of constants */
static uint64_t edges_number_count;
static uint64_t edges_module; /* index of this module in its process */

/* Uses an open map of `bytes` bytes; `process` is the id of this process. */
EDGES_QUIET static void edges_take(unsigned char *map, uint64_t bytes, uint32_t process)
{
    struct topk_edges_header *header = (struct topk_edges_header *)(void *)map;
    if (bytes <= sizeof *header ||
        memcmp(header->magic, TOPK_EDGES_MAGIC, sizeof header->magic) != 0 ||
        header->numbers == 0 || header->numbers >= (bytes - sizeof *header) / 8) {
        return;
    }
    /* modules are numbered in the order in which they are loaded */
    if (header->process != process) {
        header->process = process;
        header->modules = 0;
    }
    edges_module = header->modules++;
    edges_number_count = header->numbers;
    edges_count = bytes - sizeof *header - 8 * edges_number_count;
    edges_numbers = map + sizeof *header + edges_count;
    edges_counters = map + sizeof *header;
}

/* Returns the counter for a number; each place uses numbers of its own. */
EDGES_QUIET static inline unsigned char *edges_counter(uint64_t place)
{
    const uint64_t mixed = (place + (edges_module << 48)) * 0x9e3779b97f4a7c15u;
    return &edges_counters[(mixed >> 32) * edges_count >> 32];
}

/* Returns the distance of a place in this module from this copy; 0 if the place is in another
 * module. That happens if a callback is called by a jump in tail position: it then sees the return
 * address of its caller's caller. */
EDGES_QUIET static inline uint64_t edges_distance(const void *place)
{
    const uint64_t distance = (uint64_t)((uintptr_t)place - (uintptr_t)&edges_counters);
    return distance + EDGES_MODULE < 2 * EDGES_MODULE ? distance & 0xffffffffffffu : 0;
}

EDGES_QUIET static inline void edges_hit(const void *place)
{
    const uint64_t distance = edges_distance(place);
    if (edges_counters != NULL && distance != 0) {
        unsigned char *counter = edges_counter(distance);
        *counter = (unsigned char)(*counter + (*counter < 255));
    }
}

EDGES_QUIET static inline uint32_t edges_bits(uint64_t number)
{
    uint32_t bits = 0;
    for (; number != 0; number &= number - 1) {
        bits++;
    }
    return bits;
}

/* Returns how many bits a number takes. */
EDGES_QUIET static inline uint32_t edges_length(uint64_t number)
{
    uint32_t length = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if (number >> step != 0) {
            number >>= step;
            length += step;
        }
    }
    return length + (number != 0);
}

/* Ignores numbers of more than 32 bits: they may be addresses, which differ between processes. */
EDGES_QUIET static inline void edges_compare(const void *place, uint64_t a, uint64_t b)
{
    if (edges_counters != NULL && (a | b) >> 32 == 0) {
        /* edges_hit() uses distances as numbers; these numbers are outside the range of
         * distances */
        const uint64_t first = ~edges_distance(place) * EDGES_COMPARISONS;
        const uint64_t apart = a < b ? b - a : a - b;
        *edges_counter(first + edges_bits(a ^ b)) = 1;
        *edges_counter(first + EDGES_COMPARISONS / 2 + edges_length(apart) % 64) = 1;
    }
}

/* Records the constant that the code at a place compares with. */
EDGES_QUIET static inline void edges_constant(const void *place, uint64_t number)
{
    if (edges_counters != NULL) {
        const uint64_t mixed = edges_distance(place) * 0x9e3779b97f4a7c15u >> 32;
        memcpy(edges_numbers + 8 * (mixed & (edges_number_count - 1)), &number, sizeof number);
    }
}

/* The functions that compilers call; no header declares them. */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(const uint32_t *start, const uint32_t *stop);
void __sanitizer_cov_trace_switch(uint64_t number, uint64_t *cases);

EDGES_CALLBACK void __sanitizer_cov_trace_pc(void)
{
    edges_hit(__builtin_return_address(0));
}

EDGES_CALLBACK void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    edges_hit(guard);
}

/* guards need no numbers, because their addresses identify them */
EDGES_CALLBACK void __sanitizer_cov_trace_pc_guard_init(const uint32_t *start, const uint32_t *stop)
{
    (void)start;
    (void)stop;
}

#define EDGES_COMPARE(name, type)                                                                  \
    void __sanitizer_cov_trace_##name(type a, type b);                                             \
    EDGES_CALLBACK void __sanitizer_cov_trace_##name(type a, type b)                               \
    {                                                                                              \
        edges_compare(__builtin_return_address(0), a, b);                                          \
    }
EDGES_COMPARE(cmp1, uint8_t)
EDGES_COMPARE(cmp2, uint16_t)
EDGES_COMPARE(cmp4, uint32_t)
EDGES_COMPARE(cmp8, uint64_t)
#undef EDGES_COMPARE

/* These have the constant as their first argument. */
#define EDGES_COMPARE(name, type)                                                                  \
    void __sanitizer_cov_trace_##name(type a, type b);                                             \
    EDGES_CALLBACK void __sanitizer_cov_trace_##name(type a, type b)                               \
    {                                                                                              \
        edges_compare(__builtin_return_address(0), a, b);                                          \
        edges_constant(__builtin_return_address(0), a);                                            \
    }
EDGES_COMPARE(const_cmp1, uint8_t)
EDGES_COMPARE(const_cmp2, uint16_t)
EDGES_COMPARE(const_cmp4, uint32_t)
EDGES_COMPARE(const_cmp8, uint64_t)
#undef EDGES_COMPARE

/* Called by gcc; the bits of floating-point numbers give a fuzzer no useful distance. */
#define EDGES_COMPARE(name, type)                                                                  \
    void __sanitizer_cov_trace_##name(type a, type b);                                             \
    EDGES_CALLBACK void __sanitizer_cov_trace_##name(type a, type b)                               \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
    }
EDGES_COMPARE(cmpf, float)
EDGES_COMPARE(cmpd, double)
#undef EDGES_COMPARE

/* `cases` holds the number of cases, their width in bits, then each case. */
EDGES_CALLBACK void __sanitizer_cov_trace_switch(uint64_t number, uint64_t *cases)
{
    const unsigned char *place = __builtin_return_address(0);
    for (uint64_t i = 0; i < cases[0]; i++) {
        edges_compare(place + i, number, cases[2 + i]);
        edges_constant(place + i, cases[2 + i]);
    }
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
