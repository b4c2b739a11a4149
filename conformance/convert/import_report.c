/* Reports whether the outputs of an imported test are right. */
#include "import_report.h"

#include <stdlib.h>

#include "log/log.h"
#include "session/session.h"

static int print_case(const char *path, const struct topk_case *tc, const char *outputs,
                      const struct topk_result *result)
{
    char *text = cli_need(malloc(TOPK_CASE_TEXT));
    topk_case_print(tc, text, TOPK_CASE_TEXT);
    fputs("# ", stdout);
    topk_text_print(stdout, path); /* keeps the name on one line */
    printf(": %s\n%s\n", outputs, text);
    if (result != NULL) {
        const struct topk_failure_style style = {.colour = cli_colour(stderr)};
        topk_failure_print(stderr, &style, text, result);
    }
    free(text);
    return result == NULL ? CLI_CONFORMANT : CLI_FAILURES;
}

int cli_import_report(const char *path, const struct cli_imported *imported)
{
    char reason[256];
    struct topk_case tc;
    int code;
    if (!cli_imported_case(imported, &tc, reason)) {
        cli_error("%s: no case: %s", path, reason);
        return CLI_HARNESS;
    }
    if (imported->tensors[TOPK_VALUE].data == NULL || imported->tensors[TOPK_INDEX].data == NULL) {
        code = print_case(path, &tc, "no outputs to be judged", NULL);
    } else {
        struct topk_result *result = cli_need(malloc(sizeof *result));
        char outputs[128] = "every clause holds of the outputs";
        if (!cli_imported_judge(imported, &tc, result, reason)) {
            cli_error("%s: %s", path, reason);
            code = CLI_HARNESS;
        } else {
            const bool failed = result->verdict != TOPK_VERDICT_PASS;
            if (failed) {
                snprintf(outputs, sizeof outputs, "the outputs break %s",
                         topk_clause_id(result->clause));
            }
            code = print_case(path, &tc, outputs, failed ? result : NULL);
        }
        free(result);
    }
    topk_case_clear(&tc);
    return code;
}
