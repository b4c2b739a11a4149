/* A fuzzer's corpus: read from its folder, and drawn around. */
#define _POSIX_C_SOURCE 200809L
#include "cli_corpus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mutate.h"

/* a longer file is none of a fuzzer's */
#define MEMBER_BYTES_MAX ((size_t)1 << 20)
/* what is drawn crosses two members once in so many */
#define CROSS_ONE_IN 4u

/* ---- reading --------------------------------------------------------------------------------- */

/* what stands in DIR.version: "topk-cts fuzz corpus of differential, version 1234abcd" */
static int check_version(const char *dir)
{
    char path[4096];
    char target[64] = "";
    uint32_t version = 0;
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/') {
        length--;
    }
    snprintf(path, sizeof path, "%.*s.version", (int)length, dir);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return CLI_CONFORMANT; /* an engine's own folder has none, and all bytes are cases */
    }
    int read =
        fscanf(file, "topk-cts fuzz corpus of %63[a-z_], version %8" SCNx32, target, &version);
    fclose(file);
    if (read != 2) {
        cli_error("%s does not say of what version the corpus is", path);
        return CLI_USAGE;
    }
    if (strcmp(target, "differential") != 0) {
        cli_error("%s is a corpus of the fuzz target '%s': its inputs are not the cases that are "
                  "run, those of 'differential' are",
                  dir, target);
        return CLI_USAGE;
    }
    if (version != topk_decode_version()) {
        cli_error("%s is of another version: its bytes meant other cases (it is of %08" PRIx32
                  ", this is %08" PRIx32 "); without %s it is taken all the same",
                  dir, version, topk_decode_version(), path);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

/* appends a file; a folder is none */
static int read_member(const char *dir, const char *name, struct cli_corpus *corpus)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%.3000s/%.1000s", dir, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    if (!S_ISREG(status.st_mode)) {
        fclose(file);
        return CLI_CONFORMANT;
    }
    const size_t length = (size_t)status.st_size;
    unsigned char *bytes = length > MEMBER_BYTES_MAX ? NULL : malloc(length + 1);
    const bool read = bytes != NULL && fread(bytes, 1, length, file) == length;
    fclose(file);
    if (!read) {
        cli_error("%s %s", path, length > MEMBER_BYTES_MAX ? "is too large" : "cannot be read");
        free(bytes);
        return CLI_USAGE;
    }
    corpus->list[corpus->count++] = (struct topk_piece){bytes, length};
    return CLI_CONFORMANT;
}

int cli_corpus_read(const char *dir, struct cli_corpus *corpus)
{
    struct dirent **names;
    *corpus = (struct cli_corpus){.count = 0};
    int code = check_version(dir);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    int count = scandir(dir, &names, NULL, alphasort);
    if (count < 0) {
        cli_error("cannot read %s: %s", dir, strerror(errno));
        return CLI_USAGE;
    }
    corpus->list = calloc((size_t)count + 1, sizeof *corpus->list);
    if (corpus->list == NULL) {
        code = cli_no_memory();
    }
    for (int i = 0; i < count; i++) {
        if (code == CLI_CONFORMANT && names[i]->d_name[0] != '.') {
            code = read_member(dir, names[i]->d_name, corpus);
        }
        free(names[i]);
    }
    free(names);
    if (code == CLI_CONFORMANT && corpus->count == 0) {
        cli_error("%s has no input", dir);
        code = CLI_INCOMPLETE;
    }
    return code;
}

void cli_corpus_free(struct cli_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        free((void *)corpus->list[i].bytes);
    }
    free(corpus->list);
    *corpus = (struct cli_corpus){.count = 0};
}

/* ---- drawing --------------------------------------------------------------------------------- */

bool cli_corpus_draw(const struct cli_corpus *corpus, uint64_t seed, uint64_t position,
                     struct topk_case *test)
{
    static unsigned char bytes[TOPK_DECODE_BYTES];
    struct topk_pcg pcg;
    if (position < corpus->count) {
        return topk_case_decode(corpus->list[position].bytes, corpus->list[position].length, test);
    }
    topk_pcg_seed(&pcg, seed, position);
    const struct topk_piece *member = &corpus->list[topk_pcg_below(&pcg, (uint32_t)corpus->count)];
    const struct topk_piece *other = &corpus->list[topk_pcg_below(&pcg, (uint32_t)corpus->count)];
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
    return topk_case_decode(bytes, length, test);
}
