/* The engine's side of a target for libFuzzer and all that calls LLVMFuzzerTestOneInput. */
#include <stdlib.h>
#include <string.h>

#include "current.h"
#include "fuzz.h"
#include "generate/mutate.h"

/* of every engine; one that is not like libFuzzer does not call what it does not know */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
/* of libFuzzer; weak, as other engines lack it */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* TOPK_FUZZ_PLAIN_BYTES is there: without the mutator, to see what it is good for */
static bool plain;

/* one mutation in so many is of bytes, by the engine, which knows comparisons and dictionaries */
#define BYTES_ONE_IN 6u

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is the engines' */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    plain = getenv("TOPK_FUZZ_PLAIN_BYTES") != NULL; /* NOLINT(concurrency-mt-unsafe) */
    if (fuzz_target.open != NULL && !fuzz_target.open()) {
        exit(1); /* libFuzzer goes on, whatever this returns; why has been said */
    }
    fuzz_current_open();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_current_run(data, size);
    return 0;
}

static size_t mutate_bytes(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return LLVMFuzzerMutate != NULL ? LLVMFuzzerMutate(data, size, max_size)
                                    : topk_mutate_bytes(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (!plain && fuzz_has_pieces(data, size) && seed % BYTES_ONE_IN != 0) {
        return topk_mutate_pieces(fuzz_target.draw, data, size, max_size, seed);
    }
    return mutate_bytes(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    if (!plain && fuzz_has_pieces(a, a_size) && fuzz_has_pieces(b, b_size)) {
        return topk_mutate_cross(fuzz_target.draw, &(struct topk_piece){a, a_size},
                                 &(struct topk_piece){b, b_size}, out, max_size, seed);
    }
    /* the start of one and the end of the other */
    size_t head = a_size == 0 ? 0 : seed % (a_size + 1);
    size_t tail = b_size == 0 ? 0 : (seed / 7) % (b_size + 1);
    head = head < max_size ? head : max_size;
    tail = tail < max_size - head ? tail : max_size - head;
    memcpy(out, a, head);
    memcpy(out + head, b + b_size - tail, tail);
    return head + tail;
}
