/* Digests of cases by their ids: what profiles say of their tests. */
#ifndef TOPK_DIGEST_H
#define TOPK_DIGEST_H

#include <sodium.h>

#include "profile.h"

enum {
    /* SHA-256 in hex, with the terminator */
    TOPK_DIGEST_TEXT = 65,
    /* what a row of a profile has of it */
    TOPK_DIGEST_ROW = 16
};

/* A digest over ids, each with a line feed behind it. */
struct topk_ids_digest {
    crypto_hash_sha256_state state;
    uint32_t cases; /* so far */
};

void topk_ids_digest_start(struct topk_ids_digest *digest);
/* Adds the id of a case: length characters. */
void topk_ids_digest_add(struct topk_ids_digest *digest, const char *id, size_t length);
/* Gives the digest; the next id is the first of another one. */
void topk_ids_digest_end(struct topk_ids_digest *digest, char text[TOPK_DIGEST_TEXT]);

/* Computes what a row of a profile should say of a test; "" if there is no memory. */
void topk_test_digest(const struct topk_test *test, char digest[TOPK_DIGEST_TEXT], uint32_t *cases);

/* Whether a test with so many cases and that digest is the one that a row means. */
bool topk_profile_row_is(const struct topk_profile_test *row, const char *digest, uint32_t cases);

/* Computes the digest over all cases of a profile, which struct topk_profile has, and their number.
 * Returns NULL, or the name of the first test whose cases are not those of the profile. */
const char *topk_profile_digest(const struct topk_profile *profile, char digest[TOPK_DIGEST_TEXT],
                                uint32_t *cases);

#endif
