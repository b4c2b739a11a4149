/* What the parts of the runner share: runner.c watches workers, runner_start.c starts them,
 * runner_read.c takes what they say; runner_feed.c sends them
 * cases, runner_end.c decides what the end of one means for its cases, runner_machine.c what it
 * means for the machine that it was on, if there are several; all change the state by the functions
 * of runner_state.c. Nobody else includes this. */
#ifndef TOPK_RUNNER_STATE_H
#define TOPK_RUNNER_STATE_H

#include "protocol/protocol.h"
#include "runner.h"
#include "runner_worker.h"

/* Cases in one message to a worker, unless it asks for more at once. */
#define TOPK_RUNNER_BATCH     64u
#define TOPK_RUNNER_BATCH_MAX TOPK_PROTOCOL_BATCH
/* Messages that a worker has not answered yet. With two it never waits for us. */
#define TOPK_RUNNER_AHEAD 2u
/* Ends in a row, without a result between them, after which a worker is given up. */
#define TOPK_RUNNER_DEATHS 3u
/* How often the word of a worker that ended clears a case that had begun.
 * What a backend process says of its end may be a lie: this bounds how often a case is run again.
 */
#define TOPK_RUNNER_SPARED 3u
/* How often an end of a worker from outside clears a case, and the results of a worker before
 * another one does: what is under test can end itself in that way. */
#define TOPK_RUNNER_KILLED 2u
#define TOPK_RUNNER_KILLS  1000u
/* How often in a row a worker may not introduce itself until its machine is lost, and milliseconds
 * after which one that does not is not tried again. */
#define TOPK_RUNNER_TRIES  3u
#define TOPK_RUNNER_PROMPT 10000u
/* Room for the name of a machine in a message, with quotes and the terminator. */
#define TOPK_MACHINE_NAME 200
/* Milliseconds that workers have for what they were sent when a job is stopped. */
#define TOPK_RUNNER_DRAIN 1000u

/* Cases of which one may have ended their worker. Each is run again, alone. */
struct topk_suspects {
    struct topk_suspects *next; /* all that are not resolved */
    struct topk_slot *slot;     /* whose worker it was */
    uint64_t first;             /* number of the first of them, whose result is held back */
    uint32_t count;
    uint32_t left;             /* without a result */
    bool culprit;              /* one of them ended the worker alone, too */
    bool late;                 /* the time ran out */
    bool together;             /* their own, or one that others had with it */
    struct topk_result result; /* of the first */
    char reason[TOPK_REASON];  /* of the end that they had together */
};

/* A case that is to be sent. */
struct topk_item {
    uint64_t number;
    struct topk_suspects *suspects; /* it is to run alone because of these; or NULL */
    bool fresh;                     /* and in a worker that has begun nothing */
    uint32_t spared;                /* ends of workers of which it was innocent, as they said */
    uint32_t killed;                /* ends of workers that came from outside */
};

/* A stack of them. */
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
        TOPK_ASKED_LOST, /* its device was lost, under several cases: somebody did it */
        TOPK_ASKED_DONE
    } state;
    uint32_t calls;    /* that it has the time of */
    uint32_t together; /* how many began at once */
    uint32_t longest;  /* most calls that one of these has the time of */
    bool fresh;        /* its worker had begun nothing before these */
    uint64_t late;     /* ms of topk_runner_clock() at which the worker is killed */
};

struct topk_message {
    uint32_t count;
    uint32_t answered; /* LOST or DONE */
    struct topk_asked cases[TOPK_RUNNER_BATCH_MAX];
};

/* Why a worker ended or is about to. */
enum topk_cause {
    TOPK_CAUSE_ITSELF,
    TOPK_CAUSE_TIMEOUT, /* what had begun took too long */
    TOPK_CAUSE_SILENCE, /* nothing had begun, and it said nothing for too long */
    TOPK_CAUSE_GARBAGE, /* it broke the protocol */
    TOPK_CAUSE_LOST,    /* its device was lost */
    TOPK_CAUSE_DIED,    /* it said that its backend process ended */
    TOPK_CAUSE_EXPIRED  /* it said that its backend process took too long */
};

/* How a worker ended. */
struct topk_ending {
    enum topk_cause cause;
    struct topk_crash crash; /* where it said that it crashed */
    char how[2 * TOPK_REASON];
};

/* A machine whose workers are started by a command of their own. */
struct topk_machine {
    struct topk_runner_machine is;
    bool lost;
    uint64_t done; /* cases that it brought a result of */
};

/* The place of one worker. */
struct topk_slot {
    struct topk_runner *runner;
    struct topk_machine *machine; /* NULL: there is one command */
    struct topk_worker *worker;   /* NULL: none */
    enum {
        TOPK_SLOT_GREETING, /* started, has not introduced itself */
        TOPK_SLOT_READY,
        TOPK_SLOT_ENDING, /* said that it is about to end, and why */
        TOPK_SLOT_LEAVING /* was told to quit, with nothing to do */
    } state;
    enum topk_cause cause;
    uint32_t late;            /* calls that the cases had the time of, of TIMEOUT */
    uint32_t pinned_from;     /* cases of a message that may have been under way, */
    uint32_t pinned_count;    /* of DIED and EXPIRED */
    char reason[TOPK_REASON]; /* what it said, of GARBAGE, DIED, EXPIRED and of an `error` line */
    struct topk_crash crash;  /* where it said that it crashed */
    uint64_t started;         /* clock when it was started */
    uint64_t heard;           /* clock when it last said or was sent something */
    uint64_t told;            /* limit that it was told, in ms; 0: none */
    bool begun;               /* it has begun a case */
    uint64_t process;         /* its number, another one for each worker */
    uint64_t excused;         /* results before its worker may be ended from outside again */
    uint32_t batch;           /* most cases for one message */
    uint32_t fitting;         /* of those that fit into the time together; 0: unknown */
    uint32_t unfitting;       /* batches that did not, though their cases did */
    uint32_t deaths;          /* in a row, without a result */
    bool held;                /* an end means nothing yet; its cases are in `messages` */
    struct topk_ending ended; /* of held: that end */
    uint32_t tries;           /* workers in a row that did not introduce themselves, */
    char tried[2 * TOPK_REASON]; /* and how the last of them ended */
    uv_timer_t restart;
    uint32_t oldest;    /* the message whose answers are coming */
    uint32_t in_flight; /* messages without all their answers */
    struct topk_message messages[TOPK_RUNNER_AHEAD];
};

struct topk_runner {
    struct topk_runner_options options;
    struct topk_runner_job job;
    uv_loop_t loop;
    uv_signal_t signals[3];
    uv_timer_t timer;
    uint64_t ticked;   /* uv time of the last tick */
    uint64_t stopped;  /* ms for which this process itself stood still */
    uint64_t limit;    /* ms for a call, or a case, as job.timeout says */
    uint64_t silence;  /* ms for a greeting */
    uint64_t backstop; /* ms beyond the limits, for a worker that keeps them itself */
    uint64_t restarts;
    uint64_t processes;       /* that were started */
    uint64_t next;            /* without job.next: how many cases of the list were taken */
    struct topk_items resend; /* cases to be sent again, and one that is looked at */
    struct topk_items fresh;  /* those of them that need a fresh worker */
    struct topk_suspects *suspects;
    uint64_t taken;    /* cases of the job so far */
    uint64_t finished; /* of them have a result */
    uint64_t drained;  /* clock at which a stopped job waits no longer */
    bool exhausted;    /* the job has no more cases */
    bool greeted;      /* the first worker introduced itself */
    bool opening;      /* the first worker, or the first of each machine, has not yet */
    bool noted_late;   /* that time ran out though each case had enough: said once */
    bool running;      /* a job is */
    bool stopping;     /* the job was stopped: results are dropped */
    bool blind;        /* of a worker it is not known how it ended */
    bool decided;      /* status is set, for good: workers are not started any more */
    enum topk_runner_status status;
    struct topk_greeting greeting;
    char error[TOPK_RUNNER_ERROR];
    struct topk_machine machines[TOPK_RUNNER_MACHINES];
    struct topk_slot slots[]; /* options.jobs of them */
};

/* Milliseconds; stands still while this process is stopped. */
uint64_t topk_runner_clock(const struct topk_runner *runner);

/* Ends the session: kills all workers. */
void topk_runner_decide(struct topk_runner *runner, enum topk_runner_status status,
                        const char *error);

/* Whether a slot gets no worker any more, as its machine is lost. */
bool topk_slot_lost(const struct topk_slot *slot);

/* The slot that requests go to that are no cases: the first one that may have a worker. */
const struct topk_slot *topk_runner_first(const struct topk_runner *runner);

/* Whether a worker of a slot has messages that are not answered, or its end would settle them. */
bool topk_slot_busy(const struct topk_slot *slot);

/* Whether workers keep the limit for a call themselves. */
bool topk_runner_limits_kept(const struct topk_runner *runner);

/* Puts a case back, to be sent before all others. */
void topk_runner_resend(struct topk_runner *runner, const struct topk_item *item);

/* Whether there is a case to be sent; takes it from the job if need be. */
bool topk_runner_has_item(struct topk_runner *runner);

/* Sends a worker that is ready as many messages as it may have; and all that are. */
void topk_runner_feed(struct topk_slot *slot);
void topk_runner_feed_all(struct topk_runner *runner);

/* Starts the worker of a slot. */
void topk_slot_start(struct topk_slot *slot);
/* Gives every worker something to do; starts those that are not there, but no more than can have
 * some. */
void topk_runner_start(struct topk_runner *runner);

/* Takes a line that the worker of a slot said. context: a struct topk_slot. */
void topk_slot_read(void *context, const char *line, size_t length);
/* Notes what a worker said that is no answer. */
void topk_slot_garbage(struct topk_slot *slot, const char *line, size_t length);
/* Kills the worker of a slot. */
void topk_slot_kill(struct topk_slot *slot, enum topk_cause cause);
/* Whether it has begun a case that has no result. */
bool topk_slot_begun(const struct topk_slot *slot);
/* Takes note that the worker of a slot is not available while the runner is opened. If other
 * machines are left, the runner goes on without this one; else it ends with the status. why: in
 * words. */
void topk_slot_unavailable(struct topk_slot *slot, enum topk_runner_status status, const char *why);

/* Hands on the result of a case. */
void topk_runner_report(struct topk_runner *runner, const struct topk_item *item,
                        const struct topk_result *result);

/* Tells how a process ended. */
void topk_runner_tell_end(const struct topk_runner *runner, enum topk_process_end end,
                          const char *how);

/* OUTSIDE if somebody else ended the process, else what is given. how: how it ended. */
enum topk_process_end topk_runner_end_of(const struct topk_slot *slot, const char *how,
                                         enum topk_process_end own);

/* Decides what the end of a slot's worker means for its cases. how: how it ended. */
void topk_runner_resolve(struct topk_slot *slot, const char *how);

/* Writes what a machine is called: "'ssh b topk-backend cpu'", cut if it is long. */
void topk_machine_name(const struct topk_machine *machine, char name[TOPK_MACHINE_NAME]);

/* Of a slot that has a machine, which is not there when the runner is opened: whether the runner
 * does without it. why: in words. */
bool topk_machine_spare(struct topk_slot *slot, const char *why);

/* Of a slot that has a machine: takes the end of its worker. how: how it ended. If the machine is
 * lost by that, its slots are empty afterwards, and it is told. */
void topk_machine_end(struct topk_slot *slot, const char *how);

/* Of a slot that has a machine: its worker introduced itself, so that the end of the one before it
 * is what it is of one command. */
void topk_machine_greeted(struct topk_slot *slot);

/* Makes an end that is held what it is of one command, as no other worker comes. */
void topk_machine_settle(struct topk_slot *slot);

#endif
