/* Makes and sends the check's frames, and compares the answers with the expected bytes. */
#include "frame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reference/element.h"
#include "reference/oracle.h"
#include "reference/result.h"

/* difference between the numbers of two frames, so that a process with its own counter fails */
#define NUMBER_STEP 10007u
#define GUARD       64u
#define GAP         40u

/* ---- offsets and contents of buffers --------------------------------------------------------- */

unsigned char check_filler(uint64_t place)
{
    return (unsigned char)(0x80 + place * 29 % 127);
}

static size_t round_up(size_t bytes, uint32_t align)
{
    return (bytes + align - 1) / align * align;
}

static void place_call(struct check_frame *frame, struct check_call *call, uint32_t align)
{
    static const int scattered[TOPK_ROLE_COUNT] = {TOPK_INDEX, TOPK_INPUT, TOPK_VALUE};
    for (int i = 0; i < TOPK_ROLE_COUNT; i++) {
        const int role = frame->scattered ? scattered[i] : i;
        const uint32_t guard = frame->guarded ? GUARD : 0;
        if (call->create_only) { /* its buffers mean nothing */
            call->buffer[role] = 96;
            call->offset[role] = 32;
            call->at[role] = UINT64_C(1) << 40;
            continue;
        }
        call->offset[role] = (uint64_t)guard * (unsigned)(role + 1);
        call->buffer[role] = call->offset[role] + call->op.tensors[role].total_bytes + guard;
        call->at[role] = round_up(frame->bytes + (frame->scattered ? GAP : 0), align);
        frame->bytes = call->at[role] + call->buffer[role];
    }
}

/* The bits of element number `place` along Axis: with swapped bytes, another sign or another
 * offset, the values and their order change. */
static uint64_t element(const struct check_frame *frame, uint32_t type, uint32_t place,
                        uint64_t sequence)
{
    if (frame->line_ends) {
        return 0x41000a0d | ((place * 167 + 13) & 0xff) << 16;
    }
    const uint64_t high = 0x20 + (place * 5 + 3 + 2 * sequence) % 9 * 8;
    const uint64_t low = 0x21 + (place * 7 + 1) % 9 * 4;
    const uint64_t sign = (place + sequence) % 2 * 0x80;
    switch (topk_type_bytes(type)) {
    case 1:
        return high | sign;
    case 2:
        return (high | sign) << 8 | low;
    case 4:
        return (high | sign) << 24 | 0x313200 | low;
    default:
        return (high | sign) << 56 | UINT64_C(0x31323334353600) | low;
    }
}

static void fill_input(const struct check_frame *frame, const struct check_call *call)
{
    const struct topk_tensor *input = &call->op.tensors[TOPK_INPUT];
    const uint32_t width = topk_type_bytes(input->type);
    unsigned char *start = frame->sent + call->at[TOPK_INPUT] + call->offset[TOPK_INPUT];
    const uint64_t sequences = topk_operator_sequences(&call->op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX];
        topk_operator_sequence_at(&call->op, s, at);
        for (uint32_t i = 0; i < input->sizes[call->op.axis]; i++) {
            at[call->op.axis] = i;
            topk_element_store(start + topk_tensor_offset(input, at) * width, width,
                               element(frame, input->type, i, s));
        }
    }
}

/* False if memory is short. */
static bool fill_frame(struct check_frame *frame)
{
    frame->sent = malloc(frame->bytes + 1);
    frame->wanted = malloc(frame->bytes + 1);
    frame->came = calloc(1, frame->bytes + 1);
    if (frame->sent == NULL || frame->wanted == NULL || frame->came == NULL) {
        return false;
    }
    for (size_t i = 0; i < frame->bytes; i++) {
        frame->sent[i] = frame->line_ends ? (unsigned char)i : check_filler(i);
    }
    for (uint32_t c = 0; c < frame->count; c++) {
        if (!frame->calls[c].create_only) {
            fill_input(frame, &frame->calls[c]);
        }
    }
    memcpy(frame->wanted, frame->sent, frame->bytes);
    for (uint32_t c = 0; c < frame->count; c++) {
        const struct check_call *call = &frame->calls[c];
        unsigned char *start[TOPK_ROLE_COUNT];
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            start[role] =
                frame->wanted + (call->create_only ? 0 : call->at[role] + call->offset[role]);
        }
        if (!call->create_only && topk_oracle_run(&call->op, start[TOPK_INPUT], start[TOPK_VALUE],
                                                  start[TOPK_INDEX]) == TOPK_ORACLE_NO_MEMORY) {
            return false;
        }
    }
    return true;
}

/* Removes the calls that the process does not support. */
static void keep_served(const struct check *check, struct check_frame *frame)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < frame->count; c++) {
        struct check_call *call = &frame->calls[c];
        const uint32_t least =
            call->invalid ? check->greeting.level : topk_operator_least_level(&call->op);
        call->op.level = least;
        if (least != 0 && least <= check->greeting.level) {
            frame->calls[kept++] = *call;
        }
    }
    frame->left_out = frame->count - kept;
    frame->count = kept;
}

bool check_frame_make(struct check *check, struct check_frame *frame)
{
    const uint64_t most = check->greeting.frame == 0 ? UINT64_MAX : check->greeting.frame;
    keep_served(check, frame);
    for (bool fits = false; !fits;) {
        frame->bytes = 0;
        for (uint32_t c = 0; c < frame->count; c++) {
            place_call(frame, &frame->calls[c], check->greeting.align);
        }
        fits = frame->bytes <= most || frame->count == 0;
        frame->count -= !fits;
        frame->left_out += !fits;
    }
    frame->bytes += frame->scattered && frame->bytes + GAP <= most ? GAP : 0;
    check->frame += NUMBER_STEP;
    frame->number = check->frame;
    frame->hinted = 0;
    return fill_frame(frame) || check_stop(check, TOPK_CHECK_HARNESS, "memory is short");
}

void check_frame_free(struct check_frame *frame)
{
    free(frame->sent);
    free(frame->wanted);
    free(frame->came);
    frame->sent = frame->wanted = frame->came = NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static const struct topk_backend_tensor *describe(struct topk_backend_tensor *to,
                                                  const struct topk_tensor *tensor)
{
    *to = (struct topk_backend_tensor){.data_type = tensor->type,
                                       .flags = tensor->flags,
                                       .dimension_count = tensor->rank,
                                       .guaranteed_base_offset_alignment = tensor->alignment,
                                       .sizes = tensor->sizes,
                                       .strides = tensor->strided ? tensor->strides : NULL,
                                       .total_bytes = tensor->total_bytes};
    return tensor->present ? to : NULL;
}

static bool say_call(struct check *check, const struct check_call *call)
{
    const struct topk_operator *op = &call->op;
    struct topk_backend_tensor tensors[TOPK_ROLE_COUNT];
    char line[TOPK_WIRE_LINE];
    struct topk_backend_call said = {
        .operator_type = op->kind == TOPK_TOP_K ? TOPK_OPERATOR_TOP_K : TOPK_OPERATOR_TOP_K1,
        .feature_level = op->level,
        .execution_flags = op->execution,
        .create_only = call->create_only,
        .axis = op->axis,
        .k = op->k,
        .direction = op->kind == TOPK_TOP_K ? TOPK_INCREASING : op->direction,
        .input = describe(&tensors[TOPK_INPUT], &op->tensors[TOPK_INPUT]),
        .value = describe(&tensors[TOPK_VALUE], &op->tensors[TOPK_VALUE]),
        .index = describe(&tensors[TOPK_INDEX], &op->tensors[TOPK_INDEX])};
    for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_backend_buffer *buffer = topk_wire_buffer(&said, role);
        buffer->bytes = call->buffer[role];
        buffer->offset = call->offset[role];
    }
    topk_wire_call_print(&said, call->at, TOPK_GUARD_PAGE_NONE, line);
    return check_say(check, line);
}

bool check_frame_say(struct check *check, struct check_frame *frame, uint64_t at)
{
    char line[160];
    const uint32_t batch = check->greeting.batch;
    const uint32_t wanted = frame->group == 0 || frame->group > batch ? batch : frame->group;
    const uint32_t group = wanted < frame->count ? wanted : frame->count;
    frame->groups = (frame->count + group - 1) / group;
    const int length = snprintf(line, sizeof line, "frame %" PRIu64 " %" PRIu32 " %" PRIu32 " %zu",
                                frame->number, frame->count, frame->groups, frame->bytes);
    if (at > 0) {
        snprintf(line + length, sizeof line - (size_t)length, " %" PRIu64, at);
    }
    bool said = check_say(check, line);
    for (uint32_t c = 0; said && c < frame->count; c++) {
        if (c % group == 0) {
            const uint32_t left = frame->count - c;
            snprintf(line, sizeof line, "group %" PRIu32, left < group ? left : group);
            said = check_say(check, line);
        }
        said = said && say_call(check, &frame->calls[c]);
    }
    return said;
}

bool check_frame_send(struct check *check, struct check_frame *frame)
{
    check_request(check);
    return check_frame_say(check, frame, 0) && check_send(check, frame->sent, frame->bytes);
}

/* ---- the answer ------------------------------------------------------------------------------
 */

/* Reads " NUMBER"; false, after a message that names what it is, if that fails. */
static bool take_number(struct check *check, const char **at, const char *what,
                        enum check_rule rule, uint64_t *number)
{
    const char *start = *at + (**at == ' ');
    const char *end = start + strspn(start, "0123456789");
    const char *again = start;
    if (**at != ' ' || end == start || (*end != ' ' && *end != 0)) {
        const bool sign = **at == ' ' && (*start == '+' || *start == '-');
        return check_broken(check, sign ? CHECK_NUMBER : rule, "%s is missing or no number", what);
    }
    if (!topk_wire_number(&again, end, UINT64_MAX, number)) {
        return check_broken(check, CHECK_NUMBER, "%s is \"%.*s\"", what, (int)(end - start), start);
    }
    *at = end;
    return true;
}

/* "at F G" */
static bool take_hint(struct check *check, struct check_frame *frame)
{
    const char *at = check->line + 2;
    uint64_t number = 0;
    uint64_t group = 0;
    if (!take_number(check, &at, "F of the hint", CHECK_HINT, &number) ||
        !take_number(check, &at, "G of the hint", CHECK_HINT, &group)) {
        return false;
    }
    if (*at != 0 || number != frame->number || group < frame->hinted || group >= frame->groups) {
        return check_broken(check, CHECK_HINT,
                            "the hint is of no group of frame %" PRIu64 " that is still to begin: "
                            "it has groups 0 to %" PRIu32,
                            frame->number, frame->groups - 1);
    }
    frame->hinted = (uint32_t)group + 1;
    return true;
}

/* "answer F CALLS BYTES" */
static bool take_head(struct check *check, struct check_frame *frame, uint64_t *bytes)
{
    const char *at = check->line + 6;
    uint64_t number = 0;
    uint64_t count = 0;
    if (strncmp(check->line, "error ", 6) == 0) {
        return check_broken(check, check_garbled(check, CHECK_ANSWER),
                            "it did not understand the frame");
    }
    if (strncmp(check->line, "answer ", 7) != 0) {
        return check_broken(check, check_garbled(check, CHECK_SILENCE),
                            "the line is neither an answer nor a hint");
    }
    if (!take_number(check, &at, "F of the answer", check_garbled(check, CHECK_ANSWER), &number) ||
        !take_number(check, &at, "CALLS of the answer", check_garbled(check, CHECK_ANSWER),
                     &count) ||
        !take_number(check, &at, "BYTES of the answer", check_garbled(check, CHECK_ANSWER),
                     bytes)) {
        return false;
    }
    if (number != frame->number) {
        return check_broken(check, check->suspect == CHECK_AHEAD ? CHECK_ORDER : CHECK_FRAME_NUMBER,
                            "it answers frame %" PRIu64 ", frame %" PRIu64 " is due", number,
                            frame->number);
    }
    if (count != frame->count || *at != 0) {
        return check_broken(check, check_garbled(check, CHECK_ANSWER),
                            "%s; the frame has %" PRIu32 " calls",
                            *at != 0 ? "something follows BYTES" : "CALLS is wrong", frame->count);
    }
    return true;
}

static bool take_status(struct check *check, struct check_call *call, uint32_t number)
{
    const size_t word = strcspn(check->line, " ");
    char reason[CHECK_LINE + 3];
    if (strncmp(check->line, "answer ", 7) == 0) {
        return check_broken(check, check_garbled(check, CHECK_STATUS),
                            "there is no status for call %" PRIu32, number);
    }
    if (topk_wire_answer_parse(check->line, check->length, &call->answer)) {
        return true;
    }
    if (check->line[word] == 0) {
        snprintf(reason, sizeof reason, "%s ", check->line);
        return topk_wire_answer_parse(reason, check->length + 1, &call->answer)
                   ? check_broken(check, CHECK_EMPTY_WORD, "there is no space after the status")
                   : check_broken(check, check_garbled(check, CHECK_STATUS),
                                  "call %" PRIu32 " has no valid status", number);
    }
    if (!topk_word_parse(check->line + word + 1, check->length - word - 1, reason, sizeof reason)) {
        return check_broken(check, CHECK_WORD, "what follows the status is not a word");
    }
    return strlen(reason) >= sizeof call->answer.reason
               ? check_broken(check, CHECK_REASON, "the reason has %zu bytes", strlen(reason))
               : check_broken(check, check_garbled(check, CHECK_STATUS),
                              "call %" PRIu32 " has no valid status", number);
}

/* whether a status is allowed for a call */
static bool check_status(struct check *check, const struct check_call *call, uint32_t number)
{
    const uint32_t status = call->answer.status;
    struct topk_validity validity;
    if (status == TOPK_BACKEND_UNSUPPORTED) {
        return true;
    }
    if (status > TOPK_BACKEND_UNSUPPORTED) {
        return check_broken(check, CHECK_FAILED, "call %" PRIu32 " went wrong", number);
    }
    if (!call->invalid) {
        return status == TOPK_BACKEND_DONE ||
               check_broken(check, CHECK_UNSUPPORTED,
                            "call %" PRIu32 ", which is valid, is refused", number);
    }
    topk_operator_validate(&call->op, call->op.level, &validity);
    return status == TOPK_BACKEND_REFUSED ||
           check_broken(check, CHECK_REFUSED, "call %" PRIu32 ", which breaks clause %s, is done",
                        number, topk_clause_id(topk_clause_set_first(&validity.broken)));
}

uint32_t check_frame_done(const struct check_frame *frame)
{
    uint32_t done = 0;
    for (uint32_t c = 0; c < frame->count; c++) {
        done += frame->calls[c].answer.status == TOPK_BACKEND_DONE;
    }
    return done;
}

bool check_frame_hear(struct check *check, struct check_frame *frame, bool shared, size_t *bytes)
{
    static char head[CHECK_LINE + 2]; /* static, because the stack may be small */
    uint64_t announced = 0;
    bool any = false;
    do {
        if (!check_hear(check) ||
            (strncmp(check->line, "at ", 3) == 0 && !take_hint(check, frame))) {
            return false;
        }
    } while (strncmp(check->line, "at ", 3) == 0);
    if (!take_head(check, frame, &announced)) {
        return false;
    }
    snprintf(head, sizeof head, "%s", check->line);
    for (uint32_t c = 0; c < frame->count; c++) {
        struct check_call *call = &frame->calls[c];
        if (!check_hear(check) || !take_status(check, call, c) || !check_status(check, call, c)) {
            return false;
        }
        any |= call->answer.status == TOPK_BACKEND_DONE && !call->create_only;
    }
    *bytes = any && !shared ? frame->bytes : 0;
    if (announced != *bytes) {
        snprintf(check->came, sizeof check->came, "\"%.100s\"", head);
        return check_broken(check, shared ? CHECK_MEMORY_ANSWER : CHECK_BYTES,
                            "BYTES is %" PRIu64 " and must be %zu", announced, *bytes);
    }
    return true;
}

bool check_frame_compare(struct check *check, struct check_frame *frame, size_t bytes)
{
    for (uint32_t c = 0; c < frame->count; c++) {
        const struct check_call *call = &frame->calls[c];
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            if (!call->create_only && call->answer.status != TOPK_BACKEND_DONE) {
                /* its buffers are not compared */
                memcpy(frame->wanted + call->at[role], frame->came + call->at[role],
                       call->buffer[role]);
            }
        }
    }
    return memcmp(frame->came, frame->wanted, bytes) == 0 || check_diagnose(check, frame);
}

bool check_frame_receive(struct check *check, struct check_frame *frame)
{
    size_t bytes;
    return check_frame_hear(check, frame, false, &bytes) &&
           check_hear_bytes(check, frame->came, bytes) && check_frame_compare(check, frame, bytes);
}
