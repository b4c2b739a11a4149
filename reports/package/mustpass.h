/* The list of cases that a run of a profile has to have: their ids, each with a line feed, in the
 * order of the profile. Its SHA-256 is the digest of the profile. */
#ifndef TOPK_MUSTPASS_H
#define TOPK_MUSTPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a profile; the tables are the caller's. */
struct topk_mustpass_test {
    const char *name; /* "ties.boundary" */
    uint32_t cases;
    const char *digest; /* first hex digits of the SHA-256 of its ids, each with a line feed */
};

struct topk_mustpass {
    const char *name; /* "core" */
    uint32_t version;
    const struct topk_mustpass_test *tests;
    size_t test_count;
};

struct topk_mustpass_line {
    const char *id; /* in the text of the list; not terminated */
    uint32_t length;
    uint32_t level; /* feature level that the case asks for, 0x5000 */
};

struct topk_mustpass_list {
    struct topk_mustpass_line *lines; /* owned; count of them */
    size_t count;
};

/* Reads a list, which has to be that of the profile, and outlives *list. False, with file, line and
 * reason in error. *list is to be freed in any case. */
bool topk_mustpass_read(struct topk_mustpass_list *list, const struct topk_mustpass *profile,
                        const char *path, const char *text, size_t size, char *error,
                        size_t error_bytes);

void topk_mustpass_free(struct topk_mustpass_list *list);

#endif
