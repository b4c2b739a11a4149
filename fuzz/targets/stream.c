/* Checks the reader of compressed files: no file expands beyond its limits; a refused file comes
 * with a reason; and what was read completely is the same after compressing and reading it again.
 * If the first byte is '+', the rest is compressed here so that frames are valid; otherwise the
 * input is the file itself. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "log/log.h"

#define INPUT_MAX 16384u
/* The slack is larger than the size that an input may expand to beyond the ratio. */
#define ROOM ((size_t)TOPK_ZSTD_SLACK + (size_t)TOPK_ZSTD_RATIO * INPUT_MAX + 65536u)

static char *text;

static void free_text(void)
{
    free(text);
}

static bool make_room(void)
{
    text = malloc(ROOM);
    atexit(free_text);
    return text != NULL;
}

/* Reads a file of this many bytes into text. Returns false if it was refused or cut. */
static bool read_file(const char *bytes, size_t length, size_t *count)
{
    struct topk_stream *stream;
    FILE *file = fmemopen((void *)bytes, length, "rb");
    FILE *in = file == NULL ? NULL : topk_stream_open(file, true, true, &stream);
    bool whole = false;
    *count = 0;
    if (in != NULL) {
        *count = fread(text, 1, ROOM, in);
        whole = ferror(in) == 0 && !topk_stream_cut(stream);
        FUZZ_REQUIRE(ferror(in) == 0 || topk_stream_problem(stream)[0] != 0, "stream no-reason",
                     "it is refused without a reason");
        FUZZ_REQUIRE(*count < ROOM, "stream bound", "it expands beyond what it may");
        FUZZ_REQUIRE(topk_stream_packed(stream) || (whole && *count == length), "stream plain",
                     "what is not compressed is not read as it is");
        fclose(in);
    }
    return in != NULL && whole;
}

/* Compresses bytes. The caller frees the result; NULL if memory ran out. */
static char *compress(const char *bytes, size_t length, size_t *size)
{
    char *packed = NULL;
    FILE *out = open_memstream(&packed, size);
    FILE *in = out == NULL ? NULL : topk_stream_pack(out, length);
    if (in != NULL) {
        FUZZ_REQUIRE(fwrite(bytes, 1, length, in) == length && fclose(in) == 0, "stream write",
                     "it cannot be compressed");
    }
    if (out != NULL) {
        fclose(out);
    }
    if (in == NULL) {
        free(packed);
        packed = NULL;
    }
    return packed;
}

static void run(const unsigned char *bytes, size_t length)
{
    size_t count = 0;
    size_t size = 0;
    if (length == 0 || length > INPUT_MAX) {
        return;
    }
    const bool whole = bytes[0] == '+';
    char *file = whole ? compress((const char *)bytes + 1, length - 1, &size) : NULL;
    if (whole && file == NULL) {
        return;
    }
    const bool read = read_file(whole ? file : (const char *)bytes, whole ? size : length, &count);
    FUZZ_REQUIRE(!whole || (read && count == length - 1 && memcmp(text, bytes + 1, count) == 0),
                 "stream lost", "what was compressed does not come back");
    free(file);
    if (read && !whole && count > 0) {
        char *copy = malloc(count);
        char *again = copy == NULL ? NULL : compress(memcpy(copy, text, count), count, &size);
        size_t second = 0;
        if (again != NULL) {
            /* A file that expands as far as allowed is refused once its compressed size gets
             * smaller. */
            FUZZ_REQUIRE(!read_file(again, size, &second) ||
                             (second == count && memcmp(text, copy, count) == 0),
                         "stream lost", "what was compressed does not come back");
        }
        free(again);
        free(copy);
    }
}

static const char *const words[] = {"\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18", "\x28\xb5\x2f\xfd\x24",
                                    "\x28\xb5\x2f\xfd\x04", NULL};

const struct fuzz_target fuzz_target = {
    .name = "stream",
    .about = "what is read compressed stays within its bounds, and comes back",
    .max_bytes = INPUT_MAX,
    .open = make_room,
    .run = run,
    .words = words,
};
