/* Files that commands read and write, and what is said if they cannot be. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log/log.h"
#include "session.h"

char *cli_path_join(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = cli_need(malloc(size));
    snprintf(path, size, "%s/%s", dir, name);
    return path;
}

char *cli_log_path(const char *run)
{
    struct stat status;
    bool folder = stat(run, &status) == 0 && S_ISDIR(status.st_mode);
    return folder ? cli_path_join(run, TOPK_LOG_NAME) : cli_need(strdup(run));
}

static char *read_all(FILE *file, size_t most, size_t *size)
{
    struct stat status;
    size_t room = 65536;
    char *bytes = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        room = (size_t)status.st_size < most ? (size_t)status.st_size + 1 : most + 1;
    }
    *size = 0;
    errno = 0;
    do {
        char *more = realloc(bytes, room + 1);
        if (more == NULL) {
            free(bytes);
            errno = ENOMEM;
            return NULL;
        }
        bytes = more;
        *size += fread(bytes + *size, 1, room - *size, file);
        room = *size < room ? room : 2 * room;
    } while (*size <= most && !feof(file) && !ferror(file));
    if (ferror(file) || *size > most) {
        errno = ferror(file) ? errno : EFBIG;
        free(bytes);
        return NULL;
    }
    bytes[*size] = 0;
    return bytes;
}

char *cli_file_read(const char *path, size_t most, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file == NULL ? NULL : read_all(file, most, size);
    if (bytes == NULL) {
        cli_error("cannot read %s: %s", path, strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

char *cli_file_need(const char *path, size_t most, size_t *size, int code)
{
    char *bytes = cli_file_read(path, most, size);
    if (bytes == NULL) {
        exit(code);
    }
    return bytes;
}

FILE *cli_file_create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        cli_error("cannot write %s: %s", path, strerror(errno));
    }
    return file;
}

bool cli_file_close(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    return true;
}
