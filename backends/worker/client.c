/* Requests go out, answers come in, one after the other: a frame is written whole before its answer
 * is read, so no pair of pipes can fill up on both sides. */
#include "client.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "protocol/protocol.h"
#include "reference/result.h"

/* milliseconds that a process has to end by itself: after its last answer; and after it closed its
 * output or was found to be wrong */
#define QUIT_GRACE  3000u /* below what the runner gives the judge */
#define DEATH_GRACE 1000u

struct topk_client {
    struct topk_backend table; /* of the functions below, as far as the process serves them */
    struct topk_child child;
    struct topk_greeting greeting;
    bool died;
    char how[400];
    uint64_t frame; /* number of the last one */
    /* of the frame that was started, of the caller */
    const struct topk_backend_call *calls;
    struct topk_backend_answer *answers;
    uint32_t count;
    char names[TOPK_PROBES_MAX][TOPK_PROBE_NAME]; /* of the probes, once they were asked for */
    uint32_t name_count;
    bool named;
    char line[TOPK_WORKER_LINE + 2];
};

/* ---- its end ---------------------------------------------------------------------------------
 */

/* The process ended, or is about to, as it closed a pipe: EVENT says which. */
static void end_closed(struct topk_client *client, const char *event)
{
    if (!client->died) {
        client->died = true;
        topk_child_end(&client->child, DEATH_GRACE, event, client->how, sizeof client->how);
    }
}

/* What the process said is no answer: it is not to be believed any more. */
static void end_wrong(struct topk_client *client, const char *format, ...)
{
    char ended[200];
    if (client->died) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(client->how, sizeof client->how, format, arguments);
    va_end(arguments);
    client->died = true;
    topk_child_end(&client->child, 0, "", ended, sizeof ended);
}

const char *topk_client_died(const struct topk_client *client)
{
    return client->died ? client->how : NULL;
}

/* ---- reading and writing ---------------------------------------------------------------------
 */

static bool flush(struct topk_client *client)
{
    if (fflush(client->child.to) != 0 || ferror(client->child.to)) {
        end_closed(client, "closing its input");
    }
    return !client->died;
}

/* Reads a line; what it has to start with is for the message. */
static bool read_line(struct topk_client *client, const char *wanted, size_t *length)
{
    char said[160];
    switch (topk_wire_line_read(client->child.from, client->line, sizeof client->line, length)) {
    case TOPK_WIRE_READ:
        return true;
    case TOPK_WIRE_END:
        end_closed(client, "closing its output");
        return false;
    case TOPK_WIRE_BAD:
        break;
    }
    topk_said_print(client->line, *length, said, sizeof said);
    end_wrong(client, "it said \"%s\", which is no line, where %s has to stand", said, wanted);
    return false;
}

/* the line is not what has to stand there */
static bool wrong(struct topk_client *client, size_t length, const char *wanted)
{
    char said[160];
    char what[400];
    if (strncmp(client->line, "error ", 6) == 0 &&
        topk_word_parse(client->line + 6, length - 6, what, sizeof what)) {
        topk_said_print(what, strlen(what), said, sizeof said);
        end_wrong(client, "it did not understand its judge: %s", said);
        return false;
    }
    topk_said_print(client->line, length, said, sizeof said);
    end_wrong(client, "it said \"%s\" where %s has to stand", said, wanted);
    return false;
}

static void write_call(struct topk_client *client, const struct topk_backend_call *call)
{
    char line[TOPK_WIRE_LINE];
    const size_t length = topk_wire_call_print(call, line);
    line[length] = '\n';
    fwrite(line, 1, length + 1, client->child.to);
}

static bool write_frame(struct topk_client *client, const char *verb,
                        const struct topk_backend_call *calls, uint32_t count)
{
    FILE *to = client->child.to;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += topk_wire_call_bytes(&calls[i]);
    }
    client->frame++;
    fprintf(to, "%s %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", verb, client->frame, count, bytes);
    for (uint32_t i = 0; i < count; i++) {
        write_call(client, &calls[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_call call = calls[i];
        for (uint32_t tensor = 0; call.create_only == 0 && tensor < TOPK_WIRE_TENSORS; tensor++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, tensor);
            fwrite(buffer->data, 1, (size_t)buffer->bytes, to);
        }
    }
    return flush(client);
}

/* "answer FRAME COUNT BYTES" */
static bool read_answer_line(struct topk_client *client, uint32_t count, uint64_t *bytes)
{
    char wanted[80];
    size_t length;
    uint64_t frame = 0;
    uint64_t answered = 0;
    snprintf(wanted, sizeof wanted, "\"answer %" PRIu64 " %" PRIu32 " BYTES\"", client->frame,
             count);
    if (!read_line(client, wanted, &length)) {
        return false;
    }
    const char *at = client->line + 7;
    const char *end_of_line = client->line + length;
    if (strncmp(client->line, "answer ", 7) != 0 ||
        !topk_wire_number(&at, end_of_line, UINT64_MAX, &frame) || frame != client->frame ||
        !topk_wire_number(&at, end_of_line, UINT32_MAX, &answered) || answered != count ||
        !topk_wire_number(&at, end_of_line, UINT64_MAX, bytes) || at != end_of_line) {
        return wrong(client, length, wanted);
    }
    return true;
}

/* Reads the statuses; *bytes is what those that are done have to bring. */
static bool read_statuses(struct topk_client *client, const struct topk_backend_call *calls,
                          uint32_t count, struct topk_backend_answer *answers, uint64_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t length;
        if (!read_line(client, "the status of a call", &length)) {
            return false;
        }
        if (!topk_wire_answer_parse(client->line, length, &answers[i])) {
            return wrong(client, length, "the status of a call");
        }
        *bytes += answers[i].status == TOPK_BACKEND_DONE ? topk_wire_call_bytes(&calls[i]) : 0;
    }
    return true;
}

static bool read_bytes(struct topk_client *client, const struct topk_backend_call *calls,
                       uint32_t count, const struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        struct topk_backend_call call = calls[i];
        if (answers[i].status != TOPK_BACKEND_DONE || call.create_only != 0) {
            continue;
        }
        for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&call, tensor);
            if (fread(buffer->data, 1, (size_t)buffer->bytes, client->child.from) !=
                buffer->bytes) {
                end_closed(client, "closing its output");
                return false;
            }
        }
    }
    return true;
}

static void read_frame(struct topk_client *client, const struct topk_backend_call *calls,
                       uint32_t count, struct topk_backend_answer *answers)
{
    uint64_t announced;
    uint64_t bytes;
    if (!client->died && read_answer_line(client, count, &announced) &&
        read_statuses(client, calls, count, answers, &bytes)) {
        if (announced != bytes) {
            end_wrong(client,
                      "its answer announces %" PRIu64
                      " bytes, the calls that are done have %" PRIu64,
                      announced, bytes);
        } else {
            read_bytes(client, calls, count, answers);
        }
    }
    for (uint32_t i = 0; client->died && i < count; i++) {
        answers[i].status = TOPK_BACKEND_FAILED;
    }
}

/* ---- the functions of a backend --------------------------------------------------------------
 */

static void client_describe(void *self, struct topk_backend_info *info)
{
    const struct topk_client *client = self;
    const struct topk_greeting *greeting = &client->greeting;
    *info = (struct topk_backend_info){.name = greeting->name,
                                       .version = greeting->version,
                                       .device = greeting->device,
                                       .driver = greeting->driver,
                                       .features = greeting->features,
                                       .invalid_calls_reason = greeting->own,
                                       .feature_level = greeting->level,
                                       .flags = greeting->flags &
                                                ~(TOPK_FLAG_SUPPORTS | TOPK_FLAG_STARTS),
                                       .batch = greeting->batch};
}

static void client_supports(void *self, const struct topk_backend_call *call,
                            struct topk_backend_answer *answer)
{
    struct topk_client *client = self;
    size_t length;
    if (client->died) {
        return;
    }
    fputs("supports\n", client->child.to);
    write_call(client, call);
    if (flush(client) && read_line(client, "\"supports STATUS REASON\"", &length) &&
        (strncmp(client->line, "supports ", 9) != 0 ||
         !topk_wire_answer_parse(client->line + 9, length - 9, answer))) {
        wrong(client, length, "\"supports STATUS REASON\"");
    }
}

static void client_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                       struct topk_backend_answer *answers)
{
    struct topk_client *client = self;
    if (!client->died) {
        write_frame(client, "run", calls, count);
    }
    read_frame(client, calls, count, answers);
}

static void client_start(void *self, const struct topk_backend_call *calls, uint32_t count,
                         struct topk_backend_answer *answers)
{
    struct topk_client *client = self;
    client->calls = calls;
    client->count = count;
    client->answers = answers;
    if (!client->died) {
        write_frame(client, "start", calls, count);
    }
}

static void client_finish(void *self)
{
    struct topk_client *client = self;
    if (!client->died) {
        fprintf(client->child.to, "finish %" PRIu64 "\n", client->frame);
        flush(client);
    }
    read_frame(client, client->calls, client->count, client->answers);
}

/* "probes=NAME,NAME,..." */
static void ask_names(struct topk_client *client)
{
    static const char wanted[] = "\"probes=NAME,...\"";
    size_t length;
    client->named = true;
    fputs("probes\n", client->child.to);
    if (!flush(client) || !read_line(client, wanted, &length)) {
        return;
    }
    if (strncmp(client->line, "probes=", 7) != 0) {
        wrong(client, length, wanted);
        return;
    }
    for (const char *at = client->line + 7; *at != 0;) {
        const size_t name = strcspn(at, ",");
        if (!topk_probe_name_valid(at, name) || client->name_count == TOPK_PROBES_MAX) {
            client->name_count = 0;
            wrong(client, length, wanted);
            return;
        }
        memcpy(client->names[client->name_count++], at, name);
        at += name + (at[name] == ',');
    }
}

static const char *client_probe_name(void *self, uint32_t number)
{
    struct topk_client *client = self;
    if (!client->named && !client->died) {
        ask_names(client);
    }
    return number < client->name_count ? client->names[number] : NULL;
}

static void client_probe(void *self, uint32_t number, struct topk_backend_probe *probe)
{
    struct topk_client *client = self;
    struct topk_probe said;
    size_t length;
    probe->verdict = TOPK_BACKEND_PROBE_FAILED;
    if (client->died) {
        return;
    }
    fprintf(client->child.to, "probe %" PRIu32 "\n", number);
    if (!flush(client) || !read_line(client, "what a probe saw", &length)) {
        return;
    }
    if (!topk_probe_parse(client->line, length, &said) || said.verdict > TOPK_PROBE_FAILED) {
        wrong(client, length, "what a probe saw");
        return;
    }
    probe->verdict = (uint32_t)said.verdict;
    snprintf(probe->value, sizeof probe->value, "%.*s", (int)sizeof probe->value - 1, said.value);
    snprintf(probe->detail, sizeof probe->detail, "%.*s", (int)sizeof probe->detail - 1,
             said.detail);
}

static void client_close(void *self)
{
    struct topk_client *client = self;
    char how[200];
    if (!client->died) {
        fputs("quit\n", client->child.to);
        topk_child_end(&client->child, QUIT_GRACE, "being told to quit", how, sizeof how);
    }
    free(client);
}

/* ---- opening ---------------------------------------------------------------------------------
 */

static bool greet(struct topk_client *client, bool *said, char *error, size_t error_bytes)
{
    char why[TOPK_GREETING_ERROR];
    size_t length;
    if (!read_line(client, "its introduction", &length)) {
        snprintf(error, error_bytes, "the backend process ended before it introduced itself: %s",
                 client->how);
        return false;
    }
    const enum topk_greeting_kind kind =
        topk_greeting_parse(TOPK_SPEAKER_BACKEND, client->line, length, &client->greeting, why);
    if (kind != TOPK_GREETING_HELLO) {
        *said = kind == TOPK_GREETING_UNAVAILABLE;
        snprintf(error, error_bytes, "%s", why);
        end_wrong(client, "%s", why);
    }
    return kind == TOPK_GREETING_HELLO;
}

struct topk_client *topk_client_open(const struct topk_child *child, struct topk_loaded *loaded,
                                     bool *said, char *error, size_t error_bytes)
{
    struct topk_client *client = calloc(1, sizeof *client);
    *said = false;
    if (client == NULL) {
        struct topk_child unused = *child;
        topk_child_end(&unused, 0, "", error, error_bytes);
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    client->child = *child;
    if (!greet(client, said, error, error_bytes)) {
        free(client);
        return NULL;
    }
    const uint32_t flags = client->greeting.flags;
    const bool starts = (flags & TOPK_FLAG_STARTS) != 0;
    const bool probes = (flags & TOPK_FLAG_PROBES) != 0;
    client->table = (struct topk_backend){
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof client->table,
        .name = client->greeting.name,
        .summary = "",
        .describe = client_describe,
        .supports = (flags & TOPK_FLAG_SUPPORTS) != 0 ? client_supports : NULL,
        .run = client_run,
        .close = client_close,
        .probe_name = probes ? client_probe_name : NULL,
        .probe = probes ? client_probe : NULL,
        .start = starts ? client_start : NULL,
        .finish = starts ? client_finish : NULL,
    };
    *loaded = (struct topk_loaded){.backend = &client->table, .self = client, .starts = starts};
    client_describe(client, &loaded->info);
    if (loaded->info.batch > TOPK_PROTOCOL_BATCH) {
        loaded->info.batch = TOPK_PROTOCOL_BATCH;
    }
    return client;
}
