/* Shared by the two ways to explore: one implementation against its contract (explore.c), and two
 * implementations against each other (explore_against.c). */
#ifndef TOPK_EXPLORE_H
#define TOPK_EXPLORE_H

#include "feedback/feedback.h"
#include "generate/generate.h"
#include "session/session.h"

/* Seconds that running cases get to finish when the time is up. */
#define EXPLORE_GRACE 5.0

struct explore {
    struct cli_backend backend;
    struct cli_backend against; /* --against; without spec and command: not given */
    double time;                /* seconds; 0: no limit */
    uint64_t count;             /* cases; 0: no limit */
    uint64_t seed;
    bool seeded; /* --seed was given */
    uint64_t from;
    bool first; /* stop at the first failure */
    bool list;
    uint32_t jobs;
    struct topk_limits limits;
    const char *corpus_path; /* --corpus, or NULL */
    struct cli_corpus corpus;
    bool guided; /* --feedback */
    enum topk_feedback_kind feedback_kind;
    const char *keep; /* --keep, or NULL */
    const char *out;
    char *const *given; /* cases on the command line, with --against: run instead of drawn ones */
    size_t given_count;
    struct cli_cases cases; /* the parsed `given` cases */
    /* state of the run */
    struct cli_workers workers;
    struct topk_feedback *feedback; /* NULL: cases are drawn without feedback */
    uint64_t position;              /* of the next case */
    uint64_t end;                   /* after the last case of the round */
    uint64_t low;                   /* first position without a result */
    uint64_t *answered; /* a bit for each position of the window from `low` on: it has a result */
    double started;     /* seconds */
    char *text;         /* of the most recently drawn case, if `texted` */
    bool texted;        /* whether a case was drawn */
    uint64_t text_position;
    size_t text_length;
    char *id;
    struct cli_tally tally;
    struct topk_distinct distinct;
    struct topk_failure_style style;
    struct cli_progress progress;
    struct cli_early early;
    bool no_memory;
};

/* Draws the case of a position, and writes its text to explore->text; clear *tc afterwards. Returns
 * false if memory is short. */
bool explore_draw(struct explore *explore, uint64_t position, struct topk_case *tc, size_t *length);
/* Writes the id of this case to explore->id: "explore.SEED-POSITION:TEXT", or the text of a case
 * from the command line. Returns its length. */
size_t explore_id(struct explore *explore, uint64_t position);

/* Starts feedback, for --feedback; call it before workers are started. The second function ends
 * it. */
void explore_feedback_open(struct explore *explore);
void explore_feedback_close(struct explore *explore);
/* Runs the cases of a job in rounds; texts, results and ticks go through the functions of the
 * job. */
enum topk_runner_status explore_feedback_run(struct explore *explore, struct topk_runner_job *job,
                                             char error[TOPK_RUNNER_ERROR]);
/* Prints one line that sums up the feedback. */
void explore_feedback_print(const struct explore *explore);

/* Returns seconds since an arbitrary moment. */
double explore_now(void);

/* Returns the path of the file for the shrunk cases of an implementation; free it. Returns NULL
 * after a message. */
char *explore_out_path(const struct explore *explore, const char *name);

/* Ends the program after a message if --out cannot be used. */
void explore_check_out(struct topk_lock *lock, const char *path);

/* Explores two implementations, after the command line was read; returns the exit code. */
int explore_against(struct explore *explore);

#endif
