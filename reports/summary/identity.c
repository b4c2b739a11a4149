/* Describes the parts of a run in words. */
#include "identity.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOT_RECORDED "not recorded"

/* ---- a part ---------------------------------------------------------------------------------- */

/* Appends to a text, cutting what does not fit. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Appends a text of any length after a prefix. */
static void append_text(char *text, size_t size, const char *before,
                        const struct topk_log_part *part, enum topk_log_part_text which)
{
    const char *said = topk_log_part_text(part, which);
    if (said[0] != 0) {
        append(text, size, "%s%s%.500s", text[0] == 0 ? "" : ", ", before, said);
    }
}

/* Appends everything except name, path and digest. */
static void append_facts(char *text, size_t size, const struct topk_log_part *part)
{
    append_text(text, size, "version ", part, TOPK_LOG_PART_VERSION);
    append_text(text, size, "build id ", part, TOPK_LOG_PART_BUILD_ID);
    append_text(text, size, "package ", part, TOPK_LOG_PART_PACKAGE);
    append_text(text, size, "", part, TOPK_LOG_PART_PROBLEM);
    if (part->told) {
        append(text, size, "%stold by what was tested", text[0] == 0 ? "" : ", ");
    }
}

void topk_part_words(const struct topk_log_part *part, char words[TOPK_PART_WORDS])
{
    words[0] = 0;
    if (part == NULL) {
        snprintf(words, TOPK_PART_WORDS, "not there");
        return;
    }
    append_text(words, TOPK_PART_WORDS, "SHA-256 ", part, TOPK_LOG_PART_SHA256);
    append_facts(words, TOPK_PART_WORDS, part);
    if (words[0] == 0) {
        append_text(words, TOPK_PART_WORDS, "", part, TOPK_LOG_PART_NAME);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void print_part(FILE *out, const struct topk_log_part *part)
{
    const char *digest = topk_log_part_text(part, TOPK_LOG_PART_SHA256);
    const char *path = topk_log_part_text(part, TOPK_LOG_PART_PATH);
    char facts[TOPK_PART_WORDS] = "";
    fprintf(out, "  %s: ", topk_log_part_role_title(part->role));
    topk_text_print(out, topk_log_part_text(part, TOPK_LOG_PART_NAME));
    append_facts(facts, sizeof facts, part);
    fputs(facts[0] == 0 ? "" : ", ", out);
    topk_text_print(out, facts);
    fputc('\n', out);
    if (digest[0] != 0 || path[0] != 0) {
        fprintf(out, "    %s%s", digest, digest[0] == 0 ? "" : "  ");
        topk_text_print(out, path);
        fputc('\n', out);
    }
}

void topk_identity_print(FILE *out, const struct topk_log_parts *parts)
{
    for (int role = 0; role < TOPK_LOG_PART_ROLE_COUNT; role++) {
        for (size_t i = 0; i < parts->count; i++) {
            if ((int)parts->list[i].role == role) {
                print_part(out, &parts->list[i]);
            }
        }
    }
    if (parts->count == 0) {
        fputs("  " NOT_RECORDED "\n", out);
    }
}

static size_t count_of(const struct topk_log_parts *parts, enum topk_log_part_role role, bool told)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->count; i++) {
        count += parts->list[i].role == role && parts->list[i].told == told;
    }
    return count;
}

void topk_identity_brief(const struct topk_log_parts *parts, char *text, size_t size)
{
    static const struct {
        enum topk_log_part_role role;
        bool told;
        const char *one, *many;
    } counted[] = {{TOPK_LOG_PART_PROGRAM, false, "program", "programs"},
                   {TOPK_LOG_PART_LIBRARY, false, "library", "libraries"},
                   {TOPK_LOG_PART_DRIVER, false, "driver", "drivers"},
                   {TOPK_LOG_PART_LIBRARY, true, "library told of", "libraries told of"}};
    /* A command or plugin was tested; otherwise the programs, which have the backend built in. */
    const bool own = count_of(parts, TOPK_LOG_PART_BACKEND, false) > 0 ||
                     count_of(parts, TOPK_LOG_PART_NAMED, false) > 0;
    text[0] = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct topk_log_part *part = &parts->list[i];
        if (own ? part->role == TOPK_LOG_PART_BACKEND || part->role == TOPK_LOG_PART_NAMED
                : part->role == TOPK_LOG_PART_SUITE) {
            append(text, size, "%s%.100s (SHA-256 %.12s)", text[0] == 0 ? "" : ", ",
                   topk_log_part_text(part, TOPK_LOG_PART_NAME),
                   topk_log_part_text(part, TOPK_LOG_PART_SHA256));
        }
    }
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        const size_t count = count_of(parts, counted[i].role, counted[i].told);
        if (count > 0) {
            append(text, size, "%s%zu %s", text[0] == 0 ? "" : ", ", count,
                   count == 1 ? counted[i].one : counted[i].many);
        }
    }
    if (parts->count == 0) {
        append(text, size, NOT_RECORDED);
    }
}

json_t *topk_identity_json(const struct topk_log_parts *parts)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < parts->count; i++) {
        topk_array_add(&array, topk_log_part_json(&parts->list[i]));
    }
    return topk_array_take(&array);
}
