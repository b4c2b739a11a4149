/* The bugs of a run: its failures, grouped by what the failing cases share and by what explains
 * them. One entry is one bug, as far as the cases can tell. */
#ifndef TOPK_ENTRIES_H
#define TOPK_ENTRIES_H

#include <stdio.h>

#include "condition/learn.h"
#include "log/log.h"
#include "reference/result.h"

struct topk_gathering;

struct topk_entry {
    struct topk_bug bug;
    uint64_t count; /* failing cases */
    uint64_t first; /* least number of its cases */
    /* number of the example: the case with the fewest input elements in all calls; if equal, the
     * least number */
    uint64_t number;
    uint64_t elements;         /* of its input; UINT64_MAX: unknown */
    char *id;                  /* owned; id of the example */
    uint64_t alone;            /* cases that were run again alone */
    uint64_t behind;           /* of these, those that passed alone and failed after others */
    enum topk_verdict verdict; /* of most of its cases */
    /* the first one that most of its cases break, or that of the cause */
    enum topk_clause clause;
    /* each gives every output of the failures, and no passing case within the condition contradicts
     * it; 0: none is known */
    topk_reading_set readings;
    uint64_t caused; /* failures that the readings explain: all, or most of them */
    bool guess;      /* too few outputs differ to be certain about the readings */
};

/* Greatest number of cases from which entries are learned. If there are more, only one of every
 * power of two of failures, or of other cases, is kept. No profile has so many. */
#define TOPK_GATHERED_MOST 300000u

struct topk_entries {
    struct topk_entry *list; /* owned; those with more failures first */
    size_t count;
    uint64_t failures; /* failing cases of the run */
    /* one of so many failures, and of other cases, was kept, and counts refer to these; 1: all */
    uint64_t every_failure, every_other;
    uint64_t *numbers; /* owned; numbers of the failing cases, ascending; number_count of them */
    unsigned char *of; /* owned; for each of these, the index of its entry in the list */
    size_t number_count;
};

/* Reads a log, including cases that were run to examine borders (topk_log_fresh), and computes the
 * entries, if any case failed. Returns like topk_log_read_source(), or -1 with the reason in error
 * if memory is short. Free *entries in any case. */
int topk_entries_read(struct topk_entries *entries, const struct topk_log_source *source,
                      char *error, size_t error_bytes);
/* The same without computing the entries: free *gathering, which is NULL if memory is short. */
int topk_gathering_read(struct topk_gathering **gathering, const struct topk_log_source *source,
                        char *error, size_t error_bytes);

/* Returns the id of a failing case of an entry by its position, from 0, in the order of the log;
 * NULL after the last. Valid as long as the gathering. */
const char *topk_gathering_member(const struct topk_gathering *gathering,
                                  const struct topk_entries *entries, size_t entry, size_t place);

/* Writes the ids of these cases, one per line, at most `most`. */
void topk_gathering_write(const struct topk_gathering *gathering,
                          const struct topk_entries *entries, size_t entry, uint64_t most,
                          FILE *file);

/* Gathers cases one by one instead, each with its number, id and result. */
struct topk_gathering *topk_gathering_new(const struct topk_contract *contract);
/* Adds a case, or a fresh one (see topk_sample), from a log. Returns false if memory is short. */
bool topk_gathering_add(struct topk_gathering *gathering, const struct topk_log_record *record,
                        bool fresh);
/* The same for a result that is not from a log. */
bool topk_gathering_add_result(struct topk_gathering *gathering, uint64_t number, const char *id,
                               const struct topk_result *result, bool fresh);
/* Reduces TOPK_GATHERED_MOST, for tests; call it before the first case is added. */
void topk_gathering_limit(struct topk_gathering *gathering, size_t most);
/* Computes the entries from the gathered cases. Returns false if memory is short. Free *entries in
 * any case. */
bool topk_gathering_learn(struct topk_gathering *gathering, struct topk_entries *entries);
void topk_gathering_free(struct topk_gathering *gathering);

/* Returns the entry of a failing case by its number; NULL if there is none. */
const struct topk_entry *topk_entries_find(const struct topk_entries *entries, uint64_t number);

/* Writes what explains an entry: "every index counts from 1", preceded by "possible cause: " if it
 * is a guess; "in 236 of 262 cases every index counts from 1; the cause of the other 26 is not
 * known" if it explains only most of them; "" if nothing is known. */
#define TOPK_ENTRY_CAUSE 256
void topk_entry_cause(const struct topk_entry *entry, char text[TOPK_ENTRY_CAUSE]);

/* Writes how an entry depends on the order of calls: "what was called before matters: of 16 that
 * were run again, 16 fail only behind other cases"; "" if it does not. */
#define TOPK_ENTRY_ORDER 160
void topk_entry_order(const struct topk_entry *entry, char text[TOPK_ENTRY_ORDER]);

/* Writes which cases the counts refer to: "these numbers are of every 4th failure and every 8th
 * other case"; "" for all. */
#define TOPK_ENTRIES_SAMPLE 120
void topk_entries_sample(const struct topk_entries *entries, char text[TOPK_ENTRIES_SAMPLE]);

void topk_entries_free(struct topk_entries *entries);

#endif
