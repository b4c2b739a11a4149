/* Profiles and the digests that hold them still. */
#include "profile.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_TEST(name, cases, digest) {name, cases, digest},
static const struct topk_profile_test core[] = {
#include "profiles/core.def"
};
static const struct topk_profile_test full[] = {
#include "profiles/core.def"
/* and more */
#include "profiles/full.def"
};
static const struct topk_profile_test stress[] = {
#include "profiles/stress.def"
};

static const struct topk_profile_test peers[] = {
#include "profiles/peers.def"
};
#undef PROFILE_TEST

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct topk_profile topk_profiles[] = {
    {"core", 6, "every clause, in minutes on a software GPU", core, COUNT(core), 0},
    {"full", 5, "core, what can be exhausted, and 230,000 random cases", full, COUNT(full),
     COUNT(core)},
    {"stress", 1, "large sizes, and every threshold", stress, COUNT(stress), 0},
    {"peers", 1, "what ONNX and ONNX Runtime test of top-K, to be measured by topk-cts trust",
     peers, COUNT(peers), 0},
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

/* what a walk over cases hashes: of one test, and of all of them */
struct hashing {
    const struct topk_test *test;
    crypto_hash_sha256_state *one;
    crypto_hash_sha256_state *all; /* NULL: not wanted */
    char *text;                    /* TOPK_CASE_TEXT */
    uint32_t cases;
};

static void hash_text(struct hashing *hashing, const char *text, size_t length)
{
    crypto_hash_sha256_update(hashing->one, (const unsigned char *)text, length);
    if (hashing->all != NULL) {
        crypto_hash_sha256_update(hashing->all, (const unsigned char *)text, length);
    }
}

static bool hash_case(void *context, struct topk_case *tc)
{
    struct hashing *hashing = context;
    size_t length = topk_case_print(tc, hashing->text, TOPK_CASE_TEXT);
    hash_text(hashing, hashing->test->group, strlen(hashing->test->group));
    hash_text(hashing, ".", 1);
    hash_text(hashing, hashing->test->name, strlen(hashing->test->name));
    hash_text(hashing, ":", 1);
    hash_text(hashing, hashing->text, length);
    hash_text(hashing, "\n", 1);
    hashing->cases++;
    return true;
}

static void finish(crypto_hash_sha256_state *state, char digest[TOPK_DIGEST_TEXT])
{
    unsigned char bytes[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(state, bytes);
    sodium_bin2hex(digest, TOPK_DIGEST_TEXT, bytes, sizeof bytes);
}

static void digest_test(const struct topk_test *test, crypto_hash_sha256_state *all,
                        char digest[TOPK_DIGEST_TEXT], uint32_t *cases)
{
    crypto_hash_sha256_state one;
    struct hashing hashing = {.test = test, .one = &one, .all = all};
    digest[0] = 0;
    *cases = 0;
    hashing.text = malloc(TOPK_CASE_TEXT);
    if (hashing.text == NULL) {
        return;
    }
    crypto_hash_sha256_init(&one);
    struct topk_sink sink = {.take = hash_case, .context = &hashing};
    topk_test_enumerate(test, &sink);
    finish(&one, digest);
    *cases = hashing.cases;
    free(hashing.text);
}

void topk_test_digest(const struct topk_test *test, char digest[TOPK_DIGEST_TEXT], uint32_t *cases)
{
    digest_test(test, NULL, digest, cases);
    digest[digest[0] == 0 ? 0 : 16] = 0;
}

const char *topk_profile_digest(const struct topk_profile *profile, char digest[TOPK_DIGEST_TEXT],
                                uint32_t *cases)
{
    crypto_hash_sha256_state all;
    const char *drifted = NULL;
    crypto_hash_sha256_init(&all);
    *cases = 0;
    for (size_t i = 0; i < profile->test_count; i++) {
        const struct topk_profile_test *row = &profile->tests[i];
        const struct topk_test *test = topk_profile_test(row);
        char one[TOPK_DIGEST_TEXT] = "";
        uint32_t count = 0;
        if (test != NULL) {
            digest_test(test, &all, one, &count);
        }
        if (drifted == NULL && (count != row->cases || strncmp(one, row->digest, 16) != 0)) {
            drifted = row->name;
        }
        *cases += count;
    }
    finish(&all, digest);
    return drifted;
}
