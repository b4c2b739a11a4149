/* Reads a package from the outside in: each step relies only on what the previous one has
 * verified. */
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "package_state.h"
#include "statement.h"

struct reading {
    struct topk_package *package;
    const char *path;
    char *error;
    size_t error_bytes;
};

/* Reports an error of an entry: "package.tar: key.pub: REASON" */
static bool wrong(const struct reading *reading, enum topk_package_entry entry, const char *reason)
{
    snprintf(reading->error, reading->error_bytes, "%s: %s: %s", reading->path,
             topk_package_names[entry], reason);
    return false;
}

static bool no_memory(const struct reading *reading)
{
    topk_memory_fail();
    snprintf(reading->error, reading->error_bytes, "out of memory");
    return false;
}

static bool is_text(const struct topk_archive_entry *entry, const char *text)
{
    return entry->size == strlen(text) && memcmp(entry->bytes, text, entry->size) == 0;
}

/* Checks that a package has exactly these entries in this order. */
static bool check_names(const struct reading *reading)
{
    const struct topk_package *package = reading->package;
    for (size_t i = 0; i < package->entry_count; i++) {
        if (i == TOPK_ENTRY_COUNT || strcmp(package->entries[i].name, topk_package_names[i]) != 0) {
            snprintf(reading->error, reading->error_bytes,
                     "%s: entry %zu is '%s' and should be '%s': this is not a package",
                     reading->path, i + 1, package->entries[i].name,
                     i == TOPK_ENTRY_COUNT ? "none" : topk_package_names[i]);
            return false;
        }
    }
    if (package->entry_count < TOPK_ENTRY_COUNT) {
        snprintf(reading->error, reading->error_bytes, "%s: there is no entry '%s': %s",
                 reading->path, topk_package_names[package->entry_count], "this is not a package");
        return false;
    }
    return true;
}

/* Checks the format first, because a package of another format may be signed in another way. */
static bool check_format(const struct reading *reading)
{
    const struct topk_archive_entry *entry = &reading->package->entries[TOPK_ENTRY_MANIFEST];
    const size_t stem = topk_manifest_digit();
    const size_t start = strlen(topk_manifest_start);
    if (entry->size < start || memcmp(entry->bytes, topk_manifest_start, stem) != 0) {
        return wrong(reading, TOPK_ENTRY_MANIFEST, "the first line names no format of packages");
    }
    const char digit = entry->bytes[stem];
    const char *rest = topk_manifest_start + stem + 1;
    if (digit < '1' || digit > '9' ||
        memcmp(entry->bytes + stem + 1, rest, start - stem - 1) != 0) {
        return wrong(reading, TOPK_ENTRY_MANIFEST, "the first line names no format of packages");
    }
    reading->package->format = (unsigned)(digit - '0');
    if (reading->package->format > TOPK_PACKAGE_FORMAT) {
        char reason[96];
        snprintf(reason, sizeof reason,
                 "format %u of packages is newer than format %d, the last known here",
                 reading->package->format, TOPK_PACKAGE_FORMAT);
        return wrong(reading, TOPK_ENTRY_MANIFEST, reason);
    }
    return true;
}

static bool check_signature(const struct reading *reading, const struct topk_public_key *given)
{
    struct topk_package *package = reading->package;
    const struct topk_archive_entry *entries = package->entries;
    char reason[256];
    char text[TOPK_PUBLIC_KEY_TEXT];
    struct topk_public_key *key = &package->key;
    if (!topk_public_key_parse(entries[TOPK_ENTRY_KEY].bytes, entries[TOPK_ENTRY_KEY].size, key,
                               reason, sizeof reason)) {
        return wrong(reading, TOPK_ENTRY_KEY, reason);
    }
    topk_public_key_print(key, text);
    if (!is_text(&entries[TOPK_ENTRY_KEY], text)) {
        return wrong(reading, TOPK_ENTRY_KEY, "this is not as `topk-cts package' writes it");
    }
    if (given != NULL && memcmp(given, key, sizeof *key) != 0) {
        char theirs[TOPK_KEY_ID_TEXT];
        char ours[TOPK_KEY_ID_TEXT];
        topk_key_id_print(key->id, theirs);
        topk_key_id_print(given->id, ours);
        snprintf(reason, sizeof reason, "it was signed with key %s, not with the given key %s%s",
                 theirs, ours, strcmp(theirs, ours) == 0 ? ", although both have that name" : "");
        return wrong(reading, TOPK_ENTRY_SIGNATURE, reason);
    }
    return topk_signature_check(
               entries[TOPK_ENTRY_SIGNATURE].bytes, entries[TOPK_ENTRY_SIGNATURE].size, key,
               entries[TOPK_ENTRY_MANIFEST].bytes, entries[TOPK_ENTRY_MANIFEST].size,
               package->comment, reason, sizeof reason) ||
           wrong(reading, TOPK_ENTRY_SIGNATURE, reason);
}

/* Checks that the manifest has the digests of the entries. mustpass is set to that of the list. */
static bool check_manifest(const struct reading *reading, char mustpass[TOPK_SHA256_TEXT])
{
    const struct topk_archive_entry *entries = reading->package->entries;
    const struct topk_archive_entry *manifest = &entries[TOPK_ENTRY_MANIFEST];
    char *expected = topk_manifest_print(entries, reading->package->format, mustpass);
    if (expected == NULL) {
        return no_memory(reading);
    }
    bool same = is_text(manifest, expected);
    const char *line = expected + strlen(topk_manifest_start);
    const char *there = manifest->bytes + strlen(topk_manifest_start);
    int entry = TOPK_ENTRY_KEY;
    while (!same && entry < TOPK_ENTRY_COUNT) {
        size_t length = strcspn(line, "\n") + 1;
        if (length > (size_t)(manifest->bytes + manifest->size - there) ||
            memcmp(line, there, length) != 0) {
            break;
        }
        line += length;
        there += length;
        entry++;
    }
    free(expected);
    if (!same && entry < TOPK_ENTRY_COUNT) {
        return wrong(reading, (enum topk_package_entry)entry,
                     "its SHA-256 is not the one in the manifest: it was changed");
    }
    return same || wrong(reading, TOPK_ENTRY_MANIFEST, "bytes follow the last digest");
}

/* Checks that an entry is exactly what we generate from the log. Frees the text. */
static bool check_made(const struct reading *reading, enum topk_package_entry entry, char *text)
{
    if (text == NULL) {
        return no_memory(reading);
    }
    /* Earlier formats used other wording. */
    bool same = reading->package->format < TOPK_PACKAGE_FORMAT ||
                is_text(&reading->package->entries[entry], text);
    free(text);
    return same || wrong(reading, entry, "it is not what this topk-cts makes of the log");
}

static bool check_log(const struct reading *reading, const struct topk_mustpass_table *table,
                      const char *digest)
{
    struct topk_package *package = reading->package;
    const struct topk_archive_entry *log = &package->entries[TOPK_ENTRY_LOG];
    const struct topk_archive_entry *list = &package->entries[TOPK_ENTRY_MUSTPASS];
    char log_path[320];
    char list_path[320];
    snprintf(log_path, sizeof log_path, "%.200s: %s", reading->path, log->name);
    snprintf(list_path, sizeof list_path, "%.200s: %s", reading->path, list->name);
    const struct topk_mustpass *profile = topk_package_profile(
        table, log_path, log->bytes, log->size, reading->error, reading->error_bytes);
    if (profile == NULL || !topk_mustpass_read(&package->list, profile, list_path, list->bytes,
                                               list->size, reading->error, reading->error_bytes)) {
        return false;
    }
    const struct topk_audit_log audit = {log_path,       log->bytes, log->size,          profile,
                                         &package->list, digest,     table->lookup->asks};
    return topk_audit(&package->audit, &audit, reading->error, reading->error_bytes);
}

/* The statements of an earlier format are not generated again. */
static bool check_statement(const struct reading *reading, const struct topk_mustpass_table *table)
{
    const struct topk_package *package = reading->package;
    const struct topk_archive_entry *log = &package->entries[TOPK_ENTRY_LOG];
    const struct topk_audit_log made_of = {
        .path = reading->path, .bytes = log->bytes, .size = log->size};
    return package->format < TOPK_PACKAGE_FORMAT ||
           check_made(reading, TOPK_ENTRY_STATEMENT,
                      topk_package_statement(&package->audit, table->lookup, &made_of));
}

bool topk_package_read(struct topk_package *package, const char *path, const char *bytes,
                       size_t size, const struct topk_public_key *key,
                       const struct topk_mustpass_table *table, char *error, size_t error_bytes)
{
    const struct reading reading = {package, path, error, error_bytes};
    char digest[TOPK_SHA256_TEXT];
    memset(package, 0, sizeof *package);
    return topk_minisign_ready(error, error_bytes) &&
           topk_archive_read(path, bytes, size, package->entries, TOPK_ARCHIVE_ENTRIES,
                             &package->entry_count, error, error_bytes) &&
           check_names(&reading) && check_format(&reading) && check_signature(&reading, key) &&
           check_manifest(&reading, digest) && check_log(&reading, table, digest) &&
           check_statement(&reading, table) &&
           check_made(&reading, TOPK_ENTRY_JSON, topk_statement_json(&package->audit)) &&
           (is_text(&package->entries[TOPK_ENTRY_EXPECTATIONS],
                    package->audit.header.expectations) ||
            wrong(&reading, TOPK_ENTRY_EXPECTATIONS, "these are not those of the run"));
}

void topk_package_free(struct topk_package *package)
{
    topk_audit_free(&package->audit);
    topk_mustpass_free(&package->list);
    memset(package, 0, sizeof *package);
}
