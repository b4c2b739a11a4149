/* The probes of a backend. A plugin may return anything for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader.h"

_Static_assert((int)TOPK_BACKEND_PROBE_OBSERVED == (int)TOPK_PROBE_OBSERVED &&
                   (int)TOPK_BACKEND_PROBE_VIOLATION == (int)TOPK_PROBE_VIOLATION &&
                   (int)TOPK_BACKEND_PROBE_UNSUPPORTED == (int)TOPK_PROBE_UNSUPPORTED &&
                   (int)TOPK_BACKEND_PROBE_FAILED == (int)TOPK_PROBE_FAILED,
               "the plugin interface and the reports have the same verdicts");
_Static_assert(sizeof((struct topk_backend_probe *)0)->value <= TOPK_PROBE_VALUE &&
                   sizeof((struct topk_backend_probe *)0)->detail <= TOPK_PROBE_DETAIL,
               "what a backend says fits");

uint32_t topk_loader_probe_count(struct topk_loaded *loaded)
{
    uint32_t count = 0;
    if ((loaded->info.flags & TOPK_BACKEND_PROBES) == 0) {
        return 0;
    }
    while (count < TOPK_PROBES_MAX && loaded->backend->probe_name(loaded->self, count) != NULL) {
        count++;
    }
    return count;
}

void topk_loader_probe_name(struct topk_loaded *loaded, uint32_t number, char name[TOPK_PROBE_NAME])
{
    const char *said = loaded->backend->probe_name(loaded->self, number);
    size_t length = 0;
    while (said != NULL && length + 1 < TOPK_PROBE_NAME && said[length] != 0) {
        name[length] = said[length];
        if (!topk_probe_name_valid(&said[length], 1)) {
            name[length] = '-';
        }
        length++;
    }
    name[length] = 0;
    if (length == 0) {
        snprintf(name, TOPK_PROBE_NAME, "probe-%" PRIu32, number);
    }
}

void topk_loader_probe(struct topk_loaded *loaded, uint32_t number, struct topk_probe *probe)
{
    struct topk_backend_probe said;
    memset(&said, 0, sizeof said);
    memset(probe, 0, sizeof *probe);
    topk_loader_probe_name(loaded, number, probe->name);
    loaded->backend->probe(loaded->self, number, &said);
    said.value[sizeof said.value - 1] = 0;
    said.detail[sizeof said.detail - 1] = 0;
    snprintf(probe->value, sizeof probe->value, "%s", said.value);
    if (said.verdict > TOPK_BACKEND_PROBE_FAILED) {
        probe->verdict = TOPK_PROBE_FAILED;
        snprintf(probe->detail, sizeof probe->detail,
                 "the backend answered with the unknown verdict %" PRIu32 ": %.400s", said.verdict,
                 said.detail);
        return;
    }
    probe->verdict = (enum topk_probe_verdict)said.verdict;
    snprintf(probe->detail, sizeof probe->detail, "%s", said.detail);
}

_Static_assert(TOPK_LOADER_PROBE_TEXT >= TOPK_PROBE_TEXT, "both texts fit");

void topk_loader_probes_print(struct topk_loaded *loaded, char text[TOPK_LOADER_PROBE_TEXT])
{
    const uint32_t count = topk_loader_probe_count(loaded);
    size_t used = (size_t)snprintf(text, TOPK_LOADER_PROBE_TEXT, "probes=");
    for (uint32_t i = 0; i < count; i++) {
        char name[TOPK_PROBE_NAME];
        topk_loader_probe_name(loaded, i, name);
        used += (size_t)snprintf(text + used, TOPK_LOADER_PROBE_TEXT - used, "%s%s",
                                 i == 0 ? "" : ",", name);
    }
}

void topk_loader_probe_print(struct topk_loaded *loaded, uint32_t number,
                             char text[TOPK_LOADER_PROBE_TEXT])
{
    struct topk_probe probe = {.verdict = TOPK_PROBE_FAILED, .detail = "there is no such probe"};
    if (number < topk_loader_probe_count(loaded)) {
        topk_loader_probe(loaded, number, &probe);
    }
    topk_probe_print(&probe, text);
}
