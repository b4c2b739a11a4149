/* The probes of a backend. What a plugin says of them may be anything. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

_Static_assert((int)TOPK_BACKEND_PROBE_OBSERVED == (int)TOPK_PROBE_OBSERVED &&
                   (int)TOPK_BACKEND_PROBE_VIOLATION == (int)TOPK_PROBE_VIOLATION &&
                   (int)TOPK_BACKEND_PROBE_UNSUPPORTED == (int)TOPK_PROBE_UNSUPPORTED &&
                   (int)TOPK_BACKEND_PROBE_FAILED == (int)TOPK_PROBE_FAILED,
               "the plugin interface and the reports have the same verdicts");
_Static_assert(sizeof((struct topk_backend_probe *)0)->value <= TOPK_PROBE_VALUE &&
                   sizeof((struct topk_backend_probe *)0)->detail <= TOPK_PROBE_DETAIL,
               "what a backend says fits");

uint32_t topk_host_probe_count(struct topk_host *host)
{
    uint32_t count = 0;
    if ((host->info.flags & TOPK_BACKEND_PROBES) == 0) {
        return 0;
    }
    while (count < TOPK_PROBES_MAX && host->backend->probe_name(host->self, count) != NULL) {
        count++;
    }
    return count;
}

void topk_host_probe_name(struct topk_host *host, uint32_t number, char name[TOPK_PROBE_NAME])
{
    const char *said = host->backend->probe_name(host->self, number);
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

void topk_host_probe(struct topk_host *host, uint32_t number, struct topk_probe *probe)
{
    struct topk_backend_probe said;
    memset(&said, 0, sizeof said);
    memset(probe, 0, sizeof *probe);
    topk_host_probe_name(host, number, probe->name);
    host->backend->probe(host->self, number, &said);
    said.value[sizeof said.value - 1] = 0;
    said.detail[sizeof said.detail - 1] = 0;
    snprintf(probe->value, sizeof probe->value, "%s", said.value);
    if (said.verdict > TOPK_BACKEND_PROBE_FAILED) {
        probe->verdict = TOPK_PROBE_FAILED;
        snprintf(probe->detail, sizeof probe->detail,
                 "the backend answered with verdict %" PRIu32 ", which is none: %.400s",
                 said.verdict, said.detail);
        return;
    }
    probe->verdict = (enum topk_probe_verdict)said.verdict;
    snprintf(probe->detail, sizeof probe->detail, "%s", said.detail);
}
