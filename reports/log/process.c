/* How the processes of a run ended. */
#include "process.h"

#include <string.h>

static const struct {
    const char *word, *one, *more;
} ends[] = {
#define PROCESS(name, word, one, more) {word, one, more},
    TOPK_PROCESS_LIST(PROCESS)
#undef PROCESS
};

const char *topk_process_word(enum topk_process_end end)
{
    return ends[end].word;
}

enum topk_process_end topk_process_parse(const char *word)
{
    int end = 0;
    while (end < TOPK_PROCESS_COUNT && strcmp(ends[end].word, word) != 0) {
        end++;
    }
    return (enum topk_process_end)end;
}

const char *topk_process_phrase(enum topk_process_end end, bool one)
{
    return one ? ends[end].one : ends[end].more;
}

bool topk_process_unclean(enum topk_process_end end)
{
    return end == TOPK_PROCESS_BETWEEN || end == TOPK_PROCESS_QUIT || end == TOPK_PROCESS_CHANGED ||
           end == TOPK_PROCESS_LOST;
}

const char *topk_process_wrong(enum topk_process_end end)
{
    return end == TOPK_PROCESS_CHANGED ? "two workers introduce themselves differently" : NULL;
}
