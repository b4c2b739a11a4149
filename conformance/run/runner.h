/* The runner sends cases to worker processes, attributes each end of a worker to a case, and
 * delivers one result for each case. docs/protocol.md defines the protocol.
 *
 * If a worker ends while cases are running, by itself or with its backend process, then:
 *   - A single case had begun (`begin I 1`): it is a `crash`, whatever the exit code. An invalid
 *     answer also counts as a crash: "garbage on the pipe".
 *   - Several had begun together (`begin I N`): each is run again, alone. A case that ends its
 *     worker alone, too, is the culprit; the others keep the results of their single runs. If no
 *     case does, the first of them is `flaky`. The same happens if a device was lost during several
 *     cases.
 *   - The worker says which of them were running (`died I N W`): only these are suspects, even if
 *     there is only one; the others are sent again as if they had not begun. This statement comes
 *     from the code under test and may be false, so a case is spared three times at most.
 *   - The time limit expired: each suspect is run again, alone, in a fresh worker, which has begun
 *     no other case. A case that exceeds the limit there is a `timeout`, so that a hang costs two
 *     limits; the others keep the results of these runs. If several shared the time and none
 *     exceeds it alone, a note says so once; if it happens again with a worker, the worker gets
 *     fewer cases at once. A case that had the time for itself is then `flaky`.
 *   - SIGKILL, SIGTERM or SIGHUP from outside ended it, as when the system is short of memory: its
 *     cases are sent again as if they had not begun. Code under test can end itself in that way, so
 *     this applies to a case twice at most, and to other cases only after a thousand results.
 *   - No case had begun: the cases are sent to the next worker. Three such ends of a worker in a
 *     row, without a result between them, end the run. An unrequested message, such as a second
 *     answer or text after the last one, counts as such an end, too.
 *   - It was told to quit: it must exit with 0, in time, and send nothing more.
 *   - It is started again and its greeting differs in any field except sizes: the run ends.
 *
 * Workers may have several commands, one for each machine. Then the end of a worker is evaluated,
 * by the rules above, only when the next worker of the same command has sent its greeting. If three
 * attempts fail, or one worker sends nothing at all, the machine is lost: its cases are sent to
 * other machines as if they had not begun, its other workers are killed, and ended() is called
 * once. When all machines are lost, the run ends.
 *
 * Each end of a worker therefore settles a case, or leads to a run whose end settles one, or counts
 * towards the three ends in a row. Ends that no case explains are reported to ended(); callers
 * count them against the run. A worker whose device was lost is replaced.
 *
 * A runner runs any number of jobs, one after another. Its workers stay alive between jobs; one
 * that ended is started again when a job needs it.
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

/* Greatest number of machines, that is of worker commands. */
#define TOPK_RUNNER_MACHINES 64

/* A machine: a command that starts workers on it. The strings must outlive the runner. */
struct topk_runner_machine {
    const char *const *command; /* arguments of a worker, NULL at the end */
    const char *name;           /* its name in messages: the command as the user wrote it */
};

struct topk_runner_options {
    /* arguments of a worker, NULL at the end; must outlive the runner */
    const char *const *command;
    /* If not NULL, worker I belongs to machines[I % machine_count], and `command` is ignored. The
     * array is copied. With fewer workers than machines, the last machines get none. */
    const struct topk_runner_machine *machines;
    uint32_t machine_count; /* up to TOPK_RUNNER_MACHINES */
    /* a machine whose first worker sends no greeting is left out, with a note, as long as others
     * remain */
    bool partial;
    uint32_t jobs;        /* number of workers, at least 1 */
    double timeout;       /* seconds per call; a case gets this time for each of its calls */
    uint32_t passes;      /* how often a case makes its calls; 0 means 1 */
    bool single;          /* cases are sent one at a time, so that each result arrives at once */
    bool lockstep;        /* a worker gets the next case only when it has nothing else to do */
    double start_timeout; /* seconds until the greeting, and of silence; 0: at least 60 */
    /* extra seconds for a worker that enforces the limits itself, before it is killed after twice
     * as long; 0: 60 */
    double backstop;
    bool pass_stderr;         /* the workers' standard error is printed on ours, escaped */
    char *const *environment; /* environment of the workers, ended by NULL; NULL: ours */
    /* If not NULL, returns variables, "NAME=VALUE", ended by NULL, with which a worker is started
     * in addition. place: from 0 to jobs - 1, unique among the workers that run at the same time;
     * worker: as in sent() of a job. */
    char *const *(*variables)(void *context, uint32_t place, uint64_t worker);
    void (*note)(void *context, const char *text); /* receives notes for the user; may be NULL */
    /* Called for each process, a worker or a backend's, that did not quit on request with exit code
     * 0, unless the runner ended it because a job was stopped. how: in words, safe for a terminal;
     * note() may receive it, too. May be NULL. */
    void (*ended)(void *context, enum topk_process_end end, const char *how);
    void *context;
};

/* The cases of a job: either next() yields them one after another, or a list contains them. The
 * functions receive `context`; they must not call topk_runner_run() or topk_runner_close(). */
struct topk_runner_job {
    /* Sets *number to that of the next case to send. False: no more cases; it is not called again.
     * Cases are sent ahead of their results, so hundreds are taken before the first result arrives.
     * NULL: the cases are those of `order`. */
    bool (*next)(void *context, uint64_t *number);
    uint64_t count;        /* without next: number of cases */
    const uint64_t *order; /* without next: their numbers; NULL: 0, 1, ... */
    /* Returns the text of a case without a result, and its length; valid until the next call. May
     * be called several times for a case. */
    const char *(*text)(void *context, uint64_t number, size_t *length);
    /* Receives a result. Each case gets one unless the job is stopped. False stops the job. */
    bool (*result)(void *context, uint64_t number, const struct topk_result *result);
    /* If not NULL, text() gives other requests of the protocol instead of cases, and this receives
     * what follows "done 0 " in the answer; false: it is malformed. All requests go to one worker,
     * one at a time. result() is called only for a request that ends the worker: CRASH or TIMEOUT,
     * with the reason. */
    bool (*answer)(void *context, uint64_t number, const char *text, size_t length);
    /* Called before the result of a case, each time it is sent to a worker; a case that is run
     * again is sent again. worker: number of the process, which is unique. A process runs cases in
     * the order in which they are sent. May be NULL. */
    void (*sent)(void *context, uint64_t number, uint64_t worker);
    /* Called about ten times a second; may be NULL. */
    void (*tick)(void *context);
    void *context;
    double timeout; /* seconds for each whole case of this job; 0: as the options say */
    bool fresh;     /* each case gets a worker of its own that has run nothing else */
};

/* After DONE and STOPPED the runner accepts another job. Any other status is final: further jobs
 * end with it, too. */
enum topk_runner_status {
    TOPK_RUNNER_DONE,        /* every case has a result */
    TOPK_RUNNER_STOPPED,     /* by result() or topk_runner_stop() */
    TOPK_RUNNER_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
    /* no worker can be started, or it says that its backend is not available */
    TOPK_RUNNER_UNAVAILABLE,
    TOPK_RUNNER_MISDECLARED, /* the first worker says that its backend's declaration is wrong */
    TOPK_RUNNER_UNLIKE,      /* the greetings of two machines' first workers differ */
    TOPK_RUNNER_BROKEN       /* workers cannot be kept running */
};

struct topk_runner;

/* Starts the first worker (for several machines, the first one of each) and waits for its greeting.
 * The greeting's texts are in the form of topk_text_line(). Returns NULL, with status and reason,
 * if that fails. From now on signals stop the run instead of the process. Close the runner with
 * topk_runner_close(). */
struct topk_runner *topk_runner_open(const struct topk_runner_options *options,
                                     struct topk_greeting *greeting,
                                     enum topk_runner_status *status,
                                     char error[TOPK_RUNNER_ERROR]);

/* Runs the cases of a job. error is the reason for UNAVAILABLE, MISDECLARED and BROKEN, and empty
 * otherwise. A signal that arrived since the last job interrupts this one. */
enum topk_runner_status topk_runner_run(struct topk_runner *runner,
                                        const struct topk_runner_job *job,
                                        char error[TOPK_RUNNER_ERROR]);

/* Stops the current job; call it from the job's functions. No more cases are sent, and outstanding
 * results are dropped. Workers have a second to answer; then they are replaced. */
void topk_runner_stop(struct topk_runner *runner);

/* Writes the process ids of the current workers, at most `room`. Returns their number. */
size_t topk_runner_workers(const struct topk_runner *runner, int64_t *ids, size_t room);

/* Writes the machines that are not lost, in order; room for TOPK_RUNNER_MACHINES. Returns their
 * number. */
uint32_t topk_runner_machines(const struct topk_runner *runner,
                              struct topk_runner_machine machines[]);

/* How many times a worker was started again. */
uint64_t topk_runner_restarts(const struct topk_runner *runner);

/* Tells the workers to quit, waits for their ends, and frees the runner. May call note() and
 * ended(). NULL is allowed. Returns false if the system did not tell how a worker ended. */
bool topk_runner_close(struct topk_runner *runner);

/* the other headers that this folder offers */
#include "probes.h"

#endif
