/* Checks the readers of ONNX models and tensors: bytes are either a TopK model or a tensor that can
 * be written and read back the same, or they are refused with a position and a reason. Both readers
 * get every input. */
#include <stdlib.h>
#include <string.h>

#include "exchange/onnx_read.h"
#include "exchange/onnx_tensor.h"
#include "fuzz.h"

#define INPUT_MAX 1024u

static void check_refusal(const struct topk_refusal *refusal, size_t length)
{
    FUZZ_REQUIRE(refusal->no_memory || refusal->reason[0] != 0, "onnx no-reason", "");
    FUZZ_REQUIRE(refusal->byte <= length, "onnx place", refusal->reason);
}

/* Writes a tensor, reads it back and compares. */
static void read_again(const struct topk_packed *packed)
{
    struct topk_message head = {.used = 0};
    struct topk_packed again;
    struct topk_refusal refusal = {.byte = 0};
    const uint8_t *name;
    size_t name_size;
    topk_onnx_tensor_head(packed, "name", &head);
    const size_t data = (size_t)topk_packed_bytes(packed);
    unsigned char *file = malloc(head.used + data);
    if (file == NULL) {
        return;
    }
    FUZZ_REQUIRE(!head.full, "onnx head", "it is full");
    memcpy(file, head.bytes, head.used);
    memcpy(file + head.used, packed->data, data);
    FUZZ_REQUIRE(topk_onnx_tensor_read(topk_fields_of(file, head.used + data), &again, &name,
                                       &name_size, &refusal),
                 "onnx again", refusal.reason);
    FUZZ_REQUIRE(name_size == 4 && memcmp(name, "name", 4) == 0, "onnx name", "");
    FUZZ_REQUIRE(again.type == packed->type && again.rank == packed->rank &&
                     memcmp(again.sizes, packed->sizes, sizeof again.sizes) == 0 &&
                     memcmp(again.data, packed->data, data) == 0,
                 "onnx same", "");
    topk_packed_clear(&again);
    free(file);
}

static void run_tensor(const unsigned char *bytes, size_t length)
{
    struct topk_packed packed;
    struct topk_refusal refusal = {.byte = 0};
    const uint8_t *name = NULL;
    size_t name_size = 0;
    if (!topk_onnx_tensor_read(topk_fields_of(bytes, length), &packed, &name, &name_size,
                               &refusal)) {
        check_refusal(&refusal, length);
        FUZZ_REQUIRE(packed.data == NULL, "onnx cleared", "what is refused owns something");
        return;
    }
    uint64_t elements = 1;
    for (uint32_t d = 0; d < packed.rank; d++) {
        elements *= packed.sizes[d];
    }
    FUZZ_REQUIRE(elements == packed.elements && elements > 0, "onnx elements", "");
    FUZZ_REQUIRE(name == NULL || name_size == 0 ||
                     (name >= bytes && name_size <= (size_t)(bytes + length - name)),
                 "onnx name", "outside");
    read_again(&packed);
    topk_packed_clear(&packed);
}

static void run_model(const unsigned char *bytes, size_t length)
{
    struct topk_onnx_topk model;
    struct topk_refusal refusal = {.byte = 0};
    if (!topk_onnx_read(bytes, length, &model, &refusal)) {
        check_refusal(&refusal, length);
        return;
    }
    FUZZ_REQUIRE(model.input != TOPK_ONNX_NONE && (model.has_k || model.k_input != TOPK_ONNX_NONE),
                 "onnx inputs", "one is missing");
    FUZZ_REQUIRE(model.value != model.index || model.value == TOPK_ONNX_NONE, "onnx outputs",
                 "Values is Indices");
}

static void run(const unsigned char *bytes, size_t length)
{
    run_model(bytes, length);
    run_tensor(bytes, length);
}

static const char *const words[] = {"TopK",   "axis", "largest", "sorted", "k",
                                    "Values", "X",    "K",       NULL};

const struct fuzz_target fuzz_target = {
    .name = "onnx",
    .about = "bytes are a TopK model or a tensor, which is written as such, or refused",
    .max_bytes = INPUT_MAX,
    .run = run,
    .words = words,
};
