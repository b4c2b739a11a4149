/* SHA-256, by nettle or, on Windows, by libsodium. */
#include "sha256.h"

#if defined(_WIN32)
void topk_sha256_start(struct topk_sha256 *sha256)
{
    crypto_hash_sha256_init(&sha256->state);
}

void topk_sha256_add(struct topk_sha256 *sha256, const void *bytes, size_t size)
{
    crypto_hash_sha256_update(&sha256->state, bytes, size);
}

void topk_sha256_end(struct topk_sha256 *sha256, uint8_t digest[TOPK_SHA256_BYTES])
{
    crypto_hash_sha256_final(&sha256->state, digest);
}
#else
void topk_sha256_start(struct topk_sha256 *sha256)
{
    sha256_init(&sha256->state);
}

void topk_sha256_add(struct topk_sha256 *sha256, const void *bytes, size_t size)
{
    sha256_update(&sha256->state, size, bytes);
}

void topk_sha256_end(struct topk_sha256 *sha256, uint8_t digest[TOPK_SHA256_BYTES])
{
    sha256_digest(&sha256->state, TOPK_SHA256_BYTES, digest);
}
#endif

void topk_sha256_end_text(struct topk_sha256 *sha256, char text[TOPK_SHA256_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[TOPK_SHA256_BYTES];
    topk_sha256_end(sha256, digest);
    for (size_t i = 0; i < TOPK_SHA256_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[TOPK_SHA256_TEXT - 1] = 0;
}

void topk_sha256_print(const void *bytes, size_t size, char text[TOPK_SHA256_TEXT])
{
    struct topk_sha256 sha256;
    topk_sha256_start(&sha256);
    topk_sha256_add(&sha256, bytes, size);
    topk_sha256_end_text(&sha256, text);
}
