/* The measured backend and its peers. */
#ifndef TOPK_BENCH_PARTY_H
#define TOPK_BENCH_PARTY_H

#include "bench.h"
#include "process/loader.h"

struct parties {
    struct topk_loaded backend;
    struct topk_loaded peers[TOPK_BENCH_PEERS]; /* those that are open, as the report has them */
};

/* Finds and opens what the options name, pins the process in between, and fills in the report. A
 * peer of peers.def that does not open is left out: the report says why. Other failures, of the
 * backend or of a peer that a user named, end it: false with the reason in error. */
bool topk_parties_open(struct parties *parties, const struct topk_bench_options *options,
                       struct topk_bench_report *report, char *error, size_t error_bytes);
void topk_parties_close(struct parties *parties);

/* Processors that a spec asks for by threads=N among its options: 1 without, 0 for all. */
uint32_t topk_bench_threads(const char *spec);

#endif
