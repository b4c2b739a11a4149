/* Explains wrong bytes in an answer: compares them with what a process would send that misreads the
 * page in one way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "reference/element.h"
#include "reference/oracle.h"

/* ---- misreadings -----------------------------------------------------------------------------
 * Each of some tensors: input, value, index, or several of them; directions of some operators: 71,
 * 112 increasing, 112 decreasing. */

enum misreading {
    OFFSET_IGNORED,
    STRIDES_IGNORED,
    AT_IGNORED,
    BYTES_SWAPPED,
    DIRECTION_TURNED,
    MISREADING_COUNT
};

static const struct {
    enum check_rule rule;
    const char *what;
} misreadings[MISREADING_COUNT] = {
    [OFFSET_IGNORED] = {CHECK_OFFSET, ".offset is not added"},
    [STRIDES_IGNORED] = {CHECK_STRIDES, ".strides are not used: elements are taken as packed"},
    [AT_IGNORED] = {CHECK_AT,
                    ".at is not used: buffers are taken one after the other, in the order "
                    "of the line"},
    [BYTES_SWAPPED] = {CHECK_LITTLE_ENDIAN, "the bytes of elements are in the wrong order"},
    [DIRECTION_TURNED] = {CHECK_DIRECTION, "greatest and smallest are taken for each other"},
};

static void swap_elements(unsigned char *start, const struct topk_tensor *tensor)
{
    const uint32_t width = topk_type_bytes(tensor->type);
    for (uint64_t i = 0; i + width <= tensor->total_bytes; i += width) {
        for (uint32_t b = 0; b < width / 2; b++) {
            const unsigned char byte = start[i + b];
            start[i + b] = start[i + width - 1 - b];
            start[i + width - 1 - b] = byte;
        }
    }
}

static void turn_direction(struct topk_operator *op, unsigned set)
{
    const bool increasing = topk_operator_increasing(op);
    const unsigned member = op->kind == TOPK_TOP_K ? 1u : increasing ? 2u : 4u;
    if ((set & member) != 0) {
        op->kind = TOPK_TOP_K1;
        op->direction = increasing ? TOPK_DECREASING : TOPK_INCREASING;
    }
}

/* Computes a call with a misreading applied to a set of its tensors; *packed is the offset of its
 * buffers if they were contiguous. False if that exceeds the frame. */
static bool compute(const struct check_frame *frame, const struct check_call *call,
                    enum misreading misreading, unsigned set, uint64_t *packed,
                    unsigned char *bytes)
{
    struct topk_operator op = call->op;
    unsigned char *start[TOPK_ROLE_COUNT];
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const bool misread = (set >> role & 1u) != 0;
        uint64_t at = call->at[role];
        uint64_t offset = call->offset[role];
        if (misread && misreading == AT_IGNORED) {
            at = *packed;
        }
        if (misread && misreading == OFFSET_IGNORED) {
            offset = 0;
        }
        if (misread && misreading == STRIDES_IGNORED) {
            op.tensors[role].strided = false;
        }
        *packed += call->buffer[role];
        start[role] = bytes + at + offset;
        if (at + offset + topk_tensor_least_bytes(&op.tensors[role]) > frame->bytes) {
            return false;
        }
    }
    if (misreading == DIRECTION_TURNED) {
        turn_direction(&op, set);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            if (misreading == BYTES_SWAPPED && (set >> role & 1u) != 0) {
                swap_elements(start[role], &op.tensors[role]);
            }
        }
        if (pass == 0 && topk_oracle_run(&op, start[TOPK_INPUT], start[TOPK_VALUE],
                                         start[TOPK_INDEX]) == TOPK_ORACLE_NO_MEMORY) {
            return false;
        }
    }
    return true;
}

/* whether a misreading gives exactly these bytes of the frame; bytes: scratch space for them */
static bool explains(const struct check_frame *frame, enum misreading misreading, unsigned set,
                     unsigned char *bytes)
{
    uint64_t packed = 0;
    bool computed = true;
    memcpy(bytes, frame->sent, frame->bytes);
    for (uint32_t c = 0; c < frame->count && computed; c++) {
        const struct check_call *call = &frame->calls[c];
        if (!call->create_only && call->answer.status == TOPK_BACKEND_DONE) {
            computed = compute(frame, call, misreading, set, &packed, bytes);
        } else if (!call->create_only) {
            for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
                memcpy(bytes + call->at[role], frame->came + call->at[role], call->buffer[role]);
                packed += call->buffer[role];
            }
        }
    }
    return computed && memcmp(bytes, frame->came, frame->bytes) == 0;
}

static bool name_misreading(struct check *check, const struct check_frame *frame)
{
    static const char *const tensors[] = {
        "",      "input",           "value",           "input and value",
        "index", "input and index", "value and index", "all tensors"};
    static const char *const operators[] = {"",
                                            "operator 71",
                                            "operator 112 with direction=0",
                                            "operator 71, and 112 with direction=0",
                                            "operator 112 with direction=1",
                                            "operator 71, and 112 with direction=1",
                                            "operator 112",
                                            "both operators"};
    unsigned char *bytes = malloc(frame->bytes + 1);
    bool found = false;
    for (int m = 0; m < MISREADING_COUNT && !found && bytes != NULL; m++) {
        for (unsigned set = 1; set <= 7 && !found; set++) {
            found = explains(frame, (enum misreading)m, set, bytes);
            if (found) {
                check_broken(check, misreadings[m].rule, "%s: %s; that explains every byte",
                             m == DIRECTION_TURNED ? operators[set] : tensors[set],
                             misreadings[m].what);
            }
        }
    }
    free(bytes);
    return found;
}

/* ---- errors that no misreading explains ------------------------------------------------------ */

/* whether `by` superfluous bytes come before the expected ones */
static bool shifted(const struct check_frame *frame, size_t by)
{
    return frame->bytes > by + 8 && memcmp(frame->came + by, frame->wanted, frame->bytes - by) == 0;
}

/* whether the buffers of a call came back unchanged */
static bool untouched(const struct check_frame *frame, const struct check_call *call)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (call->create_only || memcmp(frame->came + call->at[role], frame->sent + call->at[role],
                                        call->buffer[role]) != 0) {
            return false;
        }
    }
    return true;
}

/* the role and call of the buffer that contains a byte of the frame; TOPK_ROLE_COUNT: none */
static int owner(const struct check_frame *frame, size_t place, uint32_t *call)
{
    for (*call = 0; *call < frame->count; ++*call) {
        const struct check_call *one = &frame->calls[*call];
        for (int role = 0; role < TOPK_ROLE_COUNT && !one->create_only; role++) {
            if (place >= one->at[role] && place < one->at[role] + one->buffer[role]) {
                return role;
            }
        }
    }
    return TOPK_ROLE_COUNT;
}

static void show_bytes(struct check *check, const struct check_frame *frame, size_t place)
{
    int used = snprintf(check->came, sizeof check->came, "from byte %zu of the frame on:", place);
    for (size_t i = place; i < place + 8 && i < frame->bytes; i++) {
        used += snprintf(check->came + used, sizeof check->came - (size_t)used, " %02x",
                         frame->came[i]);
    }
    used += snprintf(check->came + used, sizeof check->came - (size_t)used, ", wanted:");
    for (size_t i = place; i < place + 8 && i < frame->bytes; i++) {
        used += snprintf(check->came + used, sizeof check->came - (size_t)used, " %02x",
                         frame->wanted[i]);
    }
}

bool check_diagnose(struct check *check, const struct check_frame *frame)
{
    size_t place = 0;
    uint32_t c;
    while (frame->came[place] == frame->wanted[place]) {
        place++;
    }
    show_bytes(check, frame, place);
    const int role = owner(frame, place, &c);
    if (frame->line_ends) {
        return check_broken(check, CHECK_BINARY, "bytes differ that hold 0x0A, 0x0D or 0x1A");
    }
    for (size_t by = 1; by <= 4; by++) {
        if (shifted(frame, by)) {
            return check_broken(check, CHECK_ANSWER,
                                "%zu byte%s between the statuses and the bytes", by,
                                by == 1 ? " stands" : "s stand");
        }
    }
    if (role == TOPK_ROLE_COUNT) {
        return name_misreading(check, frame)
                   ? false
                   : check_broken(check, CHECK_NOW,
                                  "bytes that belong to no buffer do not come back as they were");
    }
    const struct check_call *call = &frame->calls[c];
    if (untouched(frame, call)) {
        return check_broken(check, CHECK_NOW,
                            "call %" PRIu32 " is done, but its bytes came back as they were sent",
                            c);
    }
    if (name_misreading(check, frame)) {
        return false;
    }
    const char *name = topk_role_name((enum topk_role)role);
    if (role == TOPK_INPUT) {
        return check_broken(check, CHECK_INPUT, "the input of call %" PRIu32 " was written", c);
    }
    const struct topk_tensor *tensor = &call->op.tensors[role];
    const uint64_t within = place - call->at[role];
    if (frame->wanted[place] == frame->sent[place] &&
        (within < call->offset[role] || within >= call->offset[role] + tensor->total_bytes ||
         tensor->strided)) {
        return check_broken(check, CHECK_GUARD,
                            "bytes of the buffer %s of call %" PRIu32
                            " were written that are no elements",
                            name, c);
    }
    return check_broken(check, CHECK_DONE, "element %" PRIu64 " of %s of call %" PRIu32 " is wrong",
                        (within - call->offset[role]) / topk_type_bytes(tensor->type), name, c);
}
