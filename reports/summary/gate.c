/* Checks the requirements (gates) of a run. */
#include "gate.h"

#include <inttypes.h>
#include <string.h>

#include "expectations/expectations.h"
#include "tested.h"

/* how many words a sentence names; the rest are only counted */
#define NAMED 4

void topk_gate_print(const struct topk_log_gate *gate, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < gate->require_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "--require " : ",",
                                 gate->require[i]);
    }
    if (gate->has_least && used < size) {
        used += (size_t)snprintf(text + used, size - used, "%s--min-supported %" PRIu32,
                                 used == 0 ? "" : " ", gate->least);
    }
    if (gate->has_unclean && used < size) {
        used += (size_t)snprintf(text + used, size - used, "%s--max-unclean %" PRIu32,
                                 used == 0 ? "" : " ", gate->unclean);
    }
    if (gate->has_restarts && used < size) {
        used += (size_t)snprintf(text + used, size - used, "%s--max-restarts %" PRIu32,
                                 used == 0 ? "" : " ", gate->restarts);
    }
    if (gate->allow_expired && used < size) {
        snprintf(text + used, size - used, "%s--allow-expired", used == 0 ? "" : " ");
    }
}

/* Counts the expired rules of a run. There are none if the run's rules were not read, or if it was
 * recorded when expired rules were still allowed. */
static size_t count_expired(const struct topk_log_header *header)
{
    struct topk_expectations rules;
    char ignored[256];
    size_t expired = 0;
    const char *text = header->expectations == NULL ? "" : header->expectations;
    if (header->format == 1 || text[0] == 0) {
        return 0;
    }
    if (topk_expectations_parse(&rules, "", text, strlen(text), ignored, sizeof ignored)) {
        topk_expectations_start(&rules, header->backend.name, header->backend.version,
                                header->backend.driver, header->started);
        expired = topk_expectations_expired(&rules);
    }
    topk_expectations_free(&rules);
    return expired;
}

void topk_gate_take(struct topk_gate *gate, const struct topk_log_header *header,
                    const struct topk_asks *asks)
{
    const struct topk_log_gate *from = &header->gate;
    const bool whole = header->selection_count == 0 && header->level >= header->backend.level;
    memset(gate, 0, sizeof *gate);
    gate->expired = from->allow_expired ? 0 : count_expired(header);
    gate->unclean = from->has_unclean ? from->unclean : TOPK_GATE_UNCLEAN;
    gate->restarts = from->has_restarts ? from->restarts : TOPK_GATE_RESTARTS;
    if (header->shards > 0) {
        return;
    }
    gate->given = from->has_least || from->require_count > 0;
    gate->least = from->has_least ? from->least : whole ? TOPK_GATE_LEAST : 0;
    gate->count = from->require_count;
    for (size_t i = 0; i < gate->count; i++) {
        snprintf(gate->words[i], sizeof gate->words[i], "%s", from->require[i]);
        gate->kinds[i] = asks->kind(gate->words[i]);
    }
}

uint64_t topk_gate_ask(const struct topk_gate *gate, const struct topk_asks *asks, const char *id)
{
    return asks->ask(id, gate->kinds, gate->count);
}

bool topk_gate_enough(const struct topk_gate *gate, const struct topk_tested *tested,
                      const uint64_t totals[TOPK_VERDICT_COUNT])
{
    const struct topk_share share = topk_share_of(tested, totals);
    return gate == NULL || topk_share_percent(&share) >= gate->least;
}

static bool serves(const struct topk_required *required)
{
    return required->cases > 0 && required->lacking == 0;
}

bool topk_gate_required(const struct topk_gate *gate, const struct topk_tested *tested)
{
    bool all = true;
    for (size_t i = 0; gate != NULL && i < gate->count; i++) {
        all = all && serves(&tested->required[i]);
    }
    return all;
}

bool topk_gate_clean(const struct topk_gate *gate, const struct topk_tested *tested)
{
    return topk_tested_unclean(tested) <= (gate == NULL ? TOPK_GATE_UNCLEAN : gate->unclean);
}

bool topk_gate_steady(const struct topk_gate *gate, const struct topk_tested *tested)
{
    return tested->ended[TOPK_PROCESS_OUTSIDE] <=
           (gate == NULL ? TOPK_GATE_RESTARTS : gate->restarts);
}

bool topk_gate_lasts(const struct topk_gate *gate)
{
    return gate == NULL || gate->expired == 0;
}

void topk_gate_sentence(const struct topk_gate *gate, const struct topk_tested *tested,
                        const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size)
{
    size_t used = 0;
    size_t unnamed = 0;
    size_t named = 0;
    text[0] = 0;
    if (!topk_gate_lasts(gate)) {
        const bool one = gate->expired == 1;
        used += (size_t)snprintf(text, size, "%zu rule%s of the expectations %s expired",
                                 gate->expired, one ? "" : "s", one ? "is" : "are");
    }
    if (!topk_gate_clean(gate, tested) && used < size) {
        used += (size_t)snprintf(text + used, size - used,
                                 "%s%" PRIu64 " process%s did not end well, and --max-unclean is "
                                 "%" PRIu32,
                                 used == 0 ? "" : "; ", topk_tested_unclean(tested),
                                 topk_tested_unclean(tested) == 1 ? "" : "es",
                                 gate == NULL ? TOPK_GATE_UNCLEAN : gate->unclean);
    }
    if (!topk_gate_steady(gate, tested) && used < size) {
        used += (size_t)snprintf(
            text + used, size - used,
            "%s%" PRIu64 " processes were ended from outside, and --max-restarts is %" PRIu32,
            used == 0 ? "" : "; ", tested->ended[TOPK_PROCESS_OUTSIDE],
            gate == NULL ? TOPK_GATE_RESTARTS : gate->restarts);
    }
    if (gate == NULL || (!gate->given && topk_tested_nothing(tested, totals))) {
        return;
    }
    for (size_t i = 0; i < gate->count; i++) {
        const struct topk_required *required = &tested->required[i];
        if (serves(required)) {
            continue;
        }
        if (named == NAMED || used >= size) {
            unnamed++;
            continue;
        }
        const char *before = used == 0 ? "" : "; ";
        named++;
        if (required->cases == 0) {
            used += (size_t)snprintf(text + used, size - used,
                                     "%s%s is required, and no case asks for it", before,
                                     gate->words[i]);
        } else {
            used += (size_t)snprintf(text + used, size - used,
                                     "%s%s is required, and %" PRIu64 " of its %" PRIu64
                                     " cases are not served",
                                     before, gate->words[i], required->lacking, required->cases);
        }
    }
    if (unnamed > 0 && used < size) {
        used +=
            (size_t)snprintf(text + used, size - used, "; %zu more are not served either", unnamed);
    }
    if (!topk_gate_enough(gate, tested, totals) && used < size) {
        snprintf(text + used, size - used, "%s--min-supported is %" PRIu32 " %%",
                 used == 0 ? "" : "; ", gate->least);
    }
}
