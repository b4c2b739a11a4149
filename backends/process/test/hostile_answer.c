/* Modes that announce a different number of bytes than they send, or answer a different frame. */
#include "hostile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- how many bytes -------------------------------------------------------------------------- */

static void truncated(struct frame *frame)
{
    say_head(frame, frame->bytes);
    say_statuses(frame);
    fwrite(frame->now, 1, (size_t)frame->bytes - 1, hostile.out);
    fflush(hostile.out);
    _exit(EXIT_SUCCESS);
}

static void say_half(struct frame *frame)
{
    say_head(frame, frame->bytes);
    say_statuses(frame);
    fwrite(frame->now, 1, (size_t)frame->bytes / 2, hostile.out);
    fflush(hostile.out);
}

static void half(struct frame *frame)
{
    say_half(frame);
    hang();
}

static void half_exit(struct frame *frame)
{
    say_half(frame);
    _exit(EXIT_SUCCESS);
}

static void half_head(struct frame *frame)
{
    say("answer %" PRIu64, frame->number);
    fflush(hostile.out);
    hang();
}

/* one byte per second */
static void drip(struct frame *frame)
{
    say_head(frame, frame->bytes);
    say_statuses(frame);
    for (uint64_t i = 0; i < frame->bytes; i++) {
        putc(frame->now[i], hostile.out);
        fflush(hostile.out);
        sleep_microseconds(1000000);
    }
}

static void drip_head(struct frame *frame)
{
    char text[80];
    snprintf(text, sizeof text, "answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", frame->number,
             frame->count, frame->bytes);
    for (const char *at = text; *at != 0; at++) {
        putc(*at, hostile.out);
        fflush(hostile.out);
        sleep_microseconds(400000);
    }
    say_statuses(frame);
    say_bytes(frame);
}

static void more_bytes(struct frame *frame)
{
    say_head(frame, frame->bytes + 7);
    say_statuses(frame);
    say_bytes(frame);
    say("1234567");
}

static void trailing(struct frame *frame)
{
    say_answer(frame);
    say("1234567");
}

/* an answer that announces this number of bytes */
static void say_answer_of(const struct frame *frame, const char *bytes)
{
    say("answer %" PRIu64 " %" PRIu32 " %s\n", frame->number, frame->count, bytes);
    say_statuses(frame);
    say_bytes(frame);
}

static void one_byte_more(struct frame *frame)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRIu64, frame->bytes + 1);
    say_answer_of(frame, text);
}

static void no_bytes(struct frame *frame)
{
    say_answer_of(frame, "0");
}

static void huge_bytes(struct frame *frame)
{
    say_answer_of(frame, "9223372036854775808");
}

/* the number of bytes plus 2^64 */
static void overflow_bytes(struct frame *frame)
{
    char text[40];
    const uint64_t low = UINT64_C(6744073709551616) + frame->bytes;
    snprintf(text, sizeof text, "1844%016" PRIu64, low);
    say_answer_of(frame, text);
}

static void signed_bytes(struct frame *frame)
{
    char text[40];
    snprintf(text, sizeof text, "+%" PRIu64, frame->bytes);
    say_answer_of(frame, text);
}

static void negative_bytes(struct frame *frame)
{
    say_answer_of(frame, "-1");
}

static void zeros_before_bytes(struct frame *frame)
{
    char text[40];
    snprintf(text, sizeof text, "000%" PRIu64, frame->bytes);
    say_answer_of(frame, text);
}

/* ---- which frame ----------------------------------------------------------------------------- */

static void wrong_frame(struct frame *frame)
{
    frame->number++;
    say_answer(frame);
}

static void wrong_count(struct frame *frame)
{
    frame->count++; /* the additional status is zero: done */
    memset(&frame->calls[frame->count - 1].answer, 0, sizeof frame->calls[0].answer);
    say_answer(frame);
}

static void twice(struct frame *frame)
{
    say_answer(frame);
    say_answer(frame);
}

/* also answers the next frame, which it has not read; without done calls, an answer needs no
 * bytes */
static void ahead(struct frame *frame)
{
    struct frame *next = calloc(1, sizeof *next);
    if (next == NULL) {
        give_up("out of memory");
    }
    say_answer(frame);
    next->number = frame->number + 1;
    next->count = 1;
    next->calls[0].answer.status = TOPK_BACKEND_UNSUPPORTED;
    say_answer(next);
    free(next);
}

/* delays the answer to a frame until it has read and answered the next one */
static void next_first(struct frame *frame)
{
    static struct frame next;
    char *line;
    size_t length;
    if (!request_waits() || !read_request(&line, &length)) {
        exit(EXIT_SUCCESS); /* there is no next one */
    }
    read_frame(&next, line + 6);
    say_answer(&next);
    say_answer(frame);
    free(next.came);
    free(next.now);
}

/* sends one answer for two frames */
static void one_for_two(struct frame *frame)
{
    static struct frame next;
    char *line;
    size_t length;
    if (!request_waits() || !read_request(&line, &length)) {
        exit(EXIT_SUCCESS);
    }
    read_frame(&next, line + 6);
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", frame->number, frame->count + next.count,
        answer_bytes(frame) + answer_bytes(&next));
    say_statuses(frame);
    say_statuses(&next);
    say_bytes(frame);
    say_bytes(&next);
    free(next.came);
    free(next.now);
}

static void out_of_order(struct frame *frame)
{
    say_head(frame, frame->bytes);
    for (uint32_t i = frame->count; i-- > 0;) {
        say_status(&frame->calls[i]);
    }
    for (uint64_t i = frame->bytes; i-- > 0;) {
        putc(frame->now[i], hostile.out);
    }
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode answer_modes[] = {
    /* bytes */
    {"truncated", "a byte is missing, and then it exits", .answer = truncated},
    {"half", "half an answer, and then nothing more", .answer = half},
    {"half-exit", "half an answer, and then it exits with 0", .answer = half_exit},
    {"half-head", "half a line, and then nothing more", .answer = half_head},
    {"drip", "the bytes of an answer come one a second", .answer = drip},
    {"drip-head", "the first line of an answer comes by and by", .answer = drip_head},
    {"more-bytes", "announces and sends more bytes", .answer = more_bytes},
    {"trailing", "sends more bytes than it announces", .answer = trailing},
    {"one-byte-more", "announces one byte more than it sends", .answer = one_byte_more},
    {"no-bytes", "announces no bytes and sends them", .answer = no_bytes},
    {"huge-bytes", "announces 2^63 bytes", .answer = huge_bytes},
    {"overflow-bytes", "announces 2^64 bytes more than it sends", .answer = overflow_bytes},
    {"signed-bytes", "the number of bytes has a sign", .answer = signed_bytes},
    {"negative-bytes", "announces -1 bytes", .answer = negative_bytes},
    {"zeros-before-bytes", "the number has leading zeros", .answer = zeros_before_bytes},
    /* frames */
    {"wrong-frame", "answers another frame", .answer = wrong_frame},
    {"wrong-count", "answers for one call more", .answer = wrong_count},
    {"twice", "answers twice", .answer = twice},
    {"ahead", "answers a frame that it has not read", .answer = ahead},
    {"next-first", "answers a frame before the one that was asked first", .answer = next_first},
    {"one-for-two", "one answer for two frames", .answer = one_for_two},
    {"out-of-order", "answers in reverse order", .answer = out_of_order},
    {.name = NULL},
};
