/* Digests of the cases of a test, by their ids. A profile stores them to pin its tests. */
#ifndef TOPK_DIGEST_H
#define TOPK_DIGEST_H

#include "profile.h"
#include "sha256/sha256.h"

/* the digits of a SHA-256 that a row of a profile stores */
#define TOPK_DIGEST_ROW 16

/* A digest of a list of ids, each followed by a line feed. */
struct topk_ids_digest {
    struct topk_sha256 sha256;
    uint32_t cases; /* so far */
};

void topk_ids_digest_start(struct topk_ids_digest *digest);
/* Adds the id of a case, of `length` characters. */
void topk_ids_digest_add(struct topk_ids_digest *digest, const char *id, size_t length);
/* Writes the digest and starts a new, empty one. */
void topk_ids_digest_end(struct topk_ids_digest *digest, char text[TOPK_SHA256_TEXT]);

/* Computes the digest and the number of cases for a row of a profile; the digest is "" if memory is
 * short. */
void topk_test_digest(const struct topk_test *test, char digest[TOPK_SHA256_TEXT], uint32_t *cases);

/* Whether a test with this number of cases and this digest is the one that a row of a profile
 * names. */
bool topk_profile_row_is(const struct topk_profile_test *row, const char *digest, uint32_t cases);

/* Computes the digest over all cases of a profile, and their number; compare it with that in struct
 * topk_profile. Returns NULL, or the name of the first test whose cases differ from its row. */
const char *topk_profile_digest(const struct topk_profile *profile, char digest[TOPK_SHA256_TEXT],
                                uint32_t *cases);

#endif
