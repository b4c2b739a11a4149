/* Who tells reports what a case is: the rooms of reports know the log only. */
#ifndef TOPK_CLI_EXPERT_H
#define TOPK_CLI_EXPERT_H

#include <stdbool.h>

struct topk_expert;
extern const struct topk_expert cli_expert;

/* Whether the case of an id asks for a result, topk_aspects_ask(); a topk_asks. */
bool cli_asks(const char *id);

#endif
