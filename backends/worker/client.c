/* Opens and closes the client, and makes requests other than calls. */
#include "client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_state.h"
#include "platform/platform.h"
#include "reference/result.h"

/* milliseconds in which a process must end after its last answer; less than the runner gives the
 * judge */
#define QUIT_GRACE 3000u

#define SECOND ((uint64_t)1000000000)
/* the limit until the runner sends one */
#define FIRST_LIMIT (30 * SECOND)
/* for the greeting; more than the runner's own limit */
#define OPEN_LIMIT (3600 * SECOND)

/* ---- a process as a link --------------------------------------------------------------------- */

static int64_t child_read(void *self, void *data, size_t room, uint64_t deadline)
{
    return topk_child_read(self, data, room, deadline);
}

static int64_t child_write(void *self, const void *data, size_t bytes, uint64_t deadline)
{
    return topk_child_write(self, data, bytes, deadline);
}

static void child_close(void *self)
{
    topk_child_close(self);
}

static bool child_unheard(void *self)
{
    return topk_child_unheard(self);
}

static bool child_ended(void *self)
{
    return topk_child_ended(self);
}

static unsigned char *child_share(void *self, uint64_t bytes, uint64_t *handle)
{
    return topk_child_share(self, bytes, handle);
}

static bool child_end(void *self, unsigned milliseconds, const char *event, char *how,
                      size_t how_bytes)
{
    return topk_child_end(self, milliseconds, event, how, how_bytes);
}

bool topk_link_start(const char *const *command, struct topk_link *link, char *error,
                     size_t error_bytes)
{
    *link = (struct topk_link){topk_child_start(command, error, error_bytes),
                               child_read,
                               child_write,
                               child_close,
                               child_unheard,
                               child_ended,
                               child_share,
                               child_end};
    return link->self != NULL;
}

const struct topk_client_end *topk_client_ended(const struct topk_client *client)
{
    return &client->end;
}

bool topk_client_guards(const struct topk_client *client)
{
    return (client->greeting.flags & TOPK_FLAG_GUARD_PAGES) != 0;
}

const struct topk_crash *topk_client_crash(const struct topk_client *client)
{
    return client->at_end && client->crash.signal[0] != 0 ? &client->crash : NULL;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Sends a request and reads its answer of one line. */
static bool ask(struct topk_client *client, const char *request, const char *wanted, char **line,
                size_t *length)
{
    if (client->at_end) {
        return false;
    }
    topk_client_wait(client, TOPK_PHASE_ANSWER, client->limit, 0);
    topk_stream_put(&client->stream, request, strlen(request));
    const enum topk_wire_read came = topk_stream_flush(&client->stream);
    if (came == TOPK_WIRE_LATE) {
        topk_client_lost(client, came);
        return false;
    }
    /* a process that has ended may have sent the reason before */
    return topk_client_line(client, wanted, line, length);
}

/* ---- the functions of a backend -------------------------------------------------------------- */

static void describe(const struct topk_client *client, struct topk_backend_info *info)
{
    const struct topk_greeting *greeting = &client->greeting;
    *info = (struct topk_backend_info){
        .name = greeting->name,
        .version = greeting->version,
        .device = greeting->device,
        .driver = greeting->driver,
        .features = greeting->features,
        .invalid_calls_reason = greeting->own,
        .feature_level = greeting->level,
        .flags = greeting->flags & ~(TOPK_FLAG_IN_PLACE | TOPK_FLAG_MEMORY | TOPK_FLAG_GUARD_PAGES),
        .batch = greeting->batch > TOPK_PROTOCOL_BATCH ? TOPK_PROTOCOL_BATCH : greeting->batch};
}

/* "probes=NAME,NAME,..." */
static void ask_names(struct topk_client *client)
{
    static const char wanted[] = "\"probes=NAME,...\"";
    char *line;
    size_t length;
    client->named = true;
    if (!ask(client, "probes\n", wanted, &line, &length)) {
        return;
    }
    if (strncmp(line, "probes=", 7) != 0) {
        topk_client_wrong_line(client, line, length, wanted);
        return;
    }
    for (const char *at = line + 7; *at != 0;) {
        const size_t name = strcspn(at, ",");
        if (!topk_probe_name_valid(at, name) || client->name_count == TOPK_PROBES_MAX) {
            client->name_count = 0;
            topk_client_wrong_line(client, line, length, wanted);
            return;
        }
        memcpy(client->names[client->name_count++], at, name);
        at += name + (at[name] == ',');
    }
}

static const char *client_probe_name(void *self, uint32_t number)
{
    struct topk_client *client = self;
    if (!client->named) {
        ask_names(client);
    }
    return number < client->name_count ? client->names[number] : NULL;
}

static void client_probe(void *self, uint32_t number, struct topk_backend_probe *probe)
{
    static const char wanted[] = "what a probe saw";
    struct topk_client *client = self;
    struct topk_probe said;
    char request[32];
    char *line;
    size_t length;
    probe->verdict = TOPK_BACKEND_PROBE_FAILED;
    snprintf(request, sizeof request, "probe %" PRIu32 "\n", number);
    if (!ask(client, request, wanted, &line, &length)) {
        return;
    }
    if (!topk_probe_parse(line, length, &said) || said.verdict > TOPK_PROBE_FAILED) {
        topk_client_wrong_line(client, line, length, wanted);
        return;
    }
    probe->verdict = (uint32_t)said.verdict;
    snprintf(probe->value, sizeof probe->value, "%.*s", (int)sizeof probe->value - 1, said.value);
    snprintf(probe->detail, sizeof probe->detail, "%.*s", (int)sizeof probe->detail - 1,
             said.detail);
}

/* Tells the process to quit. Later output is ignored. A process that has already ended did so by
 * itself. */
static bool quit(struct topk_client *client)
{
    char *line;
    size_t length;
    bool gone = client->link.ended(client->link.self);
    topk_client_wait(client, TOPK_PHASE_ANSWER, (uint64_t)QUIT_GRACE * 1000000, 0);
    const uint64_t until = client->deadline;
    topk_stream_put(&client->stream, "quit\n", 5);
    topk_stream_flush(&client->stream);
    client->link.close(client->link.self); /* a pipeline of processes ends with its input */
    const enum topk_wire_read came = topk_stream_line(&client->stream, &line, &length);
    if (came == TOPK_WIRE_READ || came == TOPK_WIRE_BAD || length > 0) {
        topk_client_wrong_line(client, line, length, "nothing after its last answer");
        return false;
    }
    client->at_end = true;
    /* a process that was about to end did not read the request */
    gone = gone || client->link.unheard(client->link.self);
    const uint64_t now = topk_clock_now();
    const unsigned left = now < until ? (unsigned)((until - now) / 1000000) : 0;
    const bool good = client->link.end(client->link.self, left, "being told to quit",
                                       client->end.how, sizeof client->end.how);
    if (good && gone) {
        const size_t used = strlen(client->end.how);
        snprintf(client->end.how + used, sizeof client->end.how - used,
                 ", and had not been told to");
    }
    return good && !gone;
}

bool topk_client_close(struct topk_client *client, char *how, size_t how_bytes)
{
    bool good = false;
    if (!client->at_end) {
        good = quit(client);
    }
    snprintf(how, how_bytes, "%s", client->end.how);
    free(client->frames);
    free(client);
    return good;
}

/* ---- opening --------------------------------------------------------------------------------- */

static struct topk_client *make(const struct topk_link *link, char *error, size_t error_bytes)
{
    struct topk_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        link->end(link->self, 0, "", error, error_bytes);
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    client->link = *link;
    client->stream =
        (struct topk_stream){.self = client, .read = topk_client_read, .write = topk_client_write};
    client->limit = OPEN_LIMIT;
    client->end.first = 1; /* no owner */
    client->last.first = 1;
    return client;
}

/* Requests the greeting. */
static bool greet(struct topk_client *client, const char *device, enum topk_greeting_kind *kind,
                  char *error, size_t error_bytes)
{
    char request[1600] = "open 1 ";
    char why[TOPK_GREETING_ERROR];
    char *line;
    size_t length = 7 + topk_word_print(device, request + 7, sizeof request - 8);
    request[length] = '\n';
    request[length + 1] = 0;
    if (!ask(client, request, "its introduction", &line, &length)) {
        char site[TOPK_CRASH_TEXT] = "";
        if (topk_client_crash(client) != NULL) {
            topk_crash_site_print(topk_client_crash(client), site);
        }
        snprintf(error, error_bytes,
                 "the backend process ended before it introduced itself: %s%s%s", client->end.how,
                 site[0] == 0 ? "" : "; ", site);
        return false;
    }
    *kind = topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length, &client->greeting, why);
    if (*kind != TOPK_GREETING_HELLO) {
        snprintf(error, error_bytes, "%s", why);
        topk_client_wrong(client, "%s", why);
    }
    return *kind == TOPK_GREETING_HELLO;
}

struct topk_client *topk_client_open(const struct topk_link *link, const char *device,
                                     struct topk_loaded *loaded, enum topk_greeting_kind *kind,
                                     char *error, size_t error_bytes)
{
    *kind = TOPK_GREETING_NONE;
    struct topk_client *client = make(link, error, error_bytes);
    if (client == NULL) {
        return NULL;
    }
    if (!greet(client, device, kind, error, error_bytes)) {
        free(client);
        return NULL;
    }
    client->limit = FIRST_LIMIT;
    client->no_memory = (client->greeting.flags & TOPK_FLAG_MEMORY) == 0;
    const bool probes = (client->greeting.flags & TOPK_FLAG_PROBES) != 0;
    client->table = (struct topk_backend){
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof client->table,
        .name = client->greeting.name,
        .summary = "",
        .probe_name = probes ? client_probe_name : NULL,
        .probe = probes ? client_probe : NULL,
    };
    *loaded = (struct topk_loaded){.backend = &client->table, .self = client};
    loaded->contract = client->greeting.contract;
    loaded->parts = client->greeting.parts;
    describe(client, &loaded->info);
    return client;
}

/* prints "devices=W,W,..." one per line, so each must be printable */
static void put_devices(struct topk_client *client, const char *line, size_t length,
                        const char *wanted, FILE *out)
{
    bool good = strncmp(line, "devices=", 8) == 0;
    for (const char *at = line + 8; good && *at != 0;) {
        char device[512];
        const size_t word = strcspn(at, ",");
        good = topk_word_parse(at, word, device, sizeof device);
        for (const char *c = device; good && *c != 0; c++) {
            good = (unsigned char)*c >= ' ' && *c != 0x7f;
        }
        if (good) {
            fprintf(out, "%s\n", device);
        }
        at += word + (at[word] == ',');
    }
    if (!good) {
        topk_client_wrong_line(client, line, length, wanted);
    }
}

bool topk_client_devices(const struct topk_link *link, FILE *out, char *error, size_t error_bytes)
{
    static const char wanted[] = "\"devices=W,...\"";
    char *line;
    size_t length;
    struct topk_client *client = make(link, error, error_bytes);
    if (client == NULL) {
        return false;
    }
    client->limit = FIRST_LIMIT;
    if (ask(client, "devices\n", wanted, &line, &length)) {
        put_devices(client, line, length, wanted, out);
    }
    const bool good = !client->at_end;
    topk_client_close(client, error, error_bytes);
    return good;
}

void topk_client_limit(struct topk_client *client, uint64_t milliseconds, bool careful)
{
    client->limit = milliseconds == 0 ? FIRST_LIMIT : milliseconds * 1000000;
    client->careful = careful;
}
