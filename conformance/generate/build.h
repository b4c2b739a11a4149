/* Small steps from which the group tables build their cases. */
#ifndef TOPK_BUILD_H
#define TOPK_BUILD_H

#include "case/case.h"
#include "reference/element.h"

/* Where the cases of a test go. */
struct topk_sink {
    /* Takes a case, which it may change but not keep. False: no more are wanted. */
    bool (*take)(void *context, struct topk_case *tc);
    void *context;
    bool stopped;     /* take() returned false */
    bool no_memory;   /* the enumeration ended early for that */
    char broken[512]; /* why else it did, "corpus/faults.txt:12:40: MESSAGE"; "" if it did not */
};

/* The three operators that differ: TOP_K, TOP_K1 with either direction. */
enum topk_mode {
    TOPK_MODE_TOP_K,
    TOPK_MODE_LARGEST,
    TOPK_MODE_SMALLEST,
    TOPK_MODE_COUNT
};

/* Makes *tc a case with packed tensors, a UINT32 index and zero data, and no feature level yet:
 * unless one is set, topk_emit takes the lowest that has it. */
void topk_build(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t rank,
                const uint32_t sizes[], uint32_t axis, uint32_t k);

/* Makes *tc such a case of one sequence, rank 4 as every level has it: {1,1,1,length}. */
void topk_build_row(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t length,
                    uint32_t k);

/* Sets the data to version 1 of a recipe; the name must exist. Parameters it does not take are
 * ignored. */
void topk_build_data(struct topk_case *tc, const char *recipe, uint64_t first, uint64_t second);

/* Makes the index a UINT64 one, packed. */
void topk_build_wide_index(struct topk_case *tc);

/* Hands a case on unless the sink has had enough. */
void topk_emit(struct topk_sink *sink, struct topk_case *tc);

/* A draw that only depends on a, b and c: seeds that differ from case to case. */
uint64_t topk_mix(uint64_t a, uint64_t b, uint64_t c);

#endif
