/* Checks validation: for any description at any level, the reference must agree clause by clause
 * with a second, independent statement of the clauses (reference/statement). What is valid at a
 * level must be valid at higher ones (V13), and the reported minimum level must be the lowest such
 * level. The backend `cpu`, which checks descriptions on its own, must refuse exactly those that
 * break a clause. */
#include <string.h>

#include "cpu/cpu.h"
#include "fuzz.h"
#include "reference/element.h"
#include "reference/statement/statement.h"
#include "worker/call.h"

static const char *describe(const struct topk_operator *op)
{
    static char text[TOPK_CASE_TEXT];
    struct topk_case tc = {.op = *op};
    topk_case_print(&tc, text, sizeof text);
    return text;
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Draws a number to replace `usual`: mostly `usual` itself, else a neighbour, a number at a limit,
 * or any. */
static uint32_t draw_number(struct topk_choice *choice, uint32_t usual)
{
    static const uint32_t borders[] = {0,      1,       2,          3,          4,         8,
                                       9,      15,      16,         17,         0xffff,    0x10000,
                                       0x7fff, 0x20000, 0x7fffffff, 0x80000000, 0xfffffffe};
    const uint32_t kind = topk_choice_below(choice, 16);
    if (kind < 10) {
        return usual;
    }
    switch (kind) {
    case 10:
        return usual + 1;
    case 11:
        return usual - 1;
    case 12:
        return topk_choice_below(choice, 16);
    case 13:
        return (uint32_t)topk_choice_bits(choice, 4);
    case 14:
        return UINT32_MAX;
    default:
        return borders[topk_choice_below(choice, sizeof borders / sizeof borders[0])];
    }
}

static uint64_t draw_total(struct topk_choice *choice, const struct topk_tensor *tensor)
{
    const uint64_t least = topk_tensor_least_bytes(tensor);
    const uint64_t most = (uint64_t)UINT32_MAX * topk_type_bytes(tensor->type);
    switch (topk_choice_below(choice, 16)) {
    case 10:
        return least - 1;
    case 11:
        return least + draw_number(choice, 1);
    case 12:
        return most;
    case 13:
        return most + 1;
    case 14:
        return topk_choice_bits(choice, 8);
    case 15:
        return draw_number(choice, 0);
    default:
        return least;
    }
}

static void draw_tensor(struct topk_choice *choice, struct topk_tensor *tensor)
{
    tensor->present = !topk_choice_once_in(choice, 64);
    tensor->type = draw_number(choice, tensor->type);
    const uint32_t rank = draw_number(choice, tensor->rank);
    for (uint32_t d = tensor->rank; rank <= TOPK_RANK_MAX && d < rank; d++) {
        tensor->sizes[d] = 1;
    }
    tensor->rank = rank <= TOPK_RANK_MAX ? rank : tensor->rank;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->sizes[d] = draw_number(choice, tensor->sizes[d]);
    }
    tensor->strided = topk_choice_below(choice, 2) == 1;
    uint32_t packed = 1;
    for (uint32_t d = tensor->rank; tensor->strided && d-- > 0;) {
        tensor->strides[d] = draw_number(choice, packed);
        packed *= tensor->sizes[d];
    }
    tensor->flags = draw_number(choice, 0);
    tensor->alignment = draw_number(choice, 0);
    tensor->total_bytes = draw_total(choice, tensor);
}

static void draw_operator(struct topk_choice *choice, struct topk_operator *op)
{
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    memset(op, 0, sizeof *op);
    topk_choice_part(choice, TOPK_PART_LEVEL);
    op->level = topk_levels[TOPK_LEVEL_COUNT - 1 - topk_choice_below(choice, TOPK_LEVEL_COUNT)];
    op->level = topk_choice_once_in(choice, 8)
                    ? (1 + topk_choice_below(choice, 15)) << 12 | topk_choice_below(choice, 16) << 8
                    : op->level;
    topk_choice_part(choice, TOPK_PART_OPERATOR);
    op->kind = (enum topk_operator_kind)topk_choice_below(choice, 2);
    op->direction = op->kind == TOPK_TOP_K ? TOPK_DECREASING : draw_number(choice, 0);
    const uint32_t index_type = topk_choice_below(choice, 2) == 0 ? TOPK_TYPE_U32 : TOPK_TYPE_U64;
    input->type = topk_types[topk_choice_below(choice, TOPK_TYPE_COUNT)];
    topk_choice_part(choice, TOPK_PART_SIZES);
    input->rank = 4 + 16 - topk_choice_below(choice, 17);
    input->rank = input->rank <= TOPK_RANK_MAX ? input->rank : 4;
    for (uint32_t d = 0; d < input->rank; d++) {
        input->sizes[d] = 1 + topk_choice_below(choice, 5);
    }
    op->axis = draw_number(choice, topk_choice_below(choice, input->rank));
    topk_choice_part(choice, TOPK_PART_INPUT);
    draw_tensor(choice, input);
    topk_choice_part(choice, TOPK_PART_K);
    op->k = draw_number(choice, op->axis < input->rank ? input->sizes[op->axis] : 1);
    topk_operator_derive_outputs(op, index_type);
    topk_choice_part(choice, TOPK_PART_VALUE);
    draw_tensor(choice, &op->tensors[TOPK_VALUE]);
    topk_choice_part(choice, TOPK_PART_INDEX);
    draw_tensor(choice, &op->tensors[TOPK_INDEX]);
}

/* ---- assertions ------------------------------------------------------------------------------ */

static void compare_clauses(const struct topk_operator *op, uint32_t level,
                            const struct topk_validity *validity)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const enum topk_clause clause = (enum topk_clause)i;
        const bool must = topk_clause_row(clause)->grade == TOPK_GRADE_MUST;
        const bool here = topk_clause_set_has(&validity->broken, clause);
        const bool open = topk_clause_set_has(&validity->latitude, clause);
        const enum stated answer = stated_clause(clause, op, level);
        if (must ? open : here) {
            fuzz_fail_clause(clause, "grade", describe(op));
        }
        if (answer != STATED_UNKNOWN && (must ? here : open) != (answer == STATED_BROKEN)) {
            fuzz_fail_clause(clause, here || open ? "too-strict" : "too-lax", describe(op));
        }
    }
}

static void compare_least_bytes(const struct topk_operator *op)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        uint64_t least;
        const bool fits = stated_least_bytes(tensor, &least);
        if (tensor->present && topk_tensor_least_bytes(tensor) != (fits ? least : UINT64_MAX)) {
            fuzz_fail_clause(TOPK_CLAUSE_T07, "least-bytes", describe(op));
        }
    }
}

/* The backend supports 5.0, and checks a call against that level or against the call's own. */
static void compare_backend(const struct topk_operator *op, const struct topk_validity *validity)
{
    static struct topk_call call;
    struct topk_cpu_plan plan;
    struct topk_backend_answer answer;
    const struct topk_case tc = {.op = *op};
    memset(&answer, 0, sizeof answer);
    topk_call_describe(&call, &tc);
    const bool taken = topk_cpu_validate(&call.backend_call, &plan, &answer);
    const bool valid = topk_clause_set_empty(&validity->broken);
    /* It may refuse what the clauses leave open. */
    if (valid ? !taken && topk_clause_set_empty(&validity->latitude) : taken) {
        fuzz_fail_clause(topk_clause_set_first(&validity->broken),
                         taken ? "cpu-accepts" : "cpu-refuses", describe(op));
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_choice choice;
    struct topk_operator op;
    struct topk_validity validity;
    bool valid_below = false;
    uint32_t least = 0;
    topk_choice_bytes(&choice, bytes, length);
    draw_operator(&choice, &op);
    for (int i = 0; i < TOPK_LEVEL_COUNT; i++) {
        topk_operator_validate(&op, topk_levels[i], &validity);
        compare_clauses(&op, topk_levels[i], &validity);
        const bool valid = topk_clause_set_empty(&validity.broken);
        if (valid_below && !valid) {
            fuzz_fail_clause(TOPK_CLAUSE_V13, "level", describe(&op));
        }
        least = valid && least == 0 ? topk_levels[i] : least;
        valid_below = valid;
    }
    if (topk_operator_least_level(&op) != least) {
        fuzz_fail_clause(TOPK_CLAUSE_V13, "least-level", describe(&op));
    }
    topk_operator_validate(&op, op.level, &validity);
    compare_clauses(&op, op.level, &validity);
    compare_least_bytes(&op);
    compare_backend(&op, &validity);
}

static void draw(struct topk_choice *choice)
{
    struct topk_operator op;
    draw_operator(choice, &op);
}

static bool decode(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    struct topk_choice choice;
    memset(tc, 0, sizeof *tc);
    topk_choice_bytes(&choice, bytes, length);
    draw_operator(&choice, &tc->op);
    return true;
}

const struct fuzz_target fuzz_target = {
    .name = "validation",
    .about = "the reference takes and refuses descriptions as the clauses' texts say",
    .max_bytes = 1024,
    .run = run,
    .draw = draw,
    .decode = decode,
};
