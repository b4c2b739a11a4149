/* Faults that only a second call reveals: results that depend on earlier calls, on calls in the
 * same batch, or on the form of the call. */
#include "faulty.h"

#include <string.h>

/* ---- earlier calls
 * -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_tensor(uint64_t hash, const struct topk_backend_tensor *tensor)
{
    hash = mix(hash, &tensor->data_type, sizeof tensor->data_type);
    hash = mix(hash, tensor->sizes, tensor->dimension_count * sizeof tensor->sizes[0]);
    if (tensor->strides != NULL) {
        hash = mix(hash, tensor->strides, tensor->dimension_count * sizeof tensor->strides[0]);
    }
    return hash;
}

/* a hash of a description without what must not matter: the operator, flags, offsets, alignments */
static uint64_t hash_description(const struct topk_backend_call *call, uint64_t flip)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix(hash, &call->axis, sizeof call->axis);
    hash = mix(hash, &call->k, sizeof call->k);
    hash = mix(hash, &flip, sizeof flip);
    hash = hash_tensor(hash, call->input);
    hash = hash_tensor(hash, call->value);
    return hash_tensor(hash, call->index);
}

/* equal for equal calls, whatever their outputs held */
static uint64_t hash_call(const struct topk_backend_call *call)
{
    uint64_t hash = hash_description(call, call->direction);
    hash = mix(hash, &call->operator_type, sizeof call->operator_type);
    hash = mix(hash, &call->execution_flags, sizeof call->execution_flags);
    const unsigned char *input = call->input_buffer.data;
    return mix(hash, input + call->input_buffer.offset, (size_t)call->input->total_bytes);
}

static void spoil(const struct tensor tensors[ROLES])
{
    tensors[VALUE].start[0] ^= 1;
}

/* keeps state for a repeated call, which a call of another type overwrites */
static void kept_across_types(struct faulty *self)
{
    struct past past = {hash_call(self->call), self->call->input->data_type};
    bool other = false;
    for (int i = 0; i < PAST && self->past[i].type != 0; i++) {
        other = other || self->past[i].type != past.type;
        if (self->past[i].hash == past.hash && other) {
            spoil(self->tensors);
            break;
        }
    }
    memmove(&self->past[1], &self->past[0], (PAST - 1) * sizeof self->past[0]);
    self->past[0] = past;
}

/* three calls of one kind may run together; a fourth gets the memory of the first */
static void crowded_batch(struct faulty *self)
{
    uint64_t hash = hash_call(self->call);
    uint32_t same = 0;
    for (uint32_t i = 0; i < self->in_batch; i++) {
        same += self->batch[i] == hash;
    }
    if (same >= 3) {
        spoil(self->tensors);
    }
    if (self->in_batch < BATCH_KEPT) {
        self->batch[self->in_batch++] = hash;
    }
}

/* a race that is lost one time in fifty */
static void fiftieth(struct faulty *self)
{
    uint64_t hash = hash_call(self->call);
    self->streak = self->past[0].hash == hash ? self->streak + 1 : 1;
    self->past[0].hash = hash;
    if (self->streak % 50 == 0) {
        spoil(self->tensors);
    }
}

/* ---- the form of the call
 * -------------------------------------------------------------------------- */

FAULTY_WHEN(two_layouts, row->tensors[VALUE].strides[row->call->axis] !=
                             row->tensors[INDEX].strides[row->call->axis])
FAULTY_WHEN(first_axis, row->call->axis == 0 && row->call->input->dimension_count > 1)
FAULTY_WHEN(increasing, row->increasing)
FAULTY_WHEN(four_bytes, row->bytes == 4)
FAULTY_WHEN(below_eight_bytes, row->bytes < 8)

/* mistakes the last element for the worst */
static void last_element(struct row *row)
{
    faulty_forget(row, row->length - 1);
}

/* a radix sort with too few digits */
FAULTY_KEY(top_digit_unsorted, (key & ((UINT64_C(1) << (8 * row->bytes - 2)) - 1)))

/* ---- choices that each call may make
 * --------------------------------------------------------------- */

/* the order key of a FLOAT32 rounded to the nearest FLOAT16 */
static uint64_t half_key(uint64_t bits)
{
    uint64_t magnitude = bits & 0x7fffffffu;
    uint64_t exponent = magnitude >> 23;
    uint64_t rounded;
    if (magnitude >= 0x477ff000u) {
        rounded = 0x7f800000u;
    } else if (exponent >= 113) {
        rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) & ~(uint64_t)0x1fff;
    } else {
        /* multiples of 2^-24: all of them are less than the least normal, except that itself */
        uint64_t drop = exponent < 101 ? 25 : 126 - exponent;
        uint64_t fraction = (magnitude & 0x7fffffu) | (exponent > 0 ? 0x800000u : 0);
        uint64_t kept = fraction >> drop;
        uint64_t rest = fraction & ((UINT64_C(1) << drop) - 1);
        uint64_t middle = UINT64_C(1) << (drop - 1);
        kept += rest > middle || (rest == middle && (kept & 1) != 0);
        rounded = kept == 1024 ? 0x38800000u : kept;
    }
    return bits & 0x80000000u ? 0x80000000u - rounded : 0x80000000u + rounded;
}

/* chooses the order of NaN, denormals and, if FLOAT16 is allowed, FLOAT32 by the form of the call
 * and its first element: a repeated call gives the same result, another need not */
static void own_choice(struct row *row)
{
    const struct topk_backend_call *call = row->call;
    bool half = (call->execution_flags & TOPK_EXECUTION_ALLOW_HALF_PRECISION) != 0;
    uint64_t first = 0;
    memcpy(&first, row->tensors[INPUT].start, row->bytes);
    uint64_t mood = mix(hash_description(call, row->flip), &first, sizeof first);
    if (half) {
        mood = mix(mood, &call->execution_flags, sizeof call->execution_flags);
    }
    mood ^= mood >> 32;
    for (uint32_t i = 0; faulty_type_float(row->type) && i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        if (faulty_nan(row->type, entry->bits)) {
            entry->key = mood & 1 ? row->flip : entry->key;
        } else if (row->type == TOPK_BACKEND_FLOAT32 && half && mood & 2) {
            entry->key = half_key(entry->bits) ^ row->flip;
        } else if (row->type == TOPK_BACKEND_FLOAT32 && !half && mood & 4 &&
                   faulty_denormal(row->type, entry->bits)) {
            entry->key = faulty_key(row->type, 0) ^ row->flip;
        }
    }
}

/* accepts a direction that does not exist, if nothing else is wrong */
static bool own_direction_answer(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    if (call->direction > TOPK_DIRECTION_DECREASING &&
        call->operator_type == TOPK_OPERATOR_TOP_K1) {
        struct topk_backend_call usual = *call;
        usual.direction = TOPK_DIRECTION_DECREASING;
        usual.create_only = 1;
        topk_backend_cpu.run(self->cpu, &usual, 1, self->answer);
    }
    return self->answer->status == TOPK_BACKEND_DONE;
}

/* and treats it as one direction for an odd K, as the other for an even K */
static void own_direction(struct row *row)
{
    bool none = row->call->operator_type == TOPK_OPERATOR_TOP_K1 &&
                row->call->direction > TOPK_DIRECTION_DECREASING;
    if (none && row->k % 2 == 1) {
        faulty_turn_keys(row);
    }
}

const struct fault faulty_relations[] = {
    {"own-direction", "allowed",
     "each call chooses for itself what a direction other than 0 and 1 means (V12)",
     .answer = own_direction_answer, .key = own_direction},
    {"own-choice", "allowed", "each call chooses for itself what F02, F04 and F06 leave open",
     .key = own_choice},
    /* no trigger: earlier calls and calls in the batch decide */
    {"kept-across-types", "relations", "a call that comes again after one of another type is wrong",
     "S14 M07", .after = kept_across_types},
    {"crowded-batch", "relations",
     "of equal calls in one batch the fourth and later ones are wrong", "M07", .batch = BATCH_KEPT,
     .after = crowded_batch},
    {"fiftieth-run", "relations", "the same call is wrong every fiftieth time", "S14",
     .trigger = "check=soak", .after = fiftieth, .few = "one test makes a call fifty times"},
    {"two-layouts", "relations",
     "outputs whose strides along the axis differ have their ties reversed", "S08 T04",
     .trigger = "value-out!=packed and " FAULTY_TIED " or index-out!=packed and " FAULTY_TIED,
     .cause = FAULTY_TIES_CAUSE, .when = two_layouts, .select = faulty_reverse_ties},
    {"first-axis", "relations", "an axis of 0 reverses ties", "S08 S01",
     .trigger = "axis=first and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = first_axis,
     .select = faulty_reverse_ties},
    {"last-element", "relations", "the last element of a sequence is taken for the worst",
     "S02 S03 S12", .trigger = "n>=2", .cause = "one-less", .key = last_element},
    {"increasing-ties", "relations", "the smallest are selected with their ties reversed",
     "S08 S03", .trigger = "direction=smallest and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE,
     .when = increasing, .select = faulty_reverse_ties},
    {"top-digit-unsorted", "relations", "the top two bits of an order key are not sorted by", "S12",
     .trigger = "width<=4 and n>=2", .when = below_eight_bytes, .key = top_digit_unsorted},
    {"four-byte-ties", "relations", "elements of four bytes have their ties reversed", "S08 S12",
     .trigger = "width=4 and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = four_bytes,
     .select = faulty_reverse_ties},
    {0},
};
