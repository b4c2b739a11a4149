/* Profiles: the lists of cases that a run means. Each names its tests, with the number of their
 * cases and digests of their ids, in profiles/NAME.def; a list that drifted is noticed (digest.h).
 */
#ifndef TOPK_PROFILE_H
#define TOPK_PROFILE_H

#include "case/case.h"
#include "group.h"

struct topk_profile_test {
    const char *name; /* "ties.boundary" */
    uint32_t cases;
    const char *digest; /* first 16 hex digits of the SHA-256 of its ids, each with a line feed */
};

struct topk_profile {
    const char *name; /* "core" */
    uint32_t version; /* goes up when a test is added, or a case */
    const char *about;
    const char *digest; /* SHA-256 in hex of the ids of all cases, each with a line feed */
    const struct topk_profile_test *tests;
    size_t test_count;
    size_t inherited; /* the first so many are another profile's, and not in profiles/NAME.def */
    uint64_t
        case_memory; /* what a run lets cases take (topk_case_memory()); 0: no more than others */
};

extern const struct topk_profile topk_profiles[];
extern const size_t topk_profile_count;

/* The profile of that name, NULL if there is none. */
const struct topk_profile *topk_profile_find(const char *name);

/* The test of a row of a profile, NULL if it is gone. */
const struct topk_test *topk_profile_test(const struct topk_profile_test *row);

/* The number of its cases. */
uint64_t topk_profile_cases(const struct topk_profile *profile);

#endif
