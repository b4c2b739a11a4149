/* Checks the reader of .npy files: a file is either an array that can be written and read back the
 * same, or it is refused with a position and a reason. */
#include <stdlib.h>
#include <string.h>

#include "exchange/npy.h"
#include "fuzz.h"

#define INPUT_MAX 1024u

/* Writes an array, reads it back and compares. */
static void read_again(const struct topk_packed *packed)
{
    unsigned char head[TOPK_NPY_HEAD];
    struct topk_packed again = {.elements = 0};
    struct topk_refusal refusal = {.byte = 0};
    const size_t start = topk_npy_head(packed, head);
    const size_t size = start + (size_t)topk_packed_bytes(packed);
    unsigned char *file = malloc(size);
    if (file == NULL) {
        return;
    }
    FUZZ_REQUIRE(start % 64 == 0 && start <= sizeof head, "npy head", "its length");
    memcpy(file, head, start);
    memcpy(file + start, packed->data, size - start);
    FUZZ_REQUIRE(topk_npy_read(file, size, &again, &refusal), "npy again", refusal.reason);
    FUZZ_REQUIRE(again.type == packed->type && again.rank == packed->rank &&
                     memcmp(again.sizes, packed->sizes, sizeof again.sizes) == 0 &&
                     memcmp(again.data, packed->data, size - start) == 0,
                 "npy same", (const char *)head + 10);
    topk_packed_clear(&again);
    free(file);
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_packed packed;
    struct topk_refusal refusal = {.byte = 0};
    if (!topk_npy_read(bytes, length, &packed, &refusal)) {
        FUZZ_REQUIRE(refusal.no_memory || refusal.reason[0] != 0, "npy no-reason", "");
        FUZZ_REQUIRE(refusal.byte <= length, "npy place", refusal.reason);
        FUZZ_REQUIRE(packed.data == NULL, "npy cleared", "what is refused owns something");
        return;
    }
    uint64_t elements = 1;
    for (uint32_t d = 0; d < packed.rank; d++) {
        elements *= packed.sizes[d];
    }
    FUZZ_REQUIRE(elements == packed.elements && elements > 0, "npy elements", "");
    FUZZ_REQUIRE(topk_packed_bytes(&packed) < length, "npy size", "more than the file");
    read_again(&packed);
    topk_packed_clear(&packed);
}

static const char *const words[] = {"\x93NUMPY",  "'descr': ", "'fortran_order': ",
                                    "'shape': (", "False",     "True",
                                    "),",         "}\n",       "'<f4'",
                                    "'<f2'",      "'<i8'",     "'<u2'",
                                    "'|i1'",      "'|u1'",     "L,",
                                    "b'",         NULL};

const struct fuzz_target fuzz_target = {
    .name = "npy",
    .about = "a .npy file is an array, which is written as such, or refused",
    .max_bytes = INPUT_MAX,
    .run = run,
    .words = words,
};
