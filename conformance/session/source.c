/* See source.h. */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mustpass.h"
#include "session.h"

/* whether a file, once decompressed, begins like a package: with the name of its first entry */
static bool is_package(const char *path)
{
    static const char start[] = "manifest.sha256";
    char there[sizeof start] = "x";
    struct topk_stream *stream;
    FILE *file = fopen(path, "rb");
    file = file == NULL ? NULL : topk_stream_open(file, true, false, &stream);
    if (file == NULL) {
        return false; /* whoever reads the file reports the error */
    }
    const size_t count = fread(there, 1, sizeof there, file);
    fclose(file);
    return count == sizeof there && memcmp(there, start, sizeof start) == 0;
}

static bool open_package(struct cli_source *source)
{
    static struct topk_package package; /* static, to keep the stack small */
    char error[1024] = "";
    size_t size = 0;
    source->bytes = cli_file_unpack(source->path, CLI_PACKAGE_MOST, &size, error, sizeof error);
    if (source->bytes == NULL) {
        cli_error("%s", error);
        return false;
    }
    struct topk_mustpass *profiles = cli_mustpass_table();
    const struct topk_mustpass_table table = {profiles, topk_profile_count, &cli_case_lookup};
    const bool holds = topk_package_read(&package, source->path, source->bytes, size, NULL, &table,
                                         error, sizeof error);
    if (holds) {
        const struct topk_archive_entry *log =
            topk_archive_find(package.entries, package.entry_count, TOPK_LOG_NAME);
        source->log.bytes = log->bytes;
        source->log.size = log->size;
        topk_key_id_print(package.key.id, source->signer);
    } else {
        topk_text_tame(error);
        cli_error("the package does not hold: %s", error);
    }
    topk_package_free(&package);
    cli_mustpass_free(profiles);
    return holds;
}

int cli_source_open(struct cli_source *source, const char *given)
{
    memset(source, 0, sizeof *source);
    source->path = cli_log_path(given);
    source->log.path = source->path;
    cli_note_use(source->path);
    const int code = cli_log_there(given, source->path);
    if (code == CLI_CONFORMANT && is_package(source->path) && !open_package(source)) {
        return CLI_HARNESS;
    }
    return code;
}

void cli_source_close(struct cli_source *source)
{
    free(source->path);
    free(source->bytes);
    memset(source, 0, sizeof *source);
}
