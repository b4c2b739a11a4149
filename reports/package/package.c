/* Defines the entries of packages, and writes packages. */
#include "package.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "package_state.h"
#include "statement.h"

const char *const topk_package_names[TOPK_ENTRY_COUNT] = {
    [TOPK_ENTRY_MANIFEST] = "manifest.sha256",
    [TOPK_ENTRY_SIGNATURE] = "manifest.sha256.minisig",
    [TOPK_ENTRY_KEY] = "key.pub",
    [TOPK_ENTRY_STATEMENT] = "statement.txt",
    [TOPK_ENTRY_JSON] = "package.json",
    [TOPK_ENTRY_MUSTPASS] = "mustpass.txt",
    [TOPK_ENTRY_EXPECTATIONS] = "expectations.txt",
    [TOPK_ENTRY_LOG] = TOPK_LOG_NAME,
};

#define TEXT_OF(number)       TEXT_OF_AGAIN(number)
#define TEXT_OF_AGAIN(number) #number
const char topk_manifest_start[] =
    "# package of topk-cts, format " TEXT_OF(TOPK_PACKAGE_FORMAT) "; entries by SHA-256\n";

_Static_assert(TOPK_PACKAGE_FORMAT < 10, "the format is a digit");

size_t topk_manifest_digit(void)
{
    return strcspn(topk_manifest_start, "0123456789");
}

char *topk_manifest_print(const struct topk_archive_entry *entries, unsigned format,
                          char mustpass[TOPK_SHA256_TEXT])
{
    size_t size = sizeof topk_manifest_start;
    size += (size_t)TOPK_ENTRY_COUNT * (TOPK_SHA256_TEXT + TOPK_ARCHIVE_NAME + 2);
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    size_t used = (size_t)snprintf(text, size, "%s", topk_manifest_start);
    text[topk_manifest_digit()] = (char)('0' + format);
    for (int i = TOPK_ENTRY_KEY; i < TOPK_ENTRY_COUNT; i++) {
        char digest[TOPK_SHA256_TEXT];
        topk_sha256_print(entries[i].bytes, entries[i].size, digest);
        used += (size_t)snprintf(text + used, size - used, "%s  %s\n", digest, entries[i].name);
        if (i == TOPK_ENTRY_MUSTPASS) {
            memcpy(mustpass, digest, sizeof digest);
        }
    }
    return text;
}

/* ---- the profile ----------------------------------------------------------------------------- */

struct search {
    const struct topk_mustpass_table *table;
    const char *path;
    const struct topk_mustpass *found;
    char *error;
    size_t error_bytes;
};

static bool find_profile(void *context, const struct topk_log_header *header)
{
    struct search *search = context;
    for (size_t i = 0; i < search->table->count; i++) {
        const struct topk_mustpass *profile = &search->table->profiles[i];
        if (strcmp(profile->name, header->profile) != 0) {
            continue;
        }
        if (profile->version == header->profile_version) {
            search->found = profile;
            return false;
        }
        snprintf(search->error, search->error_bytes,
                 "%s:1: the run is of profile %.64s v%" PRIu32 ", of which only v%" PRIu32
                 " is known here; it takes the topk-cts that made it, "
                 "which is %.64s",
                 search->path, header->profile, header->profile_version, profile->version,
                 header->suite);
        return false;
    }
    snprintf(search->error, search->error_bytes,
             "%s:1: the run is of profile '%.64s', which is not known here", search->path,
             header->profile);
    return false;
}

const struct topk_mustpass *topk_package_profile(const struct topk_mustpass_table *table,
                                                 const char *path, const char *log, size_t size,
                                                 char *error, size_t error_bytes)
{
    struct search search = {table, path, NULL, error, error_bytes};
    const struct topk_log_reader reader = {.context = &search, .header = find_profile};
    (void)topk_log_read_bytes(log, size, path, &reader, error, error_bytes);
    return search.found;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void set_entry(struct topk_archive_entry *entries, enum topk_package_entry which,
                      const char *bytes, size_t size)
{
    snprintf(entries[which].name, sizeof entries[which].name, "%s", topk_package_names[which]);
    entries[which].bytes = bytes;
    entries[which].size = size;
}

/* Writes the comment that is signed with the manifest, for people. */
static void print_comment(const struct topk_audit *audit, char text[TOPK_SIGNATURE_COMMENT])
{
    const struct topk_log_header *header = &audit->header;
    char served[TOPK_SHARE_TEXT];
    (void)topk_audit_share(audit, served);
    snprintf(text, TOPK_SIGNATURE_COMMENT,
             "topk-cts %.64s, profile %.64s v%" PRIu32
             ", %.64s %.64s, started %.32s: %s, serves %s",
             header->suite, header->profile, header->profile_version, header->backend.name,
             header->backend.version, header->started,
             topk_conformance_word(topk_audit_conformance(audit, NULL)), served);
    topk_text_tame(text);
}

/* The statement and its JSON form were already made; the other entries are what they are made
 * from. */
static bool write_entries(FILE *out, const struct topk_package_source *source,
                          const struct topk_audit *audit, const char *statement, const char *json,
                          char *error, size_t error_bytes)
{
    struct topk_archive_entry entries[TOPK_ENTRY_COUNT];
    struct topk_public_key public_key;
    char key[TOPK_PUBLIC_KEY_TEXT];
    char digest[TOPK_SHA256_TEXT];
    char comment[TOPK_SIGNATURE_COMMENT];
    char signature[TOPK_SIGNATURE_TEXT];
    topk_secret_key_public(source->key, &public_key);
    topk_public_key_print(&public_key, key);
    set_entry(entries, TOPK_ENTRY_KEY, key, strlen(key));
    set_entry(entries, TOPK_ENTRY_STATEMENT, statement, strlen(statement));
    set_entry(entries, TOPK_ENTRY_JSON, json, strlen(json));
    set_entry(entries, TOPK_ENTRY_EXPECTATIONS, audit->header.expectations,
              strlen(audit->header.expectations));
    set_entry(entries, TOPK_ENTRY_MUSTPASS, source->mustpass, source->mustpass_size);
    set_entry(entries, TOPK_ENTRY_LOG, source->log, source->log_size);
    char *manifest = topk_manifest_print(entries, TOPK_PACKAGE_FORMAT, digest);
    if (manifest == NULL) {
        topk_memory_fail();
        snprintf(error, error_bytes, "out of memory");
        return false;
    }
    print_comment(audit, comment);
    topk_signature_make(source->key, manifest, strlen(manifest), comment, signature);
    set_entry(entries, TOPK_ENTRY_MANIFEST, manifest, strlen(manifest));
    set_entry(entries, TOPK_ENTRY_SIGNATURE, signature, strlen(signature));
    bool written = topk_archive_write(out, entries, TOPK_ENTRY_COUNT);
    if (!written) {
        snprintf(error, error_bytes, "the package cannot be written: %s", strerror(errno));
    }
    free(manifest);
    return written;
}

char *topk_package_statement(const struct topk_audit *audit, const struct topk_case_lookup *lookup,
                             const struct topk_audit_log *log)
{
    struct topk_summary *summary = malloc(sizeof *summary); /* too large for a small stack */
    char error[256];
    const struct topk_log_source source = {log->path, log->bytes, log->size};
    if (summary == NULL) {
        return NULL;
    }
    const int status = topk_summary_read(summary, lookup, &source, error, sizeof error);
    char *text = status == 0 ? topk_statement_text(audit, summary) : NULL;
    topk_summary_free(summary);
    free(summary);
    return text;
}

bool topk_package_write(FILE *out, const struct topk_package_source *source,
                        struct topk_audit *audit, char *error, size_t error_bytes)
{
    struct topk_mustpass_list list = {0};
    char digest[TOPK_SHA256_TEXT];
    memset(audit, 0, sizeof *audit);
    if (!topk_minisign_ready(error, error_bytes)) {
        return false;
    }
    const struct topk_mustpass *profile = topk_package_profile(
        &source->table, source->log_path, source->log, source->log_size, error, error_bytes);
    if (profile == NULL) {
        return false;
    }
    topk_sha256_print(source->mustpass, source->mustpass_size, digest);
    const struct topk_audit_log log = {
        source->log_path,          source->log, source->log_size, profile, &list, digest,
        source->table.lookup->asks};
    bool good = topk_mustpass_read(&list, profile, "the list of cases", source->mustpass,
                                   source->mustpass_size, error, error_bytes) &&
                topk_audit(audit, &log, error, error_bytes);
    char *statement = good ? topk_package_statement(audit, source->table.lookup, &log) : NULL;
    char *json = good ? topk_statement_json(audit) : NULL;
    if (good && (statement == NULL || json == NULL)) {
        topk_memory_fail();
        snprintf(error, error_bytes, "out of memory");
        good = false;
    }
    good = good && write_entries(out, source, audit, statement, json, error, error_bytes);
    free(statement);
    free(json);
    topk_mustpass_free(&list);
    return good;
}
