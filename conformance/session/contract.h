/* Reads files of declared contracts. */
#ifndef TOPK_CLI_CONTRACT_H
#define TOPK_CLI_CONTRACT_H

#include "reference/contract.h"

/* Reads a file. Ends the program with CLI_USAGE, after a message that names file and line, if the
 * file is unreadable, breaks the grammar or contradicts itself. */
void cli_contract_need(const char *path, struct topk_contract *contract);

#endif
