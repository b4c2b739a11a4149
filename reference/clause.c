/* The clause table and sets of clauses. */
#include "clause.h"

#include <string.h>

static const struct topk_clause_row rows[] = {
#define CLAUSE(id, grade, sentence) {#id, TOPK_GRADE_##grade, sentence},
#include "clauses.def"
#undef CLAUSE
};

const struct topk_clause_row *topk_clause_row(enum topk_clause clause)
{
    return &rows[clause];
}

const char *topk_clause_id(enum topk_clause clause)
{
    return clause < TOPK_CLAUSE_COUNT ? rows[clause].id : "-";
}

enum topk_clause topk_clause_parse(const char *text, size_t length)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (strlen(rows[i].id) == length && memcmp(rows[i].id, text, length) == 0) {
            return (enum topk_clause)i;
        }
    }
    return TOPK_CLAUSE_NONE;
}

const char *topk_grade_name(enum topk_grade grade)
{
    static const char *const names[] = {"MUST", "EXAMPLE", "PRACTICE", "OBSERVE"};
    return names[grade];
}

void topk_clause_set_add(struct topk_clause_set *set, enum topk_clause clause)
{
    set->bits[clause / 64] |= (uint64_t)1 << (clause % 64);
}

void topk_clause_set_remove(struct topk_clause_set *set, enum topk_clause clause)
{
    set->bits[clause / 64] &= ~((uint64_t)1 << (clause % 64));
}

bool topk_clause_set_has(const struct topk_clause_set *set, enum topk_clause clause)
{
    return (set->bits[clause / 64] >> (clause % 64) & 1) != 0;
}

bool topk_clause_set_empty(const struct topk_clause_set *set)
{
    for (size_t i = 0; i < sizeof set->bits / sizeof set->bits[0]; i++) {
        if (set->bits[i] != 0) {
            return false;
        }
    }
    return true;
}

void topk_clause_set_merge(struct topk_clause_set *set, const struct topk_clause_set *from)
{
    for (size_t i = 0; i < sizeof set->bits / sizeof set->bits[0]; i++) {
        set->bits[i] |= from->bits[i];
    }
}

enum topk_clause topk_clause_set_first(const struct topk_clause_set *set)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(set, (enum topk_clause)i)) {
            return (enum topk_clause)i;
        }
    }
    return TOPK_CLAUSE_NONE;
}
