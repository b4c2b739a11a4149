/* Tests the loader against incorrect backends: how it reports an unusable table, how it interprets
 * specs, options and devices, and how it corrects invalid statements of a backend. */
#include "process/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"
#include "protocol/protocol.h"

#define PLUGIN TOPK_BINARY_DIR "/broken_table.so"

/* ---- a scripted backend ---------------------------------------------------------------------- */

static struct backend {
    const char *options; /* that it was opened with */
    char reason[40];     /* the reason it gives for not opening */
    bool opens;
    bool closed;
    struct topk_backend_info info;
    const char *contract;
    uint32_t names; /* number of probes */
    const char *name;
    uint32_t gone_after; /* probe_name() fails after this many calls; 0: never */
    uint32_t named;
    struct topk_backend_probe said;
} backend;

static char options_seen[200];

static void *open_backend(const char *options, char *error, size_t error_bytes)
{
    snprintf(options_seen, sizeof options_seen, "%s", options);
    backend.options = options_seen;
    snprintf(error, error_bytes, "%s", backend.reason);
    return backend.opens ? &backend : NULL;
}

static void describe(void *self, struct topk_backend_info *info)
{
    assert_ptr_equal(self, &backend);
    assert_int_equal(info->batch, 1);
    *info = backend.info;
}

static void run(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    (void)self;
    (void)calls;
    (void)count;
    (void)answers;
    fail();
}

static void close_backend(void *self)
{
    assert_ptr_equal(self, &backend);
    backend.closed = true;
}

static const char *contract(void *self)
{
    assert_ptr_equal(self, &backend);
    return backend.contract;
}

static uint32_t device(uint32_t number, char *options, size_t options_bytes)
{
    memset(options, 'd', options_bytes); /* no terminator */
    return number < 2;
}

static const char *probe_name(void *self, uint32_t number)
{
    assert_ptr_equal(self, &backend);
    backend.named++;
    if (backend.gone_after > 0 && backend.named > backend.gone_after) {
        return NULL;
    }
    return number < backend.names ? backend.name : NULL;
}

static void probe(void *self, uint32_t number, struct topk_backend_probe *to)
{
    assert_ptr_equal(self, &backend);
    assert_true(number < backend.names);
    *to = backend.said;
}

static void start(void *self, const struct topk_backend_call *calls, uint32_t count,
                  struct topk_backend_answer *answers)
{
    run(self, calls, count, answers);
}

static void finish(void *self)
{
    (void)self;
    fail();
}

static uint32_t repeat(void *self)
{
    (void)self;
    fail();
    return 0;
}

static struct topk_backend table;

static int reset(void **state)
{
    (void)state;
    backend = (struct backend){.opens = true, .info = {.feature_level = 0x5000, .batch = 1}};
    table = (struct topk_backend){.abi = TOPK_BACKEND_ABI,
                                  .struct_bytes = sizeof table,
                                  .name = "table",
                                  .open = open_backend,
                                  .describe = describe,
                                  .run = run,
                                  .close = close_backend};
    return 0;
}

/* Returns the table as if the loader had found it. */
static struct topk_loaded found(const char *options)
{
    return (struct topk_loaded){.backend = &table, .options = options};
}

static struct topk_loaded opened(void)
{
    struct topk_loaded loaded = found("");
    char error[200];
    if (!topk_loader_open_found(&loaded, "", error, sizeof error)) {
        fail_msg("%s", error);
    }
    return loaded;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Sets what the plugin's entry returns. Close the returned library to unload the plugin. */
static void *give_table(const struct topk_backend *given)
{
    char error[200];
    const struct topk_backend **place = NULL;
    void *library = topk_library_open(PLUGIN, error, sizeof error);
    assert_non_null(library);
    assert_true(topk_library_symbol(library, "broken_table", &place, sizeof place));
    *place = given;
    return library;
}

static void assert_not_found(const struct topk_backend *given, const char *message)
{
    struct topk_loaded loaded;
    char error[400] = "";
    void *library = give_table(given);
    assert_false(topk_loader_find(&loaded, PLUGIN, error, sizeof error));
    if (strstr(error, message) == NULL) {
        fail_msg("%s, not %s", error, message);
    }
    assert_null(loaded.library);
    assert_null(loaded.backend);
    topk_library_close(library);
}

#define END_OF(member)                                                                             \
    ((uint32_t)(offsetof(struct topk_backend, member) + sizeof((struct topk_backend *)0)->member))

static void tables_that_cannot_be_used_are_not_found(void **state)
{
    (void)state;
    assert_not_found(NULL, "topk_backend_entry() returned NULL");
    table.abi = 0;
    assert_not_found(&table, "has ABI version 0, this worker needs 1");
    reset(NULL);
    table.struct_bytes = END_OF(close) - 1;
    assert_not_found(&table, "has a struct topk_backend whose struct_bytes is ");
    reset(NULL);
    table.open = NULL;
    assert_not_found(&table, "has a struct topk_backend whose open is NULL");
    reset(NULL);
    table.describe = NULL;
    assert_not_found(&table, "has a struct topk_backend whose describe is NULL");
    reset(NULL);
    table.run = NULL;
    assert_not_found(&table, "has a struct topk_backend whose run is NULL");
    reset(NULL);
    table.close = NULL;
    assert_not_found(&table, "has a struct topk_backend whose close is NULL");
}

/* The table may end after close(); later members are then not read. */
static void tables_may_end_with_close(void **state)
{
    (void)state;
    struct topk_loaded loaded;
    char error[400];
    char options[10];
    table.struct_bytes = END_OF(close);
    memset((char *)&table + END_OF(close), 0xa5, sizeof table - END_OF(close));
    void *library = give_table(&table);
    if (!topk_loader_open(&loaded, PLUGIN ":a=1", error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_string_equal(backend.options, "a=1");
    assert_false(loaded.starts);
    assert_false(loaded.repeats);
    assert_int_equal(loaded.info.flags, 0);
    assert_int_equal(topk_loader_probe_count(&loaded), 0);
    assert_false(topk_loader_device(&loaded, 0, options, sizeof options));
    topk_loader_close(&loaded);
    assert_true(backend.closed);
    topk_library_close(library);
}

/* Splits specs into path and options, and recognizes the names of built-in backends. */
static void specs_are_parted(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *message; /* the reason why it is not found */
    } rows[] = {
        {"./a.so:b.so:c", "./a.so: "},
        {"a.so", "./a.so: "},
        {"a.dll", "./a.dll: "},
        {"a.dll:b", "./a.dll: "},
        {".\\a.dll:b", ".\\a.dll: "}, /* the path is printed as given */
        {"./a:b", "./a:b: "},         /* a path may contain a colon */
        {".\\a:b", ".\\a:b: "},
        {"dll", "unknown backend 'dll'"},
        {".so", "unknown backend '.so'"},
        {".dll", "unknown backend '.dll'"},
        {"cpus:a", "unknown backend 'cpus:a'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_loaded loaded;
        char error[400];
        assert_false(topk_loader_find(&loaded, rows[i].spec, error, sizeof error));
        if (strncmp(error, rows[i].message, strlen(rows[i].message)) != 0) {
            fail_msg("%s: %s", rows[i].spec, error);
        }
    }
    struct topk_loaded loaded;
    char error[40];
    assert_true(topk_loader_find(&loaded, "cpu:lib=/a.so:b", error, sizeof error));
    assert_string_equal(loaded.backend->name, "cpu");
    assert_string_equal(loaded.options, "lib=/a.so:b");
    topk_loader_close(&loaded);
    assert_true(topk_loader_find(&loaded, "cpu", error, sizeof error));
    assert_string_equal(loaded.options, "");
    topk_loader_close(&loaded);
}

/* A message that exceeds its room is cut and terminated, at any length. */
static void messages_are_cut(void **state)
{
    (void)state;
    struct topk_loaded loaded;
    char whole[400];
    assert_false(topk_loader_find(&loaded, "none", whole, sizeof whole));
    assert_non_null(strstr(whole, "; built in: cpu"));
    assert_non_null(strstr(whole, "; a plugin is given by its path, ./name.so or .\\name.dll"));
    for (size_t room = 1; room < strlen(whole); room++) {
        char error[400];
        memset(error, 'x', sizeof error);
        assert_false(topk_loader_find(&loaded, "none", error, room));
        assert_int_equal(strlen(error), room - 1);
        assert_memory_equal(error, whole, room - 1);
        for (size_t i = room; i < sizeof error; i++) {
            assert_int_equal(error[i], 'x');
        }
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

static void options_of_spec_and_device_are_joined(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *device;
        const char *joined;
    } rows[] = {{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a,b"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_loaded loaded = found(rows[i].options);
        char error[100];
        assert_true(topk_loader_open_found(&loaded, rows[i].device, error, sizeof error));
        assert_string_equal(backend.options, rows[i].joined);
        topk_loader_close(&loaded);
        assert_true(backend.closed);
    }
}

static void a_backend_that_does_not_open_gives_a_reason(void **state)
{
    (void)state;
    struct topk_loaded loaded = found("");
    char error[100];
    backend.opens = false;
    assert_false(topk_loader_open_found(&loaded, "", error, sizeof error));
    assert_string_equal(error, "backend table did not open and gave no reason");
    assert_false(loaded.misdeclared);
    loaded = found("");
    snprintf(backend.reason, sizeof backend.reason, "no device");
    assert_false(topk_loader_open_found(&loaded, "", error, sizeof error));
    assert_string_equal(error, "no device");
    assert_false(backend.closed);
}

static void devices_end_where_their_room_does(void **state)
{
    (void)state;
    const struct topk_loaded loaded = found("");
    char options[10];
    assert_false(topk_loader_device(&loaded, 0, options, sizeof options));
    assert_string_equal(options, "");
    table.device = device;
    assert_true(topk_loader_device(&loaded, 1, options, sizeof options));
    assert_string_equal(options, "ddddddddd");
    assert_false(topk_loader_device(&loaded, 2, options, sizeof options));
    table.struct_bytes = END_OF(device) - 1;
    assert_false(topk_loader_device(&loaded, 1, options, sizeof options));
}

static void what_a_backend_says_of_itself_is_mended(void **state)
{
    (void)state;
    static const uint32_t batches[][2] = {
        {0, 1}, {1, 1}, {1024, 1024}, {1025, 1024}, {UINT32_MAX, 1024}};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        backend.info.batch = batches[i][0];
        struct topk_loaded loaded = opened();
        assert_int_equal(loaded.info.batch, batches[i][1]);
        const char *const texts[] = {loaded.info.name,     loaded.info.version,
                                     loaded.info.device,   loaded.info.driver,
                                     loaded.info.features, loaded.info.invalid_calls_reason};
        for (size_t t = 0; t < 6; t++) {
            assert_string_equal(texts[t], "");
        }
        topk_loader_close(&loaded);
    }
}

/* The optional functions count only in complete pairs, and only if the table is long enough to
 * include them. */
static void functions_are_there_in_pairs(void **state)
{
    (void)state;
    for (int missing = 0; missing < 8; missing++) {
        reset(NULL);
        backend.info.flags = TOPK_BACKEND_PROBES; /* a backend cannot set this itself */
        table.probe_name = missing == 1 ? NULL : probe_name;
        table.probe = missing == 2 ? NULL : probe;
        table.start = missing == 3 ? NULL : start;
        table.finish = missing == 4 ? NULL : finish;
        table.repeat = missing == 5 ? NULL : repeat;
        table.struct_bytes = missing == 6   ? END_OF(finish) - 1
                             : missing == 7 ? END_OF(repeat) - 1
                                            : sizeof table;
        struct topk_loaded loaded = opened();
        assert_int_equal((loaded.info.flags & TOPK_BACKEND_PROBES) != 0,
                         missing != 1 && missing != 2);
        assert_int_equal(loaded.starts, missing != 3 && missing != 4 && missing != 6);
        assert_int_equal(loaded.repeats, missing < 5);
        topk_loader_close(&loaded);
    }
}

static void contracts_are_taken_or_misdeclared(void **state)
{
    (void)state;
    struct topk_loaded loaded;
    char error[600];
    table.contract = contract; /* the function returns NULL */
    loaded = opened();
    assert_true(topk_contract_plain(&loaded.contract));
    topk_loader_close(&loaded);
    backend.contract = "invalid=own";
    loaded = opened();
    assert_int_equal(loaded.info.flags, TOPK_BACKEND_OWN_CONTRACT);
    topk_loader_close(&loaded);
    backend.contract = "ties=never";
    backend.closed = false;
    loaded = found("");
    assert_false(topk_loader_open_found(&loaded, "", error, sizeof error));
    assert_true(loaded.misdeclared);
    assert_true(backend.closed);
    assert_memory_equal(error, "backend table: its contract, ", 29);
    /* if the table ends before `contract`, there is no contract */
    table.struct_bytes = END_OF(contract) - 1;
    loaded = opened();
    assert_true(topk_contract_plain(&loaded.contract));
    topk_loader_close(&loaded);
}

/* ---- probes ---------------------------------------------------------------------------------- */

static struct topk_loaded with_probes(uint32_t count, const char *name)
{
    backend.names = count;
    backend.name = name;
    table.probe_name = probe_name;
    table.probe = probe;
    return opened();
}

static void names_of_probes_are_mended(void **state)
{
    (void)state;
    struct topk_loaded loaded = with_probes(UINT32_MAX, "A b");
    char name[TOPK_PROBE_NAME];
    assert_int_equal(topk_loader_probe_count(&loaded), TOPK_PROBES_MAX);
    topk_loader_probe_name(&loaded, 5, name);
    assert_string_equal(name, "--b");
    backend.name = "";
    topk_loader_probe_name(&loaded, 5, name);
    assert_string_equal(name, "probe-5");
    backend.name = "a.name.that.is.longer.than.a.name.of.a.probe.may.be";
    topk_loader_probe_name(&loaded, 5, name);
    assert_int_equal(strlen(name), TOPK_PROBE_NAME - 1);
    /* a probe that was counted but then has no name */
    backend.named = 0;
    backend.gone_after = 1;
    backend.names = 1;
    assert_int_equal(topk_loader_probe_count(&loaded), 1);
    topk_loader_probe_name(&loaded, 0, name);
    assert_string_equal(name, "probe-0");
    topk_loader_close(&loaded);
}

static void probes_say_what_can_be_said(void **state)
{
    (void)state;
    struct topk_loaded loaded = with_probes(2, "seen");
    char text[TOPK_LOADER_PROBE_TEXT];
    struct topk_probe said;
    topk_loader_probes_print(&loaded, text);
    assert_string_equal(text, "probes=seen,seen");
    memset(&backend.said, 'x', sizeof backend.said); /* texts without terminators */
    backend.said.verdict = TOPK_BACKEND_PROBE_VIOLATION;
    topk_loader_probe(&loaded, 1, &said);
    assert_int_equal(said.verdict, TOPK_PROBE_VIOLATION);
    assert_int_equal(strlen(said.value), sizeof backend.said.value - 1);
    assert_int_equal(strlen(said.detail), sizeof backend.said.detail - 1);
    backend.said.verdict = TOPK_BACKEND_PROBE_FAILED + 1;
    topk_loader_probe(&loaded, 1, &said);
    assert_int_equal(said.verdict, TOPK_PROBE_FAILED);
    assert_memory_equal(said.detail, "the backend answered with the unknown verdict 4: xxx", 52);
    topk_loader_probe_print(&loaded, 2, text);
    assert_string_equal(text, "verdict=failed value= detail=there%20is%20no%20such%20probe");
    topk_loader_close(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tables_that_cannot_be_used_are_not_found, reset),
        cmocka_unit_test_setup(tables_may_end_with_close, reset),
        cmocka_unit_test_setup(specs_are_parted, reset),
        cmocka_unit_test_setup(messages_are_cut, reset),
        cmocka_unit_test_setup(options_of_spec_and_device_are_joined, reset),
        cmocka_unit_test_setup(a_backend_that_does_not_open_gives_a_reason, reset),
        cmocka_unit_test_setup(devices_end_where_their_room_does, reset),
        cmocka_unit_test_setup(what_a_backend_says_of_itself_is_mended, reset),
        cmocka_unit_test_setup(functions_are_there_in_pairs, reset),
        cmocka_unit_test_setup(contracts_are_taken_or_misdeclared, reset),
        cmocka_unit_test_setup(names_of_probes_are_mended, reset),
        cmocka_unit_test_setup(probes_say_what_can_be_said, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
