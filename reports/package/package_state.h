/* Shared by writing and reading a package: its entries, and the texts that are derived. Private to
 * this folder. */
#ifndef TOPK_PACKAGE_STATE_H
#define TOPK_PACKAGE_STATE_H

#include "log/log.h"
#include "package.h"
#include "sha256/sha256.h"

enum topk_package_entry {
    TOPK_ENTRY_MANIFEST,
    TOPK_ENTRY_SIGNATURE,
    TOPK_ENTRY_KEY, /* the manifest lists this entry and those after it */
    TOPK_ENTRY_STATEMENT,
    TOPK_ENTRY_JSON,
    TOPK_ENTRY_EXPECTATIONS,
    TOPK_ENTRY_MUSTPASS,
    TOPK_ENTRY_LOG,
    TOPK_ENTRY_COUNT
};

extern const char *const topk_package_names[TOPK_ENTRY_COUNT];

/* The first line of a manifest, which contains the format as a digit. */
extern const char topk_manifest_start[];
size_t topk_manifest_digit(void); /* index of that digit */
/* Writes the manifest of the entries from KEY on; entries[] contains all; format: 1 or later.
 * mustpass is set to the digest of the list. The caller frees the result; NULL if memory is
 * short. */
char *topk_manifest_print(const struct topk_archive_entry *entries, unsigned format,
                          char mustpass[TOPK_SHA256_TEXT]);

/* The statement about an audited log, of which path, bytes and size are used. The caller frees it;
 * NULL if memory is short. */
char *topk_package_statement(const struct topk_audit *audit, const struct topk_case_lookup *lookup,
                             const struct topk_audit_log *log);

/* Returns the known profile that a log's header names; NULL, with the reason in error, if there is
 * none. */
const struct topk_mustpass *topk_package_profile(const struct topk_mustpass_table *table,
                                                 const char *path, const char *log, size_t size,
                                                 char *error, size_t error_bytes);

#endif
