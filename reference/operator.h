/* Operator descriptions: DML_TOP_K_OPERATOR_DESC and DML_TOP_K1_OPERATOR_DESC as values, and their
 * validation by the clauses. */
#ifndef TOPK_OPERATOR_H
#define TOPK_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "clause.h"
#include "tensor.h"

enum topk_operator_kind {
    TOPK_TOP_K,
    TOPK_TOP_K1
};

/* DML_AXIS_DIRECTION */
#define TOPK_INCREASING 0u
#define TOPK_DECREASING 1u

/* DML_FEATURE_LEVEL: major version in the top hexadecimal digit, minor in the next. */
#define TOPK_LEVEL_2_0 0x2000u
#define TOPK_LEVEL_2_1 0x2100u
#define TOPK_LEVEL_3_1 0x3100u
#define TOPK_LEVEL_5_0 0x5000u

/* The levels at which validity changes, ascending. */
#define TOPK_LEVEL_COUNT 4
extern const uint32_t topk_levels[TOPK_LEVEL_COUNT];

/* DML_EXECUTION_FLAGS */
#define TOPK_EXECUTION_HALF           1u
#define TOPK_EXECUTION_NO_METACOMMAND 2u
#define TOPK_EXECUTION_VOLATILE       4u

/* The tensors of an operator, by number. */
enum topk_role {
    TOPK_INPUT,
    TOPK_VALUE,
    TOPK_INDEX,
    TOPK_ROLE_COUNT
};

/* "input", "value", "index" */
const char *topk_role_name(enum topk_role role);

struct topk_operator {
    enum topk_operator_kind kind;
    uint32_t level;     /* requested feature level */
    uint32_t axis;      /* Axis */
    uint32_t k;         /* K */
    uint32_t direction; /* AxisDirection; TOPK_DECREASING for TOP_K */
    uint32_t execution; /* TOPK_EXECUTION_... */
    struct topk_tensor tensors[TOPK_ROLE_COUNT];
};

/* The clauses that concern the validity of a description. */
struct topk_validity {
    struct topk_clause_set broken;   /* broken MUST clauses: it must be refused */
    struct topk_clause_set latitude; /* PRACTICE and OBSERVE clauses that leave a choice */
};

/* Determines which V and T clauses a description breaks at a feature level, each independently of
 * the others, so that two errors break two clauses. Clauses that cannot be evaluated because
 * another is broken (such as the sizes of a missing tensor) are left out. */
void topk_operator_validate(const struct topk_operator *op, uint32_t level,
                            struct topk_validity *validity);

/* The lowest of topk_levels at which no clause is broken; 0 if there is none. */
uint32_t topk_operator_least_level(const struct topk_operator *op);

/* The same for an operator that is known to be valid at some level; does not verify that. */
uint32_t topk_operator_valid_level(const struct topk_operator *op);

/* The clause that allows the rarest property of a valid operator, and that a refusal therefore
 * breaks. For an operator without rare properties it is that of the operator itself, V14. */
enum topk_clause topk_operator_allowed_by(const struct topk_operator *op);

/* Whether the K smallest are selected. */
bool topk_operator_increasing(const struct topk_operator *op);

/* Sets the outputs' descriptions to what the input requires: same type and rank, Sizes[Axis] = K,
 * packed, of the least size; the index has type index_type. If Axis is out of range, the sizes are
 * the input's. */
void topk_operator_derive_outputs(struct topk_operator *op, uint32_t index_type);

/* The geometry of a valid operator. Sequences are numbered in row-major order of their coordinates
 * without Axis. */
uint64_t topk_operator_sequences(const struct topk_operator *op);
/* The coordinates of a sequence; the one of Axis is 0. */
void topk_operator_sequence_at(const struct topk_operator *op, uint64_t sequence,
                               uint32_t at[TOPK_RANK_MAX]);
/* Moves the coordinates of a sequence to those of the next one, and of the last to the first. */
void topk_operator_sequence_next(const struct topk_operator *op, uint32_t at[TOPK_RANK_MAX]);

#endif
