/* Tensors of others as cases, and outputs of others judged. */
#ifndef TOPK_CLI_IMPORT_CASE_H
#define TOPK_CLI_IMPORT_CASE_H

#include "case/case.h"
#include "exchange/exchange.h"
#include "reference/result.h"

/* What is asked of an input. */
struct cli_imported {
    struct topk_packed tensors[TOPK_ROLE_COUNT]; /* outputs without data: not there */
    int64_t axis;                                /* negative: from the end */
    int64_t k;
    uint32_t direction;
};

void cli_imported_clear(struct cli_imported *imported);

/* Whether the input, which has dimensions, has the axis, and then whether the axis has room for K;
 * if not, why. */
bool cli_imported_axis_fits(const struct cli_imported *imported, char reason[256]);
bool cli_imported_k_fits(const struct cli_imported *imported, char reason[256]);

/* Makes a case of it, at the lowest feature level that has it: TOP_K1, packed, the index UINT64 if
 * that is the type of the one given, else UINT32. False, with the reason, if TOP_K has no such call
 * or its data are too long for a case's text. *tc is to be cleared if true. */
bool cli_imported_case(const struct cli_imported *imported, struct topk_case *tc, char reason[256]);

/* Judges the outputs given, both of them. False, with the reason, if they are no outputs of that
 * case: other sizes or types. */
bool cli_imported_judge(const struct cli_imported *imported, const struct topk_case *tc,
                        struct topk_result *result, char reason[256]);

#endif
