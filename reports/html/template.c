/* Fills in templates while reading them: a section is read once to find its end, and once each time
 * that it is written. */
#include "template.h"

#include <inttypes.h>
#include <string.h>

#include "log/log.h"
#include "page.h"

/* Space for a name with its terminator. A longer name is cut, and then names nothing. */
#define NAME_BYTES 64

/* A section that is being written, linked to the sections around it. */
struct scope {
    const json_t *value;
    const struct scope *outer;
};

struct tag {
    char kind; /* '#' and so on; 0 for a value */
    char name[NAME_BYTES];
    const char *start;
    const char *end; /* what follows it */
};

/* Finds the next tag at or after `at`. Returns false if there is none. */
static bool find_tag(const char *at, struct tag *tag)
{
    tag->start = strstr(at, "{{");
    const char *end = tag->start == NULL ? NULL : strstr(tag->start, "}}");
    if (end == NULL) {
        return false;
    }
    const char *name = tag->start + 2;
    tag->kind = 0;
    if (strchr("+#?^/@>", *name) != NULL) {
        tag->kind = *name++;
    }
    snprintf(tag->name, sizeof tag->name, "%.*s", (int)(end - name), name);
    tag->end = end + 2;
    return true;
}

/* Splits a name at the first dot: writes the part before it, returns the part after it. */
static const char *cut(const char *name, char part[NAME_BYTES])
{
    size_t length = strcspn(name, ".");
    memcpy(part, name, length);
    part[length] = 0;
    return name + length + (name[length] == '.');
}

/* Returns NULL if there is no such value. The name a.* gives the value a. */
static const json_t *find_value(const struct scope *scope, const char *name)
{
    const json_t *value = NULL;
    char part[NAME_BYTES];
    if (strcmp(name, ".") == 0) {
        return scope->value;
    }
    name = cut(name, part);
    for (; value == NULL && scope != NULL; scope = scope->outer) {
        value = json_object_get(scope->value, part);
    }
    while (value != NULL && *name != 0 && strcmp(name, "*") != 0) {
        name = cut(name, part);
        value = json_object_get(value, part);
    }
    return value;
}

/* Returns whether a value counts as true. Missing values, false, 0, "" and empty containers do
 * not. */
static bool something(const json_t *value)
{
    return json_object_size(value) > 0 || json_array_size(value) > 0 ||
           json_string_length(value) > 0 || json_integer_value(value) != 0 || json_is_true(value);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_number(FILE *out, json_int_t number, bool spaced)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    for (int i = 0; i < length; i++) {
        if (spaced && i > 0 && (length - i) % 3 == 0 && length > 4) {
            fputs("\u202f", out);
        }
        fputc(digits[i], out);
    }
}

/* Returns the character that this piece of JSON stands for if it is one that we escape by number,
 * otherwise 0. */
static uint32_t escaped_character(const char *bytes, size_t size)
{
    unsigned high = 0;
    unsigned low = 0;
    char text[13] = "";
    if ((size != 6 && size != 12) || bytes[0] != '\\' || bytes[1] != 'u') {
        return 0;
    }
    memcpy(text, bytes, size);
    if (sscanf(text, "\\u%4x\\u%4x", &high, &low) == 2) { /* NOLINT(cert-err34-c) */
        return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    return high;
}

/* Writes JSON for a script element. Characters that could end the element or start a comment occur
 * only within strings. A hidden character becomes the text of its escape, as topk_html_text()
 * writes it, because a script displays what it is given. */
static int put_json(const char *bytes, size_t size, void *out)
{
    const uint32_t character = escaped_character(bytes, size);
    if (character != 0 && topk_text_hidden(character)) {
        fprintf(out, "\\\\u%04" PRIx32, character);
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == 0x7f) {
            fputs("\\\\u007f", out);
        } else if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&') {
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)bytes[i]);
        } else {
            fputc(bytes[i], out);
        }
    }
    return 0;
}

static const char *page_text(const char *name)
{
    const struct topk_page_file *file = topk_page_files;
    while (file->name != NULL && strcmp(file->name, name) != 0) {
        file++;
    }
    return file->text;
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char *put(FILE *out, const char *at, const struct scope *scope, const char *section);

static bool put_item(FILE *out, const struct tag *tag, const json_t *item,
                     const struct scope *outer)
{
    const struct scope scope = {item, outer};
    return put(out, tag->end, &scope, tag->name) != NULL;
}

static bool put_members(FILE *out, const struct tag *tag, const json_t *object,
                        const struct scope *scope)
{
    bool ok = true;
    for (void *at = json_object_iter((json_t *)object); ok && at != NULL;
         at = json_object_iter_next((json_t *)object, at)) {
        json_t *member = json_pack("{s:s,s:O}", "key", json_object_iter_key(at), "value",
                                   json_object_iter_value(at));
        ok = member != NULL && put_item(out, tag, member, scope);
        json_decref(member);
    }
    return ok;
}

static bool put_section(FILE *out, const struct tag *tag, const struct scope *scope)
{
    const json_t *value = find_value(scope, tag->name);
    const size_t length = strlen(tag->name);
    bool ok = true;
    if (tag->kind != '#') {
        return something(value) != (tag->kind == '?') ||
               put(out, tag->end, scope, tag->name) != NULL;
    }
    if (length > 2 && strcmp(tag->name + length - 2, ".*") == 0) {
        return put_members(out, tag, value, scope);
    }
    if (json_is_object(value)) {
        return put_item(out, tag, value, scope);
    }
    for (size_t i = 0; ok && i < json_array_size(value); i++) {
        ok = put_item(out, tag, json_array_get(value, i), scope);
    }
    return ok;
}

static bool put_tag(FILE *out, const struct tag *tag, const struct scope *scope)
{
    const json_t *value = find_value(scope, tag->name);
    switch (tag->kind) {
    case '#':
    case '?':
    case '^':
        return put_section(out, tag, scope);
    case '@':
        return json_dump_callback(value, put_json, out,
                                  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) == 0;
    case '>': {
        const char *text = page_text(tag->name);
        return text != NULL && put(out, text, scope, NULL) != NULL;
    }
    default:
        if (json_is_integer(value)) {
            put_number(out, json_integer_value(value), tag->kind == '+');
        } else if (json_is_string(value)) {
            topk_html_text(out, json_string_value(value));
        }
        return true;
    }
}

/* Writes the content of a section up to its end tag, or the whole text if `section` is NULL. `out`
 * may be NULL. Returns what follows, or NULL if the template is wrong. */
static const char *put(FILE *out, const char *at, const struct scope *scope, const char *section)
{
    struct tag tag;
    while (at != NULL && find_tag(at, &tag)) {
        if (out != NULL) {
            fwrite(at, 1, (size_t)(tag.start - at), out);
        }
        if (tag.kind == '/') {
            return section != NULL && strcmp(tag.name, section) == 0 ? tag.end : NULL;
        }
        bool ok = out == NULL || put_tag(out, &tag, scope);
        bool inner = tag.kind != 0 && strchr("#?^", tag.kind) != NULL;
        at = !ok ? NULL : inner ? put(NULL, tag.end, scope, tag.name) : tag.end;
    }
    if (at == NULL || section != NULL) {
        return NULL; /* the section is not ended */
    }
    if (out != NULL) {
        fputs(at, out);
    }
    return at + strlen(at);
}

bool topk_template_write(FILE *out, const char *text, const json_t *value)
{
    const struct scope scope = {value, NULL};
    return put(out, text, &scope, NULL) != NULL;
}
