/* Version data inside programs and libraries: the build id of an ELF file, the version of a PE
 * file. The files belong to what is under test, so they are untrusted: every offset and size is
 * checked, and the work for a file is limited. */
#ifndef TOPK_IMAGE_H
#define TOPK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file to read from: a descriptor, or bytes. */
struct topk_image {
    void *self;
    /* Reads `bytes` bytes from `offset` on; false if there are fewer. */
    bool (*read)(void *self, uint64_t offset, void *to, size_t bytes);
};

enum topk_image_kind {
    TOPK_IMAGE_OTHER, /* not recognized */
    TOPK_IMAGE_ELF,
    TOPK_IMAGE_PE
};

/* Determines the kind from the first bytes. */
enum topk_image_kind topk_image_kind(const struct topk_image *image);

/* Room for a build id of up to 64 bytes in hex, with the terminator. */
#define TOPK_BUILD_ID_TEXT 129
/* Writes the build id (the note of type NT_GNU_BUILD_ID) of an ELF file as hex; "" if it has
 * none. */
void topk_elf_build_id(const struct topk_image *image, char text[TOPK_BUILD_ID_TEXT]);

/* Room for "65535.65535.65535.65535", with the terminator. */
#define TOPK_PE_VERSION_TEXT 24
/* Writes the file version of a PE file (from VS_FIXEDFILEINFO); "" if it has none. */
void topk_pe_version(const struct topk_image *image, char text[TOPK_PE_VERSION_TEXT]);

/* A little-endian number of 2, 4 or 8 bytes. */
uint64_t topk_image_number(const unsigned char *at, unsigned bytes);

#endif
