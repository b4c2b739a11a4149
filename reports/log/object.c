/* JSON objects and arrays under construction. */
#include "object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "text.h"

/* How much memory a line may take as JSON: this much, plus some for each byte. A value of two
 * bytes, "0,", takes about 50, so a line that expands from a few bytes of a compressed file could
 * take gigabytes. */
#define JSON_LEAST ((size_t)64 << 20)
#define JSON_BYTE  ((size_t)4)

static json_t *take(json_t **json, bool ok)
{
    if (!ok) {
        json_decref(*json);
        *json = NULL;
    }
    return *json;
}

struct topk_object topk_object_new(void)
{
    json_t *json = json_object();
    return (struct topk_object){json, json != NULL};
}

json_t *topk_object_take(struct topk_object *object)
{
    return take(&object->json, object->ok);
}

void topk_object_put(struct topk_object *object, const char *key, json_t *value)
{
    object->ok = json_object_set_new_nocheck(object->json, key, value) == 0 && object->ok;
}

json_t *topk_text_json(const char *text)
{
    if (text == NULL) {
        return NULL; /* there was not enough memory to make it */
    }
    json_t *json = json_string(text);
    if (json == NULL) { /* it is not UTF-8 */
        char *clean = topk_text_utf8(text);
        json = clean == NULL ? NULL : json_string(clean);
        free(clean);
    }
    return json;
}

void topk_object_text(struct topk_object *object, const char *key, const char *text)
{
    topk_object_put(object, key, topk_text_json(text));
}

json_t *topk_number_json(uint64_t number)
{
    return number <= INT64_MAX ? json_integer((json_int_t)number)
                               : json_sprintf("%" PRIu64, number);
}

void topk_object_number(struct topk_object *object, const char *key, uint64_t number)
{
    topk_object_put(object, key, topk_number_json(number));
}

void topk_object_flag(struct topk_object *object, const char *key, bool flag)
{
    topk_object_put(object, key, json_boolean(flag));
}

struct topk_array topk_array_new(void)
{
    json_t *json = json_array();
    return (struct topk_array){json, json != NULL};
}

json_t *topk_array_take(struct topk_array *array)
{
    return take(&array->json, array->ok);
}

void topk_array_add(struct topk_array *array, json_t *item)
{
    array->ok = json_array_append_new(array->json, item) == 0 && array->ok;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* Space for the escapes of a character, which are up to two \uXXXX, with the terminator. */
#define ESCAPES_BYTES 13

static size_t put_escapes(char *to, uint32_t character)
{
    return (size_t)(character < 0x10000
                        ? snprintf(to, ESCAPES_BYTES, "\\u%04" PRIX32, character)
                        : snprintf(to, ESCAPES_BYTES, "\\u%04" PRIX32 "\\u%04" PRIX32,
                                   0xd800 + ((character - 0x10000) >> 10),
                                   0xdc00 + ((character - 0x10000) & 0x3ff)));
}

bool topk_json_plain(const char *text, size_t length)
{
    unsigned char all = 0;
    bool deleted = false;
    for (size_t i = 0; i < length; i++) {
        all |= (unsigned char)text[i];
        deleted |= text[i] == 0x7f;
    }
    return all < 0x80 && !deleted;
}

char *topk_json_text(const json_t *json, size_t flags)
{
    char *text = json_dumps(json, flags);
    const size_t length = text == NULL ? 0 : strlen(text);
    if (text == NULL || topk_json_plain(text, length)) {
        return text;
    }
    /* A byte becomes at most six bytes, for DEL. What JSON itself escapes is already ASCII here. */
    char *escaped = malloc(6 * length + 1);
    char *to = escaped;
    for (const char *from = text; escaped != NULL && *from != 0;) {
        uint32_t character = 0;
        const size_t bytes = topk_text_character((const unsigned char *)from, &character);
        if (character >= 0x7f && topk_text_hidden(character)) {
            to += put_escapes(to, character);
        } else {
            memcpy(to, from, bytes);
            to += bytes;
        }
        from += bytes;
    }
    if (escaped != NULL) {
        *to = 0;
    }
    free(text);
    return escaped;
}

json_t *topk_json_read(const char *line, size_t length, json_error_t *reason, bool *large)
{
    topk_memory_bound(JSON_LEAST + JSON_BYTE * length);
    json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, reason);
    *large = topk_memory_unbound();
    if (*large) {
        /* Some values may have been lost. */
        json_decref(json);
        json = NULL;
    }
    return json;
}
