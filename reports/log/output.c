/* Where a report goes. */
#define _POSIX_C_SOURCE 200809L /* getpid, lstat */

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static bool complain(const struct topk_output *output, int reason, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "cannot write %s: %s",
             output->path == NULL ? "to standard output" : output->path, strerror(reason));
    return false;
}

bool topk_output_open(struct topk_output *output, const char *path, char *error, size_t error_bytes)
{
    struct stat status;
    *output = (struct topk_output){stdout, path, NULL};
    if (path == NULL) {
        return true;
    }
    if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        output->beside = topk_text_make("%s.%ld.tmp", path, (long)getpid());
        if (output->beside == NULL) {
            return complain(output, ENOMEM, error, error_bytes);
        }
    }
    output->file = fopen(output->beside == NULL ? path : output->beside, "wb");
    if (output->file == NULL) {
        complain(output, errno, error, error_bytes);
        free(output->beside);
        return false;
    }
    return true;
}

bool topk_output_close(struct topk_output *output, bool keep, char *error, size_t error_bytes)
{
    errno = 0;
    bool ok = ferror(output->file) == 0;
    ok = (output->path == NULL ? fflush(output->file) : fclose(output->file)) == 0 && ok;
    int reason = errno == 0 ? EIO : errno;
    if (output->beside != NULL) {
        if (ok && keep && rename(output->beside, output->path) != 0) {
            reason = errno;
            ok = false;
        }
        if (!ok || !keep) {
            remove(output->beside);
        }
        free(output->beside);
        output->beside = NULL;
    }
    return ok || complain(output, reason, error, error_bytes);
}
