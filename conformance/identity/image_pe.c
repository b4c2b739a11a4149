/* The file version of a PE file: its resources are a tree of three levels, type, name and language;
 * the first leaf of type RT_VERSION starts with VS_FIXEDFILEINFO. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image.h"

#define SECTIONS_MAX 96u
/* entries of a resource directory that are read */
#define ENTRIES_MAX 4096u

#define RT_VERSION 16u
#define RESOURCES  2u /* index of their data directory */
#define SUBTREE    0x80000000u

struct pe {
    const struct topk_image *image;
    uint64_t sections; /* offset of the section table */
    uint64_t section_count;
    uint64_t resources; /* address of the resources in memory */
};

static bool read_number(const struct topk_image *image, uint64_t offset, unsigned bytes,
                        uint64_t *number)
{
    unsigned char data[8];
    const bool there = image->read(image->self, offset, data, bytes);
    *number = there ? topk_image_number(data, bytes) : 0;
    return there;
}

/* Finds the file offset of an address in memory. */
static bool find_offset(const struct pe *pe, uint64_t address, uint64_t *offset)
{
    for (uint64_t i = 0; i < pe->section_count; i++) {
        unsigned char row[40];
        if (!pe->image->read(pe->image->self, pe->sections + i * sizeof row, row, sizeof row)) {
            return false;
        }
        const uint64_t start = topk_image_number(row + 12, 4);
        const uint64_t bytes = topk_image_number(row + 16, 4);
        if (address >= start && address - start < bytes) {
            *offset = topk_image_number(row + 20, 4) + (address - start);
            return true;
        }
    }
    return false;
}

/* Finds the entry of a directory with a number; any: its first entry. at: offset of the directory
 * from the start of the resources. */
static bool find_entry(const struct pe *pe, uint64_t at, uint32_t wanted, bool any, uint64_t *found)
{
    unsigned char head[16];
    uint64_t offset;
    if (!find_offset(pe, pe->resources + at, &offset) ||
        !pe->image->read(pe->image->self, offset, head, sizeof head)) {
        return false;
    }
    const uint64_t count = topk_image_number(head + 12, 2) + topk_image_number(head + 14, 2);
    for (uint64_t i = 0; i < count && i < ENTRIES_MAX; i++) {
        unsigned char entry[8];
        if (!pe->image->read(pe->image->self, offset + sizeof head + i * sizeof entry, entry,
                             sizeof entry)) {
            return false;
        }
        if (any || topk_image_number(entry, 4) == wanted) {
            *found = topk_image_number(entry + 4, 4);
            return true;
        }
    }
    return false;
}

/* Finds the headers. False if this is no PE file with resources. */
static bool open_pe(const struct topk_image *image, struct pe *pe)
{
    uint64_t header;
    unsigned char coff[24];
    uint64_t magic;
    uint64_t count;
    if (topk_image_kind(image) != TOPK_IMAGE_PE || !read_number(image, 0x3c, 4, &header) ||
        !image->read(image->self, header, coff, sizeof coff) || memcmp(coff, "PE\0", 4) != 0 ||
        !read_number(image, header + sizeof coff, 2, &magic) ||
        (magic != 0x10b && magic != 0x20b)) {
        return false;
    }
    const uint64_t optional = header + sizeof coff;
    const uint64_t directories = optional + (magic == 0x20b ? 112 : 96);
    const uint64_t optional_bytes = topk_image_number(coff + 20, 2);
    *pe = (struct pe){.image = image,
                      .sections = optional + optional_bytes,
                      .section_count = topk_image_number(coff + 6, 2)};
    if (pe->section_count > SECTIONS_MAX) {
        pe->section_count = SECTIONS_MAX;
    }
    return read_number(image, directories - 4, 4, &count) && count > RESOURCES &&
           read_number(image, directories + (uint64_t)8 * RESOURCES, 4, &pe->resources) &&
           pe->resources != 0;
}

void topk_pe_version(const struct topk_image *image, char text[TOPK_PE_VERSION_TEXT])
{
    struct pe pe;
    uint64_t at;
    uint64_t address;
    uint64_t offset;
    unsigned char version[56];
    text[0] = 0;
    if (!open_pe(image, &pe) || !find_entry(&pe, 0, RT_VERSION, false, &at) ||
        (at & SUBTREE) == 0 || !find_entry(&pe, at & ~SUBTREE, 0, true, &at) ||
        (at & SUBTREE) == 0 || !find_entry(&pe, at & ~SUBTREE, 0, true, &at) ||
        (at & SUBTREE) != 0 || !find_offset(&pe, pe.resources + at, &offset) ||
        !read_number(image, offset, 4, &address) || !find_offset(&pe, address, &offset) ||
        !image->read(image->self, offset, version, sizeof version)) {
        return;
    }
    /* VS_VERSIONINFO: 6 bytes, L"VS_VERSION_INFO" with its terminator, 2 bytes of padding */
    const unsigned char *fixed = version + 40;
    if (topk_image_number(fixed, 4) != 0xfeef04bd) {
        return;
    }
    const uint32_t high = (uint32_t)topk_image_number(fixed + 8, 4);
    const uint32_t low = (uint32_t)topk_image_number(fixed + 12, 4);
    snprintf(text, TOPK_PE_VERSION_TEXT, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, high >> 16,
             high & 0xffff, low >> 16, low & 0xffff);
}
