/* Measures the time of stages. */
#include "stage.h"

#include <inttypes.h>
#include <string.h>

#include "platform.h"

static struct {
    bool on;
    enum topk_stage stage;
    uint64_t since;
    struct topk_stages spent;
} now;

static const struct {
    const char *word;
    const char *about;
} rows[TOPK_STAGE_COUNT] = {
#define X(name, word, about) {word, about},
    TOPK_STAGE_LIST(X)
#undef X
};

const char *topk_stage_word(enum topk_stage stage)
{
    return rows[stage].word;
}

const char *topk_stage_about(enum topk_stage stage)
{
    return rows[stage].about;
}

void topk_stage_on(enum topk_stage stage)
{
    now.on = true;
    now.stage = stage;
    now.since = topk_clock_now();
}

enum topk_stage topk_stage_enter(enum topk_stage stage)
{
    const enum topk_stage before = now.stage;
    if (now.on) {
        const uint64_t time = topk_clock_now();
        now.spent.nanoseconds[before] += time - now.since;
        now.since = time;
        now.stage = stage;
    }
    return before;
}

struct topk_stages topk_stages_get(void)
{
    topk_stage_enter(now.stage);
    return now.spent;
}

void topk_stages_print(FILE *out, const struct topk_stages *stages)
{
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        if (stages->nanoseconds[i] > 0) {
            fprintf(out, "%s %" PRIu64 "\n", rows[i].word, stages->nanoseconds[i]);
        }
    }
}

bool topk_stages_read(FILE *in, struct topk_stages *stages, char *line, size_t size)
{
    while (fgets(line, (int)size, in) != NULL) {
        char word[16];
        uint64_t nanoseconds;
        int stage = 0;
        if (sscanf(line, "%15s %" SCNu64, word, &nanoseconds) != 2) {
            return false;
        }
        while (stage < TOPK_STAGE_COUNT && strcmp(rows[stage].word, word) != 0) {
            stage++;
        }
        if (stage == TOPK_STAGE_COUNT) {
            return false;
        }
        stages->nanoseconds[stage] += nanoseconds;
    }
    return true;
}
