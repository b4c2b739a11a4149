/* The build id of an ELF file: its program headers lead to notes, one of which holds it. */
#include <stdio.h>
#include <string.h>

#include "image.h"

/* limits of a file; linkers write a few */
#define HEADERS_MAX 256u
#define NOTES_MAX   256u
/* bytes of the notes of a segment that are read */
#define SEGMENT_MAX ((uint64_t)64 << 10)

#define PT_NOTE         4u
#define NT_GNU_BUILD_ID 3u
#define ID_MAX          64u

/* Reads a number of an ELF file, which has the byte order of its machine. */
static uint64_t elf_number(bool big, const unsigned char *at, unsigned bytes)
{
    if (!big) {
        return topk_image_number(at, bytes);
    }
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++) {
        number = number << 8 | at[i];
    }
    return number;
}

uint64_t topk_image_number(const unsigned char *at, unsigned bytes)
{
    uint64_t number = 0;
    while (bytes > 0) {
        number = number << 8 | at[--bytes];
    }
    return number;
}

enum topk_image_kind topk_image_kind(const struct topk_image *image)
{
    unsigned char start[4];
    if (!image->read(image->self, 0, start, sizeof start)) {
        return TOPK_IMAGE_OTHER;
    }
    return memcmp(start, "\177ELF", 4) == 0 ? TOPK_IMAGE_ELF
           : memcmp(start, "MZ", 2) == 0    ? TOPK_IMAGE_PE
                                            : TOPK_IMAGE_OTHER;
}

/* Searches the notes of a segment for the build id. */
static bool find_note(const struct topk_image *image, bool big, uint64_t offset, uint64_t size,
                      uint64_t alignment, char text[TOPK_BUILD_ID_TEXT])
{
    const uint64_t mask = alignment == 8 ? 7 : 3;
    uint64_t at = 0;
    size = size > SEGMENT_MAX ? SEGMENT_MAX : size;
    for (unsigned note = 0; note < NOTES_MAX && at + 12 <= size; note++) {
        unsigned char head[16];
        unsigned char id[ID_MAX];
        if (!image->read(image->self, offset + at, head, 12)) {
            return false;
        }
        const uint64_t name_bytes = elf_number(big, head, 4);
        const uint64_t id_bytes = elf_number(big, head + 4, 4);
        const uint64_t type = elf_number(big, head + 8, 4);
        const uint64_t id_at = at + ((12 + name_bytes + mask) & ~mask);
        const bool wanted =
            type == NT_GNU_BUILD_ID && name_bytes == 4 && id_bytes > 0 && id_bytes <= ID_MAX;
        if (wanted && id_at + id_bytes <= size &&
            image->read(image->self, offset + at + 12, head + 12, 4) &&
            memcmp(head + 12, "GNU", 4) == 0 &&
            image->read(image->self, offset + id_at, id, (size_t)id_bytes)) {
            for (size_t i = 0; i < id_bytes; i++) {
                snprintf(text + 2 * i, 3, "%02x", id[i]);
            }
            return true;
        }
        at = (id_at + id_bytes + mask) & ~mask;
    }
    return false;
}

void topk_elf_build_id(const struct topk_image *image, char text[TOPK_BUILD_ID_TEXT])
{
    unsigned char header[64] = {0};
    text[0] = 0;
    /* The header of a 32-bit file has 52 bytes. */
    if (!image->read(image->self, 0, header, 52) || memcmp(header, "\177ELF", 4) != 0 ||
        (header[5] != 1 && header[5] != 2)) {
        return;
    }
    const bool wide = header[4] == 2;
    const bool big = header[5] == 2;
    if (wide && !image->read(image->self, 0, header, sizeof header)) {
        return;
    }
    const uint64_t table = wide ? elf_number(big, header + 32, 8) : elf_number(big, header + 28, 4);
    const uint64_t row = elf_number(big, header + (wide ? 54 : 42), 2);
    uint64_t count = elf_number(big, header + (wide ? 56 : 44), 2);
    count = count > HEADERS_MAX ? HEADERS_MAX : count;
    for (uint64_t i = 0; i < count && table <= UINT64_MAX / 2; i++) {
        unsigned char segment[56] = {0};
        const size_t bytes = wide ? 56 : 32;
        if (row < bytes || !image->read(image->self, table + i * row, segment, bytes)) {
            return;
        }
        const uint64_t offset =
            wide ? elf_number(big, segment + 8, 8) : elf_number(big, segment + 4, 4);
        const uint64_t size =
            wide ? elf_number(big, segment + 32, 8) : elf_number(big, segment + 16, 4);
        const uint64_t alignment =
            wide ? elf_number(big, segment + 48, 8) : elf_number(big, segment + 28, 4);
        if (elf_number(big, segment, 4) == PT_NOTE && offset <= UINT64_MAX / 2 &&
            find_note(image, big, offset, size, alignment, text)) {
            return;
        }
    }
}
