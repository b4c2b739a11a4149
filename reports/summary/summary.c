/* Gathers a run's summary from its log. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "summary_clauses.h"
#include "summary_group.h"

/* The texts of cases that passed are only kept if the texts of all cases together are no larger
 * than this. */
#define TEXTS_BYTES ((size_t)4 << 20)

static const char *const facet_names[] = {
#define FACET(name, text, title) text,
    TOPK_FACET_LIST(FACET)
#undef FACET
};

static const char *const facet_titles[] = {
#define FACET(name, text, title) title,
    TOPK_FACET_LIST(FACET)
#undef FACET
};

static const struct {
    enum topk_facet row, column;
} heats[] = {
#define HEAT(row, column) {TOPK_FACET_##row, TOPK_FACET_##column},
    TOPK_HEAT_LIST(HEAT)
#undef HEAT
};

const char *topk_facet_name(enum topk_facet facet)
{
    return facet_names[facet];
}

const char *topk_facet_title(enum topk_facet facet)
{
    return facet_titles[facet];
}

void topk_heat_facets(enum topk_heat heat, enum topk_facet *row, enum topk_facet *column)
{
    *row = heats[heat].row;
    *column = heats[heat].column;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct topk_summary *summary;
    struct topk_ids keys; /* the keys of groups */
    size_t text_bytes;    /* size of all texts that are kept */
    unsigned char *seen;  /* one bit per case number: it has a record */
    size_t seen_bytes;
    bool no_memory;
};

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct reading *reading = context;
    struct topk_summary *summary = reading->summary;
    summary->selected = header->cases;
    summary->seed = header->seed;
    summary->software = (header->backend.flags & TOPK_LOG_SOFTWARE_DEVICE) != 0;
    summary->judge = header->judge;
    summary->contract = header->contract;
    topk_gate_take(&summary->gate, header, summary->lookup->asks);
    summary->whole = header->selection_count == 0 && header->shards == 0 &&
                     header->level >= header->backend.level;
    summary->replay = strdup(header->replay);
    summary->profile = strdup(header->profile);
    summary->started = strdup(header->started);
    reading->no_memory = summary->replay == NULL || summary->profile == NULL ||
                         summary->started == NULL || !topk_facts_take(summary->facts, header);
    return !reading->no_memory;
}

/* ---- what is counted ------------------------------------------------------------------------- */

static unsigned time_bucket(uint64_t nanoseconds)
{
    unsigned bucket = 0;
    while (bucket + 1 < TOPK_TIME_BUCKETS && (double)nanoseconds >= topk_time_limit(bucket)) {
        bucket++;
    }
    return bucket;
}

static void count_heat(struct topk_summary *summary, const struct topk_log_record *record,
                       const struct topk_case_look *look)
{
    for (int i = 0; i < TOPK_HEAT_COUNT; i++) {
        struct topk_heat_cell *cell =
            &summary->heat[i][look->facets[heats[i].row]][look->facets[heats[i].column]];
        cell->cases++;
        cell->failures += topk_verdict_failure(record->verdict);
        cell->unsupported += record->verdict == TOPK_VERDICT_UNSUPPORTED;
    }
}

static bool count_time(struct topk_summary *summary, const struct topk_log_record *record,
                       struct topk_summary_row *row)
{
    uint64_t room = UINT64_MAX - summary->nanoseconds;
    row->time = (unsigned char)time_bucket(record->nanoseconds);
    summary->times[row->time]++;
    summary->nanoseconds += record->nanoseconds < room ? record->nanoseconds : room;
    size_t at = summary->slow_count;
    while (at > 0 && (summary->slowest[at - 1].nanoseconds < record->nanoseconds ||
                      (summary->slowest[at - 1].nanoseconds == record->nanoseconds &&
                       summary->slowest[at - 1].number > record->number))) {
        at--;
    }
    if (at == TOPK_SLOWEST) {
        return true;
    }
    if (summary->slow_count == TOPK_SLOWEST) {
        free(summary->slowest[--summary->slow_count].id);
    }
    memmove(&summary->slowest[at + 1], &summary->slowest[at],
            (summary->slow_count - at) * sizeof summary->slowest[0]);
    summary->slow_count++;
    summary->slowest[at] =
        (struct topk_slow){record->nanoseconds, record->number, strdup(record->id)};
    return summary->slowest[at].id != NULL;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool number_test(struct topk_summary *summary, const char *id, size_t length,
                        uint32_t *number)
{
    /* Test numbers have only a few bits, but there are only some hundred tests. */
    bool many = summary->tests.count >= TOPK_GROUPS_MAX;
    char *name = length == 0 ? strdup("case") : many ? strdup("others") : strndup(id, length);
    bool ok = name != NULL && topk_ids_number(&summary->tests, name, number);
    free(name);
    return ok;
}

/* Keeps the text of a case. Texts of cases that passed are kept in a separate pool, which is
 * dropped when all texts together become too large. */
static bool keep_text(struct reading *reading, const char *text, bool passed,
                      struct topk_summary_row *row)
{
    struct topk_summary *summary = reading->summary;
    reading->text_bytes += strlen(text) + 1;
    if (summary->passing_texts && reading->text_bytes > TEXTS_BYTES) {
        summary->passing_texts = false;
        topk_ids_free(&summary->passing);
    }
    if (passed && !summary->passing_texts) {
        return true;
    }
    struct topk_ids *pool = passed ? &summary->passing : &summary->texts;
    uint32_t number;
    if (!topk_ids_number(pool, text, &number)) {
        return false;
    }
    row->text = pool->texts[number];
    return true;
}

/* Duplicates of numbers above this are not detected. */
#define SEEN_MAX (UINT64_C(1) << 28)

/* Sets *fresh to whether a number occurs for the first time. Returns false if memory ran out. */
static bool look_up(struct reading *reading, uint64_t number, bool *fresh)
{
    *fresh = true;
    if (number >= SEEN_MAX) {
        return true;
    }
    size_t at = (size_t)(number / 8);
    if (at >= reading->seen_bytes) {
        size_t bytes = 2 * at + 4096;
        unsigned char *seen = realloc(reading->seen, bytes);
        if (seen == NULL) {
            return false;
        }
        memset(seen + reading->seen_bytes, 0, bytes - reading->seen_bytes);
        reading->seen = seen;
        reading->seen_bytes = bytes;
    }
    unsigned char bit = (unsigned char)(1u << number % 8);
    *fresh = (reading->seen[at] & bit) == 0;
    reading->seen[at] |= bit;
    return true;
}

static bool add_record(struct reading *reading, const struct topk_log_record *record)
{
    struct topk_summary *summary = reading->summary;
    struct topk_case_look look;
    struct topk_summary_row *row = topk_list_add(&summary->rows, &summary->row_count, sizeof *row);
    size_t length = topk_id_test_length(record->id);
    bool passed = record->verdict == TOPK_VERDICT_PASS;
    uint32_t group = 0;
    if (row == NULL || !number_test(summary, record->id, length, &row->test) ||
        !keep_text(reading, record->id + length + (length > 0), passed, row)) {
        return false;
    }
    summary->lookup->look(record->id, &look);
    topk_contract_clauses(&summary->contract, &look.clauses);
    topk_contract_clauses(&summary->contract, &look.maybe);
    row->number = record->number;
    memcpy(row->facets, look.facets, sizeof row->facets);
    row->n = (unsigned char)topk_size_class(look.n);
    row->k = (unsigned char)topk_size_class(look.k);
    summary->recorded++;
    summary->totals[record->verdict]++;
    topk_tested_add(&summary->tested, &summary->gate,
                    topk_gate_ask(&summary->gate, summary->lookup->asks, record->id),
                    record->verdict, record->clause, record->by_status, record->by_contract);
    summary->failures += topk_verdict_failure(record->verdict);
    if (record->again != NULL) {
        summary->again[record->again->kind]++;
    } else {
        summary->once += topk_verdict_failure(record->verdict);
    }
    topk_observations_count(summary->observations, record->observations);
    count_heat(summary, record, &look);
    if (!topk_sizes_add(&summary->sizes, look.n, look.k, record, summary->lookup->earlier)) {
        return false;
    }
    /* Failures are grouped later, once the bugs are known. */
    if (!passed && !topk_verdict_failure(record->verdict) &&
        !topk_summary_group(summary, &reading->keys, record, &look, &group)) {
        return false;
    }
    row->group = passed ? 0 : (uint16_t)(group + 1);
    return count_time(summary, record, row) && topk_summary_clauses(summary, record, &look, row);
}

static bool take_process(void *context, const struct topk_log_process *process)
{
    struct reading *reading = context;
    reading->summary->tested.ended[process->end]++;
    return true;
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct reading *reading = context;
    bool fresh;
    reading->no_memory =
        !look_up(reading, record->number, &fresh) || (fresh && !add_record(reading, record));
    return !reading->no_memory;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct reading *reading = context;
    reading->summary->complete = ending->complete;
    reading->summary->early = ending->early;
    return true;
}

static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct reading *reading = context;
    struct topk_summary *summary = reading->summary;
    size_t before = summary->probe_count;
    reading->no_memory = !topk_probes_keep(&summary->probes, &summary->probe_count, probe);
    summary->probe_findings +=
        summary->probe_count > before && topk_probe_verdict_finding(probe->verdict);
    return !reading->no_memory;
}

static bool take_log_part(void *context, const struct topk_log_part *part)
{
    struct reading *reading = context;
    reading->no_memory = !topk_log_parts_keep(&reading->summary->parts, part);
    return !reading->no_memory;
}

static bool take_shrunk(void *context, const struct topk_log_shrunk *shrunk)
{
    struct reading *reading = context;
    reading->no_memory = !topk_summary_shrunk_add(reading->summary, shrunk);
    return !reading->no_memory;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct topk_summary_row *x = a;
    const struct topk_summary_row *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_rows(struct topk_summary *summary)
{
    /* A single worker records cases in order, and qsort() would still move sorted rows. */
    bool sorted = true;
    for (size_t i = 1; i < summary->row_count; i++) {
        sorted = sorted && summary->rows[i - 1].number < summary->rows[i].number;
    }
    if (!sorted) {
        qsort(summary->rows, summary->row_count, sizeof *summary->rows, by_number);
    }
}

/* Groups a failure, once the bugs are known. */
static bool take_failure(void *context, const struct topk_log_record *record)
{
    struct reading *reading = context;
    struct topk_summary *summary = reading->summary;
    struct topk_case_look look;
    bool fresh;
    uint32_t group;
    reading->no_memory = !look_up(reading, record->number, &fresh);
    if (reading->no_memory || !fresh || !topk_verdict_failure(record->verdict)) {
        return !reading->no_memory;
    }
    const struct topk_summary_row key = {.number = record->number};
    struct topk_summary_row *row =
        bsearch(&key, summary->rows, summary->row_count, sizeof *summary->rows, by_number);
    summary->lookup->look(record->id, &look);
    reading->no_memory = !topk_summary_group(summary, &reading->keys, record, &look, &group);
    if (row != NULL && !reading->no_memory) {
        row->group = (uint16_t)(group + 1);
    }
    return !reading->no_memory;
}

/* Reads the log again: first for what failures have in common, then for which group each belongs
 * to. */
static int read_failures(struct reading *reading, const struct topk_log_source *source, char *error,
                         size_t error_bytes)
{
    const struct topk_log_reader reader = {.context = reading, .record = take_failure};
    const int status = topk_entries_read(&reading->summary->entries, source, error, error_bytes);
    if (reading->seen != NULL) {
        memset(reading->seen, 0, reading->seen_bytes);
    }
    return status < 0 ? status : topk_log_read_source(source, &reader, error, error_bytes);
}

static bool finish(struct topk_summary *summary)
{
    for (size_t i = 0; !summary->passing_texts && i < summary->row_count; i++) {
        if (summary->rows[i].group == 0) {
            summary->rows[i].text = NULL; /* the pool was dropped after this text was stored */
        }
    }
    topk_summary_shrunk_finish(summary);
    return topk_summary_groups_finish(summary);
}

int topk_summary_read(struct topk_summary *summary, const struct topk_case_lookup *lookup,
                      const struct topk_log_source *source, char *error, size_t error_bytes)
{
    memset(summary, 0, sizeof *summary);
    summary->lookup = lookup;
    summary->passing_texts = true;
    struct reading reading = {.summary = summary};
    const struct topk_log_reader reader = {.context = &reading,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe,
                                           .shrunk = take_shrunk,
                                           .process = take_process,
                                           .part = take_log_part};
    int status = topk_log_read_source(source, &reader, error, error_bytes);
    sort_rows(summary);
    if (status >= 0 && !reading.no_memory && summary->failures > 0) {
        status = read_failures(&reading, source, error, error_bytes);
    }
    topk_ids_free(&reading.keys);
    free(reading.seen);
    if (reading.no_memory || !finish(summary)) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot read %s: out of memory", source->path);
        return -1;
    }
    summary->cut = status == 1;
    return summary->started == NULL ? -1 : status;
}

void topk_summary_free(struct topk_summary *summary)
{
    topk_summary_groups_free(summary);
    topk_entries_free(&summary->entries);
    topk_summary_shrunk_free(summary);
    topk_facts_free(summary->facts);
    for (size_t i = 0; i < summary->slow_count; i++) {
        free(summary->slowest[i].id);
    }
    free(summary->started);
    free(summary->replay);
    free(summary->profile);
    free(summary->probes);
    topk_log_parts_free(&summary->parts);
    free(summary->rows);
    free(summary->by_test);
    topk_sizes_free(&summary->sizes);
    topk_ids_free(&summary->tests);
    topk_ids_free(&summary->clause_sets);
    topk_ids_free(&summary->texts);
    topk_ids_free(&summary->passing);
    memset(summary, 0, sizeof *summary);
}
