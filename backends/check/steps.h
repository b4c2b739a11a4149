/* The steps of the check, in order. Each returns false after check_broken() or check_stop(). */
#ifndef TOPK_CHECK_STEPS_H
#define TOPK_CHECK_STEPS_H

#include "state.h"

/* What a step needs. */
enum check_needs {
    CHECK_NEEDS_NOTHING,
    CHECK_NEEDS_LIST,     /* `devices' passed */
    CHECK_NEEDS_GREETING, /* `open' passed */
    CHECK_NEEDS_PROCESS   /* `open' passed; if no process is running, one is opened for the step */
};

/* STEP(name, words, needs): check_step_NAME(); its line starts with the words; it needs
 * CHECK_NEEDS_needs. `devices' leaves its process running for `quit early', `open' for the steps up
 * to `quit', `restart' for `end of input'. All other steps end the process that they start. */
#define CHECK_STEPS(STEP)                                                                          \
    STEP(devices, "devices", NOTHING)                                                              \
    STEP(quit_early, "quit early", LIST)                                                           \
    STEP(error_early, "error early", NOTHING)                                                      \
    STEP(version, "other version", NOTHING)                                                        \
    STEP(unavailable, "other device", NOTHING)                                                     \
    STEP(open, "open", NOTHING)                                                                    \
    STEP(frame, "frame", PROCESS)                                                                  \
    STEP(offset, "offset", PROCESS)                                                                \
    STEP(strides, "strides", PROCESS)                                                              \
    STEP(at, "at", PROCESS)                                                                        \
    STEP(direction, "direction", PROCESS)                                                          \
    STEP(types, "types", PROCESS)                                                                  \
    STEP(unsupported, "unsupported", PROCESS)                                                      \
    STEP(ranks, "dimensions", PROCESS)                                                             \
    STEP(groups, "groups", PROCESS)                                                                \
    STEP(calls, "calls", PROCESS)                                                                  \
    STEP(line_ends, "binary", PROCESS)                                                             \
    STEP(create_only, "create only", PROCESS)                                                      \
    STEP(any_rank, "any dimensions", PROCESS)                                                      \
    STEP(any_type, "any type", PROCESS)                                                            \
    STEP(absent, "absent", PROCESS)                                                                \
    STEP(read_whole, "read whole", PROCESS)                                                        \
    STEP(ahead, "ahead", PROCESS)                                                                  \
    STEP(probes, "probes", PROCESS)                                                                \
    STEP(memory, "memory", PROCESS)                                                                \
    STEP(quit, "quit", PROCESS)                                                                    \
    STEP(restart, "restart", GREETING)                                                             \
    STEP(end, "end of input", PROCESS)                                                             \
    STEP(device, "open a device", LIST)                                                            \
    STEP(error, "error", NOTHING)

#define CHECK_DECLARE(name, words, needs) bool check_step_##name(struct check *check);
CHECK_STEPS(CHECK_DECLARE)
#undef CHECK_DECLARE

#endif
