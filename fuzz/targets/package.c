/* Checks packages. The first byte of the input selects what is checked:
 *  'l'  a log (seal.h) of a small profile: if it may be published, its package verifies
 *  'e'  an entry of a good package is changed and everything signed again: such a package never
 *       verifies, because all entries but the log are derived from the log, and the log is chained
 *  else a good package is changed anywhere: it never verifies, whoever has to have signed it
 * Whatever is refused is refused with a reason. A change takes four bytes of input: how, where and
 * what.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "open.h"
#include "package/package.h"
#include "package/package_state.h"
#include "seal.h"

#define CASES 2u

static const char list[] = "ties.one:top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=few.1:2:1\n"
                           "ties.one:top_k1 fl=3.1 in=f32[4] axis=0 k=2 dir=inc data=few.1:2:3\n";

/* A log of these records; the digest is that of the case list. */
static const char honest[] =
    "{\"record\":\"header\",\"format\":1,\"suite\":\"0.1.0\",\"profile\":\"small\",\"profile_"
    "version\":7,\"profile_digest\":\"%s\",\"selections\":[],\"level\":\"0x5000\",\"seed\":0,"
    "\"timeout\":30.0,\"cases\":2,\"started\":\"2026-11-22T03:20:20Z\",\"replay\":\"topk-cts "
    "replay\",\"backend\":{\"spec\":\"b\",\"worker\":\"\",\"name\":\"b\",\"version\":\"1\","
    "\"device\":\"d\",\"driver\":\"e\",\"features\":\"\",\"level\":\"0x5000\",\"flags\":\"0x0\"},"
    "\"expectations\":\"verdict=fail select=ties backend=b owner=o reason=r "
    "expires=2027-01-01\\n\"\n"
    "{\"record\":\"probe\",\"name\":\"a.b\",\"verdict\":\"observed\",\"value\":\"kept\","
    "\"detail\":\"\"\n"
    "{\"record\":\"case\",\"number\":0,\"id\":\"ties.one:top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 "
    "data=few.1:2:1\",\"verdict\":\"expected-fail\",\"clause\":\"S09\",\"nanoseconds\":2589,"
    "\"findings\":[{\"clause\":\"S09\",\"mismatch\":\"tie-left-out\",\"tensor\":\"index\",\"at\":"
    "[0,0,0,2],\"count\":1,\"place\":\"index[0,0,0,2]\",\"sentence\":\"no\"}],\"expectation\":{"
    "\"line\":1,\"verdict\":\"fail\"}\n"
    "{\"record\":\"case\",\"number\":1,\"id\":\"ties.one:top_k1 fl=3.1 in=f32[4] axis=0 k=2 "
    "dir=inc data=few.1:2:3\",\"verdict\":\"unsupported\",\"nanoseconds\":1,\"reason\":\"no\"\n"
    "{\"record\":\"end\",\"complete\":true,\"totals\":{\"pass\":0,\"fail\":0,\"refused\":0,"
    "\"accepted\":0,\"unsupported\":1,\"error\":0,\"crash\":0,\"timeout\":0,\"device-lost\":0,"
    "\"flaky\":0,\"harness-error\":0,\"expected-fail\":1,\"unexpected-pass\":0}\n";

static int no_kind(const char *word)
{
    (void)word;
    return -1;
}

static uint64_t ask(const char *id, const int *kinds, size_t count)
{
    (void)kinds;
    (void)count;
    return id[0] != 0;
}

static const char *const *one_class(enum topk_facet facet)
{
    static const char *const names[] = {"some", NULL};
    (void)facet;
    return names;
}

static void look(const char *id, struct topk_case_look *found)
{
    memset(found, 0, sizeof *found);
    found->facets[0] = id[0] == 0;
}

static void expect(const char *id, uint32_t call, const struct topk_contract *contract,
                   uint64_t sequence, uint32_t from, uint32_t count, struct topk_expected *expected)
{
    (void)id;
    (void)call;
    (void)contract;
    (void)sequence;
    (void)from;
    (void)count;
    memset(expected, 0, sizeof *expected);
}

static const struct topk_asks asks = {no_kind, ask};
static const struct topk_case_lookup lookup = {one_class, look, &asks, expect, NULL, NULL};

static struct topk_mustpass_test test = {"ties.one", CASES, NULL};
static const struct topk_mustpass profile = {"small", 7, &test, 1};
static const struct topk_mustpass_table table = {&profile, 1, &lookup};
static struct topk_secret_key secret;
static struct topk_public_key public_key;

struct bytes {
    char *at; /* owned by this structure */
    size_t size;
};

static struct bytes good;

/* ---- packages -------------------------------------------------------------------------------- */

/* Makes the package of a log; empty if the log may not be published. */
static struct bytes pack(const char *log, size_t size)
{
    struct bytes packed = {NULL, 0};
    struct topk_audit audit;
    char error[1024] = "";
    const struct topk_package_source source = {"log",           log,   size,   list,
                                               sizeof list - 1, table, &secret};
    FILE *out = open_memstream(&packed.at, &packed.size);
    if (out == NULL) {
        return packed;
    }
    const bool written = topk_package_write(out, &source, &audit, error, sizeof error);
    topk_audit_free(&audit);
    fclose(out);
    FUZZ_REQUIRE(written || error[0] != 0, "package no-reason", "a log is refused for none");
    if (!written) {
        free(packed.at);
        packed = (struct bytes){NULL, 0};
    }
    return packed;
}

static bool verified(const char *bytes, size_t size, bool key_given)
{
    struct topk_package package;
    char error[1024] = "";
    const bool read =
        topk_package_read(&package, "p.tar", bytes, size, key_given ? &public_key : NULL, &table,
                          error, sizeof error);
    FUZZ_REQUIRE(read || error[0] != 0, "package no-reason", "a package is refused for none");
    topk_package_free(&package);
    return read;
}

static bool make_good(void)
{
    static char digest[TOPK_SHA256_TEXT];
    char text[FUZZ_SEAL_INPUT];
    size_t size;
    if (!fuzz_open_keys((const uint8_t[]){1, 2, 3}, &secret, &public_key)) {
        return false;
    }
    topk_sha256_print(list, sizeof list - 1, digest);
    test.digest = digest;
    const int length = snprintf(text, sizeof text, honest, digest);
    const char *log = fuzz_seal(text, (size_t)length, false, &size);
    good = pack(log, size);
    if (good.at == NULL || !verified(good.at, good.size, true)) {
        fprintf(stderr, "fuzz package: the log of the target itself makes no package\n");
        return false;
    }
    return true;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Copies bytes that are to be changed, with room for each change. */
static struct bytes copy(const char *bytes, size_t size, size_t changes)
{
    struct bytes changed = {malloc(size + changes + 1), size};
    if (changed.at != NULL) {
        memcpy(changed.at, bytes, size);
    }
    return changed;
}

static void change(struct bytes *bytes, const unsigned char how[4])
{
    const size_t at = ((size_t)how[1] << 8 | how[2]) % (bytes->size + 1);
    const size_t behind = bytes->size - at;
    switch (how[0] % 4) {
    case 0:
        if (behind > 0) {
            bytes->at[at] = (char)how[3];
        }
        break;
    case 1:
        bytes->size = at;
        break;
    case 2:
        memmove(bytes->at + at + 1, bytes->at + at, behind);
        bytes->at[at] = (char)how[3];
        bytes->size++;
        break;
    default:
        if (behind > 0) {
            memmove(bytes->at + at, bytes->at + at + 1, behind - 1);
            bytes->size--;
        }
        break;
    }
}

static struct bytes changed_of(const char *from, size_t size, const unsigned char *how,
                               size_t length)
{
    struct bytes bytes = copy(from, size, length / 4);
    for (; bytes.at != NULL && length >= 4; length -= 4, how += 4) {
        change(&bytes, how);
    }
    return bytes;
}

static bool same(const struct bytes *bytes, const char *as, size_t size)
{
    return bytes->size == size && (size == 0 || memcmp(bytes->at, as, size) == 0);
}

static void change_package(const unsigned char *how, size_t length)
{
    struct bytes bytes = changed_of(good.at, good.size, how, length);
    if (bytes.at == NULL) {
        return;
    }
    const bool is_good = same(&bytes, good.at, good.size);
    FUZZ_REQUIRE(verified(bytes.at, bytes.size, true) == is_good &&
                     verified(bytes.at, bytes.size, false) == is_good,
                 "package changed", "it is verified");
    free(bytes.at);
}

/* Packs the entries with a manifest and a signature that match them. */
static struct bytes sign(struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES], size_t count)
{
    struct bytes packed = {NULL, 0};
    char digest[TOPK_SHA256_TEXT];
    char signature[TOPK_SIGNATURE_TEXT];
    char *manifest = topk_manifest_print(entries, TOPK_PACKAGE_FORMAT, digest);
    FILE *out = manifest == NULL ? NULL : open_memstream(&packed.at, &packed.size);
    if (out != NULL) {
        topk_signature_make(&secret, manifest, strlen(manifest), "again", signature);
        entries[TOPK_ENTRY_MANIFEST].bytes = manifest;
        entries[TOPK_ENTRY_MANIFEST].size = strlen(manifest);
        entries[TOPK_ENTRY_SIGNATURE].bytes = signature;
        entries[TOPK_ENTRY_SIGNATURE].size = strlen(signature);
        topk_archive_write(out, entries, count);
        fclose(out);
        entries[TOPK_ENTRY_MANIFEST] = (struct topk_archive_entry){.bytes = NULL};
        entries[TOPK_ENTRY_SIGNATURE] = (struct topk_archive_entry){.bytes = NULL};
    }
    free(manifest);
    return packed;
}

static void change_entry(const unsigned char *how, size_t length)
{
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    char error[256];
    if (length == 0 || !topk_archive_read("good", good.at, good.size, entries, TOPK_ARCHIVE_ENTRIES,
                                          &count, error, sizeof error)) {
        return;
    }
    struct topk_archive_entry *entry =
        &entries[TOPK_ENTRY_KEY + how[0] % (TOPK_ENTRY_COUNT - TOPK_ENTRY_KEY)];
    const struct topk_archive_entry before = *entry;
    struct bytes bytes = changed_of(entry->bytes, entry->size, how + 1, length - 1);
    if (bytes.at == NULL) {
        return;
    }
    entry->bytes = bytes.at;
    entry->size = bytes.size;
    struct bytes packed = sign(entries, count);
    FUZZ_REQUIRE(packed.at == NULL || verified(packed.at, packed.size, true) ==
                                          same(&bytes, before.bytes, before.size),
                 "package signed-lie", entry->name);
    free(packed.at);
    free(bytes.at);
}

static void pack_log(const char *text, size_t length)
{
    size_t size;
    const char *log = fuzz_seal(text, length, false, &size);
    struct bytes packed = pack(log, size);
    FUZZ_REQUIRE(packed.at == NULL || verified(packed.at, packed.size, true), "package unverified",
                 "what was written is not verified");
    free(packed.at);
}

static void run(const unsigned char *bytes, size_t length)
{
    if (length == 0 || length > FUZZ_SEAL_INPUT) {
        return;
    }
    if (bytes[0] == 'l') {
        pack_log((const char *)bytes + 1, length - 1);
    } else if (bytes[0] == 'e') {
        change_entry(bytes + 1, length - 1);
    } else {
        change_package(bytes, length);
    }
}

const struct fuzz_target fuzz_target = {
    .name = "package",
    .about = "a package is verified if it is what its log says, and not if anything is changed",
    .max_bytes = FUZZ_SEAL_INPUT,
    .open = make_good,
    .run = run,
    .more_words = fuzz_log_words,
};
