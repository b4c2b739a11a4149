/* Converts tensors of other tools to cases, and judges their outputs. */
#ifndef TOPK_CLI_IMPORT_CASE_H
#define TOPK_CLI_IMPORT_CASE_H

#include "case/case.h"
#include "exchange/exchange.h"
#include "reference/result.h"

/* An imported call. */
struct cli_imported {
    struct topk_packed tensors[TOPK_ROLE_COUNT]; /* an output without data is absent */
    int64_t axis;                                /* negative: counted from the end */
    int64_t k;
    uint32_t direction;
};

void cli_imported_clear(struct cli_imported *imported);

/* Check that the axis exists, and that K fits the axis. Both need an input with dimensions; the
 * second one needs a valid axis. False with the reason. */
bool cli_imported_axis_fits(const struct cli_imported *imported, char reason[256]);
bool cli_imported_k_fits(const struct cli_imported *imported, char reason[256]);

/* Makes a case of the call at the lowest feature level that supports it: TOP_K1, packed, with
 * UINT64 indices if the given ones are UINT64, otherwise UINT32. False, with the reason, if TOP_K
 * does not support the call, or its data is too long for the text of a case. The caller clears *tc
 * if the result is true. */
bool cli_imported_case(const struct cli_imported *imported, struct topk_case *tc, char reason[256]);

/* Judges the outputs; both must be present. False, with the reason, if their sizes or types do not
 * match the case. */
bool cli_imported_judge(const struct cli_imported *imported, const struct topk_case *tc,
                        struct topk_result *result, char reason[256]);

#endif
