/* The result log: what is written is read back, what was cut is readable up to the cut, what was
 * edited shows. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "log/line.h"

/* ---- helpers --------------------------------------------------------------------------------- */

/* what a reading delivered */
struct seen {
    unsigned headers;
    unsigned records;
    unsigned ends;
    bool complete;
    struct topk_early early;
    unsigned stop_after; /* records, 0: never */
};

static bool see_header(void *context, const struct topk_log_header *header)
{
    struct seen *seen = context;
    (void)header;
    seen->headers++;
    return true;
}

static bool see_record(void *context, const struct topk_log_record *record)
{
    struct seen *seen = context;
    assert_int_equal(record->number, seen->records);
    seen->records++;
    return seen->records != seen->stop_after;
}

static bool see_end(void *context, const struct topk_log_ending *ending)
{
    struct seen *seen = context;
    seen->ends++;
    seen->complete = ending->complete;
    seen->early = ending->early;
    return true;
}

static int look(struct scratch *scratch, struct seen *seen)
{
    const struct topk_log_reader reader = {
        .context = seen, .header = see_header, .record = see_record, .end = see_end};
    unsigned stop_after = seen->stop_after;
    *seen = (struct seen){.stop_after = stop_after};
    scratch->error[0] = 0;
    return topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error);
}

/* header, three cases, end */
static void write_small_log(struct scratch *scratch)
{
    struct topk_log *log = log_open(scratch);
    struct topk_result pass = sample_pass();
    struct topk_result fail = sample_fail();
    log_put(log, 0, "a.b:top_k", &pass);
    log_put(log, 1, "a.b:top_k1", &fail);
    log_put(log, 2, "a.c:top_k", &pass);
    log_finish(log, true);
}

/* lines that are whole in the first `length` bytes */
static unsigned whole_lines(const char *bytes, size_t length)
{
    unsigned lines = 0;
    for (size_t i = 0; i < length; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

static void assert_error_has(const struct scratch *scratch, const char *part)
{
    if (strstr(scratch->error, part) == NULL) {
        fail_msg("no \"%s\" in \"%s\"", part, scratch->error);
    }
}

static void assert_error_at(const struct scratch *scratch, unsigned line)
{
    char place[PATH_BYTES + 64];
    snprintf(place, sizeof place, "%s:%u: ", scratch->log, line);
    assert_error_has(scratch, place);
}

/* ---- round trip ------------------------------------------------------------------------------ */

static bool check_header(void *context, const struct topk_log_header *header)
{
    struct topk_log_header sample = sample_header();
    const struct topk_log_backend *backend = &header->backend;
    (void)context;
    assert_string_equal(header->suite, sample.suite);
    assert_string_equal(header->profile, sample.profile);
    assert_int_equal(header->profile_version, sample.profile_version);
    assert_string_equal(header->profile_digest, sample.profile_digest);
    assert_int_equal(header->selection_count, 2);
    assert_string_equal(header->selections[0], sample.selections[0]);
    assert_string_equal(header->selections[1], sample.selections[1]);
    assert_int_equal(header->level, sample.level);
    assert_true(header->seed == sample.seed);
    assert_true(header->timeout == sample.timeout);
    assert_int_equal(header->cases, sample.cases);
    assert_string_equal(header->started, sample.started);
    assert_string_equal(header->replay, sample.replay);
    assert_string_equal(backend->spec, sample.backend.spec);
    assert_string_equal(backend->command, sample.backend.command);
    assert_string_equal(backend->worker, sample.backend.worker);
    assert_string_equal(backend->name, sample.backend.name);
    assert_string_equal(backend->version, sample.backend.version);
    assert_string_equal(backend->device, sample.backend.device);
    assert_string_equal(backend->driver, sample.backend.driver);
    assert_string_equal(backend->features, sample.backend.features);
    assert_int_equal(backend->level, sample.backend.level);
    assert_int_equal(backend->flags, sample.backend.flags);
    return true;
}

static bool check_fail(void *context, const struct topk_log_record *record)
{
    struct topk_result sample = sample_fail();
    (void)context;
    assert_true(record->number == UINT64_MAX);
    assert_string_equal(record->id, "a.b:top_k1");
    assert_int_equal(record->verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(record->clause, TOPK_CLAUSE_S04);
    assert_int_equal(record->nanoseconds, sample.nanoseconds);
    assert_int_equal(record->observations, sample.judgement.observations);
    assert_string_equal(record->reason, sample.reason);
    assert_int_equal(record->finding_count, 2);
    assert_int_equal(record->findings[0].clause, TOPK_CLAUSE_S04);
    assert_string_equal(record->findings[0].mismatch, "value-order");
    assert_string_equal(record->findings[0].place, "value[0,0,2]");
    assert_string_equal(record->findings[0].sentence,
                        "value 3 (40400000) comes after 2 (40000000), in the wrong order");
    assert_int_equal(record->findings[0].count, 2);
    assert_string_equal(record->findings[1].place, "value byte -4");
    assert_true(record->findings[1].count == UINT64_MAX);
    assert_true(record->has_sequence);
    assert_true(record->sequence == UINT64_MAX);
    assert_int_equal(record->position, 2);
    assert_int_equal(record->window_from, 1);
    assert_int_equal(record->window_count, 2);
    assert_string_equal(record->window[0].value, "0.1");
    assert_string_equal(record->window[0].bits, "3dcccccd");
    assert_int_equal(record->window[0].index, 7);
    assert_string_equal(record->window[1].value, "nan(7fc00001)");
    assert_true(record->window[1].index == UINT64_MAX);
    return true;
}

/* What explains a result is read as it was written: the sentence of the first reading, the words of
 * all, and whether they are guesses. */
static bool check_readings(void *context, const struct topk_log_record *record)
{
    const struct topk_result *written = context;
    assert_string_equal(record->cause,
                        written->readings == 0 ? "" : topk_reading_row(written->reading)->sentence);
    assert_true(record->readings == written->readings);
    assert_int_equal(record->guess, written->guess);
    return true;
}

static void readings_round_trip(void **state)
{
    struct scratch *scratch = *state;
    static const struct topk_diagnosis diagnoses[] = {
        {0},
        {(topk_reading_set)1 << TOPK_READING_OPPOSITE, false},
        {(topk_reading_set)1 << TOPK_READING_OPPOSITE | (topk_reading_set)1
                                                            << TOPK_READING_UNSORTED,
         true},
        {UINT64_MAX >> (64 - TOPK_READING_COUNT) & ~(topk_reading_set)1, false},
    };
    for (size_t i = 0; i < sizeof diagnoses / sizeof diagnoses[0]; i++) {
        struct topk_result fail = sample_fail();
        const struct topk_log_reader reader = {.record = check_readings, .context = &fail};
        struct topk_log *log = log_open(scratch);
        topk_result_explain(&fail, diagnoses[i]);
        log_put(log, 0, "a.b:top_k1", &fail);
        log_finish(log, true);
        assert_int_equal(
            topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error), 0);
        assert_int_equal(remove(scratch->log), 0);
    }
}

static void records_round_trip(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    log_put(log, UINT64_MAX, "a.b:top_k1", &fail);
    log_finish(log, true);
    const struct topk_log_reader reader = {.header = check_header, .record = check_fail};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
}

static bool check_crash(void *context, const struct topk_log_record *record)
{
    const struct topk_result sample = sample_crash(0x1139);
    ++*(unsigned *)context;
    if (record->number == 1) {
        assert_null(record->crash); /* nothing is known of it */
        return true;
    }
    assert_non_null(record->crash);
    assert_string_equal(record->crash->signal, "SIGSEGV");
    assert_true(record->crash->has_address);
    assert_true(record->crash->address == UINT64_MAX);
    assert_true(record->crash->has_outside);
    assert_int_equal(record->crash->outside.access, TOPK_CRASH_READS);
    assert_int_equal(record->crash->outside.role, TOPK_VALUE);
    assert_true(record->crash->outside.before);
    assert_int_equal(record->crash->outside.bytes, 4);
    assert_int_equal(record->crash->frame_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct topk_crash_frame *frame = &record->crash->frames[i];
        assert_string_equal(frame->module, sample.crash.frames[i].module);
        assert_string_equal(frame->symbol, sample.crash.frames[i].symbol);
        assert_int_equal(frame->offset, sample.crash.frames[i].offset);
        assert_int_equal(frame->symbol_offset, sample.crash.frames[i].symbol_offset);
    }
    return true;
}

static void crash_round_trips(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result crash = sample_crash(0x1139);
    unsigned count = 0;
    log_put(log, 0, "a.b:top_k", &crash);
    crash.crash.signal[0] = 0;
    log_put(log, 1, "a.b:top_k1", &crash);
    log_finish(log, true);
    const struct topk_log_reader reader = {.context = &count, .record = check_crash};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(count, 2);
}

/* what another program wrote into a crash is asked for like all else */
static void malformed_crash_is_named(void **state)
{
    static const struct {
        const char *from, *to;
        const char *wrong;
    } rows[] = {
        {"\"signal\":\"SIGSEGV\"", "\"signal\":\"\"", "signal"},
        {"\"signal\":\"SIGSEGV\"", "\"signal\":\"01234567890123456789012345678901\"", "signal"},
        {"0xffffffffffffffff", "ffffffffffffffff", "address"},
        {"0xffffffffffffffff", "0xfffffffffffffffff", "address"},
        {"\"module\":\"mine.so\"", "\"module\":7", "module"},
        {"\"offset\":\"0x1139\"", "\"offset\":\"0xG\"", "offset"},
        {"\"symbol_offset\":\"0x8\"", "\"symbol_offset\":8", "symbol_offset"},
        {"\"frames\":[", "\"frames\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", "frames"},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_log *log = log_open(scratch);
        struct topk_result crash = sample_crash(0x1139);
        json_t *record = topk_record_case(0, "a.b:top_k", 0, 0, &crash);
        char *body = json_dumps(record, JSON_COMPACT);
        char text[4096];
        char *at = strstr(body, rows[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - body), body, rows[i].to,
                 at + strlen(rows[i].from));
        /* without the brace, as it stands before the chain */
        assert_true(topk_log_copy(log, text, strlen(text) - 1));
        log_finish(log, true);
        const struct topk_log_reader reader = {.context = NULL};
        assert_int_equal(
            topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error), -1);
        char named[64];
        snprintf(named, sizeof named, "\"%s\" is missing or not known", rows[i].wrong);
        if (strstr(scratch->error, named) == NULL) {
            fail_msg("row %zu: %s", i, scratch->error);
        }
        free(body);
        json_decref(record);
        assert_int_equal(remove(scratch->log), 0);
    }
}

static bool check_shrunk(void *context, const struct topk_log_shrunk *shrunk)
{
    struct topk_log_record record = shrunk->record;
    record.number = UINT64_MAX; /* it has none, nor a time */
    record.nanoseconds = sample_fail().nanoseconds;
    assert_int_equal(shrunk->record.number, 0);
    assert_int_equal(shrunk->of_count, 2);
    assert_int_equal(shrunk->of[0], 0);
    assert_int_equal(shrunk->of[1], 3000000000);
    assert_true(shrunk->minimal);
    ++*(unsigned *)context;
    return check_fail(NULL, &record);
}

static void shrunk_case_round_trips(void **state)
{
    static const uint64_t of[] = {0, 3000000000};
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    unsigned count = 0;
    log_put(log, 0, "a.b:top_k1", &fail);
    assert_true(
        topk_log_shrunk(log, of, 2, true, "a.b:top_k1", TOPK_TYPE_F32, TOPK_TYPE_U64, &fail));
    log_finish(log, true);
    const struct topk_log_reader reader = {.context = &count, .shrunk = check_shrunk};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(count, 1);
    /* one who goes on keeps it */
    log = topk_log_append(scratch->dir, scratch->error, sizeof scratch->error);
    assert_non_null(log);
    log_finish(log, true);
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(count, 2);
}

static bool check_bare(void *context, const struct topk_log_record *record)
{
    (void)context;
    assert_int_equal(record->verdict, TOPK_VERDICT_HARNESS_ERROR);
    assert_int_equal(record->clause, TOPK_CLAUSE_NONE);
    assert_int_equal(record->observations, 0);
    assert_int_equal(record->finding_count, 0);
    assert_int_equal(record->window_count, 0);
    assert_false(record->has_sequence);
    assert_string_equal(record->reason, "");
    assert_true(record->nanoseconds == (uint64_t)INT64_MAX + 1);
    return true;
}

static void case_without_a_type_round_trips(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result result = {.verdict = TOPK_VERDICT_HARNESS_ERROR,
                                 .clause = TOPK_CLAUSE_NONE,
                                 .nanoseconds = (uint64_t)INT64_MAX + 1};
    assert_true(topk_log_case(log, 0, "", 0, 0, &result));
    log_finish(log, false);
    const struct topk_log_reader reader = {.record = check_bare};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), 0);
    assert_int_equal(seen.ends, 1);
    assert_false(seen.complete);
}

/* Other programs read these lines: a change here is a new format. */
static void lines_have_their_form(void **state)
{
    static const char *const bodies[] = {
        "{\"record\":\"header\",\"format\":2,\"suite\":\"1.0.0\",\"profile\":\"core\","
        "\"profile_version\":3,\"profile_digest\":\"abcd\","
        "\"selections\":[\"ties.*\",\"axis.last:top_k fl=2.0\"],\"level\":\"0x5000\","
        "\"seed\":\"18446744073709551615\",\"timeout\":2.5,\"cases\":4,"
        "\"started\":\"2026-01-31T12:00:00Z\",\"replay\":\"topk-cts replay --backend cpu\","
        "\"backend\":{\"spec\":\"cpu\",\"worker\":\"\",\"name\":\"reference\",\"version\":\"1\","
        "\"device\":\"a <b> & \\\"c\\\"\",\"driver\":\"d\",\"features\":\"all\","
        "\"level\":\"0x6400\",\"flags\":\"0x3\"},\"judge\":\"apart\",\"revision\":\"e5\","
        "\"expectations\":\"abc\"",
        "{\"record\":\"case\",\"number\":0,\"id\":\"a.b:top_k\",\"verdict\":\"pass\","
        "\"nanoseconds\":1500000000",
        "{\"record\":\"case\",\"number\":1,\"id\":\"a.b:top_k1\",\"verdict\":\"fail\","
        "\"clause\":\"S04\",\"nanoseconds\":250000000,"
        "\"observations\":[{\"clause\":\"V03\",\"word\":\"accepts\"},"
        "{\"clause\":\"F02\",\"word\":\"NaN last\"}],"
        "\"findings\":[{\"clause\":\"S04\",\"mismatch\":\"value-order\",\"tensor\":\"value\","
        "\"at\":[0,0,2],\"expected\":{\"value\":\"2\",\"bits\":\"40000000\"},"
        "\"actual\":{\"value\":\"3\",\"bits\":\"40400000\"},\"count\":2,"
        "\"place\":\"value[0,0,2]\","
        "\"sentence\":\"value 3 (40400000) comes after 2 (40000000), in the wrong order\"},"
        "{\"clause\":\"M02\",\"mismatch\":\"outside-written\",\"tensor\":\"value\",\"byte\":-4,"
        "\"expected\":{\"value\":\"205\",\"bits\":\"cd\"},"
        "\"actual\":{\"value\":\"10\",\"bits\":\"0a\"},\"count\":\"18446744073709551615\","
        "\"place\":\"value byte -4\","
        "\"sentence\":\"byte 0x0a was written outside the tensor over 0xcd\"}],"
        "\"sequence\":\"18446744073709551615\",\"position\":2,\"window\":{\"from\":1,"
        "\"outputs\":[{\"value\":\"0.1\",\"bits\":\"3dcccccd\",\"index\":7},"
        "{\"value\":\"nan(7fc00001)\",\"bits\":\"7fc00001\",\"index\":\"18446744073709551615\"}]},"
        "\"reason\":\"it's <wrong>\"",
        "{\"record\":\"case\",\"number\":2,\"id\":\"a.c:top_k\",\"verdict\":\"pass\","
        "\"nanoseconds\":1500000000",
    };
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    const char *line = bytes;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        size_t length = strcspn(line, "\n") + 1;
        char *body = strndup(line, length - TOPK_LINE_TAIL);
        assert_string_equal(body, bodies[i]);
        free(body);
        line += length;
    }
    free(bytes);
}

/* digests made by sha256sum: of "abc", and of that digest and "abc" */
static void chain_is_sha256_over_the_lines(void **state)
{
    (void)state;
    struct topk_chain chain = {""};
    char tail[TOPK_LINE_TAIL + 1];
    topk_chain_seal(&chain, "abc", 3, tail);
    assert_string_equal(chain.text,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    topk_chain_seal(&chain, "abc", 3, tail);
    assert_string_equal(tail,
                        ",\"chain\":"
                        "\"fee58e4678e796b6f60e7ae350c6b5b60af591c1abffefa774abe13a56e07eb4\"}\n");
}

static void observations_round_trip(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result result = sample_pass();
    result.judgement.observations =
        (uint32_t)((UINT64_C(1) << TOPK_OBSERVATION_COUNT) - 1); /* all that there are */
    log_put(log, 0, "a.b:c", &result);
    log_finish(log, true);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    assert_non_null(strstr(bytes, "{\"clause\":\"M08\",\"word\":\"not judged\"}"));
    free(bytes);
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), 0);
}

/* ---- strings from outside -------------------------------------------------------------------- */

static bool check_strange(void *context, const struct topk_log_record *record)
{
    (void)context;
    assert_string_equal(record->id, "a\\xffb\xc3\xa9\n\"\\\\xc0\\x80\\xed\\xa0\\x80\\xc1\\xbf"
                                    "\\xf4\\x90\\x80\\x80\x7f\x01");
    assert_string_equal(record->reason, "\\xe2\\x82");
    return true;
}

static void strange_bytes_are_escaped(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result result = sample_pass();
    snprintf(result.reason, sizeof result.reason, "\xe2\x82"); /* a character cut short */
    log_put(log, 0,
            "a\xff"
            "b\xc3\xa9\n\"\\\xc0\x80\xed\xa0\x80\xc1\xbf\xf4\x90\x80\x80\x7f\x01",
            &result);
    log_finish(log, true);
    const struct topk_log_reader reader = {.record = check_strange};
    if (topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error) != 0) {
        fail_msg("%s", scratch->error);
    }
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    assert_int_equal(whole_lines(bytes, size), 3);
    free(bytes);
}

static void early_end_round_trips(void **state)
{
    static const struct {
        struct topk_early early;
        const char *record;
        const char *text;
    } rows[] = {
        {{TOPK_EARLY_FAIL_FAST, 1, 7},
         "{\"by\":\"fail-fast\",\"limit\":1,\"left\":7}",
         "ended early after the first failure (--fail-fast)"},
        {{TOPK_EARLY_MAX_CRASHES, 4294967295.0, 1},
         "{\"by\":\"max-crashes\",\"limit\":4294967295,\"left\":1}",
         "ended early after 4294967295 crashes (--max-crashes 4294967295)"},
        {{TOPK_EARLY_MAX_TIMEOUTS, 1, UINT64_MAX},
         "{\"by\":\"max-timeouts\",\"limit\":1,\"left\":\"18446744073709551615\"}",
         "ended early after 1 timeout (--max-timeouts 1)"},
        {{TOPK_EARLY_TIME_BUDGET, 0.5, 3},
         "{\"by\":\"time-budget\",\"limit\":0.5,\"left\":3}",
         "time budget of 0.5 s spent"},
    };
    struct scratch *scratch = *state;
    const uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen seen = {0};
        size_t size;
        char text[TOPK_EARLY_TEXT];
        struct topk_log *log = log_open(scratch);
        assert_true(topk_log_end_early(log, &rows[i].early, totals));
        assert_true(topk_log_close(log));
        char *bytes = file_read(scratch->log, &size);
        assert_non_null(strstr(bytes, rows[i].record));
        free(bytes);
        assert_int_equal(look(scratch, &seen), 0);
        assert_int_equal(seen.ends, 1);
        assert_false(seen.complete);
        assert_int_equal(seen.early.by, rows[i].early.by);
        assert_true(seen.early.limit == rows[i].early.limit);
        assert_true(seen.early.left == rows[i].early.left);
        topk_early_print(&seen.early, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(unlink(scratch->log), 0);
    }
}

static bool check_length(void *context, const struct topk_log_record *record)
{
    assert_int_equal(strlen(record->id), *(const size_t *)context);
    return true;
}

static void long_ids_round_trip(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result result = sample_pass();
    size_t length = 300000;
    char *id = malloc(length + 1);
    assert_non_null(id);
    memset(id, 'x', length);
    id[length] = 0;
    log_put(log, 0, id, &result);
    log_finish(log, true);
    free(id);
    const struct topk_log_reader reader = {.context = &length, .record = check_length};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
}

/* ---- cut and edited -------------------------------------------------------------------------- */

static void log_cut_anywhere_is_read_up_to_the_cut(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    for (size_t length = 0; length < size; length++) {
        file_write(scratch->log, bytes, length);
        unsigned lines = whole_lines(bytes, length);
        bool between = length > 0 && bytes[length - 1] == '\n';
        struct seen seen = {0};
        assert_int_equal(look(scratch, &seen), 1);
        assert_int_equal(seen.headers + seen.records, lines);
        assert_int_equal(seen.ends, 0);
        assert_error_at(scratch, between ? lines : lines + 1);
        assert_error_has(scratch, length == 0 ? "the file is empty"
                                  : between   ? "the log was truncated: no end record follows"
                                              : "the line was truncated");
    }
    free(bytes);
}

static void log_whose_line_ends_were_converted_says_so(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    char *converted = malloc(2 * size);
    assert_non_null(converted);
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n') {
            converted[length++] = '\r';
        }
        converted[length++] = bytes[i];
    }
    file_write(scratch->log, converted, length);
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_at(scratch, 1);
    assert_error_has(scratch, "the chain breaks: the line ends in CRLF");
    free(converted);
    free(bytes);
}

static void assert_edit_shows(struct scratch *scratch, const char *bytes, size_t size, size_t at)
{
    unsigned line = whole_lines(bytes, at) + 1;
    struct seen seen = {0};
    file_write(scratch->log, bytes, size);
    int result = look(scratch, &seen);
    if (result != -1 && !(result == 1 && at == size - 1)) {
        fail_msg("byte %zu changed to %02x is read as %d", at, (unsigned char)bytes[at], result);
    }
    assert_error_at(scratch, line);
    assert_int_equal(seen.headers + seen.records, line - 1); /* what comes before is delivered */
}

static void every_edited_byte_shows(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    for (size_t at = 0; at < size; at++) {
        char byte = bytes[at];
        const char others[] = {(char)(byte ^ 1), (char)(byte ^ 0x80), '\n', 0};
        for (size_t i = 0; i < sizeof others; i++) {
            if (others[i] != byte) {
                bytes[at] = others[i];
                assert_edit_shows(scratch, bytes, size, at);
            }
        }
        bytes[at] = byte;
    }
    free(bytes);
}

static void lines_left_out_or_exchanged_show(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    char *line[6] = {bytes};
    for (int i = 1; i < 6; i++) {
        line[i] = strchr(line[i - 1], '\n') + 1;
    }
    struct seen seen = {0};
    char *edited = malloc(2 * size);
    assert_non_null(edited);
    /* the second case left out */
    size_t head = (size_t)(line[2] - bytes);
    memcpy(edited, bytes, head);
    memcpy(edited + head, line[3], (size_t)(bytes + size - line[3]));
    file_write(scratch->log, edited, size - (size_t)(line[3] - line[2]));
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_at(scratch, 3);
    /* the header left out */
    file_write(scratch->log, line[1], (size_t)(bytes + size - line[1]));
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_at(scratch, 1);
    /* the log twice */
    memcpy(edited, bytes, size);
    memcpy(edited + size, bytes, size);
    file_write(scratch->log, edited, 2 * size);
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_at(scratch, 6);
    free(edited);
    free(bytes);
}

/* ---- logs of others -------------------------------------------------------------------------- */

/* appends a line with a chain that holds */
static size_t sealed(char *to, struct topk_chain *chain, const char *body)
{
    size_t length = strlen(body);
    snprintf(to, length + 1, "%s", body);
    topk_chain_seal(chain, body, length, to + length);
    return length + TOPK_LINE_TAIL;
}

/* the sample's header and a line that holds */
static void write_log_with_line(struct scratch *scratch, const char *body)
{
    remove(scratch->log);
    assert_true(topk_log_close(log_open(scratch)));
    size_t size;
    char *header = file_read(scratch->log, &size);
    char bytes[4096];
    struct topk_chain chain = {""};
    header[size - TOPK_LINE_TAIL] = 0;
    size_t length = sealed(bytes, &chain, header);
    length += sealed(bytes + length, &chain, body);
    file_write(scratch->log, bytes, length);
    free(header);
}

#define EARLY(complete, by, limit, left)                                                           \
    "{\"record\":\"end\",\"complete\":" complete ",\"early\":{\"by\":\"" by "\",\"limit\":" limit  \
    ",\"left\":" left "}"

static void lines_that_are_not_understood_are_refused(void **state)
{
    static const struct {
        const char *body;
        const char *reason;
    } rows[] = {
        {"{\"record\":\"case\",\"number\":-1,\"id\":\"x\",\"verdict\":\"pass\",\"nanoseconds\":1",
         "\"number\""},
        {"{\"record\":\"case\",\"number\":1,\"verdict\":\"pass\",\"nanoseconds\":1", "\"id\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"fine\",\"nanoseconds\":1",
         "\"verdict\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"fail\",\"clause\":\"Z9\","
         "\"nanoseconds\":1",
         "\"clause\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"pass\","
         "\"nanoseconds\":\"18446744073709551616\"",
         "\"nanoseconds\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"pass\",\"nanoseconds\":1,"
         "\"observations\":[{\"clause\":\"V03\",\"word\":\"shrugs\"}]",
         "\"observations\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"pass\",\"nanoseconds\":1,"
         "\"findings\":[1]",
         "\"clause\""},
        {"{\"record\":\"case\",\"number\":1,\"number\":1", "duplicate"},
        {"{\"record\":\"end\",\"complete\":1", "\"complete\""},
        {"{\"record\":\"end\",\"complete\":false,\"early\":1", "\"early\""},
        {EARLY("false", "no-option", "1", "1"), "\"early\""},
        {EARLY("false", "", "1", "1"), "\"early\""},
        {EARLY("true", "fail-fast", "1", "1"), "\"early\""},
        {EARLY("false", "fail-fast", "-1", "1"), "\"early\""},
        {EARLY("false", "time-budget", "1e300", "1"), "\"early\""},
        {EARLY("false", "time-budget", "\"1\"", "1"), "\"early\""},
        {EARLY("false", "max-crashes", "1", "-1"), "\"left\""},
        {"{\"record\":\"shrunk\",\"id\":\"x\",\"verdict\":\"fail\",\"of\":[-1],\"minimal\":true",
         "\"of\""},
        {"{\"record\":\"shrunk\",\"id\":\"x\",\"verdict\":\"fail\",\"of\":[1],\"minimal\":1",
         "\"minimal\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"pass\",\"by\":\"outputs\","
         "\"nanoseconds\":1",
         "\"by\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"pass\",\"by\":\"\","
         "\"nanoseconds\":1",
         "\"by\""},
        {"{\"record\":\"case\",\"number\":1,\"id\":\"x\",\"verdict\":\"unsupported\","
         "\"by\":\"status\",\"nanoseconds\":1",
         "\"by\""},
        {"{\"record\":\"shrunk\",\"id\":\"x\",\"verdict\":\"fail\",\"by\":\"status\","
         "\"of\":[1],\"minimal\":true",
         "\"by\""},
        {"{\"record\":\"note\",\"text\":\"x\"", "not a record that is known"},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen seen = {0};
        write_log_with_line(scratch, rows[i].body);
        assert_int_equal(look(scratch, &seen), -1);
        assert_error_at(scratch, 2);
        assert_error_has(scratch, rows[i].reason);
    }
}

/* ---- who judged ------------------------------------------------------------------------------ */

static bool see_judge(void *context, const struct topk_log_header *header)
{
    *(enum topk_judge *)context = header->judge;
    return true;
}

/* Reads the sample's header with a part of its text replaced; returns as topk_log_read(). */
static int read_replaced(struct scratch *scratch, const char *part, const char *other,
                         const struct topk_log_reader *reader)
{
    remove(scratch->log);
    assert_true(topk_log_close(log_open(scratch)));
    size_t size;
    char *header = file_read(scratch->log, &size);
    char body[4096];
    char bytes[4096 + TOPK_LINE_TAIL];
    struct topk_chain chain = {""};
    header[size - TOPK_LINE_TAIL] = 0;
    char *at = strstr(header, part);
    assert_non_null(at);
    snprintf(body, sizeof body, "%.*s%s%s", (int)(at - header), header, other, at + strlen(part));
    free(header);
    file_write(scratch->log, bytes, sealed(bytes, &chain, body));
    return topk_log_read(scratch->log, reader, scratch->error, sizeof scratch->error);
}

static int read_judged(struct scratch *scratch, const char *part, const char *other,
                       enum topk_judge *judge)
{
    const struct topk_log_reader reader = {.context = judge, .header = see_judge};
    *judge = TOPK_JUDGE_COUNT;
    return read_replaced(scratch, part, other, &reader);
}

#define SEEN_GATE 200
/* puts a gate into words; the header is gone when the reading is over */
static bool see_gate(void *context, const struct topk_log_header *header)
{
    const struct topk_log_gate *gate = &header->gate;
    char *text = context;
    size_t used =
        (size_t)snprintf(text, SEEN_GATE, "%d %u", gate->has_least, (unsigned)gate->least);
    for (size_t i = 0; i < gate->require_count && used < SEEN_GATE; i++) {
        used += (size_t)snprintf(text + used, SEEN_GATE - used, " %s", gate->require[i]);
    }
    if (gate->has_unclean && used < SEEN_GATE) {
        used +=
            (size_t)snprintf(text + used, SEEN_GATE - used, " unclean=%u", (unsigned)gate->unclean);
    }
    if (gate->has_restarts && used < SEEN_GATE) {
        used += (size_t)snprintf(text + used, SEEN_GATE - used, " restarts=%u",
                                 (unsigned)gate->restarts);
    }
    if (gate->allow_expired && used < SEEN_GATE) {
        snprintf(text + used, SEEN_GATE - used, " expired");
    }
    return true;
}

static void a_gate_is_read(void **state)
{
    static const struct {
        const char *json, *gate; /* "": the header is refused */
    } rows[] = {
        {"", "0 0"},
        {",\"gate\":{}", "0 0"},
        {",\"gate\":{\"min_supported\":0}", "1 0"},
        {",\"gate\":{\"min_supported\":100,\"require\":[\"f16\",\"rank=5\"]}", "1 100 f16 rank=5"},
        {",\"gate\":{\"require\":[\"what a later version knows\"]}",
         "0 0 what a later version knows"},
        {",\"gate\":{\"allow_expired\":true}", "0 0 expired"},
        {",\"gate\":{\"allow_expired\":false}", ""},
        {",\"gate\":{\"allow_expired\":\"yes\"}", ""},
        {",\"gate\":{\"min_supported\":101}", ""},
        {",\"gate\":{\"min_supported\":-1}", ""},
        {",\"gate\":{\"min_supported\":\"half\"}", ""},
        {",\"gate\":50", ""},
        {",\"gate\":{\"max_unclean\":2,\"max_restarts\":0}", "0 0 unclean=2 restarts=0"},
        {",\"gate\":{\"max_unclean\":-1}", ""},
        {",\"gate\":{\"max_restarts\":\"few\"}", ""},
        {",\"gate\":{\"require\":\"f16\"}", ""},
        {",\"gate\":{\"require\":[16]}", ""},
        {",\"gate\":{\"require\":[\"a word that is longer than any is\"]}", ""},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char gate[SEEN_GATE] = "";
        char json[200];
        const struct topk_log_reader reader = {.context = gate, .header = see_gate};
        snprintf(json, sizeof json, ",\"judge\":\"apart\"%s", rows[i].json);
        assert_int_equal(read_replaced(scratch, ",\"judge\":\"apart\"", json, &reader),
                         rows[i].gate[0] == 0 ? -1 : 1); /* it has no end */
        assert_string_equal(gate, rows[i].gate);
    }
}

static void a_gate_is_written(void **state)
{
    static const char *const words[] = {"f16", "top_k1"};
    static const struct {
        struct topk_log_gate gate;
        const char *read;
    } rows[] = {
        {{.has_least = true}, "1 0"},
        {{.has_least = true,
          .least = 50,
          .require = words,
          .require_count = 2,
          .allow_expired = true},
         "1 50 f16 top_k1 expired"},
        {{.allow_expired = true}, "0 0 expired"},
        {{.require = words, .require_count = 1}, "0 0 f16"},
        {{.has_unclean = true}, "0 0 unclean=0"},
        {{.has_unclean = true, .unclean = 3, .has_restarts = true, .restarts = UINT32_MAX},
         "0 0 unclean=3 restarts=4294967295"},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char gate[SEEN_GATE] = "";
        const struct topk_log_reader reader = {.context = gate, .header = see_gate};
        struct topk_log_header header = sample_header();
        header.gate = rows[i].gate;
        remove(scratch->log);
        struct topk_log *log =
            topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
        assert_non_null(log);
        assert_true(topk_log_close(log));
        assert_int_equal(
            topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error), 1);
        assert_string_equal(gate, rows[i].read);
    }
}

static bool see_process(void *context, const struct topk_log_process *process)
{
    char *text = context;
    const size_t used = strlen(text);
    snprintf(text + used, 200 - used, "%s: %s;", topk_process_word(process->end), process->reason);
    return true;
}

static void ends_of_processes_are_kept(void **state)
{
    struct scratch *scratch = *state;
    char seen[200] = "";
    const struct topk_log_reader reader = {.context = seen, .process = see_process};
    struct topk_log *log = log_open(scratch);
    for (int end = 0; end < TOPK_PROCESS_COUNT; end++) {
        const struct topk_log_process process = {(enum topk_process_end)end,
                                                 end == 0 ? "" : "exited with 3"};
        assert_true(topk_log_process(log, &process));
        assert_int_equal(topk_process_parse(topk_process_word(process.end)), process.end);
    }
    assert_int_equal(topk_process_parse("well"), TOPK_PROCESS_COUNT);
    assert_true(topk_log_close(log));
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     1);
    assert_string_equal(seen, "under-way: ;outside: exited with 3;between: exited with 3;"
                              "quit: exited with 3;changed: exited with 3;lost: exited with 3;");
}

static void who_judged_is_read(void **state)
{
#define OURS     ",\"judge\":\"apart\""
#define BY(word) ",\"judge\":\"" word "\""
    static const struct {
        const char *part, *other;
        enum topk_judge judge; /* COUNT: the header is refused */
    } rows[] = {
        {OURS, OURS, TOPK_JUDGE_APART},
        {OURS, BY("worker"), TOPK_JUDGE_WORKER},
        {OURS, BY("in-process"), TOPK_JUDGE_IN_PROCESS},
        {OURS, "", TOPK_JUDGE_COUNT},
        {OURS, BY("unknown"), TOPK_JUDGE_UNKNOWN},
        {OURS, BY("judge"), TOPK_JUDGE_COUNT},
        {OURS, BY(""), TOPK_JUDGE_COUNT},
        {OURS, ",\"judge\":1", TOPK_JUDGE_COUNT},
        /* what a worker answered nobody else judged */
        {"\"worker\":\"\"", "\"worker\":\"x\"", TOPK_JUDGE_COUNT},
    };
    struct scratch *scratch = *state;
    enum topk_judge judge;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool read = rows[i].judge != TOPK_JUDGE_COUNT;
        /* 1: it has no end record */
        assert_int_equal(read_judged(scratch, rows[i].part, rows[i].other, &judge), read ? 1 : -1);
        assert_int_equal(judge, rows[i].judge);
        if (!read) {
            assert_error_has(scratch, "\"judge\"");
        }
    }
}

/* in format 1 a header need not say it */
static void judge_of_format_1_may_be_missing(void **state)
{
    struct scratch *scratch = *state;
    for (int i = 0; i < 2; i++) {
        const bool worker = i == 1;
        struct topk_log_header header = sample_header();
        enum topk_judge judge;
        remove(scratch->log);
        header.judge = worker ? TOPK_JUDGE_WORKER : TOPK_JUDGE_APART;
        header.backend.worker = worker ? "x" : "";
        struct topk_log *log =
            topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
        assert_non_null(log);
        assert_true(topk_log_close(log));
        size_t size;
        char *bytes = file_read(scratch->log, &size);
        const char *said = worker ? BY("worker") : OURS;
        char *at = strstr(bytes, said);
        char edited[4096];
        struct topk_chain chain = {""};
        const struct topk_log_reader reader = {.context = &judge, .header = see_judge};
        bytes[size - TOPK_LINE_TAIL] = 0;
        memmove(at, at + strlen(said), strlen(at + strlen(said)) + 1);
        char *format = strstr(bytes, "\"format\":");
        assert_non_null(format);
        format[strlen("\"format\":")] = '1';
        file_write(scratch->log, edited, sealed(edited, &chain, bytes));
        free(bytes);
        assert_int_equal(
            topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error), 1);
        assert_int_equal(judge, worker ? TOPK_JUDGE_WORKER : TOPK_JUDGE_UNKNOWN);
    }
}

static void line_after_the_end_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct topk_chain chain = {""};
    char bytes[1024];
    size_t length = sealed(bytes, &chain, "{\"record\":\"header\",\"format\":1,\"x\":1");
    length += sealed(bytes + length, &chain, "{\"record\":\"end\",\"complete\":true");
    length += sealed(bytes + length, &chain, "{\"record\":\"case\",\"number\":1");
    file_write(scratch->log, bytes, length);
    assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    assert_error_at(scratch, 3);
    assert_error_has(scratch, "follows the end");
}

static void newer_formats_and_other_files_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
    } rows[] = {
        {"{\"record\":\"header\",\"format\":3,\"seals\":[]}\n",
         "format 3 is newer than format 2, the last known here"},
        {"{\"record\":\"header\",\"format\":99999999999999999999,\"x\":1}\n",
         "is newer than format 2"},
        {"{\"record\":\"header\",\"format\":0,\"x\":1}\n", "names no format"},
        {"{\"record\":\"header\",\"format\":\"1\"}\n", "names no format"},
        {"{\"record\":\"case\"}\n", "not a result log"},
        {"\n", "not a result log"},
        {"<?xml version=\"1.0\"?>", "not a result log"},
        {"\x7f"
         "ELF",
         "not a result log"},
        {"{\"record\":\"header\",\"format\":1,\"suite\":\"1\"}\n", "chain"},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen seen = {0};
        file_write(scratch->log, rows[i].text, strlen(rows[i].text));
        assert_int_equal(look(scratch, &seen), -1);
        assert_error_at(scratch, 1);
        assert_error_has(scratch, rows[i].reason);
        assert_int_equal(seen.headers, 0);
        assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    }
}

static void unreadable_logs_are_refused(void **state)
{
    struct scratch *scratch = *state;
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_has(scratch, "is not the folder of a run: it has no results.jsonl");
    assert_int_equal(mkdir(scratch->log, 0777), 0);
    assert_int_equal(look(scratch, &seen), -1);
    assert_error_has(scratch, strerror(EISDIR));
}

static void reader_can_stop(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    struct seen seen = {.stop_after = 2};
    assert_int_equal(look(scratch, &seen), 0);
    assert_int_equal(seen.records, 2);
    assert_int_equal(seen.ends, 0);
}

/* ---- going on -------------------------------------------------------------------------------- */

static void run_cut_anywhere_goes_on(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    size_t header = strcspn(bytes, "\n") + 1;
    struct topk_result pass = sample_pass();
    for (size_t length = header; length <= size; length++) {
        file_write(scratch->log, bytes, length);
        unsigned cases = whole_lines(bytes, length) - 1;
        cases -= length == size; /* the end record goes */
        struct topk_log *log = topk_log_append(scratch->dir, scratch->error, sizeof scratch->error);
        if (log == NULL) {
            fail_msg("cut at %zu: %s", length, scratch->error);
        }
        log_put(log, cases, "a.d:top_k", &pass);
        log_finish(log, true);
        struct seen seen = {0};
        assert_int_equal(look(scratch, &seen), 0);
        assert_int_equal(seen.records, cases + 1);
        assert_int_equal(seen.ends, 1);
        assert_true(seen.complete);
    }
    free(bytes);
}

static void run_without_a_header_does_not_go_on(void **state)
{
    struct scratch *scratch = *state;
    assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, "it has no results.jsonl");
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    file_write(scratch->log, bytes, 40);
    assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    assert_error_at(scratch, 1);
    file_write(scratch->log, "", 0);
    assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    assert_error_at(scratch, 1);
    free(bytes);
}

static void edited_log_does_not_go_on(void **state)
{
    struct scratch *scratch = *state;
    write_small_log(scratch);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    strstr(bytes, "\"fail\"")[1] = 'm';
    file_write(scratch->log, bytes, size);
    assert_null(topk_log_append(scratch->dir, scratch->error, sizeof scratch->error));
    assert_error_at(scratch, 3);
    size_t after;
    char *same = file_read(scratch->log, &after);
    assert_int_equal(after, size);
    assert_memory_equal(same, bytes, size);
    free(same);
    free(bytes);
}

static void second_run_is_kept_out(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    pid_t child = fork(); /* a process never locks itself out */
    assert_true(child >= 0);
    if (child == 0) {
        char error[1024];
        bool out = topk_log_append(scratch->dir, error, sizeof error) == NULL &&
                   strstr(error, "is in use: process ") != NULL;
        _exit(out ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(topk_log_close(log));
}

/* ---- what becomes of the file while it is written -------------------------------------------- */

static void log_that_is_not_kept_is_noticed(void **state)
{
    struct scratch *scratch = *state;
    const struct topk_result pass = sample_pass();
    const uint64_t totals[TOPK_VERDICT_COUNT] = {[TOPK_VERDICT_PASS] = 1};
    enum {
        REMOVED,
        REPLACED,
        CUT,
        LONGER,
        CHANGED,
        EXCHANGED, /* for another log of that length */
        WAYS
    };
    static const char *const said[WAYS] = {"removed", "replaced", "changed",
                                           "changed", "changed",  "changed"};
    size_t size;
    size_t others_size;
    struct topk_log *other = log_open(scratch);
    log_put(other, 0, "a.c:top_k", &pass);
    assert_true(topk_log_end(other, true, totals));
    assert_true(topk_log_close(other));
    char *others = file_read(scratch->log, &others_size);
    unlink(scratch->log);
    for (int way = 0; way < WAYS; way++) {
        struct topk_log *log = log_open(scratch);
        log_put(log, 0, "a.b:top_k", &pass);
        assert_true(topk_log_intact(log));
        assert_true(topk_log_end(log, true, totals));
        assert_true(way == EXCHANGED || topk_log_settle(log));
        char *bytes = file_read(scratch->log, &size);
        if (way == EXCHANGED) {
            assert_int_equal(size, others_size);
            memcpy(bytes, others, size);
        }
        if (way <= REPLACED) {
            assert_int_equal(unlink(scratch->log), 0);
        }
        if (way == CHANGED) {
            bytes[size / 2] = (char)(bytes[size / 2] ^ 1);
        }
        if (way == REPLACED) {
            file_write(scratch->log, bytes, size);
        } else if (way != REMOVED) {
            const int fd = open(scratch->log, O_WRONLY);
            assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
            assert_int_equal(way == CUT ? ftruncate(fd, (off_t)size - 1)
                                        : pwrite(fd, "\n", way == LONGER, (off_t)size),
                             way == LONGER);
            close(fd);
        }
        free(bytes);
        /* a change of bytes alone costs reading them: only settling does that, after an append */
        assert_int_equal(topk_log_intact(log), way >= CHANGED);
        if (way == CHANGED) {
            assert_true(topk_log_retract(log));
            assert_true(topk_log_end(log, true, totals));
        }
        assert_false(topk_log_settle(log));
        snprintf(scratch->error, sizeof scratch->error, "%s", topk_log_error(log));
        assert_error_has(scratch, scratch->log);
        assert_error_has(scratch, said[way]);
        assert_false(topk_log_close(log));
        if (way >= CHANGED) { /* nor is there an end record that says that all is well */
            bytes = file_read(scratch->log, &size);
            assert_null(strstr(bytes, "\"complete\":true"));
            free(bytes);
        }
        unlink(scratch->log);
    }
    free(others);
}

/* the clauses that a record breaks: a cause stands for all that it explains, which writes outside
 * of the outputs never are */
static void a_cause_stands_for_what_it_explains(void **state)
{
    (void)state;
    const struct topk_log_finding findings[] = {{.clause = TOPK_CLAUSE_S04},
                                                {.clause = TOPK_CLAUSE_M02}};
    for (int caused = 0; caused < 2; caused++) {
        struct topk_log_record record = {.clause = TOPK_CLAUSE_S08,
                                         .cause = caused ? "ties go to the last" : "",
                                         .findings = findings,
                                         .finding_count = 2};
        struct topk_clause_set clauses = {{0}};
        topk_log_clauses(&record, &clauses);
        assert_int_equal(topk_clause_set_has(&clauses, TOPK_CLAUSE_S08), caused);
        assert_int_equal(topk_clause_set_has(&clauses, TOPK_CLAUSE_S04), !caused);
        assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_M02));
    }
}

static void end_record_is_taken_back(void **state)
{
    struct scratch *scratch = *state;
    const struct topk_result pass = sample_pass();
    const uint64_t totals[TOPK_VERDICT_COUNT] = {[TOPK_VERDICT_PASS] = 1};
    struct topk_log *log = log_open(scratch);
    log_put(log, 0, "a.b:top_k", &pass);
    assert_true(topk_log_end(log, true, totals));
    assert_true(topk_log_settle(log));
    assert_true(topk_log_retract(log));
    assert_true(topk_log_end(log, false, totals));
    assert_true(topk_log_close(log));
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    assert_null(strstr(bytes, "\"complete\":true"));
    assert_non_null(strstr(bytes, "\"complete\":false"));
    free(bytes);
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), 0);
    assert_int_equal(seen.records, 1);
}

/* ---- what stands in the way ------------------------------------------------------------------ */

static void existing_log_is_kept(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log_header header = sample_header();
    file_write(scratch->log, "mine", 4);
    assert_null(topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, scratch->log);
    assert_error_has(scratch, "exists");
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    assert_string_equal(bytes, "mine");
    free(bytes);
}

static void directories_are_made(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log_header header = sample_header();
    char dir[PATH_BYTES + 16];
    snprintf(dir, sizeof dir, "%s/a//b/c/", scratch->dir);
    struct topk_log *log = topk_log_create(dir, &header, scratch->error, sizeof scratch->error);
    assert_non_null(log);
    assert_true(topk_log_close(log));
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/a/b/c/%s", scratch->dir, TOPK_LOG_NAME);
    assert_true(file_exists(path));
}

static void impossible_directories_are_named(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log_header header = sample_header();
    char dir[PATH_BYTES + 16];
    snprintf(dir, sizeof dir, "%s/file", scratch->dir);
    file_write(dir, "", 0);
    assert_null(topk_log_create(dir, &header, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, dir);
    snprintf(dir, sizeof dir, "%s/file/below", scratch->dir);
    assert_null(topk_log_create(dir, &header, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, dir);
    assert_error_has(scratch, strerror(ENOTDIR));
    assert_null(topk_log_create_whole(dir, &header, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, strerror(ENOTDIR));
    assert_null(topk_log_create("", &header, scratch->error, sizeof scratch->error));
    assert_error_has(scratch, strerror(ENOENT));
}

static void full_disk_leaves_whole_records(void **state)
{
    struct scratch *scratch = *state;
    struct topk_result pass = sample_pass();
    struct topk_log *log = log_open(scratch);
    log_put(log, 0, "a.b:top_k", &pass);
    struct stat before;
    assert_int_equal(stat(scratch->log, &before), 0);
    file_limit((rlim_t)before.st_size + 50); /* in the middle of the next record */
    bool written = topk_log_case(log, 1, "a.b:top_k1", TOPK_TYPE_F32, TOPK_TYPE_U32, &pass);
    snprintf(scratch->error, sizeof scratch->error, "%s", topk_log_error(log));
    file_limit(RLIM_INFINITY);
    assert_false(written);
    assert_error_has(scratch, scratch->log);
    assert_error_has(scratch, strerror(EFBIG));
    struct stat after;
    assert_int_equal(stat(scratch->log, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    /* there is room again, but a record is missing */
    uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    assert_false(topk_log_case(log, 2, "a.b:c", TOPK_TYPE_F32, TOPK_TYPE_U32, &pass));
    assert_false(topk_log_end(log, true, totals));
    assert_false(topk_log_close(log));
    struct seen seen = {0};
    assert_int_equal(look(scratch, &seen), 1);
    assert_int_equal(seen.records, 1);
}

static void full_disk_leaves_no_log_without_header(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log_header header = sample_header();
    file_limit(50);
    struct topk_log *log =
        topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
    file_limit(RLIM_INFINITY);
    assert_null(log);
    assert_error_has(scratch, scratch->log);
    assert_error_has(scratch, strerror(EFBIG));
    assert_false(file_exists(scratch->log));
}

/* ---- findings as text ------------------------------------------------------------------------ */

static void findings_say_what_is_wrong(void **state)
{
    static const struct {
        struct topk_finding finding;
        uint32_t type;
        const char *place;
        const char *sentence;
    } rows[] = {
        {{.mismatch = TOPK_MISMATCH_INDEX_RANGE,
          .role = TOPK_INDEX,
          .rank = 3,
          .at = {0, 0, 2},
          .expected = 4,
          .actual = 4294967295},
         TOPK_TYPE_F32,
         "index[0,0,2]",
         "index 4294967295 is not below 4"},
        {{.mismatch = TOPK_MISMATCH_VALUE_BITS,
          .role = TOPK_VALUE,
          .rank = 1,
          .at = {7},
          .expected = 0x8000,
          .actual = 0},
         TOPK_TYPE_F16,
         "value[7]",
         "value is 0 (0000), but the element that the index names is -0 (8000)"},
        {{.mismatch = TOPK_MISMATCH_VALUE_ORDER,
          .role = TOPK_VALUE,
          .rank = 8,
          .at = {1, 2, 3, 4, 5, 6, 7, 4294967295},
          .expected = UINT64_MAX,
          .actual = UINT64_C(1) << 63},
         TOPK_TYPE_I64,
         "value[1,2,3,4,5,6,7,4294967295]",
         "value -9223372036854775808 (8000000000000000) comes after -1 (ffffffffffffffff), in the "
         "wrong order"},
        {{.mismatch = TOPK_MISMATCH_INPUT_WRITTEN,
          .role = TOPK_INPUT,
          .byte = INT64_MIN,
          .expected = 0,
          .actual = 0xff},
         TOPK_TYPE_F32,
         "input byte -9223372036854775808",
         "byte 0xff stands where the input had 0x00"},
        {{.mismatch = TOPK_MISMATCH_DESCRIPTION},
         TOPK_TYPE_F32,
         "description",
         "the description breaks this clause"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[TOPK_FINDING_TEXT];
        topk_finding_place(&rows[i].finding, text, sizeof text);
        assert_string_equal(text, rows[i].place);
        topk_finding_sentence(&rows[i].finding, rows[i].type, TOPK_TYPE_U32, text, sizeof text);
        assert_string_equal(text, rows[i].sentence);
    }
}

static void every_finding_fits_and_is_cut_to_size(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        struct topk_finding finding = {.mismatch = (enum topk_mismatch)i,
                                       .role = TOPK_VALUE,
                                       .rank = TOPK_RANK_VALID,
                                       .expected = UINT64_C(1) << 63 | 1,
                                       .actual = UINT64_C(1) << 63 | 2};
        char text[2 * TOPK_FINDING_TEXT];
        topk_finding_sentence(&finding, TOPK_TYPE_I64, TOPK_TYPE_U64, text, sizeof text);
        assert_true(strlen(text) < TOPK_FINDING_TEXT);
        assert_null(strchr(text, '{'));
        for (size_t size = 1; size < 80; size++) {
            char cut[80];
            cut[size] = '!';
            topk_finding_sentence(&finding, TOPK_TYPE_I64, TOPK_TYPE_U64, cut, size);
            assert_true(strlen(cut) < size);
            assert_int_equal(strncmp(cut, text, strlen(cut)), 0);
            assert_int_equal(cut[size], '!');
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_round_trip),
        TEST(readings_round_trip),
        TEST(shrunk_case_round_trips),
        TEST(crash_round_trips),
        TEST(malformed_crash_is_named),
        TEST(case_without_a_type_round_trips),
        TEST(lines_have_their_form),
        TEST(chain_is_sha256_over_the_lines),
        TEST(observations_round_trip),
        TEST(strange_bytes_are_escaped),
        TEST(early_end_round_trips),
        TEST(long_ids_round_trip),
        TEST(log_cut_anywhere_is_read_up_to_the_cut),
        TEST(log_whose_line_ends_were_converted_says_so),
        TEST(every_edited_byte_shows),
        TEST(lines_left_out_or_exchanged_show),
        TEST(lines_that_are_not_understood_are_refused),
        TEST(line_after_the_end_is_refused),
        TEST(newer_formats_and_other_files_are_refused),
        TEST(unreadable_logs_are_refused),
        TEST(reader_can_stop),
        TEST(a_gate_is_read),
        TEST(a_gate_is_written),
        TEST(ends_of_processes_are_kept),
        TEST(who_judged_is_read),
        TEST(judge_of_format_1_may_be_missing),
        TEST(run_cut_anywhere_goes_on),
        TEST(run_without_a_header_does_not_go_on),
        TEST(edited_log_does_not_go_on),
        TEST(second_run_is_kept_out),
        TEST(log_that_is_not_kept_is_noticed),
        TEST(a_cause_stands_for_what_it_explains),
        TEST(end_record_is_taken_back),
        TEST(existing_log_is_kept),
        TEST(directories_are_made),
        TEST(impossible_directories_are_named),
        TEST(full_disk_leaves_whole_records),
        TEST(full_disk_leaves_no_log_without_header),
        TEST(findings_say_what_is_wrong),
        TEST(every_finding_fits_and_is_cut_to_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
