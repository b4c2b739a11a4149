/* Modes that say what is no answer, or in no time that is allowed: answers, introductions, ends. */
#define _GNU_SOURCE /* for F_SETPIPE_SZ */
#include "hostile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- how many bytes --------------------------------------------------------------------------
 */

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

/* a byte each second */
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

/* an answer whose number of bytes is this text */
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

/* the number of bytes and 2^64 */
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

/* ---- which frame -----------------------------------------------------------------------------
 */

static void wrong_frame(struct frame *frame)
{
    frame->number++;
    say_answer(frame);
}

static void wrong_count(struct frame *frame)
{
    frame->count++; /* of a status that is zero: done */
    memset(&frame->calls[frame->count - 1].answer, 0, sizeof frame->calls[0].answer);
    say_answer(frame);
}

static void twice(struct frame *frame)
{
    say_answer(frame);
    say_answer(frame);
}

/* answers the next frame too, which it has not read: as it does not have to bring bytes if nothing
 * is done */
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

/* keeps the answer to a frame until it has read the next, and answers that first */
static void next_first(struct frame *frame)
{
    static struct frame next;
    char *line;
    size_t length;
    if (!request_waits() || !read_request(&line, &length)) {
        exit(EXIT_SUCCESS); /* there is no next */
    }
    read_frame(&next, line + 6);
    say_answer(&next);
    say_answer(frame);
    free(next.came);
    free(next.now);
}

/* one answer for two frames */
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

/* ---- statuses and other lines ----------------------------------------------------------------
 */

/* an answer with this text where the lines of the statuses have to be */
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

/* right, with a carriage return at the end of each line, as Windows has it */
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

static void say_many(char c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        putc(c, hostile.out);
    }
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

/* a line whose bytes all have to be escaped by whoever shows it */
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

/* ---- marks -----------------------------------------------------------------------------------
 */

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

/* goes on to another group whenever its time is about to run out */
static void mark_slowly(struct frame *frame)
{
    for (uint64_t group = 0; group < 65536; group++) {
        say_mark(frame->number, group);
        sleep_microseconds(700000);
    }
}

/* it is the last call that ends it, as it says; in fact each does */
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

/* ---- ends ------------------------------------------------------------------------------------
 */

static void exit_between(struct frame *frame)
{
    say_answer(frame);
    _exit(EXIT_SUCCESS);
}

static void exit_77(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        _exit(77);
    }
}

static void exit_77_first(void)
{
    _exit(77);
}

static void die_killed(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        die_by(SIGKILL);
    }
}

static void die_segv(struct frame *frame)
{
    (void)frame;
    die_by(SIGSEGV);
}

static void die_abort(struct frame *frame)
{
    (void)frame;
    die_by(SIGABRT);
}

/* as a process does that is about to die of it */
static void say_crash(void)
{
    say("crash SIGSEGV@0x10;anywhere.so+0x1139:topk_run+0x20\n");
    fflush(hostile.out);
}

static void crash_told(struct frame *frame)
{
    (void)frame;
    say_crash();
    die_by(SIGKILL);
}

static void crash_lied(struct frame *frame)
{
    say_crash();
    say_answer(frame);
}

static void crash_malformed(struct frame *frame)
{
    (void)frame;
    say("crash anywhere@16\n");
    fflush(hostile.out);
    hang();
}

static void crash_hang(struct frame *frame)
{
    (void)frame;
    say_crash();
    hang();
}

static void close_output(struct frame *frame)
{
    (void)frame;
    fclose(hostile.out);
    hang();
}

static bool close_input(struct said *said)
{
    close(STDIN_FILENO); /* before the judge can write more */
    say_greeting(said);
    hang();
}

/* reads nothing more, and fills its output */
static bool never_read(struct said *said)
{
    say_greeting(said);
    say_many('a', 1u << 20);
    fflush(hostile.out);
    hang();
}

/* reads nothing more, and says nothing */
static bool never_again(struct said *said)
{
    say_greeting(said);
    hang();
}

/* reads some of what it is sent at once; what its pipe holds cannot be much either */
static bool read_half(struct said *said)
{
    static char some[100000];
    size_t left = sizeof some;
    ssize_t got = 1;
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, 4096);
    said->flags |= TOPK_FLAG_OWN_CONTRACT; /* so that calls come with their bytes at once */
    say_greeting(said);
    while (left > 0 && got > 0) {
        got = read(STDIN_FILENO, some, left);
        left -= got > 0 ? (size_t)got : 0;
    }
    hang();
}

static void just_hang(struct frame *frame)
{
    (void)frame;
    hang();
}

/* an answer to what nobody has asked */
static void say_unasked(void)
{
    say("answer 1 1 0\n");
    fflush(hostile.out);
}

static void exit_3(void)
{
    exit(TOPK_WORKER_EXIT_HARNESS);
}

static void say_unasked_and_hang(void)
{
    say_unasked();
    hang();
}

static void close_and_hang(void)
{
    sleep_microseconds(2500000);
    fclose(hostile.out);
    hang();
}

/* ---- introductions ---------------------------------------------------------------------------
 */

static bool restart_name(struct said *said)
{
    said->info.name = starts() > 1 ? "other" : said->info.name;
    return true;
}

static bool restart_version(struct said *said)
{
    said->info.version = starts() > 1 ? "other" : said->info.version;
    return true;
}

static bool restart_device(struct said *said)
{
    said->info.device = starts() > 1 ? "other" : said->info.device;
    return true;
}

static bool restart_driver(struct said *said)
{
    said->info.driver = starts() > 1 ? "other" : said->info.driver;
    return true;
}

static bool restart_features(struct said *said)
{
    said->info.features = starts() > 1 ? "other" : said->info.features;
    return true;
}

static bool restart_level(struct said *said)
{
    said->info.feature_level = starts() > 1 ? 0x1000 : said->info.feature_level;
    return true;
}

static bool restart_flags(struct said *said)
{
    if (starts() > 1) {
        said->flags |= TOPK_FLAG_OWN_CONTRACT;
        said->info.invalid_calls_reason = "it has changed its mind";
    }
    return true;
}

/* what may change */
static bool restart_sizes(struct said *said)
{
    if (starts() > 1) {
        said->info.batch = 64;
        said->frame = UINT64_C(1) << 40;
        said->align = 1024;
        said->flags |= TOPK_FLAG_IN_PLACE;
    }
    return true;
}

/* at the second start all is too large for it */
static bool restart_frame(struct said *said)
{
    said->frame = starts() > 1 ? 1 : 0;
    return true;
}

static bool restart_unavailable(struct said *said)
{
    (void)said;
    if (starts() > 1) {
        say("unavailable it%%20has%%20changed%%20its%%20mind\n");
        fflush(hostile.out);
        _exit(EXIT_SUCCESS);
    }
    return true;
}

/* an introduction with these fields behind its words */
static bool greet_with(const char *program, const char *fields)
{
    say("topk-%s name=x version= device= driver= features= level=5.0 flags=6 %s own=\n", program,
        fields);
    return false;
}

static bool greeting_malformed(struct said *said)
{
    (void)said;
    say("topk-backend 1 name=x level=5.0 flags=zz batch=1\n");
    return false;
}

static bool greeting_batch(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=4294967296 frame=0 align=1");
}

static bool greeting_batch_none(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=0 frame=0 align=1");
}

static bool greeting_align(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=3");
}

static bool greeting_align_none(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=0");
}

static bool greeting_align_large(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=8192");
}

static bool greeting_frame(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=18446744073709551616 align=1");
}

static bool greeting_version(struct said *said)
{
    (void)said;
    return greet_with("backend 2", "batch=1 frame=0 align=1");
}

static bool greeting_worker(struct said *said)
{
    (void)said;
    return greet_with("worker 1", "batch=1");
}

static bool tiny_frame(struct said *said)
{
    said->frame = 1;
    return true;
}

static bool greeting_text(struct said *said)
{
    said->info.name = "x\n\033[2JCONFORMANT\"},{<script>\a";
    return true;
}

static bool greeting_level(struct said *said)
{
    said->info.feature_level = 0x1000;
    return true;
}

static bool greeting_twice(struct said *said)
{
    say_greeting(said);
    return true;
}

static bool greeting_never(struct said *said)
{
    (void)said;
    hang();
}

static bool greeting_flood(struct said *said)
{
    (void)said;
    while (say("topk-backend "), fflush(hostile.out) == 0) {
    }
    hang();
}

static bool greeting_unavailable(struct said *said)
{
    (void)said;
    say("unavailable there%%20is%%20none\n");
    fflush(hostile.out);
    hang();
}

/* before it is asked to open anything */
static void flood_first(void)
{
    say_many('a', 1u << 20);
    fflush(hostile.out);
}

static void answer_first(void)
{
    say("answer 1 1 0\ndone \n");
    fflush(hostile.out);
}

/* ---- other requests --------------------------------------------------------------------------
 */

static bool devices_garbage(const char *request)
{
    if (strcmp(request, "devices") == 0) {
        say("devices=a,\033[2J,%%0ab,%%zz\n");
    }
    return true;
}

static bool devices_control(const char *request)
{
    if (strcmp(request, "devices") == 0) {
        say("devices=a,b%%0aCONFORMANT,%%1b%%5b2J\n");
    }
    return true;
}

static bool devices_verdict(const char *request)
{
    (void)request;
    say("answer 1 1 0\n");
    return true;
}

static bool devices_hang(const char *request)
{
    (void)request;
    hang();
}

static bool probes_garbage(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=a,a,../../etc,\033[2J,B,,%%00\n");
    } else {
        say("verdict=observed value=%%0a%%1b detail=\n");
    }
    return true;
}

static bool probes_many(const char *request)
{
    if (strcmp(request, "probes") != 0) {
        say("verdict=observed value=yes detail=\n");
        return true;
    }
    say("probes=");
    for (int i = 0; i < 1000; i++) {
        say("%sp%d", i == 0 ? "" : ",", i);
    }
    say("\n");
    return true;
}

static bool probes_crash(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=one,two,three\n");
        return true;
    }
    die_by(SIGABRT);
}

/* ---- the modes -------------------------------------------------------------------------------
 */

const struct mode say_modes[] = {
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
    /* ends */
    {"exit-between", "exits with 0 after its first answer", .answer = exit_between},
    {"exit-77", "exits with 77 in the second frame", .answer = exit_77},
    {"exit-77-first", "exits with 77 at once", .begin = exit_77_first},
    {"die-killed", "kills itself in the second frame", .answer = die_killed},
    {"die-segv", "dies of SIGSEGV", .answer = die_segv},
    {"die-abort", "dies of SIGABRT", .answer = die_abort},
    {"crash-told", "says that it crashes, and dies", .answer = crash_told},
    {"crash-lied", "says that it crashes, and answers", .answer = crash_lied},
    {"crash-malformed", "says so in a line that is none", .answer = crash_malformed},
    {"crash-hang", "says that it crashes, and hangs", .answer = crash_hang},
    {"close-output", "closes its output and lives on", .answer = close_output},
    {"close-input", "closes its input and lives on", .greet = close_input},
    {"never-read", "reads nothing, and writes 1 MiB", .greet = never_read},
    {"never-again", "reads nothing, and says nothing", .greet = never_again},
    {"read-half", "reads half of what it is sent", .greet = read_half},
    {"hang", "ignores SIGTERM and hangs", .answer = just_hang},
    {"hang-create", "hangs even if a call is only to be created", .answer = just_hang,
     .creates = true},
    {"deaf", "is right, and does not end when it is told to", .deaf = true},
    {"quit-3", "is right, and exits with 3 when it is told to quit", .quit = exit_3},
    {"quit-late", "is right, answers once more when it is told to quit, and stays",
     .quit = say_unasked_and_hang},
    {"quit-slow", "is right, and closes its output long after it is told to quit, and stays",
     .quit = close_and_hang},
    /* introductions */
    {"restart-name", "another name at the second start", .greet = restart_name, .answer = die_segv},
    {"restart-version", "another version at the second start", .greet = restart_version,
     .answer = die_segv},
    {"restart-device", "another device at the second start", .greet = restart_device,
     .answer = die_segv},
    {"restart-driver", "another driver at the second start", .greet = restart_driver,
     .answer = die_segv},
    {"restart-features", "other features at the second start", .greet = restart_features,
     .answer = die_segv},
    {"restart-level", "level 1.0 at the second start", .greet = restart_level, .answer = die_segv},
    {"restart-flags", "a contract of its own at the second start", .greet = restart_flags,
     .answer = die_segv},
    {"restart-sizes", "another batch, frame and align at the second start", .greet = restart_sizes,
     .answer = die_segv},
    {"restart-frame", "all is too large at the second start", .greet = restart_frame,
     .answer = die_segv},
    {"restart-unavailable", "unavailable at the second start", .greet = restart_unavailable,
     .answer = die_segv},
    {"greeting-malformed", "flags that are no number", .greet = greeting_malformed},
    {"greeting-batch", "a batch of 2^32", .greet = greeting_batch},
    {"greeting-batch-none", "a batch of 0", .greet = greeting_batch_none},
    {"greeting-align", "align is 3", .greet = greeting_align},
    {"greeting-align-none", "align is 0", .greet = greeting_align_none},
    {"greeting-align-large", "align is 8192", .greet = greeting_align_large},
    {"greeting-frame", "frames of 2^64 bytes", .greet = greeting_frame},
    {"greeting-version", "version 2 of the protocol", .greet = greeting_version},
    {"greeting-worker", "the introduction of a worker", .greet = greeting_worker},
    {"greeting-text", "control characters in its name", .greet = greeting_text,
     .spoil_call = wrong_indices},
    {"greeting-level", "level 1.0", .greet = greeting_level},
    {"greeting-twice", "introduces itself twice", .greet = greeting_twice},
    {"greeting-first", "an answer before it is asked for anything", .begin = answer_first},
    {"greeting-never", "no introduction", .greet = greeting_never},
    {"greeting-flood", "an introduction without an end", .greet = greeting_flood},
    {"greeting-unavailable", "unavailable, and lives on", .greet = greeting_unavailable},
    {"tiny-frame", "all is too large for it", .greet = tiny_frame},
    /* other requests */
    {"devices-garbage", "devices that are no words", .other = devices_garbage},
    {"devices-control", "devices with control characters", .other = devices_control},
    {"devices-verdict", "another answer than its devices", .other = devices_verdict},
    {"devices-hang", "hangs when it is asked for its devices", .other = devices_hang},
    {"probes-garbage", "names of probes that are none", .flags = TOPK_FLAG_PROBES,
     .spoil_call = wrong_indices, .other = probes_garbage},
    {"probes-many", "1000 probes", .flags = TOPK_FLAG_PROBES, .spoil_call = wrong_indices,
     .other = probes_many},
    {"probes-crash", "dies in each probe", .flags = TOPK_FLAG_PROBES, .spoil_call = wrong_indices,
     .other = probes_crash},
    {.name = NULL},
};
