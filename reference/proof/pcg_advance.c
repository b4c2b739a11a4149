/* topk_pcg_advance() by n draws equals n calls of topk_pcg_next(), n <= STEPS; by 2^n it equals
 * twice 2^(n - 1), for each n; and by 2^64 - n it undoes n draws. For all states and streams. */
#include "pcg.h"
#include "prove.h"

int main(void)
{
    const struct topk_pcg start = {.state = nondet_u64(), .increment = nondet_u64()};
    struct topk_pcg stepped = start;
    for (uint64_t n = 0; n <= STEPS; n++) {
        struct topk_pcg moved = start;
        topk_pcg_advance(&moved, n);
        PROVE(moved.state == stepped.state && moved.increment == start.increment);
        topk_pcg_advance(&moved, -n);
        PROVE(moved.state == start.state);
        topk_pcg_next(&stepped);
    }
    for (int n = 1; n < 64; n++) {
        struct topk_pcg once = start;
        struct topk_pcg twice = start;
        topk_pcg_advance(&once, (uint64_t)1 << n);
        topk_pcg_advance(&twice, (uint64_t)1 << (n - 1));
        topk_pcg_advance(&twice, (uint64_t)1 << (n - 1));
        PROVE(once.state == twice.state);
    }
    REACHED(true);
}
