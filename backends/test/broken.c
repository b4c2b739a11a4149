/* A plugin that is wrong on purpose: `broken.so:FAULT`. Each fault is a row of the table at the end
 * and, mostly, a few lines that spoil one step of an implementation that is right.
 *
 * `none` spoils nothing. Faults of the group "allowed" do what the clauses leave open: they have to
 * pass. Those of the group "process" spoil the process rather than a result; they strike at calls
 * whose K is 3, so that a test can say which case is to blame.
 *
 * Descriptions are checked by backends/cpu.c, which is linked in. */
#include "topk_backend.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

extern const struct topk_backend topk_backend_cpu;

#define RANK 16u

enum role {
    INPUT,
    VALUE,
    INDEX,
    ROLES
};

/* a tensor as it is addressed */
struct tensor {
    unsigned char *start;
    uint32_t bytes;         /* of an element */
    uint64_t strides[RANK]; /* elements */
    uint64_t at;            /* where the sequence starts, in elements */
    uint64_t room;          /* bytes from start to the end of the buffer: faults stay within it */
};

struct entry {
    uint64_t key; /* the least is the first selected */
    uint64_t bits;
    uint64_t index;
};

/* a sequence on its way */
struct row {
    const struct topk_backend_call *call;
    struct tensor *tensors;
    uint64_t number;
    uint32_t type;
    uint32_t bytes;
    uint32_t length;
    uint32_t k;
    uint64_t flip; /* what keys are xored with for the direction */
    struct entry *entries;
};

struct broken;

struct fault {
    const char *name;
    const char *group; /* "", "allowed", "process" */
    uint32_t batch;    /* calls that it wants at once; 0: 4 */
    /* each may be NULL; in the order in which they are called */
    bool (*answer)(struct broken *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer); /* false: nothing is to be computed */
    void (*address)(const struct topk_backend_call *call, struct tensor tensors[ROLES]);
    void (*key)(struct row *row);
    void (*select)(struct row *row);
    void (*write)(struct row *row);
    void (*after)(struct broken *self, const struct topk_backend_call *call,
                  const struct tensor tensors[ROLES]);
};

struct broken {
    const struct fault *fault;
    void *cpu;
    uint64_t calls;
    unsigned char *stale; /* what the last call left in its value output */
    size_t stale_bytes;
};

/* ---- types --------------------------------------------------------------------------------------
 */

static uint32_t type_bytes(uint32_t type)
{
    static const unsigned char bytes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

static bool type_float(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16;
}

static bool type_signed(uint32_t type)
{
    return type == TOPK_BACKEND_INT64 || type == TOPK_BACKEND_INT32 || type == TOPK_BACKEND_INT16 ||
           type == TOPK_BACKEND_INT8;
}

static uint64_t sign_of(uint32_t type)
{
    return UINT64_C(0x80) << 8 * (type_bytes(type) - 1) % 64;
}

static uint64_t infinity_of(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 ? 0x7f800000 : 0x7c00;
}

static bool is_nan(uint32_t type, uint64_t bits)
{
    return type_float(type) && (bits & ~sign_of(type)) > infinity_of(type);
}

static bool is_denormal(uint32_t type, uint64_t bits)
{
    return type_float(type) && (bits & infinity_of(type)) == 0 && (bits & ~sign_of(type)) != 0;
}

/* ascends with the value; both zeros are one, NaN is the greatest */
static uint64_t key_of(uint32_t type, uint64_t bits)
{
    uint64_t sign = sign_of(type);
    if (is_nan(type, bits)) {
        return UINT64_C(1) << 40;
    }
    if (type_float(type)) {
        return bits & sign ? sign - (bits & ~sign) : sign + bits;
    }
    return type_signed(type) ? bits ^ sign : bits;
}

static uint64_t load(const struct tensor *tensor, uint64_t element)
{
    uint64_t at = element * tensor->bytes;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < tensor->bytes && at + i < tensor->room; i++) {
        bits |= (uint64_t)tensor->start[at + i] << (8 * i);
    }
    return bits;
}

static void store(const struct tensor *tensor, uint64_t element, uint64_t bits, uint32_t bytes)
{
    uint64_t at = element * tensor->bytes;
    for (uint32_t i = 0; i < bytes && at + i < tensor->room; i++) {
        tensor->start[at + i] = (unsigned char)(bits >> (8 * i));
    }
}

/* ---- the right implementation ------------------------------------------------------------------
 */

static void packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK])
{
    uint64_t stride = 1;
    for (uint32_t d = desc->dimension_count; d-- > 0;) {
        strides[d] = stride;
        stride *= desc->sizes[d];
    }
}

static void address(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    const struct topk_backend_tensor *descs[] = {call->input, call->value, call->index};
    const struct topk_backend_buffer *buffers[] = {&call->input_buffer, &call->value_buffer,
                                                   &call->index_buffer};
    for (int role = 0; role < ROLES; role++) {
        struct tensor *tensor = &tensors[role];
        tensor->start = (unsigned char *)buffers[role]->data + buffers[role]->offset;
        tensor->room = buffers[role]->bytes - buffers[role]->offset;
        tensor->bytes = type_bytes(descs[role]->data_type);
        tensor->at = 0;
        packed_strides(descs[role], tensor->strides);
        for (uint32_t d = 0; descs[role]->strides != NULL && d < descs[role]->dimension_count;
             d++) {
            tensor->strides[d] = descs[role]->strides[d];
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static void write_row(struct row *row)
{
    uint32_t axis = row->call->axis;
    for (uint32_t j = 0; j < row->k; j++) {
        const struct tensor *value = &row->tensors[VALUE];
        const struct tensor *index = &row->tensors[INDEX];
        store(value, value->at + j * value->strides[axis], row->entries[j].bits, value->bytes);
        store(index, index->at + j * index->strides[axis], row->entries[j].index, index->bytes);
    }
}

static void run_row(const struct fault *fault, struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    for (uint32_t i = 0; i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        entry->bits = load(input, input->at + i * input->strides[row->call->axis]);
        entry->key = key_of(row->type, entry->bits) ^ row->flip;
        entry->index = i;
    }
    if (fault->key != NULL) {
        fault->key(row);
    }
    qsort(row->entries, row->length, sizeof row->entries[0], by_key);
    if (fault->select != NULL) {
        fault->select(row);
    }
    if (fault->write != NULL) {
        fault->write(row);
    } else {
        write_row(row);
    }
}

static bool next_sequence(const struct topk_backend_call *call, uint32_t at[RANK],
                          struct tensor tensors[ROLES])
{
    for (uint32_t d = call->input->dimension_count; d-- > 0;) {
        if (d == call->axis) {
            continue;
        }
        bool carry = ++at[d] == call->input->sizes[d];
        for (int role = 0; role < ROLES; role++) {
            tensors[role].at += tensors[role].strides[d];
            if (carry) {
                tensors[role].at -= tensors[role].strides[d] * call->input->sizes[d];
            }
        }
        if (!carry) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

static void compute(struct broken *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    struct tensor tensors[ROLES];
    struct row row = {.call = call,
                      .tensors = tensors,
                      .type = call->input->data_type,
                      .bytes = type_bytes(call->input->data_type),
                      .length = call->input->sizes[call->axis],
                      .k = call->k};
    bool smallest =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    row.flip = smallest ? 0 : UINT64_MAX;
    row.entries = malloc(row.length * sizeof *row.entries);
    if (row.entries == NULL) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        return;
    }
    address(call, tensors);
    if (self->fault->address != NULL) {
        self->fault->address(call, tensors);
    }
    uint32_t at[RANK] = {0};
    do {
        run_row(self->fault, &row);
        row.number++;
    } while (next_sequence(call, at, tensors));
    free(row.entries);
    if (self->fault->after != NULL) {
        self->fault->after(self, call, tensors);
    }
}

/* ---- answers ------------------------------------------------------------------------------------
 */

static bool refuse(struct topk_backend_answer *answer, const char *why)
{
    answer->status = TOPK_BACKEND_REFUSED;
    snprintf(answer->reason, sizeof answer->reason, "%s", why);
    return false;
}

static bool refuses_valid(struct broken *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    return answer->status != TOPK_BACKEND_DONE || call->input->dimension_count != 8 ||
           refuse(answer, "8 dimensions are too many");
}

/* what it cannot compute it claims to have created */
static bool accepts_all(struct broken *self, const struct topk_backend_call *call,
                        struct topk_backend_answer *answer)
{
    (void)self;
    (void)call;
    bool done = answer->status == TOPK_BACKEND_DONE;
    answer->status = TOPK_BACKEND_DONE;
    return done;
}

static bool accepts_k_zero(struct broken *self, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    return call->k == 0 ? accepts_all(self, call, answer) : true;
}

static bool refuses_whole(struct broken *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    return answer->status != TOPK_BACKEND_DONE || call->k < call->input->sizes[call->axis] ||
           refuse(answer, "K is not less than Sizes[Axis]");
}

static bool refuses_low_alignment(struct broken *self, const struct topk_backend_call *call,
                                  struct topk_backend_answer *answer)
{
    (void)self;
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    for (int role = 0; role < ROLES && answer->status == TOPK_BACKEND_DONE; role++) {
        uint32_t alignment = tensors[role]->guaranteed_base_offset_alignment;
        if (alignment > 0 && alignment < 16) {
            return refuse(answer, "alignment below 16");
        }
    }
    return true;
}

static bool fails(struct broken *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    if (call->k == 3 && answer->status == TOPK_BACKEND_DONE) {
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason, "it went wrong");
    }
    return answer->status == TOPK_BACKEND_DONE;
}

static bool loses_device(struct broken *self, const struct topk_backend_call *call,
                         struct topk_backend_answer *answer)
{
    if (!fails(self, call, answer) && answer->status == TOPK_BACKEND_FAILED) {
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        return false;
    }
    return true;
}

static bool raises(int signal_number, const struct topk_backend_call *call)
{
    if (call->k == 3) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    return true;
}

static bool crashes(struct broken *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    return raises(SIGSEGV, call);
}

static bool aborts(struct broken *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    return raises(SIGABRT, call);
}

static bool exits(struct broken *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    if (call->k == 3) {
        _Exit(0);
    }
    return true;
}

static bool hangs(struct broken *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    while (call->k == 3) {
        thrd_sleep(&(struct timespec){.tv_sec = 3600}, NULL);
    }
    return true;
}

static bool prints(struct broken *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer)
{
    (void)answer;
    printf("call %lu has K = %lu\n", (unsigned long)self->calls, (unsigned long)call->k);
    return true;
}

/* what looks like the protocol, and what does not */
static bool prints_garbage(struct broken *self, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    static const char garbage[] = "begin 0 1\ndone 0 pass clause=- obs=0 ns=1\n\0\377\n\nerror x\n";
    (void)self;
    (void)call;
    (void)answer;
    fwrite(garbage, 1, sizeof garbage - 1, stdout);
    fflush(stdout);
    return true;
}

/* ---- addresses ----------------------------------------------------------------------------------
 */

static void packed_read(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    packed_strides(call->input, tensors[INPUT].strides);
}

static void packed_write(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    packed_strides(call->value, tensors[VALUE].strides);
    packed_strides(call->index, tensors[INDEX].strides);
}

static void offset_ignored(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    tensors[VALUE].start = call->value_buffer.data;
    tensors[INDEX].start = call->index_buffer.data;
}

static void offset_rounded(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    tensors[INPUT].start -= call->input_buffer.offset % 64;
}

/* a stride of 0 taken as "none given" */
static void broadcast_ignored(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        if (tensors[INPUT].strides[d] == 0 && call->input->sizes[d] > 1) {
            tensors[INPUT].strides[d] = 1;
        }
    }
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static void reverse_ties(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].index = ~row->entries[i].index;
    }
    qsort(row->entries, row->length, sizeof row->entries[0], by_key);
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].index = ~row->entries[i].index;
    }
}

static void minus_zero_first(struct row *row)
{
    for (uint32_t i = 0; type_float(row->type) && i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        uint64_t positive = (entry->bits & sign_of(row->type)) == 0;
        entry->key = ((entry->key ^ row->flip) * 2 + positive) ^ row->flip;
    }
}

static void wrong_direction(struct row *row)
{
    for (uint32_t i = 0; row->call->operator_type == TOPK_OPERATOR_TOP_K1 && i < row->length; i++) {
        row->entries[i].key = ~row->entries[i].key;
    }
}

static void always_smallest(struct row *row)
{
    for (uint32_t i = 0; row->call->operator_type == TOPK_OPERATOR_TOP_K && i < row->length; i++) {
        row->entries[i].key = ~row->entries[i].key;
    }
}

static void flush(struct row *row, uint32_t type)
{
    for (uint32_t i = 0; row->type == type && i < row->length; i++) {
        if (is_denormal(type, row->entries[i].bits)) {
            row->entries[i].key = key_of(type, 0) ^ row->flip;
        }
    }
}

static void flush_f16(struct row *row)
{
    flush(row, TOPK_BACKEND_FLOAT16);
}

static void flush_f32(struct row *row)
{
    flush(row, TOPK_BACKEND_FLOAT32);
}

/* without metacommands denormals are zeros, with them they are not */
static void flush_by_flag(struct row *row)
{
    if (row->call->execution_flags & TOPK_EXECUTION_DISABLE_METACOMMANDS) {
        flush_f32(row);
    }
}

static void flush_f32_bits(struct row *row)
{
    for (uint32_t i = 0; row->type == TOPK_BACKEND_FLOAT32 && i < row->length; i++) {
        if (is_denormal(row->type, row->entries[i].bits)) {
            row->entries[i].bits &= sign_of(row->type);
        }
    }
}

static void as_double(struct row *row)
{
    for (uint32_t i = 0; row->bytes == 8 && i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        double number = (double)(entry->key ^ row->flip);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        entry->key = bits ^ row->flip;
    }
}

static void low_half(struct row *row)
{
    for (uint32_t i = 0; row->bytes == 8 && i < row->length; i++) {
        row->entries[i].key = (row->entries[i].bits & UINT32_MAX) ^ row->flip;
    }
}

static void high_half(struct row *row)
{
    for (uint32_t i = 0; row->bytes == 8 && i < row->length; i++) {
        row->entries[i].key = ((row->entries[i].key ^ row->flip) >> 32) ^ row->flip;
    }
}

static void as_signed(struct row *row)
{
    bool is_unsigned = !type_float(row->type) && !type_signed(row->type);
    for (uint32_t i = 0; is_unsigned && i < row->length; i++) {
        row->entries[i].key = (row->entries[i].bits ^ sign_of(row->type)) ^ row->flip;
    }
}

static void finite_only(struct row *row)
{
    for (uint32_t i = 0; type_float(row->type) && i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        if ((entry->bits & ~sign_of(row->type)) == infinity_of(row->type)) {
            entry->key = key_of(row->type, entry->bits - 1) ^ row->flip;
        }
    }
}

/* FLOAT32 cut to the bits that FLOAT16 has: close enough to rounding for values that collide */
static void half_precision(struct row *row)
{
    for (uint32_t i = 0; row->type == TOPK_BACKEND_FLOAT32 && i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        if (!is_nan(row->type, entry->bits)) {
            entry->key = key_of(row->type, entry->bits & 0xffffe000u) ^ row->flip;
        }
    }
}

static void nan_least(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        if (is_nan(row->type, row->entries[i].bits)) {
            row->entries[i].key = row->flip; /* below all */
        }
    }
}

/* where a NaN goes depends on what the output held */
static void nan_by_output(struct row *row)
{
    if (load(&row->tensors[VALUE], row->tensors[VALUE].at) & 1) {
        nan_least(row);
    }
}

/* ---- selections ---------------------------------------------------------------------------------
 */

/* of equal values across the boundary those with the highest indices */
static void boundary_high(struct row *row)
{
    uint32_t from = row->k - 1;
    uint32_t to = row->k;
    uint64_t key = row->entries[from].key;
    while (from > 0 && row->entries[from - 1].key == key) {
        from--;
    }
    while (to < row->length && row->entries[to].key == key) {
        to++;
    }
    memmove(&row->entries[from], &row->entries[to - (row->k - from)],
            (row->k - from) * sizeof row->entries[0]);
}

static void flat_index(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index = input->at + row->entries[j].index * input->strides[row->call->axis];
    }
}

static void scaled_index(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index *= row->tensors[INPUT].strides[row->call->axis];
    }
}

static void one_based(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index++;
    }
}

static void unsorted(struct row *row)
{
    for (uint32_t j = 0; j < row->k / 2; j++) {
        struct entry swap = row->entries[j];
        row->entries[j] = row->entries[row->k - 1 - j];
        row->entries[row->k - 1 - j] = swap;
    }
}

static void duplicate(struct row *row)
{
    if (row->k > 1) {
        row->entries[row->k - 1] = row->entries[row->k - 2];
    }
}

/* one more than the best: what a heap of K-1 leaves */
static void skips_one(struct row *row)
{
    if (row->k < row->length) {
        row->entries[row->k - 1] = row->entries[row->k];
    }
}

static void wrong_value(struct row *row)
{
    for (uint32_t j = 0; j + 1 < row->k; j++) {
        row->entries[j].bits = row->entries[j + 1].bits;
    }
}

static void batch_dependence(struct row *row)
{
    if (row->number % 2) {
        reverse_ties(row);
    }
}

static void second_flag(struct row *row)
{
    if (row->call->execution_flags & TOPK_EXECUTION_DESCRIPTORS_VOLATILE) {
        reverse_ties(row);
    }
}

static void top_k_only(struct row *row)
{
    if (row->call->operator_type == TOPK_OPERATOR_TOP_K) {
        reverse_ties(row);
    }
}

static void alignment_dependence(struct row *row)
{
    if (row->call->input->guaranteed_base_offset_alignment >= 256) {
        reverse_ties(row);
    }
}

/* where K is even another algorithm runs */
static void k_dependence(struct row *row)
{
    if (row->k % 2 == 0) {
        reverse_ties(row);
    }
}

/* the bytes behind the logical elements decide */
static void padding_dependence(struct row *row)
{
    const struct topk_backend_buffer *buffer = &row->call->input_buffer;
    const unsigned char *behind =
        (const unsigned char *)buffer->data + buffer->offset + row->call->input->total_bytes - 1;
    if (row->call->input->strides != NULL && *behind & 1) {
        reverse_ties(row);
    }
}

/* the element behind the sequence takes part */
static void reads_beyond(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    uint64_t bits = load(input, input->at + row->length * input->strides[row->call->axis]);
    if ((key_of(row->type, bits) ^ row->flip) < row->entries[0].key) {
        row->entries[0].bits = bits;
    }
}

/* a NaN is carried over into the next sequence */
static void nan_poisons(struct row *row)
{
    static bool poisoned;
    if (row->number > 0 && poisoned) {
        unsorted(row);
    }
    poisoned = false;
    for (uint32_t i = 0; i < row->length; i++) {
        poisoned = poisoned || is_nan(row->type, row->entries[i].bits);
    }
}

/* blocks of 64 are merged without looking at the index */
static void blocks(struct row *row)
{
    if (row->length > 64) {
        boundary_high(row);
    }
}

/* ---- writes -------------------------------------------------------------------------------------
 */

static void writes_nothing(struct row *row)
{
    (void)row;
}

static void low_dword(struct row *row)
{
    uint32_t axis = row->call->axis;
    for (uint32_t j = 0; j < row->k; j++) {
        const struct tensor *value = &row->tensors[VALUE];
        const struct tensor *index = &row->tensors[INDEX];
        store(value, value->at + j * value->strides[axis], row->entries[j].bits, value->bytes);
        store(index, index->at + j * index->strides[axis], row->entries[j].index, 4);
    }
}

/* adds to what is there */
static void adds(struct row *row)
{
    uint64_t old = load(&row->tensors[VALUE], row->tensors[VALUE].at);
    row->entries[0].bits ^= old & 1;
    write_row(row);
}

/* ---- afterwards ---------------------------------------------------------------------------------
 */

static void writes_past_end(struct broken *self, const struct topk_backend_call *call,
                            const struct tensor tensors[ROLES])
{
    (void)self;
    memset(tensors[VALUE].start + call->value->total_bytes, 0, 4);
}

static void writes_before_start(struct broken *self, const struct topk_backend_call *call,
                                const struct tensor tensors[ROLES])
{
    (void)self;
    (void)call;
    memset(tensors[INDEX].start - 4, 0, 4);
}

static void writes_input(struct broken *self, const struct topk_backend_call *call,
                         const struct tensor tensors[ROLES])
{
    (void)self;
    (void)call;
    tensors[INPUT].start[0] ^= 1;
}

/* clears what is left of the value output's total size */
static void writes_padding(struct broken *self, const struct topk_backend_call *call,
                           const struct tensor tensors[ROLES])
{
    (void)self;
    uint64_t used = tensors[VALUE].bytes;
    for (uint32_t d = 0; d < call->value->dimension_count; d++) {
        used += (call->value->sizes[d] - 1) * tensors[VALUE].strides[d] * tensors[VALUE].bytes;
    }
    memset(tensors[VALUE].start + used, 0, (size_t)(call->value->total_bytes - used));
}

/* every second call gives what the one before gave */
static void stale(struct broken *self, const struct topk_backend_call *call,
                  const struct tensor tensors[ROLES])
{
    size_t bytes = (size_t)call->value->total_bytes;
    if (self->calls % 2) {
        memcpy(tensors[VALUE].start, self->stale,
               bytes < self->stale_bytes ? bytes : self->stale_bytes);
        return;
    }
    free(self->stale);
    self->stale = malloc(bytes);
    self->stale_bytes = self->stale == NULL ? 0 : bytes;
    if (self->stale != NULL) {
        memcpy(self->stale, tensors[VALUE].start, bytes);
    }
}

/* ---- the table ----------------------------------------------------------------------------------
 */

static const struct fault faults[] = {
    {.name = "none", .group = "allowed"},
    /* what the clauses leave open */
    {.name = "denormal-f32-order", .group = "allowed", .key = flush_f32},
    {.name = "nan-least", .group = "allowed", .key = nan_least},
    {.name = "padding-written", .group = "allowed", .after = writes_padding},
    {.name = "refuses-k-equal-size", .group = "allowed", .answer = refuses_whole},
    {.name = "refuses-low-alignment", .group = "allowed", .answer = refuses_low_alignment},
    {.name = "batch-huge", .group = "allowed", .batch = UINT32_MAX},
    /* semantics */
    {.name = "ties-descending", .group = "", .select = reverse_ties},
    {.name = "boundary-tie-high", .group = "", .select = boundary_high},
    {.name = "block-tie-high", .group = "", .select = blocks},
    {.name = "minus-zero-first", .group = "", .key = minus_zero_first},
    {.name = "flat-index", .group = "", .select = flat_index},
    {.name = "index-scaled-by-stride", .group = "", .select = scaled_index},
    {.name = "index-one-based", .group = "", .select = one_based},
    {.name = "wrong-direction", .group = "", .key = wrong_direction},
    {.name = "top-k-smallest", .group = "", .key = always_smallest},
    {.name = "ignores-k-order", .group = "", .select = unsorted},
    {.name = "duplicate-index", .group = "", .select = duplicate},
    {.name = "skips-one", .group = "", .select = skips_one},
    {.name = "wrong-value-row", .group = "", .select = wrong_value},
    {.name = "batch-row-dependence", .group = "", .select = batch_dependence},
    {.name = "flags-change-result", .group = "", .select = second_flag},
    {.name = "flags-flush-denormals", .group = "", .key = flush_by_flag},
    {.name = "twin-differs", .group = "", .select = top_k_only},
    {.name = "k-dependence", .group = "", .select = k_dependence},
    {.name = "alignment-dependence", .group = "", .select = alignment_dependence},
    /* types and floats */
    {.name = "nan-poisons-next-row", .group = "", .select = nan_poisons},
    {.name = "nan-depends-on-output", .group = "", .key = nan_by_output},
    {.name = "infinity-as-greatest-finite", .group = "", .key = finite_only},
    {.name = "denormal-f16-flush", .group = "", .key = flush_f16},
    {.name = "denormal-f32-flush-bits", .group = "", .key = flush_f32_bits},
    {.name = "f32-as-f16", .group = "", .key = half_precision},
    {.name = "i64-as-double", .group = "", .key = as_double},
    {.name = "i64-low-dword", .group = "", .key = low_half},
    {.name = "i64-high-dword", .group = "", .key = high_half},
    {.name = "u-as-signed", .group = "", .key = as_signed},
    /* memory */
    {.name = "packed-write", .group = "", .address = packed_write},
    {.name = "packed-read", .group = "", .address = packed_read},
    {.name = "broadcast-ignored", .group = "", .address = broadcast_ignored},
    {.name = "offset-ignored", .group = "", .address = offset_ignored},
    {.name = "offset-rounded", .group = "", .address = offset_rounded},
    {.name = "upper-dword-unwritten", .group = "", .write = low_dword},
    {.name = "writes-past-end", .group = "", .after = writes_past_end},
    {.name = "writes-before-start", .group = "", .after = writes_before_start},
    {.name = "writes-input", .group = "", .after = writes_input},
    {.name = "no-write", .group = "", .write = writes_nothing},
    {.name = "stale-second-call", .group = "", .after = stale},
    {.name = "depends-on-output", .group = "", .write = adds},
    {.name = "padding-read", .group = "", .select = reads_beyond},
    {.name = "padding-dependence", .group = "", .select = padding_dependence},
    /* answers */
    {.name = "refuses-valid", .group = "", .answer = refuses_valid},
    {.name = "accepts-all-invalid", .group = "", .answer = accepts_all},
    {.name = "accepts-k-zero", .group = "", .answer = accepts_k_zero},
    {.name = "fails", .group = "", .answer = fails},
    {.name = "device-lost", .group = "", .answer = loses_device},
    /* the process */
    {.name = "crash", .group = "process", .answer = crashes},
    {.name = "abort", .group = "process", .answer = aborts},
    {.name = "exit0", .group = "process", .answer = exits},
    {.name = "hang", .group = "process", .answer = hangs},
    {.name = "prints-to-stdout", .group = "process", .answer = prints},
    {.name = "garbage-on-stdout", .group = "process", .answer = prints_garbage},
};
#define FAULTS (sizeof faults / sizeof faults[0])

/* ---- the interface ------------------------------------------------------------------------------
 */

static void list_faults(char *text, size_t size, const char *options)
{
    size_t length = (size_t)snprintf(text, size, "no fault '%s'; faults:", options);
    for (size_t i = 0; i < FAULTS && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, " %s", faults[i].name);
    }
}

static void *broken_open(const char *options, char *error, size_t error_bytes)
{
    for (size_t i = 0; i < FAULTS; i++) {
        if (strcmp(faults[i].name, options) == 0) {
            struct broken *self = calloc(1, sizeof *self);
            if (self != NULL) {
                self->fault = &faults[i];
                self->cpu = topk_backend_cpu.open("", error, error_bytes);
            }
            return self;
        }
    }
    list_faults(error, error_bytes, options);
    return NULL;
}

static void broken_describe(void *opened, struct topk_backend_info *info)
{
    struct broken *self = opened;
    info->name = "broken";
    info->version = self->fault->name;
    info->device = self->fault->group;
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_STRICT_LEVEL | TOPK_BACKEND_SOFTWARE;
    info->batch = self->fault->batch == 0 ? 4 : self->fault->batch;
}

static void run_one(struct broken *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    struct topk_backend_call description = *call;
    description.create_only = 1;
    topk_backend_cpu.run(self->cpu, &description, 1, answer);
    bool go = self->fault->answer == NULL || self->fault->answer(self, call, answer);
    if (go && answer->status == TOPK_BACKEND_DONE && call->create_only == 0) {
        compute(self, call, answer);
        self->calls++;
    }
}

static void broken_run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                       struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_one(opened, &calls[i], &answers[i]);
    }
}

static void broken_close(void *opened)
{
    struct broken *self = opened;
    topk_backend_cpu.close(self->cpu);
    free(self->stale);
    free(self);
}

static const struct topk_backend broken = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "broken",
    .summary = "wrong on purpose, to prove that it is noticed",
    .open = broken_open,
    .describe = broken_describe,
    .run = broken_run,
    .close = broken_close,
};

const struct topk_backend *topk_backend_entry(void)
{
    return &broken;
}
