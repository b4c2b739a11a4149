/* A run, read from its log: what was tested, and the outcome of each case. */
#ifndef TOPK_RUN_H
#define TOPK_RUN_H

#include "ids.h"
#include "log/log.h"

/* Facts in which two runs may differ: those in the header, and the signer of the package, if there
 * is one. FACT(NAME, words) */
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
/* A backend's name for readers: "(no name)" if it is empty. */
const char *topk_name_shown(const char *name);
/* Fills the facts from a header. Returns false if memory is short; free them in any case. */
bool topk_facts_take(char *facts[TOPK_FACT_COUNT], const struct topk_log_header *header);
/* Sets who signed the package from which the run was read. Returns false if memory is short. */
bool topk_facts_sign(char *facts[TOPK_FACT_COUNT], const char *signer);
void topk_facts_free(char *facts[TOPK_FACT_COUNT]);

/* The outcome of a case. */
struct topk_outcome {
    enum topk_verdict verdict;      /* TOPK_VERDICT_COUNT: no record */
    bool by_status;                 /* it passed by a status alone */
    uint32_t observations;          /* bits 1 << enum topk_observation */
    struct topk_clause_set clauses; /* that a failure breaks; otherwise empty */
    uint64_t nanoseconds;           /* measured by the worker */
    bool again;                     /* in an audit: its again record was read */
};

/* Fills an outcome from a record. verdict: the case's own one, or the one after expectations. */
void topk_outcome_take(struct topk_outcome *outcome, const struct topk_log_record *record,
                       enum topk_verdict verdict);
/* Counts the observations of a case. */
void topk_observations_count(uint64_t counts[TOPK_OBSERVATION_COUNT], uint32_t observations);

/* Returns the probe with a name among `count`; NULL if it is not there. */
const struct topk_probe *topk_probe_find(const struct topk_probe *probes, size_t count,
                                         const char *name);
/* Appends a probe to a list, if that has fewer than TOPK_PROBES_MAX and none with the same name.
 * Returns false if memory is short. */
bool topk_probes_keep(struct topk_probe **probes, size_t *count, const struct topk_probe *probe);

struct topk_run {
    char *facts[TOPK_FACT_COUNT]; /* owned; "" if empty */
    char *started;                /* owned; UTC */
    char *replay;                 /* owned; the command that replays a case, without the case */
    uint64_t selected;            /* number of cases of the run, from its header */
    uint64_t recorded;            /* number of cases with a record */
    bool complete;                /* from the end record */
    bool cut;                     /* the log is truncated: it has no end record */
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t by_status;       /* passes by a status alone */
    uint64_t unclean;         /* processes that ended badly: topk_process_unclean() */
    uint32_t unclean_allowed; /* how many of these its gate allows */
    enum topk_judge judge;
    uint64_t observations[TOPK_OBSERVATION_COUNT];
    struct topk_probe *probes;     /* owned; in the order of the log, probe_count of them */
    size_t probe_count;            /* at most TOPK_PROBES_MAX */
    struct topk_log_parts parts;   /* owned: what was tested; empty if it is not recorded */
    struct topk_outcome *outcomes; /* owned; by number of the case, outcome_count of them */
    size_t outcome_count;          /* cases with a greater number have no record */
};

/* Reads the log at path; ids numbers its cases and is shared by runs that are compared. A second
 * record of a case or probe is ignored. Returns 0; 1 if the log is truncated, with the run as far
 * as it goes; -1 if there is nothing to compare: no log, an edited one, no header, no memory. For 1
 * and -1, file, line and reason are in error. Free *run in any case. */
int topk_run_read(struct topk_run *run, struct topk_ids *ids, const char *path, char *error,
                  size_t error_bytes);
/* The same for any source. */
int topk_run_read_source(struct topk_run *run, struct topk_ids *ids,
                         const struct topk_log_source *source, char *error, size_t error_bytes);

/* Returns the outcome of a case by its number. */
const struct topk_outcome *topk_run_outcome(const struct topk_run *run, uint32_t number);

/* Returns the result of a probe by name; NULL if it has no record. */
const struct topk_probe *topk_run_probe(const struct topk_run *run, const char *name);

void topk_run_free(struct topk_run *run);

#endif
