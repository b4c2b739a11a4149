/* Modes that send lines which the protocol does not have, endless lines, or wrong marks. */
#include "hostile.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* ---- statuses and other lines ---------------------------------------------------------------- */

/* an answer with this text instead of the lines of the statuses */
static void say_instead(const struct frame *frame, const char *statuses, size_t length)
{
    say_head(frame, frame->bytes);
    for (uint32_t i = 0; i < frame->count; i++) {
        fwrite(statuses, 1, length, hostile.out);
    }
    say_bytes(frame);
}

#define SAY_INSTEAD(frame, text) say_instead(frame, text, sizeof(text) - 1)

static void status_unknown(struct frame *frame)
{
    SAY_INSTEAD(frame, "perfect \n");
}

static void status_missing(struct frame *frame)
{
    say_head(frame, frame->bytes);
    for (uint32_t i = 1; i < frame->count; i++) {
        say_status(&frame->calls[i]);
    }
    say_bytes(frame);
}

static void status_more(struct frame *frame)
{
    say_head(frame, frame->bytes);
    say_statuses(frame);
    say_status(&frame->calls[0]);
    say_bytes(frame);
}

static void status_verdict(struct frame *frame)
{
    SAY_INSTEAD(frame, "pass clause=- obs=0 ns=1\n");
}

static void status_bare(struct frame *frame)
{
    SAY_INSTEAD(frame, "done\n");
}

static void status_nul(struct frame *frame)
{
    SAY_INSTEAD(frame, "done \0\n");
}

static void status_word(struct frame *frame)
{
    SAY_INSTEAD(frame, "done %zz\n");
}

static void status_long(struct frame *frame)
{
    char text[700];
    const int length = snprintf(text, sizeof text, "done %0600d\n", 7);
    say_instead(frame, text, (size_t)length);
}

static void head_nul(struct frame *frame)
{
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "%c\n", frame->number, frame->count, frame->bytes,
        0);
    say_statuses(frame);
    say_bytes(frame);
}

static void blank_line(struct frame *frame)
{
    say("\n");
    say_answer(frame);
}

/* correct, with a carriage return at the end of each line, as on Windows */
static void returns(struct frame *frame)
{
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\r\n", frame->number, frame->count,
        frame->bytes);
    for (uint32_t i = 0; i < frame->count; i++) {
        char line[TOPK_WIRE_LINE];
        topk_wire_answer_print(&frame->calls[i].answer, line);
        say("%s\r\n", line);
    }
    say_bytes(frame);
}

static void long_line(struct frame *frame)
{
    say_many('a', 9000);
    say("\n");
    say_answer(frame);
}

static void endless_line(struct frame *frame)
{
    (void)frame;
    say_many('a', 1u << 20);
}

/* a line in which every byte must be escaped for display */
static void binary_line(struct frame *frame)
{
    (void)frame;
    say_many((char)0xfe, 200);
    say("\n");
}

static void worker_lines(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        say("begin %" PRIu32 " 1\ndone %" PRIu32 " pass clause=- obs=0 ns=1\n", i, i);
    }
}

static void error_line(struct frame *frame)
{
    (void)frame;
    say("error pass%%0Adone%%200%%20pass%%20clause%%3D-\n");
}

static void stdout_flood(struct frame *frame)
{
    say_head(frame, frame->bytes);
    while (say("done \n"), fflush(hostile.out) == 0) {
    }
    hang();
}

static void flood_errors(void)
{
    static char text[1 << 16];
    const size_t length = sizeof text;
    for (size_t i = 0; i < length; i++) {
        text[i] = "e\033\n"[i % 64 == 63 ? 2 : i % 64 == 7];
    }
    for (uint32_t i = 0; i < 200u * 16u; i++) {
        if (write(STDERR_FILENO, text, length) < 0) {
            break;
        }
    }
}

static void stderr_flood(struct frame *frame)
{
    flood_errors();
    spoil_each(frame, wrong_indices);
    say_answer(frame);
}

/* before its backend is opened */
static void flood_first(void)
{
    say_many('a', 1u << 20);
    fflush(hostile.out);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void marks(struct frame *frame)
{
    for (uint32_t group = 0; group < frame->groups; group++) {
        say_mark(frame->number, group);
    }
    say_answer(frame);
}

static void mark_back(struct frame *frame)
{
    say_mark(frame->number, frame->groups - 1);
    say_mark(frame->number, 0);
    say_mark(frame->number, 0);
    say_answer(frame);
}

static void mark_frame(struct frame *frame)
{
    say_mark(frame->number + 7, 0);
    say_answer(frame);
}

static void mark_group(struct frame *frame)
{
    say_mark(frame->number, frame->groups);
    say_answer(frame);
}

static void mark_endless(struct frame *frame)
{
    while (say_mark(frame->number, 0), ferror(hostile.out) == 0) {
    }
    hang();
}

/* sends the mark of another group whenever its time is almost over */
static void mark_slowly(struct frame *frame)
{
    for (uint64_t group = 0; group < 65536; group++) {
        say_mark(frame->number, group);
        sleep_microseconds(700000);
    }
}

/* blames the last call for the crash; in fact each call causes it */
static void mark_crash(struct frame *frame)
{
    say_mark(frame->number, frame->groups - 1);
    die_by(SIGSEGV);
}

static void mark_hang(struct frame *frame)
{
    say_mark(frame->number, frame->groups - 1);
    hang();
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode line_modes[] = {
    /* statuses and other lines */
    {"status-unknown", "a status that there is not", .answer = status_unknown},
    {"status-missing", "a status less than there are calls", .answer = status_missing},
    {"status-more", "a status more than there are calls", .answer = status_more},
    {"status-verdict", "a verdict for a status", .answer = status_verdict},
    {"status-bare", "a status without its space", .answer = status_bare},
    {"status-nul", "a zero byte in a status line", .answer = status_nul},
    {"status-word", "a malformed word in a status line", .answer = status_word},
    {"status-long", "a note of 600 bytes", .answer = status_long},
    {"head-nul", "a zero byte in the first line of an answer", .answer = head_nul},
    {"blank-line", "an empty line before the answer", .answer = blank_line},
    {"returns", "is right, with carriage returns", .answer = returns},
    {"long-line", "a line of 9000 bytes before the answer", .answer = long_line},
    {"endless-line", "a line of 1 MiB without an end", .answer = endless_line},
    {"binary-line", "a line of bytes that are no ASCII", .answer = binary_line},
    {"worker-lines", "the lines of a worker instead of an answer", .answer = worker_lines},
    {"error-line", "says that it does not understand, and more", .answer = error_line},
    {"stdout-flood", "statuses without an end", .answer = stdout_flood},
    {"stdout-flood-first", "1 MiB before it is asked for anything", .begin = flood_first},
    {"stderr-flood", "200 MiB of standard error in each frame", .answer = stderr_flood},
    {"stderr-flood-first", "200 MiB of standard error before the introduction",
     .begin = flood_errors, .spoil_call = wrong_indices},
    /* marks */
    {"marks", "is right, and says where it is", .answer = marks},
    {"mark-back", "says to be where it was before", .answer = mark_back},
    {"mark-frame", "says to be at a frame that there is not", .answer = mark_frame},
    {"mark-group", "says to be at a group that there is not", .answer = mark_group},
    {"mark-endless", "says where it is without an end", .answer = mark_endless},
    {"mark-slowly", "hangs, and goes on to another group each 0.7 s", .answer = mark_slowly},
    {"mark-crash", "says to be at the last group, and dies", .answer = mark_crash},
    {"mark-hang", "says to be at the last group, and hangs", .answer = mark_hang},
    {.name = NULL},
};
