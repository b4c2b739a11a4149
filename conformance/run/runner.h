/* The runner: keeps worker processes fed with cases, pins every end of one to a case, and hands on
 * one result for each case. docs/protocol.md is what it speaks.
 *
 * What happens to a case whose worker ends while it runs, by itself or with its backend process:
 *   - It had begun alone (`begin I 1`): `crash`, whatever the exit code. Words that are no answer
 *     count as a crash: "garbage on the pipe".
 *   - Several had begun at once (`begin I N`): each is run again, alone. The one that ends the
 *     worker alone, too, is the culprit; the others keep the result that they had alone. If none
 *     does, the first one of them is `flaky`. The same is done if a device was lost under several.
 *   - The worker says which of them were under way (`died I N W`): only these are suspects, even if
 *     there is one; the others are sent again as if they had never been. What is under test says
 *     so and may lie: a case is spared that way three times at most.
 *   - The time ran out: each suspect is run again, alone, in a fresh worker, one that has begun
 *     nothing. What exceeds the limit there is a `timeout`, so a hang costs two limits; the others
 *     keep the result that they had there. If several had the time together and none exceeds it
 *     alone, that is noted once; if it happens again to a worker, it gets fewer cases at once. One
 *     that had the time for itself is `flaky` then.
 *   - It was killed from outside, by SIGKILL, SIGTERM or SIGHUP, as the system does when memory is
 *     short: its cases are sent again as if they had never been. What is under test can end itself
 *     in that way, so of a case twice at most, and of others after a thousand results only.
 *   - Nothing had begun: the cases are sent to the next worker. Three such ends in a row of one
 *     worker, without a result between them, end the run. What a worker says that nobody asked for,
 *     such as a second answer, or words behind the last one, ends it so, too.
 *   - It was told to quit: it has to exit with 0, in time, and to say nothing more.
 *   - It is started again and introduces itself otherwise, in any field but its sizes: the run ends
 *     at once.
 *
 * Workers may be of several commands, each for another machine. Then the end of a worker means
 * nothing until the next one of its command introduces itself: what is above happens then. If none
 * does in three tries, or one says nothing at all, the machine is lost: its cases are sent to
 * others as if they had never been, its other workers are killed, and ended() is told once. When
 * all machines are lost, the run ends.
 *
 * What ended so that no case accounts for it is told to ended(); callers hold it against the run.
 * So an end of a worker settles a case, or makes it one that the next end settles, or counts
 * towards these three. A worker that lost its device is replaced.
 *
 * One runner runs any number of jobs, one after the other. Its workers live on between them; one
 * that ended is started again when the next job needs it.
 */
#ifndef TOPK_RUNNER_H
#define TOPK_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log.h"
#include "protocol/protocol.h"
#include "reference/result.h"

#define TOPK_RUNNER_ERROR TOPK_GREETING_ERROR

/* Most commands that workers of one runner have. */
#define TOPK_RUNNER_MACHINES 64

/* A machine: a command that starts workers there. Its strings outlive the runner. */
struct topk_runner_machine {
    const char *const *command; /* arguments of a worker, NULL at the end */
    const char *name;           /* what it is called in messages: the command, as the user has it */
};

struct topk_runner_options {
    const char *const *command; /* arguments of a worker, NULL at the end; outlive the runner */
    /* Not NULL: worker I is of machines[I % machine_count], and `command` is not looked at. The
     * array is copied. At least one worker for each is needed, or the last have none. */
    const struct topk_runner_machine *machines;
    uint32_t machine_count; /* up to TOPK_RUNNER_MACHINES */
    bool partial;    /* a machine whose first worker does not introduce itself is left out, which is
                        noted, as long as there are others */
    uint32_t jobs;   /* workers, at least 1 */
    double timeout;  /* seconds that a call may take; a case has them for each of its own */
    uint32_t passes; /* how often a case makes its calls; 0 is 1 */
    bool single;     /* cases are sent one by one, so that each has its result at once */
    double start_timeout; /* seconds to the greeting, and of silence; 0: at least 60 */
    double backstop;      /* seconds beyond the limits of what began, for a worker that keeps them
                             itself: it is killed after twice as long; 0: 60 */
    bool pass_stderr;     /* what workers say on standard error is printed on ours, escaped */
    char *const *environment; /* with which they are started, NULL behind the last; NULL: ours */
    void (*note)(void *context, const char *text); /* what a user may want to know; may be NULL */
    /* Told of each process, worker or of the backend, that ended otherwise than by being told to
     * quit and exiting with 0, unless the runner ended it because a job was stopped. how: in words,
     * fit for a terminal; it may be said by note(), too. May be NULL. */
    void (*ended)(void *context, enum topk_process_end end, const char *how);
    void *context;
};

/* The cases of a job: either next() yields them one after the other, or they are listed. The
 * functions get the context; they must not call topk_runner_run() or topk_runner_close(). */
struct topk_runner_job {
    /* Sets *number to that of the next case to be sent. False: there are no more; it is not called
     * again. Cases are sent ahead of their results, so next() is asked for some hundreds before the
     * first result comes. NULL: the cases are those of order. */
    bool (*next)(void *context, uint64_t *number);
    uint64_t count;        /* without next: of cases to be run */
    const uint64_t *order; /* without next: their numbers; NULL: 0, 1, ... */
    /* The text of a case that has no result yet, and its length; valid until the next call. May be
     * called several times for a case. */
    const char *(*text)(void *context, uint64_t number, size_t *length);
    /* Takes a result; each case gets one, unless the job is stopped. False: stop the job. */
    bool (*result)(void *context, uint64_t number, const struct topk_result *result);
    /* Not NULL: what text() gives is no case but another request of the protocol, and this takes
     * what its answer says behind "done 0 "; false: that is malformed. Requests go to one worker,
     * one by one; result() is called for one that ends it: CRASH or TIMEOUT, and the reason. */
    bool (*answer)(void *context, uint64_t number, const char *text, size_t length);
    /* Told, before any result of it, that a case is sent to a worker; a case that is run again is
     * sent again. worker: number of the process, another one for each. A process runs its cases in
     * the order in which they are sent. May be NULL. */
    void (*sent)(void *context, uint64_t number, uint64_t worker);
    /* Called about ten times a second; may be NULL. */
    void (*tick)(void *context);
    void *context;
    double timeout; /* seconds that a case of this job may take, whatever it calls; 0: as the
                       options say */
    bool fresh;     /* each case has a worker to itself that has run nothing before */
};

/* After DONE and STOPPED the runner takes another job; after any other status it is at its end, and
 * each further job ends with the same. */
enum topk_runner_status {
    TOPK_RUNNER_DONE,        /* every case has a result */
    TOPK_RUNNER_STOPPED,     /* by result() or topk_runner_stop() */
    TOPK_RUNNER_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
    TOPK_RUNNER_UNAVAILABLE, /* no worker could be started, or it says that its backend is not there
                              */
    TOPK_RUNNER_MISDECLARED, /* the first worker says that what its backend declares is wrong */
    TOPK_RUNNER_UNLIKE, /* the first workers of two machines introduce themselves differently */
    TOPK_RUNNER_BROKEN  /* workers cannot be kept running */
};

struct topk_runner;

/* Starts the first worker, of several machines the first one of each, and waits for its greeting,
 * whose texts get the form of topk_text_line. NULL, with status and reason, if that fails. From
 * here on signals stop the run instead of the process. */
struct topk_runner *topk_runner_open(const struct topk_runner_options *options,
                                     struct topk_greeting *greeting,
                                     enum topk_runner_status *status,
                                     char error[TOPK_RUNNER_ERROR]);

/* Runs the cases of a job. error gets the reason of UNAVAILABLE, MISDECLARED and BROKEN; of other
 * ends it is empty. A signal that came since the last job interrupts this one. */
enum topk_runner_status topk_runner_run(struct topk_runner *runner,
                                        const struct topk_runner_job *job,
                                        char error[TOPK_RUNNER_ERROR]);

/* Stops the job that is running; for its functions. No more cases are sent, and results of those
 * that were are dropped: workers get a second to answer them, and are replaced if they do not. */
void topk_runner_stop(struct topk_runner *runner);

/* Writes the process ids of the workers that are there, `room` at most. Returns how many. */
size_t topk_runner_workers(const struct topk_runner *runner, int64_t *ids, size_t room);

/* Writes the machines that are not lost, in their order, room for TOPK_RUNNER_MACHINES. Returns how
 * many. */
uint32_t topk_runner_machines(const struct topk_runner *runner,
                              struct topk_runner_machine machines[]);

/* How often a worker was started again. */
uint64_t topk_runner_restarts(const struct topk_runner *runner);

/* Lets the workers end, waits for that, and frees the runner. May call note() and ended(). NULL is
 * allowed. False if it cannot be known of a worker how it ended. */
bool topk_runner_close(struct topk_runner *runner);

/* the rest of what this folder shows others */
#include "probes.h"

#endif
