/* The lines of a result log, which form a chain that is verified when they are read. */
#define _POSIX_C_SOURCE 200809L /* getline */

#include "line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "stream.h"

/* The start of the first line in every format, so that a header of another format is recognised as
 * such. */
static const char header_start[] = "{\"record\":\"header\",\"format\":";
static const char case_start[] = "{\"record\":\"case\",";
static const char probe_start[] = "{\"record\":\"probe\",";
static const char shrunk_start[] = "{\"record\":\"shrunk\",";
static const char part_start[] = "{\"record\":\"part\",";
static const char again_start[] = "{\"record\":\"again\",";
static const char fresh_start[] = "{\"record\":\"fresh\",";
static const char process_start[] = "{\"record\":\"process\",";
static const char end_start[] = "{\"record\":\"end\",";

void topk_chain_seal(struct topk_chain *chain, const char *body, size_t length,
                     char tail[TOPK_LINE_TAIL + 1])
{
    struct topk_sha256 sha256;
    topk_sha256_start(&sha256);
    topk_sha256_add(&sha256, chain->text, strlen(chain->text));
    topk_sha256_add(&sha256, body, length);
    topk_sha256_end_text(&sha256, chain->text);
    snprintf(tail, TOPK_LINE_TAIL + 1, ",\"chain\":\"%s\"}\n", chain->text);
}

enum topk_line topk_lines_unread(const struct topk_lines *lines, int reason, char *error,
                                 size_t error_bytes)
{
    const char *problem = topk_stream_problem(lines->stream);
    if (problem[0] != 0) {
        snprintf(error, error_bytes, "%s: %s", lines->path, problem);
        return TOPK_LINE_WRONG;
    }
    if (reason == ENOMEM) {
        topk_memory_fail();
    }
    snprintf(error, error_bytes, "cannot read %s: %s", lines->path, strerror(reason));
    return TOPK_LINE_WRONG;
}

static enum topk_line wrong(const struct topk_lines *lines, char *error, size_t error_bytes,
                            const char *reason)
{
    snprintf(error, error_bytes, "%s:%" PRIu64 ": %s", lines->path, lines->number, reason);
    return TOPK_LINE_WRONG;
}

/* A file that does not begin like a log is not read any further; it may not even contain lines. */
static bool begins_as_log(struct topk_lines *lines, char *error, size_t error_bytes)
{
    char start[sizeof header_start - 1];
    size_t count = fread(start, 1, sizeof start, lines->file);
    if (ferror(lines->file)) {
        topk_lines_unread(lines, errno, error, error_bytes);
        return false;
    }
    if (memcmp(start, header_start, count) != 0) {
        snprintf(error, error_bytes, "%s:1: this is not a result log", lines->path);
        return false;
    }
    if (fseek(lines->file, 0, SEEK_SET) != 0) {
        snprintf(error, error_bytes, "cannot read %s: %s", lines->path, strerror(errno));
        return false;
    }
    return true;
}

static bool start_stream(struct topk_lines *lines, FILE *file, bool unpack, const char *path,
                         char *error, size_t error_bytes)
{
    topk_memory_watch();
    memset(lines, 0, sizeof *lines);
    lines->path = path;
    lines->file = topk_stream_open(file, unpack, true, &lines->stream);
    if (lines->file == NULL) {
        snprintf(error, error_bytes, "cannot read %s: out of memory", path);
        return false;
    }
    if (!begins_as_log(lines, error, error_bytes)) {
        topk_lines_close(lines);
        return false;
    }
    return true;
}

/* A run that ends replaces the plain log with the compressed one. If the plain one has just
 * disappeared, the other one is opened. */
static FILE *open_either(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno == ENOENT) {
        char *packed = topk_text_make("%s%s", path, TOPK_ZSTD_SUFFIX);
        file = packed == NULL ? NULL : fopen(packed, "rb");
        const int reason = packed == NULL ? ENOMEM : errno;
        free(packed);
        errno = reason;
    }
    return file;
}

bool topk_lines_start(struct topk_lines *lines, FILE *file, const char *path, char *error,
                      size_t error_bytes)
{
    return start_stream(lines, file, false, path, error, error_bytes);
}

/* Explains why a log cannot be opened. A folder given to a command is that of a run, so its log is
 * looked for there. */
static void explain_open(const char *path, int reason, char *error, size_t error_bytes)
{
    static const char log[] = "/results.jsonl";
    const size_t length = strlen(path);
    const size_t folder = length < sizeof log ? 0 : length - (sizeof log - 1);
    if (reason == ENOENT && folder > 0 && strcmp(path + folder, log) == 0) {
        snprintf(error, error_bytes, "%.*s is not the folder of a run: it has no %s", (int)folder,
                 path, log + 1);
    } else {
        snprintf(error, error_bytes, "cannot read %s: %s", path, strerror(reason));
    }
}

bool topk_lines_open(struct topk_lines *lines, const char *path, char *error, size_t error_bytes)
{
    memset(lines, 0, sizeof *lines);
    FILE *file = open_either(path);
    if (file == NULL) {
        explain_open(path, errno, error, error_bytes);
        return false;
    }
    return start_stream(lines, file, true, path, error, error_bytes);
}

void topk_lines_close(struct topk_lines *lines)
{
    if (lines->file != NULL) {
        fclose(lines->file);
    }
    free(lines->text);
    memset(lines, 0, sizeof *lines);
}

/* The format is checked before the chain, because another format may use another kind of chain. */
static bool format_known(const struct topk_lines *lines, char *error, size_t error_bytes)
{
    if (strncmp(lines->text, header_start, sizeof header_start - 1) != 0) {
        wrong(lines, error, error_bytes, "this is not a result log");
        return false;
    }
    const char *text = lines->text + sizeof header_start - 1;
    char *end;
    unsigned long format = strtoul(text, &end, 10);
    if (*text < '1' || *text > '9' || *end != ',') {
        wrong(lines, error, error_bytes, "the header names no format");
        return false;
    }
    if (format > TOPK_LOG_FORMAT) {
        char reason[80];
        snprintf(reason, sizeof reason, "format %lu is newer than format %d, the last known here",
                 format, TOPK_LOG_FORMAT);
        wrong(lines, error, error_bytes, reason);
        return false;
    }
    return true;
}

static bool chained(struct topk_lines *lines)
{
    if (lines->length <= TOPK_LINE_TAIL) {
        return false;
    }
    char tail[TOPK_LINE_TAIL + 1];
    size_t body = lines->length - TOPK_LINE_TAIL;
    topk_chain_seal(&lines->chain, lines->text, body, tail);
    return memcmp(lines->text + body, tail, TOPK_LINE_TAIL) == 0;
}

static bool starts(const struct topk_lines *lines, const char *start)
{
    return strncmp(lines->text, start, strlen(start)) == 0;
}

enum topk_line topk_lines_next(struct topk_lines *lines, char *error, size_t error_bytes)
{
    ssize_t count = getline(&lines->text, &lines->room, lines->file);
    /* After a read error, a partial line does not mean that the log was cut. */
    if (ferror(lines->file) || (count < 0 && !feof(lines->file))) {
        return topk_lines_unread(lines, errno, error, error_bytes);
    }
    if (count < 0 && lines->number > 0) {
        if (topk_stream_cut(lines->stream)) {
            wrong(lines, error, error_bytes,
                  "the log was truncated: the compressed data behind this line have no end");
            return TOPK_LINE_CUT;
        }
        return TOPK_LINE_NONE;
    }
    lines->number++;
    lines->length = count < 0 ? 0 : (size_t)count;
    lines->end += lines->length;
    if (lines->length == 0 || lines->text[lines->length - 1] != '\n') {
        bool empty = lines->number == 1 && lines->length == 0 && !topk_stream_packed(lines->stream);
        wrong(lines, error, error_bytes, empty ? "the file is empty" : "the line was truncated");
        return TOPK_LINE_CUT;
    }
    if (lines->number == 1 && !format_known(lines, error, error_bytes)) {
        return TOPK_LINE_WRONG;
    }
    if (!chained(lines)) {
        bool converted = lines->length > 1 && lines->text[lines->length - 2] == '\r';
        return wrong(lines, error, error_bytes,
                     converted ? "the chain breaks: the line ends in CRLF, and was written with LF"
                               : "the chain breaks: this is not what was written");
    }
    if (lines->ended) {
        return wrong(lines, error, error_bytes, "a line follows the end record");
    }
    if (lines->number == 1) {
        return TOPK_LINE_HEADER;
    }
    if (starts(lines, case_start)) {
        return TOPK_LINE_CASE;
    }
    if (starts(lines, probe_start)) {
        return TOPK_LINE_PROBE;
    }
    if (starts(lines, shrunk_start)) {
        return TOPK_LINE_SHRUNK;
    }
    if (starts(lines, part_start)) {
        return TOPK_LINE_PART;
    }
    if (starts(lines, again_start)) {
        return TOPK_LINE_AGAIN;
    }
    if (starts(lines, fresh_start)) {
        return TOPK_LINE_FRESH;
    }
    if (starts(lines, process_start)) {
        return TOPK_LINE_PROCESS;
    }
    lines->ended = starts(lines, end_start);
    if (!lines->ended) {
        return wrong(lines, error, error_bytes, "this is not a record that is known here");
    }
    return TOPK_LINE_END;
}
