/* The clauses of the specification as data. clauses.def states them; this gives them numbers. */
#ifndef TOPK_CLAUSE_H
#define TOPK_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What it means that a backend does not hold a clause. */
enum topk_grade {
    TOPK_GRADE_MUST,     /* the text says it or it follows: a failure */
    TOPK_GRADE_EXAMPLE,  /* only a worked example pins it: a failure, and reported as such */
    TOPK_GRADE_PRACTICE, /* text and field disagree: either is allowed, and noted */
    TOPK_GRADE_OBSERVE   /* the text is silent: noted, never judged */
};

enum topk_clause {
#define CLAUSE(id, grade, sentence) TOPK_CLAUSE_##id,
#include "clauses.def"
#undef CLAUSE
    TOPK_CLAUSE_COUNT,
    TOPK_CLAUSE_NONE = TOPK_CLAUSE_COUNT
};

/* One row of the table. All text is printable ASCII and lives forever. */
struct topk_clause_row {
    const char *id; /* "S01" */
    enum topk_grade grade;
    const char *sentence; /* what is promised */
};

/* The row of a clause; clause < TOPK_CLAUSE_COUNT. */
const struct topk_clause_row *topk_clause_row(enum topk_clause clause);

/* The id of a clause, "-" for TOPK_CLAUSE_NONE. */
const char *topk_clause_id(enum topk_clause clause);

/* The clause whose id is the first `length` characters of text; TOPK_CLAUSE_NONE if there is none.
 */
enum topk_clause topk_clause_parse(const char *text, size_t length);

/* "MUST", "EXAMPLE", "PRACTICE", "OBSERVE". */
const char *topk_grade_name(enum topk_grade grade);

/* A set of clauses. Zero-initialised it is empty. */
struct topk_clause_set {
    uint64_t bits[(TOPK_CLAUSE_COUNT + 63) / 64];
};

void topk_clause_set_add(struct topk_clause_set *set, enum topk_clause clause);
void topk_clause_set_remove(struct topk_clause_set *set, enum topk_clause clause);
bool topk_clause_set_has(const struct topk_clause_set *set, enum topk_clause clause);
bool topk_clause_set_empty(const struct topk_clause_set *set);
/* Adds every member of `from` to `set`. */
void topk_clause_set_merge(struct topk_clause_set *set, const struct topk_clause_set *from);
/* The first member in table order, TOPK_CLAUSE_NONE if empty. */
enum topk_clause topk_clause_set_first(const struct topk_clause_set *set);

#endif
