/* See party.h. */

#include "party.h"

#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

#if defined(_WIN32)
#define PLUGIN_SUFFIX ".dll"
#else
#define PLUGIN_SUFFIX ".so"
#endif

static const struct known {
    const char *name;
    bool plugin;
    const char *needs;
} known[] = {
#define PEER(name, plugin, needs) {name, plugin, needs},
#include "peers.def"
#undef PEER
};
#define KNOWN (sizeof known / sizeof known[0])

uint32_t topk_bench_threads(const char *spec)
{
    for (const char *at = strstr(spec, "threads="); at != NULL; at = strstr(at + 1, "threads=")) {
        if (at > spec && (at[-1] == ':' || at[-1] == ',')) {
            return (uint32_t)strtoul(at + strlen("threads="), NULL, 10);
        }
    }
    return 1;
}

/* Whether a backend offers devices, and so does not compute on this processor. */
static bool on_device(const struct topk_loaded *loaded)
{
    char options[256];
    return topk_loader_device(loaded, 0, options, sizeof options);
}

static void describe(struct topk_bench_party *party, const struct topk_loaded *loaded)
{
    const struct topk_backend_info *info = &loaded->info;
    party->open = true;
    snprintf(party->version, sizeof party->version, "%.250s", info->version);
    snprintf(party->about, sizeof party->about, "%.120s; %.120s", info->device, info->features);
}

/* Opens a backend that was found. False if that fails, with the reason in about. */
static bool open_party(struct topk_loaded *loaded, struct topk_bench_party *party)
{
    char why[TOPK_BENCH_TEXT];
    if (!topk_loader_open_found(loaded, "", why, sizeof why)) {
        snprintf(party->about, sizeof party->about, "%s", why);
        return false;
    }
    describe(party, loaded);
    return true;
}

/* A peer to find and open. */
struct wanted {
    char spec[4096];
    const struct known *known; /* NULL: a user named it */
};

static uint32_t list_wanted(const struct topk_bench_options *options,
                            struct wanted wanted[TOPK_BENCH_PEERS])
{
    uint32_t count = 0;
    for (size_t i = 0; i < KNOWN && options->peer_folder != NULL; i++) {
        struct wanted *one = &wanted[count];
        bool again = strcmp(known[i].name, options->backend) == 0;
        for (uint32_t j = 0; j < options->peer_count; j++) {
            again = again || strcmp(known[i].name, options->peers[j]) == 0;
        }
        if (again || count + options->peer_count >= TOPK_BENCH_PEERS) {
            continue;
        }
        one->known = &known[i];
        if (known[i].plugin) {
            snprintf(one->spec, sizeof one->spec, "%s/%s" PLUGIN_SUFFIX, options->peer_folder,
                     known[i].name);
        } else {
            snprintf(one->spec, sizeof one->spec, "%s", known[i].name);
        }
        count++;
    }
    for (uint32_t i = 0; i < options->peer_count; i++) {
        wanted[count].known = NULL;
        snprintf(wanted[count++].spec, sizeof wanted[0].spec, "%s", options->peers[i]);
    }
    return count;
}

/* Pins this process to as many processors as the backend or peer with the most threads uses. Does
 * not pin it if one of them uses a device or all processors. */
static void pin(const struct topk_bench_options *options, struct topk_bench_report *report,
                bool devices)
{
    uint32_t threads = topk_bench_threads(options->backend);
    for (uint32_t i = 0; i < options->peer_count && threads > 0; i++) {
        const uint32_t more = topk_bench_threads(options->peers[i]);
        threads = more == 0 || more > threads ? more : threads;
    }
    if (threads > 0 && !devices) {
        report->processors = topk_process_pin(threads, &report->first);
    }
}

bool topk_parties_open(struct parties *parties, const struct topk_bench_options *options,
                       struct topk_bench_report *report, char *error, size_t error_bytes)
{
    static struct wanted wanted[TOPK_BENCH_PEERS]; /* static to keep the stack small */
    bool found[TOPK_BENCH_PEERS] = {false};
    bool devices = false;
    report->peer_count = 0;
    if (!options->subject[TOPK_BENCH_BACKEND]) {
        pin(options, report, false);
        return true;
    }
    snprintf(report->backend.name, sizeof report->backend.name, "%s", options->backend);
    if (!topk_loader_find(&parties->backend, options->backend, error, error_bytes)) {
        return false;
    }
    devices = on_device(&parties->backend);
    report->peer_count = list_wanted(options, wanted);
    for (uint32_t i = 0; i < report->peer_count; i++) {
        struct topk_bench_party *peer = &report->peers[i];
        char why[TOPK_BENCH_TEXT];
        found[i] = topk_loader_find(&parties->peers[i], wanted[i].spec, why, sizeof why);
        snprintf(peer->name, sizeof peer->name, "%.250s",
                 wanted[i].known != NULL ? wanted[i].known->name : wanted[i].spec);
        if (found[i]) {
            devices = devices || on_device(&parties->peers[i]);
        } else if (wanted[i].known != NULL) {
            snprintf(peer->about, sizeof peer->about, "left out: this build lacks it; it needs %s",
                     wanted[i].known->needs);
        } else {
            snprintf(error, error_bytes, "%s", why);
            return false;
        }
    }
    pin(options, report, devices);
    if (!open_party(&parties->backend, &report->backend)) {
        snprintf(error, error_bytes, "backend '%s': %s", options->backend, report->backend.about);
        return false;
    }
    for (uint32_t i = 0; i < report->peer_count; i++) {
        struct topk_bench_party *peer = &report->peers[i];
        if (found[i] && !open_party(&parties->peers[i], peer) && wanted[i].known == NULL) {
            snprintf(error, error_bytes, "peer '%s': %s", peer->name, peer->about);
            return false;
        }
    }
    return true;
}

void topk_parties_close(struct parties *parties)
{
    for (uint32_t i = 0; i < TOPK_BENCH_PEERS; i++) {
        topk_loader_close(&parties->peers[i]);
    }
    topk_loader_close(&parties->backend);
}
