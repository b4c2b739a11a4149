/* SHA-256 gives its published digests, whatever the parts in which the bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sha256/sha256.h"

/* the digests are those of sha256sum */
static void known_digests(void **state)
{
    (void)state;
    static const struct {
        const char *text, *digest;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[TOPK_SHA256_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topk_sha256_print(rows[i].text, strlen(rows[i].text), text);
        assert_string_equal(text, rows[i].digest);
    }
}

/* a million times the letter a, in one part and in parts of 1 to 999 bytes */
static void parts_are_joined(void **state)
{
    (void)state;
    static const char digest[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    const size_t size = 1000000;
    char *bytes = malloc(size);
    char text[TOPK_SHA256_TEXT];
    struct topk_sha256 sha256;
    assert_non_null(bytes);
    memset(bytes, 'a', size);
    topk_sha256_print(bytes, size, text);
    assert_string_equal(text, digest);
    topk_sha256_start(&sha256);
    for (size_t at = 0, part = 1; at < size; part = part % 999 + 1) {
        const size_t count = part < size - at ? part : size - at;
        topk_sha256_add(&sha256, bytes + at, count);
        at += count;
    }
    topk_sha256_end_text(&sha256, text);
    assert_string_equal(text, digest);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_digests),
        cmocka_unit_test(parts_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
