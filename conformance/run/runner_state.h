/* Shared by the parts of the runner. runner.c watches workers, runner_start.c starts them,
 * runner_read.c parses their messages, runner_feed.c sends cases, runner_end.c decides what the end
 * of a worker means for its cases, and runner_machine.c what it means for its machine if there are
 * several. All of them change the state with the functions of runner_state.c. Private to the
 * runner. */
#ifndef TOPK_RUNNER_STATE_H
#define TOPK_RUNNER_STATE_H

#include "protocol/protocol.h"
#include "runner.h"
#include "runner_worker.h"

/* Cases in one message to a worker, unless it asks for more. */
#define TOPK_RUNNER_BATCH     64u
#define TOPK_RUNNER_BATCH_MAX TOPK_PROTOCOL_BATCH
/* Greatest number of unanswered messages of a worker. With two, a worker never waits for the
 * runner. */
#define TOPK_RUNNER_AHEAD 2u
/* Ends in a row, without a result between them, after which a worker is not restarted. */
#define TOPK_RUNNER_DEATHS 3u
/* How often the statement of an ended worker clears a case that had begun. The statement of a
 * backend process may be false, so this limits how often a case is run again. */
#define TOPK_RUNNER_SPARED 3u
/* How often an end from outside clears a case, and how many results a worker needs between two such
 * ends: code under test can end itself in that way. */
#define TOPK_RUNNER_KILLED 2u
#define TOPK_RUNNER_KILLS  1000u
/* Greetings that may fail in a row before a machine is lost, and the milliseconds after which a
 * missing greeting is not tried again. */
#define TOPK_RUNNER_TRIES  3u
#define TOPK_RUNNER_PROMPT 10000u
/* Size of the name of a machine in a message, with quotes and the terminator. */
#define TOPK_MACHINE_NAME 200
/* Milliseconds in which workers may answer outstanding cases when a job is stopped. */
#define TOPK_RUNNER_DRAIN 1000u

/* A group of cases, one of which may have ended their worker. Each is run again, alone. */
struct topk_suspects {
    struct topk_suspects *next; /* list of all unresolved groups */
    struct topk_slot *slot;     /* slot of that worker */
    uint64_t first;             /* number of the first case, whose result is held back */
    uint32_t count;
    uint32_t left;             /* cases without a result */
    bool culprit;              /* a case ended its worker alone, too */
    bool late;                 /* the time limit expired */
    bool together;             /* the cases shared the time with each other or with other cases */
    struct topk_result result; /* of the first case */
    char reason[TOPK_REASON];  /* how the shared worker ended */
};

/* A case to be sent. */
struct topk_item {
    uint64_t number;
    struct topk_suspects *suspects; /* not NULL: it must run alone, to resolve this group */
    bool fresh;                     /* it needs a worker that has begun nothing */
    uint32_t spared;                /* ends of workers that said it was not running */
    uint32_t killed;                /* ends of workers by a signal from outside */
};

/* A stack of items. */
struct topk_items {
    struct topk_item *list;
    size_t count;
    size_t room;
};

/* A case that was sent. */
struct topk_asked {
    struct topk_item item;
    enum {
        TOPK_ASKED_WAITING,
        TOPK_ASKED_BEGUN,
        /* the device was lost during several cases, any of which may be the cause */
        TOPK_ASKED_LOST,
        TOPK_ASKED_DONE
    } state;
    uint32_t calls;    /* calls for which it has time */
    uint32_t together; /* number of cases that began together */
    uint32_t longest;  /* greatest number of calls among these */
    bool fresh;        /* its worker had begun nothing before these */
    uint64_t late;     /* topk_runner_clock() at which the worker is killed */
};

struct topk_message {
    uint32_t count;
    uint32_t answered; /* those that are LOST or DONE */
    struct topk_asked cases[TOPK_RUNNER_BATCH_MAX];
};

/* Why a worker ended or is going to end. */
enum topk_cause {
    TOPK_CAUSE_ITSELF,
    TOPK_CAUSE_TIMEOUT, /* the cases that had begun took too long */
    TOPK_CAUSE_SILENCE, /* no case had begun, and it sent nothing for too long */
    TOPK_CAUSE_GARBAGE, /* it violated the protocol */
    TOPK_CAUSE_LOST,    /* its device was lost */
    TOPK_CAUSE_DIED,    /* it reported the end of its backend process */
    TOPK_CAUSE_EXPIRED  /* it reported that its backend process took too long */
};

/* How a worker ended. */
struct topk_ending {
    enum topk_cause cause;
    struct topk_crash crash; /* the place of the crash that it reported */
    char how[2 * TOPK_REASON];
};

/* A machine, whose workers have a command of their own. */
struct topk_machine {
    struct topk_runner_machine is;
    bool lost;
    uint64_t done; /* cases for which it delivered a result */
};

/* The place of one worker, which may be replaced. */
struct topk_slot {
    struct topk_runner *runner;
    struct topk_machine *machine; /* NULL: there is only one command */
    struct topk_worker *worker;   /* NULL: none */
    enum {
        TOPK_SLOT_GREETING, /* started; no greeting yet */
        TOPK_SLOT_READY,
        TOPK_SLOT_ENDING, /* announced its end, with the reason */
        TOPK_SLOT_LEAVING /* was told to quit; has no cases */
    } state;
    enum topk_cause cause;
    uint32_t late;            /* TIMEOUT: how many calls the cases had time for */
    uint32_t pinned_from;     /* DIED and EXPIRED: the cases of a message */
    uint32_t pinned_count;    /* that may have been running */
    char reason[TOPK_REASON]; /* its message, for GARBAGE, DIED, EXPIRED and a line `error` */
    struct topk_crash crash;  /* the place of the crash that it reported */
    uint64_t started;         /* clock at its start */
    uint64_t heard;           /* clock at the last message in either direction */
    uint64_t told;            /* time limit that was sent to it, in ms; 0: none */
    bool begun;               /* it has begun some case */
    uint64_t process;         /* unique number of its process */
    uint64_t excused;         /* results needed until an end from outside is excused again */
    uint32_t batch;           /* greatest number of cases in a message */
    /* number of cases known to fit into the time limit together; 0: unknown */
    uint32_t fitting;
    uint32_t unfitting;          /* batches that exceeded it although no single case did */
    uint32_t deaths;             /* ends in a row without a result */
    bool held;                   /* its end is not evaluated yet; its cases are in `messages` */
    struct topk_ending ended;    /* the end that is not evaluated yet */
    uint32_t tries;              /* workers in a row that sent no greeting */
    char tried[2 * TOPK_REASON]; /* how the last of these ended */
    uv_timer_t restart;
    uint32_t oldest;    /* the message that is being answered */
    uint32_t in_flight; /* messages that are not completely answered */
    struct topk_message messages[TOPK_RUNNER_AHEAD];
};

struct topk_runner {
    struct topk_runner_options options;
    struct topk_runner_job job;
    uv_loop_t loop;
    uv_signal_t signals[3];
    uv_timer_t timer;
    uint64_t ticked;   /* uv time of the last tick */
    uint64_t stopped;  /* ms during which this process was stopped */
    uint64_t limit;    /* ms for a call, or for a case if job.timeout is set */
    uint64_t silence;  /* ms for a greeting */
    uint64_t backstop; /* extra ms for a worker that enforces the limits itself */
    uint64_t restarts;
    uint64_t processes;       /* processes started so far */
    uint64_t next;            /* without job.next: cases of the list taken so far */
    struct topk_items resend; /* cases to be sent again, and one that was taken in advance */
    struct topk_items fresh;  /* those that need a fresh worker */
    struct topk_suspects *suspects;
    uint64_t taken;    /* cases of the job taken so far */
    uint64_t finished; /* those with a result */
    uint64_t drained;  /* clock at which a stopped job stops waiting */
    bool exhausted;    /* the job has no more cases */
    bool greeted;      /* the first worker has sent its greeting */
    bool opening;      /* still waiting for the first greeting, or the first of each machine */
    bool noted_late;   /* the note about shared time was given */
    bool running;      /* a job is running */
    bool stopping;     /* the job was stopped: results are dropped */
    bool blind;        /* the system did not tell how some worker ended */
    bool decided;      /* status is final: no more workers are started */
    enum topk_runner_status status;
    struct topk_greeting greeting;
    char error[TOPK_RUNNER_ERROR];
    struct topk_machine machines[TOPK_RUNNER_MACHINES];
    struct topk_slot slots[]; /* options.jobs entries */
};

/* Milliseconds; does not advance while this process is stopped. */
uint64_t topk_runner_clock(const struct topk_runner *runner);

/* Ends the run with a status: kills all workers. */
void topk_runner_decide(struct topk_runner *runner, enum topk_runner_status status,
                        const char *error);

/* Whether the machine of a slot is lost, so that it gets no more workers. */
bool topk_slot_lost(const struct topk_slot *slot);

/* The slot for requests that are not cases: the first one that can have a worker. */
const struct topk_slot *topk_runner_first(const struct topk_runner *runner);

/* Whether a worker has unanswered messages, or the evaluation of its end is pending. */
bool topk_slot_busy(const struct topk_slot *slot);

/* Whether workers enforce the time limit for a call themselves. */
bool topk_runner_limits_kept(const struct topk_runner *runner);

/* Puts a case on the stack of those that are sent next. */
void topk_runner_resend(struct topk_runner *runner, const struct topk_item *item);

/* Whether there is a case to send. May take one from the job. */
bool topk_runner_has_item(struct topk_runner *runner);

/* Sends as many messages to a worker as it may have; to all workers. */
void topk_runner_feed(struct topk_slot *slot);
void topk_runner_feed_all(struct topk_runner *runner);

/* Starts the worker of a slot. */
void topk_slot_start(struct topk_slot *slot);
/* Gives every worker cases. Starts missing workers, but not more than there are cases for. */
void topk_runner_start(struct topk_runner *runner);

/* Handles a line from the worker of a slot. context: a struct topk_slot. */
void topk_slot_read(void *context, const char *line, size_t length);
/* Records a message that violates the protocol. */
void topk_slot_garbage(struct topk_slot *slot, const char *line, size_t length);
/* Kills the worker of a slot. */
void topk_slot_kill(struct topk_slot *slot, enum topk_cause cause);
/* Whether a worker has begun a case that has no result yet. */
bool topk_slot_begun(const struct topk_slot *slot);
/* Handles a worker that is not available when the runner is opened. If other machines are left, the
 * runner continues without this one, otherwise it ends with the status. why: in words. */
void topk_slot_unavailable(struct topk_slot *slot, enum topk_runner_status status, const char *why);

/* Delivers the result of a case. */
void topk_runner_report(struct topk_runner *runner, const struct topk_item *item,
                        const struct topk_result *result);

/* Reports the end of a process to ended(). */
void topk_runner_tell_end(const struct topk_runner *runner, enum topk_process_end end,
                          const char *how);

/* Returns OUTSIDE if something else ended the process, otherwise `own`. how: how it ended. */
enum topk_process_end topk_runner_end_of(const struct topk_slot *slot, const char *how,
                                         enum topk_process_end own);

/* Decides what the end of a slot's worker means for its cases. how: how it ended. */
void topk_runner_resolve(struct topk_slot *slot, const char *how);

/* Writes the name of a machine, "'ssh b topk-backend cpu'", shortened if necessary. */
void topk_machine_name(const struct topk_machine *machine, char name[TOPK_MACHINE_NAME]);

/* For a slot with a machine that fails while the runner is opened: whether the runner can continue
 * without it. why: in words. */
bool topk_machine_spare(struct topk_slot *slot, const char *why);

/* For a slot with a machine: handles the end of its worker. how: how it ended. If the machine is
 * lost, empties its slots and calls ended(). */
void topk_machine_end(struct topk_slot *slot, const char *how);

/* For a slot with a machine: its worker sent a greeting, so the previous end is evaluated as with a
 * single command. */
void topk_machine_greeted(struct topk_slot *slot);

/* Evaluates a pending end as with a single command, because no other worker follows. */
void topk_machine_settle(struct topk_slot *slot);

#endif
