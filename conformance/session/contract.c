/* Reads files of declared contracts. */
#include "contract.h"

#include <stdlib.h>

#include "session.h"

/* maximum size of a file in bytes */
#define CONTRACT_BYTES 65536u

void cli_contract_need(const char *path, struct topk_contract *contract)
{
    char error[400];
    size_t size;
    char *text = cli_file_need(path, CONTRACT_BYTES, &size);
    if (!topk_contract_parse(text, size, true, contract, error, sizeof error)) {
        cli_fail(CLI_USAGE, "%s: %s", path, error);
    }
    free(text);
}
