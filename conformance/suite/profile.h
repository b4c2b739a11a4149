/* Profiles: the lists of cases that a run can ask for. profiles/NAME.def lists the tests of a
 * profile, with the number of their cases and digests of their ids, so that a changed test is
 * noticed (digest.h). */
#ifndef TOPK_PROFILE_H
#define TOPK_PROFILE_H

#include "case/case.h"
#include "group.h"

struct topk_profile_test {
    const char *name; /* "ties.boundary" */
    uint32_t cases;
    /* the first 16 hex digits of the SHA-256 of its ids, each followed by a line feed */
    const char *digest;
};

struct topk_profile {
    const char *name; /* "core" */
    uint32_t version; /* increases when a test or a case is added */
    const char *about;
    const char *digest; /* SHA-256 in hex of the ids of all cases, each followed by a line feed */
    const struct topk_profile_test *tests;
    size_t test_count;
    size_t inherited; /* how many of the tests, at the start, come from another profile's .def */
    uint64_t case_memory; /* greatest topk_case_memory() of a case; 0: the default */
};

extern const struct topk_profile topk_profiles[];
extern const size_t topk_profile_count;

/* Returns the profile with a name; NULL if there is none. */
const struct topk_profile *topk_profile_find(const char *name);

/* Returns the test of a row of a profile; NULL if it does not exist any more. */
const struct topk_test *topk_profile_test(const struct topk_profile_test *row);

/* Returns the number of cases of a profile. */
uint64_t topk_profile_cases(const struct topk_profile *profile);

#endif
