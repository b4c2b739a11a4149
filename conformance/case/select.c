/* Matches ids with prefixes and globs, and splits ids. */
#include "select.h"

#include <string.h>

/* two-pointer match: after a mismatch, the last '*' consumes one more character */
static bool glob(const char *text, const char *pattern)
{
    const char *star = NULL;
    const char *from = text;
    while (*text != 0) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == 0;
}

bool topk_id_selected(const char *id, const char *pattern)
{
    if (strpbrk(pattern, "*?") != NULL) {
        return glob(id, pattern);
    }
    return strncmp(id, pattern, strlen(pattern)) == 0;
}

void topk_case_id_split(const char *id, size_t length, size_t *name_length, const char **text)
{
    /* a bare case text has a ':' only after data=, and a space before that */
    size_t i = 0;
    while (i < length && id[i] != ':' && id[i] != ' ') {
        i++;
    }
    bool named = i < length && id[i] == ':';
    *name_length = named ? i : 0;
    *text = named ? id + i + 1 : id;
}
