/* Keys and signatures in minisign's text formats, so that minisign can make the keys and verify the
 * signatures: Ed25519 over the BLAKE2b-512 of a message (the "prehashed" form), with a signed
 * comment. Call topk_minisign_ready() first. */
#ifndef TOPK_MINISIGN_H
#define TOPK_MINISIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initializes the library that signs. False, with the reason in error, if it cannot be used. */
bool topk_minisign_ready(char *error, size_t error_bytes);

/* A public key. */
struct topk_public_key {
    uint8_t id[8]; /* identifies the key; neither secret nor proof */
    uint8_t key[32];
};

/* A secret key; wipe it with sodium_memzero() after use. */
struct topk_secret_key {
    uint8_t id[8];
    uint8_t key[64]; /* the second half is the public key */
};

/* Size of an id as minisign prints it, with the terminator. */
#define TOPK_KEY_ID_TEXT 17
void topk_key_id_print(const uint8_t id[8], char text[TOPK_KEY_ID_TEXT]);

/* Size of a public key's file, with the terminator: a comment with its id, and the key. */
#define TOPK_PUBLIC_KEY_TEXT 128
void topk_public_key_print(const struct topk_public_key *key, char text[TOPK_PUBLIC_KEY_TEXT]);

/* Parses the file of a public key, or its second line alone. Returns false, with the reason in
 * error, if it is malformed. */
bool topk_public_key_parse(const char *text, size_t length, struct topk_public_key *key,
                           char *error, size_t error_bytes);

/* Parses the file of a secret key. If it is encrypted, password() must write a password of at most
 * size-1 characters, terminated, or return false. Returns false, with the reason in error, if that
 * fails. */
bool topk_secret_key_parse(const char *text, size_t length,
                           bool (*password)(void *context, char *text, size_t size), void *context,
                           struct topk_secret_key *key, char *error, size_t error_bytes);

void topk_secret_key_public(const struct topk_secret_key *secret, struct topk_public_key *key);

/* Size of the longest signed comment, with the terminator. */
#define TOPK_SIGNATURE_COMMENT 512
/* Size of a signature's file, with the terminator. */
#define TOPK_SIGNATURE_TEXT (TOPK_SIGNATURE_COMMENT + 384)

/* Signs a message and a comment of printable characters, and writes the signature's file. */
void topk_signature_make(const struct topk_secret_key *key, const char *message, size_t length,
                         const char *comment, char text[TOPK_SIGNATURE_TEXT]);

/* Whether text is a signature by a key over a message, byte for byte as topk_signature_make()
 * writes it, so that no byte can be changed. comment is set to the signed comment. Returns false,
 * with the reason in error, if it is not. */
bool topk_signature_check(const char *text, size_t text_length, const struct topk_public_key *key,
                          const char *message, size_t length, char comment[TOPK_SIGNATURE_COMMENT],
                          char *error, size_t error_bytes);

#endif
