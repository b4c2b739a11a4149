/* Makes JSON schemas from their tables. */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "words.h"

const struct topk_schema topk_schemas[] = {
#define SCHEMA(name, format, root, title) {name, format, root, title},
    TOPK_SCHEMA_LIST(SCHEMA)
#undef SCHEMA
};
const size_t topk_schema_count = sizeof topk_schemas / sizeof topk_schemas[0];

/* A row of the tables; types.def explains them. */
struct row {
    enum {
        ROW_TYPE,
        ROW_OBJECT,
        ROW_MEMBER,
        ROW_EACH,
        ROW_SAME,
        ROW_WHERE
    } kind;
    const char *name;
    const char *type; /* or a piece of JSON */
    const char *about;
};

static const struct row rows[] = {
#define TYPE(name, ...)           {ROW_TYPE, name, #__VA_ARGS__, NULL},
#define OBJECT(name, about)       {ROW_OBJECT, name, NULL, about},
#define MEMBER(name, type, about) {ROW_MEMBER, name, type, about},
#define EACH(words, type, about)  {ROW_EACH, words, type, about},
#define SAME(object)              {ROW_SAME, object, NULL, NULL},
#define WHERE(...)                {ROW_WHERE, NULL, #__VA_ARGS__, NULL},
#include "bench.def"
#include "compare.def"
#include "log.def"
#include "report.def"
#include "statement.def"
#include "types.def"
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Returns the row of a type or object; NULL if there is none. */
static const struct row *find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if ((rows[i].kind == ROW_TYPE || rows[i].kind == ROW_OBJECT) &&
            strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* ---- types ----------------------------------------------------------------------------------- */

static json_t *reference_json(const char *name, size_t length)
{
    return json_sprintf("#/$defs/%.*s", (int)length, name);
}

/* Converts a type as it is written in a member's row: "clause", "text[]", "=header". */
static json_t *type_json(const struct topk_schema *schema, const char *type, const char *about)
{
    struct topk_object object = topk_object_new();
    const size_t length = strlen(type);
    if (type[0] == '=') {
        topk_object_text(&object, "const", type + 1);
    } else if (strcmp(type, "format") == 0) {
        topk_object_number(&object, "const", schema->format);
    } else if (length > 2 && strcmp(type + length - 2, "[]") == 0) {
        struct topk_object item = topk_object_new();
        topk_object_put(&item, "$ref", reference_json(type, length - 2));
        topk_object_text(&object, "type", "array");
        topk_object_put(&object, "items", topk_object_take(&item));
    } else {
        topk_object_put(&object, "$ref", reference_json(type, length));
    }
    topk_object_text(&object, "description", about);
    return topk_object_take(&object);
}

static json_t *words_json(const struct topk_words *words)
{
    struct topk_object object = topk_object_new();
    struct topk_array array = topk_array_new();
    for (int i = 0; i < words->count; i++) {
        bool before = words->word(i)[0] == 0;
        for (int j = 0; j < i && !before; j++) {
            before = strcmp(words->word(i), words->word(j)) == 0;
        }
        if (!before) {
            topk_array_add(&array, topk_text_json(words->word(i)));
        }
    }
    topk_object_put(&object, "enum", topk_array_take(&array));
    return topk_object_take(&object);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* An object schema that allows only the listed members. */
struct closed {
    const struct topk_schema *schema;
    struct topk_object members;
    struct topk_array required;
    struct topk_object object;
};

/* A member whose name ends in a question mark may be missing. */
static void put_member(struct closed *closed, const char *name, bool optional, const char *type,
                       const char *about)
{
    topk_object_put(&closed->members, name, type_json(closed->schema, type, about));
    if (!optional) {
        topk_array_add(&closed->required, topk_text_json(name));
    }
}

static void put_row(struct closed *closed, const struct row *row)
{
    char name[64];
    const size_t length = strlen(row->name);
    const bool optional = length > 0 && row->name[length - 1] == '?';
    snprintf(name, sizeof name, "%.*s", (int)(optional ? length - 1 : length), row->name);
    if (row->kind == ROW_MEMBER) {
        put_member(closed, name, optional, row->type, row->about);
        return;
    }
    const struct topk_words *words = topk_words_find(name);
    closed->object.ok = closed->object.ok && words != NULL;
    for (int i = 0; words != NULL && i < words->count; i++) {
        put_member(closed, words->word(i), optional, row->type, row->about);
    }
}

/* Adds the members of the object in this row, up to the next object. */
static void put_members(struct closed *closed, const struct row *object)
{
    for (const struct row *row = object + 1; row < rows + ROWS; row++) {
        if (row->kind == ROW_MEMBER || row->kind == ROW_EACH) {
            put_row(closed, row);
        } else if (row->kind == ROW_WHERE) {
            json_t *more = json_loads(row->type, JSON_REJECT_DUPLICATES, NULL);
            closed->object.ok =
                json_object_update_new(closed->object.json, more) == 0 && closed->object.ok;
        } else if (row->kind == ROW_SAME) {
            const struct row *same = find(row->name);
            closed->object.ok = closed->object.ok && same != NULL && same != object;
            if (closed->object.ok) {
                put_members(closed, same); /* NOLINT(misc-no-recursion): tables are not circular */
            }
        } else {
            return;
        }
    }
}

static json_t *object_json(const struct topk_schema *schema, const struct row *row)
{
    struct closed closed = {schema, topk_object_new(), topk_array_new(), topk_object_new()};
    topk_object_text(&closed.object, "description", row->about);
    topk_object_text(&closed.object, "type", "object");
    put_members(&closed, row);
    topk_object_put(&closed.object, "properties", topk_object_take(&closed.members));
    topk_object_put(&closed.object, "required", topk_array_take(&closed.required));
    topk_object_flag(&closed.object, "additionalProperties", false);
    return topk_object_take(&closed.object);
}

/* Returns the definition of an object, a type or a list of words; NULL if the name is none of
 * these. */
static json_t *definition_json(const struct topk_schema *schema, const char *name)
{
    const struct row *row = find(name);
    const struct topk_words *words = topk_words_find(name);
    if (row != NULL) {
        return row->kind == ROW_OBJECT ? object_json(schema, row)
                                       : json_loads(row->type, JSON_REJECT_DUPLICATES, NULL);
    }
    return words == NULL ? NULL : words_json(words);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Defines everything that `json` refers to, and whatever that refers to in turn. Returns false if a
 * name is unknown. */
static bool define_all(const struct topk_schema *schema, json_t *definitions, const json_t *json)
{
    static const char start[] = "#/$defs/";
    const char *key;
    json_t *value;
    size_t number;
    bool good = json != NULL;
    const char *reference = json_string_value(json_object_get(json, "$ref"));
    if (reference != NULL && strncmp(reference, start, strlen(start)) == 0 &&
        json_object_get(definitions, reference + strlen(start)) == NULL) {
        const char *name = reference + strlen(start);
        value = definition_json(schema, name);
        good = value != NULL && json_object_set_new(definitions, name, value) == 0 &&
               define_all(schema, definitions, value); /* NOLINT(misc-no-recursion) */
    }
    json_object_foreach((json_t *)json, key, value)
    {
        good = good && define_all(schema, definitions, value); /* NOLINT(misc-no-recursion) */
    }
    json_array_foreach(json, number, value)
    {
        good = good && define_all(schema, definitions, value); /* NOLINT(misc-no-recursion) */
    }
    return good;
}

const struct topk_schema *topk_schema_find(const char *name)
{
    for (size_t i = 0; i < topk_schema_count; i++) {
        if (strcmp(topk_schemas[i].name, name) == 0) {
            return &topk_schemas[i];
        }
    }
    return NULL;
}

json_t *topk_schema_json(const struct topk_schema *schema)
{
    struct topk_object object = topk_object_new();
    json_t *definitions = json_object();
    topk_object_text(&object, "$schema", "https://json-schema.org/draft/2020-12/schema");
    topk_object_put(&object, "$id",
                    json_sprintf("urn:topk-cts:schema:%s:%u", schema->name, schema->format));
    topk_object_text(&object, "title", schema->title);
    topk_object_put(&object, "$ref", reference_json(schema->root, strlen(schema->root)));
    object.ok = define_all(schema, definitions, object.json) && object.ok;
    topk_object_put(&object, "$defs", definitions);
    return topk_object_take(&object);
}
