/* The table of profiles. */
#include "profile.h"

#include <string.h>

#define PROFILE_TEST(name, cases, digest) {name, cases, digest},
#define PROFILE_DIGEST(digest)
static const struct topk_profile_test core[] = {
#include "profiles/core.def"
};
static const struct topk_profile_test full[] = {
#include "profiles/core.def"
/* followed by */
#include "profiles/full.def"
};
static const struct topk_profile_test stress[] = {
#include "profiles/stress.def"
};

static const struct topk_profile_test giant[] = {
#include "profiles/giant.def"
};
static const struct topk_profile_test peers[] = {
#include "profiles/peers.def"
};
#undef PROFILE_TEST
#undef PROFILE_DIGEST

#define PROFILE_TEST(name, cases, digest)
#define PROFILE_DIGEST(digest) digest
static const char core_digest[] =
#include "profiles/core.def"
    ;
static const char full_digest[] =
#include "profiles/full.def"
    ;
static const char stress_digest[] =
#include "profiles/stress.def"
    ;
static const char giant_digest[] =
#include "profiles/giant.def"
    ;
static const char peers_digest[] =
#include "profiles/peers.def"
    ;
#undef PROFILE_TEST
#undef PROFILE_DIGEST

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct topk_profile topk_profiles[] = {
    {"core", 7, "every clause, in minutes on a software GPU", core_digest, core, COUNT(core), 0, 0},
    {"full", 6, "core, what can be exhausted, 230,000 random cases and 20,000 sequences",
     full_digest, full, COUNT(full), COUNT(core), 0},
    {"stress", 1, "large sizes, and every threshold", stress_digest, stress, COUNT(stress), 0, 0},
    {"giant", 1, "offsets beyond 2^31 and 2^32 bytes, axes and sequences beyond 2^27", giant_digest,
     giant, COUNT(giant), 0, (uint64_t)16 << 30},
    {"peers", 1, "what ONNX and ONNX Runtime test of top-K, to be measured by topk-cts trust",
     peers_digest, peers, COUNT(peers), 0, 0},
};
const size_t topk_profile_count = COUNT(topk_profiles);

const struct topk_profile *topk_profile_find(const char *name)
{
    for (size_t i = 0; i < topk_profile_count; i++) {
        if (strcmp(topk_profiles[i].name, name) == 0) {
            return &topk_profiles[i];
        }
    }
    return NULL;
}

const struct topk_test *topk_profile_test(const struct topk_profile_test *row)
{
    return topk_test_find(row->name, strlen(row->name));
}

uint64_t topk_profile_cases(const struct topk_profile *profile)
{
    uint64_t cases = 0;
    for (size_t i = 0; i < profile->test_count; i++) {
        cases += profile->tests[i].cases;
    }
    return cases;
}
