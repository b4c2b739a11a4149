/* The bugs of a run: its failures, put together by what the failing cases share and by what
 * explains them. One entry is one bug, as far as the cases can tell. */
#ifndef TOPK_ENTRIES_H
#define TOPK_ENTRIES_H

#include <stdio.h>

#include "condition/learn.h"
#include "log/log.h"
#include "reference/result.h"

struct topk_gathering;

struct topk_entry {
    struct topk_bug bug;
    uint64_t count;            /* failing cases of the run */
    uint64_t first;            /* the lowest number of one */
    uint64_t number;           /* of the example, the smallest by input elements, then by number */
    uint64_t elements;         /* of its input; UINT64_MAX: not known */
    char *id;                  /* owned; of the example */
    uint64_t alone;            /* those that were run alone again */
    uint64_t behind;           /* of them, those that passed alone, and failed behind others */
    enum topk_verdict verdict; /* of most of them */
    enum topk_clause clause;   /* that most of them break first, or that of the cause */
    topk_reading_set readings; /* each gives every output of the failures, and is contradicted by no
                                  case that passed within the condition; 0: none is known */
    bool guess;                /* of the readings: too few outputs differ to be sure */
};

/* Cases that are learned from. Of more, evenly taken ones stand for all: a power of two of
 * failures, or of other cases, for each that is kept. No profile has so many. */
#define TOPK_GATHERED_MOST 300000u

struct topk_entries {
    struct topk_entry *list; /* owned; those of more failures first */
    size_t count;
    uint64_t failures; /* cases of the run that failed */
    /* every so many failures, and other cases, one was learned from, and counts are of these; 1:
     * all */
    uint64_t every_failure, every_other;
    uint64_t *numbers; /* owned; of the cases that failed, ascending; number_count of them */
    unsigned char *of; /* owned; the entry of each, by number in the list */
    size_t number_count;
};

/* Reads a log, and the cases that were run to look at borders (topk_log_fresh). Returns as
 * topk_log_read_source() does, or -1 with the reason in error if memory is short; *entries is to be
 * freed in any case. Nothing is worked out if no case failed. */
int topk_entries_read(struct topk_entries *entries, const struct topk_log_source *source,
                      char *error, size_t error_bytes);
/* The same without working them out: *gathering is to be freed, and NULL if memory is short. */
int topk_gathering_read(struct topk_gathering **gathering, const struct topk_log_source *source,
                        char *error, size_t error_bytes);

/* A case that failed in an entry, by its place among those that did: from 0 on, in the order of the
 * log. NULL behind the last. Lives as long as the gathering. */
const char *topk_gathering_member(const struct topk_gathering *gathering,
                                  const struct topk_entries *entries, size_t entry, size_t place);

/* Writes the ids of these cases, a line each, `most` at most. */
void topk_gathering_write(const struct topk_gathering *gathering,
                          const struct topk_entries *entries, size_t entry, uint64_t most,
                          FILE *file);

/* Gathers cases one by one instead: each with its number, its id and its result. */
struct topk_gathering *topk_gathering_new(const struct topk_contract *contract);
/* A case, or a fresh one (see topk_sample), as a log has it. False if memory is short. */
bool topk_gathering_add(struct topk_gathering *gathering, const struct topk_log_record *record,
                        bool fresh);
/* The same of a result that is in no log. */
bool topk_gathering_add_result(struct topk_gathering *gathering, uint64_t number, const char *id,
                               const struct topk_result *result, bool fresh);
/* Takes fewer than TOPK_GATHERED_MOST cases, for tests; before the first is added. */
void topk_gathering_limit(struct topk_gathering *gathering, size_t most);
/* Works the entries out from what was gathered so far. False if memory is short; *entries is to be
 * freed in any case. */
bool topk_gathering_learn(struct topk_gathering *gathering, struct topk_entries *entries);
void topk_gathering_free(struct topk_gathering *gathering);

/* The entry of a case that failed, by its number; NULL if there is none. */
const struct topk_entry *topk_entries_find(const struct topk_entries *entries, uint64_t number);

/* Writes what explains an entry: "every index counts from 1", with "possible cause: " before a
 * guess; "" if nothing is known. */
#define TOPK_ENTRY_CAUSE 256
void topk_entry_cause(const struct topk_entry *entry, char text[TOPK_ENTRY_CAUSE]);

/* Writes how the order of calls counts: "what was called before matters: of 16 that were run again,
 * 16 fail only behind other cases"; "" if it is not seen to. */
#define TOPK_ENTRY_ORDER 160
void topk_entry_order(const struct topk_entry *entry, char text[TOPK_ENTRY_ORDER]);

/* Writes what the numbers of entries are of: "these numbers are of every 4th failure and every 8th
 * other case"; "" if they are of all. */
#define TOPK_ENTRIES_SAMPLE 120
void topk_entries_sample(const struct topk_entries *entries, char text[TOPK_ENTRIES_SAMPLE]);

void topk_entries_free(struct topk_entries *entries);

#endif
