/* Prints one result for a user: what is wrong, where, what was expected, and how to reproduce
 * it. */
#ifndef TOPK_FAILURE_H
#define TOPK_FAILURE_H

#include <stdio.h>

#include "reference/contract.h"
#include "reference/result.h"

struct topk_failure_style {
    bool colour;
    const char *replay;   /* command that replays a case, up to the case; NULL: none is printed */
    bool software_device; /* TOPK_FLAG_SOFTWARE_DEVICE: some observations are of the device */
    struct topk_contract contract; /* by which results are judged */
};

/* Prints the result of the case of an id. A result that is not a failure takes one line. */
void topk_failure_print(FILE *out, const struct topk_failure_style *style, const char *id,
                        const struct topk_result *result);

#endif
