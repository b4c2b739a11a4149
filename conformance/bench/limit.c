/* The limits. The build compiles this file with the options of the judge, because gcc does not
 * vectorise these loops below -O3. */
#include "limit.h"

#define LANES 16u

uint64_t topk_limit_sum(const unsigned char *from, uint64_t bytes)
{
    const uint32_t *words = (const uint32_t *)(const void *)from;
    uint32_t lanes[LANES] = {0};
    uint64_t total = 0;
    for (uint64_t i = 0; i + LANES <= bytes / sizeof *words; i += LANES) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            lanes[lane] += words[i + lane];
        }
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        total += lanes[lane];
    }
    return total;
}

#define SUM(type)                                                                                  \
    {                                                                                              \
        const type *elements = (const type *)(const void *)from;                                   \
        uint64_t lanes[4] = {0};                                                                   \
        for (uint64_t i = 0; i + 4 <= count; i += 4) {                                             \
            for (uint32_t lane = 0; lane < 4; lane++) {                                            \
                lanes[lane] += (uint64_t)elements[(i + lane) * stride];                            \
            }                                                                                      \
        }                                                                                          \
        return lanes[0] + lanes[1] + lanes[2] + lanes[3];                                          \
    }

uint64_t topk_limit_strided(const unsigned char *from, uint64_t count, uint32_t width,
                            uint32_t stride)
{
    switch (width) {
    case 1:
        SUM(uint8_t)
    case 2:
        SUM(uint16_t)
    case 4:
        SUM(uint32_t)
    default:
        SUM(uint64_t)
    }
}
