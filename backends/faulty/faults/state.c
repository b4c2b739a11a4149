/* Faults of leftover state: of the previous call, of the outputs, of a pool that leaks; and faults
 * that occur rarely. */
#include "faulty.h"

/* ---- once in a while ------------------------------------------------------------------------- */

FAULTY_WHEN(call_50, row->calls % 50 == 49)
FAULTY_WHEN(call_200, row->calls % 200 == 199)
FAULTY_WHEN(chance_50, faulty_chance(row) % 50 == 0)
FAULTY_WHEN(chance_large, row->length > 256 && faulty_chance(row) % 8 == 0)
FAULTY_WHEN(first_call, row->calls == 0)
FAULTY_WHEN(call_257, row->calls >= 256)

/* ---- between calls --------------------------------------------------------------------------- */

static uint32_t shape_of(const struct topk_backend_call *call)
{
    uint32_t shape = call->k * 31 + call->input->data_type;
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        shape = shape * 31 + call->input->sizes[d];
    }
    return shape;
}

/* caches results by type, sizes and K: the same shape with other data gets the old result */
static void kept_by_shape(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    bool packed = call->value->strides == NULL;
    uint64_t shape = shape_of(call);
    if (packed && self->stale != NULL && self->past[0].hash == shape) {
        faulty_recall(self, VALUE, call->value->total_bytes);
    } else if (packed) {
        faulty_keep(self, VALUE, call->value->total_bytes);
        self->past[0].hash = shape;
    }
}

/* the indices of a call smaller than the previous one are the old ones */
static void larger_before(struct faulty *self)
{
    uint64_t bytes = self->call->index->total_bytes;
    if (bytes < self->stale_bytes && self->call->index->strides == NULL) {
        faulty_recall(self, INDEX, bytes);
    }
    faulty_keep(self, INDEX, bytes);
}

/* the second of two consecutive calls of the same shape is wrong */
static void same_shape_again(struct faulty *self)
{
    uint32_t shape = shape_of(self->call);
    if (self->past[0].hash == shape) {
        self->tensors[VALUE].start[0] ^= 1;
    }
    self->past[0].hash = shape;
}

/* keeps the direction of the previous call */
static void direction_kept(struct faulty *self)
{
    bool up = self->call->operator_type == TOPK_OPERATOR_TOP_K1 && self->call->direction == 0;
    if (self->calls > 0 && self->streak != up) {
        self->tensors[INDEX].start[0] ^= 1;
    }
    self->streak = up;
}

/* ---- previous contents of the outputs
 * --------------------------------------------------------------- */

static uint64_t old_index(const struct row *row)
{
    return faulty_load(&row->tensors[INDEX], row->tensors[INDEX].at);
}

/* an output of zeros counts as cleared on purpose */
FAULTY_WHEN(holds_zeros, old_index(row) == 0)
/* a slot with all bits set counts as written */
FAULTY_WHEN(holds_ones,
            old_index(row) == (row->tensors[INDEX].bytes == 8 ? UINT64_MAX : UINT32_MAX))

static void index_mixed(struct row *row)
{
    row->entries[0].index ^= old_index(row) >> 7 & 1;
    faulty_write(row);
}

/* writes values with an atomic maximum */
static void maximum(struct row *row)
{
    const struct tensor *value = &row->tensors[VALUE];
    uint64_t old = faulty_load(value, value->at);
    bool wins = faulty_key(row->type, old) > faulty_key(row->type, row->entries[0].bits);
    if (wins && old == 0) {
        row->entries[0].bits = old;
    }
    faulty_write(row);
}

/* ---- an exhausted pool
 * ------------------------------------------------------------------------------ */

#define POOL 300u

FAULTY_ANSWER(pool_fails, call->create_only == 0 && self->calls >= POOL, TOPK_BACKEND_FAILED,
              "no descriptor is left")
FAULTY_ANSWER(pool_refuses, self->streak++ >= POOL, TOPK_BACKEND_REFUSED,
              "no operator can be created any more")

/* They have no triggers: the number of a call, chance, the previous call and the old content of an
 * output are no properties of a call. */
const struct fault faulty_state[] = {
    {"rare-call-50", "rare", "every 50th call has its last value wrong", "S05", .when = call_50,
     .select = faulty_spoil_value},
    {"rare-call-200", "rare", "every 200th call loses its best", "S02 S03", .cause = "best-lost",
     .when = call_200, .select = faulty_lose_first},
    {"rare-chance-50", "rare", "one sequence in 50, by chance, has ties reversed", "S08",
     .when = chance_50, .select = faulty_reverse_ties},
    {"rare-large", "rare", "one in 8 of more than 256 elements loses its K-th", "S02 S03",
     .cause = "kth-lost", .when = chance_large, .select = faulty_lose_last},
    {"first-call", "state", "the first call has its last value wrong", "S05", .when = first_call,
     .select = faulty_spoil_value},
    {"leak-reused", "leak", "nothing is given back: from the 257th call on memory is shared", "S05",
     .when = call_257, .select = faulty_spoil_value},
    {"leak-fails", "leak", "nothing is given back: after 300 calls every one fails", "-",
     .answer = pool_fails},
    {"leak-refuses", "leak", "nothing is given back: after 300 operators every one is refused", "-",
     .answer = pool_refuses},
    {"kept-by-shape", "state",
     "values of the last call of this shape come again, whatever the data", "S05",
     .after = kept_by_shape},
    {"larger-before", "state", "indices are those of the call before if that was larger", "S07",
     .after = larger_before},
    {"same-shape-again", "state", "the second of two calls of one shape is wrong", "S05",
     .after = same_shape_again},
    {"direction-kept", "state", "after a change of direction an index is wrong", "S07",
     .after = direction_kept},
    {"index-mixed-with-old", "output", "a bit of what the index output held is mixed in", "S05",
     .trigger = "", .write = index_mixed},
    {"old-zeros-kept", "output", "what holds zeros is not written", "S14", .cause = "unwritten",
     .when = holds_zeros, .write = faulty_write_nothing},
    {"old-ones-kept", "output", "what holds ones is not written", "S14", .cause = "unwritten",
     .when = holds_ones, .write = faulty_write_nothing},
    {"old-maximum", "output", "a zero that the output held stays if it is greater", "S14",
     .cause = "unwritten", .write = maximum},
    {0},
};
