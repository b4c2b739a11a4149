/* How processes of a run ended, workers and those of the backend, otherwise than by being told to
 * quit and exiting with 0. A case that was under way has a result that says so; an end that no case
 * has anything to do with is nowhere else. */
#ifndef TOPK_PROCESS_H
#define TOPK_PROCESS_H

#include <stdbool.h>

/* PROCESS(NAME, word, one, more): one and more are what is said of a process and of several */
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
/* TOPK_PROCESS_COUNT if there is none of that word. */
enum topk_process_end topk_process_parse(const char *word);
/* "ended between cases"; of one process or several. */
const char *topk_process_phrase(enum topk_process_end end, bool one);

/* No result says so, and nobody ended it on purpose: such an end counts against a run. */
bool topk_process_unclean(enum topk_process_end end);

/* Why nothing can be said any more of a run in which a process ended so; NULL if it can. A runner
 * ends the run at once, an audit refuses its log. */
const char *topk_process_wrong(enum topk_process_end end);

/* A process record. */
struct topk_log_process {
    enum topk_process_end end;
    const char *reason; /* how it ended, in words; may be "" */
};

#endif
