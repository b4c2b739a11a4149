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
#include "summary/summary.h"

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
    case TOPK_VERDICT_ERROR:
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
    uint64_t by_status; /* of its passes, by a status alone */
    struct fragment cases;
};

struct junit {
    struct suite *suites; /* in the order of their first case */
    size_t suite_count;
    struct counts counts;
    struct fragment properties; /* of every suite */
    char *replay;
    uint64_t selected; /* cases of the run, by its header */
    uint64_t recorded; /* of them have a record */
    bool complete;     /* by its end record */
    struct topk_early early;
    enum topk_judge judge;
    const struct topk_asks *asks;
    struct topk_gate gate;
    struct topk_tested tested;
    uint64_t totals[TOPK_VERDICT_COUNT];
    bool failed; /* memory was short */
};

/* The suite of a name; NULL if memory is short. The last one is the likely one. */
static struct suite *suite_of(struct junit *junit, const char *name)
{
    for (size_t i = junit->suite_count; i > 0; i--) {
        if (strcmp(junit->suites[i - 1].name, name) == 0) {
            return &junit->suites[i - 1];
        }
    }
    struct suite *suite = topk_list_add(&junit->suites, &junit->suite_count, sizeof *suite);
    if (suite == NULL) {
        return NULL;
    }
    suite->name = strdup(name);
    return suite->name != NULL && fragment_open(&suite->cases) ? suite : NULL;
}

/* ---- a test case ----------------------------------------------------------------------------- */

struct testcase {
    const char *class_name; /* its suite has the name up to the first dot */
    const char *name;
    uint64_t nanoseconds;
    enum outcome outcome;
    bool by_status;                    /* it passed, by a status alone */
    const char *message, *type, *body; /* unless it passed; body may be NULL */
};

/* False if memory is short. */
static bool add_testcase(struct junit *junit, const struct testcase *testcase)
{
    char *group = strndup(testcase->class_name, strcspn(testcase->class_name, "."));
    struct suite *suite = group == NULL ? NULL : suite_of(junit, group);
    free(group);
    junit->failed = suite == NULL;
    if (junit->failed) {
        return false;
    }
    suite->by_status += testcase->by_status;
    count(&suite->counts, testcase->outcome, testcase->nanoseconds);
    count(&junit->counts, testcase->outcome, testcase->nanoseconds);
    struct xml *xml = &suite->cases.xml;
    xml_begin(xml, "testcase");
    xml_attribute(xml, "classname", testcase->class_name);
    xml_attribute(xml, "name", testcase->name);
    xml_seconds(xml, "time", testcase->nanoseconds);
    if (testcase->outcome != OUTCOME_PASSED) {
        xml_begin(xml, outcomes[testcase->outcome].element);
        xml_attribute(xml, "message", testcase->message);
        xml_attribute(xml, "type", testcase->type);
        if (testcase->body != NULL) {
            xml_text(xml, testcase->body);
        }
        xml_end(xml);
    }
    xml_end(xml);
    junit->failed = !xml->ok;
    return xml->ok;
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
    const struct topk_log_finding *finding = record->findings;
    if (record->cause[0] != 0) {
        fprintf(out, "%s: %s", topk_clause_id(record->clause), record->cause);
    } else if (record->finding_count > 0) {
        fprintf(out, "%s at %s: %s", topk_clause_id(finding->clause), finding->place,
                finding->sentence);
    } else if (record->clause != TOPK_CLAUSE_NONE) {
        fprintf(out, "%s: %s", topk_clause_id(record->clause),
                record->reason[0] != 0 ? record->reason
                                       : topk_clause_row(record->clause)->sentence);
    } else {
        fputs(record->reason[0] != 0 ? record->reason : topk_verdict_word(record->verdict), out);
    }
    if (record->crash != NULL) {
        char site[TOPK_CRASH_TEXT];
        topk_crash_site_print(record->crash, site);
        fprintf(out, "; %s", site);
    }
}

static void print_crash(FILE *out, const struct topk_crash *crash)
{
    char text[TOPK_CRASH_TEXT];
    topk_crash_signal_print(crash, text);
    fprintf(out, "crash: %s\n", text);
    for (uint32_t i = 0; i < crash->frame_count; i++) {
        topk_crash_frame_print(&crash->frames[i], text);
        fprintf(out, "    %s\n", text);
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
    if (record->crash != NULL) {
        print_crash(out, record->crash);
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

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct junit *junit = context;
    /* an id, "group.name:case"; one without a name is of group and class "case" */
    const size_t length = topk_id_test_length(record->id);
    const enum outcome outcome = outcome_of(record->verdict);
    const bool passed = outcome == OUTCOME_PASSED;
    char *class_name = length == 0 ? strdup("case") : strndup(record->id, length);
    char *message = passed ? NULL : printed(junit, record, print_message);
    char *body = passed ? NULL : printed(junit, record, print_body);
    const struct testcase testcase = {.class_name = class_name,
                                      .name = record->id + length + (length > 0),
                                      .nanoseconds = record->nanoseconds,
                                      .outcome = outcome,
                                      .by_status = record->by_status,
                                      .message = message,
                                      .type = topk_verdict_word(record->verdict),
                                      .body = body};
    junit->recorded++;
    junit->totals[record->verdict]++;
    topk_tested_add(&junit->tested, &junit->gate,
                    topk_gate_ask(&junit->gate, junit->asks, record->id), record->verdict,
                    record->clause, record->by_status, record->by_contract);
    junit->failed = class_name == NULL || (!passed && (message == NULL || body == NULL)) ||
                    !add_testcase(junit, &testcase);
    free(class_name);
    free(message);
    free(body);
    return !junit->failed;
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
    return add_testcase(context, &(struct testcase){.class_name = "probe",
                                                    .name = probe->name,
                                                    .outcome = probe_outcome(probe->verdict),
                                                    .message = probe->value,
                                                    .type = topk_probe_verdict_word(probe->verdict),
                                                    .body = probe->detail});
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
    const bool software = (backend->flags & TOPK_LOG_SOFTWARE_DEVICE) != 0;
    char version[16];
    char seed[24];
    char contract[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(&header->contract, contract);
    snprintf(version, sizeof version, "%" PRIu32, header->profile_version);
    snprintf(seed, sizeof seed, "%" PRIu64, header->seed);
    const struct {
        const char *name, *value;
    } properties[] = {
        {"suite", header->suite},
        {"backend", backend->name},
        {"backend-version", backend->version},
        {"device", backend->device},
        {"driver", backend->driver},
        {"device-is-software", software ? "yes" : "no"},
        {"profile", header->profile},
        {"profile-version", version},
        {"profile-digest", header->profile_digest},
        {"seed", seed},
        {"started", header->started},
        {"judge", topk_judge_phrase(header->judge)},
        {"contract", contract[0] == 0 ? "DirectML's documents" : contract},
    };
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        xml_property(xml, properties[i].name, properties[i].value);
    }
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct junit *junit = context;
    junit->selected = header->cases;
    junit->judge = header->judge;
    topk_gate_take(&junit->gate, header, junit->asks);
    junit->replay = strdup(header->replay);
    xml_properties(&junit->properties.xml, header);
    junit->failed = junit->replay == NULL || !junit->properties.xml.ok;
    return !junit->failed;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct junit *junit = context;
    junit->complete = ending->complete;
    junit->early = ending->early;
    return true;
}

/* A run that did not end must not look like one that passed: it gets a suite with an error. */
static bool add_incomplete(struct junit *junit)
{
    char why[TOPK_EARLY_TEXT];
    char message[120 + sizeof why];
    topk_early_print(&junit->early, why, sizeof why);
    snprintf(message, sizeof message,
             "the run is incomplete: %" PRIu64 " of %" PRIu64 " cases have a record%s%s",
             junit->recorded, junit->selected, why[0] == 0 ? "" : "; ", why);
    return add_testcase(junit, &(struct testcase){.class_name = "run",
                                                  .name = "complete",
                                                  .outcome = OUTCOME_ERROR,
                                                  .message = message,
                                                  .type = "incomplete"});
}

/* Nor must one whose judge is not to be believed look like one that conforms: that this suite
 * judged it is what was left out. */
static bool add_judge(struct junit *junit)
{
    return add_testcase(junit, &(struct testcase){.class_name = "run",
                                                  .name = "judge",
                                                  .outcome = OUTCOME_SKIPPED,
                                                  .message = topk_judge_phrase(junit->judge),
                                                  .type = "judge"});
}

/* Nor one that does not serve what it has to. */
static bool add_gate(struct junit *junit)
{
    char message[TOPK_SENTENCE_TEXT];
    topk_gate_sentence(&junit->gate, &junit->tested, junit->totals, message, sizeof message);
    return message[0] == 0 || add_testcase(junit, &(struct testcase){.class_name = "run",
                                                                     .name = "gate",
                                                                     .outcome = OUTCOME_FAILURE,
                                                                     .message = message,
                                                                     .type = "gate"});
}

/* ---- the document ---------------------------------------------------------------------------- */

/* what of the run was served */
static void xml_share(struct xml *xml, const struct junit *junit)
{
    const struct topk_share share = topk_share_of(&junit->tested, junit->totals);
    const struct {
        const char *name;
        uint64_t value;
    } properties[] = {{"served-percent", topk_share_percent(&share)},
                      {"served", share.served},
                      {"served-of", share.asked}};
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, properties[i].value);
        xml_property(xml, properties[i].name, text);
    }
}

static void xml_document(struct xml *xml, struct junit *junit)
{
    xml->ok = xmlTextWriterStartDocument(xml->writer, NULL, "UTF-8", NULL) >= 0;
    xmlTextWriterSetIndent(xml->writer, 1);
    xml_begin(xml, "testsuites");
    xml_attribute(xml, "name", "topk-cts");
    xml_counts(xml, &junit->counts);
    for (size_t i = 0; i < junit->suite_count; i++) {
        struct suite *suite = &junit->suites[i];
        char by_status[24];
        xml_begin(xml, "testsuite");
        xml_attribute(xml, "name", suite->name);
        xml_counts(xml, &suite->counts);
        snprintf(by_status, sizeof by_status, "%" PRIu64, suite->by_status);
        xml_begin(xml, "properties");
        xml_fragment(xml, &junit->properties);
        xml_property(xml, "passed-by-status-alone", by_status);
        xml_share(xml, junit);
        xml_end(xml);
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
static int collect(struct junit *junit, const struct topk_log_source *log, char *error,
                   size_t error_bytes)
{
    const struct topk_log_reader reader = {.context = junit,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe};
    int status = 0;
    if (!fragment_open(&junit->properties)) {
        junit->failed = true;
    } else if ((status = topk_log_read_source(log, &reader, error, error_bytes)) < 0) {
        return -1;
    }
    if (junit->failed || (!junit->complete && !add_incomplete(junit)) ||
        (junit->judge != TOPK_JUDGE_APART && !add_judge(junit)) ||
        (junit->complete && !add_gate(junit))) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
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

int topk_junit_print(const struct topk_log_source *log, const struct topk_asks *asks, FILE *out,
                     char *error, size_t error_bytes)
{
    struct junit junit = {.asks = asks};
    int status = collect(&junit, log, error, error_bytes);
    if (status >= 0 && !write_document(&junit, out)) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
        status = -1;
    }
    junit_clear(&junit);
    return status;
}

bool topk_junit_write(const char *log_path, const char *xml_path, const struct topk_asks *asks,
                      char *error, size_t error_bytes)
{
    const struct topk_log_source log = {.path = log_path};
    struct topk_output output;
    if (!topk_output_open(&output, xml_path, error, error_bytes)) {
        return false;
    }
    bool ok = topk_junit_print(&log, asks, output.file, error, error_bytes) >= 0;
    return topk_output_close(&output, ok, ok ? error : NULL, ok ? error_bytes : 0) && ok;
}
