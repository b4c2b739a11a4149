/* What a run leaves in a folder. */
#define _POSIX_C_SOURCE 200809L
#include "cli_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log.h"

char *cli_log_path(const char *path)
{
    struct stat status;
    size_t size = strlen(path) + sizeof TOPK_LOG_NAME + 1;
    char *text = malloc(size);
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (text != NULL) {
        snprintf(text, size, "%s%s%s", path, folder ? "/" : "", folder ? TOPK_LOG_NAME : "");
    }
    return text;
}
