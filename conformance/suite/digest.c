/* Computes digests of cases by their ids. */
#include "digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void topk_ids_digest_start(struct topk_ids_digest *digest)
{
    topk_sha256_start(&digest->sha256);
    digest->cases = 0;
}

void topk_ids_digest_add(struct topk_ids_digest *digest, const char *id, size_t length)
{
    topk_sha256_add(&digest->sha256, id, length);
    topk_sha256_add(&digest->sha256, "\n", 1);
    digest->cases++;
}

void topk_ids_digest_end(struct topk_ids_digest *digest, char text[TOPK_SHA256_TEXT])
{
    topk_sha256_end_text(&digest->sha256, text);
    topk_ids_digest_start(digest);
}

/* ---- tests and profiles ---------------------------------------------------------------------- */

/* the digests to which the cases of a test are added */
struct hashing {
    struct topk_ids_digest one;
    struct topk_ids_digest *all; /* NULL: not needed */
    char *id;                    /* TOPK_CASE_ID */
    size_t name;                 /* length of its first part, "GROUP.NAME:" */
};

static bool hash_case(void *context, struct topk_case *tc)
{
    struct hashing *hashing = context;
    const size_t length = hashing->name + topk_case_print(tc, hashing->id + hashing->name,
                                                          TOPK_CASE_ID - hashing->name);
    topk_ids_digest_add(&hashing->one, hashing->id, length);
    if (hashing->all != NULL) {
        topk_ids_digest_add(hashing->all, hashing->id, length);
    }
    return true;
}

static void digest_test(const struct topk_test *test, struct topk_ids_digest *all,
                        char digest[TOPK_SHA256_TEXT], uint32_t *cases)
{
    struct hashing hashing = {.all = all, .id = malloc(TOPK_CASE_ID)};
    struct topk_sink sink = {.take = hash_case, .context = &hashing};
    digest[0] = 0;
    *cases = 0;
    if (hashing.id == NULL) {
        return;
    }
    hashing.name = (size_t)snprintf(hashing.id, TOPK_CASE_ID, "%s.%s:", test->group, test->name);
    topk_ids_digest_start(&hashing.one);
    topk_test_enumerate(test, &sink);
    *cases = hashing.one.cases;
    topk_ids_digest_end(&hashing.one, digest);
    free(hashing.id);
}

void topk_test_digest(const struct topk_test *test, char digest[TOPK_SHA256_TEXT], uint32_t *cases)
{
    digest_test(test, NULL, digest, cases);
    digest[digest[0] == 0 ? 0 : TOPK_DIGEST_ROW] = 0;
}

bool topk_profile_row_is(const struct topk_profile_test *row, const char *digest, uint32_t cases)
{
    return cases == row->cases && strncmp(digest, row->digest, TOPK_DIGEST_ROW) == 0;
}

const char *topk_profile_digest(const struct topk_profile *profile, char digest[TOPK_SHA256_TEXT],
                                uint32_t *cases)
{
    struct topk_ids_digest all;
    const char *drifted = NULL;
    topk_ids_digest_start(&all);
    for (size_t i = 0; i < profile->test_count; i++) {
        const struct topk_profile_test *row = &profile->tests[i];
        const struct topk_test *test = topk_profile_test(row);
        char one[TOPK_SHA256_TEXT] = "";
        uint32_t count = 0;
        if (test != NULL) {
            digest_test(test, &all, one, &count);
        }
        if (drifted == NULL && !topk_profile_row_is(row, one, count)) {
            drifted = row->name;
        }
    }
    *cases = all.cases;
    topk_ids_digest_end(&all, digest);
    return drifted;
}
