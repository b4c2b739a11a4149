/* Faults of state kept between calls: plans in a cache whose key lacks a property of the call, or
 * that are returned wrongly; cached checks of descriptions; state that a refused call leaves;
 * inputs that are identified by their address. */
#include <stdlib.h>
#include <string.h>

#include "faulty.h"

/* ---- the cache
 * -------------------------------------------------------------------------------- */

/* greatest number of plans; later calls are computed without one */
#define PLANS 4096u

/* a call as it was when its plan was made */
struct plan {
    uint64_t key;
    struct topk_backend_call call;
    struct topk_backend_tensor tensors[ROLES];
    uint32_t sizes[ROLES][RANK];
    uint32_t strides[ROLES][RANK];
    uint32_t status;
    unsigned char *bytes; /* contents of its input */
};

struct faulty_plans {
    struct plan list[PLANS];
    uint32_t count;
    uint64_t misses;
    struct plan now; /* replaces the description of the current call */
};

void faulty_plans_free(struct faulty_plans *plans)
{
    for (uint32_t i = 0; plans != NULL && i < plans->count; i++) {
        free(plans->list[i].bytes);
    }
    free(plans);
}

/* properties that a key can lack */
enum {
    OPERATOR = 1 << 0,
    DIRECTION = 1 << 1,
    LEVEL = 1 << 2,
    EXECUTION = 1 << 3,
    AXIS = 1 << 4,
    K = 1 << 5,
    TYPE = 1 << 6,
    INDEX_TYPE = 1 << 7,
    LENGTH = 1 << 8, /* of the sequences */
    ROWS = 1 << 9,   /* the other sizes */
    SHAPE = 1 << 10, /* the number of elements is known, but no size */
    OWNED = 1 << 11,
    STRIDES =
        /* of the input; for each of these three, the next bits are for the other tensors */
        1 << 12,
    OFFSET = 1 << 15,
    ALIGNMENT = 1 << 18,
    TOTAL = 1 << 21,
    OUTPUT_SIZES = 1 << 24 /* in valid calls they follow from other properties */
};
#define ALL(property) ((uint64_t)(property)*7)
/* properties on which a plan does not depend, unless the fault is about them */
#define ANY (ALL(ALIGNMENT) | ALL(TOTAL) | OUTPUT_SIZES)

static const struct topk_backend_tensor *tensor_of(const struct topk_backend_call *call, int role)
{
    return role == INPUT ? call->input : role == VALUE ? call->value : call->index;
}

static const struct topk_backend_buffer *buffer_of(const struct topk_backend_call *call, int role)
{
    return role == INPUT   ? &call->input_buffer
           : role == VALUE ? &call->value_buffer
                           : &call->index_buffer;
}

static void mix(uint64_t *key, uint64_t number)
{
    *key = (*key ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    *key ^= *key >> 29;
}

static void mix_unless(uint64_t *key, uint64_t forgotten, uint64_t property, uint64_t number)
{
    mix(key, (forgotten & property) != 0 ? 0 : number);
}

static void mix_sizes(uint64_t *key, uint64_t forgotten, const struct topk_backend_call *call,
                      const struct topk_backend_tensor *tensor, int role)
{
    uint64_t elements = 1;
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        const uint64_t along = role == INPUT ? LENGTH : K;
        elements *= tensor->sizes[d];
        mix_unless(key, forgotten, SHAPE | (d == call->axis ? along : (uint64_t)ROWS),
                   tensor->sizes[d]);
    }
    mix_unless(key, forgotten, LENGTH | K | ROWS, elements);
}

static uint64_t key_of(const struct topk_backend_call *call, uint64_t forgotten)
{
    uint64_t key = 1;
    mix_unless(&key, forgotten, OPERATOR, call->operator_type);
    mix_unless(&key, forgotten, DIRECTION | OPERATOR, call->direction);
    mix_unless(&key, forgotten, LEVEL, call->feature_level);
    mix_unless(&key, forgotten, EXECUTION, call->execution_flags);
    mix_unless(&key, forgotten, AXIS | SHAPE, call->axis);
    mix_unless(&key, forgotten, K | SHAPE, call->k);
    for (int role = 0; role < ROLES; role++) {
        const struct topk_backend_tensor *tensor = tensor_of(call, role);
        mix_unless(&key, forgotten, role == INDEX ? INDEX_TYPE : TYPE, tensor->data_type);
        mix_unless(&key, forgotten, OWNED, tensor->flags);
        mix(&key, tensor->dimension_count);
        if (role == INPUT || (forgotten & OUTPUT_SIZES) == 0) {
            mix_sizes(&key, forgotten, call, tensor, role);
        }
        for (uint32_t d = 0; d < tensor->dimension_count; d++) {
            mix_unless(&key, forgotten, (uint64_t)STRIDES << role,
                       tensor->strides == NULL ? UINT64_MAX : tensor->strides[d]);
        }
        mix_unless(&key, forgotten, (uint64_t)ALIGNMENT << role,
                   tensor->guaranteed_base_offset_alignment);
        mix_unless(&key, forgotten, (uint64_t)TOTAL << role, tensor->total_bytes);
        mix_unless(&key, forgotten, (uint64_t)OFFSET << role, buffer_of(call, role)->offset);
    }
    return key;
}

/* copies a description, with as many sizes and strides as a valid one has */
static void copy_plan(struct plan *to, const struct topk_backend_call *call)
{
    const struct topk_backend_tensor **tensors[] = {&to->call.input, &to->call.value,
                                                    &to->call.index};
    to->call = *call;
    for (int role = 0; role < ROLES; role++) {
        const struct topk_backend_tensor *from = tensor_of(call, role);
        to->tensors[role] = *from;
        *tensors[role] = &to->tensors[role];
        memcpy(to->sizes[role], from->sizes, from->dimension_count * sizeof from->sizes[0]);
        to->tensors[role].sizes = to->sizes[role];
        if (from->strides != NULL) {
            memcpy(to->strides[role], from->strides,
                   from->dimension_count * sizeof from->strides[0]);
            to->tensors[role].strides = to->strides[role];
        }
    }
}

/* returns the plans of a backend; NULL if memory is short */
static struct faulty_plans *plans_of(struct faulty *self)
{
    if (self->plans == NULL) {
        self->plans = calloc(1, sizeof *self->plans);
    }
    return self->plans;
}

static struct plan *find(struct faulty_plans *plans, uint64_t key)
{
    for (uint32_t i = plans->count; i-- > 0;) {
        if (plans->list[i].key == key) {
            return &plans->list[i];
        }
    }
    return NULL;
}

static struct plan *add(struct faulty_plans *plans, uint64_t key, const struct faulty *self)
{
    if (plans->count == PLANS) {
        return NULL;
    }
    struct plan *plan = &plans->list[plans->count++];
    copy_plan(plan, self->call);
    plan->key = key;
    plan->status = self->answer->status;
    return plan;
}

/* whether a call is computed */
static bool computed(const struct faulty *self)
{
    return self->answer->status == TOPK_BACKEND_DONE && self->call->create_only == 0;
}

/* computes the call according to a plan, on the call's own buffers */
static void use(struct faulty *self, const struct plan *plan)
{
    struct plan *now = &self->plans->now;
    copy_plan(now, &plan->call);
    struct topk_backend_buffer *buffers[] = {&now->call.input_buffer, &now->call.value_buffer,
                                             &now->call.index_buffer};
    for (int role = 0; role < ROLES; role++) {
        const uint64_t offset = buffers[role]->offset;
        *buffers[role] = *buffer_of(self->call, role);
        if ((self->fault->amount >> role & OFFSET) != 0 && offset < buffers[role]->bytes) {
            buffers[role]->offset = offset;
        }
    }
    self->call = &now->call;
}

/* ---- keys that lack a property
 * ----------------------------------------------------------------- */

/* finds the plan of a call with a key that lacks the fault's property; NULL: there was none, and
 * one was added */
static const struct plan *known(struct faulty *self)
{
    struct faulty_plans *plans = computed(self) ? plans_of(self) : NULL;
    if (plans == NULL) {
        return NULL;
    }
    const uint64_t key = key_of(self->call, self->fault->amount);
    const struct plan *plan = find(plans, key);
    if (plan == NULL) {
        add(plans, key, self);
    }
    return plan;
}

static bool by_plan(struct faulty *self)
{
    const struct plan *plan = known(self);
    if (plan != NULL) {
        use(self, plan);
    }
    return true;
}

/* if no result depends on the missing property, a plan for another value of it is made wrong */
static bool by_plan_of_others(struct faulty *self)
{
    const struct plan *plan = known(self);
    self->streak = plan != NULL && key_of(&plan->call, ANY) != key_of(self->call, ANY);
    return true;
}

static void spoil_once(struct faulty *self)
{
    if (self->streak != 0) {
        self->tensors[VALUE].start[0] ^= 1;
    }
}

/* a kernel for a greater alignment ignores the low bits of addresses */
static void address_aligned(struct faulty *self)
{
    const struct plan *plan = known(self);
    for (int role = 0; plan != NULL && role < ROLES; role++) {
        const uint32_t alignment = plan->tensors[role].guaranteed_base_offset_alignment;
        if ((self->fault->amount >> role & ALIGNMENT) != 0 && alignment > 1) {
            const uint64_t beyond = buffer_of(self->call, role)->offset % alignment;
            self->tensors[role].start -= beyond;
            self->tensors[role].room += beyond;
        }
    }
}

/* writes back as many bytes as the plan's output has */
static void write_back(struct faulty *self)
{
    const struct plan *plan = known(self);
    for (int role = VALUE; plan != NULL && role < ROLES; role++) {
        const uint64_t own = tensor_of(self->call, role)->total_bytes;
        const uint64_t total = plan->tensors[role].total_bytes;
        const bool forgotten = (self->fault->amount >> role & TOTAL) != 0;
        for (uint64_t i = own; forgotten && i < total && i < self->tensors[role].room; i++) {
            self->tensors[role].start[i] = 0;
        }
    }
}

/* ---- inputs that are identified by address
 * ------------------------------------------------------ */

/* replaces the input of a call by that of its plan */
static void use_input(struct faulty *self, struct plan *plan)
{
    const size_t bytes = (size_t)self->call->input->total_bytes;
    if (plan->bytes == NULL) {
        plan->bytes = malloc(bytes);
        if (plan->bytes != NULL) {
            memcpy(plan->bytes, self->tensors[INPUT].start, bytes);
        }
    } else {
        self->tensors[INPUT].start = plan->bytes;
        self->tensors[INPUT].room = plan->call.input->total_bytes;
    }
}

static void input_by(struct faulty *self, uint64_t more)
{
    struct faulty_plans *plans = plans_of(self);
    if (plans == NULL) {
        return;
    }
    uint64_t key = key_of(self->call, self->fault->amount);
    mix(&key, more);
    struct plan *plan = find(plans, key);
    plan = plan == NULL ? add(plans, key, self) : plan;
    if (plan != NULL) {
        use_input(self, plan);
    }
}

static void input_by_address(struct faulty *self)
{
    input_by(self, (uint64_t)(uintptr_t)self->tensors[INPUT].start);
}

static void input_by_description(struct faulty *self)
{
    input_by(self, 0);
}

static void owned_input(struct faulty *self)
{
    if ((self->call->input->flags & 1) != 0) {
        input_by(self, 0);
    }
}

/* ---- a small cache
 * ------------------------------------------------------------------------------ */

/* among `amount` plans, a plan that replaces another gets its key but not its contents */
static bool few_plans(struct faulty *self)
{
    struct faulty_plans *plans = computed(self) ? plans_of(self) : NULL;
    if (plans == NULL) {
        return true;
    }
    const uint64_t key = key_of(self->call, ANY);
    const struct plan *plan = find(plans, key);
    if (plan != NULL) {
        use(self, plan);
    } else if (plans->count < self->fault->amount) {
        add(plans, key, self);
    } else {
        plans->list[plans->misses++ % self->fault->amount].key = key;
    }
    return true;
}

/* each `amount`-th plan is wrong, and stays in the cache */
static bool bad_plan(struct faulty *self)
{
    struct faulty_plans *plans = computed(self) ? plans_of(self) : NULL;
    self->streak = 0;
    if (plans != NULL) {
        const uint64_t key = key_of(self->call, ANY);
        struct plan *plan = find(plans, key);
        plan = plan == NULL ? add(plans, key, self) : plan;
        self->streak = plan != NULL && (uint64_t)(plan - plans->list) % self->fault->amount ==
                                           self->fault->amount - 1;
    }
    return true;
}

/* ---- cached checks
 * ------------------------------------------------------------------------------ */

/* whether a description has all tensors, with no more dimensions than there is room for */
static bool keyed(const struct topk_backend_call *call)
{
    bool all = faulty_whole(call);
    for (int role = 0; all && role < ROLES; role++) {
        all = tensor_of(call, role)->dimension_count <= RANK;
    }
    return all;
}

/* Answers a description like an earlier one that looks the same. */
static bool checked_before(struct faulty *self)
{
    struct faulty_plans *plans = keyed(self->call) ? plans_of(self) : NULL;
    const uint32_t status = self->answer->status;
    if (plans == NULL || (status != TOPK_BACKEND_DONE && status != TOPK_BACKEND_REFUSED)) {
        return true;
    }
    const uint64_t key = key_of(self->call, self->fault->amount | ALL(OFFSET));
    const struct plan *plan = find(plans, key);
    if (plan == NULL) {
        add(plans, key, self);
    } else if (plan->status != status) {
        return faulty_answer(self, plan->status, "as before");
    }
    return true;
}

/* ---- after a refused call
 * ----------------------------------------------------------------------- */

static bool note_refusal(struct faulty *self)
{
    const bool refused = self->answer->status == TOPK_BACKEND_REFUSED;
    self->in_batch = (uint32_t)(self->streak != 0 && !refused);
    self->streak = refused;
    return true;
}

/* the next call fails, too */
static bool refuse_again(struct faulty *self)
{
    const bool before = self->streak != 0;
    self->streak = self->answer->status == TOPK_BACKEND_REFUSED;
    return !before || self->answer->status != TOPK_BACKEND_DONE ||
           faulty_answer(self, TOPK_BACKEND_REFUSED, "a parameter is invalid");
}

static void spoil_behind(struct faulty *self)
{
    if (self->in_batch != 0) {
        self->tensors[VALUE].start[0] ^= 1;
    }
}

/* stores K or the direction before the check, and uses it if the next call does not set it */
static bool keep_refused(struct faulty *self)
{
    struct faulty_plans *plans = plans_of(self);
    if (plans == NULL || !keyed(self->call)) {
        return true;
    }
    if (self->answer->status == TOPK_BACKEND_REFUSED) {
        self->streak = self->call->k;
    } else if (computed(self) && self->streak != 0) {
        copy_plan(&plans->now, self->call);
        if (self->streak < self->call->k) {
            plans->now.call.k = (uint32_t)self->streak;
        }
        self->call = &plans->now.call;
        self->streak = 0;
    }
    return true;
}

/* ---- reused memory
 * ------------------------------------------------------------------------------ */

/* after a length that is no multiple of 4, elements of an earlier, longer call follow */
static void stale_tail(struct faulty *self)
{
    const uint32_t length = self->call->input->sizes[self->call->axis];
    if (length < self->stale_bytes && length % 4 != 0) {
        faulty_store(&self->tensors[INDEX], 0, length, self->tensors[INDEX].bytes);
    }
    self->stale_bytes = length;
}

/* counters are cleared only as far as the previous call needed them */
static void stale_counters(struct faulty *self)
{
    const uint64_t needed = self->call->k;
    if (needed > self->stale_bytes && self->stale_bytes > 0) {
        faulty_store(&self->tensors[INDEX], 0, 0, self->tensors[INDEX].bytes);
    }
    self->stale_bytes = (size_t)needed;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Plans are made for valid calls. The faults have no triggers, because earlier calls are no
 * property of a call. */
#define NEIGHBOURS "it takes two calls that differ in this alone, and few tests make such"
#define FORGETS(id, property, breaks, text)                                                        \
    {                                                                                              \
        "plan-forgets-" id, "state", "plans are kept without " text, breaks,                       \
            .amount = (property) | ANY, .answer = by_plan                                          \
    }
#define OTHERS(id, property, breaks, text)                                                         \
    {                                                                                              \
        "plan-forgets-" id, "state", "plans are kept without " text, breaks,                       \
            .amount = (property) | ANY, .answer = by_plan_of_others, .after = spoil_once           \
    }
#define CHECKED(id, property, breaks, text)                                                        \
    {                                                                                              \
        "check-forgets-" id, "accepts", "descriptions are checked once, whatever " text, breaks,   \
            .amount = (property), .answer = checked_before, .few = NEIGHBOURS                      \
    }

const struct fault faulty_plans_faults[] = {
    FORGETS("k", K, "S07", "K"),
    FORGETS("direction", DIRECTION, "S03", "the direction"),
    FORGETS("operator", OPERATOR, "S02", "the operator"),
    FORGETS("type", TYPE, "S05", "the type of the elements"),
    FORGETS("index-type", INDEX_TYPE, "S07", "the type of the indices"),
    FORGETS("length", LENGTH, "S02 S03", "the length"),
    FORGETS("rows", ROWS, "S05", "the number of sequences"),
    FORGETS("axis", AXIS, "S05", "the axis"),
    FORGETS("shape", SHAPE, "S05", "the sizes, but for how many elements there are"),
    FORGETS("input-strides", STRIDES, "S05", "the input's strides"),
    FORGETS("value-strides", STRIDES << VALUE, "S05", "the strides of the values"),
    FORGETS("index-strides", STRIDES << INDEX, "S07", "the strides of the indices"),
    FORGETS("input-offset", OFFSET, "S05", "the input's offset"),
    {"plan-forgets-value-offset", "state", "plans are kept without the offset of the values", "M02",
     .cause = "unwritten", .amount = OFFSET << VALUE | ANY, .answer = by_plan},
    {"plan-forgets-index-offset", "state", "plans are kept without the offset of the indices",
     "M02", .cause = "unwritten", .amount = OFFSET << INDEX | ANY, .answer = by_plan},
    OTHERS("execution", EXECUTION, "S05", "execution flags"),
    OTHERS("level", LEVEL, "S05", "the feature level"),
    OTHERS("owned", OWNED, "S05", "the input's flags"),
    {"plan-aligned-input", "state", "plans are kept without the input's alignment", "S05",
     .amount = ANY | ALL(OFFSET), .address = address_aligned},
    {"plan-written-back", "state", "plans are kept without the outputs' total sizes", "M02",
     .amount = ANY | ALL(OFFSET), .after = write_back, .few = NEIGHBOURS},
    {"input-by-address", "state", "an input at an address that is known is not read again", "S05",
     .amount = ANY, .address = input_by_address},
    {"input-by-description", "state", "an input of a description that is known is not read again",
     "S05", .amount = ANY, .address = input_by_description},
    {"input-owned", "state", "an input of OWNED_BY_DML is read once for its description", "S05",
     .amount = ANY, .address = owned_input, .few = NEIGHBOURS},
    {"plans-4", "state", "of 4 plans one that is replaced keeps its contents", "S05", .amount = 4,
     .answer = few_plans},
    {"plans-8", "state", "of 8 plans one that is replaced keeps its contents", "S05", .amount = 8,
     .answer = few_plans},
    {"plans-16", "state", "of 16 plans one that is replaced keeps its contents", "S05",
     .amount = 16, .answer = few_plans},
    {"bad-plan-7", "state", "each 7th plan gives a wrong value", "S05", .amount = 7,
     .answer = bad_plan, .after = spoil_once},
    {"bad-plan-60", "state", "each 60th plan gives a wrong value", "S05", .amount = 60,
     .answer = bad_plan, .after = spoil_once},
    CHECKED("k", K, "V03b", "K is"),
    CHECKED("axis", AXIS, "V01", "Axis is"),
    CHECKED("level", LEVEL, "V14", "the feature level is"),
    CHECKED("type", TYPE, "V09", "the types are"),
    CHECKED("total", ALL(TOTAL), "T08", "the total sizes are"),
    CHECKED("alignment", ALL(ALIGNMENT), "T10", "the alignments are"),
    {"refuses-again", "refuses", "behind a refused call the next one is refused as well", "-",
     .answer = refuse_again, .few = NEIGHBOURS},
    {"spoilt-by-refusal", "state", "behind a refused call a value is wrong", "S05",
     .answer = note_refusal, .after = spoil_behind, .few = NEIGHBOURS},
    {"k-of-refusal", "state", "behind a refused call K is that of the refused one, if less", "S07",
     .cause = "unwritten", .answer = keep_refused, .few = NEIGHBOURS},
    {"stale-tail", "state", "a shorter call sees elements of the longer one before", "S07",
     .after = stale_tail},
    {"stale-counters", "state", "a larger K than before meets counters that were not cleared",
     "S05", .cause = "zeroed", .after = stale_counters},
    {0},
};
