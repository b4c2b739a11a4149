/* The list of cases that a run of a profile must contain: their ids, each followed by a line feed,
 * in the order of the profile. Its SHA-256 is the digest of the profile. */
#ifndef TOPK_MUSTPASS_H
#define TOPK_MUSTPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile; the caller owns the tables. */
struct topk_mustpass_test {
    const char *name; /* "ties.boundary" */
    uint32_t cases;
    /* first hex digits of the SHA-256 of its ids, each followed by a line feed */
    const char *digest;
};

struct topk_mustpass {
    const char *name; /* "core" */
    uint32_t version;
    const struct topk_mustpass_test *tests;
    size_t test_count;
};

struct topk_mustpass_line {
    const char *id; /* points into the text of the list; not terminated */
    uint32_t length;
    uint32_t level; /* the case's feature level, such as 0x5000 */
};

struct topk_mustpass_list {
    struct topk_mustpass_line *lines; /* owned; count of them */
    size_t count;
};

/* Parses a list, which must be that of the profile and outlive *list. Returns false, with file,
 * line and reason in error, if it is not. Free *list in any case. */
bool topk_mustpass_read(struct topk_mustpass_list *list, const struct topk_mustpass *profile,
                        const char *path, const char *text, size_t size, char *error,
                        size_t error_bytes);

void topk_mustpass_free(struct topk_mustpass_list *list);

#endif
