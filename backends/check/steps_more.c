/* Optional features: probes, and memory shared with the judge. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frame.h"
#include "reference/probe.h"
#include "reference/result.h"
#include "steps.h"

/* ---- probes ----------------------------------------------------------------------------------
 */

/* greatest lengths of a value and a detail */
#define VALUE_BYTES  59u
#define DETAIL_BYTES 447u

static bool ask(struct check *check, const char *line)
{
    check_request(check);
    return check_say(check, line) && check_hear(check);
}

static bool list_probes(struct check *check, uint32_t *count)
{
    check->blame = CHECK_PROBES;
    *count = 0;
    if (!ask(check, "probes")) {
        return false;
    }
    if (strncmp(check->line, "probes=", 7) != 0) {
        return check_broken(check, CHECK_PROBES, "that is not a list of probes");
    }
    for (const char *at = check->line + 7; *at != 0; ++*count) {
        const size_t length = strcspn(at, ",");
        if (!topk_probe_name_valid(at, length) || length >= TOPK_PROBE_NAME) {
            return check_broken(check, CHECK_PROBES, "\"%.*s\" is not a name of a probe",
                                (int)(length < 60 ? length : 60), at);
        }
        at += length + (at[length] == ',');
    }
    return *count <= TOPK_PROBES_MAX ||
           check_broken(check, CHECK_PROBES, "there are %" PRIu32 " names", *count);
}

static bool run_probe(struct check *check, uint32_t number)
{
    struct topk_probe probe;
    char line[32];
    check->blame = CHECK_PROBE;
    snprintf(line, sizeof line, "probe %" PRIu32, number);
    if (!ask(check, line)) {
        return false;
    }
    return (topk_probe_parse(check->line, check->length, &probe) &&
            probe.verdict <= TOPK_PROBE_FAILED && strlen(probe.value) <= VALUE_BYTES &&
            strlen(probe.detail) <= DETAIL_BYTES) ||
           check_broken(check, CHECK_PROBE, "that is not what a probe saw");
}

bool check_step_probes(struct check *check)
{
    uint32_t count;
    if ((check->greeting.flags & TOPK_FLAG_PROBES) == 0) {
        snprintf(check->note, sizeof check->note, "not asked: flag 10 is not set");
        return true;
    }
    if (!list_probes(check, &count)) {
        return false;
    }
    snprintf(check->note, sizeof check->note, "lists %" PRIu32 "%s", count,
             count == 0 ? "" : ", runs the first and the last");
    return (count == 0 || run_probe(check, 0)) && (count < 2 || run_probe(check, count - 1)) &&
           check_silent(check);
}

/* ---- shared memory ---------------------------------------------------------------------------
 */

/* not a file or mapping of the process */
#define NO_HANDLE "999983"

#define MEMORY_BYTES ((size_t)65536)
#define PAGE         ((size_t)4096)

struct shared {
    unsigned char *data; /* NULL: there is none */
    size_t bytes;
    unsigned char *before; /* the expected content outside frames */
};

/* Sends the handle of memory to the process; returns the status of its answer. */
static bool tell_memory(struct check *check, const char *line, struct topk_backend_answer *answer)
{
    return ask(check, line) &&
           ((strncmp(check->line, "memory ", 7) == 0 &&
             topk_wire_answer_parse(check->line + 7, check->length - 7, answer)) ||
            check_broken(check, check->blame, "that is not \"memory STATUS W\""));
}

static bool share(struct check *check, struct shared *shared, size_t bytes, bool *done)
{
    char line[80];
    uint64_t handle;
    struct topk_backend_answer answer = {0};
    free(shared->before);
    *done = false;
    shared->bytes = bytes;
    shared->before = malloc(bytes);
    shared->data = topk_child_share(check->child, bytes, &handle);
    if (shared->before == NULL) {
        return check_stop(check, TOPK_CHECK_HARNESS, "memory is short");
    }
    if (shared->data == NULL) {
        snprintf(check->note, sizeof check->note, "not asked: there is no memory to share here");
        return true;
    }
    for (size_t i = 0; i < bytes; i++) {
        shared->before[i] = check_filler(3 * i);
    }
    memcpy(shared->data, shared->before, bytes);
    snprintf(line, sizeof line, "memory %" PRIu64 " %zu", handle, bytes);
    if (!tell_memory(check, line, &answer)) {
        return false;
    }
    *done = answer.status == TOPK_BACKEND_DONE;
    snprintf(check->note, sizeof check->note, "%s",
             *done ? "frames in shared memory" : "it cannot be mapped, which the process says");
    return true;
}

/* Compares the bytes outside the frame at `at`, from the 9th byte on, with the previous content. */
static bool check_outside(struct check *check, const struct shared *shared, size_t at, size_t bytes,
                          size_t late, size_t late_bytes)
{
    for (size_t i = sizeof(uint64_t); i < shared->bytes; i++) {
        if ((i < at || i >= at + bytes) && shared->data[i] != shared->before[i]) {
            const bool is_late = i >= late && i < late + late_bytes;
            snprintf(check->came, sizeof check->came, "%02x at byte %zu of the memory, was %02x",
                     shared->data[i], i, shared->before[i]);
            return check_broken(check, is_late ? CHECK_MEMORY_LATE : CHECK_MEMORY_OUTSIDE, "%s",
                                is_late ? "a frame was written after it was answered"
                                        : "a byte outside of the frame was written");
        }
    }
    return true;
}

static bool check_mark(struct check *check, const struct shared *shared,
                       const struct check_frame *frame)
{
    uint64_t mark;
    if (memcmp(shared->data, shared->before, sizeof mark) == 0) {
        return true; /* it is only a hint */
    }
    memcpy(&mark, shared->data, sizeof mark);
    memcpy(shared->before, shared->data, sizeof mark);
    if (mark / 65536 != frame->number || mark % 65536 >= frame->groups) {
        snprintf(check->came, sizeof check->came, "%" PRIu64 " in the first 8 bytes", mark);
        return check_broken(check, CHECK_MEMORY_MARK, "that is no group of frame %" PRIu64,
                            frame->number);
    }
    return true;
}

/* Sends a frame with bytes at `at`. *late_bytes of an answered frame at `late` are checked for late
 * writes; then they are set to this frame. */
static bool run_shared(struct check *check, struct shared *shared, struct check_frame *frame,
                       size_t at, size_t late, size_t *late_bytes)
{
    size_t none;
    bool good = check_frame_make(check, frame);
    if (good && frame->count > 0 && at + frame->bytes <= shared->bytes) {
        check_request(check);
        memcpy(shared->data + at, frame->sent, frame->bytes);
        good = check_frame_say(check, frame, at) && check_frame_hear(check, frame, true, &none);
        if (good) {
            memcpy(frame->came, shared->data + at, frame->bytes);
            memcpy(shared->before + at, frame->came, frame->bytes);
            good =
                check_outside(check, shared, at, frame->bytes, late, *late_bytes) &&
                check_mark(check, shared, frame) &&
                check_frame_compare(check, frame, check_frame_done(frame) > 0 ? frame->bytes : 0);
            *late_bytes = frame->bytes;
        }
    }
    check_frame_free(frame);
    return good;
}

static bool run_memory(struct check *check, struct shared *shared)
{
    bool done;
    size_t late = 0;
    struct check_call calls[3];
    struct check_frame pipe = {.calls = &calls[0], .count = 1, .guarded = true};
    struct check_frame frames[3];
    struct topk_backend_answer answer = {0};
    for (uint32_t i = 0; i < 3; i++) {
        calls[i] = check_call_plain(2 + i, 9);
        frames[i] = (struct check_frame){
            .calls = &calls[i], .count = 1, .guarded = true, .scattered = true};
    }
    check->blame = check->suspect = CHECK_MEMORY_CANNOT;
    if (!tell_memory(check, "memory " NO_HANDLE " 65536", &answer)) {
        return false;
    }
    if (answer.status == TOPK_BACKEND_DONE) {
        return check_broken(check, CHECK_MEMORY_CANNOT, "there is no handle " NO_HANDLE);
    }
    bool good = check_frame_make(check, &pipe);
    if (good && pipe.count > 0) {
        good = check_frame_send(check, &pipe) && check_frame_receive(check, &pipe);
    }
    check_frame_free(&pipe);
    check->blame = CHECK_MEMORY;
    if (!good || !share(check, shared, MEMORY_BYTES, &done) || !done) {
        return good && check->code == TOPK_CHECK_GOOD;
    }
    check->blame = check->suspect = CHECK_MEMORY_FRAME;
    if (!run_shared(check, shared, &frames[0], PAGE, 0, &late) ||
        !run_shared(check, shared, &frames[1], 8 * PAGE, PAGE, &late)) {
        return false;
    }
    check->blame = check->suspect = CHECK_MEMORY_REPLACED;
    late = 0;
    if (!share(check, shared, 2 * MEMORY_BYTES, &done)) {
        return false;
    }
    return (done || check_broken(check, CHECK_MEMORY_REPLACED,
                                 "it took other memory before, and now none")) &&
           run_shared(check, shared, &frames[2], MEMORY_BYTES + 2 * PAGE, 0, &late);
}

bool check_step_memory(struct check *check)
{
    struct shared shared = {0};
    if ((check->greeting.flags & TOPK_FLAG_MEMORY) == 0) {
        snprintf(check->note, sizeof check->note, "not asked: flag 40 is not set");
        return true;
    }
    const bool good = run_memory(check, &shared);
    free(shared.before);
    return good && check_silent(check);
}
