/* The plugin: its options and contracts, and the calls that it computes sequence by sequence. */
#include "contracts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD    40
#define OPTIONS 1000

/* ---- which calls a family serves ------------------------------------------------------------- */

static bool serves_all(const struct topk_backend_call *call)
{
    (void)call;
    return true;
}

static bool axis_is_last(const struct topk_backend_call *call)
{
    return call->axis + 1 == call->input->dimension_count;
}

static bool largest(const struct topk_backend_call *call)
{
    return call->operator_type == TOPK_OPERATOR_TOP_K ||
           call->direction == TOPK_DIRECTION_DECREASING;
}

static bool serves_last(const struct topk_backend_call *call)
{
    const uint32_t type = call->input->data_type;
    return axis_is_last(call) && call->input->dimension_count <= 4 && largest(call) &&
           call->k <= 64 && (type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_INT32);
}

static bool serves_torch(const struct topk_backend_call *call)
{
    const uint32_t type = call->input->data_type;
    return type != TOPK_BACKEND_UINT64 && type != TOPK_BACKEND_UINT32 &&
           type != TOPK_BACKEND_UINT16;
}

static bool serves_argmin(const struct topk_backend_call *call)
{
    const uint32_t rank = call->input->dimension_count;
    return axis_is_last(call) && (rank == 2 || rank == 3) && !largest(call) && call->k == 1;
}

struct fault {
    const char *word;
    enum stage stage;
    const char *families;
    void (*spoil)(struct row *row);
};

static const struct fault faults[] = {
#define FAULT(word, stage, families, about) {#word, STAGE_##stage, families, fault_##word},
#include "contracts.def"
};

static const struct family families[] = {
#define FAMILY(word, pick, serves, nan, rules, plain, contract)                                    \
    {#word, pick, serves, nan, rules, contract},
#include "contracts.def"
};

struct contracts {
    const struct family *family;
    const struct fault *fault; /* NULL: it is correct */
    const char *declares;      /* NULL: nothing */
    uint64_t ends;             /* the call in which it crashes; UINT64_MAX: none */
    uint64_t calls;
    struct past past;
};

/* ---- a sequence ------------------------------------------------------------------------------ */

static void spoil(const struct contracts *self, struct row *row, enum stage stage)
{
    if (self->fault != NULL && self->fault->stage == stage) {
        self->fault->spoil(row);
    }
}

static void gather(struct row *row)
{
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint64_t step = plan->tensors[TOPK_CPU_INPUT].strides[plan->axis];
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] =
            contracts_load(row->at[TOPK_CPU_INPUT] + i * step, contracts_bytes(row->type));
    }
}

/* whether the value of output j is flushed */
static bool flushed(const struct row *row, uint32_t j)
{
    return (row->rules & RULE_FLUSH_VALUES) != 0 ||
           ((row->rules & RULE_FLUSH_BLOCKS) != 0 && j < row->k / 8 * 8);
}

static void store(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        const uint64_t bits = row->bits[row->order[j]];
        const bool zero = flushed(row, j) && contracts_denormal(row->type, bits);
        row->values[j] = zero ? bits & contracts_sign(row->type) : bits;
        row->indices[j] = row->order[j];
    }
}

static void scatter(const struct row *row)
{
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint64_t value_step = plan->tensors[TOPK_CPU_VALUE].strides[plan->axis];
    const uint64_t index_step = plan->tensors[TOPK_CPU_INDEX].strides[plan->axis];
    for (uint32_t j = 0; j < row->k; j++) {
        contracts_store(row->at[TOPK_CPU_VALUE] + j * value_step, contracts_bytes(row->type),
                        row->values[j]);
        contracts_store(row->at[TOPK_CPU_INDEX] + j * index_step,
                        plan->tensors[TOPK_CPU_INDEX].width, row->indices[j]);
    }
}

static void compute_row(const struct contracts *self, struct row *row)
{
    gather(row);
    contracts_read(row);
    spoil(self, row, STAGE_ARRANGED);
    row->family->pick(row);
    spoil(self, row, STAGE_PICKED);
    store(row);
    spoil(self, row, STAGE_STORED);
    scatter(row);
    spoil(self, row, STAGE_WRITTEN);
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* sets the starts of sequence `number` in each tensor */
static void place(struct row *row, uint64_t number)
{
    const struct topk_backend_call *const call = row->batch->call;
    const struct topk_backend_buffer *const buffers[TOPK_CPU_TENSORS] = {
        &call->input_buffer, &call->value_buffer, &call->index_buffer};
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    row->row = number;
    for (int t = 0; t < TOPK_CPU_TENSORS; t++) {
        row->at[t] = (unsigned char *)buffers[t]->data + buffers[t]->offset;
    }
    for (uint32_t d = plan->rank; d-- > 0;) {
        if (d != plan->axis) {
            const uint32_t size = plan->tensors[TOPK_CPU_INPUT].sizes[d];
            for (int t = 0; t < TOPK_CPU_TENSORS; t++) {
                row->at[t] += number % size * plan->tensors[t].strides[d];
            }
            number /= size;
        }
    }
}

static void remember(struct contracts *self, const struct batch *batch, const struct row *row)
{
    free(self->past.values);
    free(self->past.indices);
    self->past = (struct past){.values = batch->values,
                               .indices = batch->indices,
                               .rows = batch->rows,
                               .first = self->past.first,
                               .type = row->type,
                               .length = batch->plan.length,
                               .k = row->k,
                               .smallest = row->smallest};
}

static bool compute(struct contracts *self, struct batch *batch)
{
    const struct topk_cpu_plan *const plan = &batch->plan;
    const uint64_t length = plan->length;
    batch->rows = 1;
    for (uint32_t d = 0; d < plan->rank; d++) {
        batch->rows *= d == plan->axis ? 1 : plan->tensors[TOPK_CPU_INPUT].sizes[d];
    }
    batch->values = calloc(batch->rows * plan->k, sizeof *batch->values);
    batch->indices = calloc(batch->rows * plan->k, sizeof *batch->indices);
    struct row row = {.family = self->family,
                      .batch = batch,
                      .past = &self->past,
                      .type = batch->call->input->data_type,
                      .k = plan->k,
                      .bits = calloc(length, sizeof *row.bits),
                      .codes = calloc(length, sizeof *row.codes),
                      .numbers = calloc(length, sizeof *row.numbers),
                      .order = calloc(length, sizeof *row.order),
                      .scratch = calloc(length, sizeof *row.scratch)};
    const bool room = batch->values != NULL && batch->indices != NULL && row.bits != NULL &&
                      row.codes != NULL && row.numbers != NULL && row.order != NULL &&
                      row.scratch != NULL;
    uint64_t first = 0;
    for (uint64_t i = 0; room && i < batch->rows; i++) {
        place(&row, i);
        row.length = plan->length;
        row.smallest = !largest(batch->call);
        row.rules = self->family->rules;
        row.values = batch->values + i * plan->k;
        row.indices = batch->indices + i * plan->k;
        compute_row(self, &row);
        first = i == 0 ? row.bits[0] : first;
    }
    if (room) {
        remember(self, batch, &row);
        self->past.first = first;
    } else {
        free(batch->values);
        free(batch->indices);
    }
    free(row.bits);
    free(row.codes);
    free(row.numbers);
    free(row.order);
    free(row.scratch);
    return room;
}

static void run_call(struct contracts *self, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer)
{
    struct batch batch = {.call = call, .calls = self->calls};
    if (self->calls == self->ends) {
        abort();
    }
    answer->status = TOPK_BACKEND_DONE;
    if (!topk_cpu_validate(call, &batch.plan, answer)) {
        if ((self->family->rules & RULE_OWN) != 0 && call->create_only) {
            *answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
        }
    } else if (!self->family->serves(call)) {
        answer->status = TOPK_BACKEND_REFUSED;
        snprintf(answer->reason, sizeof answer->reason, "%s does not compute this",
                 self->family->word);
    } else if (!call->create_only) {
        if (!compute(self, &batch)) {
            answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        }
        self->calls++;
    }
}

/* ---- the plugin ------------------------------------------------------------------------------ */

/* whether a fault belongs to a family */
static bool has(const struct fault *fault, const char *family)
{
    const size_t length = strlen(family);
    for (const char *at = fault->families; (at = strstr(at, family)) != NULL; at += length) {
        if ((at == fault->families || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) {
            return true;
        }
    }
    return false;
}

static const struct fault *find_fault(const char *word, const char *family)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strcmp(faults[i].word, word) == 0 && has(&faults[i], family)) {
            return &faults[i];
        }
    }
    return NULL;
}

/* If the file does not exist, creates it, and this process must crash; the next process finds it
 * and declares something else. */
static void turn(struct contracts *self, const char *file)
{
    FILE *found = fopen(file, "rb");
    if (found != NULL) {
        self->declares = "ties=highest";
    } else {
        found = fopen(file, "wb");
        self->ends = 2;
    }
    if (found != NULL) {
        fclose(found);
    }
}

static bool take_options(struct contracts *self, const char *options)
{
    static const char declares[] = "contract=";
    static const char turns[] = "turns=";
    char family[WORD] = "";
    const char *comma = strchr(options, ',');
    const size_t length = comma == NULL ? strlen(options) : (size_t)(comma - options);
    if (length >= sizeof family) {
        return false;
    }
    memcpy(family, options, length);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(families[i].word, family) == 0) {
            self->family = &families[i];
        }
    }
    if (self->family == NULL) {
        return false;
    }
    self->declares = self->family->contract;
    if (comma == NULL) {
        return true;
    }
    if (strcmp(comma + 1, "plain") == 0) {
        self->declares = NULL;
        return true;
    }
    if (strncmp(comma + 1, declares, strlen(declares)) == 0) {
        self->declares = comma + 1 + strlen(declares);
        return true;
    }
    if (strncmp(comma + 1, turns, strlen(turns)) == 0) {
        turn(self, comma + 1 + strlen(turns));
        return true;
    }
    self->fault = find_fault(comma + 1, family);
    return self->fault != NULL;
}

static void *open_contracts(const char *options, char *error, size_t error_bytes)
{
    static struct contracts self;
    static char kept[OPTIONS]; /* the text may become the declaration */
    self = (struct contracts){.ends = UINT64_MAX};
    snprintf(kept, sizeof kept, "%s", options);
    if (strlen(options) >= sizeof kept || !take_options(&self, kept)) {
        snprintf(error, error_bytes, "contracts.def has no row for '%s'", options);
        return NULL;
    }
    return &self;
}

static void describe(void *opened, struct topk_backend_info *info)
{
    const struct contracts *self = opened;
    info->name = "contracts";
    info->version = self->family->word;
    info->device = "host processor";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_SOFTWARE;
    info->batch = 16;
}

static void run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_call(opened, &calls[i], &answers[i]);
    }
}

static void close_contracts(void *opened)
{
    struct contracts *self = opened;
    free(self->past.values);
    free(self->past.indices);
}

static const char *contract(void *opened)
{
    const struct contracts *self = opened;
    return self->declares;
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend backend = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof backend,
        .name = "contracts",
        .summary = "computes by rules that are not DirectML's",
        .open = open_contracts,
        .describe = describe,
        .run = run,
        .close = close_contracts,
        .contract = contract,
    };
    return &backend;
}
