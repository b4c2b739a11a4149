/* topk_operator_validate() agrees with the statement of each clause (reference/statement): whether
 * it is broken, or leaves a choice. For all kinds, axes, K, directions, levels, and descriptions
 * that are present or not, with any type, flags, alignment, sizes and totals; packed, with ranks up
 * to RANKS. For clauses about sizes in bytes see validate_bytes.c. */
#include "prove.h"
#include "statement/statement.h"

/* values of CLAUSES: those about how the parts of a call fit together, about each part, and about
 * ranks */
#define OF_CALLS                                                                                   \
    TOPK_CLAUSE_V01, TOPK_CLAUSE_V02, TOPK_CLAUSE_V03, TOPK_CLAUSE_V03b, TOPK_CLAUSE_V04,          \
        TOPK_CLAUSE_V05, TOPK_CLAUSE_V06
#define OF_TENSORS                                                                                 \
    TOPK_CLAUSE_V07, TOPK_CLAUSE_V09, TOPK_CLAUSE_V11, TOPK_CLAUSE_V12, TOPK_CLAUSE_V14,           \
        TOPK_CLAUSE_T01, TOPK_CLAUSE_T10, TOPK_CLAUSE_T10b, TOPK_CLAUSE_T11
#define OF_RANKS TOPK_CLAUSE_V08, TOPK_CLAUSE_T02

static struct topk_tensor any_tensor(void)
{
    struct topk_tensor tensor = {.present = nondet_bool(),
                                 .type = nondet_u32(),
                                 .rank = nondet_u32(),
                                 .flags = nondet_u32(),
                                 .alignment = nondet_u32(),
                                 .total_bytes = nondet_u64()};
    ASSUME(tensor.rank <= RANKS);
    for (uint32_t d = 0; d < RANKS; d++) {
        tensor.sizes[d] = nondet_u32();
        ASSUME(tensor.sizes[d] <= MOST);
    }
    return tensor;
}

static void prove_clause(enum topk_clause clause, const struct topk_operator *op, uint32_t level,
                         const struct topk_validity *validity)
{
    const bool wrong = stated_clause(clause, op, level) == STATED_BROKEN;
    const bool must = topk_clause_row(clause)->grade == TOPK_GRADE_MUST;
    PROVE(topk_clause_set_has(&validity->broken, clause) == (must && wrong));
    PROVE(topk_clause_set_has(&validity->latitude, clause) == (!must && wrong));
    REACHED(wrong);
    REACHED(!wrong);
}

int main(void)
{
    const struct topk_operator op = {
        .kind = nondet_bool() ? TOPK_TOP_K1 : TOPK_TOP_K,
        .axis = nondet_u32(),
        .k = nondet_u32(),
        .direction = nondet_u32(),
        .tensors = {any_tensor(), any_tensor(), any_tensor()},
    };
    const uint32_t level = nondet_u32();
    struct topk_validity validity;
    topk_operator_validate(&op, level, &validity);
    static const enum topk_clause clauses[] = {CLAUSES};
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        prove_clause(clauses[i], &op, level, &validity);
    }
}
