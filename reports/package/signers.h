/* Signers: a text file of the public keys that somebody trusts, and of when. A line is a key,
 * empty, or a comment that begins with '#'; a key is words KEY=VALUE in any order, VALUE in double
 * quotes if it has spaces:
 *
 *   key=RWQ... name="Vendor, 2026" from=2026-01-01 until=2026-12-31
 *   key=RWR... name="a laptop that was stolen" revoked=2026-03-05
 *
 * key is the second line of the file that minisign makes. A key counts for runs that began on a day
 * from `from' to `until', both included, UTC; either may be left out. One that was revoked counts
 * for none: whoever has it chooses the dates as well. */
#ifndef TOPK_SIGNERS_H
#define TOPK_SIGNERS_H

#include "minisign.h"

#define TOPK_SIGNERS_MOST ((size_t)1 << 20) /* bytes of a file */
#define TOPK_SIGNER_NAME  128               /* room for a name, with the terminator */
#define TOPK_SIGNER_DATE  11                /* "2026-12-31" */

struct topk_signer {
    struct topk_public_key key;
    char name[TOPK_SIGNER_NAME];
    char from[TOPK_SIGNER_DATE], until[TOPK_SIGNER_DATE]; /* "": no bound */
    char revoked[TOPK_SIGNER_DATE];                       /* "": it was not */
    unsigned line;                                        /* of the file, 1.. */
};

struct topk_signers {
    struct topk_signer *list; /* owned; count of them */
    size_t count;
};

/* Reads a file's text. False, with "path:line: reason" in error, if a line is bad or there is no
 * key. *signers is to be freed in any case. */
bool topk_signers_parse(struct topk_signers *signers, const char *path, const char *text,
                        size_t size, char *error, size_t error_bytes);

/* Who has a key; NULL: nobody in the file. */
const struct topk_signer *topk_signers_find(const struct topk_signers *signers,
                                            const struct topk_public_key *key);

/* Whether a key counts for a run that began then ("2026-01-31T12:00:00Z"). False, with the reason
 * in error. */
bool topk_signer_counts(const struct topk_signer *signer, const char *started, char *error,
                        size_t error_bytes);

void topk_signers_free(struct topk_signers *signers);

#endif
