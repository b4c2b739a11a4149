/* Runs cases several times. */
#include "repeat.h"

#include <stdlib.h>
#include <string.h>

/* ---- the option ------------------------------------------------------------------------------ */

#define KEY_REPEAT 4300

static error_t parse(int key, char *argument, struct argp_state *state)
{
    uint32_t *times = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        *times = 1;
        return 0;
    case KEY_REPEAT:
        *times = (uint32_t)cli_number_from(state, "repeat", argument, 1, CLI_REPEAT_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_repeat_argp = {
    .options =
        (const struct argp_option[]){
            {"repeat", KEY_REPEAT, "N", 0,
             "Run each case N times in a row; a case that fails in some of them and passes in "
             "others is flaky",
             0},
            {0},
        },
    .parser = parse,
};

/* ---- the job --------------------------------------------------------------------------------- */

bool cli_repeat_next(struct cli_repeat *repeat, uint64_t *number)
{
    const uint64_t at = repeat->next / repeat->times;
    if (at == repeat->count) {
        return false;
    }
    *number = repeat->next++;
    return true;
}

/* finds or adds the case of a number; NULL if memory is short */
static struct cli_repeated *find(struct cli_repeat *repeat, uint64_t number)
{
    for (size_t i = repeat->list_count; i-- > 0;) {
        if (repeat->list[i].number == number) {
            return &repeat->list[i];
        }
    }
    if (repeat->list_count == repeat->list_room) {
        const size_t room = 2 * repeat->list_room + 16;
        struct cli_repeated *list = realloc(repeat->list, room * sizeof *list);
        if (list == NULL) {
            return NULL;
        }
        repeat->list = list;
        repeat->list_room = room;
    }
    struct topk_result *result = calloc(1, sizeof *result);
    struct cli_repeated *entry = &repeat->list[repeat->list_count];
    repeat->list_count += result != NULL;
    *entry = (struct cli_repeated){number, result};
    return result == NULL ? NULL : entry;
}

/* merges a result into those of its case */
static void add(struct topk_result *whole, const struct topk_result *result)
{
    const uint32_t runs = whole->runs + 1;
    const uint32_t failed = whole->failed + topk_verdict_failure(result->verdict);
    const uint32_t observations = whole->judgement.observations | result->judgement.observations;
    if (runs == 1 || (failed == 1 && topk_verdict_failure(result->verdict))) {
        *whole = *result;
    }
    whole->judgement.observations = observations;
    whole->runs = runs;
    whole->failed = failed;
}

const struct topk_result *cli_repeat_take(struct cli_repeat *repeat, uint64_t number,
                                          const struct topk_result *result, bool *ok)
{
    struct cli_repeated *entry = find(repeat, number / repeat->times);
    *ok = entry != NULL;
    if (entry == NULL) {
        return NULL;
    }
    add(entry->result, result);
    if (entry->result->runs < repeat->times) {
        return NULL;
    }
    repeat->whole = *entry->result;
    free(entry->result);
    *entry = repeat->list[--repeat->list_count];
    if (repeat->whole.failed > 0 && repeat->whole.failed < repeat->whole.runs) {
        repeat->whole.verdict = TOPK_VERDICT_FLAKY;
    }
    return &repeat->whole;
}

void cli_repeat_free(struct cli_repeat *repeat)
{
    for (size_t i = 0; i < repeat->list_count; i++) {
        free(repeat->list[i].result);
    }
    free(repeat->list);
    memset(repeat, 0, sizeof *repeat);
}
