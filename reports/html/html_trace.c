/* Prepares the clauses, and the sentences that lead to them, for the pages, from a report's
 * JSON. */
#include <string.h>

#include "html_part.h"

json_t *topk_html_find(const json_t *list, const char *key, const char *text)
{
    for (size_t i = 0; text != NULL && i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        const char *value = json_string_value(json_object_get(item, key));
        if (value != NULL && strcmp(value, text) == 0) {
            return item;
        }
    }
    return NULL;
}

json_t *topk_html_named(const json_t *ids, const json_t *list)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < json_array_size(ids); i++) {
        topk_array_add(&array, json_incref(topk_html_find(
                                   list, "id", json_string_value(json_array_get(ids, i)))));
    }
    return topk_array_take(&array);
}

json_t *topk_html_with(const json_t *object, const char *key, json_t *value)
{
    struct topk_object copy = {json_copy((json_t *)object), true};
    copy.ok = copy.json != NULL;
    topk_object_put(&copy, key, value);
    return topk_object_take(&copy);
}

json_t *topk_html_promises(const json_t *report)
{
    const json_t *clauses = json_object_get(report, "clauses");
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < json_array_size(clauses); i++) {
        const json_t *clause = json_array_get(clauses, i);
        topk_array_add(&array,
                       topk_html_with(clause, "sources",
                                      topk_html_named(json_object_get(clause, "sentences"),
                                                      json_object_get(report, "sentences"))));
    }
    return topk_array_take(&array);
}
