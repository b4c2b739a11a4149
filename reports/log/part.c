/* Parts, and lists of them. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "part.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

static const struct {
    const char *word, *title;
    bool file;
} roles[] = {
#define ROLE(name, word, title, file) {word, title, file},
    TOPK_LOG_PART_ROLE_LIST(ROLE)
#undef ROLE
};

static const char *const words[] = {
#define TEXT(name, word) word,
    TOPK_LOG_PART_TEXT_LIST(TEXT)
#undef TEXT
};

const char *topk_log_part_role_word(enum topk_log_part_role role)
{
    return roles[role].word;
}

const char *topk_log_part_role_title(enum topk_log_part_role role)
{
    return roles[role].title;
}

bool topk_log_part_role_file(enum topk_log_part_role role)
{
    return roles[role].file;
}

enum topk_log_part_role topk_log_part_role_parse(const char *word)
{
    int role = 0;
    while (role < TOPK_LOG_PART_ROLE_COUNT && strcmp(roles[role].word, word) != 0) {
        role++;
    }
    return (enum topk_log_part_role)role;
}

const char *topk_log_part_text_word(enum topk_log_part_text text)
{
    return words[text];
}

const char *topk_log_part_text(const struct topk_log_part *part, enum topk_log_part_text text)
{
    return part->texts[text] == NULL ? "" : part->texts[text];
}

/* ---- valid parts
 * ------------------------------------------------------------------------------- */

static bool is_hex(const char *text)
{
    return text[strspn(text, "0123456789abcdef")] == 0;
}

const char *topk_log_part_wrong(const struct topk_log_part *part)
{
    const char *digest = topk_log_part_text(part, TOPK_LOG_PART_SHA256);
    const char *id = topk_log_part_text(part, TOPK_LOG_PART_BUILD_ID);
    const bool file = topk_log_part_role_file(part->role);
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        if (strlen(topk_log_part_text(part, (enum topk_log_part_text)i)) > TOPK_LOG_PART_TEXT_MAX) {
            return words[i];
        }
    }
    if (topk_log_part_text(part, TOPK_LOG_PART_NAME)[0] == 0) {
        return words[TOPK_LOG_PART_NAME];
    }
    /* Whoever looked at a file knows its digest, or why there is none. Things that are not files
     * have no digest. */
    const bool problem = topk_log_part_text(part, TOPK_LOG_PART_PROBLEM)[0] != 0;
    if (digest[0] == 0 ? file && !part->told && !problem
                       : !file || strlen(digest) != 64 || !is_hex(digest)) {
        return words[TOPK_LOG_PART_SHA256];
    }
    if (id[0] != 0 && (!file || strlen(id) % 2 != 0 || !is_hex(id))) {
        return words[TOPK_LOG_PART_BUILD_ID];
    }
    if (!file && topk_log_part_text(part, TOPK_LOG_PART_PATH)[0] != 0) {
        return words[TOPK_LOG_PART_PATH];
    }
    return part->role == TOPK_LOG_PART_CLOCK && !problem ? words[TOPK_LOG_PART_PROBLEM] : NULL;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool equal(const struct topk_log_part *a, const struct topk_log_part *b,
                  enum topk_log_part_text text)
{
    return strcmp(topk_log_part_text(a, text), topk_log_part_text(b, text)) == 0;
}

/* Returns whether two records describe the same thing. */
static bool one_thing(const struct topk_log_part *a, const struct topk_log_part *b)
{
    if (a->role != b->role || a->told != b->told || !equal(a, b, TOPK_LOG_PART_PATH)) {
        return false;
    }
    if (!topk_log_part_role_file(a->role)) {
        return equal(a, b, TOPK_LOG_PART_NAME) && equal(a, b, TOPK_LOG_PART_VERSION) &&
               equal(a, b, TOPK_LOG_PART_PROBLEM);
    }
    return topk_log_part_text(a, TOPK_LOG_PART_PATH)[0] != 0 || equal(a, b, TOPK_LOG_PART_NAME);
}

static void clear(struct topk_log_part *part)
{
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        free((char *)part->texts[i]); /* allocated by strdup() */
    }
}

const struct topk_log_part *topk_log_parts_find(const struct topk_log_parts *parts,
                                                const struct topk_log_part *part)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (one_thing(&parts->list[i], part)) {
            return &parts->list[i];
        }
    }
    return NULL;
}

bool topk_log_part_agrees(const struct topk_log_part *a, const struct topk_log_part *b)
{
    return equal(a, b, TOPK_LOG_PART_SHA256) && equal(a, b, TOPK_LOG_PART_VERSION);
}

bool topk_log_parts_add(struct topk_log_parts *parts, const struct topk_log_part *part)
{
    struct topk_log_part *copy = parts->count == TOPK_LOG_PARTS_MAX
                                     ? NULL
                                     : topk_list_add(&parts->list, &parts->count, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    copy->role = part->role;
    copy->told = part->told;
    bool whole = true;
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        copy->texts[i] = strdup(topk_log_part_text(part, (enum topk_log_part_text)i));
        whole = whole && copy->texts[i] != NULL;
    }
    if (!whole) {
        clear(copy);
        parts->count--;
    }
    return whole;
}

bool topk_log_parts_keep(struct topk_log_parts *parts, const struct topk_log_part *part)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (one_thing(&parts->list[i], part) && topk_log_part_agrees(&parts->list[i], part)) {
            return true;
        }
    }
    return topk_log_parts_add(parts, part);
}

void topk_log_parts_free(struct topk_log_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        clear(&parts->list[i]);
    }
    free(parts->list);
    *parts = (struct topk_log_parts){NULL, 0};
}

/* Returns the only part with this role and name; NULL if there is none, or more than one. */
static const struct topk_log_part *only(const struct topk_log_parts *parts,
                                        const struct topk_log_part *part)
{
    const struct topk_log_part *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct topk_log_part *other = &parts->list[i];
        /* A machine has only one kernel, so its name does not matter. */
        const bool named = topk_log_part_role_file(part->role) || part->role == TOPK_LOG_PART_GPU;
        if (other->role == part->role && other->told == part->told &&
            (!named || equal(other, part, TOPK_LOG_PART_NAME))) {
            found = other;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

const struct topk_log_part *topk_log_parts_counterpart(const struct topk_log_parts *parts,
                                                       const struct topk_log_parts *of,
                                                       const struct topk_log_part *part)
{
    const struct topk_log_part *found = topk_log_parts_find(parts, part);
    if (found != NULL) {
        return found;
    }
    return only(of, part) == NULL ? NULL : only(parts, part);
}

bool topk_log_parts_same(const struct topk_log_part *a, const struct topk_log_part *b)
{
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        if (i != TOPK_LOG_PART_PATH && !equal(a, b, (enum topk_log_part_text)i)) {
            return false;
        }
    }
    return true;
}
