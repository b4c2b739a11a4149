/* Reads and writes minisign's files, which consist of comment lines and base64 lines. */
#define _POSIX_C_SOURCE 200809L
#include "minisign.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

_Static_assert(crypto_sign_ed25519_PUBLICKEYBYTES == 32 && crypto_sign_ed25519_SECRETKEYBYTES == 64,
               "keys are of Ed25519");

#define SIGNATURE_BYTES crypto_sign_ed25519_BYTES
#define BASE64          sodium_base64_VARIANT_ORIGINAL
#define BASE64_TEXT(n)  sodium_base64_ENCODED_LEN(n, BASE64)

static const char untrusted[] = "untrusted comment: ";
static const char trusted[] = "trusted comment: ";
static const char signature_comment[] = "signature of a package of topk-cts";

/* What a line of a public key file encodes. */
struct public_bytes {
    uint8_t algorithm[2]; /* "Ed" */
    uint8_t id[8];
    uint8_t key[32];
};

/* What a line of a secret key file encodes. Everything after `memory` is encrypted if kdf is
 * "Sc". */
struct secret_bytes {
    uint8_t algorithm[2]; /* "Ed" */
    uint8_t kdf[2];       /* "Sc" for scrypt; zero for no encryption */
    uint8_t checksum[2];  /* "B2": BLAKE2b */
    uint8_t salt[32];
    uint8_t operations[8]; /* little endian */
    uint8_t memory[8];     /* little endian */
    uint8_t id[8];
    uint8_t key[64];
    uint8_t sum[32]; /* of algorithm, id and key; zero in unencrypted files */
};

/* What a line of a signature file encodes. */
struct signature_bytes {
    uint8_t algorithm[2]; /* "ED": prehashed */
    uint8_t id[8];
    uint8_t signature[SIGNATURE_BYTES];
};

_Static_assert(sizeof(struct public_bytes) == 42 && sizeof(struct secret_bytes) == 158 &&
                   sizeof(struct signature_bytes) == 74,
               "there is no padding");

static bool wrong(char *error, size_t error_bytes, const char *reason)
{
    snprintf(error, error_bytes, "%s", reason);
    return false;
}

bool topk_minisign_ready(char *error, size_t error_bytes)
{
    return sodium_init() >= 0 || wrong(error, error_bytes, "libsodium cannot be used");
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Text that is read line by line. */
struct lines {
    const char *at;
    const char *end;
};

/* Takes a line without its line ending, which is a line feed or a carriage return with one. Returns
 * false after the last line. */
static bool take_line(struct lines *lines, const char **line, size_t *length)
{
    size_t left = (size_t)(lines->end - lines->at);
    if (left == 0) {
        return false;
    }
    const char *feed = memchr(lines->at, '\n', left);
    *line = lines->at;
    *length = feed == NULL ? left : (size_t)(feed - lines->at);
    lines->at = feed == NULL ? lines->end : feed + 1;
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        --*length;
    }
    return true;
}

static bool begins(const char *line, size_t length, const char *start)
{
    return length >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

/* Takes a base64 line that encodes exactly `size` bytes. */
static bool take_bytes(struct lines *lines, void *bytes, size_t size)
{
    const char *line;
    size_t length;
    size_t count;
    return take_line(lines, &line, &length) &&
           sodium_base642bin(bytes, size, line, length, NULL, &count, NULL, BASE64) == 0 &&
           count == size;
}

/* Returns the lines after the first one, if the first one is a comment as minisign writes it. */
static struct lines lines_of(const char *text, size_t length)
{
    struct lines lines = {text, text + length};
    const char *line;
    size_t line_length;
    if (begins(text, length, untrusted)) {
        (void)take_line(&lines, &line, &line_length);
    }
    return lines;
}

/* ---- keys ------------------------------------------------------------------------------------ */

void topk_key_id_print(const uint8_t id[8], char text[TOPK_KEY_ID_TEXT])
{
    for (unsigned i = 0; i < 8; i++) {
        snprintf(text + (size_t)2 * i, 3, "%02X", id[7 - i]);
    }
}

void topk_public_key_print(const struct topk_public_key *key, char text[TOPK_PUBLIC_KEY_TEXT])
{
    struct public_bytes bytes = {.algorithm = {'E', 'd'}};
    char id[TOPK_KEY_ID_TEXT];
    char encoded[BASE64_TEXT(sizeof bytes)];
    memcpy(bytes.id, key->id, sizeof bytes.id);
    memcpy(bytes.key, key->key, sizeof bytes.key);
    topk_key_id_print(key->id, id);
    sodium_bin2base64(encoded, sizeof encoded, (const uint8_t *)&bytes, sizeof bytes, BASE64);
    snprintf(text, TOPK_PUBLIC_KEY_TEXT, "%sminisign public key %s\n%s\n", untrusted, id, encoded);
}

bool topk_public_key_parse(const char *text, size_t length, struct topk_public_key *key,
                           char *error, size_t error_bytes)
{
    struct public_bytes bytes;
    struct lines lines = lines_of(text, length);
    if (!take_bytes(&lines, &bytes, sizeof bytes)) {
        return wrong(error, error_bytes, "this is not a public key of minisign");
    }
    if (memcmp(bytes.algorithm, "Ed", 2) != 0) {
        return wrong(error, error_bytes, "this public key is not an Ed25519 key");
    }
    memcpy(key->id, bytes.id, sizeof key->id);
    memcpy(key->key, bytes.key, sizeof key->key);
    return true;
}

static uint64_t number_of(const uint8_t bytes[8])
{
    uint64_t number = 0;
    for (unsigned i = 8; i-- > 0;) {
        number = number << 8 | bytes[i];
    }
    return number;
}

/* A file that asks for more than this (4 GiB) is a mistake or an attack. */
#define MEMORY_MOST     ((uint64_t)1 << 32)
#define OPERATIONS_MOST ((uint64_t)1 << 28)

static bool decrypt(struct secret_bytes *bytes, const char *password, char *error,
                    size_t error_bytes)
{
    enum {
        ENCRYPTED = sizeof bytes->id + sizeof bytes->key + sizeof bytes->sum
    };
    uint8_t stream[ENCRYPTED];
    uint64_t operations = number_of(bytes->operations);
    uint64_t memory = number_of(bytes->memory);
    if (operations > OPERATIONS_MOST || memory > MEMORY_MOST) {
        return wrong(error, error_bytes, "the file asks for too much time or memory to decrypt it");
    }
    if (crypto_pwhash_scryptsalsa208sha256(stream, sizeof stream, password, strlen(password),
                                           bytes->salt, operations, (size_t)memory) != 0) {
        return wrong(error, error_bytes, "there is too little memory to decrypt it");
    }
    uint8_t *hidden[] = {bytes->id, bytes->key, bytes->sum};
    const size_t sizes[] = {sizeof bytes->id, sizeof bytes->key, sizeof bytes->sum};
    size_t at = 0;
    for (unsigned i = 0; i < 3; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            hidden[i][j] ^= stream[at++];
        }
    }
    sodium_memzero(stream, sizeof stream);
    uint8_t sum[sizeof bytes->sum];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof sum);
    crypto_generichash_update(&state, bytes->algorithm, sizeof bytes->algorithm);
    crypto_generichash_update(&state, bytes->id, sizeof bytes->id);
    crypto_generichash_update(&state, bytes->key, sizeof bytes->key);
    crypto_generichash_final(&state, sum, sizeof sum);
    return sodium_memcmp(sum, bytes->sum, sizeof sum) == 0 ||
           wrong(error, error_bytes, "the password is wrong");
}

/* Returns whether the public half belongs to the secret half. Signing with a wrong public half
 * would reveal the secret key. */
static bool halves_agree(const struct secret_bytes *bytes)
{
    uint8_t seed[crypto_sign_ed25519_SEEDBYTES];
    uint8_t public_key[crypto_sign_ed25519_PUBLICKEYBYTES];
    uint8_t secret_key[crypto_sign_ed25519_SECRETKEYBYTES];
    crypto_sign_ed25519_sk_to_seed(seed, bytes->key);
    crypto_sign_ed25519_seed_keypair(public_key, secret_key, seed);
    bool agree = sodium_memcmp(secret_key, bytes->key, sizeof secret_key) == 0;
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(secret_key, sizeof secret_key);
    return agree;
}

static bool open_secret(struct secret_bytes *bytes,
                        bool (*password)(void *context, char *text, size_t size), void *context,
                        char *error, size_t error_bytes)
{
    static const uint8_t no_kdf[2];
    if (memcmp(bytes->algorithm, "Ed", 2) != 0 || memcmp(bytes->checksum, "B2", 2) != 0) {
        return wrong(error, error_bytes, "this secret key is not an Ed25519 key");
    }
    if (memcmp(bytes->kdf, "Sc", 2) == 0) {
        char text[1024];
        bool open = password != NULL && password(context, text, sizeof text);
        open = open ? decrypt(bytes, text, error, error_bytes)
                    : wrong(error, error_bytes, "the key is encrypted, and there is no password");
        sodium_memzero(text, sizeof text);
        if (!open) {
            return false;
        }
    } else if (memcmp(bytes->kdf, no_kdf, 2) != 0) {
        return wrong(error, error_bytes, "the key is encrypted in a way that is not known here");
    }
    return halves_agree(bytes) || wrong(error, error_bytes, "the key is damaged");
}

bool topk_secret_key_parse(const char *text, size_t length,
                           bool (*password)(void *context, char *text, size_t size), void *context,
                           struct topk_secret_key *key, char *error, size_t error_bytes)
{
    struct secret_bytes bytes;
    struct lines lines = lines_of(text, length);
    if (!take_bytes(&lines, &bytes, sizeof bytes)) {
        sodium_memzero(&bytes, sizeof bytes);
        return wrong(error, error_bytes, "this is not a secret key of minisign");
    }
    bool open = open_secret(&bytes, password, context, error, error_bytes);
    if (open) {
        memcpy(key->id, bytes.id, sizeof key->id);
        memcpy(key->key, bytes.key, sizeof key->key);
    }
    sodium_memzero(&bytes, sizeof bytes);
    return open;
}

void topk_secret_key_public(const struct topk_secret_key *secret, struct topk_public_key *key)
{
    memcpy(key->id, secret->id, sizeof key->id);
    memcpy(key->key, secret->key + 32, sizeof key->key);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static void hash(const char *message, size_t length, uint8_t digest[crypto_generichash_BYTES_MAX])
{
    crypto_generichash(digest, crypto_generichash_BYTES_MAX, (const uint8_t *)message, length, NULL,
                       0);
}

/* What the second signature covers: the first signature and the comment. */
struct second_message {
    uint8_t bytes[SIGNATURE_BYTES + TOPK_SIGNATURE_COMMENT];
    size_t length;
};

static struct second_message second_message_of(const uint8_t signature[SIGNATURE_BYTES],
                                               const char *comment)
{
    struct second_message message;
    size_t length = strnlen(comment, TOPK_SIGNATURE_COMMENT - 1);
    memcpy(message.bytes, signature, SIGNATURE_BYTES);
    memcpy(message.bytes + SIGNATURE_BYTES, comment, length);
    message.length = SIGNATURE_BYTES + length;
    return message;
}

static void print_signature(const struct signature_bytes *first, const char *comment,
                            const uint8_t second[SIGNATURE_BYTES], char text[TOPK_SIGNATURE_TEXT])
{
    char encoded[BASE64_TEXT(sizeof *first)];
    char encoded_second[BASE64_TEXT(SIGNATURE_BYTES)];
    sodium_bin2base64(encoded, sizeof encoded, (const uint8_t *)first, sizeof *first, BASE64);
    sodium_bin2base64(encoded_second, sizeof encoded_second, second, SIGNATURE_BYTES, BASE64);
    snprintf(text, TOPK_SIGNATURE_TEXT, "%s%s\n%s\n%s%.*s\n%s\n", untrusted, signature_comment,
             encoded, trusted, TOPK_SIGNATURE_COMMENT - 1, comment, encoded_second);
}

void topk_signature_make(const struct topk_secret_key *key, const char *message, size_t length,
                         const char *comment, char text[TOPK_SIGNATURE_TEXT])
{
    uint8_t digest[crypto_generichash_BYTES_MAX];
    uint8_t second[SIGNATURE_BYTES];
    struct signature_bytes first = {.algorithm = {'E', 'D'}};
    memcpy(first.id, key->id, sizeof first.id);
    hash(message, length, digest);
    crypto_sign_ed25519_detached(first.signature, NULL, digest, sizeof digest, key->key);
    struct second_message signed_too = second_message_of(first.signature, comment);
    crypto_sign_ed25519_detached(second, NULL, signed_too.bytes, signed_too.length, key->key);
    print_signature(&first, comment, second, text);
}

/* Takes the four lines of a signature. */
static bool take_signature(const char *text, size_t length, struct signature_bytes *first,
                           char comment[TOPK_SIGNATURE_COMMENT], uint8_t second[SIGNATURE_BYTES])
{
    struct lines lines = lines_of(text, length);
    const char *line;
    size_t line_length;
    if (!take_bytes(&lines, first, sizeof *first) || !take_line(&lines, &line, &line_length) ||
        !begins(line, line_length, trusted)) {
        return false;
    }
    line += strlen(trusted);
    line_length -= strlen(trusted);
    if (line_length >= TOPK_SIGNATURE_COMMENT || memchr(line, 0, line_length) != NULL) {
        return false;
    }
    memcpy(comment, line, line_length);
    comment[line_length] = 0;
    return take_bytes(&lines, second, SIGNATURE_BYTES);
}

bool topk_signature_check(const char *text, size_t text_length, const struct topk_public_key *key,
                          const char *message, size_t length, char comment[TOPK_SIGNATURE_COMMENT],
                          char *error, size_t error_bytes)
{
    struct signature_bytes first;
    uint8_t second[SIGNATURE_BYTES];
    uint8_t digest[crypto_generichash_BYTES_MAX];
    char canonical[TOPK_SIGNATURE_TEXT];
    if (!take_signature(text, text_length, &first, comment, second)) {
        return wrong(error, error_bytes, "this is not a signature of minisign");
    }
    if (memcmp(first.algorithm, "ED", 2) != 0) {
        return wrong(error, error_bytes, "this kind of signature is not known");
    }
    if (memcmp(first.id, key->id, sizeof first.id) != 0) {
        char by[TOPK_KEY_ID_TEXT];
        char wanted[TOPK_KEY_ID_TEXT];
        topk_key_id_print(first.id, by);
        topk_key_id_print(key->id, wanted);
        snprintf(error, error_bytes, "it was made with key %s, not with %s", by, wanted);
        return false;
    }
    hash(message, length, digest);
    if (crypto_sign_ed25519_verify_detached(first.signature, digest, sizeof digest, key->key) !=
        0) {
        return wrong(error, error_bytes, "the signature is wrong: this is not what was signed");
    }
    struct second_message signed_too = second_message_of(first.signature, comment);
    if (crypto_sign_ed25519_verify_detached(second, signed_too.bytes, signed_too.length,
                                            key->key) != 0) {
        return wrong(error, error_bytes, "the signature of the comment is wrong");
    }
    print_signature(&first, comment, second, canonical);
    return (text_length == strlen(canonical) && memcmp(text, canonical, text_length) == 0) ||
           wrong(error, error_bytes, "the signature's file was changed");
}
