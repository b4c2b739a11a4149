/* topk-cts run --chaos: whether each case that was spoiled on purpose got the verdict for it, and
 * no other case did. */
#include "cli_chaos.h"

#include <inttypes.h>
#include <string.h>

/* wrong verdicts that are printed */
#define SHOWN 10

int cli_chaos_start(struct cli_chaos *chaos, const struct cli_backend *backend)
{
    char error[1024];
    if (chaos->spec == NULL) {
        return CLI_CONFORMANT;
    }
    if (backend->spec == NULL) {
        cli_error("--chaos needs --backend: topk-worker spoils the results, other workers do not");
        return CLI_USAGE;
    }
    if (!topk_chaos_parse(chaos->spec, &chaos->how, error, sizeof error)) {
        cli_error("--chaos: %s", error);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

/* Whether the worker says that it has spoiled this output or answer. */
static bool says_so(const struct topk_result *result, const struct topk_chaos_row *row)
{
    size_t prefix = strlen(TOPK_CHAOS_REASON);
    return strncmp(result->reason, TOPK_CHAOS_REASON, prefix) == 0 &&
           strcmp(result->reason + prefix, row->word) == 0;
}

bool cli_chaos_take(struct cli_chaos *chaos, const char *text, size_t length,
                    const struct topk_result *result, FILE *out)
{
    enum topk_chaos_kind kind = topk_chaos_pick(&chaos->how, text, length);
    const struct topk_chaos_row *row = topk_chaos_row(kind);
    /* outputs and answers there may be none of */
    if ((row->place == TOPK_CHAOS_AT_OUTPUT || row->place == TOPK_CHAOS_AT_ANSWER) &&
        !says_so(result, row)) {
        chaos->spared++;
        kind = TOPK_CHAOS_NONE;
    }
    chaos->spoiled[kind]++;
    bool right = kind == TOPK_CHAOS_NONE ? !topk_verdict_failure(result->verdict)
                                         : result->verdict == row->verdict;
    if (!right) {
        chaos->wrong++;
    }
    if (!right && chaos->wrong <= SHOWN) {
        fprintf(out, "WRONG VERDICT: %s, where %s: %s\n  %.*s\n",
                topk_verdict_word(result->verdict),
                kind == TOPK_CHAOS_NONE ? "nothing was done" : "this was done",
                topk_chaos_row(kind)->about, (int)length, text);
    }
    return right;
}

void cli_chaos_print(const struct cli_chaos *chaos, FILE *out)
{
    uint64_t spoiled = 0;
    for (int kind = 1; kind < TOPK_CHAOS_KINDS; kind++) {
        const struct topk_chaos_row *row = topk_chaos_row((enum topk_chaos_kind)kind);
        spoiled += chaos->spoiled[kind];
        if (chaos->spoiled[kind] > 0) {
            fprintf(out, "  %-8s %7" PRIu64 "  %s: %s\n", row->word, chaos->spoiled[kind],
                    topk_verdict_word(row->verdict), row->about);
        }
    }
    fprintf(out,
            "CHAOS: %" PRIu64 " cases were spoiled, %" PRIu64 " were left alone (%" PRIu64
            " could not be spoiled as wanted): %" PRIu64 " wrong verdicts\n",
            spoiled, chaos->spoiled[0], chaos->spared, chaos->wrong);
}
