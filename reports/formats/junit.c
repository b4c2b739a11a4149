/* JUnit XML from a result log. The log is read once: its cases come in any order of groups, and an
 * element's counts stand before what it counts; so each group's part is written to memory, and the
 * whole put together at the end. */
#define _POSIX_C_SOURCE 200809L /* open_memstream, strndup */

#include "junit.h"

#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

/* ---- XML ------------------------------------------------------------------------------------- */

/* A writer. Once a call failed (memory is short) it stays failed; so only the end is asked. */
struct xml {
    xmlTextWriterPtr writer;
    bool ok;
};

static void xml_begin(struct xml *xml, const char *element)
{
    xml->ok = xml->ok && xmlTextWriterStartElement(xml->writer, BAD_CAST element) >= 0;
}

static void xml_end(struct xml *xml)
{
    xml->ok = xml->ok && xmlTextWriterEndElement(xml->writer) >= 0;
}

static void xml_attribute(struct xml *xml, const char *name, const char *text)
{
    char *clean = topk_text_xml(text);
    xml->ok = xml->ok && clean != NULL &&
              xmlTextWriterWriteAttribute(xml->writer, BAD_CAST name, BAD_CAST clean) >= 0;
    free(clean);
}

static void xml_number(struct xml *xml, const char *name, uint64_t number)
{
    char text[21];
    snprintf(text, sizeof text, "%" PRIu64, number);
    xml_attribute(xml, name, text);
}

/* seconds by whole numbers: no locale has a say in the point */
static void xml_seconds(struct xml *xml, const char *name, uint64_t nanoseconds)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, nanoseconds / 1000000000,
             nanoseconds % 1000000000);
    xml_attribute(xml, name, text);
}

static void xml_text(struct xml *xml, const char *text)
{
    char *clean = topk_text_xml(text);
    xml->ok =
        xml->ok && clean != NULL && xmlTextWriterWriteString(xml->writer, BAD_CAST clean) >= 0;
    free(clean);
}

/* a part of a document in memory */
struct fragment {
    struct xml xml;
    xmlBufferPtr buffer;
};

static bool fragment_open(struct fragment *fragment)
{
    fragment->buffer = xmlBufferCreate();
    fragment->xml.writer =
        fragment->buffer == NULL ? NULL : xmlNewTextWriterMemory(fragment->buffer, 0);
    fragment->xml.ok = fragment->xml.writer != NULL;
    if (fragment->xml.ok) {
        xmlBufferSetAllocationScheme(fragment->buffer, XML_BUFFER_ALLOC_DOUBLEIT);
        xmlTextWriterSetIndent(fragment->xml.writer, 1);
    }
    return fragment->xml.ok;
}

static void fragment_free(struct fragment *fragment)
{
    if (fragment->xml.writer != NULL) {
        xmlFreeTextWriter(fragment->xml.writer);
    }
    if (fragment->buffer != NULL) {
        xmlBufferFree(fragment->buffer);
    }
}

/* puts a fragment into an element that is open */
static void xml_fragment(struct xml *xml, struct fragment *fragment)
{
    xml->ok = xml->ok && fragment->xml.ok && xmlTextWriterFlush(fragment->xml.writer) >= 0;
    int length = xmlBufferLength(fragment->buffer); /* wraps to below 0 from 2 GiB */
    xml->ok =
        xml->ok && length >= 0 &&
        xmlTextWriterWriteRawLen(xml->writer, xmlBufferContent(fragment->buffer), length) >= 0;
}

/* ---- what a verdict is in JUnit -------------------------------------------------------------- */

enum outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILURE,
    OUTCOME_ERROR,
    OUTCOME_SKIPPED,
    OUTCOME_COUNT
};

/* element of a testcase and attribute of a suite */
static const struct {
    const char *element;
    const char *count;
} outcomes[OUTCOME_COUNT] = {
    [OUTCOME_PASSED] = {NULL, NULL},
    [OUTCOME_FAILURE] = {"failure", "failures"},
    [OUTCOME_ERROR] = {"error", "errors"},
    [OUTCOME_SKIPPED] = {"skipped", "skipped"},
};

static enum outcome outcome_of(enum topk_verdict verdict)
{
    switch (verdict) {
    case TOPK_VERDICT_PASS:
    case TOPK_VERDICT_UNEXPECTED_PASS:
        return OUTCOME_PASSED;
    case TOPK_VERDICT_UNSUPPORTED:
    case TOPK_VERDICT_EXPECTED_FAIL: /* as test frameworks show what is expected to fail */
        return OUTCOME_SKIPPED;
    case TOPK_VERDICT_FAIL:
    case TOPK_VERDICT_REFUSED:
    case TOPK_VERDICT_ACCEPTED:
    case TOPK_VERDICT_FLAKY:
        return OUTCOME_FAILURE;
    case TOPK_VERDICT_CRASH:
    case TOPK_VERDICT_TIMEOUT:
    case TOPK_VERDICT_DEVICE_LOST:
    case TOPK_VERDICT_HARNESS_ERROR:
    case TOPK_VERDICT_COUNT:
        break;
    }
    return OUTCOME_ERROR;
}

struct counts {
    uint64_t tests;
    uint64_t by_outcome[OUTCOME_COUNT];
    uint64_t nanoseconds; /* UINT64_MAX: that many or more */
};

static void count(struct counts *counts, enum outcome outcome, uint64_t nanoseconds)
{
    uint64_t room = UINT64_MAX - counts->nanoseconds;
    counts->tests++;
    counts->by_outcome[outcome]++;
    counts->nanoseconds += nanoseconds < room ? nanoseconds : room;
}

static void xml_counts(struct xml *xml, const struct counts *counts)
{
    xml_number(xml, "tests", counts->tests);
    for (int i = OUTCOME_FAILURE; i < OUTCOME_COUNT; i++) {
        xml_number(xml, outcomes[i].count, counts->by_outcome[i]);
    }
    xml_seconds(xml, "time", counts->nanoseconds);
}

/* ---- suites ---------------------------------------------------------------------------------- */

struct suite {
    char *name;
    struct counts counts;
    struct fragment cases;
};

struct junit {
    struct suite *suites; /* in the order of their first case */
    size_t suite_count;
    size_t suite_room;
    struct counts counts;
    struct fragment properties; /* of every suite */
    char *replay;
    uint64_t selected; /* cases of the run, by its header */
    uint64_t recorded; /* of them have a record */
    bool complete;     /* by its end record */
    bool failed;       /* memory was short */
};

static struct suite *suite_add(struct junit *junit, const char *name, size_t length)
{
    if (junit->suite_count == junit->suite_room) {
        size_t room = 2 * junit->suite_room + 16;
        struct suite *suites = realloc(junit->suites, room * sizeof *suites);
        if (suites == NULL) {
            return NULL;
        }
        junit->suites = suites;
        junit->suite_room = room;
    }
    struct suite *suite = &junit->suites[junit->suite_count];
    memset(suite, 0, sizeof *suite);
    suite->name = strndup(name, length);
    if (suite->name == NULL || !fragment_open(&suite->cases)) {
        fragment_free(&suite->cases);
        free(suite->name);
        return NULL;
    }
    junit->suite_count++;
    return suite;
}

/* The suite of a name; NULL if memory is short. The last one is the likely one. */
static struct suite *suite_of(struct junit *junit, const char *name, size_t length)
{
    for (size_t i = junit->suite_count; i > 0; i--) {
        struct suite *suite = &junit->suites[i - 1];
        if (strlen(suite->name) == length && memcmp(suite->name, name, length) == 0) {
            return suite;
        }
    }
    return suite_add(junit, name, length);
}

/* an id, "group.name:case", in its parts; one without a name is of group and class "case" */
struct id_parts {
    const char *group; /* group_length characters */
    size_t group_length;
    const char *class_name; /* class_length characters: group and name */
    size_t class_length;
    const char *text; /* the case */
};

static struct id_parts id_split(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    if (length == 0 || id[length] != ':') {
        return (struct id_parts){"case", 4, "case", 4, id};
    }
    const char *dot = memchr(id, '.', length);
    return (struct id_parts){id, dot == NULL ? length : (size_t)(dot - id), id, length,
                             id + length + 1};
}

/* ---- what is said about a case --------------------------------------------------------------- */

/* Makes a text by print(); NULL if memory is short. The caller frees it. */
static char *printed(const struct junit *junit, const struct topk_log_record *record,
                     void (*print)(FILE *out, const struct junit *junit,
                                   const struct topk_log_record *record))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    print(out, junit, record);
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* one line */
static void print_message(FILE *out, const struct junit *junit,
                          const struct topk_log_record *record)
{
    (void)junit;
    if (record->cause[0] != 0) {
        fprintf(out, "%s: %s", topk_clause_id(record->clause), record->cause);
        return;
    }
    if (record->finding_count > 0) {
        const struct topk_log_finding *finding = &record->findings[0];
        fprintf(out, "%s at %s: %s", topk_clause_id(finding->clause), finding->place,
                finding->sentence);
        return;
    }
    if (record->clause != TOPK_CLAUSE_NONE) {
        fprintf(out, "%s: ", topk_clause_id(record->clause));
    }
    if (record->reason[0] != 0) {
        fputs(record->reason, out);
    } else if (record->clause != TOPK_CLAUSE_NONE) {
        fputs(topk_clause_row(record->clause)->sentence, out);
    } else {
        fputs(topk_verdict_word(record->verdict), out);
    }
}

static void print_clause(FILE *out, enum topk_clause clause)
{
    if (clause != TOPK_CLAUSE_NONE) {
        const struct topk_clause_row *row = topk_clause_row(clause);
        fprintf(out, "%s (%s): %s\n", row->id, topk_grade_name(row->grade), row->sentence);
    }
}

static void print_findings(FILE *out, const struct topk_log_record *record)
{
    for (size_t i = 0; i < record->finding_count; i++) {
        const struct topk_log_finding *finding = &record->findings[i];
        print_clause(out, finding->clause);
        fprintf(out, "    %s: %s", finding->place, finding->sentence);
        if (finding->count > 1) {
            fprintf(out, "; in %" PRIu64 " places", finding->count);
        }
        fputc('\n', out);
    }
}

static void print_window(FILE *out, const struct topk_log_record *record)
{
    if (record->has_sequence) {
        fprintf(out, "first wrong output: sequence %" PRIu64 ", position %" PRIu32 "\n",
                record->sequence, record->position);
    }
    for (size_t i = 0; i < record->window_count; i++) {
        const struct topk_log_output *output = &record->window[i];
        fprintf(out, "    [%" PRIu64 "] value %s (%s), index %" PRIu64 "\n",
                (uint64_t)record->window_from + i, output->value, output->bits, output->index);
    }
}

static void print_body(FILE *out, const struct junit *junit, const struct topk_log_record *record)
{
    fprintf(out, "verdict: %s\n", topk_verdict_word(record->verdict));
    if (record->reason[0] != 0) {
        fprintf(out, "reason: %s\n", record->reason);
    }
    if (record->finding_count == 0 || record->cause[0] != 0) {
        print_clause(out, record->clause);
    }
    if (record->cause[0] != 0) {
        fprintf(out, "    what explains it all: %s\n", record->cause);
    }
    print_findings(out, record);
    print_window(out, record);
    char *id = topk_text_shell(record->id);
    if (id != NULL) {
        fprintf(out, "replay: %s %s\n", junit->replay, id);
    }
    free(id);
}

static void xml_outcome(struct xml *xml, const struct junit *junit,
                        const struct topk_log_record *record, enum outcome outcome)
{
    char *message = printed(junit, record, print_message);
    char *body = printed(junit, record, print_body);
    if (message == NULL || body == NULL) {
        xml->ok = false;
    } else {
        xml_begin(xml, outcomes[outcome].element);
        xml_attribute(xml, "message", message);
        xml_attribute(xml, "type", topk_verdict_word(record->verdict));
        xml_text(xml, body);
        xml_end(xml);
    }
    free(message);
    free(body);
}

static void xml_case(struct xml *xml, const struct junit *junit, const struct id_parts *id,
                     const struct topk_log_record *record, enum outcome outcome)
{
    char *class_name = strndup(id->class_name, id->class_length);
    if (class_name == NULL) {
        xml->ok = false;
        return;
    }
    xml_begin(xml, "testcase");
    xml_attribute(xml, "classname", class_name);
    xml_attribute(xml, "name", id->text);
    xml_seconds(xml, "time", record->nanoseconds);
    if (outcome != OUTCOME_PASSED) {
        xml_outcome(xml, junit, record, outcome);
    }
    xml_end(xml);
    free(class_name);
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct junit *junit = context;
    struct id_parts id = id_split(record->id);
    struct suite *suite = suite_of(junit, id.group, id.group_length);
    if (suite == NULL) {
        junit->failed = true;
        return false;
    }
    junit->recorded++;
    enum outcome outcome = outcome_of(record->verdict);
    count(&suite->counts, outcome, record->nanoseconds);
    count(&junit->counts, outcome, record->nanoseconds);
    xml_case(&suite->cases.xml, junit, &id, record, outcome);
    junit->failed = !suite->cases.xml.ok;
    return suite->cases.xml.ok;
}

/* ---- what is said about a probe -------------------------------------------------------------- */

static enum outcome probe_outcome(enum topk_probe_verdict verdict)
{
    switch (verdict) {
    case TOPK_PROBE_OBSERVED:
        return OUTCOME_PASSED;
    case TOPK_PROBE_VIOLATION:
        return OUTCOME_FAILURE;
    case TOPK_PROBE_UNSUPPORTED:
        return OUTCOME_SKIPPED;
    default:
        return OUTCOME_ERROR;
    }
}

static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct junit *junit = context;
    struct suite *suite = suite_of(junit, "probe", 5);
    const enum outcome outcome = probe_outcome(probe->verdict);
    if (suite == NULL) {
        junit->failed = true;
        return false;
    }
    count(&suite->counts, outcome, 0);
    count(&junit->counts, outcome, 0);
    struct xml *xml = &suite->cases.xml;
    xml_begin(xml, "testcase");
    xml_attribute(xml, "classname", "probe");
    xml_attribute(xml, "name", probe->name);
    xml_seconds(xml, "time", 0);
    if (outcome != OUTCOME_PASSED) {
        xml_begin(xml, outcomes[outcome].element);
        xml_attribute(xml, "message", probe->value);
        xml_attribute(xml, "type", topk_probe_verdict_word(probe->verdict));
        xml_text(xml, probe->detail);
        xml_end(xml);
    }
    xml_end(xml);
    junit->failed = !xml->ok;
    return xml->ok;
}

/* ---- what is said about the run -------------------------------------------------------------- */

static void xml_property(struct xml *xml, const char *name, const char *value)
{
    xml_begin(xml, "property");
    xml_attribute(xml, "name", name);
    xml_attribute(xml, "value", value);
    xml_end(xml);
}

static void xml_properties(struct xml *xml, const struct topk_log_header *header)
{
    const struct topk_log_backend *backend = &header->backend;
    char version[16];
    char seed[24];
    snprintf(version, sizeof version, "%" PRIu32, header->profile_version);
    snprintf(seed, sizeof seed, "%" PRIu64, header->seed);
    xml_begin(xml, "properties");
    xml_property(xml, "suite", header->suite);
    xml_property(xml, "backend", backend->name);
    xml_property(xml, "backend-version", backend->version);
    xml_property(xml, "device", backend->device);
    xml_property(xml, "driver", backend->driver);
    xml_property(xml, "device-is-software",
                 (backend->flags & TOPK_LOG_SOFTWARE_DEVICE) != 0 ? "yes" : "no");
    xml_property(xml, "profile", header->profile);
    xml_property(xml, "profile-version", version);
    xml_property(xml, "profile-digest", header->profile_digest);
    xml_property(xml, "seed", seed);
    xml_property(xml, "started", header->started);
    xml_end(xml);
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct junit *junit = context;
    junit->selected = header->cases;
    junit->replay = strdup(header->replay);
    xml_properties(&junit->properties.xml, header);
    junit->failed = junit->replay == NULL || !junit->properties.xml.ok;
    return !junit->failed;
}

static bool take_end(void *context, bool complete)
{
    struct junit *junit = context;
    junit->complete = complete;
    return true;
}

/* A run that did not end must not look like one that passed: it gets a suite with an error. */
static bool add_incomplete(struct junit *junit)
{
    struct suite *suite = suite_of(junit, "run", 3);
    if (suite == NULL) {
        return false;
    }
    char message[120];
    snprintf(message, sizeof message,
             "the run is incomplete: %" PRIu64 " of %" PRIu64 " cases have a record",
             junit->recorded, junit->selected);
    count(&suite->counts, OUTCOME_ERROR, 0);
    count(&junit->counts, OUTCOME_ERROR, 0);
    struct xml *xml = &suite->cases.xml;
    xml_begin(xml, "testcase");
    xml_attribute(xml, "classname", "run");
    xml_attribute(xml, "name", "complete");
    xml_seconds(xml, "time", 0);
    xml_begin(xml, outcomes[OUTCOME_ERROR].element);
    xml_attribute(xml, "message", message);
    xml_attribute(xml, "type", "incomplete");
    xml_end(xml);
    xml_end(xml);
    return xml->ok;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void xml_document(struct xml *xml, struct junit *junit)
{
    xml->ok = xmlTextWriterStartDocument(xml->writer, NULL, "UTF-8", NULL) >= 0;
    xmlTextWriterSetIndent(xml->writer, 1);
    xml_begin(xml, "testsuites");
    xml_attribute(xml, "name", "topk-cts");
    xml_counts(xml, &junit->counts);
    for (size_t i = 0; i < junit->suite_count; i++) {
        struct suite *suite = &junit->suites[i];
        xml_begin(xml, "testsuite");
        xml_attribute(xml, "name", suite->name);
        xml_counts(xml, &suite->counts);
        xml_fragment(xml, &junit->properties);
        xml_fragment(xml, &suite->cases);
        xml_end(xml);
    }
    xml_end(xml);
    xml->ok = xml->ok && xmlTextWriterEndDocument(xml->writer) >= 0;
}

static int leave_open(void *context)
{
    (void)context;
    return 0;
}

/* libxml2 reports a failed write to stderr and forgets why; so it is told that all went well, and
 * the stream is asked in the end. */
static int write_bytes(void *context, const char *bytes, int length)
{
    fwrite(bytes, 1, (size_t)length, context);
    return length;
}

/* False if memory is short. */
static bool write_document(struct junit *junit, FILE *out)
{
    xmlOutputBufferPtr output = xmlOutputBufferCreateIO(write_bytes, leave_open, out, NULL);
    if (output == NULL) {
        return false;
    }
    struct xml xml = {xmlNewTextWriter(output), true};
    if (xml.writer == NULL) {
        xmlOutputBufferClose(output);
        return false;
    }
    xml_document(&xml, junit);
    xmlFreeTextWriter(xml.writer); /* which closes output */
    return xml.ok;
}

/* as topk_log_read() */
static int collect(struct junit *junit, const char *log_path, char *error, size_t error_bytes)
{
    const struct topk_log_reader reader = {junit,      take_header, take_record, take_end,
                                           take_probe, NULL,        NULL};
    int status = 0;
    if (!fragment_open(&junit->properties)) {
        junit->failed = true;
    } else if ((status = topk_log_read(log_path, &reader, error, error_bytes)) < 0) {
        return -1;
    }
    if (junit->failed || (!junit->complete && !add_incomplete(junit))) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log_path);
        return -1;
    }
    return status;
}

static void junit_clear(struct junit *junit)
{
    for (size_t i = 0; i < junit->suite_count; i++) {
        free(junit->suites[i].name);
        fragment_free(&junit->suites[i].cases);
    }
    free(junit->suites);
    free(junit->replay);
    fragment_free(&junit->properties);
}

int topk_junit_print(const char *log_path, FILE *out, char *error, size_t error_bytes)
{
    struct junit junit = {0};
    int status = collect(&junit, log_path, error, error_bytes);
    if (status >= 0 && !write_document(&junit, out)) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log_path);
        status = -1;
    }
    junit_clear(&junit);
    return status;
}

bool topk_junit_write(const char *log_path, const char *xml_path, char *error, size_t error_bytes)
{
    struct topk_output output;
    if (!topk_output_open(&output, xml_path, error, error_bytes)) {
        return false;
    }
    bool ok = topk_junit_print(log_path, output.file, error, error_bytes) >= 0;
    return topk_output_close(&output, ok, ok ? error : NULL, ok ? error_bytes : 0) && ok;
}
