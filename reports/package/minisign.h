/* Keys and signatures in the text formats of minisign, so that minisign makes the keys and verifies
 * the signatures: Ed25519 over the BLAKE2b-512 of a message (its "prehashed" form), with a comment
 * that is signed too. topk_chain_ready() or sodium_init() comes before all of it. */
#ifndef TOPK_MINISIGN_H
#define TOPK_MINISIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who can have signed. */
struct topk_public_key {
    uint8_t id[8]; /* which key it is; no secret, no proof */
    uint8_t key[32];
};

/* To be wiped with sodium_memzero() after use. */
struct topk_secret_key {
    uint8_t id[8];
    uint8_t key[64]; /* the second half is the public key */
};

/* Room for the id as minisign prints it, with the terminator. */
#define TOPK_KEY_ID_TEXT 17
void topk_key_id_print(const uint8_t id[8], char text[TOPK_KEY_ID_TEXT]);

/* Room for a public key's file, with the terminator: a comment that names its id, and the key. */
#define TOPK_PUBLIC_KEY_TEXT 128
void topk_public_key_print(const struct topk_public_key *key, char text[TOPK_PUBLIC_KEY_TEXT]);

/* Reads the file of a public key, or its second line alone. False, with the reason in error. */
bool topk_public_key_parse(const char *text, size_t length, struct topk_public_key *key,
                           char *error, size_t error_bytes);

/* Reads the file of a secret key, which may be encrypted: password() then writes a password of at
 * most size-1 characters, terminated; false if there is none. False, with the reason in error. */
bool topk_secret_key_parse(const char *text, size_t length,
                           bool (*password)(void *context, char *text, size_t size), void *context,
                           struct topk_secret_key *key, char *error, size_t error_bytes);

void topk_secret_key_public(const struct topk_secret_key *secret, struct topk_public_key *key);

/* Longest comment that is signed, with the terminator. */
#define TOPK_SIGNATURE_COMMENT 512
/* Room for a signature's file, with the terminator. */
#define TOPK_SIGNATURE_TEXT (TOPK_SIGNATURE_COMMENT + 384)

/* Signs a message and a comment of printable characters; writes the signature's file. */
void topk_signature_make(const struct topk_secret_key *key, const char *message, size_t length,
                         const char *comment, char text[TOPK_SIGNATURE_TEXT]);

/* Whether text is a signature by a key over a message, byte for byte as topk_signature_make writes
 * it: so none of its bytes can be another. comment gets what was signed with it. False, with the
 * reason in error. */
bool topk_signature_check(const char *text, size_t text_length, const struct topk_public_key *key,
                          const char *message, size_t length, char comment[TOPK_SIGNATURE_COMMENT],
                          char *error, size_t error_bytes);

#endif
