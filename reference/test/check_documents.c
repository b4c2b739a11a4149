/* check_documents FOLDER: compares the documents in a folder with reference/documents.def and
 * sentences.def. Files are identified by their digests. Exit codes: 0 all agree; 1 they do not; 2
 * no folder was given; 3 a file or the folder cannot be read. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "documents.h"
#include "sha256/sha256.h"

enum {
    GOOD,
    FAULTS,
    USAGE,
    UNREADABLE
};

/* Returns a whole file, terminated, which the caller frees. NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file != NULL && fstat(fileno(file), &status) == 0) {
        text = calloc((size_t)status.st_size + 1, 1);
        *size = text == NULL ? 0 : fread(text, 1, (size_t)status.st_size, file);
    }
    if (text != NULL && (ferror(file) || *size != (size_t)status.st_size)) {
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static enum topk_document find(const char *text, size_t size)
{
    char hex[TOPK_SHA256_TEXT];
    topk_sha256_print(text, size, hex);
    int i = 0;
    while (i < TOPK_DOCUMENT_COUNT &&
           strcmp(topk_document_row((enum topk_document)i)->digest, hex) != 0) {
        i++;
    }
    return (enum topk_document)i;
}

/* Checks a file; found[] is indexed by document. Returns an exit code. */
static int check(const char *folder, const char *name, bool *found)
{
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = read_file(path, &size);
    if (text == NULL) {
        fprintf(stderr, "check_documents: cannot read %s: %s\n", path, strerror(errno));
        return UNREADABLE;
    }
    const enum topk_document document = find(text, size);
    size_t faults = 1;
    if (document == TOPK_DOCUMENT_COUNT) {
        printf("%s: no document of documents.def has its digest\n", name);
    } else {
        const struct topk_document_row *row = topk_document_row(document);
        found[document] = true;
        faults = documents_check(document, text, stdout);
        printf("%s: %s (%s, %s): %s\n", name, row->id, row->title, row->language,
               faults > 0 ? "not as sentences.def says"
               : row->extent == TOPK_EXTENT_WHOLE
                   ? "its digest is right, it has every wording, and "
                     "nothing of it is missing"
                   : "its digest is right, it has every sentence");
    }
    free(text);
    return faults > 0 ? FAULTS : GOOD;
}

/* Lists the missing documents; it is an error if one of these is listed completely. */
static int check_found(const bool *found)
{
    int code = GOOD;
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const struct topk_document_row *row = topk_document_row((enum topk_document)i);
        if (!found[i]) {
            printf("%s (%s): not there%s\n", row->id, row->title,
                   row->extent == TOPK_EXTENT_WHOLE ? "" : ", not needed");
            code = row->extent == TOPK_EXTENT_WHOLE ? FAULTS : code;
        }
    }
    return code;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    bool found[TOPK_DOCUMENT_COUNT] = {false};
    struct dirent **entries;
    int code = GOOD;
    if (argc != 2) {
        fprintf(stderr, "usage: check_documents FOLDER\n");
        return USAGE;
    }
    const int count = scandir(argv[1], &entries, not_hidden, alphasort);
    if (count < 0) {
        fprintf(stderr, "check_documents: cannot read %s: %s\n", argv[1], strerror(errno));
        return UNREADABLE;
    }
    for (int i = 0; i < count; i++) {
        const int of_file = check(argv[1], entries[i]->d_name, found);
        code = of_file > code ? of_file : code;
        free(entries[i]);
    }
    free(entries);
    const int of_all = check_found(found);
    return of_all > code ? of_all : code;
}
