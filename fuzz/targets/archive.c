/* Checks the archive reader: whatever it accepts must be written back as the same bytes, and
 * anything else must be refused with a reason and a position. If the first byte is '+', header
 * checksums are repaired first, because a fuzzer would never find valid ones; otherwise the archive
 * is used as it is. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "package/archive.h"

#define BLOCK 512u
/* enough for an archive of a few small entries */
#define INPUT_MAX (16u * BLOCK + 1u)

enum {
    AT_SIZE = 124,
    AT_SUM = 148,
    SUM_BYTES = 8
};

/* Writes the checksum of a header in the format's notation. */
static void mend_header(unsigned char *header)
{
    unsigned sum = 0;
    char text[SUM_BYTES];
    memset(header + AT_SUM, ' ', SUM_BYTES);
    for (unsigned i = 0; i < BLOCK; i++) {
        sum += header[i];
    }
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(header + AT_SUM, text, sizeof text - 1);
}

static void mend(unsigned char *bytes, size_t length)
{
    for (size_t at = 0; length - at >= BLOCK && bytes[at] != 0;) {
        char digits[12] = "";
        memcpy(digits, bytes + at + AT_SIZE, sizeof digits - 1);
        const unsigned long size = strtoul(digits, NULL, 8);
        mend_header(bytes + at);
        if (size > length - at - BLOCK) {
            break;
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
        at = at < length ? at : length;
    }
}

static void check_read(const char *bytes, size_t length, const struct topk_archive_entry *entries,
                       size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(topk_archive_find(entries, count, entries[i].name) == &entries[i],
                     "archive find", entries[i].name);
        FUZZ_REQUIRE(entries[i].bytes >= bytes && entries[i].size <= length &&
                         entries[i].bytes + entries[i].size <= bytes + length,
                     "archive outside", entries[i].name);
    }
    const bool written = topk_archive_write(out, entries, count);
    FUZZ_REQUIRE(fclose(out) == 0 && written && size == length && memcmp(text, bytes, size) == 0,
                 "archive form", "it is written in another form");
    free(text);
}

static void run(const unsigned char *input, size_t length)
{
    struct topk_archive_entry entries[TOPK_ARCHIVE_ENTRIES];
    size_t count;
    char error[512] = "";
    unsigned long at = 0;
    if (length == 0 || length > INPUT_MAX) {
        return;
    }
    /* Allocates exactly the length, so that a sanitizer notices any read beyond it. */
    unsigned char *bytes = malloc(length);
    if (bytes == NULL) {
        return;
    }
    const bool mended = input[0] == '+';
    length -= mended;
    memcpy(bytes, input + mended, length);
    if (mended) {
        mend(bytes, length);
    }
    if (topk_archive_read("a.tar", (const char *)bytes, length, entries, TOPK_ARCHIVE_ENTRIES,
                          &count, error, sizeof error)) {
        check_read((const char *)bytes, length, entries, count);
    } else {
        FUZZ_REQUIRE(sscanf(error, "a.tar: at byte %lu: ", &at) == 1 && at <= length,
                     "archive no-reason", error);
    }
    free(bytes);
}

static const char *const words[] = {"ustar", "0000644", "00000000000", "manifest.sha256",
                                    "..",    "BZh",     NULL};

const struct fuzz_target fuzz_target = {
    .name = "archive",
    .about = "what is read as an archive is written as the same bytes",
    .max_bytes = INPUT_MAX,
    .run = run,
    .words = words,
};
