/* The scripted backend process of scripted.h. */
#include "scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"

struct scripted process;
unsigned char scripted_memory[((size_t)2 << 20) + TOPK_CLIENT_HEAD];
uint64_t now;
struct topk_call calls[CALLS];
struct topk_call *const queue[CALLS] = {&calls[0], &calls[1], &calls[2], &calls[3]};
struct topk_client *client;
struct topk_loaded loaded;

/* ---- the process ----------------------------------------------------------------------------- */

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker requires this name */
uint64_t __wrap_topk_clock_now(void);

uint64_t __wrap_topk_clock_now(void)
{
    return now;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int64_t read_process(void *self, void *data, size_t room, uint64_t deadline)
{
    char *to = data;
    size_t got = 0;
    (void)self;
    process.was_read = process.slow && !process.was_read;
    if (process.was_read) {
        return TOPK_IO_LATE;
    }
    while (got < room) {
        if (process.zeros > 0) {
            const size_t some = process.zeros < room - got ? (size_t)process.zeros : room - got;
            memset(to + got, 0, some);
            process.zeros -= some;
            got += some;
            continue;
        }
        const char c = *process.says;
        if (c == 0) {
            break;
        }
        process.says++;
        if (c == '|' && got > 0) {
            return (int64_t)got;
        }
        if (c == '#') {
            process.zeros = process.block;
        } else if (c == '$') {
            char digits[32];
            const int length =
                snprintf(digits, sizeof digits, "%llu", (unsigned long long)process.block);
            memcpy(to + got, digits, (size_t)length);
            got += (size_t)length;
        } else if (c != '|') {
            to[got++] = c;
            to[got - 1] = (char)(c == '~' ? 0 : c);
        }
    }
    if (got > 0 || process.ending == ENDS) {
        return (int64_t)got;
    }
    now = deadline > now ? deadline : now;
    if (process.mark > 0) {
        memcpy(scripted_memory, &process.mark, sizeof process.mark);
        process.mark = 0;
    }
    return process.ending == FAILS ? TOPK_IO_FAILED : TOPK_IO_LATE;
}

static int64_t write_process(void *self, const void *data, size_t bytes, uint64_t deadline)
{
    (void)self;
    if (process.takes == 0) {
        now = process.after == TOPK_IO_LATE && deadline > now ? deadline : now;
        return process.after;
    }
    if (process.takes > 0) {
        bytes = (uint64_t)process.takes < bytes ? (size_t)process.takes : bytes;
        process.takes -= (int64_t)bytes;
    }
    if (bytes < sizeof process.said - process.said_length) {
        memcpy(process.said + process.said_length, data, bytes);
        process.said_length += bytes;
        process.said[process.said_length] = 0;
    }
    return (int64_t)bytes;
}

static void close_process(void *self)
{
    (void)self;
}

static bool unheard(void *self)
{
    (void)self;
    return process.unheard;
}

static bool ended(void *self)
{
    (void)self;
    return process.ended || process.ending == GONE;
}

static unsigned char *share(void *self, uint64_t bytes, uint64_t *handle)
{
    (void)self;
    *handle = 7;
    process.shares++;
    process.shared = bytes;
    return process.no_memory ? NULL : scripted_memory;
}

static bool end(void *self, unsigned milliseconds, const char *event, char *how, size_t how_bytes)
{
    (void)self;
    (void)milliseconds;
    (void)event;
    snprintf(how, how_bytes, "%s", process.how);
    return !process.bad;
}

const struct topk_link scripted_link = {
    NULL, read_process, write_process, close_process, unheard, ended, share, end,
};

/* ---- the client ------------------------------------------------------------------------------ */

void start(const char *says, enum ending ending)
{
    process = (struct scripted){
        .says = says, .ending = ending, .takes = -1, .how = "it ended", .block = process.block};
    memset(scripted_memory, 0, sizeof scripted_memory);
}

void open_client(const char *says, enum ending ending)
{
    char error[TOPK_GREETING_ERROR];
    enum topk_greeting_kind kind;
    start(says, ending);
    client = topk_client_open(&scripted_link, "", &loaded, &kind, error, sizeof error);
    if (client == NULL) {
        fail_msg("%s", error);
    }
    topk_client_limit(client, 50, false);
}

void prepare(const char *text)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        if (!topk_case_parse(text, strlen(text), &tc, &error)) {
            fail_msg("%s", error.message);
        }
        assert_true(topk_call_prepare(&calls[i], &tc, TOPK_POISON_RANDOM));
        calls[i].owner = i;
    }
    process.block = 0;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
            process.block += topk_wire_buffer(&calls[i].backend_call, t)->bytes;
        }
    }
}

int prepare_small(void **state)
{
    (void)state;
    prepare("top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1");
    return 0;
}

const struct topk_client_end *ask(void)
{
    topk_client_send(client, queue, 2);
    topk_client_receive(client);
    return topk_client_ended(client);
}

bool close_client(void)
{
    char how[400];
    const bool good = topk_client_close(client, how, sizeof how);
    client = NULL;
    return good;
}

void assert_end(const char *says, const char *how, bool expired, uint32_t first, uint32_t last)
{
    const struct topk_client_end *end = topk_client_ended(client);
    char due[500];
    const char *dollar = strchr(how, '$');
    if (dollar != NULL) {
        snprintf(due, sizeof due, "%.*s%llu%s", (int)(dollar - how), how,
                 (unsigned long long)process.block, dollar + 1);
        how = due;
    }
    if (strcmp(end->how, how) != 0) {
        fail_msg("%s: \"%s\", not \"%s\"", says, end->how, how);
    }
    assert_int_equal(end->expired, expired);
    assert_int_equal(end->first, first);
    assert_int_equal(end->last, last);
}

int free_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CALLS; i++) {
        topk_call_free(&calls[i]);
    }
    return 0;
}
