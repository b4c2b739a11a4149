/* JSON objects and arrays under construction. Once something is wrong (memory is short, or a value
 * is NULL) they stay wrong, and taking them gives NULL; so only that is asked. */
#ifndef TOPK_OBJECT_H
#define TOPK_OBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct topk_object {
    json_t *json; /* owned until it is taken */
    bool ok;
};

struct topk_object topk_object_new(void);
/* The object, the caller's; NULL if it is not whole. */
json_t *topk_object_take(struct topk_object *object);

/* Takes over value. A key is ASCII. */
void topk_object_put(struct topk_object *object, const char *key, json_t *value);
/* text is copied; what is not UTF-8 is made so by topk_text_utf8(). */
json_t *topk_text_json(const char *text);
void topk_object_text(struct topk_object *object, const char *key, const char *text);
/* A number above 2^63-1 becomes a string of its digits. */
json_t *topk_number_json(uint64_t number);
void topk_object_number(struct topk_object *object, const char *key, uint64_t number);
void topk_object_flag(struct topk_object *object, const char *key, bool flag);

/* The same of an array. */
struct topk_array {
    json_t *json;
    bool ok;
};

struct topk_array topk_array_new(void);
json_t *topk_array_take(struct topk_array *array);
/* Takes over item. */
void topk_array_add(struct topk_array *array, json_t *item);

/* JSON as text, as json_dumps() makes it, but hidden characters (topk_text_hidden) become \uXXXX:
 * who reads the text as it is is not misled, and who parses it gets the same. To be freed; NULL if
 * memory is short. */
char *topk_json_text(const json_t *json, size_t flags);
/* A line of a log as JSON, which somebody else wrote: it gets memory by its length, many times what
 * a record takes. NULL, with the reason, if it is none; *large: it has too many values. To be given
 * back by json_decref(). */
json_t *topk_json_read(const char *line, size_t length, json_error_t *reason, bool *large);

/* Whether text of json_dumps() has no character that topk_json_text() may escape. */
bool topk_json_plain(const char *text, size_t length);

#endif
