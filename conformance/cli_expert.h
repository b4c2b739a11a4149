/* Who tells reports what a case is: the rooms of reports know the log only. */
#ifndef TOPK_CLI_EXPERT_H
#define TOPK_CLI_EXPERT_H

#include "summary.h"

extern const struct topk_expert cli_expert;

#endif
