/* What the two kinds of exploring share: one implementation against its contract (explore.c), and
 * two against each other (explore_against.c). */
#ifndef TOPK_EXPLORE_H
#define TOPK_EXPLORE_H

#include "feedback/feedback.h"
#include "generate/generate.h"
#include "session/session.h"

/* seconds that cases which are under way get when the time is up */
#define EXPLORE_GRACE 5.0

struct explore {
    struct cli_backend backend;
    struct cli_backend against; /* --against; neither spec nor command: not given */
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
    char *const *given; /* cases on the command line, with --against: in place of drawn ones */
    size_t given_count;
    struct cli_cases cases; /* these, once they are read */
    /* the run */
    struct cli_workers workers;
    struct topk_feedback *feedback; /* NULL: cases are drawn without */
    uint64_t position;              /* of the next case */
    uint64_t end;                   /* behind the last one of the round */
    uint64_t low;                   /* the first that has no result */
    uint64_t *answered; /* bits by position, a window of them: those from low on that have one */
    double started;     /* seconds */
    char *text;         /* of the case that was drawn last, */
    bool texted;        /* if one was, */
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

/* Makes the case of a position, to be cleared, and its text, explore->text. False if memory is
 * short. */
bool explore_draw(struct explore *explore, uint64_t position, struct topk_case *tc, size_t *length);
/* Makes explore->id of it: "explore.SEED-POSITION:TEXT", or the text of a case that was given;
 * returns its length. */
size_t explore_id(struct explore *explore, uint64_t position);

/* With --feedback: makes ready for it, before workers are started, and ends it. */
void explore_feedback_open(struct explore *explore);
void explore_feedback_close(struct explore *explore);
/* Runs the cases of a job in rounds; a case's text, its result and its end are those of the job. */
enum topk_runner_status explore_feedback_run(struct explore *explore, struct topk_runner_job *job,
                                             char error[TOPK_RUNNER_ERROR]);
/* Prints what it came to, a line. */
void explore_feedback_print(const struct explore *explore);

/* Seconds since some moment. */
double explore_now(void);

/* The file of the shrunk cases, of whom it is about, to be freed; NULL after a message. */
char *explore_out_path(const struct explore *explore, const char *name);

/* Ends the program after a message if --out cannot be used. */
void explore_check_out(struct topk_lock *lock, const char *path);

/* Explores two implementations, once the command line is read; returns what to exit with. */
int explore_against(struct explore *explore);

#endif
