/* A plain archive that tar reads: POSIX ustar, of which only one form is written and read. Entries
 * are regular files without folders, with mode 0644, no owner and no date; padding is zero, and two
 * zero blocks end the file. So each archive of the same entries is the same, and no byte of one can
 * be changed without being noticed or changing an entry. */
#ifndef TOPK_ARCHIVE_H
#define TOPK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Longest name of an entry, with the terminator. */
#define TOPK_ARCHIVE_NAME 64
/* Entries that a package has room for. */
#define TOPK_ARCHIVE_ENTRIES 16

struct topk_archive_entry {
    char name[TOPK_ARCHIVE_NAME]; /* letters, digits, '.', '-' and '_'; a letter or digit first */
    const char *bytes;            /* size of them; of what was read they stand in the archive */
    size_t size;                  /* below 8 GiB */
};

/* Whether an entry may have the name. */
bool topk_archive_name_valid(const char *name);

/* Writes an archive. False with errno set if it cannot be written; what is there then is no
 * archive. Names must be valid and differ. */
bool topk_archive_write(FILE *out, const struct topk_archive_entry *entries, size_t count);

/* Reads an archive of `size` bytes: entries[] gets its entries in their order, at most `most`,
 * *count their number. False, with what is wrong and where in error, for anything that
 * topk_archive_write does not write. path is for messages. */
bool topk_archive_read(const char *path, const char *bytes, size_t size,
                       struct topk_archive_entry *entries, size_t most, size_t *count, char *error,
                       size_t error_bytes);

/* The entry of a name; NULL if there is none. */
const struct topk_archive_entry *topk_archive_find(const struct topk_archive_entry *entries,
                                                   size_t count, const char *name);

#endif
