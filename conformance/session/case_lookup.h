/* Who tells reports what a case is: the rooms of reports know the log only. Commands ask, too. */
#ifndef TOPK_CLI_EXPERT_H
#define TOPK_CLI_EXPERT_H

#include <stdbool.h>
#include <stdint.h>

struct topk_case;
struct topk_expected;
struct topk_case_lookup;
extern const struct topk_case_lookup cli_case_lookup;

/* Whether the case of an id asks for a result, topk_aspects_ask(); a topk_asks_result. */
bool cli_asks_result(const char *id);

/* Whether outputs are expected of a sequence of a case, from a position on: it is valid, and has
 * both. */
bool cli_expectable(const struct topk_case *tc, uint64_t sequence, uint32_t from);

/* Works out what is expected there, at most `count` outputs. False if memory is short. */
bool cli_expect(const struct topk_case *tc, uint64_t sequence, uint32_t from, uint32_t count,
                struct topk_expected *expected);

#endif
