/* Signers: a text file with the public keys that a user trusts, and for which period. A line is a
 * key, empty, or a comment that starts with '#'. A key consists of words KEY=VALUE in any order; a
 * VALUE with spaces is in double quotes:
 *
 *   key=RWQ... name="Vendor, 2026" from=2026-01-01 until=2026-12-31
 *   key=RWR... name="a laptop that was stolen" revoked=2026-03-05
 *
 * key is the second line of the file that minisign makes. A key is valid for runs that began from
 * `from' to `until', both inclusive, UTC; either may be missing. A revoked key is valid for no run,
 * because its holder can choose any date.
 */
#ifndef TOPK_SIGNERS_H
#define TOPK_SIGNERS_H

#include "minisign.h"

#define TOPK_SIGNERS_MOST ((size_t)1 << 20) /* bytes of a file */
#define TOPK_SIGNER_NAME  128               /* size of a name, with the terminator */
#define TOPK_SIGNER_DATE  11                /* "2026-12-31" */

struct topk_signer {
    struct topk_public_key key;
    char name[TOPK_SIGNER_NAME];
    char from[TOPK_SIGNER_DATE], until[TOPK_SIGNER_DATE]; /* "": unlimited */
    char revoked[TOPK_SIGNER_DATE];                       /* "": not revoked */
    unsigned line;                                        /* in the file, from 1 */
};

struct topk_signers {
    struct topk_signer *list; /* owned; count of them */
    size_t count;
};

/* Parses a file. Returns false, with "path:line: reason" in error, if a line is malformed or there
 * is no key. Free *signers in any case. */
bool topk_signers_parse(struct topk_signers *signers, const char *path, const char *text,
                        size_t size, char *error, size_t error_bytes);

/* Returns the signer with a key; NULL if it is not in the file. */
const struct topk_signer *topk_signers_find(const struct topk_signers *signers,
                                            const struct topk_public_key *key);

/* Whether a key is valid for a run that began at a time ("2026-01-31T12:00:00Z"). Returns false,
 * with the reason in error, if not. */
bool topk_signer_counts(const struct topk_signer *signer, const char *started, char *error,
                        size_t error_bytes);

void topk_signers_free(struct topk_signers *signers);

#endif
