/* A plain archive that tar can read: POSIX ustar, in a single canonical form. Entries are regular
 * files without folders, with mode 0644, no owner and no date; padding is zero, and two zero blocks
 * end the file. So the same entries always give the same archive, and changing any byte is either
 * detected or changes an entry. */
#ifndef TOPK_ARCHIVE_H
#define TOPK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Size of the longest name of an entry, with the terminator. */
#define TOPK_ARCHIVE_NAME 64
/* Greatest number of entries in a package. */
#define TOPK_ARCHIVE_ENTRIES 16

struct topk_archive_entry {
    /* letters, digits, '.', '-' and '_'; starts with a letter or digit */
    char name[TOPK_ARCHIVE_NAME];
    /* `size` bytes; in an archive that was read, they point into it */
    const char *bytes;
    size_t size; /* below 8 GiB */
};

/* Whether an entry may have the name. */
bool topk_archive_name_valid(const char *name);

/* Writes an archive. Returns false with errno set if that fails; the output is then no valid
 * archive. Names must be valid and distinct. */
bool topk_archive_write(FILE *out, const struct topk_archive_entry *entries, size_t count);

/* Reads an archive of `size` bytes: entries[] is filled with its entries in order, at most `most`,
 * *count is their number. Returns false, with the error and its place, for anything that
 * topk_archive_write() does not write. path is for messages. */
bool topk_archive_read(const char *path, const char *bytes, size_t size,
                       struct topk_archive_entry *entries, size_t most, size_t *count, char *error,
                       size_t error_bytes);

/* Returns the entry with a name; NULL if there is none. */
const struct topk_archive_entry *topk_archive_find(const struct topk_archive_entry *entries,
                                                   size_t count, const char *name);

#endif
