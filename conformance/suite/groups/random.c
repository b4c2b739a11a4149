/* Random cases of the generator, from fixed seeds. A change of the generator changes them and
 * requires a new version of profile full. */
#include "generate/generate.h"
#include "group.h"

#define VALID   190000u
#define INVALID 40000u

/* `count` distinct cases */
static void emit(struct topk_sink *sink, uint64_t seed, uint32_t count, bool valid)
{
    struct topk_seen seen;
    if (!topk_seen_make(&seen, count)) {
        sink->no_memory = true;
        return;
    }
    uint32_t emitted = 0;
    for (uint64_t position = 0; emitted < count && !sink->stopped; position++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, seed, position);
        if (!valid) {
            topk_generate_invalid(&choice, &tc);
        } else if (!topk_generate_valid(&choice, &topk_limits_usual, &tc)) {
            sink->no_memory = true;
            break;
        }
        if (topk_seen_add(&seen, &tc)) {
            emitted++;
            topk_emit(sink, &tc);
        }
        topk_case_clear(&tc);
    }
    topk_seen_free(&seen);
}

static void valid(struct topk_sink *sink)
{
    emit(sink, 1, VALID, true);
}

static void invalid(struct topk_sink *sink)
{
    emit(sink, 2, INVALID, false);
}

const struct topk_test topk_group_random[] = {
    {"random", "valid", "whatever the generator draws, 190,000 times", .enumerate = valid},
    {"random", "invalid", "one clause or two, broken in a random case, 40,000 times",
     .enumerate = invalid},
    {0},
};
