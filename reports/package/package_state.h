/* What writing and reading a package share: its entries, and the texts that are made from them.
 * Nobody else includes this. */
#ifndef TOPK_PACKAGE_STATE_H
#define TOPK_PACKAGE_STATE_H

#include "log/log.h"
#include "package.h"

enum topk_package_entry {
    TOPK_ENTRY_MANIFEST,
    TOPK_ENTRY_SIGNATURE,
    TOPK_ENTRY_KEY, /* the manifest has this one and those behind it */
    TOPK_ENTRY_STATEMENT,
    TOPK_ENTRY_JSON,
    TOPK_ENTRY_EXPECTATIONS,
    TOPK_ENTRY_MUSTPASS,
    TOPK_ENTRY_LOG,
    TOPK_ENTRY_COUNT
};

extern const char *const topk_package_names[TOPK_ENTRY_COUNT];

/* The first line of a manifest; the format is a digit in it. */
extern const char topk_manifest_start[];
size_t topk_manifest_digit(void); /* where it is */
/* The manifest of the entries from KEY on; entries[] has all of them; format: 1 or later. To be
 * freed; NULL if memory is short. mustpass gets the digest of the list. */
char *topk_manifest_print(const struct topk_archive_entry *entries, unsigned format,
                          char mustpass[TOPK_SHA256_TEXT]);

/* The statement on an audited log, of which path, bytes and size are looked at. To be freed; NULL
 * if memory is short. */
char *topk_package_statement(const struct topk_audit *audit, const struct topk_case_lookup *lookup,
                             const struct topk_audit_log *log);

/* The profile that a log names in its header, of those that are known; NULL, with the reason in
 * error, if there is none. */
const struct topk_mustpass *topk_package_profile(const struct topk_mustpass_table *table,
                                                 const char *path, const char *log, size_t size,
                                                 char *error, size_t error_bytes);

#endif
