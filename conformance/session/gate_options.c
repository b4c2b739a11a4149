/* The options --require, --min-supported and others: the requirements of a run. */
#include "gate_options.h"

#include <stdlib.h>
#include <string.h>

#include "case_lookup.h"
#include "log/log.h"
#include "session.h"
#include "summary/summary.h"

enum {
    KEY_REQUIRE = 9000,
    KEY_LEAST,
    KEY_EXPIRED,
    KEY_UNCLEAN,
    KEY_RESTARTS
};

static void refuse(const struct argp_state *state, const char *word)
{
    char *known = NULL;
    size_t size = 0;
    FILE *out = cli_need(topk_memory_stream(&known, &size));
    cli_asks_print(out);
    cli_need_memory(fclose(out) == 0);
    argp_error(state, "--require does not know '%s'; it knows\n%s", word, known);
    free(known);
}

static bool has(const struct topk_log_gate *gate, const char *word)
{
    for (size_t i = 0; i < gate->require_count; i++) {
        if (strcmp(gate->require[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* takes words with commas between them */
static void take(const struct argp_state *state, struct cli_gate *gate, const char *list)
{
    do {
        char word[TOPK_REQUIRE_TEXT] = "";
        const size_t length = strcspn(list, ",");
        const size_t at = gate->gate.require_count;
        memcpy(word, list, length < sizeof word ? length : sizeof word - 1);
        if (length >= sizeof word || cli_asks.kind(word) < 0) {
            refuse(state, word);
            return;
        }
        if (at == TOPK_REQUIRE_MAX) {
            argp_error(state, "--require takes %d words at most", TOPK_REQUIRE_MAX);
            return;
        }
        if (!has(&gate->gate, word)) {
            memcpy(gate->texts[at], word, sizeof word);
            gate->words[at] = gate->texts[at];
            gate->gate.require = gate->words;
            gate->gate.require_count++;
        }
        list += length;
    } while (*list++ == ',');
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct cli_gate *gate = state->input;
    switch (key) {
    case KEY_REQUIRE:
        take(state, gate, argument);
        return 0;
    case KEY_LEAST:
        gate->gate.has_least = true;
        gate->gate.least = (uint32_t)cli_number(state, "min-supported", argument, 100);
        return 0;
    case KEY_UNCLEAN:
        gate->gate.has_unclean = true;
        gate->gate.unclean = (uint32_t)cli_number(state, "max-unclean", argument, UINT32_MAX);
        return 0;
    case KEY_RESTARTS:
        gate->gate.has_restarts = true;
        gate->gate.restarts = (uint32_t)cli_number(state, "max-restarts", argument, UINT32_MAX);
        return 0;
    case KEY_EXPIRED:
        gate->gate.allow_expired = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_gate_argp = {
    .options =
        (const struct argp_option[]){
            {"require", KEY_REQUIRE, "LIST", 0,
             "Also fail if a call of any kind in LIST is not served: element types, operators and "
             "feature levels such as f16,i8,top_k1,5.0, and classes of `topk-cts coverage' such as "
             "rank=5,index=u64,input=padded",
             0},
            {"min-supported", KEY_LEAST, "PERCENT", 0,
             "Also fail if less than PERCENT of the valid calls are served; "
             "default " TOPK_GATE_LEAST_TEXT " of a whole profile, 0 of a selection",
             0},
            {"max-unclean", KEY_UNCLEAN, "N", 0,
             "Also fail if more than N processes of the backend ended between cases, or did not "
             "end well when they were told to quit; default " TOPK_GATE_UNCLEAN_TEXT,
             0},
            {"max-restarts", KEY_RESTARTS, "N", 0,
             "Also fail if more than N processes were ended from outside, for example by a system "
             "with too little memory, and started again; default " TOPK_GATE_RESTARTS_TEXT,
             0},
            {"allow-expired", KEY_EXPIRED, NULL, 0,
             "Accept expired rules of --expectations. They waive failures in any case, but without "
             "this option they fail the run",
             0},
            {0},
        },
    .parser = parse,
};
