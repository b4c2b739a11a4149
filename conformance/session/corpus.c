/* A fuzzer's corpus: reads a folder or an archive, writes an archive, and draws variants of its
 * inputs. */
#define _POSIX_C_SOURCE 200809L
#include "corpus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "generate/generate.h"
#include "log/log.h"
#include "package/package.h"

/* no fuzzer writes a longer file */
#define INPUT_BYTES_MAX ((size_t)1 << 24)
/* the name of an archive's entry with the version */
#define VERSION_ENTRY "version"
/* minimum size of an archive's entry in bytes: its header */
#define ENTRY_BYTES 512u
/* one draw in this many crosses two inputs */
#define CROSS_ONE_IN 4u

void cli_corpus_begin(struct cli_corpus *corpus, const char *target, bool choices)
{
    *corpus = (struct cli_corpus){.count = 0};
    snprintf(corpus->version, sizeof corpus->version,
             "topk-cts fuzz corpus of %s, version %08" PRIx32 "\n", target,
             choices ? topk_decode_version() : 1);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int check_version(const char *path, const char *said, size_t length, const char *version,
                         const char *remedy)
{
    if (length == strlen(version) && memcmp(said, version, length) == 0) {
        return CLI_CONFORMANT;
    }
    cli_error("%s is of another target or version: its inputs mean something else\nit is:   "
              "%.*s\nthis is: %s%s",
              path, (int)strcspn(said, "\n"), said, version, remedy);
    return CLI_USAGE;
}

/* checks the version of a folder; an engine's own folder has none */
static int check_folder(const char *path, const struct cli_corpus *corpus)
{
    char beside[4096];
    char remedy[4200];
    struct stat status;
    size_t length = strlen(path);
    size_t size;
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    snprintf(beside, sizeof beside, "%.*s.version", (int)length, path);
    if (stat(beside, &status) != 0) {
        return CLI_CONFORMANT;
    }
    char *said = cli_file_read(beside, sizeof corpus->version, &size);
    if (said == NULL) {
        return CLI_USAGE;
    }
    snprintf(remedy, sizeof remedy, "without %s it is taken all the same", beside);
    int code = check_version(path, said, size, corpus->version, remedy);
    free(said);
    return code;
}

static void add(struct cli_corpus *corpus, const char *name, const char *bytes, size_t length)
{
    corpus->list = cli_need(realloc(corpus->list, (corpus->count + 1) * sizeof *corpus->list));
    /* exactly as large as the input, so that a sanitizer detects each read past its end */
    unsigned char *copy = cli_need(malloc(length == 0 ? 1 : length));
    memcpy(copy, bytes, length);
    corpus->list[corpus->count++] = (struct cli_input){cli_need(strdup(name)), {copy, length}};
}

int cli_corpus_read_input(const char *path, struct cli_corpus *corpus)
{
    size_t length;
    char *bytes = cli_file_read(path, INPUT_BYTES_MAX, &length);
    if (bytes == NULL) {
        return CLI_USAGE;
    }
    add(corpus, path, bytes, length);
    free(bytes);
    return CLI_CONFORMANT;
}

/* reads the files of a folder, without its subfolders */
static int read_folder(const char *path, struct cli_corpus *corpus)
{
    struct dirent **names;
    struct stat status;
    int code = CLI_CONFORMANT;
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    for (int i = 0; i < count; i++) {
        char file[8192];
        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (code == CLI_CONFORMANT && names[i]->d_name[0] != '.' &&
            !(stat(file, &status) == 0 && S_ISDIR(status.st_mode))) {
            code = cli_corpus_read_input(file, corpus);
        }
        free(names[i]);
    }
    free(names);
    return code;
}

static int take_entries(const char *path, const struct topk_archive_entry *entries, size_t count,
                        struct cli_corpus *corpus)
{
    const struct topk_archive_entry *said = topk_archive_find(entries, count, VERSION_ENTRY);
    if (said == NULL) {
        cli_error("%s has no entry '" VERSION_ENTRY "': it is no corpus", path);
        return CLI_USAGE;
    }
    int code = check_version(path, said->bytes, said->size, corpus->version,
                             "`scripts/fuzz TARGET --minimize' writes an old one anew");
    for (size_t i = 0; i < count && code == CLI_CONFORMANT; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%.3900s/%s", path, entries[i].name);
        if (&entries[i] != said) {
            add(corpus, name, entries[i].bytes, entries[i].size);
        }
    }
    return code;
}

static int read_archive(const char *path, struct cli_corpus *corpus)
{
    char error[512];
    size_t size;
    size_t count;
    int code = CLI_USAGE;
    char *bytes = cli_file_read(path, INPUT_BYTES_MAX, &size);
    if (bytes == NULL) {
        return CLI_USAGE;
    }
    const size_t most = size / ENTRY_BYTES + 1;
    struct topk_archive_entry *entries = cli_need(calloc(most, sizeof *entries));
    if (!topk_archive_read(path, bytes, size, entries, most, &count, error, sizeof error)) {
        cli_error("%s", error);
    } else {
        code = take_entries(path, entries, count, corpus);
    }
    free(entries);
    free(bytes);
    return code;
}

int cli_corpus_read(const char *path, struct cli_corpus *corpus)
{
    struct stat status;
    const size_t before = corpus->count;
    int code = CLI_CONFORMANT;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        code = check_folder(path, corpus);
        code = code == CLI_CONFORMANT ? read_folder(path, corpus) : code;
    } else {
        code = read_archive(path, corpus);
    }
    if (code == CLI_CONFORMANT && corpus->count == before) {
        cli_error("%s has no input", path);
        code = CLI_INCOMPLETE;
    }
    return code;
}

void cli_corpus_free(struct cli_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->list[i].name);
        free((void *)corpus->list[i].piece.bytes);
    }
    free(corpus->list);
    *corpus = (struct cli_corpus){.count = 0};
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *base_name(const struct cli_input *input)
{
    const char *slash = strrchr(input->name, '/');
    return slash == NULL ? input->name : slash + 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(base_name(a), base_name(b));
}

/* makes the entries of the archive, without duplicates; 0 after a message */
static size_t make_entries(struct cli_corpus *corpus, struct topk_archive_entry *entries)
{
    size_t count = 1;
    entries[0] =
        (struct topk_archive_entry){VERSION_ENTRY, corpus->version, strlen(corpus->version)};
    qsort(corpus->list, corpus->count, sizeof *corpus->list, by_name);
    for (size_t i = 0; i < corpus->count; i++) {
        const struct cli_input *input = &corpus->list[i];
        const char *name = base_name(input);
        const struct topk_archive_entry *last = &entries[count - 1];
        if (!topk_archive_name_valid(name) || strcmp(name, VERSION_ENTRY) == 0) {
            cli_error("an input cannot have the name of %s: letters, digits, '.', '-' and '_', "
                      "fewer than %d, and not '" VERSION_ENTRY "'",
                      input->name, TOPK_ARCHIVE_NAME);
            return 0;
        }
        if (strcmp(name, last->name) != 0) {
            entries[count] = (struct topk_archive_entry){.bytes = (const char *)input->piece.bytes,
                                                         .size = input->piece.length};
            snprintf(entries[count++].name, TOPK_ARCHIVE_NAME, "%s", name);
        } else if (input->piece.length != last->size ||
                   memcmp(input->piece.bytes, last->bytes, last->size) != 0) {
            cli_error("there are two inputs '%s'", name);
            return 0;
        }
    }
    return count;
}

int cli_corpus_write(const char *path, struct cli_corpus *corpus)
{
    char error[512];
    struct topk_output output;
    struct topk_archive_entry *entries = cli_need(calloc(corpus->count + 1, sizeof *entries));
    const size_t count = make_entries(corpus, entries);
    int code = CLI_USAGE;
    if (count > 0) {
        bool written = topk_output_open(&output, path, TOPK_OUTPUT_NAMED, error, sizeof error);
        if (written) {
            written = topk_archive_write(output.file, entries, count);
            written = topk_output_close(&output, written, error, sizeof error);
        }
        code = written ? CLI_CONFORMANT : CLI_HARNESS;
        if (!written) {
            cli_error("%s", error);
        }
    }
    free(entries);
    return code;
}

/* ---- drawing --------------------------------------------------------------------------------- */

bool cli_corpus_draw(const struct cli_corpus *corpus, uint64_t seed, uint64_t position,
                     struct topk_case *tc)
{
    static unsigned char bytes[TOPK_DECODE_BYTES];
    struct topk_pcg pcg;
    if (position < corpus->count) {
        return topk_case_decode(corpus->list[position].piece.bytes,
                                corpus->list[position].piece.length, tc);
    }
    topk_pcg_seed(&pcg, seed, position);
    const struct topk_piece *member =
        &corpus->list[topk_pcg_below(&pcg, (uint32_t)corpus->count)].piece;
    const struct topk_piece *other =
        &corpus->list[topk_pcg_below(&pcg, (uint32_t)corpus->count)].piece;
    const bool text = topk_decode_like_text(member->bytes, member->length);
    size_t length = member->length < sizeof bytes ? member->length : sizeof bytes;
    if (!text && topk_pcg_below(&pcg, CROSS_ONE_IN) == 0 &&
        !topk_decode_like_text(other->bytes, other->length)) {
        length = topk_mutate_cross(topk_decode_draw, member, other, bytes, sizeof bytes,
                                   topk_pcg_next64(&pcg));
    } else if (length > 0) {
        memcpy(bytes, member->bytes, length);
    }
    seed = topk_pcg_next64(&pcg);
    length = text ? topk_mutate_bytes(bytes, length, sizeof bytes, seed)
                  : topk_mutate_pieces(topk_decode_draw, bytes, length, sizeof bytes, seed);
    return topk_case_decode(bytes, length, tc);
}
