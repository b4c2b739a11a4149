/* Checks the readers of ELF and PE files, which may come from an implementation under test:
 * - a build id that is found is that of a note in the file, and a version is that of a
 *   VS_FIXEDFILEINFO
 * - a file is only one of the two kinds, decided by its first bytes
 * - reads stay within their limits: each is short, and there are not too many
 * Nothing is known about a file that is neither kind or is damaged: it has no build id and no
 * version. */
#include <inttypes.h>
#include <string.h>

#include "fuzz.h"
#include "identity/image.h"

#define INPUT_MAX 2048u
/* A file may have 256 headers with 256 notes each, and three parts of each note are read. */
#define READS_MAX (4u * 256 * 256)
#define READ_MAX  64u

struct file {
    const unsigned char *bytes;
    size_t length;
    unsigned reads;
};

static bool read_file(void *self, uint64_t offset, void *to, size_t bytes)
{
    struct file *file = self;
    file->reads++;
    FUZZ_REQUIRE(bytes > 0 && bytes <= READ_MAX && file->reads <= READS_MAX, "image work",
                 "too much is read");
    if (offset > file->length || bytes > file->length - offset) {
        return false;
    }
    memcpy(to, file->bytes + offset, bytes);
    return true;
}

/* Returns whether a note with a build id, or a version structure, starts at this position in the
 * file and gives this text. */
typedef bool has_text(const struct file *file, size_t at, const char *text);

static bool note_has(const struct file *file, size_t at, const char *text)
{
    const unsigned char *note = file->bytes + at;
    const size_t digits = strlen(text);
    if (at + 16 + digits / 2 > file->length || topk_image_number(note, 4) != 4 ||
        topk_image_number(note + 4, 4) != digits / 2 || topk_image_number(note + 8, 4) != 3 ||
        memcmp(note + 12, "GNU", 4) != 0) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        const unsigned byte = note[16 + i / 2];
        if (text[i] != "0123456789abcdef"[i % 2 == 0 ? byte >> 4 : byte & 15]) {
            return false;
        }
    }
    return true;
}

static bool info_has(const struct file *file, size_t at, const char *text)
{
    const unsigned char *info = file->bytes + at;
    char version[64];
    if (at + 16 > file->length || topk_image_number(info, 4) != 0xfeef04bd) {
        return false;
    }
    snprintf(version, sizeof version, "%u.%u.%u.%u", (unsigned)topk_image_number(info + 10, 2),
             (unsigned)topk_image_number(info + 8, 2), (unsigned)topk_image_number(info + 14, 2),
             (unsigned)topk_image_number(info + 12, 2));
    return strcmp(version, text) == 0;
}

static bool is_there(const struct file *file, const char *text, has_text *has)
{
    for (size_t at = 0; at < file->length; at++) {
        if (has(file, at, text)) {
            return true;
        }
    }
    return false;
}

static void run(const unsigned char *bytes, size_t length)
{
    char id[TOPK_BUILD_ID_TEXT];
    char version[TOPK_PE_VERSION_TEXT];
    struct file file = {bytes, length, 0};
    const struct topk_image image = {&file, read_file};
    if (length > INPUT_MAX) {
        return;
    }
    const enum topk_image_kind kind = topk_image_kind(&image);
    topk_elf_build_id(&image, id);
    file.reads = 0;
    topk_pe_version(&image, version);
    FUZZ_REQUIRE(id[0] == 0 || (kind == TOPK_IMAGE_ELF && is_there(&file, id, note_has)),
                 "image build-id", id);
    FUZZ_REQUIRE(version[0] == 0 || (kind == TOPK_IMAGE_PE && is_there(&file, version, info_has)),
                 "image version", version);
}

static const char *const words[] = {"\177ELF", "MZ", "GNU", "\xbd\x04\xef\xfe", NULL};

const struct fuzz_target fuzz_target = {
    .name = "image",
    .about = "a build id and a file version are those that the ELF or PE file has",
    .max_bytes = INPUT_MAX,
    .run = run,
    .words = words,
};
