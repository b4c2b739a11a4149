/* The plugin around every adapter in C or C++: see field.h. Option rules=directml hides the
 * library's contract, so that DirectML's rules apply; other options are the adapter's. */
#include "field.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ELEMENTS (UINT64_C(1) << 26)
#define RULES         "rules=directml"

struct field {
    void *library;
    bool declares;
    struct field_library own; /* field_library, as changed by describe() */
    char contract[1024];      /* its contract, as declared */
    unsigned char *packed;    /* input, values, indices */
    size_t packed_bytes;
};

static const uint32_t WIDTHS[] = {0, 4, 2, 4, 2, 1,
                                  4, 2, 1, 0, 8, 8}; /* indexed by enum topk_backend_type */
static const char *const NAMES[] = {"",    "f32", "f16", "u32", "u16", "u8",
                                    "i32", "i16", "i8",  "",    "u64", "i64"};
#define TYPES (sizeof WIDTHS / sizeof WIDTHS[0])

/* Computes the strides of a tensor, in elements. Returns the number of its elements. */
static uint64_t strides_of(const struct topk_backend_tensor *tensor,
                           uint64_t strides[FIELD_MAX_RANK])
{
    uint64_t count = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        strides[d] = tensor->strides != NULL ? tensor->strides[d] : count;
        count *= tensor->sizes[d];
    }
    return count;
}

/* Copies the elements of a tensor, of `width` bytes each, to `packed`, or back if `scatter`. */
static void move_elements(const struct topk_backend_tensor *tensor, uint32_t width,
                          const struct topk_backend_buffer *buffer, unsigned char *packed,
                          bool scatter)
{
    uint64_t strides[FIELD_MAX_RANK];
    uint64_t at[FIELD_MAX_RANK] = {0};
    uint64_t offset = 0;
    const uint64_t count = strides_of(tensor, strides);
    unsigned char *const first = (unsigned char *)buffer->data + buffer->offset;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *element = first + offset * width;
        if (scatter) {
            memcpy(element, packed + i * width, width);
        } else {
            memcpy(packed + i * width, element, width);
        }
        for (uint32_t d = tensor->dimension_count; d-- > 0;) {
            offset += strides[d];
            if (++at[d] < tensor->sizes[d]) {
                break;
            }
            offset -= strides[d] * tensor->sizes[d];
            at[d] = 0;
        }
    }
}

/* Whether the contract has a rule `key` with `word` as its value or among its values. */
static bool rule_has(const struct field *self, const char *key, const char *word)
{
    const char *rule = strstr(self->own.rules, key);
    const size_t length = strlen(word);
    for (const char *value = rule == NULL ? "" : rule + strlen(key) - 1;
         *value == '=' || *value == ',';) {
        value++;
        const size_t next = strcspn(value, ", ");
        if (next == length && strncmp(value, word, length) == 0) {
            return true;
        }
        value += next;
    }
    return false;
}

/* Fills the shapes of a call. Returns why it is unsupported, or NULL. */
static const char *plan(const struct field *self, const struct topk_backend_call *from,
                        struct field_call *call)
{
    const struct topk_backend_tensor *input = from->input;
    uint64_t strides[FIELD_MAX_RANK];
    if (from->create_only != 0 || input == NULL || from->value == NULL || from->index == NULL ||
        input->dimension_count == 0 || input->dimension_count > FIELD_MAX_RANK ||
        from->axis >= input->dimension_count || input->data_type >= TYPES ||
        WIDTHS[input->data_type] == 0 ||
        (from->operator_type == TOPK_OPERATOR_TOP_K1 &&
         from->direction > TOPK_DIRECTION_DECREASING)) {
        return "the adapter serves only valid calls that are run";
    }
    *call = (struct field_call){.type = input->data_type,
                                .width = WIDTHS[input->data_type],
                                .rank = input->dimension_count,
                                .axis = from->axis,
                                .k = from->k,
                                .largest = from->operator_type == TOPK_OPERATOR_TOP_K ||
                                           from->direction == TOPK_DIRECTION_DECREASING,
                                .rows = 1};
    for (uint32_t d = 0; d < call->rank; d++) {
        call->sizes[d] = input->sizes[d];
        call->rows *= d + 1 < call->rank ? input->sizes[d] : 1;
    }
    if (strides_of(input, strides) > MOST_ELEMENTS) {
        return "the adapter takes 2^26 elements at most";
    }
    if (!rule_has(self, "types=", NAMES[call->type])) {
        return "the library does not take the type";
    }
    if (rule_has(self, "axes=", "last") && call->axis != call->rank - 1) {
        return "the library selects along the last axis only";
    }
    if (rule_has(self, "directions=", "largest") && call->largest == 0) {
        return "the library selects the largest only";
    }
    return NULL;
}

/* The address of a tensor, if it is packed and sufficiently aligned; else NULL. */
static void *in_place(const struct topk_backend_tensor *tensor,
                      const struct topk_backend_buffer *buffer)
{
    unsigned char *at = (unsigned char *)buffer->data + buffer->offset;
    uint64_t packed = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        if (tensor->strides != NULL && tensor->sizes[d] > 1 && tensor->strides[d] != packed) {
            return NULL;
        }
        packed *= tensor->sizes[d];
    }
    return (uintptr_t)at % 64 == 0 ? at : NULL;
}

/* Allocates the packed arrays that are not in place, and fills the outputs with an invalid index,
 * so that a value that the library does not write is not correct because of an earlier call. */
static bool provide(struct field *self, struct field_call *call, uint64_t inputs, uint64_t outputs)
{
    const size_t input = call->input != NULL ? 0 : (size_t)(inputs * call->width + 63) / 64 * 64;
    const size_t values = call->values != NULL ? 0 : (size_t)(outputs * call->width + 63) / 64 * 64;
    const size_t indices = call->indices != NULL ? 0 : (size_t)outputs * sizeof(int64_t);
    const size_t needed = input + values + indices;
    if (needed > self->packed_bytes) {
        free(self->packed);
        self->packed = malloc(needed);
        self->packed_bytes = self->packed == NULL ? 0 : needed;
    }
    if (needed > 0 && self->packed == NULL) {
        return false;
    }
    if (values + indices > 0) {
        memset(self->packed + input, 0xa5, values + indices);
    }
    call->input = call->input != NULL ? call->input : self->packed;
    call->values = call->values != NULL ? call->values : self->packed + input;
    call->indices =
        call->indices != NULL ? call->indices : (int64_t *)(void *)(self->packed + input + values);
    return true;
}

/* Sets one output from an index; see field.h. */
void field_take(const struct field_call *call, uint64_t output, int64_t index)
{
    const uint64_t n = call->sizes[call->rank - 1];
    const uint64_t width = call->width;
    call->indices[output] = index;
    if (index >= 0 && (uint64_t)index < n) {
        memcpy((unsigned char *)call->values + output * width,
               (const unsigned char *)call->input +
                   (output / call->k * n + (uint64_t)index) * width,
               width);
    }
}

int field_failed(const struct field_call *call, const char *what)
{
    snprintf(call->error, call->error_bytes, "%.200s", what);
    return 1;
}

static void narrow(int64_t *indices, uint64_t count)
{
    unsigned char *to = (unsigned char *)indices;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t index = indices[i];
        const uint32_t narrowed = index >= 0 && index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
        memcpy(to + i * sizeof narrowed, &narrowed, sizeof narrowed);
    }
}

static void run_one(struct field *self, const struct topk_backend_call *from,
                    struct topk_backend_answer *answer)
{
    struct field_call call;
    uint64_t strides[FIELD_MAX_RANK];
    const char *reason = plan(self, from, &call);
    if (reason != NULL) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason, "%s", reason);
        return;
    }
    const uint64_t outputs = strides_of(from->value, strides);
    const uint32_t index_width = WIDTHS[from->index->data_type];
    const void *input = call.input = in_place(from->input, &from->input_buffer);
    const void *values = call.values = in_place(from->value, &from->value_buffer);
    const void *indices = call.indices =
        index_width == sizeof(int64_t) ? in_place(from->index, &from->index_buffer) : NULL;
    if (!provide(self, &call, strides_of(from->input, strides), outputs)) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        return;
    }
    if (input == NULL) {
        move_elements(from->input, call.width, &from->input_buffer, self->packed, false);
    }
    call.error = answer->reason;
    call.error_bytes = sizeof answer->reason;
    if (field_library.run(self->library, &call) != 0) {
        answer->status = TOPK_BACKEND_FAILED;
        return;
    }
    if (index_width == sizeof(uint32_t)) {
        narrow(call.indices, outputs);
    }
    if (values == NULL) {
        move_elements(from->value, call.width, &from->value_buffer, call.values, true);
    }
    if (indices == NULL) {
        move_elements(from->index, index_width, &from->index_buffer, (unsigned char *)call.indices,
                      true);
    }
}

static void field_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                      struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_one(opaque, &calls[i], &answers[i]);
    }
}

static void field_supports(void *opaque, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    struct field_call planned;
    const char *reason = plan(opaque, call, &planned);
    answer->status = reason == NULL ? TOPK_BACKEND_DONE : TOPK_BACKEND_UNSUPPORTED;
    snprintf(answer->reason, sizeof answer->reason, "%s", reason == NULL ? "" : reason);
}

static void describe(struct field *self, struct topk_backend_info *info)
{
    self->own = field_library;
    if (self->own.describe != NULL) {
        self->own.describe(self->library, &self->own, info);
    }
}

static void field_describe(void *opaque, struct topk_backend_info *info)
{
    struct field *self = opaque;
    info->device = "CPU";
    info->features = "strides and offsets by the adapter";
    info->invalid_calls_reason = "the library takes no DirectML descriptions";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_OWN_CONTRACT;
    info->batch = 64;
    describe(self, info);
    info->name = self->own.name;
    info->version = self->own.version;
}

static const char *field_contract(void *opaque)
{
    const struct field *self = opaque;
    return self->declares ? self->contract : NULL;
}

static void field_close(void *opaque)
{
    struct field *self = opaque;
    if (field_library.close != NULL) {
        field_library.close(self->library);
    }
    free(self->packed);
    free(self);
}

static void *field_open(const char *options, char *error, size_t error_bytes)
{
    struct field *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    const size_t rules = strlen(RULES);
    self->declares = strncmp(options, RULES, rules) != 0;
    if (!self->declares) {
        options += options[rules] == ',' ? rules + 1 : rules;
    }
    if (field_library.open != NULL) {
        self->library = field_library.open(options, error, error_bytes);
        if (self->library == NULL) {
            free(self);
            return NULL;
        }
    }
    struct topk_backend_info info = {.name = NULL};
    describe(self, &info);
    snprintf(self->contract, sizeof self->contract,
             "invalid=own memory=gathered %s\nname=%s\nsource=%s", self->own.rules, self->own.name,
             self->own.source);
    return self;
}

TOPK_BACKEND_EXPORT const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend backend = {.abi = TOPK_BACKEND_ABI,
                                                .struct_bytes = sizeof(struct topk_backend),
                                                .name = "field",
                                                .summary = "an adapter of backends/field",
                                                .open = field_open,
                                                .describe = field_describe,
                                                .supports = field_supports,
                                                .run = field_run,
                                                .close = field_close,
                                                .contract = field_contract};
    return &backend;
}
