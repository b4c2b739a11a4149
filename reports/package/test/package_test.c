/* Tests packages: honest ones are verified; packages that were changed, truncated, stripped of
 * parts or made with false statements are not, even if they are signed. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp, open_memstream */

#include "package_fixture.h"

#include "package/statement.h"

#define WAIVER                                                                                     \
    "\nverdict=fail select=axis backend=reference owner=\"J. D\" reason=known "                    \
    "expires=2026-12-31\n"

static void assert_refused(struct scratch *scratch, bool read, const char *name, const char *reason)
{
    if (read || strstr(scratch->error, reason) == NULL) {
        fail_msg("%s: %s, where '%s' was expected", name, read ? "verified" : scratch->error,
                 reason);
    }
}

/* ---- honest packages ------------------------------------------------------------------------- */

static void an_honest_package_is_verified(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    struct topk_package package;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed packed = small_pack(scratch, &small);
    assert_non_null(packed.bytes);
    assert_true(topk_package_read(&package, "p.tar", packed.bytes, packed.size, &small.public_key,
                                  &small.table, scratch->error, sizeof scratch->error));
    const struct topk_audit *audit = &package.audit;
    assert_int_equal(audit->header.cases, 4);
    assert_int_equal(audit->totals[TOPK_VERDICT_PASS], 2);
    assert_int_equal(audit->totals[TOPK_VERDICT_FAIL], 1);
    assert_int_equal(audit->totals[TOPK_VERDICT_UNSUPPORTED], 1);
    assert_int_equal(audit->level_count, 4);
    assert_int_equal(topk_audit_conformance(audit, &audit->levels[0]), TOPK_CONFORMANCE_WHOLE);
    assert_int_equal(topk_audit_conformance(audit, &audit->levels[2]), TOPK_CONFORMANCE_UNTESTED);
    assert_int_equal(topk_audit_conformance(audit, &audit->levels[3]), TOPK_CONFORMANCE_FAILED);
    assert_true(audit->tested.asked && audit->tested.served);
    assert_true(audit->levels[2].tested.asked && !audit->levels[2].tested.served);
    assert_false(audit->levels[3].tested.asked);
    assert_int_equal(audit->clauses[TOPK_CLAUSE_S04], 1);
    assert_string_equal(audit->header.revision, "abc");
    char *statement = topk_statement_text(audit, NULL);
    assert_non_null(strstr(statement, "It does not conform"));
    assert_non_null(strstr(statement, "feature level 2.0: it conforms; 1 case: 1 pass"));
    free(statement);
    topk_package_free(&package);
    free(packed.bytes);
}

/* A signature does not change who judged the run. */
static void a_worker_states_no_conformance(void **state)
{
    struct scratch *scratch = *state;
    for (int judge = 0; judge < TOPK_JUDGE_COUNT; judge++) {
        struct small small;
        struct topk_package package;
        const char *phrase = topk_judge_phrase((enum topk_judge)judge);
        small_make(&small);
        small_log(scratch, &small,
                  &(struct lie){.judge = (enum topk_judge)judge + 1, .right = true});
        struct packed packed = small_pack(scratch, &small);
        if (packed.bytes == NULL) {
            fail_msg("%s", scratch->error);
        }
        assert_true(topk_package_read(&package, "p.tar", packed.bytes, packed.size, NULL,
                                      &small.table, scratch->error, sizeof scratch->error));
        char *statement = topk_statement_text(&package.audit, NULL);
        char *json = topk_statement_json(&package.audit);
        const bool conforms = strstr(statement, "conforms") != NULL;
        assert_int_equal(conforms, judge == TOPK_JUDGE_APART);
        assert_int_equal(strstr(json, "\"conformant") != NULL, conforms);
        assert_non_null(strstr(statement, phrase));
        assert_int_equal(topk_conformance_good(topk_audit_conformance(&package.audit, NULL)),
                         conforms);
        for (size_t i = 0; i < package.audit.level_count; i++) {
            const struct topk_audit_level *level = &package.audit.levels[i];
            const enum topk_conformance conformance = topk_audit_conformance(&package.audit, level);
            assert_true(conforms || !topk_conformance_good(conformance));
        }
        /* one of the three passes is by status alone, and is listed separately */
        assert_non_null(
            strstr(statement, "3 pass, 1 unsupported; 1 of the passes by status alone"));
        assert_non_null(strstr(statement, "feature level 2.1: it"));
        assert_non_null(
            strstr(statement,
                   "1 case: 1 pass; 1 of the passes by status alone; 1 of 1 valid calls served\n"));
        assert_non_null(strstr(json, "\"by_status\": 1"));
        free(statement);
        free(json);
        topk_package_free(&package);
        free(packed.bytes);
    }
}

static void what_was_done_with_failures_may_be_in_it(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){.shrunk = 4, .again = 1});
    struct packed packed = small_pack(scratch, &small);
    assert_non_null(packed.bytes);
    assert_true(small_read(scratch, &small, packed.bytes, packed.size));
    free(packed.bytes);
}

static void the_same_log_gives_the_same_package(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed one = small_pack(scratch, &small);
    struct packed two = small_pack(scratch, &small);
    if (one.bytes == NULL || two.bytes == NULL) {
        fail_msg("%s", scratch->error);
        return;
    }
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.bytes, two.bytes, one.size);
    free(one.bytes);
    free(two.bytes);
}

static void a_waived_failure_is_declared(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    struct topk_package package;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){.expectations = WAIVER, .waived = 2});
    struct packed packed = small_pack(scratch, &small);
    if (packed.bytes == NULL) {
        fail_msg("%s", scratch->error);
    }
    assert_true(topk_package_read(&package, "p.tar", packed.bytes, packed.size, NULL, &small.table,
                                  scratch->error, sizeof scratch->error));
    assert_int_equal(topk_audit_conformance(&package.audit, NULL), TOPK_CONFORMANCE_WAIVED);
    assert_int_equal(package.audit.outcomes[3].verdict, TOPK_VERDICT_FAIL);
    const struct topk_archive_entry *entry = &package.entries[TOPK_ENTRY_EXPECTATIONS];
    assert_int_equal(entry->size, strlen(WAIVER));
    assert_memory_equal(entry->bytes, WAIVER, entry->size);
    char *statement = topk_statement_text(&package.audit, NULL);
    assert_non_null(strstr(statement, "line 2, fail of axis: 1 of 1 cases failed as it says"));
    assert_non_null(strstr(statement, "until 2026-12-31; owner J. D; reason: known"));
    free(statement);
    topk_package_free(&package);
    free(packed.bytes);
}

/* ---- changed bytes --------------------------------------------------------------------------- */

static void each_changed_byte_is_detected(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed packed = small_pack(scratch, &small);
    assert_non_null(packed.bytes);
    for (size_t i = 0; i < packed.size; i++) {
        char before = packed.bytes[i];
        packed.bytes[i] = (char)(before ^ 1 << i % 8);
        if (small_read(scratch, &small, packed.bytes, packed.size)) {
            fail_msg("byte %zu of %zu was changed, and it is verified", i, packed.size);
        }
        assert_string_not_equal(scratch->error, "");
        packed.bytes[i] = before;
    }
    assert_true(small_read(scratch, &small, packed.bytes, packed.size));
    free(packed.bytes);
}

static void each_cut_and_what_follows_is_detected(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed packed = small_pack(scratch, &small);
    if (packed.bytes == NULL) {
        fail_msg("%s", scratch->error);
        return;
    }
    for (size_t size = 0; size < packed.size; size++) {
        /* an exact copy, so that reads past the end are noticed */
        char *cut = malloc(size + (size == 0));
        assert_non_null(cut);
        memcpy(cut, packed.bytes, size);
        if (small_read(scratch, &small, cut, size)) {
            fail_msg("cut to %zu of %zu bytes, and it is verified", size, packed.size);
        }
        free(cut);
    }
    char *more = calloc(packed.size + 1024, 1);
    assert_non_null(more);
    memcpy(more, packed.bytes, packed.size);
    assert_refused(scratch, small_read(scratch, &small, more, packed.size + 1), "a byte more",
                   "bytes follow the end");
    assert_refused(scratch, small_read(scratch, &small, more, packed.size + 1024), "blocks more",
                   "bytes follow the end");
    free(more);
    free(packed.bytes);
}

/* ---- lies ------------------------------------------------------------------------------------ */

static const struct lie lies[] = {
    {.name = "chaos", .refusal = ":1: results were corrupted on purpose: --chaos r", .chaos = "r"},
    {.name = "terminal", .refusal = "--chaos ?[1m?", .chaos = "\x1b[1m\n"},
    {.name = "selection", .refusal = ":1: only selected cases", .selection = true},
    {.name = "level", .refusal = ":1: --feature-level left out", .level = 0x3100},
    {.name = "other profile", .refusal = ":1: the run is of profile 'tiny'", .profile = "tiny"},
    {.name = "other version", .refusal = ":1: the run is of profile small v6", .version = 6},
    {.name = "newer version", .refusal = ":1: the run is of profile small v8", .version = 8},
    {.name = "digest", .refusal = ":1: the profile's digest is not", .other_digest = true},
    {.name = "fewer cases", .refusal = ":1: the run is of 3 cases", .cases = 3, .left_out = 4},
    {.name = "left out", .refusal = "3 of 4 cases have a result", .left_out = 2},
    {.name = "ended early",
     .refusal = "is not complete, ended early after 2 crashes (--max-crashes 2): 3 of 4 cases",
     .left_out = 2,
     .early = TOPK_EARLY_MAX_CRASHES},
    {.name = "ended early with all", .refusal = "did not finish", .early = TOPK_EARLY_FAIL_FAST},
    {.name = "twice", .refusal = ":4: case 1 has a result already", .twice = 2},
    {.name = "number",
     .refusal = ":3: case 9 does not belong to the run",
     .renumbered = 2,
     .number = 9},
    {.name = "number of cases",
     .refusal = ":3: case 4 does not belong to the run",
     .renumbered = 2,
     .number = 4},
    {.name = "other case", .refusal = ":3: case 1 is not the case", .renamed = 2},
    {.name = "killed", .refusal = "no end record", .no_end = true},
    {.name = "incomplete", .refusal = "did not finish", .incomplete = true},
    {.name = "shrunk from a pass", .refusal = ":6: case 1 cannot be shrunk", .shrunk = 2},
    {.name = "shrunk from none", .refusal = ":6: case 4 cannot be shrunk", .shrunk = 5},
    {.name = "run again twice",
     .refusal = ":7: case 3 has a record of that it was run again already",
     .again = 2},
    {.name = "a part twice",
     .refusal = ":7: the plugin under test mine.so has a record already",
     .parts = 2},
    {.name = "a part exchanged",
     .refusal = ":7: the plugin under test mine.so was exchanged",
     .parts = 3},
    {.name = "totals", .refusal = ":6: the totals are not", .other_totals = true},
    {.name = "pass with finding",
     .refusal = ":3: the verdict cannot be 'pass'",
     .with_finding = true},
    {.name = "fail without",
     .refusal = ":3: the verdict cannot be 'fail'",
     .told = TOPK_VERDICT_FAIL},
    {.name = "accepted without",
     .refusal = ":3: the verdict cannot be 'accepted'",
     .told = TOPK_VERDICT_ACCEPTED},
    {.name = "waived by nothing",
     .refusal = ":5: the verdict is 'expected-fail', and by the",
     .waived = 1},
    {.name = "waived by another line",
     .refusal = ":5: the verdict is 'expected-fail'",
     .expectations = WAIVER,
     .waived = 3},
    {.name = "not waived",
     .refusal = "'fail', and by the expectations of the run it is 'expected-",
     .expectations = WAIVER},
    {.name = "bad rule",
     .refusal = ":1: expectations:2:9: not a verdict",
     .waived = 2,
     .expectations = "\nverdict=pass select=a backend=b owner=o reason=r expires=2026-01-01"},
    {.name = "no verdict of its own",
     .refusal = "it is not said what",
     .told = TOPK_VERDICT_EXPECTED_FAIL},
    {.name = "unexpected", .refusal = "it is not said what", .told = TOPK_VERDICT_UNEXPECTED_PASS},
};

/* Puts the log of another run into an honest package and signs it. */
static struct packed foist(struct scratch *scratch, const struct small *small,
                           const struct packed *honest)
{
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    size_t size;
    char *log = file_read(scratch->log, &size);
    small_entries(honest, entries, &count);
    entries[TOPK_ENTRY_LOG].bytes = log;
    entries[TOPK_ENTRY_LOG].size = size;
    struct packed packed = small_sign(small, entries, count);
    free(log);
    return packed;
}

static void what_may_not_be_shown_is_neither_packed_nor_verified(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed honest = small_pack(scratch, &small);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        small_log(scratch, &small, &lies[i]);
        struct packed packed = small_pack(scratch, &small);
        assert_refused(scratch, packed.bytes != NULL, lies[i].name, lies[i].refusal);
        struct packed foisted = foist(scratch, &small, &honest);
        assert_refused(scratch, small_read(scratch, &small, foisted.bytes, foisted.size),
                       lies[i].name, lies[i].refusal);
        assert_refused(scratch, false, lies[i].name, "p.tar: results.jsonl:");
        free(foisted.bytes);
    }
    free(honest.bytes);
}

static void a_log_that_was_cut_or_edited_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    size_t size;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed honest = small_pack(scratch, &small);
    char *log = file_read(scratch->log, &size);
    file_write(scratch->log, log, size - 1);
    struct packed cut = foist(scratch, &small, &honest);
    assert_refused(scratch, small_read(scratch, &small, cut.bytes, cut.size), "cut",
                   "results.jsonl:6: the line was truncated");
    file_write(scratch->log, log, 0);
    struct packed empty = foist(scratch, &small, &honest);
    assert_refused(scratch, small_read(scratch, &small, empty.bytes, empty.size), "empty",
                   "results.jsonl:1: the log is empty");
    *strstr(strchr(log, '\n'), "pass") = 'P';
    file_write(scratch->log, log, size);
    struct packed edited = foist(scratch, &small, &honest);
    assert_refused(scratch, small_read(scratch, &small, edited.bytes, edited.size), "edited",
                   "results.jsonl:2: the chain breaks");
    free(log);
    free(cut.bytes);
    free(empty.bytes);
    free(edited.bytes);
    free(honest.bytes);
}

/* Replaces an entry of an honest package, signs it, and asserts that it is refused. */
static void assert_foisted(struct scratch *scratch, enum topk_package_entry entry,
                           const char *bytes, size_t size, const char *refusal)
{
    struct small small;
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed honest = small_pack(scratch, &small);
    small_entries(&honest, entries, &count);
    entries[entry].bytes = bytes;
    entries[entry].size = size;
    struct packed packed = small_sign(&small, entries, count);
    assert_refused(scratch, small_read(scratch, &small, packed.bytes, packed.size),
                   topk_package_names[entry], refusal);
    free(packed.bytes);
    free(honest.bytes);
}

static void other_entries_than_the_log_makes_are_refused(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    char list[2048];
    small_make(&small);
    assert_foisted(scratch, TOPK_ENTRY_STATEMENT, "It conforms.\n", 13,
                   "statement.txt: it is not what this topk-cts makes of the log");
    assert_foisted(scratch, TOPK_ENTRY_JSON, "{}\n", 3,
                   "package.json: it is not what this topk-cts makes of the log");
    assert_foisted(scratch, TOPK_ENTRY_MUSTPASS, small.list, strlen(small_ids[0]) + 1,
                   "mustpass.txt:2: the list ends before the last case of ties.one");
    snprintf(list, sizeof list, "%saxis.two:top_k1 fl=5.0\n", small.list);
    assert_foisted(scratch, TOPK_ENTRY_MUSTPASS, list, strlen(list),
                   "mustpass.txt:6: there are more cases than in profile small");
    snprintf(list, sizeof list, "%s", small.list);
    *strstr(list, "k=2") = 'K';
    assert_foisted(scratch, TOPK_ENTRY_MUSTPASS, list, strlen(list),
                   "mustpass.txt:1: from here on these are not the cases of ties.one");
    assert_foisted(scratch, TOPK_ENTRY_EXPECTATIONS, WAIVER, strlen(WAIVER),
                   "expectations.txt: these are not those of the run");
    char key[TOPK_PUBLIC_KEY_TEXT];
    topk_public_key_print(&small.public_key, key);
    const char *line = strchr(key, '\n') + 1;
    assert_foisted(scratch, TOPK_ENTRY_KEY, line, strlen(line),
                   "key.pub: this is not as `topk-cts package' writes it");
    assert_foisted(scratch, TOPK_ENTRY_KEY, "RWQ", 3, "key.pub: this is not a public key");
}

/* A sequence asks for the highest level of its calls, whichever call has it. */
static void a_sequence_asks_for_its_highest_level(void **state)
{
    (void)state;
    static const char text[] = "t.s:top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 then top_k1 fl=5.0 "
                               "in=f32[4] axis=0 k=1 dir=inc\n"
                               "t.s:top_k1 fl=5.0 in=f32[4] axis=0 k=1 dir=inc then top_k fl=2.0 "
                               "in=f32[1,1,1,4] axis=3 k=2\n"
                               "t.s:top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 then top_k fl=2.0 "
                               "in=f32[1,1,1,4] axis=3 k=2\n";
    static const uint32_t levels[] = {0x5000, 0x5000, 0x2000};
    char digest[TOPK_SHA256_TEXT];
    char error[256] = "";
    struct topk_mustpass_list list;
    topk_sha256_print(text, sizeof text - 1, digest);
    const struct topk_mustpass_test test = {"t.s", 3, digest};
    const struct topk_mustpass profile = {"p", 1, &test, 1};
    if (!topk_mustpass_read(&list, &profile, "l", text, sizeof text - 1, error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(list.lines[i].level, levels[i]);
    }
    topk_mustpass_free(&list);
}

/* ---- who signed ------------------------------------------------------------------------------ */

static void another_key_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed packed = small_pack(scratch, &small);
    small.public_key.key[0] ^= 1;
    assert_refused(scratch, small_read(scratch, &small, packed.bytes, packed.size), "other key",
                   "manifest.sha256.minisig: it was signed with key");
    assert_non_null(strstr(scratch->error, "although both have that name"));
    free(packed.bytes);
}

/* The statement says what had to be served but was not, and the conformance depends on it. */
static void a_gate_is_stated(void **state)
{
    static const struct {
        const char *require;
        uint32_t least;
        enum topk_conformance conformance;
        const char *line, *comment;
    } rows[] = {
        {"t", 60, TOPK_CONFORMANCE_LACKING, "  t is required: 1 of its 3 cases are not served\n",
         ": not-as-required, serves 66 % of the valid calls"},
        {"u", 60, TOPK_CONFORMANCE_LACKING, "  u is required: no case asks for it\n",
         ": not-as-required, serves 66 % of the valid calls"},
        {NULL, 66, TOPK_CONFORMANCE_PARTLY, "  at least 66 % had to be served\n",
         ": conformant-in-part, serves 66 % of the valid calls"},
        {NULL, 67, TOPK_CONFORMANCE_TOO_LITTLE, "  at least 67 % had to be served\n",
         ": serves-too-little, serves 66 % of the valid calls"},
    };
    struct scratch *scratch = *state;
    struct small small;
    small_make(&small);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_package package;
        small_log(scratch, &small,
                  &(struct lie){.right = true, .require = rows[i].require, .least = rows[i].least});
        struct packed packed = small_pack(scratch, &small);
        assert_true(topk_package_read(&package, "p.tar", packed.bytes, packed.size, NULL,
                                      &small.table, scratch->error, sizeof scratch->error));
        assert_int_equal(topk_audit_conformance(&package.audit, NULL), rows[i].conformance);
        assert_non_null(strstr(package.comment, rows[i].comment));
        char *statement = topk_statement_text(&package.audit, NULL);
        assert_non_null(strstr(statement, "\nShare served\n  66 % of the valid calls: 2 of 3\n"));
        assert_non_null(strstr(statement, rows[i].line));
        free(statement);
        topk_package_free(&package);
        free(packed.bytes);
    }
}

static void another_format_is_named(void **state)
{
    struct scratch *scratch = *state;
    struct small small;
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    char manifest[4096];
    small_make(&small);
    small_log(scratch, &small, &(struct lie){0});
    struct packed honest = small_pack(scratch, &small);
    small_entries(&honest, entries, &count);
    snprintf(manifest, sizeof manifest, "%.*s", (int)entries[0].size, entries[0].bytes);
    *strstr(manifest, "format ") = 'F';
    entries[0].bytes = manifest;
    struct packed none = small_archive(entries, count);
    assert_refused(scratch, small_read(scratch, &small, none.bytes, none.size), "no format",
                   "manifest.sha256: the first line names no format");
    char *format = strstr(manifest, "Format ");
    assert_non_null(format);
    format[0] = 'f';
    format[7] = '9';
    struct packed newer = small_archive(entries, count);
    assert_refused(scratch, small_read(scratch, &small, newer.bytes, newer.size), "newer format",
                   "manifest.sha256: format 9 of packages is newer than format");
    format[7] = (char)('0' + TOPK_PACKAGE_FORMAT + 1);
    struct packed next = small_archive(entries, count);
    assert_refused(scratch, small_read(scratch, &small, next.bytes, next.size), "next format",
                   " of packages is newer than format");
    free(next.bytes);
    /* the statement of format 1 was worded differently, so only its signature counts */
    format[7] = '1';
    entries[TOPK_ENTRY_STATEMENT].bytes = "what was said then\n";
    entries[TOPK_ENTRY_STATEMENT].size = strlen(entries[TOPK_ENTRY_STATEMENT].bytes);
    struct packed older = small_sign_as(&small, entries, count, 1);
    assert_true(small_read(scratch, &small, older.bytes, older.size));
    small_entries(&honest, entries, &count);
    entries[TOPK_ENTRY_STATEMENT].size--;
    struct packed changed = small_sign(&small, entries, count);
    assert_refused(scratch, small_read(scratch, &small, changed.bytes, changed.size), "statement",
                   "statement.txt: it is not what this topk-cts makes of the log");
    free(older.bytes);
    free(changed.bytes);
    free(none.bytes);
    free(newer.bytes);
    free(honest.bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_honest_package_is_verified),
        TEST(a_worker_states_no_conformance),
        TEST(what_was_done_with_failures_may_be_in_it),
        TEST(the_same_log_gives_the_same_package),
        TEST(a_waived_failure_is_declared),
        TEST(each_changed_byte_is_detected),
        TEST(each_cut_and_what_follows_is_detected),
        TEST(what_may_not_be_shown_is_neither_packed_nor_verified),
        TEST(a_log_that_was_cut_or_edited_is_refused),
        TEST(other_entries_than_the_log_makes_are_refused),
        cmocka_unit_test(a_sequence_asks_for_its_highest_level),
        TEST(another_key_is_refused),
        TEST(a_gate_is_stated),
        TEST(another_format_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
