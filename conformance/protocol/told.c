/* Reads the list of libraries that a backend process says it has loaded. */
#include <stdio.h>
#include <string.h>

#include "protocol.h"

static bool is_printable(const char *text, size_t length, char first)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] < first || text[i] > '~') {
            return false;
        }
    }
    return true;
}

bool topk_told_next(const char **text, struct topk_told_part *part)
{
    const char *line = *text;
    const size_t length = strcspn(line, "\n");
    const size_t name = strcspn(line, " \n");
    if (name == 0 || name >= sizeof part->name || name + 2 > length ||
        !is_printable(line, name, '!')) {
        return false;
    }
    const char *version = line + name + 1;
    const size_t version_length = length - name - 1;
    if (version[0] == ' ' || version_length >= sizeof part->version ||
        !is_printable(version, version_length, ' ')) {
        return false;
    }
    snprintf(part->name, sizeof part->name, "%.*s", (int)name, line);
    snprintf(part->version, sizeof part->version, "%.*s", (int)version_length, version);
    *text = line + length + (line[length] == '\n');
    return true;
}

bool topk_told_check(const char *text, char *error, size_t error_bytes)
{
    struct topk_told_part part;
    const char *line = text;
    for (unsigned number = 1; *line != 0; number++) {
        const char *at = line;
        if (number > TOPK_TOLD_MAX) {
            snprintf(error, error_bytes, "line %u: there are at most %u", number, TOPK_TOLD_MAX);
            return false;
        }
        if (!topk_told_next(&at, &part)) {
            char said[300];
            topk_said_print(line, strcspn(line, "\n"), said, sizeof said);
            snprintf(error, error_bytes,
                     "line %u: \"%s\" must be a name of printable ASCII without spaces, a space, "
                     "and a version of 1 to %zu printable characters",
                     number, said, sizeof part.version - 1);
            return false;
        }
        struct topk_told_part other;
        for (const char *before = text; before < line && topk_told_next(&before, &other);) {
            if (strcmp(other.name, part.name) == 0) {
                char said[300];
                topk_said_print(part.name, strlen(part.name), said, sizeof said);
                snprintf(error, error_bytes, "line %u: %s has a line already", number, said);
                return false;
            }
        }
        line = at;
    }
    return true;
}
