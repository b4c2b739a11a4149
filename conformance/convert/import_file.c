/* See import_file.h. */
#define _POSIX_C_SOURCE 200809L
#include "import_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "session/session.h"

/* Greatest size of a file; tests are much smaller. */
#define FILE_MAX ((uint64_t)1 << 26)

bool cli_import_has(const char *dir, const char *name)
{
    char *path = cli_path_join(dir, name);
    /* on other errors, reading the file reports the reason */
    const bool there = access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
    free(path);
    return there;
}

int cli_import_unread(const char *path, const char *reason)
{
    cli_error("cannot read %s: %s", path, reason);
    return CLI_HARNESS;
}

/* Reads up to `most` bytes. Returns NULL, or the reason of a failure. */
static const char *take_all(int fd, size_t most, unsigned char **bytes, size_t *size)
{
    *bytes = cli_need(malloc(most + 1));
    while (*size < most) {
        const ssize_t got = read(fd, *bytes + *size, most - *size);
        if (got < 0 && errno != EINTR) {
            return strerror(errno);
        }
        if (got == 0) {
            break;
        }
        *size += got > 0 ? (size_t)got : 0;
    }
    return NULL;
}

int cli_import_bytes(const char *path, unsigned char **bytes, size_t *size)
{
    struct stat status;
    /* does not wait for a writer if this is a FIFO */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *bytes = NULL;
    *size = 0;
    if (fd < 0) {
        return cli_import_unread(path, strerror(errno));
    }
    const char *reason = NULL;
    if (fstat(fd, &status) != 0) {
        reason = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        reason = "it is no file";
    } else if ((uint64_t)status.st_size > FILE_MAX) {
        reason = "it has more than 64 MiB, too much for the text of a case";
    } else {
        reason = take_all(fd, (size_t)status.st_size, bytes, size);
        reason = reason == NULL && *size == 0 ? "the file is empty" : reason;
    }
    close(fd);
    return reason == NULL ? CLI_CONFORMANT : cli_import_unread(path, reason);
}

int cli_import_refused(const char *path, const struct topk_refusal *refusal)
{
    cli_error("%s, byte %" PRIu64 ": %s", path, refusal->byte, refusal->reason);
    return CLI_HARNESS;
}

int cli_import_tensor(const char *dir, const char *name, bool onnx, struct topk_packed *packed)
{
    unsigned char *bytes = NULL;
    size_t size;
    struct topk_refusal refusal;
    const uint8_t *ignored;
    size_t ignored_size;
    char *path = dir == NULL ? cli_need(strdup(name)) : cli_path_join(dir, name);
    int code = cli_import_bytes(path, &bytes, &size);
    if (code == CLI_CONFORMANT) {
        const bool ok = onnx ? topk_onnx_tensor_read(topk_fields_of(bytes, size), packed, &ignored,
                                                     &ignored_size, &refusal)
                             : topk_npy_read(bytes, size, packed, &refusal);
        code = ok ? CLI_CONFORMANT : cli_import_refused(path, &refusal);
    }
    free(bytes);
    free(path);
    return code;
}

int cli_import_outputs(const char *dir, const char *value, const char *index, bool onnx,
                       struct cli_imported *imported)
{
    const bool has_value = cli_import_has(dir, value);
    const bool has_index = cli_import_has(dir, index);
    if (has_value != has_index) {
        cli_error("%s/%s is missing, and %s is there: outputs are judged together", dir,
                  has_value ? index : value, has_value ? value : index);
        return CLI_HARNESS;
    }
    int code = CLI_CONFORMANT;
    if (has_value) {
        code = cli_import_tensor(dir, value, onnx, &imported->tensors[TOPK_VALUE]);
    }
    if (has_index && code == CLI_CONFORMANT) {
        code = cli_import_tensor(dir, index, onnx, &imported->tensors[TOPK_INDEX]);
    }
    return code;
}
