/* A backend process that is hostile:
 *
 *   hostile MODE [WORD...]   speaks docs/backend-protocol.md over standard input and output
 *   hostile --list           prints the modes and what each does
 *
 * It computes each call with the backend cpu, and then does what its mode says. A mode is a row of
 * the table `modes`. Words behind MODE are ignored: hostile_test.sh finds processes by them.
 * HOSTILE_STATE names a file that counts the starts, for modes that differ from one start to the
 * next. Needs topk_process, topk_protocol, topk_cpu. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/loader.h"
#include "protocol/protocol.h"
#include "reference/element.h"

#define EXIT_USAGE 2
#define FRAME_MAX  64u
#define ALIGNMENT  64u

enum {
    INPUT,
    VALUE,
    INDEX
};

struct call {
    struct topk_wire_call wire;
    struct topk_backend_answer answer;
    uint64_t bytes[TOPK_WIRE_TENSORS];
    unsigned char *came[TOPK_WIRE_TENSORS]; /* as the judge sent it */
    unsigned char *now[TOPK_WIRE_TENSORS];  /* as it is answered */
};

struct frame {
    uint64_t number;
    uint32_t count;
    struct call calls[FRAME_MAX];
};

struct mode {
    const char *name;
    const char *about;
    uint32_t batch; /* calls that it wants in a frame; 0: one */
    uint32_t flags; /* of the greeting, beside those of cpu */
    /* before the greeting */
    void (*begin)(void);
    /* changes who it says it is, or says it itself: then it returns false */
    bool (*greet)(struct topk_backend_info *info);
    /* once a request for calls was read and computed: changes what is answered */
    void (*spoil)(struct frame *frame);
    /* says the answer in its own way */
    void (*answer)(struct frame *frame);
    /* answers supports, probes or probe N in its own way */
    void (*other)(const char *request);
    bool deaf; /* it does not end when it is told to */
};

static const struct mode *mode;
static struct topk_loaded loaded;
static FILE *out;
static pid_t judge;
static uint64_t served; /* frames that were answered */

/* ---- saying ----------------------------------------------------------------------------------
 */

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static bool computed(const struct call *call)
{
    return call->answer.status == TOPK_BACKEND_DONE && call->wire.call.create_only == 0;
}

static uint64_t answer_bytes(const struct frame *frame)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const struct call *call = &frame->calls[i];
        sum += computed(call) ? call->bytes[INPUT] + call->bytes[VALUE] + call->bytes[INDEX] : 0;
    }
    return sum;
}

static void say_head(uint64_t number, uint32_t count, uint64_t bytes)
{
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", number, count, bytes);
}

static void say_status(const struct call *call)
{
    char line[TOPK_WIRE_LINE];
    topk_wire_answer_print(&call->answer, line);
    say("%s\n", line);
}

static void say_statuses(const struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        say_status(&frame->calls[i]);
    }
}

static void say_buffers(const struct call *call)
{
    for (uint32_t tensor = 0; computed(call) && tensor < TOPK_WIRE_TENSORS; tensor++) {
        fwrite(call->now[tensor], 1, (size_t)call->bytes[tensor], out);
    }
}

static void say_bytes(const struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        say_buffers(&frame->calls[i]);
    }
}

static void say_answer(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame));
    say_statuses(frame);
    say_bytes(frame);
    fflush(out);
}

/* an answer whose number of bytes is this text */
static void say_answer_of(const struct frame *frame, const char *bytes)
{
    say("answer %" PRIu64 " %" PRIu32 " %s\n", frame->number, frame->count, bytes);
    say_statuses(frame);
    say_bytes(frame);
    fflush(out);
}

/* waits for its end, whatever else it gets */
static _Noreturn void hang(void)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    }
}

/* ---- elements --------------------------------------------------------------------------------
 */

static unsigned char *tensor_start(struct call *call, uint32_t tensor)
{
    return call->now[tensor] + topk_wire_buffer(&call->wire.call, tensor)->offset;
}

static uint64_t element_offset(const struct topk_backend_tensor *tensor, const uint32_t at[])
{
    uint64_t offset = 0;
    uint64_t packed = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        offset += at[d] * (tensor->strides != NULL ? tensor->strides[d] : packed);
        packed *= tensor->sizes[d];
    }
    return offset * topk_type_bytes(tensor->data_type);
}

/* what is done to the element of an output; at: its coordinates */
typedef void change(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                    const uint32_t at[]);

static void change_each(struct call *call, uint32_t tensor, change *apply)
{
    const struct topk_backend_tensor *of = &call->wire.tensors[tensor];
    uint32_t at[TOPK_WIRE_RANK] = {0};
    uint32_t d = of->dimension_count;
    while (d != UINT32_MAX) {
        apply(call, tensor, tensor_start(call, tensor) + element_offset(of, at),
              topk_type_bytes(of->data_type), at);
        d = of->dimension_count;
        while (d-- > 0 && ++at[d] == of->sizes[d]) {
            at[d] = 0;
        }
    }
}

/* the next index, of those that there are */
static void change_index(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    uint64_t index = 0;
    (void)tensor;
    (void)at;
    memcpy(&index, element, bytes); /* little-endian hosts */
    index = (index + 1) % call->wire.tensors[INPUT].sizes[call->wire.call.axis];
    memcpy(element, &index, bytes);
}

static void change_value(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    (void)call;
    (void)tensor;
    (void)bytes;
    (void)at;
    element[0] ^= 1;
}

/* the last of K is not computed */
static void change_last(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                        const uint32_t at[])
{
    if (at[call->wire.call.axis] + 1 == call->wire.call.k) {
        memcpy(element, call->came[tensor] + (element - call->now[tensor]), bytes);
    }
}

/* 0, 1, 2, ... along the axis */
static void change_count(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    const uint64_t index = at[call->wire.call.axis];
    (void)tensor;
    memcpy(element, &index, bytes);
}

/* swaps the first of K with the last */
static void change_order(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    const uint32_t axis = call->wire.call.axis;
    const uint32_t last = call->wire.call.k - 1;
    uint32_t other[TOPK_WIRE_RANK];
    unsigned char kept[8];
    if (at[axis] != 0 || last == 0) {
        return;
    }
    memcpy(other, at, sizeof other);
    other[axis] = last;
    unsigned char *with =
        tensor_start(call, tensor) + element_offset(&call->wire.tensors[tensor], other);
    memcpy(kept, element, bytes);
    memcpy(element, with, bytes);
    memcpy(with, kept, bytes);
}

/* ---- wrong bytes -----------------------------------------------------------------------------
 */

/* calls a function for each call whose outputs are judged */
static void spoil_each(struct frame *frame, void (*spoil)(struct call *call))
{
    for (uint32_t i = 0; i < frame->count; i++) {
        if (computed(&frame->calls[i])) {
            spoil(&frame->calls[i]);
        }
    }
}

static void echo_call(struct call *call)
{
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        memcpy(call->now[tensor], call->came[tensor], (size_t)call->bytes[tensor]);
    }
}

static void echo(struct frame *frame)
{
    spoil_each(frame, echo_call);
}

static void fill_outputs(struct call *call, int byte)
{
    for (uint32_t tensor = VALUE; tensor <= INDEX; tensor++) {
        memset(tensor_start(call, tensor), byte, (size_t)call->wire.tensors[tensor].total_bytes);
    }
}

static void zero_call(struct call *call)
{
    fill_outputs(call, 0);
}

static void zeros(struct frame *frame)
{
    spoil_each(frame, zero_call);
}

static void one_call(struct call *call)
{
    fill_outputs(call, 0xff);
}

static void ones(struct frame *frame)
{
    spoil_each(frame, one_call);
}

static void index_call(struct call *call)
{
    change_each(call, INDEX, change_index);
}

static void wrong_indices(struct frame *frame)
{
    spoil_each(frame, index_call);
}

static void value_call(struct call *call)
{
    change_each(call, VALUE, change_value);
}

static void wrong_values(struct frame *frame)
{
    spoil_each(frame, value_call);
}

static void short_call(struct call *call)
{
    change_each(call, VALUE, change_last);
    change_each(call, INDEX, change_last);
}

static void one_short(struct frame *frame)
{
    spoil_each(frame, short_call);
}

static void order_call(struct call *call)
{
    change_each(call, VALUE, change_order);
    change_each(call, INDEX, change_order);
}

static void wrong_order(struct frame *frame)
{
    spoil_each(frame, order_call);
}

/* the outputs stand one element further on than they have to */
static void shift_call(struct call *call)
{
    for (uint32_t tensor = VALUE; tensor <= INDEX; tensor++) {
        unsigned char *start = tensor_start(call, tensor);
        const uint32_t step = topk_type_bytes(call->wire.tensors[tensor].data_type);
        memmove(start + step, start, (size_t)call->wire.tensors[tensor].total_bytes - step);
    }
}

static void shifted(struct frame *frame)
{
    spoil_each(frame, shift_call);
}

static void guard_value_call(struct call *call)
{
    tensor_start(call, VALUE)[-1] ^= 0xff;
}

static void guard_value(struct frame *frame)
{
    spoil_each(frame, guard_value_call);
}

static void guard_index_call(struct call *call)
{
    call->now[INDEX][call->bytes[INDEX] - 1] ^= 0xff;
}

static void guard_index(struct frame *frame)
{
    spoil_each(frame, guard_index_call);
}

static void guard_input_call(struct call *call)
{
    call->now[INPUT][0] ^= 0xff;
}

static void guard_input(struct frame *frame)
{
    spoil_each(frame, guard_input_call);
}

static void input_call(struct call *call)
{
    tensor_start(call, INPUT)[0] ^= 1;
}

static void changed_input(struct frame *frame)
{
    spoil_each(frame, input_call);
}

static void match_call(struct call *call)
{
    memset(tensor_start(call, INPUT), 0, (size_t)call->wire.tensors[INPUT].total_bytes);
    fill_outputs(call, 0);
    change_each(call, INDEX, change_count);
}

static void matching_input(struct frame *frame)
{
    spoil_each(frame, match_call);
}

/* what was right for a call before; empty at first */
struct kept {
    uint64_t bytes[TOPK_WIRE_TENSORS];
    unsigned char *data[TOPK_WIRE_TENSORS];
};

static void keep(struct kept *kept, const struct call *call)
{
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        free(kept->data[tensor]);
        kept->bytes[tensor] = call->bytes[tensor];
        kept->data[tensor] = malloc((size_t)call->bytes[tensor] + 1);
        if (kept->data[tensor] == NULL) {
            exit(TOPK_WORKER_EXIT_HARNESS);
        }
        memcpy(kept->data[tensor], call->now[tensor], (size_t)call->bytes[tensor]);
    }
}

/* answers with what was kept, from a tensor on; with zeros where it does not fit */
static void give(const struct kept *kept, struct call *call, uint32_t from)
{
    fill_outputs(call, 0);
    for (uint32_t tensor = from; tensor < TOPK_WIRE_TENSORS; tensor++) {
        if (kept->data[tensor] != NULL && kept->bytes[tensor] == call->bytes[tensor]) {
            memcpy(call->now[tensor], kept->data[tensor], (size_t)call->bytes[tensor]);
        }
    }
}

static void late_call(struct call *call)
{
    static struct kept before;
    struct kept own = {.bytes = {0}};
    keep(&own, call);
    give(&before, call, VALUE);
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        free(before.data[tensor]);
    }
    before = own;
}

static void late(struct frame *frame)
{
    spoil_each(frame, late_call);
}

static void replay(struct frame *frame)
{
    static struct kept last[FRAME_MAX];
    static struct kept own[FRAME_MAX];
    for (uint32_t i = 0; i < frame->count; i++) {
        struct call *call = &frame->calls[i];
        if (computed(call)) {
            keep(&own[i], call);
            give(&last[i], call, INPUT);
            keep(&last[i], call); /* only to free what was there */
            const struct kept spare = last[i];
            last[i] = own[i];
            own[i] = spare;
        }
    }
}

static void neighbour(struct frame *frame)
{
    static struct kept own[FRAME_MAX];
    for (uint32_t i = 0; i < frame->count; i++) {
        if (computed(&frame->calls[i])) {
            keep(&own[i], &frame->calls[i]);
        }
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        static const struct kept none;
        const uint32_t next = (i + 1) % frame->count;
        if (computed(&frame->calls[i])) {
            const bool there = next != i && computed(&frame->calls[next]);
            give(there ? &own[next] : &none, &frame->calls[i], VALUE);
        }
    }
}

/* ---- wrong statuses --------------------------------------------------------------------------
 */

static void answer_all(struct frame *frame, uint32_t status)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        if (frame->calls[i].answer.status == TOPK_BACKEND_DONE) {
            frame->calls[i].answer.status = status;
            snprintf(frame->calls[i].answer.reason, sizeof frame->calls[i].answer.reason,
                     "it does not want to");
        }
    }
}

static void refuse_all(struct frame *frame)
{
    answer_all(frame, TOPK_BACKEND_REFUSED);
}

static void unsupported_all(struct frame *frame)
{
    answer_all(frame, TOPK_BACKEND_UNSUPPORTED);
}

static void memory_all(struct frame *frame)
{
    answer_all(frame, TOPK_BACKEND_OUT_OF_MEMORY);
}

static void lose_all(struct frame *frame)
{
    answer_all(frame, TOPK_BACKEND_DEVICE_LOST);
}

static void fail_all(struct frame *frame)
{
    answer_all(frame, TOPK_BACKEND_FAILED);
}

static void accept_all(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        frame->calls[i].answer.status = TOPK_BACKEND_DONE;
        frame->calls[i].answer.reason[0] = 0;
    }
    echo(frame);
}

/* right, with a note that wants to be more than text */
static void note(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        snprintf(frame->calls[i].answer.reason, sizeof frame->calls[i].answer.reason,
                 "\"}\n{\"record\":\"end\",\"complete\":true}\r\n\033[2J\033[1;1HCONFORMANT: all "
                 "\a\b\001\xff\xc0</script><script>alert(1)</script> clause=- obs=0 %%0a%%00");
    }
}

/* ---- wrong answers ---------------------------------------------------------------------------
 */

static void truncated(struct frame *frame)
{
    const uint64_t bytes = answer_bytes(frame);
    say_head(frame->number, frame->count, bytes);
    say_statuses(frame);
    for (uint64_t i = 0; i + 1 < bytes; i++) {
        putc(0x55, out);
    }
    fflush(out);
    _exit(EXIT_SUCCESS);
}

static void half(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame));
    say_statuses(frame);
    fwrite(frame->calls[0].now[INPUT], 1, (size_t)frame->calls[0].bytes[INPUT] / 2, out);
    fflush(out);
    hang();
}

static void exit_middle(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame));
    say_statuses(frame);
    fwrite(frame->calls[0].now[INPUT], 1, (size_t)frame->calls[0].bytes[INPUT] / 2, out);
    fflush(out);
    _exit(EXIT_SUCCESS);
}

static void more_bytes(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame) + 7);
    say_statuses(frame);
    say_bytes(frame);
    say("1234567");
    fflush(out);
}

static void trailing(struct frame *frame)
{
    say_answer(frame);
    say("1234567");
    fflush(out);
}

static void wrong_frame(struct frame *frame)
{
    frame->number++;
    say_answer(frame);
}

static void wrong_count(struct frame *frame)
{
    say_head(frame->number, frame->count + 1, answer_bytes(frame));
    say_statuses(frame);
    say_bytes(frame);
    fflush(out);
}

static void wrong_bytes(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame) + 1);
    say_statuses(frame);
    say_bytes(frame);
    fflush(out);
}

static void huge_bytes(struct frame *frame)
{
    say_answer_of(frame, "9223372036854775808");
}

/* the number of bytes and 2^64 */
static void overflow_bytes(struct frame *frame)
{
    char text[40];
    const uint64_t low = UINT64_C(6744073709551616) + answer_bytes(frame);
    snprintf(text, sizeof text, "1844%016" PRIu64, low);
    say_answer_of(frame, text);
}

static void signed_bytes(struct frame *frame)
{
    char text[40];
    snprintf(text, sizeof text, "+%" PRIu64, answer_bytes(frame));
    say_answer_of(frame, text);
}

static void zeros_before_bytes(struct frame *frame)
{
    char text[40];
    snprintf(text, sizeof text, "000%" PRIu64, answer_bytes(frame));
    say_answer_of(frame, text);
}

static void twice(struct frame *frame)
{
    say_answer(frame);
    say_answer(frame);
}

static void out_of_order(struct frame *frame)
{
    say_head(frame->number, frame->count, answer_bytes(frame));
    for (uint32_t i = frame->count; i-- > 0;) {
        say_status(&frame->calls[i]);
    }
    for (uint32_t i = frame->count; i-- > 0;) {
        for (uint32_t tensor = TOPK_WIRE_TENSORS; computed(&frame->calls[i]) && tensor-- > 0;) {
            fwrite(frame->calls[i].now[tensor], 1, (size_t)frame->calls[i].bytes[tensor], out);
        }
    }
    fflush(out);
}

/* an answer with this text where the lines of the statuses have to be */
static void say_instead(const struct frame *frame, const char *statuses, size_t length)
{
    say_head(frame->number, frame->count, answer_bytes(frame));
    fwrite(statuses, 1, length, out);
    say_bytes(frame);
    fflush(out);
}

#define SAY_INSTEAD(frame, text) say_instead(frame, text, sizeof(text) - 1)

static void status_unknown(struct frame *frame)
{
    SAY_INSTEAD(frame, "perfect \n");
}

static void status_missing(struct frame *frame)
{
    SAY_INSTEAD(frame, "");
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
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "%c\n", frame->number, frame->count,
        answer_bytes(frame), 0);
    say_statuses(frame);
    say_bytes(frame);
    fflush(out);
}

static void blank_line(struct frame *frame)
{
    say("\n");
    say_answer(frame);
}

static void long_line(struct frame *frame)
{
    (void)frame;
    for (uint32_t i = 0; i < 1u << 20; i++) {
        putc('a', out);
    }
    fflush(out);
}

/* a line whose bytes all have to be escaped by whoever shows it */
static void binary_line(struct frame *frame)
{
    (void)frame;
    for (uint32_t i = 0; i < 200; i++) {
        putc(0xfe, out);
    }
    putc('\n', out);
    fflush(out);
}

static void worker_lines(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        say("begin %" PRIu32 " 1\ndone %" PRIu32 " pass clause=- obs=0 ns=1\n", i, i);
    }
    fflush(out);
}

static void error_line(struct frame *frame)
{
    (void)frame;
    say("error pass%%0Adone%%200%%20pass%%20clause%%3D-\n");
    fflush(out);
}

static void stdout_flood(struct frame *frame)
{
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", frame->number, frame->count,
        answer_bytes(frame));
    while (say("done \n"), fflush(out) == 0) {
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
    wrong_indices(frame);
    say_answer(frame);
}

static void stderr_flood_first(void)
{
    flood_errors();
}

/* ---- ends ------------------------------------------------------------------------------------
 */

/* answers rightly at first; true once that is over */
static bool moment_is_there(struct frame *frame, uint64_t right)
{
    if (served < right) {
        say_answer(frame);
        return false;
    }
    return true;
}

static void exit_between(struct frame *frame)
{
    say_answer(frame);
    if (served == 3) {
        _exit(EXIT_SUCCESS);
    }
}

static void exit_77(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        _exit(77);
    }
}

static void exit_77_first(void)
{
    _exit(77);
}

static _Noreturn void die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    hang();
}

static void die_killed(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        die_by(SIGKILL);
    }
}

static void die_segv(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        die_by(SIGSEGV);
    }
}

static void die_abort(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        die_by(SIGABRT);
    }
}

/* as a process does that is about to die of it */
static void say_crash(void)
{
    say("crash SIGSEGV@0x10;anywhere.so+0x1139:topk_run+0x20\n");
    fflush(out);
}

static void crash_told(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        say_crash();
        die_by(SIGKILL);
    }
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
    fflush(out);
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
    fclose(out);
    hang();
}

static bool close_input(struct topk_backend_info *info)
{
    close(STDIN_FILENO); /* before the judge can write */
    topk_greeting_print(TOPK_SPEAKER_BACKEND, info, info->flags, out);
    hang();
}

static bool never_read(struct topk_backend_info *info)
{
    topk_greeting_print(TOPK_SPEAKER_BACKEND, info, info->flags, out);
    for (uint32_t i = 0; i < 1u << 20; i++) {
        putc('a', out);
    }
    fflush(out);
    hang();
}

static void just_hang(struct frame *frame)
{
    (void)frame;
    hang();
}

static void fork_and_exit(struct frame *frame)
{
    (void)frame;
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
    hang();
}

/* the child goes on as if nothing had been */
static void fork_first(void)
{
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
}

/* leaves the group, so that a kill of the group does not reach it, and ends by itself in time */
static void leave_group(struct frame *frame)
{
    (void)frame;
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
    setsid();
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    _exit(EXIT_SUCCESS);
}

/* leaves the group with its pipes closed, and stays */
static void stay(struct frame *frame)
{
    const pid_t child = served == 0 ? fork() : 1;
    if (child != 0) {
        wrong_indices(frame);
        say_answer(frame);
        return;
    }
    setsid();
    for (int file = 0; file < 64; file++) {
        close(file);
    }
    nanosleep(&(struct timespec){.tv_sec = 120}, NULL);
    _exit(EXIT_SUCCESS);
}

/* ---- greetings -------------------------------------------------------------------------------
 */

/* how often this program was started with one HOSTILE_STATE, this time included */
static uint64_t starts(void)
{
    const char *path = getenv("HOSTILE_STATE"); /* NOLINT(concurrency-mt-unsafe): one thread */
    struct stat status = {.st_size = 0};
    const int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || fstat(file, &status) != 0) {
        fputs("hostile: HOSTILE_STATE has to name a file that can be written\n", stderr);
        exit(EXIT_USAGE);
    }
    close(file);
    return (uint64_t)status.st_size;
}

static bool restart_name(struct topk_backend_info *info)
{
    info->name = starts() > 1 ? "other" : info->name;
    return true;
}

static bool restart_version(struct topk_backend_info *info)
{
    info->version = starts() > 1 ? "other" : info->version;
    return true;
}

static bool restart_device(struct topk_backend_info *info)
{
    info->device = starts() > 1 ? "other" : info->device;
    return true;
}

static bool restart_driver(struct topk_backend_info *info)
{
    info->driver = starts() > 1 ? "other" : info->driver;
    return true;
}

static bool restart_features(struct topk_backend_info *info)
{
    info->features = starts() > 1 ? "other" : info->features;
    return true;
}

static bool restart_level(struct topk_backend_info *info)
{
    info->feature_level = starts() > 1 ? 0x1000 : info->feature_level;
    return true;
}

static bool restart_flags(struct topk_backend_info *info)
{
    if (starts() > 1) {
        info->flags |= TOPK_BACKEND_OWN_CONTRACT;
        info->invalid_calls_reason = "it has changed its mind";
    }
    return true;
}

static bool restart_batch(struct topk_backend_info *info)
{
    info->batch = starts() > 1 ? FRAME_MAX : info->batch;
    return true;
}

static bool restart_unavailable(struct topk_backend_info *info)
{
    (void)info;
    if (starts() > 1) {
        say("unavailable it%%20has%%20changed%%20its%%20mind\n");
        fflush(out);
        _exit(EXIT_SUCCESS);
    }
    return true;
}

static bool greet_with(const char *text)
{
    say("%s", text);
    fflush(out);
    return false;
}

static bool greeting_malformed(struct topk_backend_info *info)
{
    (void)info;
    return greet_with("topk-backend 1 name=x level=5.0 flags=zz batch=1\n");
}

static bool greeting_batch(struct topk_backend_info *info)
{
    (void)info;
    return greet_with("topk-backend 1 name=x version= device= driver= features= level=5.0 flags=6 "
                      "batch=4294967296 own=\n");
}

static bool greeting_version(struct topk_backend_info *info)
{
    (void)info;
    return greet_with("topk-backend 2 name=x version= device= driver= features= level=5.0 flags=6 "
                      "batch=1 own=\n");
}

static bool greeting_worker(struct topk_backend_info *info)
{
    (void)info;
    return greet_with("topk-worker 1 name=x version= device= driver= features= level=5.0 flags=6 "
                      "batch=1 own=\n");
}

static bool greeting_text(struct topk_backend_info *info)
{
    info->name = "x\n\033[2JCONFORMANT\"},{<script>\a";
    return true;
}

static bool greeting_level(struct topk_backend_info *info)
{
    info->feature_level = 0x1000;
    return true;
}

static bool greeting_never(struct topk_backend_info *info)
{
    (void)info;
    hang();
}

static bool greeting_flood(struct topk_backend_info *info)
{
    (void)info;
    while (say("topk-backend "), fflush(out) == 0) {
    }
    hang();
}

static bool greeting_unavailable(struct topk_backend_info *info)
{
    (void)info;
    say("unavailable there%%20is%%20none\n");
    fflush(out);
    hang();
}

/* ---- other requests --------------------------------------------------------------------------
 */

static void supports_nothing(const char *request)
{
    (void)request;
    say("supports unsupported no\n");
}

static void supports_verdict(const char *request)
{
    (void)request;
    say("supports pass clause=- obs=0 ns=1\n");
}

static void supports_hang(const char *request)
{
    (void)request;
    hang();
}

static void probes_garbage(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=a,a,../../etc,\033[2J,B,,%%00\n");
    } else {
        say("verdict=observed value=%%0a%%1b detail=\n");
    }
}

static void probes_many(const char *request)
{
    if (strcmp(request, "probes") != 0) {
        say("verdict=observed value=yes detail=\n");
        return;
    }
    say("probes=");
    for (int i = 0; i < 1000; i++) {
        say("%sp%d", i == 0 ? "" : ",", i);
    }
    say("\n");
}

static void probes_crash(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=one,two,three\n");
    } else {
        die_by(SIGABRT);
    }
}

/* ---- attacks on the judge and the runner -----------------------------------------------------
 * A process is only attacked if it has the name that it has to have. */

/* the name of a process is this one */
static bool is_named(pid_t pid, const char *name)
{
    char path[64];
    char text[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = 0;
    return read && strcmp(text, name) == 0;
}

static bool judge_is_there(void)
{
    return judge > 1 && is_named(judge, "topk-worker");
}

/* the process that started the judge; 0 if it is no runner */
static pid_t find_runner(void)
{
    char path[64];
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)judge);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        char text[512] = "";
        const char *state = fgets(text, sizeof text, file) == NULL ? NULL : strrchr(text, ')');
        if (state != NULL && strlen(state) > 4) {
            parent = strtol(state + 4, NULL, 10);
        }
        fclose(file);
    }
    return judge_is_there() && parent > 1 && is_named((pid_t)parent, "topk-cts") ? (pid_t)parent
                                                                                 : 0;
}

static void kill_judge(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        if (judge_is_there()) {
            kill(judge, SIGKILL);
        }
        hang();
    }
}

static void kill_judge_first(void)
{
    if (judge_is_there()) {
        kill(judge, SIGKILL);
    }
    hang();
}

static void stop_judge(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        if (judge_is_there()) {
            kill(judge, SIGSTOP);
        }
        say_answer(frame);
        hang();
    }
}

static void kill_runner(struct frame *frame)
{
    if (moment_is_there(frame, 3)) {
        const pid_t runner = find_runner();
        if (runner != 0) {
            kill(runner, SIGKILL);
        }
        hang();
    }
}

/* says, in the judge's place, that the case which is running passed; cases and frames have the same
 * numbers, from 0 and from 1 on, if each case is one call */
static void say_passed(int file, uint64_t number)
{
    char text[64];
    struct stat status;
    const int flags = fcntl(file, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(file, &status) != 0 ||
        !S_ISFIFO(status.st_mode)) {
        return;
    }
    const int length =
        snprintf(text, sizeof text, "done %" PRIu64 " pass clause=- obs=0 ns=1\n", number - 1);
    if (write(file, text, (size_t)length) != length) {
        fputs("hostile: it cannot be written\n", stderr);
    }
}

static void inherited_files(struct frame *frame)
{
    for (int file = STDERR_FILENO + 1; file < 64; file++) {
        say_passed(file, frame->number);
    }
    wrong_indices(frame);
}

/* whether a file is one of its own three */
static bool is_own(int file)
{
    struct stat status;
    struct stat own;
    if (fstat(file, &status) != 0) {
        return true;
    }
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fstat(i, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino) {
            return true;
        }
    }
    return false;
}

static void judges_files(struct frame *frame)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)judge);
    DIR *folder = judge_is_there() ? opendir(path) : NULL;
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) { /* NOLINT: one thread */
        char name[sizeof path + sizeof entry->d_name];
        struct stat status;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &status) != 0 || !S_ISFIFO(status.st_mode)) {
            continue;
        }
        const int file = open(name, O_WRONLY | O_NONBLOCK);
        if (file >= 0 && !is_own(file)) {
            say_passed(file, frame->number);
        }
        if (file >= 0) {
            close(file);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    wrong_indices(frame);
}

/* the instruction that returns from a function */
#if defined(__x86_64__)
static const unsigned char return_code[] = {0xc3};
#elif defined(__aarch64__)
static const unsigned char return_code[] = {0xc0, 0x03, 0x5f, 0xd6};
#else
static const unsigned char return_code[] = {0};
#define NO_RETURN_CODE
#endif

/* reads a whole file; NULL if that fails */
static unsigned char *read_file(const char *path, size_t *length)
{
    struct stat status;
    const int file = open(path, O_RDONLY);
    unsigned char *data = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
        *length = (size_t)status.st_size;
        data = malloc(*length);
        if (data != NULL && read(file, data, *length) != (ssize_t)*length) {
            free(data);
            data = NULL;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return data;
}

/* the value of a symbol of an ELF file, 0 if it has none */
static uint64_t find_symbol(const unsigned char *data, size_t length, const char *name)
{
    Elf64_Ehdr head;
    if (length < sizeof head) {
        return 0;
    }
    memcpy(&head, data, sizeof head);
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr table;
        Elf64_Shdr names;
        memcpy(&table, data + head.e_shoff + (uint64_t)i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB) {
            continue;
        }
        memcpy(&names, data + head.e_shoff + (uint64_t)table.sh_link * sizeof names, sizeof names);
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, data + table.sh_offset + at, sizeof symbol);
            if (strcmp((const char *)data + names.sh_offset + symbol.st_name, name) == 0) {
                return symbol.st_value + (head.e_type == ET_DYN ? 0 : UINT64_C(1) << 63);
            }
        }
    }
    return 0;
}

/* where the judge has a function in its memory; 0 if that cannot be found out */
static uint64_t find_function(const char *name)
{
    char path[64];
    size_t length = 0;
    char *start_end = NULL;
    char line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)judge);
    unsigned char *program = judge_is_there() ? read_file(path, &length) : NULL;
    uint64_t value = program == NULL ? 0 : find_symbol(program, length, name);
    free(program);
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)judge);
    FILE *maps = value == 0 ? NULL : fopen(path, "r");
    if (maps == NULL || fgets(line, sizeof line, maps) == NULL) {
        fprintf(stderr, "hostile: %s is not found: %s\n", name,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        value = 0;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    const uint64_t base = strtoull(line, &start_end, 16);
    if (value >> 63 != 0) {
        return value & ~(UINT64_C(1) << 63); /* it is where it was linked to be */
    }
    return value == 0 ? 0 : base + value;
}

/* lets the function of the judge that looks at outputs find nothing */
static void patch_memory(void)
{
#if !defined(NO_RETURN_CODE)
    char path[64];
    const uint64_t address = find_function("topk_judge_result");
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)judge);
    const int file = address == 0 ? -1 : open(path, O_RDWR);
    if (file < 0 || pwrite(file, return_code, sizeof return_code, (off_t)address) < 0) {
        fprintf(stderr, "hostile: the judge's memory cannot be written: %s\n",
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
    }
    if (file >= 0) {
        close(file);
    }
#endif
}

static void patch_traced(void)
{
#if !defined(NO_RETURN_CODE)
    const uint64_t address = find_function("topk_judge_result");
    int status;
    if (address == 0 || ptrace(PTRACE_ATTACH, judge, NULL, NULL) != 0) {
        fprintf(stderr, "hostile: the judge cannot be traced: %s\n",
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        return;
    }
    waitpid(judge, &status, 0);
    long word = 0;
    void *at = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    memcpy(&word, return_code, sizeof return_code);
    ptrace(PTRACE_POKETEXT, judge, at, (void *)word); /* NOLINT(performance-no-int-to-ptr) */
    ptrace(PTRACE_DETACH, judge, NULL, NULL);
#endif
}

/* ---- the modes -------------------------------------------------------------------------------
 */

static const struct mode modes[] = {
    {"honest", "does what it has to", .batch = 1},
    /* bytes */
    {"echo", "says done, and returns the bytes as they came", .spoil = echo},
    {"zeros", "all outputs are zero", .spoil = zeros},
    {"ones", "all bits of the outputs are one", .spoil = ones},
    {"replay", "returns the buffers of the last frame", .batch = 8, .spoil = replay},
    {"neighbour", "returns the outputs of the next call", .batch = 8, .spoil = neighbour},
    {"late", "returns the outputs of the call before", .spoil = late},
    {"wrong-indices", "right values, wrong indices", .spoil = wrong_indices},
    {"wrong-values", "right indices, wrong values", .spoil = wrong_values},
    {"one-short", "computes K - 1 of K", .spoil = one_short},
    {"wrong-order", "the first of K and the last are swapped", .spoil = wrong_order},
    {"shifted", "the outputs are shifted by one element", .spoil = shifted},
    {"guard-value", "writes before the value tensor", .spoil = guard_value},
    {"guard-index", "writes behind the index tensor", .spoil = guard_index},
    {"guard-input", "writes before the input tensor", .spoil = guard_input},
    {"changed-input", "writes into the input", .spoil = changed_input},
    {"matching-input", "changes the input into one that has its outputs", .spoil = matching_input},
    /* statuses */
    {"refuse-all", "refuses all", .spoil = refuse_all},
    {"unsupported-all", "claims to serve nothing", .spoil = unsupported_all},
    {"memory-all", "is out of memory, always", .spoil = memory_all},
    {"lose-all", "loses its device in each call", .spoil = lose_all},
    {"fail-all", "fails in each call", .spoil = fail_all},
    {"accept-all", "accepts all, and computes nothing", .spoil = accept_all},
    {"note", "is right, and gives notes with control characters and records", .spoil = note},
    /* answers */
    {"truncated", "a byte is missing, and then it exits", .answer = truncated},
    {"half", "half an answer, and then nothing more", .answer = half},
    {"more-bytes", "announces and sends more bytes", .answer = more_bytes},
    {"trailing", "sends more bytes than it announces", .answer = trailing},
    {"wrong-frame", "answers another frame", .answer = wrong_frame},
    {"wrong-count", "answers for one call more", .answer = wrong_count},
    {"wrong-bytes", "announces one byte more than it sends", .answer = wrong_bytes},
    {"huge-bytes", "announces 2^63 bytes", .answer = huge_bytes},
    {"overflow-bytes", "announces 2^64 bytes more than it sends", .answer = overflow_bytes},
    {"signed-bytes", "the number of bytes has a sign", .answer = signed_bytes},
    {"zeros-before-bytes", "the number has leading zeros", .answer = zeros_before_bytes},
    {"twice", "answers twice", .answer = twice},
    {"out-of-order", "answers in reverse order", .batch = 8, .answer = out_of_order},
    {"status-unknown", "a status that there is not", .answer = status_unknown},
    {"status-missing", "no status at all", .answer = status_missing},
    {"status-verdict", "a verdict for a status", .answer = status_verdict},
    {"status-bare", "a status without its space", .answer = status_bare},
    {"status-nul", "a zero byte in a status line", .answer = status_nul},
    {"status-word", "a malformed word in a status line", .answer = status_word},
    {"status-long", "a note of 600 bytes", .answer = status_long},
    {"head-nul", "a zero byte in the first line of an answer", .answer = head_nul},
    {"blank-line", "an empty line before the answer", .answer = blank_line},
    {"long-line", "a line of 1 MiB without an end", .answer = long_line},
    {"binary-line", "a line of bytes that are no ASCII", .answer = binary_line},
    {"worker-lines", "the lines of a worker instead of an answer", .answer = worker_lines},
    {"error-line", "says that it does not understand, and more", .answer = error_line},
    {"stdout-flood", "statuses without an end", .answer = stdout_flood},
    {"stderr-flood", "200 MiB of standard error in each call", .answer = stderr_flood},
    {"stderr-flood-first", "200 MiB of standard error before the greeting",
     .begin = stderr_flood_first, .spoil = wrong_indices},
    /* ends */
    {"exit-between", "exits with 0 after the fourth answer", .answer = exit_between},
    {"exit-middle", "exits with 0 in the middle of an answer", .answer = exit_middle},
    {"exit-77", "exits with 77 in the fourth call", .answer = exit_77},
    {"exit-77-first", "exits with 77 at once", .begin = exit_77_first},
    {"die-killed", "kills itself in the fourth call", .answer = die_killed},
    {"die-segv", "dies of SIGSEGV in the fourth call", .answer = die_segv},
    {"die-abort", "dies of SIGABRT in the fourth call", .answer = die_abort},
    {"crash-told", "says that it crashes in the fourth call, and dies", .answer = crash_told},
    {"crash-lied", "says that it crashes, and answers", .answer = crash_lied},
    {"crash-malformed", "says so in a line that is none", .answer = crash_malformed},
    {"crash-hang", "says that it crashes, and hangs", .answer = crash_hang},
    {"close-output", "closes its output and lives on", .answer = close_output},
    {"close-input", "closes its input and lives on", .greet = close_input},
    {"never-read", "reads nothing, and writes 1 MiB", .greet = never_read},
    {"hang", "ignores SIGTERM and hangs", .answer = just_hang},
    {"deaf", "is right, and does not end when it is told to", .deaf = true},
    {"fork-and-exit", "a child keeps the pipes, and it exits", .answer = fork_and_exit},
    {"fork-first", "a child answers wrongly and is deaf, and it exits", .begin = fork_first,
     .spoil = wrong_indices, .deaf = true},
    {"leave-group", "a child in a session of its own keeps the pipes for 3 s",
     .answer = leave_group},
    {"stay", "a child in a session of its own lives on", .answer = stay},
    /* greetings */
    {"restart-name", "another name at the second start", .greet = restart_name,
     .answer = die_killed},
    {"restart-version", "another version at the second start", .greet = restart_version,
     .answer = die_killed},
    {"restart-device", "another device at the second start", .greet = restart_device,
     .answer = die_killed},
    {"restart-driver", "another driver at the second start", .greet = restart_driver,
     .answer = die_killed},
    {"restart-features", "other features at the second start", .greet = restart_features,
     .answer = die_killed},
    {"restart-level", "level 1.0 at the second start", .greet = restart_level,
     .answer = die_killed},
    {"restart-flags", "a contract of its own at the second start", .greet = restart_flags,
     .answer = die_killed},
    {"restart-batch", "another batch at the second start", .greet = restart_batch,
     .answer = die_killed},
    {"restart-unavailable", "unavailable at the second start", .greet = restart_unavailable,
     .answer = die_killed},
    {"greeting-malformed", "flags that are no number", .greet = greeting_malformed},
    {"greeting-batch", "a batch of 2^32", .greet = greeting_batch},
    {"greeting-version", "version 2 of the protocol", .greet = greeting_version},
    {"greeting-worker", "the greeting of a worker", .greet = greeting_worker},
    {"greeting-text", "control characters in its name", .greet = greeting_text,
     .spoil = wrong_indices},
    {"greeting-level", "level 1.0", .greet = greeting_level},
    {"greeting-never", "no greeting", .greet = greeting_never},
    {"greeting-flood", "a greeting without an end", .greet = greeting_flood},
    {"greeting-unavailable", "unavailable, and lives on", .greet = greeting_unavailable},
    /* other requests */
    {"supports-nothing", "supports nothing", .flags = TOPK_FLAG_SUPPORTS,
     .other = supports_nothing},
    {"supports-verdict", "answers supports with a verdict", .flags = TOPK_FLAG_SUPPORTS,
     .other = supports_verdict},
    {"supports-hang", "hangs in supports", .flags = TOPK_FLAG_SUPPORTS, .other = supports_hang},
    {"early", "answers at start and at finish", .batch = 64, .flags = TOPK_FLAG_STARTS},
    {"probes-garbage", "names of probes that are none", .flags = TOPK_FLAG_PROBES,
     .spoil = wrong_indices, .other = probes_garbage},
    {"probes-many", "1000 probes", .flags = TOPK_FLAG_PROBES, .spoil = wrong_indices,
     .other = probes_many},
    {"probes-crash", "dies in each probe", .flags = TOPK_FLAG_PROBES, .spoil = wrong_indices,
     .other = probes_crash},
    /* attacks */
    {"kill-judge", "kills the judge in the fourth call", .answer = kill_judge},
    {"kill-judge-first", "kills the judge before the greeting", .begin = kill_judge_first},
    {"stop-judge", "stops the judge in the second call", .answer = stop_judge},
    {"kill-runner", "kills the runner in the fourth call", .answer = kill_runner},
    {"inherited-files", "says that it passed into each file that it inherited",
     .spoil = inherited_files},
    {"judges-files", "says that it passed into the files of the judge", .spoil = judges_files},
    {"patch-memory", "changes the judge by /proc/PID/mem, and is wrong", .begin = patch_memory,
     .spoil = wrong_indices},
    {"patch-traced", "changes the judge by ptrace, and is wrong", .begin = patch_traced,
     .spoil = wrong_indices},
};
#define MODES (sizeof modes / sizeof modes[0])

/* ---- serving ---------------------------------------------------------------------------------
 */

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "hostile: %s\n", why);
    exit(TOPK_WORKER_EXIT_HARNESS);
}

static unsigned char *reserve(uint64_t bytes)
{
    unsigned char *data =
        bytes > SIZE_MAX / 2
            ? NULL
            : aligned_alloc(ALIGNMENT, (size_t)(bytes / ALIGNMENT + 1) * ALIGNMENT);
    if (data == NULL) {
        give_up("out of memory");
    }
    return data;
}

static void read_call(struct call *call, char line[TOPK_WORKER_LINE + 2])
{
    char error[512];
    size_t length;
    memset(call, 0, sizeof *call);
    if (topk_wire_line_read(stdin, line, TOPK_WORKER_LINE + 2, &length) != TOPK_WIRE_READ ||
        !topk_wire_call_parse(line, length, &call->wire, error, sizeof error)) {
        give_up("a call is missing");
    }
}

static void read_buffers(struct call *call)
{
    for (uint32_t t = 0; call->wire.call.create_only == 0 && t < TOPK_WIRE_TENSORS; t++) {
        struct topk_backend_buffer *buffer = topk_wire_buffer(&call->wire.call, t);
        call->bytes[t] = buffer->bytes;
        call->came[t] = reserve(buffer->bytes);
        call->now[t] = reserve(buffer->bytes);
        buffer->data = call->now[t];
        if (fread(call->came[t], 1, (size_t)buffer->bytes, stdin) != buffer->bytes) {
            give_up("bytes of a call are missing");
        }
        memcpy(call->now[t], call->came[t], (size_t)buffer->bytes);
    }
}

/* reads what stands behind "run " or "start ", and all that belongs to it */
static void read_frame(struct frame *frame, const char *at)
{
    char line[TOPK_WORKER_LINE + 2];
    const char *end = at + strlen(at);
    uint64_t count;
    if (!topk_wire_number(&at, end, UINT64_MAX, &frame->number) ||
        !topk_wire_number(&at, end, FRAME_MAX, &count)) {
        give_up("a request is not understood");
    }
    frame->count = (uint32_t)count;
    for (uint32_t i = 0; i < frame->count; i++) {
        read_call(&frame->calls[i], line);
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        read_buffers(&frame->calls[i]);
    }
}

static void compute(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        struct call *call = &frame->calls[i];
        loaded.backend->run(loaded.self, &call->wire.call, 1, &call->answer);
    }
    if (mode->spoil != NULL) {
        mode->spoil(frame);
    }
}

static void answer(struct frame *frame)
{
    if (mode->answer != NULL) {
        mode->answer(frame);
    } else {
        say_answer(frame);
    }
    served++;
}

static void free_frame(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
            free(frame->calls[i].came[tensor]);
            free(frame->calls[i].now[tensor]);
        }
    }
    frame->count = 0;
}

static void serve_request(struct frame *frame, const char *request)
{
    char line[TOPK_WORKER_LINE + 2];
    static struct call unused;
    if (strncmp(request, "run ", 4) == 0) {
        read_frame(frame, request + 4);
        compute(frame);
        answer(frame);
        free_frame(frame);
    } else if (strncmp(request, "start ", 6) == 0) {
        read_frame(frame, request + 6);
        compute(frame);
        say_answer(frame);
    } else if (strncmp(request, "finish ", 7) == 0) {
        say_answer(frame);
        free_frame(frame);
    } else {
        if (strcmp(request, "supports") == 0) {
            read_call(&unused, line);
        }
        if (mode->other != NULL) {
            mode->other(request);
        }
        fflush(out);
    }
}

static int serve(void)
{
    static struct frame frame;
    char line[TOPK_WORKER_LINE + 2];
    size_t length;
    struct topk_backend_info info = loaded.info;
    info.batch = mode->batch == 0 ? 1 : mode->batch;
    info.flags |= mode->flags;
    if (mode->begin != NULL) {
        mode->begin();
    }
    if (mode->greet == NULL || mode->greet(&info)) {
        topk_greeting_print(TOPK_SPEAKER_BACKEND, &info, info.flags, out);
    }
    while (topk_wire_line_read(stdin, line, sizeof line, &length) == TOPK_WIRE_READ &&
           strcmp(line, "quit") != 0) {
        serve_request(&frame, line);
    }
    free_frame(&frame);
    if (mode->deaf) {
        hang();
    }
    return EXIT_SUCCESS;
}

static void list(void)
{
    for (size_t i = 0; i < MODES; i++) {
        printf("%s\t%s\n", modes[i].name, modes[i].about);
    }
}

int main(int argc, char **argv)
{
    char error[512];
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; argc >= 2 && i < MODES; i++) {
        if (strcmp(argv[1], modes[i].name) == 0) {
            mode = &modes[i];
        }
    }
    if (mode == NULL) {
        fputs("Usage: hostile MODE|--list [WORD...]\n", stderr);
        return EXIT_USAGE;
    }
    out = stdout;
    judge = getppid();
    signal(SIGPIPE, SIG_IGN); /* a flood ends by an error, and goes on to live */
    if (!topk_loader_open(&loaded, "cpu", error, sizeof error)) {
        give_up(error);
    }
    const int code = serve();
    topk_loader_close(&loaded);
    return code;
}
