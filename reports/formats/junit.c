/* Makes JUnit XML from a result log, reading the log once. The cases of different groups may be
 * mixed in the log, but an element states its counts before its content. So each group is written
 * to memory, and everything is put together at the end. */
#define _POSIX_C_SOURCE 200809L /* strdup, strndup */

#include "junit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "junit_test.h"
#include "junit_text.h"
#include "junit_xml.h"
#include "log/log.h"
#include "summary/summary.h"

const char *topk_junit_word(enum topk_junit_mode mode)
{
    static const char *const words[] = {
#define MODE(name, word) word,
        TOPK_JUNIT_LIST(MODE)
#undef MODE
    };
    return words[mode];
}

enum topk_junit_mode topk_junit_parse(const char *word)
{
    int mode = 0;
    while (mode < TOPK_JUNIT_COUNT &&
           strcmp(word, topk_junit_word((enum topk_junit_mode)mode)) != 0) {
        mode++;
    }
    return (enum topk_junit_mode)mode;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* The element of a testcase, and the attribute of a suite, for each outcome. */
static const struct {
    const char *element;
    const char *count;
} outcomes[TOPK_JUNIT_OUTCOMES] = {
    [TOPK_JUNIT_PASSED] = {NULL, NULL},
    [TOPK_JUNIT_FAILURE] = {"failure", "failures"},
    [TOPK_JUNIT_ERROR] = {"error", "errors"},
    [TOPK_JUNIT_SKIPPED] = {"skipped", "skipped"},
};

struct counts {
    uint64_t tests;
    uint64_t by_outcome[TOPK_JUNIT_OUTCOMES];
    uint64_t nanoseconds; /* UINT64_MAX means that many or more */
};

static void count(struct counts *counts, enum topk_junit_outcome outcome, uint64_t nanoseconds)
{
    uint64_t room = UINT64_MAX - counts->nanoseconds;
    counts->tests++;
    counts->by_outcome[outcome]++;
    counts->nanoseconds += nanoseconds < room ? nanoseconds : room;
}

static void xml_counts(struct topk_xml *xml, const struct counts *counts)
{
    topk_xml_number(xml, "tests", counts->tests);
    for (int i = TOPK_JUNIT_FAILURE; i < TOPK_JUNIT_OUTCOMES; i++) {
        topk_xml_number(xml, outcomes[i].count, counts->by_outcome[i]);
    }
    topk_xml_seconds(xml, "time", counts->nanoseconds);
}

/* ---- suites ---------------------------------------------------------------------------------- */

struct suite {
    char *name;
    struct counts counts;
    uint64_t totals[TOPK_VERDICT_COUNT]; /* of its cases, by verdict */
    uint64_t by_status;                  /* passes that rest on a status alone */
    struct topk_xml_fragment cases;
};

struct junit {
    enum topk_junit_mode mode;
    const struct topk_case_lookup *lookup;
    struct suite *suites; /* in the order of their first case */
    size_t suite_count;
    struct topk_ids names;         /* names of the tests, unless each case has its own testcase */
    struct topk_junit_test *tests; /* by their number in `names` */
    size_t test_count;
    struct counts counts;
    struct topk_xml_fragment properties; /* written into every suite */
    char *replay;
    uint64_t selected; /* cases in the run according to its header */
    uint64_t recorded; /* how many of them have a record */
    bool complete;     /* according to its end record */
    struct topk_early early;
    enum topk_judge judge;
    struct topk_gate gate;
    struct topk_tested tested;
    uint64_t totals[TOPK_VERDICT_COUNT];
    bool failed; /* memory ran out */
};

/* Returns the suite of a class, which is named by the class up to the first dot; NULL if memory ran
 * out. Looks at the last suite first, because that is usually the right one. */
static struct suite *suite_of(struct junit *junit, const char *class_name)
{
    const size_t length = strcspn(class_name, ".");
    for (size_t i = junit->suite_count; i > 0; i--) {
        struct suite *suite = &junit->suites[i - 1];
        if (strncmp(suite->name, class_name, length) == 0 && suite->name[length] == 0) {
            return suite;
        }
    }
    struct suite *suite = topk_list_add(&junit->suites, &junit->suite_count, sizeof *suite);
    if (suite == NULL) {
        return NULL;
    }
    suite->name = strndup(class_name, length);
    return suite->name != NULL && topk_xml_fragment_open(&suite->cases) ? suite : NULL;
}

/* ---- a test case ----------------------------------------------------------------------------- */

struct testcase {
    const char *class_name;
    const char *name;
    uint64_t nanoseconds;
    enum topk_junit_outcome outcome;
    const char *message, *type, *body; /* set unless it passed; body may still be NULL */
};

/* Adds a testcase. Returns false if memory ran out. */
static bool add_testcase(struct junit *junit, const struct testcase *testcase)
{
    struct suite *suite = suite_of(junit, testcase->class_name);
    junit->failed = suite == NULL;
    if (junit->failed) {
        return false;
    }
    count(&suite->counts, testcase->outcome, testcase->nanoseconds);
    count(&junit->counts, testcase->outcome, testcase->nanoseconds);
    struct topk_xml *xml = &suite->cases.xml;
    topk_xml_begin(xml, "testcase");
    topk_xml_attribute(xml, "classname", testcase->class_name);
    topk_xml_attribute(xml, "name", testcase->name);
    topk_xml_seconds(xml, "time", testcase->nanoseconds);
    if (testcase->outcome != TOPK_JUNIT_PASSED) {
        topk_xml_begin(xml, outcomes[testcase->outcome].element);
        topk_xml_attribute(xml, "message", testcase->message);
        topk_xml_attribute(xml, "type", testcase->type);
        if (testcase->body != NULL) {
            topk_xml_text(xml, testcase->body);
        }
        topk_xml_end(xml);
    }
    topk_xml_end(xml);
    junit->failed = !xml->ok;
    return xml->ok;
}

/* ---- cases and tests ------------------------------------------------------------------------- */

/* Adds one case as a testcase. `test` is the name of its test, such as "ties.boundary". */
static bool add_case(struct junit *junit, const struct topk_log_record *record, const char *test)
{
    const size_t length = topk_id_test_length(record->id);
    const enum topk_junit_outcome outcome = topk_junit_outcome(record->verdict);
    const bool passed = outcome == TOPK_JUNIT_PASSED;
    char *message = passed ? NULL : topk_junit_message(record);
    char *body = passed ? NULL : topk_junit_body(record, junit->replay);
    const struct testcase testcase = {.class_name = test,
                                      .name = record->id + length + (length > 0),
                                      .nanoseconds = record->nanoseconds,
                                      .outcome = outcome,
                                      .message = message,
                                      .type = topk_verdict_word(record->verdict),
                                      .body = body};
    const bool ok = (passed || (message != NULL && body != NULL)) && add_testcase(junit, &testcase);
    free(message);
    free(body);
    return ok;
}

/* Adds a case to the other cases of its test, or as a testcase of its own. */
static bool add_to_test(struct junit *junit, const struct topk_log_record *record, const char *name)
{
    uint32_t number;
    if (!topk_ids_number(&junit->names, name, &number)) {
        return false;
    }
    if (number == junit->test_count &&
        topk_list_add(&junit->tests, &junit->test_count, sizeof *junit->tests) == NULL) {
        return false;
    }
    struct topk_junit_test *test = &junit->tests[number];
    if (junit->mode == TOPK_JUNIT_FAILURES && topk_verdict_failure(record->verdict) &&
        test->own < TOPK_JUNIT_OWN) {
        test->own++;
        return add_case(junit, record, name);
    }
    return topk_junit_test_add(test, record, junit->lookup, junit->replay);
}

/* Adds the testcase of a test, once all its cases were read. */
static bool add_test(struct junit *junit, const char *name, const struct topk_junit_test *test)
{
    if (topk_totals_sum(test->totals) == 0) {
        return true; /* each case already has its own testcase */
    }
    const bool passed = topk_junit_test_outcome(test) == TOPK_JUNIT_PASSED;
    char *class_name = strndup(name, strcspn(name, "."));
    char *shown = topk_text_make("%s%s", test->own > 0 ? "the other cases of " : "", name);
    char *message = passed ? NULL : topk_junit_test_message(test);
    char *body = passed ? NULL : topk_junit_test_body(test);
    const bool ok = class_name != NULL && shown != NULL &&
                    (passed || (message != NULL && body != NULL)) &&
                    add_testcase(junit, &(struct testcase){.class_name = class_name,
                                                           .name = shown,
                                                           .nanoseconds = test->nanoseconds,
                                                           .outcome = topk_junit_test_outcome(test),
                                                           .message = message,
                                                           .type = topk_junit_test_type(test),
                                                           .body = body});
    free(class_name);
    free(shown);
    free(message);
    free(body);
    return ok;
}

static bool add_tests(struct junit *junit)
{
    for (uint32_t i = 0; i < junit->names.count; i++) {
        if (!add_test(junit, junit->names.texts[i], &junit->tests[i])) {
            return false;
        }
    }
    return true;
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct junit *junit = context;
    /* The id has the form "group.name:case"; an id without a name belongs to the class "case". */
    const size_t length = topk_id_test_length(record->id);
    char *name = length == 0 ? strdup("case") : strndup(record->id, length);
    struct suite *suite = name == NULL ? NULL : suite_of(junit, name);
    junit->recorded++;
    junit->totals[record->verdict]++;
    topk_tested_add(&junit->tested, &junit->gate,
                    topk_gate_ask(&junit->gate, junit->lookup->asks, record->id), record->verdict,
                    record->clause, record->by_status, record->by_contract);
    if (suite != NULL) {
        suite->totals[record->verdict]++;
        suite->by_status += record->by_status;
    }
    junit->failed =
        suite == NULL || !(junit->mode == TOPK_JUNIT_CASES ? add_case(junit, record, name)
                                                           : add_to_test(junit, record, name));
    free(name);
    return !junit->failed;
}

/* ---- what is said about a probe -------------------------------------------------------------- */

static enum topk_junit_outcome probe_outcome(enum topk_probe_verdict verdict)
{
    switch (verdict) {
    case TOPK_PROBE_OBSERVED:
        return TOPK_JUNIT_PASSED;
    case TOPK_PROBE_VIOLATION:
        return TOPK_JUNIT_FAILURE;
    case TOPK_PROBE_UNSUPPORTED:
        return TOPK_JUNIT_SKIPPED;
    default:
        return TOPK_JUNIT_ERROR;
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

static void xml_properties(struct topk_xml *xml, const struct topk_log_header *header)
{
    const struct topk_log_backend *backend = &header->backend;
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
        {"software-in-place-of-hardware", topk_log_software(backend->flags)},
        {"profile", header->profile},
        {"profile-version", version},
        {"profile-digest", header->profile_digest},
        {"seed", seed},
        {"started", header->started},
        {"judge", topk_judge_phrase(header->judge)},
        {"contract", contract[0] == 0 ? "DirectML's documents" : contract},
    };
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        topk_xml_property(xml, properties[i].name, properties[i].value);
    }
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct junit *junit = context;
    junit->selected = header->cases;
    junit->judge = header->judge;
    topk_gate_take(&junit->gate, header, junit->lookup->asks);
    junit->replay = strdup(header->replay);
    xml_properties(&junit->properties.xml, header);
    junit->failed = junit->replay == NULL || !junit->properties.xml.ok;
    return !junit->failed;
}

static bool take_process(void *context, const struct topk_log_process *process)
{
    struct junit *junit = context;
    junit->tested.ended[process->end]++;
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct junit *junit = context;
    junit->complete = ending->complete;
    junit->early = ending->early;
    return true;
}

/* Reports a run that did not finish as a suite with an error, so that it does not look like one
 * that passed. */
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
                                                  .outcome = TOPK_JUNIT_ERROR,
                                                  .message = message,
                                                  .type = "incomplete"});
}

/* Reports a run without a trustworthy judge as a skipped testcase, so that it does not look
 * conformant: the judgement by this suite was left out. */
static bool add_judge(struct junit *junit)
{
    return add_testcase(junit, &(struct testcase){.class_name = "run",
                                                  .name = "judge",
                                                  .outcome = TOPK_JUNIT_SKIPPED,
                                                  .message = topk_judge_phrase(junit->judge),
                                                  .type = "judge"});
}

/* Reports a run that does not support everything that is required. */
static bool add_gate(struct junit *junit)
{
    char message[TOPK_SENTENCE_TEXT];
    topk_gate_sentence(&junit->gate, &junit->tested, junit->totals, message, sizeof message);
    return message[0] == 0 || add_testcase(junit, &(struct testcase){.class_name = "run",
                                                                     .name = "gate",
                                                                     .outcome = TOPK_JUNIT_FAILURE,
                                                                     .message = message,
                                                                     .type = "gate"});
}

/* ---- the document ---------------------------------------------------------------------------- */

/* Writes how much of the run was supported. */
static void xml_share(struct topk_xml *xml, const struct junit *junit)
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
        topk_xml_property(xml, properties[i].name, text);
    }
}

/* Writes how many cases ended with each verdict: "230 pass, 12 fail". */
static void xml_verdicts(struct topk_xml *xml, const struct suite *suite)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    const bool any = out != NULL && topk_totals_print(out, "", suite->totals, 0);
    xml->ok = xml->ok && out != NULL && fclose(out) == 0;
    if (xml->ok && any) {
        topk_xml_property(xml, "verdicts", text);
    }
    free(text);
}

static void fill_document(struct topk_xml *xml, void *context)
{
    struct junit *junit = context;
    topk_xml_begin(xml, "testsuites");
    topk_xml_attribute(xml, "name", "topk-cts");
    xml_counts(xml, &junit->counts);
    for (size_t i = 0; i < junit->suite_count; i++) {
        struct suite *suite = &junit->suites[i];
        char by_status[24];
        topk_xml_begin(xml, "testsuite");
        topk_xml_attribute(xml, "name", suite->name);
        xml_counts(xml, &suite->counts);
        snprintf(by_status, sizeof by_status, "%" PRIu64, suite->by_status);
        topk_xml_begin(xml, "properties");
        topk_xml_fragment_put(xml, &junit->properties);
        xml_verdicts(xml, suite);
        topk_xml_property(xml, "passed-by-status-alone", by_status);
        xml_share(xml, junit);
        topk_xml_end(xml);
        topk_xml_fragment_put(xml, &suite->cases);
        topk_xml_end(xml);
    }
    topk_xml_end(xml);
}

/* Reads the log. Returns what topk_log_read() does. */
static int collect(struct junit *junit, const struct topk_log_source *log, char *error,
                   size_t error_bytes)
{
    const struct topk_log_reader reader = {.context = junit,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .process = take_process,
                                           .probe = take_probe};
    int status = 0;
    if (!topk_xml_fragment_open(&junit->properties)) {
        junit->failed = true;
    } else if ((status = topk_log_read_source(log, &reader, error, error_bytes)) < 0) {
        return -1;
    }
    if (junit->failed || !add_tests(junit) || (!junit->complete && !add_incomplete(junit)) ||
        (junit->judge != TOPK_JUDGE_APART && !add_judge(junit)) ||
        (junit->complete && !add_gate(junit))) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
        return -1;
    }
    return status;
}

static void junit_clear(struct junit *junit)
{
    for (size_t i = 0; i < junit->suite_count; i++) {
        free(junit->suites[i].name);
        topk_xml_fragment_free(&junit->suites[i].cases);
    }
    for (size_t i = 0; i < junit->test_count; i++) {
        topk_junit_test_free(&junit->tests[i]);
    }
    topk_ids_free(&junit->names);
    free(junit->tests);
    free(junit->suites);
    free(junit->replay);
    topk_xml_fragment_free(&junit->properties);
}

int topk_junit_print(const struct topk_log_source *log, enum topk_junit_mode mode,
                     const struct topk_case_lookup *lookup, FILE *out, char *error,
                     size_t error_bytes)
{
    struct junit junit = {.mode = mode, .lookup = lookup};
    int status = collect(&junit, log, error, error_bytes);
    if (status >= 0 && !topk_xml_document(out, fill_document, &junit)) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
        status = -1;
    }
    junit_clear(&junit);
    return status;
}

bool topk_junit_write(const char *log_path, const char *xml_path, enum topk_junit_mode mode,
                      const struct topk_case_lookup *lookup, char *error, size_t error_bytes)
{
    const struct topk_log_source log = {.path = log_path};
    struct topk_output output;
    if (!topk_output_open(&output, xml_path, TOPK_OUTPUT_OURS, error, error_bytes)) {
        return false;
    }
    bool ok = topk_junit_print(&log, mode, lookup, output.file, error, error_bytes) >= 0;
    return topk_output_close(&output, ok, ok ? error : NULL, ok ? error_bytes : 0) && ok;
}
