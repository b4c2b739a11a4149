/* PCG32. pcg_test.c compares it with the published vector. */
#include "pcg.h"

void topk_pcg_seed(struct topk_pcg *pcg, uint64_t seed, uint64_t stream)
{
    pcg->state = 0;
    pcg->increment = stream << 1 | 1;
    topk_pcg_next(pcg);
    pcg->state += seed;
    topk_pcg_next(pcg);
}

void topk_pcg_advance(struct topk_pcg *pcg, uint64_t delta)
{
    /* applies x -> a*x + c delta times, by squaring the map */
    uint64_t multiplier = TOPK_PCG_MULTIPLIER;
    uint64_t increment = pcg->increment;
    uint64_t total_multiplier = 1;
    uint64_t total_increment = 0;
    while (delta != 0) {
        if (delta & 1) {
            total_multiplier *= multiplier;
            total_increment = total_increment * multiplier + increment;
        }
        increment *= multiplier + 1;
        multiplier *= multiplier;
        delta >>= 1;
    }
    pcg->state = total_multiplier * pcg->state + total_increment;
}

/* a step of the generator, or several: x -> multiplier * x + increment */
struct step {
    uint64_t multiplier;
    uint64_t increment;
};

static uint64_t apply(struct step step, uint64_t state)
{
    return state * step.multiplier + step.increment;
}

static struct step repeated(struct step step, uint32_t count)
{
    struct step all = {1, 0};
    for (uint32_t i = 0; i < count; i++) {
        all.multiplier *= step.multiplier;
        all.increment = apply(step, all.increment);
    }
    return all;
}

void topk_pcg_fill(struct topk_pcg *pcg, uint32_t *to, uint32_t count, uint32_t skipped)
{
    const struct step single = {TOPK_PCG_MULTIPLIER, pcg->increment};
    const struct step step = repeated(single, skipped + 1);
    uint64_t state = apply(repeated(single, skipped), pcg->state);
    uint32_t i = 0;
    if (count >= 32) {
        /* four at a time, since a state takes longer to compute than a draw */
        const struct step four = repeated(step, 4);
        uint64_t a = state;
        uint64_t b = apply(step, a);
        uint64_t c = apply(step, b);
        uint64_t d = apply(step, c);
        for (; count - i > 4; i += 4) {
            to[i] = topk_pcg_output(a);
            to[i + 1] = topk_pcg_output(b);
            to[i + 2] = topk_pcg_output(c);
            to[i + 3] = topk_pcg_output(d);
            a = apply(four, a);
            b = apply(four, b);
            c = apply(four, c);
            d = apply(four, d);
        }
        state = a;
    }
    for (; i < count; i++) {
        to[i] = topk_pcg_output(state);
        pcg->state = apply(single, state);
        state = apply(step, state);
    }
}
