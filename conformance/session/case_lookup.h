/* Facts about cases for reports and commands. The code in reports/ knows only the log, and asks for
 * them through struct topk_case_lookup. */
#ifndef TOPK_CLI_EXPERT_H
#define TOPK_CLI_EXPERT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reference/clause.h"
#include "reference/contract.h"

struct topk_case;
struct topk_expected;
struct topk_case_lookup;
struct topk_asks;
extern const struct topk_case_lookup cli_case_lookup;

/* What a case asks for. Kinds are the classes of aspects.h. A word is the name of a class of
 * operator, level or type, such as "f16", or a class with its aspect, such as "rank=5". */
extern const struct topk_asks cli_asks;
/* Prints the words that can be required, a line for each aspect. */
void cli_asks_print(FILE *out);

/* The clause of an id; ends the program after a message if there is none. */
enum topk_clause cli_clause_of(const char *id);

/* Whether the case of an id tests a clause; examines all of its data. */
bool cli_tests_clause(const char *id, size_t length, enum topk_clause clause);

/* Whether the outputs of a sequence of a case, from a position on, can be computed: the case is
 * valid, and has this sequence and this position. */
bool cli_expectable(const struct topk_case *tc, uint64_t sequence, uint32_t from);

/* Computes the outputs that a contract expects there, at most `count`. False if memory is short. */
bool cli_expect(const struct topk_case *tc, const struct topk_contract *contract, uint64_t sequence,
                uint32_t from, uint32_t count, struct topk_expected *expected);

#endif
