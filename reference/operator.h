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

/* The levels at which what is valid changes, ascending. */
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
    uint32_t level;     /* feature level asked for */
    uint32_t axis;      /* Axis */
    uint32_t k;         /* K */
    uint32_t direction; /* AxisDirection; TOPK_DECREASING for TOP_K */
    uint32_t execution; /* TOPK_EXECUTION_... */
    struct topk_tensor tensors[TOPK_ROLE_COUNT];
};

/* What the clauses say of a description. */
struct topk_validity {
    struct topk_clause_set broken;   /* MUST clauses it breaks: it has to be refused */
    struct topk_clause_set latitude; /* PRACTICE and OBSERVE clauses that leave the choice open */
};

/* Says which of the V and T clauses a description breaks at a feature level, each one found on its
 * own: a description that is wrong twice is in both. Clauses that cannot be asked because another
 * is broken (the sizes of a missing tensor) are left out. */
void topk_operator_validate(const struct topk_operator *op, uint32_t level,
                            struct topk_validity *validity);

/* The lowest of topk_levels at which no clause is broken; 0 if there is none. */
uint32_t topk_operator_least_level(const struct topk_operator *op);

/* The same of an operator that breaks no clause at some level, which is not looked at. */
uint32_t topk_operator_valid_level(const struct topk_operator *op);

/* The clause that allows what is rarest about a valid operator: what is broken if it is refused. Of
 * one that has nothing rare about it that of the operator itself, V14. */
enum topk_clause topk_operator_allowed_by(const struct topk_operator *op);

/* Whether the K smallest are asked for. */
bool topk_operator_increasing(const struct topk_operator *op);

/* Fills the outputs' descriptions as the input asks for: same type and rank, Sizes[Axis] = K,
 * packed, of the least size; the index of type index_type. Sizes of an axis out of range are the
 * input's. */
void topk_operator_derive_outputs(struct topk_operator *op, uint32_t index_type);

/* Geometry of a valid operator: sequences are numbered in row-major order of the coordinates that
 * remain without Axis. */
uint64_t topk_operator_sequences(const struct topk_operator *op);
/* The coordinates of a sequence; that of Axis is 0. */
void topk_operator_sequence_at(const struct topk_operator *op, uint64_t sequence,
                               uint32_t at[TOPK_RANK_MAX]);

#endif
