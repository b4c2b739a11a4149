/* Functions with which the groups of tests build their cases. */
#ifndef TOPK_BUILD_H
#define TOPK_BUILD_H

#include "case/case.h"
#include "reference/element.h"

/* The consumer of a test's cases. */
struct topk_sink {
    /* Receives a case. It may change the case, but not keep a pointer to it. False: no more cases
     * are wanted. */
    bool (*take)(void *context, struct topk_case *tc);
    void *context;
    bool stopped;   /* take() returned false */
    bool no_memory; /* the enumeration ended early because memory is short */
    /* any other reason for that, as "corpus/faults.txt:12:40: MESSAGE"; else "" */
    char broken[512];
};

/* The three operators that differ: TOP_K, and TOP_K1 with each direction. */
enum topk_mode {
    TOPK_MODE_TOP_K,
    TOPK_MODE_LARGEST,
    TOPK_MODE_SMALLEST,
    TOPK_MODE_COUNT
};

/* Makes *tc a case with packed tensors, a UINT32 index and zero data. Its feature level is unset;
 * topk_emit() then chooses the lowest level that accepts the call. */
void topk_build(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t rank,
                const uint32_t sizes[], uint32_t axis, uint32_t k);

/* The same for one sequence. The sizes are {1,1,1,length}: every level has rank 4. */
void topk_build_row(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t length,
                    uint32_t k);

/* Sets the data to version 1 of a recipe, which must exist. Parameters that it does not have are
 * ignored. */
void topk_build_data(struct topk_case *tc, const char *recipe, uint64_t first, uint64_t second);

/* Makes the index a packed UINT64 tensor. */
void topk_build_wide_index(struct topk_case *tc);

/* Passes a case to the sink, unless the sink has stopped. */
void topk_emit(struct topk_sink *sink, struct topk_case *tc);

/* A pseudorandom number that depends only on a, b and c, to give each case its own seed. */
uint64_t topk_mix(uint64_t a, uint64_t b, uint64_t c);

#endif
