/* A compliance package: one archive with all that a third party needs to believe a run, or not:
 *
 *   manifest.sha256           a first line that names the format, and the SHA-256 of each entry
 *                             behind the signature, as sha256sum writes and reads it
 *   manifest.sha256.minisig   the manifest's signature, as minisign writes and reads it
 *   key.pub                   the public key
 *   statement.txt             what the log comes to, in words
 *   package.json              the same for programs
 *   expectations.txt          those of the run; empty if it has none
 *   mustpass.txt              the ids of the cases of the profile
 *   results.jsonl             the log
 *
 * in this order. All but the log and the key is made from them, so a package that is read is held
 * against the one that would be made: there is no byte in it that can be changed. Of a package of
 * an earlier format the statements are signed, and not made again: their words were others. */
#ifndef TOPK_PACKAGE_H
#define TOPK_PACKAGE_H

#include "archive.h"
#include "audit.h"
#include "minisign.h"
#include "summary/summary.h"

#define TOPK_PACKAGE_FORMAT 2
#define TOPK_PACKAGE_NAME   "package.tar"

/* What is known of profiles. */
struct topk_mustpass_table {
    const struct topk_mustpass *profiles;
    size_t count;
    const struct topk_case_lookup *lookup;
};

/* What goes into a package. */
struct topk_package_source {
    const char *log_path; /* for messages */
    const char *log;
    size_t log_size;
    const char *mustpass; /* the list of the profile that the log names */
    size_t mustpass_size;
    struct topk_mustpass_table table;
    const struct topk_secret_key *key;
};

/* Audits the log and writes the package, from the start of out. False, with the reason in error, if
 * the run may not be shown or the package cannot be written: what is in out then is no package.
 * *audit is to be freed in any case. */
bool topk_package_write(FILE *out, const struct topk_package_source *source,
                        struct topk_audit *audit, char *error, size_t error_bytes);

/* What was read. */
struct topk_package {
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t entry_count;
    unsigned format;            /* of an earlier one the statements are not held against the log */
    struct topk_public_key key; /* that signed it */
    char comment[TOPK_SIGNATURE_COMMENT];
    struct topk_mustpass_list list;
    struct topk_audit audit;
};

/* Reads and verifies a package of `size` bytes, which outlive *package. key: who has to have signed
 * it; NULL: whoever is named in it. False, with file, entry, line and reason in error, if anything
 * is not as it should be. *package is to be freed in any case. */
bool topk_package_read(struct topk_package *package, const char *path, const char *bytes,
                       size_t size, const struct topk_public_key *key,
                       const struct topk_mustpass_table *table, char *error, size_t error_bytes);

void topk_package_free(struct topk_package *package);

/* the rest of what this folder shows others */
#include "archive.h"
#include "audit.h"
#include "minisign.h"
#include "mustpass.h"
#include "signers.h"

#endif
