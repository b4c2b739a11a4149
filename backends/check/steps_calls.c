/* Frames through the pipe: each step adds one feature of frames. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frame.h"
#include "reference/element.h"
#include "steps.h"

/* ---- frames ----------------------------------------------------------------------------------
 */

/* Lets the process answer a frame. Adds to the note what the frame is, and how many of its calls
 * are done, refused and so on. */
static bool run_frame(struct check *check, struct check_frame *frame, const char *what)
{
    bool good = check_frame_make(check, frame);
    if (good && frame->count > 0) {
        good = check_frame_send(check, frame) && check_frame_receive(check, frame) &&
               check_silent(check);
    }
    check_frame_free(frame);
    if (good) {
        const uint32_t done = check_frame_done(frame);
        uint32_t refused = 0;
        for (uint32_t c = 0; c < frame->count; c++) {
            refused += frame->calls[c].answer.status == TOPK_BACKEND_REFUSED;
        }
        const struct {
            uint32_t count;
            const char *what;
        } parts[] = {{done, "done"},
                     {refused, "refused"},
                     {frame->count - done - refused, "unsupported"},
                     {frame->left_out, "beyond its level or frame"}};
        size_t used = strlen(check->note);
        used += (size_t)snprintf(check->note + used, sizeof check->note - used, "%s%s",
                                 used == 0 ? "" : "; ", what);
        const char *comma = ": ";
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (parts[i].count > 0 && used < sizeof check->note) {
                used += (size_t)snprintf(check->note + used, sizeof check->note - used,
                                         "%s%" PRIu32 " %s", comma, parts[i].count, parts[i].what);
                comma = ", ";
            }
        }
    }
    return good;
}

/* Whether the process checks descriptions; if not, invalid calls and calls that are only created
 * are not sent. */
static bool checks_descriptions(struct check *check)
{
    if ((check->greeting.flags & TOPK_FLAG_OWN_CONTRACT) == 0) {
        return true;
    }
    snprintf(check->note, sizeof check->note, "not asked: flag 1 is set");
    return false;
}

bool check_step_frame(struct check *check)
{
    struct check_call call = check_call_plain(4, 7);
    struct check_frame frame = {.calls = &call, .count = 1};
    return run_frame(check, &frame, "one call");
}

bool check_step_offset(struct check *check)
{
    struct check_call call = check_call_plain(4, 7);
    struct check_frame frame = {.calls = &call, .count = 1, .guarded = true};
    return run_frame(check, &frame, "guards before and after the tensors");
}

bool check_step_strides(struct check *check)
{
    struct check_call call = check_call_strided();
    struct check_frame frame = {.calls = &call, .count = 1, .guarded = true};
    return run_frame(check, &frame, "elements apart, guards between them");
}

bool check_step_at(struct check *check)
{
    struct check_call calls[] = {check_call_plain(4, 7), check_call_strided(),
                                 check_call_plain(3, 8)};
    struct check_frame frame = {.calls = calls, .count = 3, .guarded = true, .scattered = true};
    return run_frame(check, &frame, "buffers in another order, with gaps");
}

bool check_step_direction(struct check *check)
{
    struct check_call calls[] = {check_call_plain(4, 7), check_call_plain(4, 7),
                                 check_call_plain(4, 7)};
    struct check_frame frame = {.calls = calls, .count = 3, .guarded = true};
    calls[1].op.kind = calls[2].op.kind = TOPK_TOP_K1;
    calls[1].op.direction = TOPK_INCREASING;
    calls[2].op.direction = TOPK_DECREASING;
    return run_frame(check, &frame, "operator 71, operator 112 both ways");
}

/* every type, and both index types */
#define TYPED_CALLS (TOPK_TYPE_COUNT + 1)
static void list_types(struct check_call calls[TYPED_CALLS])
{
    for (uint32_t i = 0; i < TOPK_TYPE_COUNT; i++) {
        calls[i] = check_call_typed(topk_types[i], TOPK_TYPE_U32);
    }
    calls[TOPK_TYPE_COUNT] = check_call_typed(TOPK_TYPE_F32, TOPK_TYPE_U64);
}

bool check_step_types(struct check *check)
{
    struct check_call calls[TYPED_CALLS];
    struct check_frame frame = {.calls = calls, .count = TYPED_CALLS, .guarded = true};
    list_types(calls);
    if (!run_frame(check, &frame, "every type")) {
        return false;
    }
    check->typed = true;
    for (uint32_t c = 0; c < frame.count; c++) {
        if (calls[c].answer.status == TOPK_BACKEND_UNSUPPORTED) {
            const uint32_t type = calls[c].op.tensors[TOPK_INPUT].type;
            check->unsupported |= 1u << type;
        }
    }
    return true;
}

bool check_step_unsupported(struct check *check)
{
    struct check_call calls[TYPED_CALLS];
    struct check_frame frame = {.calls = calls, .guarded = true};
    for (uint32_t i = 0; i < TOPK_TYPE_COUNT; i++) {
        if ((check->unsupported >> topk_types[i] & 1u) != 0) {
            calls[frame.count++] = check_call_typed(topk_types[i], TOPK_TYPE_U32);
        }
    }
    if (frame.count == 0) {
        snprintf(check->note, sizeof check->note, "%s",
                 check->typed ? "not asked: all types are supported"
                              : "not asked: \"types\" failed");
        return true;
    }
    return run_frame(check, &frame, "a frame of these types alone");
}

bool check_step_ranks(struct check *check)
{
    struct check_call calls[TOPK_RANK_VALID];
    struct check_frame frame = {.calls = calls, .count = TOPK_RANK_VALID, .guarded = true};
    check->blame = check->suspect = CHECK_SIZES;
    for (uint32_t i = 0; i < TOPK_RANK_VALID; i++) {
        calls[i] = check_call_ranked(i + 1);
    }
    return run_frame(check, &frame, "1 to 8 dimensions");
}

/* ---- many calls ------------------------------------------------------------------------------
 */

bool check_step_groups(struct check *check)
{
    /* static, like the arrays below, because the stack may be small */
    static struct check_call calls[25];
    struct check_frame frame = {
        .calls = calls, .count = 25, .group = 11, .guarded = true, .scattered = true};
    check->blame = check->suspect = CHECK_GROUP;
    for (uint32_t i = 0; i < 25; i++) {
        calls[i] = check_call_plain(1 + i % 5, 5 + i % 5);
    }
    return run_frame(check, &frame, "25 calls in groups of 11 at most");
}

bool check_step_calls(struct check *check)
{
    struct check_call *calls = calloc(TOPK_WIRE_CALLS, sizeof *calls);
    struct check_frame frame = {.calls = calls, .count = TOPK_WIRE_CALLS};
    if (calls == NULL) {
        return check_stop(check, TOPK_CHECK_HARNESS, "memory is short");
    }
    check->blame = check->suspect = CHECK_CALLS;
    for (uint32_t i = 0; i < TOPK_WIRE_CALLS; i++) {
        calls[i] = check_call_plain(1, 2);
    }
    const bool good = run_frame(check, &frame, "as many calls as a frame may have");
    free(calls);
    return good;
}

bool check_step_line_ends(struct check *check)
{
    struct check_call call = check_call_plain(256, 256);
    struct check_frame frame = {.calls = &call, .count = 1, .guarded = true, .line_ends = true};
    check->blame = check->suspect = CHECK_BINARY;
    return run_frame(check, &frame, "all bytes, and line ends among them");
}

/* ---- created or refused ---------------------------------------------------------------------- */

bool check_step_create_only(struct check *check)
{
    struct check_call calls[] = {check_call_plain(4, 7), check_call_strided(),
                                 check_call_plain(3, 8)};
    struct check_call alone = check_call_plain(2, 3);
    struct check_frame first = {.calls = &alone, .count = 1};
    struct check_frame mixed = {.calls = calls, .count = 3, .guarded = true, .scattered = true};
    check->blame = check->suspect = CHECK_CREATE_ONLY;
    calls[1].create_only = alone.create_only = true;
    return !checks_descriptions(check) || (run_frame(check, &first, "a call without bytes") &&
                                           run_frame(check, &mixed, "one among others"));
}

bool check_step_any_rank(struct check *check)
{
    struct check_call calls[TOPK_RANK_MAX - TOPK_RANK_VALID + 1];
    struct check_frame frame = {.calls = calls};
    check->blame = check->suspect = CHECK_SIZES;
    calls[frame.count++] = check_call_invalid(check_call_ranked(0));
    for (uint32_t rank = TOPK_RANK_VALID + 1; rank <= TOPK_RANK_MAX; rank++) {
        calls[frame.count++] = check_call_invalid(check_call_ranked(rank));
    }
    return !checks_descriptions(check) || run_frame(check, &frame, "0 and 9 to 16 dimensions");
}

bool check_step_any_type(struct check *check)
{
    static const uint32_t types[] = {
        TOPK_TYPE_UNKNOWN, TOPK_TYPE_F64, TOPK_TYPE_U4, TOPK_TYPE_I4, 99, UINT32_MAX};
    struct check_call calls[sizeof types / sizeof types[0]];
    struct check_frame frame = {.calls = calls};
    check->blame = check->suspect = CHECK_TYPE;
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct check_call call = check_call_plain(4, 7);
        call.op.tensors[TOPK_INPUT].type = call.op.tensors[TOPK_VALUE].type = types[i];
        calls[frame.count++] = check_call_invalid(call);
    }
    return !checks_descriptions(check) || run_frame(check, &frame, "numbers that are no type");
}

bool check_step_absent(struct check *check)
{
    struct check_call calls[TOPK_ROLE_COUNT];
    struct check_frame frame = {.calls = calls, .count = TOPK_ROLE_COUNT};
    check->blame = check->suspect = CHECK_ABSENT;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        calls[role] = check_call_invalid(check_call_plain(4, 7));
        calls[role].op.tensors[role] = (struct topk_tensor){0};
    }
    return !checks_descriptions(check) ||
           run_frame(check, &frame, "a call without input, value, index");
}

/* ---- the order of reading and writing -------------------------------------------------------- */

/* nanoseconds in which an early answer must arrive, as a multiple of the slowest answer so far */
#define EARLY_TIMES 20u
#define EARLY_LEAST 150000000u
#define EARLY_MOST  500000000u

bool check_step_read_whole(struct check *check)
{
    struct check_call call = check_call_strided();
    struct check_frame frame = {.calls = &call, .count = 1, .guarded = true};
    uint64_t pause = check->slowest * EARLY_TIMES;
    pause = pause < EARLY_LEAST ? EARLY_LEAST : pause > EARLY_MOST ? EARLY_MOST : pause;
    bool good = check_frame_make(check, &frame);
    if (good && frame.count > 0) {
        const size_t held_back = 1;
        check_request(check);
        good =
            check_frame_say(check, &frame, 0) &&
            check_send(check, frame.sent, frame.bytes - held_back) &&
            (!check_hears_within(check, pause) || strncmp(check->in + check->from, "at ", 3) == 0 ||
             check_broken(check, CHECK_READ_WHOLE, "it answers before the last byte was sent")) &&
            check_send(check, frame.sent + frame.bytes - held_back, held_back) &&
            check_frame_receive(check, &frame);
    }
    check_frame_free(&frame);
    snprintf(check->note, sizeof check->note, "answers only when the last byte is there");
    return good;
}

#define AHEAD_FRAMES 128u

bool check_step_ahead(struct check *check)
{
    static struct check_frame frames[AHEAD_FRAMES];
    static struct check_call calls[AHEAD_FRAMES];
    static unsigned char held[2 * CHECK_AHEAD_BYTES];
    uint32_t count = 0;
    bool good = true;
    check->blame = check->suspect = CHECK_AHEAD;
    check_request(check);
    check->held = held;
    check->held_length = 0;
    while (good && count < AHEAD_FRAMES) {
        struct check_frame *frame = &frames[count];
        const size_t before = check->held_length;
        calls[count] = count % 2 == 0 ? check_call_strided() : check_call_plain(1 + count % 7, 9);
        *frame = (struct check_frame){
            .calls = &calls[count], .count = 1, .guarded = true, .scattered = count % 3 == 0};
        count++;
        /* a line of these calls is short */
        good = check_frame_make(check, frame) &&
               (frame->count == 0 || frame->bytes > CHECK_AHEAD_BYTES ||
                (check_frame_say(check, frame, 0) && check_send(check, frame->sent, frame->bytes)));
        if (!good || check->held_length == before || check->held_length > CHECK_AHEAD_BYTES) {
            check_frame_free(frame);
            check->held_length = before;
            count--;
            break;
        }
    }
    check->held = NULL;
    good = good && check_send(check, held, check->held_length);
    for (uint32_t i = 0; i < count; i++) {
        good = good && check_frame_receive(check, &frames[i]);
        check_frame_free(&frames[i]);
    }
    snprintf(check->note, sizeof check->note,
             "answers %" PRIu32 " frames, which were sent at once, %zu bytes, in order", count,
             check->held_length);
    return good && check_silent(check);
}
