/* See work.h. */

#include "work.h"

#include <string.h>

#include "limit.h"

/* keeps the compiler from leaving out sums */
static volatile uint64_t sink;

void topk_shape_make(struct shape *shape, const struct topk_bench_row *row)
{
    struct topk_operator *op = &shape->op;
    *shape =
        (struct shape){.width = topk_type_bytes(row->type), .elements = row->sequences * row->n};
    op->kind = TOPK_TOP_K;
    op->level = TOPK_LEVEL_5_0;
    op->direction = TOPK_DECREASING;
    op->axis = 1;
    op->k = row->k;
    op->tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true,
        .strided = row->stride > 1,
        .type = row->type,
        .rank = 2,
        .sizes = {(uint32_t)row->sequences, row->n},
        .strides = {row->n * row->stride, row->stride},
    };
    op->tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op->tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(op, TOPK_TYPE_U64);
    shape->input_bytes = op->tensors[TOPK_INPUT].total_bytes;
    shape->value_bytes = op->tensors[TOPK_VALUE].total_bytes;
    shape->index_at = topk_bench_align(shape->value_bytes);
    shape->output_bytes = shape->index_at + op->tensors[TOPK_INDEX].total_bytes;
}

/* ---- the limits ------------------------------------------------------------------------------ */

static uint64_t read_input(const struct work *work, uint64_t number)
{
    const struct topk_tensor *input = &work->shape->op.tensors[TOPK_INPUT];
    const unsigned char *from = topk_pool_at(&work->memory->inputs, number);
    return input->strided ? topk_limit_strided(from, work->shape->elements, work->shape->width,
                                               input->strides[1])
                          : topk_limit_sum(from, work->shape->input_bytes);
}

bool topk_work_read(void *self, uint64_t number)
{
    const struct work *work = self;
    sink = read_input(work, number) +
           topk_limit_sum(topk_pool_at(&work->memory->outputs, number), work->shape->output_bytes);
    return true;
}

bool topk_work_read_write(void *self, uint64_t number)
{
    const struct work *work = self;
    sink = read_input(work, number);
    memset(topk_pool_at(&work->memory->outputs, number), (int)(sink & 0x7f),
           (size_t)work->shape->output_bytes);
    return true;
}

/* ---- the judge ------------------------------------------------------------------------------- */

static void show(const struct work *work, uint64_t number,
                 struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    const struct shape *shape = work->shape;
    unsigned char *input = topk_pool_at(&work->memory->inputs, number);
    const unsigned char *value = topk_pool_at(&work->memory->outputs, number);
    exhibits[TOPK_INPUT] =
        (struct topk_exhibit){.before = input, .after = input, .bytes = shape->input_bytes};
    exhibits[TOPK_VALUE] = (struct topk_exhibit){.after = value, .bytes = shape->value_bytes};
    exhibits[TOPK_INDEX] = (struct topk_exhibit){.after = value + shape->index_at,
                                                 .bytes = shape->output_bytes - shape->index_at};
}

bool topk_work_judge(void *self, uint64_t number)
{
    const struct work *work = self;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    struct topk_judgement judgement;
    show(work, number, exhibits);
    topk_judge_result(&work->shape->op, exhibits, &judgement);
    return judgement.count == 0 && !judgement.no_memory;
}

/* ---- a backend ------------------------------------------------------------------------------- */

static struct topk_backend_tensor tensor_of(const struct topk_tensor *tensor)
{
    return (struct topk_backend_tensor){.data_type = tensor->type,
                                        .dimension_count = tensor->rank,
                                        .sizes = tensor->sizes,
                                        .strides = tensor->strided ? tensor->strides : NULL,
                                        .total_bytes = tensor->total_bytes};
}

bool topk_work_run(void *self, uint64_t number)
{
    struct work *work = self;
    const struct topk_operator *op = &work->shape->op;
    unsigned char *outputs = topk_pool_at(&work->memory->outputs, number);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        work->tensors[role] = tensor_of(&op->tensors[role]);
    }
    work->call = (struct topk_backend_call){
        .operator_type = TOPK_OPERATOR_TOP_K,
        .feature_level = op->level,
        .axis = op->axis,
        .k = op->k,
        .input = &work->tensors[TOPK_INPUT],
        .value = &work->tensors[TOPK_VALUE],
        .index = &work->tensors[TOPK_INDEX],
        .input_buffer = {topk_pool_at(&work->memory->inputs, number), work->shape->input_bytes, 0},
        .value_buffer = {outputs, work->shape->value_bytes, 0},
        .index_buffer = {outputs + work->shape->index_at,
                         work->shape->output_bytes - work->shape->index_at, 0}};
    work->answer = (struct topk_backend_answer){0};
    work->loaded->backend->run(work->loaded->self, &work->call, 1, &work->answer);
    return work->answer.status == TOPK_BACKEND_DONE;
}

bool topk_work_repeat(void *self, uint64_t number)
{
    const struct work *work = self;
    (void)number;
    return work->loaded->backend->repeat(work->loaded->self) == 1;
}

bool topk_work_prove(struct work *work, bool *wrong, char *why, size_t why_bytes)
{
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    struct topk_judgement judgement;
    const struct topk_finding *finding = &judgement.findings[0];
    *wrong = false;
    memset(topk_pool_at(&work->memory->outputs, 0), 0xff, (size_t)work->shape->output_bytes);
    if (!topk_work_run(work, 0)) {
        snprintf(why, why_bytes, "%.200s",
                 work->answer.reason[0] != 0 ? work->answer.reason : "it gives no reason");
        return false;
    }
    show(work, 0, exhibits);
    topk_judge_contract(&work->shape->op, &work->loaded->contract, exhibits, &judgement);
    *wrong = judgement.count > 0;
    if (judgement.count > 0) {
        snprintf(why, why_bytes, "the result is wrong, so it gets no number: clause %s, %s",
                 topk_clause_id(finding->clause), topk_mismatch_row(finding->mismatch)->sentence);
    } else if (judgement.no_memory) {
        snprintf(why, why_bytes, "no memory to judge the result");
    }
    return judgement.count == 0 && !judgement.no_memory;
}
