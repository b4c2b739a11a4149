/* A file that is part of what is tested: its digest and the version data that it contains. */
#ifndef TOPK_IDENTITY_FILE_H
#define TOPK_IDENTITY_FILE_H

#include "image.h"
#include "sha256/sha256.h"

/* Differs after any change to a file. */
struct topk_file_stamp {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of its last change */
};

struct topk_file {
    struct topk_file_stamp stamp;
    enum topk_image_kind kind;
    char sha256[TOPK_SHA256_TEXT];
    char build_id[TOPK_BUILD_ID_TEXT];
    char version[TOPK_PE_VERSION_TEXT];
};

/* Takes the stamp of a regular file. False, with errno set, if the file is unavailable or not a
 * regular file. */
bool topk_file_stamp_take(const char *path, struct topk_file_stamp *stamp);
bool topk_file_stamp_same(const struct topk_file_stamp *a, const struct topk_file_stamp *b);

/* Determines the kind of code in a regular file. False, with errno set, if it cannot be read. */
bool topk_file_kind(const char *path, enum topk_image_kind *kind);

/* Reads a whole regular file. False, with the reason in error, if it cannot be read or changes
 * during the read. */
bool topk_file_read(const char *path, struct topk_file *file, char *error, size_t error_bytes);

#endif
