/* How processes of a run ended, workers and backends, unless they quit on request and exited with
 * 0. If a case was running, its result says so; an end that concerns no case is recorded only
 * here. */
#ifndef TOPK_PROCESS_H
#define TOPK_PROCESS_H

#include <stdbool.h>

/* PROCESS(NAME, word, one, more): one and more are the phrases for one process and for several */
#define TOPK_PROCESS_LIST(PROCESS)                                                                 \
    /* cases were under way: what they came to accounts for it */                                  \
    PROCESS(UNDER_WAY, "under-way", "ended with cases under way", "ended with cases under way")    \
    /* somebody else ended it, by SIGKILL, SIGTERM or SIGHUP; its cases were run again */          \
    PROCESS(OUTSIDE, "outside", "was ended from outside", "were ended from outside")               \
    /* no case was under way: it ended, exit code 0 or not, or said what nobody had asked for */   \
    PROCESS(BETWEEN, "between", "ended between cases", "ended between cases")                      \
    /* it was told to quit, and crashed, exited with another code than 0, hung, or said more */    \
    PROCESS(QUIT, "quit", "did not end well when it was told to quit",                             \
            "did not end well when they were told to quit")                                        \
    /* it was started again, and is another backend than the one before it */                      \
    PROCESS(CHANGED, "changed", "introduced itself differently when it was started again",         \
            "introduced themselves differently when they were started again")                      \
    /* of several commands: it could not be started again; its cases were given to others */       \
    PROCESS(LOST, "lost", "was lost with its machine", "were lost with their machines")

enum topk_process_end {
#define PROCESS(name, word, one, more) TOPK_PROCESS_##name,
    TOPK_PROCESS_LIST(PROCESS)
#undef PROCESS
    TOPK_PROCESS_COUNT
};

/* "between" */
const char *topk_process_word(enum topk_process_end end);
/* Returns TOPK_PROCESS_COUNT if there is no such word. */
enum topk_process_end topk_process_parse(const char *word);
/* "ended between cases"; for one process or several. */
const char *topk_process_phrase(enum topk_process_end end, bool one);

/* Whether an end counts against a run: no result explains it, and nothing ended the process on
 * purpose. */
bool topk_process_unclean(enum topk_process_end end);

/* Why an end makes a run worthless; NULL if it does not. The runner then ends the run, and an audit
 * rejects its log. */
const char *topk_process_wrong(enum topk_process_end end);

/* A process record. */
struct topk_log_process {
    enum topk_process_end end;
    const char *reason; /* how it ended, in words; may be "" */
};

#endif
