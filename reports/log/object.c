/* JSON objects and arrays under construction. */
#include "object.h"

#include <inttypes.h>
#include <stdlib.h>

#include "text.h"

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
    json_t *json = json_string(text);
    if (json == NULL) { /* not UTF-8 */
        char *clean = topk_text_utf8(text);
        json = json_string(clean);
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
