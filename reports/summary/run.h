/* A run as a whole, read back from its log: who answered what, and what each case came to. */
#ifndef TOPK_RUN_H
#define TOPK_RUN_H

#include "ids.h"
#include "log/log.h"

/* What two runs may differ in: what the header says, and who signed the package, if it is one.
 * FACT(NAME, words) */
#define TOPK_FACT_LIST(FACT)                                                                       \
    FACT(SUITE, "suite")                                                                           \
    FACT(REVISION, "revision of the suite")                                                        \
    FACT(CHAOS, "--chaos")                                                                         \
    FACT(EXPECTATIONS, "expectations, by SHA-256")                                                 \
    FACT(GATE, "gate")                                                                             \
    FACT(PROFILE, "profile")                                                                       \
    FACT(DIGEST, "profile's digest")                                                               \
    FACT(SELECTIONS, "selections")                                                                 \
    FACT(SHARD, "shard")                                                                           \
    FACT(LEVEL, "feature level of the run")                                                        \
    FACT(TIMEOUT, "timeout in seconds")                                                            \
    FACT(SIGNER, "signer's key")                                                                   \
    FACT(SPEC, "--backend")                                                                        \
    FACT(COMMAND, "--backend-command")                                                             \
    FACT(WORKER, "--worker")                                                                       \
    FACT(CONTRACT, "contract")                                                                     \
    FACT(JUDGE, "judge")                                                                           \
    FACT(GUARD_PAGES, "guard pages")                                                               \
    FACT(BACKEND, "backend")                                                                       \
    FACT(VERSION, "version")                                                                       \
    FACT(DEVICE, "device")                                                                         \
    FACT(DRIVER, "driver")                                                                         \
    FACT(FEATURES, "features")                                                                     \
    FACT(BACKEND_LEVEL, "feature level of the backend")                                            \
    FACT(SOFTWARE, "software in the place of hardware")

enum topk_fact {
#define FACT(name, words) TOPK_FACT_##name,
    TOPK_FACT_LIST(FACT)
#undef FACT
    TOPK_FACT_COUNT
};

/* "driver" */
const char *topk_fact_name(enum topk_fact fact);
/* What a backend calls itself, for readers: "(no name)" if that is nothing. */
const char *topk_name_shown(const char *name);
/* Fills the facts from a header. False if memory is short; they are to be freed in any case. */
bool topk_facts_take(char *facts[TOPK_FACT_COUNT], const struct topk_log_header *header);
/* Says who signed the package that the run is from. False if memory is short. */
bool topk_facts_sign(char *facts[TOPK_FACT_COUNT], const char *signer);
void topk_facts_free(char *facts[TOPK_FACT_COUNT]);

/* What a case came to. */
struct topk_outcome {
    enum topk_verdict verdict;      /* TOPK_VERDICT_COUNT: it has no record */
    bool by_status;                 /* it passed, by a status alone */
    uint32_t observations;          /* bits 1 << enum topk_observation */
    struct topk_clause_set clauses; /* that a failure breaks; else empty */
    uint64_t nanoseconds;           /* as the worker saw it */
    bool again;                     /* of an audit: its record of running it again was read */
};

/* Fills what a case came to from its record, which counts as the verdict given: its own one, or the
 * one that expectations make of it. */
void topk_outcome_take(struct topk_outcome *outcome, const struct topk_log_record *record,
                       enum topk_verdict verdict);
/* Counts what was observed of a case. */
void topk_observations_count(uint64_t counts[TOPK_OBSERVATION_COUNT], uint32_t observations);

/* The probe of a name among `count`; NULL if it is not there. */
const struct topk_probe *topk_probe_find(const struct topk_probe *probes, size_t count,
                                         const char *name);
/* Adds a probe to a list, as long as it has less than TOPK_PROBES_MAX and none of that name. False
 * if memory is short. */
bool topk_probes_keep(struct topk_probe **probes, size_t *count, const struct topk_probe *probe);

struct topk_run {
    char *facts[TOPK_FACT_COUNT]; /* owned; "" if there is nothing to say */
    char *started;                /* owned; UTC */
    char *replay;                 /* owned; the command that replays a case, up to the case */
    uint64_t selected;            /* cases of the run, by its header */
    uint64_t recorded;            /* of them have a record */
    bool complete;                /* by its end record */
    bool cut;                     /* the log was; it has no end record */
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t by_status;       /* passes, by a status alone */
    uint64_t unclean;         /* processes that did not end well: topk_process_unclean() */
    uint32_t unclean_allowed; /* of them, by its gate */
    enum topk_judge judge;
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct topk_probe *probes;     /* owned; as they stand in the log, probe_count of them */
    size_t probe_count;            /* TOPK_PROBES_MAX at most */
    struct topk_log_parts parts;   /* owned: what was tested; none if it is not recorded */
    struct topk_outcome *outcomes; /* owned; by number of the case, outcome_count of them */
    size_t outcome_count;          /* cases of a higher number have no record */
};

/* Reads the log at path; ids numbers its cases and is shared by runs that are to be compared. A
 * second record of a case or probe does not count. Returns 0; 1 if it was cut: the run then
 * has all that stands before; -1 if there is nothing to compare: no log, an edited one, no
 * header, no memory. Of 1 and -1 file, line and reason are in error. *run is to be freed in any
 * case. */
int topk_run_read(struct topk_run *run, struct topk_ids *ids, const char *path, char *error,
                  size_t error_bytes);
/* The same of any log. */
int topk_run_read_source(struct topk_run *run, struct topk_ids *ids,
                         const struct topk_log_source *source, char *error, size_t error_bytes);

/* What the case of a number came to. */
const struct topk_outcome *topk_run_outcome(const struct topk_run *run, uint32_t number);

/* What the probe of a name came to; NULL if it has no record. */
const struct topk_probe *topk_run_probe(const struct topk_run *run, const char *name);

void topk_run_free(struct topk_run *run);

#endif
