/* Opens the measured backend and its peers. */
#ifndef TOPK_BENCH_PARTY_H
#define TOPK_BENCH_PARTY_H

#include "bench.h"
#include "process/loader.h"

struct parties {
    struct topk_loaded backend;
    struct topk_loaded peers[TOPK_BENCH_PEERS]; /* the open ones, in the order of the report */
};

/* Finds what the options name, pins the process, opens all, and fills in the report. A peer of
 * peers.def that is unavailable is left out, with the reason in the report. If the backend or a
 * peer that a user named cannot be opened, returns false with the reason in error. Close the
 * parties in any case. */
bool topk_parties_open(struct parties *parties, const struct topk_bench_options *options,
                       struct topk_bench_report *report, char *error, size_t error_bytes);
void topk_parties_close(struct parties *parties);

/* Returns the number of processors that threads=N in a spec asks for: 1 without the option, 0 for
 * all. */
uint32_t topk_bench_threads(const char *spec);

#endif
