/* See npy.h. */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

#define ALIGNED 64u

static char kind_of(uint32_t type)
{
    if (topk_type_float(type)) {
        return 'f';
    }
    return topk_type_signed(type) ? 'i' : 'u';
}

/* ---- writing --------------------------------------------------------------------------------- */

static void print_shape(const struct topk_packed *packed, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (uint32_t d = 0; d < packed->rank; d++) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, d == 0 ? "" : ", ",
                                 packed->sizes[d]);
    }
    /* a tuple with one element ends with a comma */
    snprintf(text + used, size - used, "%s)", packed->rank == 1 ? "," : "");
}

size_t topk_npy_head(const struct topk_packed *packed, unsigned char head[TOPK_NPY_HEAD])
{
    const uint32_t bytes = topk_type_bytes(packed->type);
    const char kind = kind_of(packed->type);
    char shape[16 * TOPK_RANK_VALID];
    char text[TOPK_NPY_HEAD];
    print_shape(packed, shape, sizeof shape);
    const int length = snprintf(
        text, sizeof text, "{'descr': '%c%c%" PRIu32 "', 'fortran_order': False, 'shape': %s, }",
        bytes == 1 ? '|' : '<', kind, bytes, shape);
    const size_t used = sizeof magic + 4 + (size_t)length + 1;
    const size_t whole = (used + ALIGNED - 1) / ALIGNED * ALIGNED;
    const size_t header = whole - sizeof magic - 4;
    memset(head, ' ', whole);
    memcpy(head, magic, sizeof magic);
    head[6] = 1;
    head[7] = 0;
    head[8] = (unsigned char)(header & 0xff);
    head[9] = (unsigned char)(header >> 8);
    memcpy(head + 10, text, (size_t)length);
    head[whole - 1] = '\n';
    return whole;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    const unsigned char *bytes;
    size_t at;
    size_t end; /* of the header */
    struct topk_refusal *refusal;
};

/* What the dictionary says. */
struct header {
    bool has_type;
    bool has_order;
    bool has_shape;
    uint32_t type;
    int64_t sizes[TOPK_RANK_VALID + 1];
    uint64_t rank;
    size_t shape_at;
};

static void skip_spaces(struct reader *r)
{
    while (r->at < r->end &&
           (r->bytes[r->at] == ' ' || r->bytes[r->at] == '\n' || r->bytes[r->at] == '\t')) {
        r->at++;
    }
}

/* Takes the next character if it is this one, and returns whether it was. */
static bool take(struct reader *r, char character)
{
    skip_spaces(r);
    if (r->at < r->end && r->bytes[r->at] == (unsigned char)character) {
        r->at++;
        return true;
    }
    return false;
}

static bool take_word(struct reader *r, const char *word)
{
    skip_spaces(r);
    const size_t length = strlen(word);
    if (r->end - r->at < length || memcmp(r->bytes + r->at, word, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

static bool expect(struct reader *r, char character)
{
    return take(r, character) ||
           topk_refuse(r->refusal, r->at, "the header has no '%c' here", character);
}

/* Takes a string in single or double quotes, without escapes. */
static bool take_string(struct reader *r, char text[32])
{
    skip_spaces(r);
    const size_t from = r->at + 1;
    const unsigned char quote = r->at < r->end ? r->bytes[r->at] : 0;
    if (quote != '\'' && quote != '"') {
        return topk_refuse(r->refusal, r->at, "the header has no string here");
    }
    size_t to = from;
    while (to < r->end && r->bytes[to] != quote && r->bytes[to] >= ' ' && r->bytes[to] < 0x7f) {
        to++;
    }
    if (to == r->end || r->bytes[to] != quote || to - from >= 32) {
        return topk_refuse(r->refusal, r->at, "the header's string here has no end or is too long");
    }
    memcpy(text, r->bytes + from, to - from);
    text[to - from] = 0;
    r->at = to + 1;
    return true;
}

static bool take_type(struct reader *r, struct header *header)
{
    const size_t at = r->at;
    char text[32] = "";
    skip_spaces(r);
    if (r->at < r->end && r->bytes[r->at] == '[') {
        return topk_refuse(r->refusal, r->at, "a structured type, which TOP_K does not have");
    }
    if (!take_string(r, text)) {
        return false;
    }
    for (unsigned i = 0; i < TOPK_TYPE_COUNT; i++) {
        const uint32_t type = topk_types[i];
        const uint32_t bytes = topk_type_bytes(type);
        const char kind = kind_of(type);
        if (text[0] == 0 || text[1] != kind || text[2] != (char)('0' + bytes) || text[3] != 0) {
            continue;
        }
        if (text[0] == '>' && bytes > 1) {
            return topk_refuse(r->refusal, at,
                               "'%s': the greatest byte comes first, which is not read", text);
        }
        if (strchr(bytes == 1 ? "|<>=" : "<=", text[0]) != NULL) {
            header->type = type;
            header->has_type = true;
            return true;
        }
    }
    return topk_refuse(r->refusal, at, "the type '%s', which TOP_K does not have", text);
}

static bool take_order(struct reader *r, struct header *header)
{
    const size_t at = r->at;
    if (take_word(r, "True")) {
        return topk_refuse(r->refusal, at, "fortran_order, which is not read");
    }
    header->has_order = true;
    return take_word(r, "False") ||
           topk_refuse(r->refusal, at, "fortran_order is neither True nor False");
}

static bool take_size(struct reader *r, int64_t *size)
{
    const size_t at = r->at;
    const bool negative = take(r, '-');
    uint64_t number = 0;
    const size_t first = r->at;
    for (; r->at < r->end && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; r->at++) {
        if (number > (uint64_t)INT64_MAX / 10 - 1) {
            return topk_refuse(r->refusal, at, "a size beyond 64 bits");
        }
        number = 10 * number + (r->bytes[r->at] - '0');
    }
    if (r->at == first) {
        return topk_refuse(r->refusal, at, "the shape has no number here");
    }
    if (r->at < r->end && r->bytes[r->at] == 'L') {
        r->at++; /* long integers as Python 2 writes them: 3L */
    }
    *size = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static bool take_shape(struct reader *r, struct header *header)
{
    if (!expect(r, '(')) {
        return false;
    }
    header->shape_at = r->at;
    header->has_shape = true;
    bool comma = true;
    while (!take(r, ')')) {
        if (!comma) {
            return topk_refuse(r->refusal, r->at, "the shape has no ',' here");
        }
        if (header->rank == TOPK_RANK_VALID + 1) {
            return topk_refuse(r->refusal, r->at,
                               "more than %d dimensions; a tensor of TOP_K has 1 to %d",
                               TOPK_RANK_VALID, TOPK_RANK_VALID);
        }
        skip_spaces(r);
        if (!take_size(r, &header->sizes[header->rank++])) {
            return false;
        }
        comma = take(r, ',');
    }
    return header->rank != 1 || comma ||
           topk_refuse(r->refusal, header->shape_at, "the shape is a number and no tuple");
}

static bool take_entry(struct reader *r, struct header *header)
{
    char key[32];
    const size_t at = r->at;
    if (!take_string(r, key) || !expect(r, ':')) {
        return false;
    }
    const struct {
        const char *key;
        bool there;
        bool (*take)(struct reader *r, struct header *header);
    } keys[] = {
        {"descr", header->has_type, take_type},
        {"fortran_order", header->has_order, take_order},
        {"shape", header->has_shape, take_shape},
    };
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].key) == 0) {
            return keys[i].there ? topk_refuse(r->refusal, at, "the header has '%s' twice", key)
                                 : keys[i].take(r, header);
        }
    }
    return topk_refuse(r->refusal, at, "the header has the key '%s', which .npy files do not have",
                       key);
}

static bool take_header(struct reader *r, struct header *header)
{
    if (!expect(r, '{')) {
        return false;
    }
    while (!take(r, '}')) {
        if (!take_entry(r, header)) {
            return false;
        }
        if (!take(r, ',')) {
            if (!expect(r, '}')) {
                return false;
            }
            break;
        }
    }
    skip_spaces(r);
    if (r->at != r->end) {
        return topk_refuse(r->refusal, r->at, "the header goes on behind its dictionary");
    }
    if (!header->has_type || !header->has_order || !header->has_shape) {
        return topk_refuse(r->refusal, r->at, "the header has no '%s'",
                           !header->has_type    ? "descr"
                           : !header->has_order ? "fortran_order"
                                                : "shape");
    }
    return true;
}

/* Finds where the header starts and ends. */
static bool find_header(const unsigned char *bytes, size_t size, struct reader *r)
{
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return topk_refuse(r->refusal, 0, "not an .npy file: it does not start with \\x93NUMPY");
    }
    if (size < 8) {
        return topk_refuse(r->refusal, size, "cut off: the version is missing");
    }
    const unsigned version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) {
        return topk_refuse(r->refusal, 6, "version %u.%u of the format; 1.0 to 3.0 are read",
                           version, bytes[7]);
    }
    r->at = version == 1 ? 10 : 12;
    if (size < r->at) {
        return topk_refuse(r->refusal, size, "cut off: the header's length is missing");
    }
    uint64_t length = bytes[8] | (uint64_t)bytes[9] << 8;
    if (version > 1) {
        length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
    }
    if (length > size - r->at) {
        return topk_refuse(r->refusal, 8,
                           "cut off: the header has %" PRIu64 " bytes, the file %zu behind it",
                           length, size - r->at);
    }
    r->end = r->at + (size_t)length;
    return true;
}

bool topk_npy_read(const unsigned char *bytes, size_t size, struct topk_packed *packed,
                   struct topk_refusal *refusal)
{
    struct reader r = {.bytes = bytes, .refusal = refusal};
    struct header header = {0};
    *packed = (struct topk_packed){0};
    *refusal = (struct topk_refusal){0};
    if (!find_header(bytes, size, &r) || !take_header(&r, &header) ||
        !topk_packed_shape(packed, header.type, header.sizes, header.rank, header.shape_at,
                           refusal)) {
        *packed = (struct topk_packed){0};
        return false;
    }
    const uint64_t needed = topk_packed_bytes(packed);
    const size_t there = size - r.end;
    bool ok =
        needed == there ||
        topk_refuse(refusal, r.end, "the shape needs %" PRIu64 " bytes of data, and there are %zu",
                    needed, there);
    ok = ok && topk_packed_allocate(packed, r.end, refusal);
    if (ok) {
        memcpy(packed->data, bytes + r.end, there);
    } else {
        *packed = (struct topk_packed){0};
    }
    return ok;
}
