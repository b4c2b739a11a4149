/* A compliance package: one archive with everything that a third party needs to verify a run:
 *
 *   manifest.sha256           a first line with the format, and the SHA-256 of each entry after
 *                             the signature, as sha256sum writes and reads them
 *   manifest.sha256.minisig   the manifest's signature, as minisign writes and reads it
 *   key.pub                   the public key
 *   statement.txt             the statement of conformance, in words
 *   package.json              the same for programs
 *   expectations.txt          those of the run; empty if it has none
 *   mustpass.txt              the ids of the cases of the profile
 *   results.jsonl             the log
 *
 * in this order. Everything except the log and the key is derived from them. A reader derives it
 * again and compares, so that no byte can be changed. In a package of an earlier format, the
 * statements are only verified by the signature, because their wording has changed since.
 */
#ifndef TOPK_PACKAGE_H
#define TOPK_PACKAGE_H

#include "archive.h"
#include "audit.h"
#include "minisign.h"
#include "summary/summary.h"

#define TOPK_PACKAGE_FORMAT 2
#define TOPK_PACKAGE_NAME   "package.tar"

/* The known profiles. */
struct topk_mustpass_table {
    const struct topk_mustpass *profiles;
    size_t count;
    const struct topk_case_lookup *lookup;
};

/* The input for a package. */
struct topk_package_source {
    const char *log_path; /* for messages */
    const char *log;
    size_t log_size;
    const char *mustpass; /* the list of the profile that the log names */
    size_t mustpass_size;
    struct topk_mustpass_table table;
    const struct topk_secret_key *key;
};

/* Audits the log and writes the package at the start of out. Returns false, with the reason in
 * error, if the run may not be published or the package cannot be written; out then contains no
 * valid package. Free *audit in any case. */
bool topk_package_write(FILE *out, const struct topk_package_source *source,
                        struct topk_audit *audit, char *error, size_t error_bytes);

/* A package that was read. */
struct topk_package {
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t entry_count;
    /* in an earlier one, the statements are not compared with the log */
    unsigned format;
    struct topk_public_key key; /* of the signer */
    char comment[TOPK_SIGNATURE_COMMENT];
    struct topk_mustpass_list list;
    struct topk_audit audit;
};

/* Reads and verifies a package of `size` bytes, which must outlive *package. key: the required
 * signer; NULL: the key in the package. Returns false, with file, entry, line and reason in error,
 * if verification fails. Free *package in any case. */
bool topk_package_read(struct topk_package *package, const char *path, const char *bytes,
                       size_t size, const struct topk_public_key *key,
                       const struct topk_mustpass_table *table, char *error, size_t error_bytes);

void topk_package_free(struct topk_package *package);

/* the other headers that this folder offers */
#include "archive.h"
#include "audit.h"
#include "minisign.h"
#include "mustpass.h"
#include "signers.h"

#endif
