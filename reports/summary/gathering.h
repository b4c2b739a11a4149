/* The cases of a run that are kept to find its bugs and their causes. Only entries.c and cause.c
 * include this. */
#ifndef TOPK_GATHERING_H
#define TOPK_GATHERING_H

#include "entries.h"
#include "ids.h"

/* A case that was kept for analysis. */
struct gathered {
    uint64_t number;
    char *id; /* owned by this structure */
    enum topk_verdict verdict;
    enum topk_clause clause;
    uint64_t elements; /* of the inputs of all its calls */
    bool alone;        /* it was run again on its own */
    bool behind;       /* on its own it passed, but it failed after other cases */
};

struct topk_gathering {
    struct topk_contract contract;
    struct gathered *cases;
    struct topk_sample *samples;
    size_t count;
    size_t room;
    size_t most;       /* TOPK_GATHERED_MOST */
    uint64_t every[2]; /* how many other cases, and failures, each kept one stands for */
    uint64_t seen[2];
    size_t kept[2];
    uint64_t failures;
    struct topk_ids kinds;
    struct topk_ids sites;
};

/* Returns the text of a case in its id, "ties.boundary:top_k1 ...". */
const char *topk_gathered_text(const char *id);

/* Looks at the data of a kept case, as struct topk_look has it; context: the gathering. */
void topk_gathered_look(void *context, size_t number, struct topk_features *features);

/* Determines the cause of an entry, which may narrow its condition. Returns false if memory ran
 * out. */
bool topk_settle_cause(struct topk_gathering *gathering, struct topk_bugs *bugs, size_t number,
                       struct topk_entry *entry);

#endif
