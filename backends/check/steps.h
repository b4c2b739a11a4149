/* The steps of the check, in order. Each returns false after check_broken() or check_stop(). */
#ifndef TOPK_CHECK_STEPS_H
#define TOPK_CHECK_STEPS_H

#include "state.h"

/* STEP(name, words): check_step_NAME(); its line starts with the words. `devices' and `open' leave
 * the process running for later steps, up to a `quit'; `restart' for `end'. All other steps end the
 * process that they start. */
#define CHECK_STEPS(STEP)                                                                          \
    STEP(devices, "devices")                                                                       \
    STEP(quit_early, "quit early")                                                                 \
    STEP(error_early, "error early")                                                               \
    STEP(version, "other version")                                                                 \
    STEP(unavailable, "other device")                                                              \
    STEP(open, "open")                                                                             \
    STEP(frame, "frame")                                                                           \
    STEP(offset, "offset")                                                                         \
    STEP(strides, "strides")                                                                       \
    STEP(at, "at")                                                                                 \
    STEP(direction, "direction")                                                                   \
    STEP(types, "types")                                                                           \
    STEP(unsupported, "unsupported")                                                               \
    STEP(ranks, "dimensions")                                                                      \
    STEP(groups, "groups")                                                                         \
    STEP(calls, "calls")                                                                           \
    STEP(line_ends, "binary")                                                                      \
    STEP(create_only, "create only")                                                               \
    STEP(any_rank, "any dimensions")                                                               \
    STEP(any_type, "any type")                                                                     \
    STEP(absent, "absent")                                                                         \
    STEP(read_whole, "read whole")                                                                 \
    STEP(ahead, "ahead")                                                                           \
    STEP(probes, "probes")                                                                         \
    STEP(memory, "memory")                                                                         \
    STEP(quit, "quit")                                                                             \
    STEP(restart, "restart")                                                                       \
    STEP(end, "end of input")                                                                      \
    STEP(device, "open a device")                                                                  \
    STEP(error, "error")

#define CHECK_DECLARE(name, words) bool check_step_##name(struct check *check);
CHECK_STEPS(CHECK_DECLARE)
#undef CHECK_DECLARE

#endif
