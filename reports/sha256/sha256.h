/* SHA-256 (FIPS 180-4): the chain of a log, the files under test, the cases of a profile. It is
 * nettle's, which uses the instructions that processors have for it and is four times as fast as
 * libsodium's; on Windows it is libsodium's, which the suite has for signatures in any case. */
#ifndef TOPK_SHA256_H
#define TOPK_SHA256_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#include <sodium.h>
#else
#include <nettle/sha2.h>
#endif

/* Sizes of a digest: in bytes, and in lower-case hex with the terminator. */
#define TOPK_SHA256_BYTES 32
#define TOPK_SHA256_TEXT  65

/* A digest of bytes that come in parts. */
struct topk_sha256 {
#if defined(_WIN32)
    crypto_hash_sha256_state state;
#else
    struct sha256_ctx state;
#endif
};

void topk_sha256_start(struct topk_sha256 *sha256);
void topk_sha256_add(struct topk_sha256 *sha256, const void *bytes, size_t size);
/* Both write the digest of all that was added; start it again before the next use. */
void topk_sha256_end(struct topk_sha256 *sha256, uint8_t digest[TOPK_SHA256_BYTES]);
void topk_sha256_end_text(struct topk_sha256 *sha256, char text[TOPK_SHA256_TEXT]);

/* Writes the digest of `size` bytes in hex. */
void topk_sha256_print(const void *bytes, size_t size, char text[TOPK_SHA256_TEXT]);

#endif
