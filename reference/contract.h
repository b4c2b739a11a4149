/* Declared contracts: rules by which an implementation is judged whose documents state others than
 * DirectML's. contract.def lists them. An all-zero contract is DirectML's. */
#ifndef TOPK_CONTRACT_H
#define TOPK_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clause.h"
#include "element.h"
#include "operator.h"

enum topk_contract_rule {
#define RULE(name, key, kind, about) TOPK_CONTRACT_RULE_##name,
#include "contract.def"
    TOPK_CONTRACT_RULE_COUNT
};

/* The options of all rules. */
enum topk_contract_option {
#define OPTION(rule, name, word, sentence) TOPK_OPTION_##name,
#include "contract.def"
    TOPK_OPTION_COUNT
};
_Static_assert(TOPK_OPTION_COUNT <= 32, "options are a 32-bit mask");

/* What a contract does to a clause. */
enum topk_promise {
    TOPK_PROMISE_DOCUMENTED,  /* it applies as documented */
    TOPK_PROMISE_RESTATED,    /* a rule of the contract replaces it, and is judged */
    TOPK_PROMISE_OPEN,        /* the contract promises nothing about it */
    TOPK_PROMISE_NOT_OBSERVED /* it may hold, but no case can show it */
};

/* "restated", "not promised", "not observed"; "" for TOPK_PROMISE_DOCUMENTED. */
const char *topk_promise_words(enum topk_promise promise);

#define TOPK_CONTRACT_VERSION 1
/* Sizes of name and source, with the terminator. */
#define TOPK_CONTRACT_NAME   96
#define TOPK_CONTRACT_SOURCE 256

struct topk_contract {
    uint32_t chosen; /* bits 1 << enum topk_contract_option, without DirectML's options */
    uint32_t types;  /* bits 1 << TOPK_TYPE_PLACE_..., 0: all */
    uint32_t least[TOPK_CONTRACT_RULE_COUNT]; /* for each RANGE, with `most`; 0: any */
    uint32_t most[TOPK_CONTRACT_RULE_COUNT];
    char name[TOPK_CONTRACT_NAME];     /* of the implementation or its contract; may be empty */
    char source[TOPK_CONTRACT_SOURCE]; /* where the rules are documented; may be empty */
};

/* A rule and an option of the table. */
struct topk_contract_rule_row {
    const char *key;   /* "ties" */
    const char *about; /* "which of equal values come first" */
};
const struct topk_contract_rule_row *topk_contract_rule_row(enum topk_contract_rule rule);

struct topk_contract_option_row {
    enum topk_contract_rule rule;
    const char *word;     /* "any" */
    const char *sentence; /* its meaning */
};
const struct topk_contract_option_row *topk_contract_option_row(enum topk_contract_option option);

/* The option that a contract has for a rule; TOPK_OPTION_COUNT if the rule has no options (types,
 * ranks, k). */
enum topk_contract_option topk_contract_chosen(const struct topk_contract *contract,
                                               enum topk_contract_rule rule);

/* Whether a contract contains an option that is not DirectML's. */
static inline bool topk_contract_has(const struct topk_contract *contract,
                                     enum topk_contract_option option)
{
    return (contract->chosen >> option & 1) != 0;
}

/* Sets an option, which replaces another of the same rule. */
void topk_contract_choose(struct topk_contract *contract, enum topk_contract_option option);

/* Whether all rules are DirectML's. */
bool topk_contract_plain(const struct topk_contract *contract);

/* Whether it changes what a result must be: ties, order, denormals, zeros or NaN. */
bool topk_contract_decides(const struct topk_contract *contract);

/* Parses a contract: lines or words KEY=VALUE separated by spaces; name= and source= extend to the
 * end of the line, and `#` at the start of a line starts a comment. The line `topk-contract 1` must
 * come first if `file`; otherwise it may. Rules that are not named are DirectML's. Returns false,
 * with the line and the reason in error, if the contract is malformed, has a rule twice, or
 * contradicts itself. */
bool topk_contract_parse(const char *text, size_t length, bool file, struct topk_contract *contract,
                         char *error, size_t error_bytes);

/* Sizes of the texts below, with the terminator. */
#define TOPK_CONTRACT_RULES 400
#define TOPK_CONTRACT_TEXT  1024

/* Writes the rules that are not DirectML's, in the order of the table: "ties=any types=f32,f16". */
void topk_contract_rules_print(const struct topk_contract *contract,
                               char text[TOPK_CONTRACT_RULES]);
/* The same, followed by lines for name and source; topk_contract_parse() reads it. */
void topk_contract_print(const struct topk_contract *contract, char text[TOPK_CONTRACT_TEXT]);
/* Writes the value of a rule: "any", "f32,f16", "1..8", "all". */
void topk_contract_value_print(const struct topk_contract *contract, enum topk_contract_rule rule,
                               char text[TOPK_CONTRACT_RULES]);

/* Returns the first rule that differs; TOPK_CONTRACT_RULE_COUNT if none does. */
enum topk_contract_rule topk_contract_differs(const struct topk_contract *a,
                                              const struct topk_contract *b);

/* What a contract does to a clause; *by is set to the responsible option, if there is one, and may
 * be NULL. */
enum topk_promise topk_contract_promise(const struct topk_contract *contract,
                                        enum topk_clause clause, enum topk_contract_option *by);
/* Writes the text of a clause under a contract: its sentence, or those of the options that change
 * it, each after " as declared by KEY=WORD: ". The text starts with ": " or ",". */
#define TOPK_CONTRACT_SENTENCE 1024
void topk_contract_sentence_print(const struct topk_contract *contract, enum topk_clause clause,
                                  char text[TOPK_CONTRACT_SENTENCE]);
/* Whether a case can show a clause: its promise is neither open nor not observed. */
bool topk_contract_shows(const struct topk_contract *contract, enum topk_clause clause);
/* Writes the ids of the clauses that an option changes to a promise: "S08 S09", or "". */
void topk_contract_made_print(const struct topk_contract *contract,
                              enum topk_contract_option option, enum topk_promise promise,
                              char text[TOPK_CONTRACT_RULES]);
/* Removes the clauses that no case can show. */
void topk_contract_clauses(const struct topk_contract *contract, struct topk_clause_set *clauses);

/* Writes what a contract does to a clause, such as "restated, by ties=highest: Of equal values
 * ..."; "" if it applies as documented. */
void topk_contract_clause_print(const struct topk_contract *contract, enum topk_clause clause,
                                char text[TOPK_CONTRACT_RULES]);

/* Whether a valid operator is within the contract; if not, the reason names the rule. */
bool topk_contract_serves(const struct topk_contract *contract, const struct topk_operator *op,
                          char *reason, size_t reason_bytes);

#endif
