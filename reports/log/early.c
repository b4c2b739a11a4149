/* Why a run ended early: as a word for the log, and as text for people. */
#include <stdio.h>
#include <string.h>

#include "log.h"

static const char *const words[] = {
#define EARLY(name, word) word,
    TOPK_EARLY_LIST(EARLY)
#undef EARLY
};

const char *topk_early_word(enum topk_early_by by)
{
    return words[by];
}

enum topk_early_by topk_early_parse(const char *word)
{
    int by = 0;
    while (by < TOPK_EARLY_COUNT && strcmp(words[by], word) != 0) {
        by++;
    }
    return (enum topk_early_by)by;
}

void topk_early_print(const struct topk_early *early, char *text, size_t size)
{
    const char *word = words[early->by];
    const bool one = early->limit == 1;
    text[0] = 0;
    switch (early->by) {
    case TOPK_EARLY_NOT:
    case TOPK_EARLY_COUNT:
        break;
    case TOPK_EARLY_FAIL_FAST:
        snprintf(text, size, "ended early after the first failure (--%s)", word);
        break;
    case TOPK_EARLY_MAX_CRASHES:
        snprintf(text, size, "ended early after %.15g %s (--%s %.15g)", early->limit,
                 one ? "crash" : "crashes", word, early->limit);
        break;
    case TOPK_EARLY_MAX_TIMEOUTS:
        snprintf(text, size, "ended early after %.15g %s (--%s %.15g)", early->limit,
                 one ? "timeout" : "timeouts", word, early->limit);
        break;
    case TOPK_EARLY_TIME_BUDGET:
        snprintf(text, size, "time budget of %.15g s spent", early->limit);
        break;
    }
}
