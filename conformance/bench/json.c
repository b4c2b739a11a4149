/* The report as one JSON object; reports/schema/bench.def lists its members. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "log/log.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_real(struct topk_object *object, const char *key, double number)
{
    topk_object_put(object, key, json_real(number));
}

static json_t *figure_json(const struct topk_bench_figure *figure)
{
    struct topk_object object = topk_object_new();
    put_real(&object, "median", figure->median);
    put_real(&object, "least", figure->least);
    put_real(&object, "greatest", figure->greatest);
    return topk_object_take(&object);
}

static json_t *party_json(const struct topk_bench_party *party)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "name", party->name);
    topk_object_flag(&object, "open", party->open);
    topk_object_text(&object, "version", party->version);
    topk_object_text(&object, "about", party->about);
    return topk_object_take(&object);
}

static json_t *machine_json(const struct topk_bench_machine *machine)
{
    struct topk_object object = topk_object_new();
    put_real(&object, "read", machine->read);
    put_real(&object, "copy", machine->copy);
    put_real(&object, "strided", machine->strided);
    return topk_object_take(&object);
}

static json_t *peers_json(const struct topk_bench_report *report, const struct topk_bench_row *row)
{
    struct topk_array array = topk_array_new();
    for (uint32_t i = 0; i < report->peer_count; i++) {
        if (row->peers[i].measured) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "peer", report->peers[i].name);
            topk_object_put(&object, "time", figure_json(&row->peers[i]));
            put_real(&object, "ratio", row->peers[i].ratio);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

static json_t *row_json(const struct topk_bench_report *report, const struct topk_bench_row *row)
{
    struct topk_object object = topk_object_new();
    char type[TOPK_TYPE_TEXT];
    topk_type_print(row->type, type);
    topk_object_text(&object, "subject", topk_bench_subject_word(row->subject));
    topk_object_text(&object, "type", type);
    topk_object_number(&object, "n", row->n);
    topk_object_number(&object, "k", row->k);
    topk_object_number(&object, "stride", row->stride);
    topk_object_number(&object, "sequences", row->sequences);
    topk_object_put(&object, "limit", figure_json(&row->limit));
    topk_object_put(&object, "time", figure_json(&row->work));
    put_real(&object, "ratio", row->work.ratio);
    if (row->bare.measured) {
        topk_object_put(&object, "bare", figure_json(&row->bare));
        put_real(&object, "bare-ratio", row->bare.ratio);
    }
    topk_object_put(&object, "peers", peers_json(report, row));
    return topk_object_take(&object);
}

bool topk_bench_write(FILE *out, const struct topk_bench_report *report)
{
    struct topk_object object = topk_object_new();
    struct topk_array peers = topk_array_new();
    struct topk_array rows = topk_array_new();
    struct topk_array notes = topk_array_new();
    topk_object_number(&object, "format", TOPK_BENCH_FORMAT);
    topk_object_text(&object, "suite", report->suite);
    topk_object_text(&object, "started", report->started);
    topk_object_text(&object, "processor", report->processor);
    topk_object_number(&object, "processors", report->processors);
    topk_object_number(&object, "first", report->first);
    topk_object_flag(&object, "processor-time", report->processor_time);
    topk_object_number(&object, "buffers", report->buffers);
    topk_object_number(&object, "cache", report->cache);
    topk_object_number(&object, "runs", report->runs);
    topk_object_flag(&object, "quick", report->quick);
    topk_object_put(&object, "machine", machine_json(&report->machine));
    topk_object_put(&object, "backend", party_json(&report->backend));
    for (uint32_t i = 0; i < report->peer_count; i++) {
        topk_array_add(&peers, party_json(&report->peers[i]));
    }
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (report->rows[i].work.measured) {
            topk_array_add(&rows, row_json(report, &report->rows[i]));
        }
    }
    for (uint32_t i = 0; i < report->note_count; i++) {
        topk_array_add(&notes, topk_text_json(report->notes[i]));
    }
    topk_object_put(&object, "peers", topk_array_take(&peers));
    topk_object_put(&object, "rows", topk_array_take(&rows));
    topk_object_put(&object, "notes", topk_array_take(&notes));
    json_t *json = topk_object_take(&object);
    char *text =
        json == NULL ? NULL : topk_json_text(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(json);
    if (text != NULL) {
        fprintf(out, "%s\n", text);
    }
    free(text);
    return text != NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* State of reading, with the first error. */
struct reader {
    char *error;
    size_t error_bytes;
    bool wrong;
    char where[64]; /* path prefix of the member, such as "rows[3]." */
};

static void complain(struct reader *reader, const char *member, const char *what)
{
    if (!reader->wrong) {
        snprintf(reader->error, reader->error_bytes, "%s%s %s", reader->where, member, what);
    }
    reader->wrong = true;
}

static void take_text(struct reader *reader, const json_t *object, const char *member, char *text,
                      size_t bytes)
{
    const char *value = json_string_value(json_object_get(object, member));
    if (value == NULL) {
        complain(reader, member, "is missing or not text");
    } else {
        snprintf(text, bytes, "%s", value);
    }
}

static bool take_flag(struct reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_boolean(value)) {
        complain(reader, member, "is missing, or is neither true nor false");
    }
    return json_is_true(value);
}

static uint64_t take_number(struct reader *reader, const json_t *object, const char *member,
                            uint64_t least, uint64_t most)
{
    const json_t *value = json_object_get(object, member);
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < least ||
        (uint64_t)number > most) {
        complain(reader, member, "is missing or out of range");
        return least;
    }
    return (uint64_t)number;
}

static double take_real(struct reader *reader, const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number > 0)) {
        complain(reader, member, "is missing, or not a number above 0");
    }
    return number;
}

static struct topk_bench_figure take_figure(struct reader *reader, const json_t *object,
                                            const char *member)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_object(value)) {
        complain(reader, member, "is missing or not an object");
        return (struct topk_bench_figure){.measured = false};
    }
    return (struct topk_bench_figure){.measured = true,
                                      .median = take_real(reader, value, "median"),
                                      .least = take_real(reader, value, "least"),
                                      .greatest = take_real(reader, value, "greatest")};
}

static void take_party(struct reader *reader, const json_t *object, struct topk_bench_party *party)
{
    party->open = take_flag(reader, object, "open");
    take_text(reader, object, "name", party->name, sizeof party->name);
    take_text(reader, object, "version", party->version, sizeof party->version);
    take_text(reader, object, "about", party->about, sizeof party->about);
}

static void take_peers(struct reader *reader, const json_t *array,
                       const struct topk_bench_report *report, struct topk_bench_row *row)
{
    size_t at;
    const json_t *object;
    if (!json_is_array(array)) {
        complain(reader, "peers", "is missing or not a list");
    }
    json_array_foreach(array, at, object)
    {
        char name[TOPK_BENCH_TEXT] = "";
        uint32_t peer = 0;
        take_text(reader, object, "peer", name, sizeof name);
        while (peer < report->peer_count && strcmp(report->peers[peer].name, name) != 0) {
            peer++;
        }
        if (peer == report->peer_count) {
            complain(reader, "peers", "has one that is not among all peers");
            return;
        }
        row->peers[peer] = take_figure(reader, object, "time");
        row->peers[peer].ratio = take_real(reader, object, "ratio");
    }
}

static void take_row(struct reader *reader, const json_t *object,
                     const struct topk_bench_report *report, struct topk_bench_row *row)
{
    char subject[16] = "";
    char type[TOPK_TYPE_TEXT] = "";
    size_t length = 0;
    int which = 0;
    take_text(reader, object, "subject", subject, sizeof subject);
    while (which < TOPK_BENCH_SUBJECTS &&
           strcmp(topk_bench_subject_word((enum topk_bench_subject)which), subject) != 0) {
        which++;
    }
    if (which == TOPK_BENCH_SUBJECTS) {
        complain(reader, "subject", "is unknown");
    }
    row->subject = (enum topk_bench_subject)which;
    take_text(reader, object, "type", type, sizeof type);
    if (!topk_type_parse(type, &row->type, &length) || type[length] != 0 ||
        !topk_type_known(row->type)) {
        complain(reader, "type", "is unknown");
    }
    row->n = (uint32_t)take_number(reader, object, "n", 1, UINT32_MAX);
    row->k = (uint32_t)take_number(reader, object, "k", 1, row->n);
    row->stride = (uint32_t)take_number(reader, object, "stride", 1, UINT32_MAX);
    row->sequences = take_number(reader, object, "sequences", 1, UINT32_MAX);
    row->limit = take_figure(reader, object, "limit");
    row->work = take_figure(reader, object, "time");
    row->work.ratio = take_real(reader, object, "ratio");
    if (json_object_get(object, "bare") != NULL) {
        row->bare = take_figure(reader, object, "bare");
        row->bare.ratio = take_real(reader, object, "bare-ratio");
    }
    take_peers(reader, json_object_get(object, "peers"), report, row);
}

static void take_rows(struct reader *reader, const json_t *array, struct topk_bench_report *report)
{
    size_t at;
    const json_t *object;
    const size_t count = json_array_size(array);
    report->rows = calloc(count + 1, sizeof *report->rows);
    if (!json_is_array(array) || report->rows == NULL) {
        complain(reader, "rows",
                 report->rows == NULL ? "need more memory" : "is missing or not a list");
        return;
    }
    json_array_foreach(array, at, object)
    {
        snprintf(reader->where, sizeof reader->where, "rows[%zu].", at);
        take_row(reader, object, report, &report->rows[report->row_count++]);
    }
    reader->where[0] = 0;
}

static void take_lists(struct reader *reader, const json_t *json, struct topk_bench_report *report)
{
    size_t at;
    const json_t *item;
    const json_t *peers = json_object_get(json, "peers");
    const json_t *notes = json_object_get(json, "notes");
    if (!json_is_array(peers) || json_array_size(peers) > TOPK_BENCH_PEERS) {
        complain(reader, "peers", "is missing, not a list, or too long");
        return;
    }
    json_array_foreach(peers, at, item)
    {
        snprintf(reader->where, sizeof reader->where, "peers[%zu].", at);
        take_party(reader, item, &report->peers[report->peer_count++]);
    }
    reader->where[0] = 0;
    take_rows(reader, json_object_get(json, "rows"), report);
    report->notes = calloc(json_array_size(notes) + 1, sizeof *report->notes);
    if (!json_is_array(notes) || report->notes == NULL) {
        complain(reader, "notes", "is missing or not a list");
        return;
    }
    json_array_foreach(notes, at, item)
    {
        const char *text = json_string_value(item);
        snprintf(report->notes[report->note_count++], sizeof report->notes[0], "%s",
                 text == NULL ? "" : text);
    }
}

static void take_report(struct reader *reader, const json_t *json, struct topk_bench_report *report)
{
    const json_t *machine = json_object_get(json, "machine");
    const uint64_t format = take_number(reader, json, "format", 1, UINT32_MAX);
    if (format > TOPK_BENCH_FORMAT) {
        complain(reader, "format", "is newer than this topk-cts knows");
        return;
    }
    take_text(reader, json, "suite", report->suite, sizeof report->suite);
    take_text(reader, json, "started", report->started, sizeof report->started);
    take_text(reader, json, "processor", report->processor, sizeof report->processor);
    report->processors = (uint32_t)take_number(reader, json, "processors", 0, UINT32_MAX);
    report->first = (uint32_t)take_number(reader, json, "first", 0, UINT32_MAX);
    report->processor_time = take_flag(reader, json, "processor-time");
    report->buffers = take_number(reader, json, "buffers", 1, INT64_MAX);
    report->cache = take_number(reader, json, "cache", 0, INT64_MAX);
    report->runs = (uint32_t)take_number(reader, json, "runs", 1, TOPK_BENCH_RUNS);
    report->quick = take_flag(reader, json, "quick");
    snprintf(reader->where, sizeof reader->where, "machine.");
    report->machine = (struct topk_bench_machine){.read = take_real(reader, machine, "read"),
                                                  .copy = take_real(reader, machine, "copy"),
                                                  .strided = take_real(reader, machine, "strided")};
    snprintf(reader->where, sizeof reader->where, "backend.");
    take_party(reader, json_object_get(json, "backend"), &report->backend);
    reader->where[0] = 0;
    take_lists(reader, json, report);
}

bool topk_bench_read(const char *text, size_t length, struct topk_bench_report *report, char *error,
                     size_t error_bytes)
{
    json_error_t reason;
    struct reader reader = {.error = error, .error_bytes = error_bytes};
    bool large;
    topk_memory_watch();
    json_t *json = topk_json_read(text, length, &reason, &large);
    *report = (struct topk_bench_report){.rows = NULL};
    if (!json_is_object(json)) {
        snprintf(error, error_bytes, "line %d: it is not a JSON object of topk-cts bench: %.120s",
                 json == NULL ? reason.line : 1,
                 large          ? "there are too many values"
                 : json == NULL ? reason.text
                                : "");
        json_decref(json);
        return false;
    }
    take_report(&reader, json, report);
    json_decref(json);
    if (reader.wrong) {
        topk_bench_free(report);
    }
    return !reader.wrong;
}
