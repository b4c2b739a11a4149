/* Shared by the tests of packages: a small profile, a log of it, a key, and false packages with
 * valid signatures. */
#ifndef TOPK_PACKAGE_FIXTURE_H
#define TOPK_PACKAGE_FIXTURE_H

#include "fixture.h"

#include <sodium.h>

#include "asks.h"
#include "package/package.h"
#include "package/package_state.h"

#define SMALL_CASES 5

static const char *const small_ids[SMALL_CASES] = {
    "ties.one:top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=few.1:2:1",
    "ties.one:top_k1 fl=2.1 in=f32[1,1,1,4] axis=3 k=2 dir=inc data=few.1:2:2",
    "ties.one:top_k1 fl=3.1 in=f32[4] axis=0 k=2 dir=inc data=few.1:2:3",
    "axis.two:top_k1 fl=5.0 in=f32[4] axis=0 k=1 dir=dec data=few.1:2:4",
    "axis.two:top_k1 fl=6.0 in=f32[4] axis=0 k=1 dir=dec data=few.1:2:5",
};

/* A profile of these cases, and what belongs to it. */
struct small {
    struct topk_mustpass_test tests[2];
    char digests[2][17];
    struct topk_mustpass profile;
    struct topk_mustpass_table table;
    char list[1024];
    char list_digest[TOPK_SHA256_TEXT];
    struct topk_secret_key key;
    struct topk_public_key public_key;
};

static inline void small_digest(struct small *small, unsigned test, unsigned from, unsigned to)
{
    char digest[TOPK_SHA256_TEXT];
    size_t start = strlen(small->list);
    size_t used = start;
    for (unsigned i = from; i < to; i++) {
        used +=
            (size_t)snprintf(small->list + used, sizeof small->list - used, "%s\n", small_ids[i]);
    }
    topk_sha256_print(small->list + start, used - start, digest);
    snprintf(small->digests[test], sizeof small->digests[test], "%.16s", digest);
}

static inline void small_make(struct small *small)
{
    static const uint8_t seed[crypto_sign_ed25519_SEEDBYTES] = {1, 2, 3};
    memset(small, 0, sizeof *small);
    assert_true(sodium_init() >= 0);
    small_digest(small, 0, 0, 3);
    small_digest(small, 1, 3, SMALL_CASES);
    small->tests[0] = (struct topk_mustpass_test){"ties.one", 3, small->digests[0]};
    small->tests[1] = (struct topk_mustpass_test){"axis.two", 2, small->digests[1]};
    small->profile = (struct topk_mustpass){"small", 7, small->tests, 2};
    small->table = (struct topk_mustpass_table){&small->profile, 1, &fixture_lookup};
    topk_sha256_print(small->list, strlen(small->list), small->list_digest);
    crypto_sign_ed25519_seed_keypair(small->public_key.key, small->key.key, seed);
    memcpy(small->key.id, "keynumber", sizeof small->key.id);
    memcpy(small->public_key.id, small->key.id, sizeof small->key.id);
}

/* How a log differs from a correct one; all zero is correct. */
struct lie {
    const char *name;
    const char *refusal; /* the expected message */
    const char *chaos;
    const char *expectations;
    bool selection;
    uint32_t level;      /* 0: 0x5000, the backend's level */
    const char *profile; /* NULL: small */
    uint32_t version;    /* of the profile; 0: 7 */
    bool other_digest;   /* of the profile */
    uint64_t cases;      /* of the run; 0: 4 */
    unsigned left_out;   /* number + 1 of a case without a record */
    unsigned twice;      /* number + 1 of a case with two */
    unsigned renumbered; /* number + 1 of a case that gets another number */
    unsigned number;     /* that it gets */
    unsigned renamed;    /* number + 1 of a case with another id */
    bool no_end;
    bool incomplete;
    enum topk_early_by early; /* the option that ended the run */
    bool other_totals;
    enum topk_verdict told; /* verdict of case 1, which passed, if not PASS */
    bool with_finding;      /* case 1 passed, but has a finding */
    unsigned shrunk;        /* number + 1 of a case that was shrunk */
    unsigned again;         /* records that case 3 was run again */
    unsigned judge;         /* enum topk_judge + 1; 0: APART */
    bool right;             /* no case failed, and case 1 passed by a status alone */
    /* number of records of a part: the second is a duplicate, the third is another file */
    unsigned parts;
    uint32_t waived;     /* line of the rule that waives case 3, which failed */
    const char *require; /* a word of --require */
    uint32_t least;      /* value of --min-supported; 0: not given */
};

static inline void lie_case(struct topk_log *log, const struct lie *lie, unsigned number,
                            const struct topk_result *result)
{
    uint64_t told = lie->renumbered == number + 1 ? lie->number : number;
    const char *id = lie->renamed == number + 1 ? small_ids[4] : small_ids[number];
    struct topk_result judged = *result;
    if (number == 3 && lie->waived != 0) {
        judged.verdict = TOPK_VERDICT_EXPECTED_FAIL;
    }
    assert_true(topk_log_waived(log, told, id, TOPK_TYPE_F32, TOPK_TYPE_U32, &judged,
                                result->verdict, number == 3 ? lie->waived : 0));
}

/* Writes a log of the small profile: pass, pass, unsupported, fail. */
static inline void small_log(struct scratch *scratch, const struct small *small,
                             const struct lie *lie)
{
    static const char *const selections[] = {"ties"};
    struct topk_log_header header = sample_header();
    header.profile = lie->profile == NULL ? "small" : lie->profile;
    header.profile_version = lie->version == 0 ? 7 : lie->version;
    header.profile_digest = lie->other_digest ? "00" : small->list_digest;
    header.selections = selections;
    header.selection_count = lie->selection;
    header.level = lie->level == 0 ? 0x5000 : lie->level;
    header.backend.level = 0x5000;
    header.cases = lie->cases == 0 ? 4 : lie->cases;
    header.chaos = lie->chaos;
    header.judge = lie->judge == 0 ? TOPK_JUDGE_APART : (enum topk_judge)(lie->judge - 1);
    header.revision = "abc";
    header.expectations = lie->expectations;
    header.gate = (struct topk_log_gate){.has_least = lie->least > 0,
                                         .least = lie->least,
                                         .require = &lie->require,
                                         .require_count = lie->require == NULL ? 0 : 1};
    unlink(scratch->log);
    struct topk_log *log =
        topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
    assert_non_null(log);
    uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    for (unsigned i = 0; i < 4; i++) {
        struct topk_result result = i == 3 && !lie->right ? sample_fail() : sample_pass();
        result.by_status = i == 1 && lie->right;
        if (i == 1 && lie->with_finding) {
            result = sample_fail();
            result.verdict = TOPK_VERDICT_PASS;
        }
        if (i == 1 && lie->told != TOPK_VERDICT_PASS) {
            result.verdict = lie->told;
        }
        if (i == 2) {
            result.verdict = TOPK_VERDICT_UNSUPPORTED;
            snprintf(result.reason, sizeof result.reason, "no such kernel");
        }
        if (lie->left_out == i + 1) {
            continue;
        }
        lie_case(log, lie, i, &result);
        totals[i == 3 && lie->waived != 0 ? TOPK_VERDICT_EXPECTED_FAIL : result.verdict]++;
        if (lie->twice == i + 1) {
            lie_case(log, lie, i, &result);
        }
    }
    if (lie->shrunk != 0) {
        const struct topk_result result = sample_fail();
        const uint64_t of[] = {3, lie->shrunk - 1};
        assert_true(topk_log_shrunk(log, of, 2, true, "top_k fl=3.1 in=f32[2] axis=0 k=1",
                                    TOPK_TYPE_F32, TOPK_TYPE_U32, &result));
    }
    for (unsigned i = 0; i < lie->again; i++) {
        const struct topk_log_again again = {
            .number = 3, .kind = TOPK_AGAIN_ALWAYS, .alone = {.runs = 2, .failed = 2}};
        assert_true(topk_log_again(log, &again));
    }
    for (unsigned i = 0; i < lie->parts && i < 2; i++) {
        static const char *const digits[] = {
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"};
        const struct topk_log_part part = {
            .role = TOPK_LOG_PART_BACKEND,
            .texts = {[TOPK_LOG_PART_NAME] = "mine.so",
                      [TOPK_LOG_PART_PATH] = "/a/mine.so",
                      [TOPK_LOG_PART_SHA256] = digits[i == 1 && lie->parts == 3]}};
        assert_true(topk_log_part(log, &part));
    }
    if (lie->other_totals) {
        totals[TOPK_VERDICT_FAIL]--;
        totals[TOPK_VERDICT_PASS]++;
    }
    if (lie->early != TOPK_EARLY_NOT) {
        const struct topk_early early = {.by = lie->early, .limit = 2, .left = 1};
        assert_true(topk_log_end_early(log, &early, totals));
    } else if (!lie->no_end) {
        assert_true(topk_log_end(log, !lie->incomplete, totals));
    }
    assert_true(topk_log_close(log));
}

/* A package in memory. */
struct packed {
    char *bytes;
    size_t size;
};

/* Packs a log without trusting it; the result is NULL, with the reason in error, if it is
 * refused. */
static inline struct packed small_pack(struct scratch *scratch, const struct small *small)
{
    struct packed packed = {0};
    struct topk_audit audit;
    size_t size;
    char *log = file_read(scratch->log, &size);
    FILE *out = open_memstream(&packed.bytes, &packed.size);
    assert_non_null(out);
    const struct topk_package_source source = {
        scratch->log, log, size, small->list, strlen(small->list), small->table, &small->key};
    bool written = topk_package_write(out, &source, &audit, scratch->error, sizeof scratch->error);
    topk_audit_free(&audit);
    fclose(out);
    free(log);
    if (!written) {
        free(packed.bytes);
        packed = (struct packed){0};
    }
    return packed;
}

/* Whether a package is valid; if not, the reason is in scratch->error. */
static inline bool small_read(struct scratch *scratch, const struct small *small, const char *bytes,
                              size_t size)
{
    struct topk_package package;
    scratch->error[0] = 0;
    bool read = topk_package_read(&package, "p.tar", bytes, size, &small->public_key, &small->table,
                                  scratch->error, sizeof scratch->error);
    topk_package_free(&package);
    return read;
}

/* Extracts the entries of a package, to be changed and signed again. */
static inline void small_entries(const struct packed *packed,
                                 struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES],
                                 size_t *count)
{
    char error[256];
    assert_true(topk_archive_read("p.tar", packed->bytes, packed->size, entries,
                                  TOPK_ARCHIVE_ENTRIES, count, error, sizeof error));
}

static inline struct packed small_archive(const struct topk_archive_entry *entries, size_t count)
{
    struct packed packed = {0};
    FILE *out = open_memstream(&packed.bytes, &packed.size);
    assert_non_null(out);
    assert_true(topk_archive_write(out, entries, count));
    assert_int_equal(fclose(out), 0);
    return packed;
}

/* Packs entries with a correct manifest and signature. */
static inline struct packed small_sign_as(const struct small *small,
                                          struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES],
                                          size_t count, unsigned format)
{
    char digest[TOPK_SHA256_TEXT];
    char signature[TOPK_SIGNATURE_TEXT];
    char *manifest = topk_manifest_print(entries, format, digest);
    assert_non_null(manifest);
    topk_signature_make(&small->key, manifest, strlen(manifest), "comment", signature);
    entries[TOPK_ENTRY_MANIFEST].bytes = manifest;
    entries[TOPK_ENTRY_MANIFEST].size = strlen(manifest);
    entries[TOPK_ENTRY_SIGNATURE].bytes = signature;
    entries[TOPK_ENTRY_SIGNATURE].size = strlen(signature);
    struct packed packed = small_archive(entries, count);
    entries[TOPK_ENTRY_MANIFEST] = (struct topk_archive_entry){.bytes = NULL};
    entries[TOPK_ENTRY_SIGNATURE] = (struct topk_archive_entry){.bytes = NULL};
    free(manifest);
    return packed;
}

static inline struct packed small_sign(const struct small *small,
                                       struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES],
                                       size_t count)
{
    return small_sign_as(small, entries, count, TOPK_PACKAGE_FORMAT);
}

#endif
