/* Tests signers: what a file of keys may contain, and for which runs a key counts. */
#define _XOPEN_SOURCE 700

#include "fixture.h"

#include <sodium.h>

#include "package/signers.h"

/* Returns a key with this number. */
static struct topk_public_key key_of(uint8_t number)
{
    struct topk_public_key key = {.id = {number}, .key = {number}};
    return key;
}

/* Returns the key's line in minisign's file. */
static const char *line_of(uint8_t number)
{
    static char texts[4][TOPK_PUBLIC_KEY_TEXT];
    const struct topk_public_key key = key_of(number);
    char *text = texts[number % 4];
    topk_public_key_print(&key, text);
    char *line = strchr(text, '\n') + 1;
    line[strcspn(line, "\n")] = 0;
    return line;
}

static void keys_are_read(void **state)
{
    struct topk_signers signers;
    char text[1024];
    char error[256] = "";
    (void)state;
    assert_true(sodium_init() >= 0);
    snprintf(text, sizeof text,
             "# who signs for us\r\n"
             "\r\n"
             "key=%s name=\"Vendor, 2026\" from=2026-01-01 until=2026-12-31\r\n"
             "  name=old  key=\"%s\"\t\n"
             "key=%s revoked=2026-03-05 name=lost",
             line_of(1), line_of(2), line_of(3));
    if (!topk_signers_parse(&signers, "t", text, strlen(text), error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_int_equal(signers.count, 3);
    for (uint8_t i = 1; i <= 3; i++) {
        const struct topk_public_key key = key_of(i);
        assert_ptr_equal(topk_signers_find(&signers, &key), &signers.list[i - 1]);
    }
    const struct topk_public_key none = key_of(4);
    assert_null(topk_signers_find(&signers, &none));
    assert_string_equal(signers.list[0].name, "Vendor, 2026");
    assert_string_equal(signers.list[0].from, "2026-01-01");
    assert_string_equal(signers.list[0].until, "2026-12-31");
    assert_int_equal(signers.list[0].line, 3);
    assert_string_equal(signers.list[1].name, "old");
    assert_string_equal(signers.list[1].from, "");
    assert_string_equal(signers.list[2].revoked, "2026-03-05");
    topk_signers_free(&signers);
}

static void a_bad_line_is_named(void **state)
{
    static const struct {
        const char *text; /* K stands for a key */
        const char *error;
    } rows[] = {
        {"", "t:1: the file has no key"},
        {"# only words\n", "t:2: the file has no key"},
        {"\nkey=K", "t:2: there is no name"},
        {"name=me", "t:1: there is no key"},
        {"key=K name=a\nkey=K name=b", "t:2: this key is already in line 1"},
        {"key=K name=a name=b", "t:1: there is a second name"},
        {"key=RWQ name=a", "t:1: key: this is not a public key of minisign"},
        {"key=K name=a since=2026-01-01",
         "t:1: unknown word 'since'; the words are key, name, from, until, revoked"},
        {"K", "t:1: 'K' is not KEY=VALUE"},
        {"key=K name=", "t:1: name is empty"},
        {"key=K name=\"a", "t:1: the quote of name has no end"},
        {"key=K name=a from=2026-13-01",
         "t:1: from takes a date such as 2026-12-31, not '2026-13-01'"},
        {"key=K name=a until=tomorrow",
         "t:1: until takes a date such as 2026-12-31, not 'tomorrow'"},
        {"key=K name=a revoked=\"2026-01-01 \"",
         "t:1: revoked takes a date such as 2026-12-31, not '2026-01-01 '"},
        {"key=K name=a from=2026-02-01 until=2026-01-31", "t:1: until comes before from"},
        {"key=K name=\"\033[2J\" b", "t:1: 'b' is not KEY=VALUE"},
    };
    (void)state;
    assert_true(sodium_init() >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_signers signers;
        char text[512] = "";
        char error[256] = "";
        for (const char *at = rows[i].text; *at != 0; at++) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%.*s", *at == 'K' ? 60 : 1,
                     *at == 'K' && at != rows[i].text ? line_of(1) : at);
        }
        assert_false(topk_signers_parse(&signers, "t", text, strlen(text), error, sizeof error));
        assert_string_equal(error, rows[i].error);
        topk_signers_free(&signers);
    }
}

static void names_have_a_length(void **state)
{
    char text[1024];
    char error[256];
    struct topk_signers signers;
    (void)state;
    assert_true(sodium_init() >= 0);
    for (int length = TOPK_SIGNER_NAME - 2; length < 300; length += 1) {
        snprintf(text, sizeof text, "key=%s name=%0*d", line_of(1), length, 1);
        assert_int_equal(topk_signers_parse(&signers, "t", text, strlen(text), error, sizeof error),
                         length < TOPK_SIGNER_NAME);
        if (length >= TOPK_SIGNER_NAME) {
            assert_string_equal(error, "t:1: name is too long");
        }
        topk_signers_free(&signers);
    }
}

static void a_key_counts_for_its_days(void **state)
{
    static const struct {
        const char *from, *until, *revoked, *started;
        const char *error; /* NULL: it counts */
    } rows[] = {
        {"", "", "", "2026-05-01T00:00:00Z", NULL},
        {"2026-05-01", "2026-05-01", "", "2026-05-01T00:00:00Z", NULL},
        {"2026-05-01", "2026-05-01", "", "2026-05-01T23:59:59Z", NULL},
        {"2026-05-01", "", "", "2026-04-30T23:59:59Z",
         "the run began on 2026-04-30, and the key of 'me' is valid only from 2026-05-01"},
        {"", "2026-05-01", "", "2026-05-02T00:00:00Z",
         "the run began on 2026-05-02, and the key of 'me' is valid only until 2026-05-01"},
        {"", "", "2027-01-01", "2026-05-02T00:00:00Z",
         "the key of 'me' was revoked on 2027-01-01: its signatures are no longer valid"},
        {"", "", "", "May", "the run does not say on which day it began: 'May'"},
        {"", "2026-05-01", "", "", "the run does not say on which day it began: ''"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_signer signer = {.name = "me"};
        char error[256] = "";
        snprintf(signer.from, sizeof signer.from, "%s", rows[i].from);
        snprintf(signer.until, sizeof signer.until, "%s", rows[i].until);
        snprintf(signer.revoked, sizeof signer.revoked, "%s", rows[i].revoked);
        assert_int_equal(topk_signer_counts(&signer, rows[i].started, error, sizeof error),
                         rows[i].error == NULL);
        assert_string_equal(error, rows[i].error == NULL ? "" : rows[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(a_bad_line_is_named),
        cmocka_unit_test(names_have_a_length),
        cmocka_unit_test(a_key_counts_for_its_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
