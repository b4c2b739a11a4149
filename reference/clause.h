/* The clauses of the specification as data. clauses.def lists them; this header numbers them. */
#ifndef TOPK_CLAUSE_H
#define TOPK_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of a clause that a backend breaks. */
enum topk_grade {
    TOPK_GRADE_MUST,     /* stated by the text, or follows from it: a failure */
    TOPK_GRADE_EXAMPLE,  /* follows only from a worked example: a failure, reported as such */
    TOPK_GRADE_PRACTICE, /* the text contradicts practice: either is allowed, and recorded */
    TOPK_GRADE_OBSERVE   /* the text is silent: recorded, never judged */
};

enum topk_clause {
#define CLAUSE(id, grade, sentence) TOPK_CLAUSE_##id,
#include "clauses.def"
#undef CLAUSE
    TOPK_CLAUSE_COUNT,
    TOPK_CLAUSE_NONE = TOPK_CLAUSE_COUNT
};

/* A row of the table. Texts are printable ASCII with static lifetime. */
struct topk_clause_row {
    const char *id; /* "S01" */
    enum topk_grade grade;
    const char *sentence; /* the requirement */
};

/* Returns the row of a clause; clause < TOPK_CLAUSE_COUNT. */
const struct topk_clause_row *topk_clause_row(enum topk_clause clause);

/* Returns the id of a clause; "-" for TOPK_CLAUSE_NONE. */
const char *topk_clause_id(enum topk_clause clause);

/* Returns the clause whose id is the first `length` characters of text; TOPK_CLAUSE_NONE if there
 * is none. */
enum topk_clause topk_clause_parse(const char *text, size_t length);

/* "MUST", "EXAMPLE", "PRACTICE", "OBSERVE". */
const char *topk_grade_name(enum topk_grade grade);

/* A set of clauses. Zero-initialized, it is empty. */
struct topk_clause_set {
    uint64_t bits[(TOPK_CLAUSE_COUNT + 63) / 64];
};

void topk_clause_set_add(struct topk_clause_set *set, enum topk_clause clause);
void topk_clause_set_remove(struct topk_clause_set *set, enum topk_clause clause);
bool topk_clause_set_has(const struct topk_clause_set *set, enum topk_clause clause);
bool topk_clause_set_empty(const struct topk_clause_set *set);
/* Adds every member of `from` to `set`. */
void topk_clause_set_merge(struct topk_clause_set *set, const struct topk_clause_set *from);
/* Returns the first member in table order; TOPK_CLAUSE_NONE if the set is empty. */
enum topk_clause topk_clause_set_first(const struct topk_clause_set *set);

#endif
