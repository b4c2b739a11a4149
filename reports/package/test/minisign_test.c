/* Tests keys and signatures: what minisign's files may contain, and that no part of a signature can
 * be replaced. package_test.sh tests that minisign itself reads and writes these files. */
#define _XOPEN_SOURCE 700

#include "fixture.h"

#include <sodium.h>

#include "package/minisign.h"

static struct topk_secret_key secret;
static struct topk_public_key public_key;

static int make_keys(void **state)
{
    static const uint8_t seed[crypto_sign_ed25519_SEEDBYTES] = {9, 8, 7};
    (void)state;
    if (sodium_init() < 0) {
        return -1;
    }
    crypto_sign_ed25519_seed_keypair(public_key.key, secret.key, seed);
    memcpy(secret.id, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    memcpy(public_key.id, secret.id, 8);
    return 0;
}

/* Writes a file of base64. */
static void encode(const uint8_t *bytes, size_t size, char text[512])
{
    size_t used = (size_t)snprintf(text, 512, "untrusted comment: any\n");
    sodium_bin2base64(text + used, 510 - used, bytes, size, sodium_base64_VARIANT_ORIGINAL);
    snprintf(text + strlen(text), 512 - strlen(text), "\n");
}

/* Writes the bytes of a secret key's file, unencrypted. */
static void secret_bytes(uint8_t bytes[158])
{
    memset(bytes, 0, 158);
    for (unsigned i = 0; i < 6; i++) {
        bytes[i] = (uint8_t) "Ed\0\0B2"[i];
    }
    memcpy(bytes + 54, secret.id, 8);
    memcpy(bytes + 62, secret.key, 64);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a password would be written there */
static bool no_password(void *context, char *text, size_t size)
{
    (void)text;
    (void)size;
    ++*(unsigned *)context;
    return false;
}

static bool open_secret(const uint8_t *bytes, size_t size, unsigned *asked, char error[256])
{
    char text[512];
    struct topk_secret_key key;
    encode(bytes, size, text);
    return topk_secret_key_parse(text, strlen(text), no_password, asked, &key, error, 256);
}

static void secret_keys_are_read(void **state)
{
    (void)state;
    uint8_t bytes[158];
    char error[256] = "";
    unsigned asked = 0;
    secret_bytes(bytes);
    assert_true(open_secret(bytes, sizeof bytes, &asked, error));
    assert_int_equal(asked, 0);
}

static void other_secret_keys_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *text;
        const char *reason;
    } rows[] = {
        {0, "ed", "not an Ed25519 key"}, {2, "Sc", "no password"}, {2, "Ar", "not known here"},
        {4, "b2", "not an Ed25519 key"}, {70, "x", "is damaged"},  {100, "x", "is damaged"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[158];
        char error[256] = "";
        unsigned asked = 0;
        secret_bytes(bytes);
        memcpy(bytes + rows[i].at, rows[i].text, strlen(rows[i].text));
        bool open = open_secret(bytes, sizeof bytes, &asked, error);
        if (open || strstr(error, rows[i].reason) == NULL) {
            fail_msg("'%s' where '%s' was expected", error, rows[i].reason);
        }
        assert_int_equal(asked, rows[i].at == 2 && rows[i].text[0] == 'S');
    }
    uint8_t bytes[159] = {0};
    char error[256];
    unsigned asked = 0;
    assert_false(open_secret(bytes, 157, &asked, error));
    assert_non_null(strstr(error, "not a secret key"));
    assert_false(open_secret(bytes, 159, &asked, error));
    assert_non_null(strstr(error, "not a secret key"));
}

static void public_keys_are_read_as_they_were_printed(void **state)
{
    (void)state;
    char text[TOPK_PUBLIC_KEY_TEXT];
    char error[256];
    struct topk_public_key read;
    topk_public_key_print(&public_key, text);
    assert_non_null(strstr(text, "untrusted comment: minisign public key 0807060504030201\nRWQ"));
    assert_true(topk_public_key_parse(text, strlen(text), &read, error, sizeof error));
    assert_memory_equal(&read, &public_key, sizeof read);
    const char *line = strchr(text, '\n') + 1;
    assert_true(topk_public_key_parse(line, strlen(line) - 1, &read, error, sizeof error));
    assert_memory_equal(&read, &public_key, sizeof read);
    assert_false(topk_public_key_parse(line, strlen(line) - 2, &read, error, sizeof error));
    assert_non_null(strstr(error, "not a public key"));
    assert_false(topk_public_key_parse("", 0, &read, error, sizeof error));
}

static void each_changed_byte_of_a_signature_is_detected(void **state)
{
    (void)state;
    char text[TOPK_SIGNATURE_TEXT];
    char comment[TOPK_SIGNATURE_COMMENT];
    char error[256];
    char message[] = "what is signed";
    size_t length = sizeof message - 1;
    topk_signature_make(&secret, message, length, "who, when", text);
    size_t size = strlen(text);
    assert_true(topk_signature_check(text, size, &public_key, message, length, comment, error,
                                     sizeof error));
    assert_string_equal(comment, "who, when");
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            text[i] = (char)(text[i] ^ 1 << bit);
            if (topk_signature_check(text, size, &public_key, message, length, comment, error,
                                     sizeof error)) {
                fail_msg("bit %u of byte %zu", bit, i);
            }
            text[i] = (char)(text[i] ^ 1 << bit);
        }
    }
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(topk_signature_check(text, cut, &public_key, message, length, comment, error,
                                          sizeof error));
    }
    message[0] = 'W';
    assert_false(topk_signature_check(text, size, &public_key, message, length, comment, error,
                                      sizeof error));
    assert_non_null(strstr(error, "this is not what was signed"));
}

static void a_signature_by_another_key_names_both(void **state)
{
    (void)state;
    char text[TOPK_SIGNATURE_TEXT];
    char comment[TOPK_SIGNATURE_COMMENT];
    char error[256];
    struct topk_public_key other = public_key;
    other.id[7] = 0xff;
    topk_signature_make(&secret, "m", 1, "c", text);
    assert_false(
        topk_signature_check(text, strlen(text), &other, "m", 1, comment, error, sizeof error));
    assert_non_null(strstr(error, "key 0807060504030201, not with FF07060504030201"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secret_keys_are_read),
        cmocka_unit_test(other_secret_keys_are_refused),
        cmocka_unit_test(public_keys_are_read_as_they_were_printed),
        cmocka_unit_test(each_changed_byte_of_a_signature_is_detected),
        cmocka_unit_test(a_signature_by_another_key_names_both),
    };
    return cmocka_run_group_tests(tests, make_keys, NULL);
}
