/* Reads and writes archives in the one form of ustar that archive.h describes. A header that is
 * read is compared to the header that we would have written, so anything else that a header can say
 * beyond name and size is refused. The individual fields are only looked at to give a good
 * message. */
#include "archive.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 512u

/* Where the fields of a header start, and their sizes. */
enum {
    AT_MODE = 100,
    AT_OWNER = 108,
    AT_GROUP = 116,
    AT_SIZE = 124,
    SIZE_DIGITS = 11,
    AT_TIME = 136,
    AT_SUM = 148,
    SUM_BYTES = 8,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    AT_PREFIX = 345
};

static const char zeros[2 * BLOCK];

bool topk_archive_name_valid(const char *name)
{
    static const char allowed[] =
        ".-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const size_t length = strspn(name, allowed);
    return name[length] == 0 && length > 0 && length < TOPK_ARCHIVE_NAME &&
           strchr(".-_", name[0]) == NULL && strstr(name, "..") == NULL;
}

/* Writes a number with this many octal digits. */
static void put_octal(char *text, unsigned digits, size_t number)
{
    while (digits-- > 0) {
        text[digits] = (char)('0' + (number & 7));
        number >>= 3;
    }
}

static void make_header(const struct topk_archive_entry *entry, char header[BLOCK])
{
    size_t sum = 0;
    memset(header, 0, BLOCK);
    memcpy(header, entry->name, strlen(entry->name));
    put_octal(header + AT_MODE, 7, 0644);
    put_octal(header + AT_OWNER, 7, 0);
    put_octal(header + AT_GROUP, 7, 0);
    put_octal(header + AT_SIZE, SIZE_DIGITS, entry->size);
    put_octal(header + AT_TIME, 11, 0);
    header[AT_TYPE] = '0';
    memcpy(header + AT_MAGIC, "ustar\00000", 8);
    /* The checksum is calculated with blanks in its own place. */
    memset(header + AT_SUM, ' ', SUM_BYTES);
    for (size_t i = 0; i < BLOCK; i++) {
        sum += (unsigned char)header[i];
    }
    put_octal(header + AT_SUM, 6, sum);
    header[AT_SUM + 6] = 0;
}

static size_t padding_of(size_t size)
{
    return (BLOCK - size % BLOCK) % BLOCK;
}

/* An empty entry may have a null pointer. */
static bool put(FILE *out, const char *bytes, size_t size)
{
    return size == 0 || fwrite(bytes, 1, size, out) == size;
}

bool topk_archive_write(FILE *out, const struct topk_archive_entry *entries, size_t count)
{
    char header[BLOCK];
    for (size_t i = 0; i < count; i++) {
        make_header(&entries[i], header);
        if (!put(out, header, BLOCK) || !put(out, entries[i].bytes, entries[i].size) ||
            !put(out, zeros, padding_of(entries[i].size))) {
            return false;
        }
    }
    return put(out, zeros, sizeof zeros) && fflush(out) == 0;
}

/* ---- reading
 * --------------------------------------------------------------------------------- */

struct reading {
    const char *path;
    const char *bytes;
    size_t size;
    size_t at;
    char *error;
    size_t error_bytes;
};

static bool wrong(const struct reading *reading, const char *reason)
{
    snprintf(reading->error, reading->error_bytes, "%s: at byte %zu: %s", reading->path,
             reading->at, reason);
    return false;
}

static bool is_zero(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Reads a size from octal digits. Returns SIZE_MAX if it is malformed. */
static size_t size_of(const char *digits)
{
    size_t size = 0;
    for (unsigned i = 0; i < SIZE_DIGITS; i++) {
        if (digits[i] < '0' || digits[i] > '7') {
            return SIZE_MAX;
        }
        size = size << 3 | (size_t)(digits[i] - '0');
    }
    return size;
}

/* Explains why a header that is not as we would have written it is refused. */
static const char *reason_of(const char *header)
{
    if (memcmp(header + AT_MAGIC, "ustar", 5) != 0) {
        return "this is not a header of a ustar archive";
    }
    switch (header[AT_TYPE]) {
    case '0':
        break;
    case 0:
        return "the header is of an older form of tar than the one in use here";
    case '1':
        return "there is a hard link; only regular files are allowed";
    case '2':
        return "there is a symbolic link; only regular files are allowed";
    case '3':
    case '4':
    case '6':
        return "there is a device or pipe; only regular files are allowed";
    case '5':
        return "there is a folder; only regular files are allowed";
    default:
        return "there is an entry of an unknown kind; only regular files are allowed";
    }
    return "the header is not as topk-cts writes it: was the package unpacked and packed again?";
}

static bool read_name(const struct reading *reading, const char *header,
                      struct topk_archive_entry *entry)
{
    if (memchr(header, 0, TOPK_ARCHIVE_NAME) == NULL || header[AT_PREFIX] != 0) {
        return wrong(reading, "the name of the entry is too long");
    }
    snprintf(entry->name, sizeof entry->name, "%s", header);
    if (strchr(entry->name, '/') != NULL || strstr(entry->name, "..") != NULL) {
        return wrong(reading, "the name of the entry is a path; there are no folders");
    }
    return topk_archive_name_valid(entry->name) ||
           wrong(reading, "the entry has no name that is allowed");
}

/* Reads the entry at reading->at and moves past it. */
static bool read_entry(struct reading *reading, struct topk_archive_entry *entry)
{
    char expected[BLOCK];
    const char *header = reading->bytes + reading->at;
    if (memcmp(header + AT_MAGIC, "ustar", 5) != 0 || header[AT_TYPE] != '0') {
        return wrong(reading, reason_of(header));
    }
    if (!read_name(reading, header, entry)) {
        return false;
    }
    size_t left = reading->size - reading->at - BLOCK;
    entry->size = size_of(header + AT_SIZE);
    entry->bytes = header + BLOCK;
    if (entry->size == SIZE_MAX) {
        return wrong(reading, "the size of the entry is not a number");
    }
    make_header(entry, expected);
    if (memcmp(header, expected, BLOCK) != 0) {
        return wrong(reading, reason_of(header));
    }
    if (entry->size > left || padding_of(entry->size) > left - entry->size) {
        return wrong(reading, "the entry ends after the end of the file: the file was truncated");
    }
    if (!is_zero(entry->bytes + entry->size, padding_of(entry->size))) {
        return wrong(reading, "the padding after the entry is not zero");
    }
    reading->at += BLOCK + entry->size + padding_of(entry->size);
    return true;
}

static bool read_end(const struct reading *reading)
{
    size_t left = reading->size - reading->at;
    if (left < 2 * (size_t)BLOCK) {
        return wrong(reading, "the end of the archive is missing: the file was truncated");
    }
    if (!is_zero(reading->bytes + reading->at, 2 * (size_t)BLOCK)) {
        return wrong(reading, "the end of the archive is not two blocks of zeros");
    }
    return left == 2 * (size_t)BLOCK || wrong(reading, "bytes follow the end of the archive");
}

bool topk_archive_read(const char *path, const char *bytes, size_t size,
                       struct topk_archive_entry *entries, size_t most, size_t *count, char *error,
                       size_t error_bytes)
{
    struct reading reading = {.path = path, .bytes = bytes, .size = size};
    reading.error = error;
    reading.error_bytes = error_bytes;
    *count = 0;
    if (size >= 4 &&
        (memcmp(bytes, "\x1f\x8b", 2) == 0 || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ||
         memcmp(bytes, "\xfd\x37zX", 4) == 0 || memcmp(bytes, "BZh", 3) == 0)) {
        return wrong(&reading, "it is compressed: decompress it first");
    }
    while (size - reading.at >= BLOCK && !is_zero(bytes + reading.at, BLOCK)) {
        if (*count == most) {
            return wrong(&reading, "there are too many entries");
        }
        size_t from = reading.at;
        if (!read_entry(&reading, &entries[*count])) {
            return false;
        }
        if (topk_archive_find(entries, *count, entries[*count].name) != NULL) {
            reading.at = from;
            return wrong(&reading, "there is a second entry of the same name");
        }
        ++*count;
    }
    return read_end(&reading);
}

const struct topk_archive_entry *topk_archive_find(const struct topk_archive_entry *entries,
                                                   size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}
