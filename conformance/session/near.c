/* Suggests names for a mistyped word. */
#include <stdio.h>
#include <string.h>

#include "session.h"

/* Number of edits (insert, drop, change, swap two neighbours) from one word to another; 99 if one
 * has more than 63 characters. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
    unsigned rows[3][64];
    size_t b_length = strlen(b);
    if (a_length > 63 || b_length > 63) {
        return 99;
    }
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned least = above[j - 1] + (a[i - 1] != b[j - 1]);
            least = above[j] + 1 < least ? above[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                unsigned swapped = rows[(i - 2) % 3][j - 2] + 1;
                least = swapped < least ? swapped : least;
            }
            row[j] = least;
        }
    }
    return rows[a_length % 3][b_length];
}

void cli_near_start(struct cli_near *near, const char *word, size_t length)
{
    memset(near, 0, sizeof *near);
    near->word = word;
    near->length = length;
}

void cli_near_offer(struct cli_near *near, const char *name)
{
    unsigned steps = distance(near->word, near->length, name);
    size_t allowed = near->length / 3 > 2 ? near->length / 3 : 2;
    bool starts = near->length > 1 && strncmp(near->word, name, near->length) == 0;
    if (starts) {
        steps = 1;
    }
    if (steps > allowed || steps >= near->length || strlen(name) >= sizeof near->best[0].name) {
        return;
    }
    unsigned place = near->count;
    while (place > 0 && near->best[place - 1].distance > steps) {
        place--;
    }
    for (unsigned i = 0; i < near->count; i++) {
        if (strcmp(near->best[i].name, name) == 0) {
            return;
        }
    }
    const unsigned most = sizeof near->best / sizeof near->best[0];
    if (place == most) {
        return;
    }
    near->count += near->count < most;
    for (unsigned i = near->count - 1; i > place; i--) {
        near->best[i] = near->best[i - 1];
    }
    snprintf(near->best[place].name, sizeof near->best[place].name, "%s", name);
    near->best[place].distance = steps;
}

const char *cli_near_text(struct cli_near *near, const char *otherwise)
{
    char *const text = near->text;
    const size_t size = sizeof near->text;
    size_t used = 0;
    for (unsigned i = 0; i < near->count && used < size; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 == near->count ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", before, near->best[i].name);
    }
    if (near->count > 0 && used < size) {
        snprintf(text + used, size - used, "?");
    }
    return near->count > 0 ? text : otherwise;
}
