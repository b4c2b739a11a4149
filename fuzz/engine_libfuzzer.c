/* Connects a target to libFuzzer, and to every other engine that calls LLVMFuzzerTestOneInput. */
#include <stdlib.h>
#include <string.h>

#include "current.h"
#include "fuzz.h"
#include "generate/mutate.h"

/* The functions that engines call. An engine that is not like libFuzzer does not call those that it
 * does not know. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
/* Provided by libFuzzer; weak because other engines do not have it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* True if TOPK_FUZZ_PLAIN_BYTES is set: our own mutator is off, so that its benefit can be
 * measured. */
static bool plain;

/* One mutation in this many is done by the engine on plain bytes, because the engine knows about
 * comparisons and dictionaries. */
#define BYTES_ONE_IN 6u

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is the engines' */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    plain = getenv("TOPK_FUZZ_PLAIN_BYTES") != NULL; /* NOLINT(concurrency-mt-unsafe) */
    if (fuzz_target.open != NULL && !fuzz_target.open()) {
        exit(1); /* libFuzzer ignores the return value; the reason was already printed */
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
    /* Joins the start of one input to the end of the other. */
    size_t head = a_size == 0 ? 0 : seed % (a_size + 1);
    size_t tail = b_size == 0 ? 0 : (seed / 7) % (b_size + 1);
    head = head < max_size ? head : max_size;
    tail = tail < max_size - head ? tail : max_size - head;
    memcpy(out, a, head);
    memcpy(out + head, b + b_size - tail, tail);
    return head + tail;
}
