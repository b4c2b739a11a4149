/* Profiles: the lists of cases that a run means. Each names its tests, with the number of their
 * cases and a digest of their texts, in profiles/NAME.def; a list that drifted is noticed. */
#ifndef TOPK_PROFILE_H
#define TOPK_PROFILE_H

#include "case/case.h"
#include "group.h"

/* SHA-256 in hex, with the terminator. */
#define TOPK_DIGEST_TEXT 65

struct topk_profile_test {
    const char *name; /* "ties.boundary" */
    uint32_t cases;
    const char *digest; /* first 16 hex digits of the SHA-256 of its ids, each with a line feed */
};

struct topk_profile {
    const char *name; /* "core" */
    uint32_t version; /* goes up when a test is added, or a case */
    const char *about;
    const struct topk_profile_test *tests;
    size_t test_count;
    size_t inherited; /* the first so many are another profile's, and not in profiles/NAME.def */
};

extern const struct topk_profile topk_profiles[];
extern const size_t topk_profile_count;

/* The profile of that name, NULL if there is none. */
const struct topk_profile *topk_profile_find(const char *name);

/* The test of a row of a profile, NULL if it is gone. */
const struct topk_test *topk_profile_test(const struct topk_profile_test *row);

/* Computes the SHA-256 over all ids of a profile, each with a line feed, and the number of cases.
 * Returns NULL, or the name of the first test whose cases are not those of the profile. */
const char *topk_profile_digest(const struct topk_profile *profile, char digest[TOPK_DIGEST_TEXT],
                                uint32_t *cases);

/* Computes what a row of a profile should say of a test. */
void topk_test_digest(const struct topk_test *test, char digest[TOPK_DIGEST_TEXT], uint32_t *cases);

#endif
