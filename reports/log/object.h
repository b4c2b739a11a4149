/* JSON objects and arrays under construction. After an error (memory is short, or a value is NULL)
 * they stay invalid, and taking them gives NULL, so that only this needs a check. */
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
/* Returns the object, which the caller owns; NULL if it is incomplete. */
json_t *topk_object_take(struct topk_object *object);

/* Consumes value. Keys are ASCII. */
void topk_object_put(struct topk_object *object, const char *key, json_t *value);
/* Copies text; topk_text_utf8() fixes what is not UTF-8. */
json_t *topk_text_json(const char *text);
void topk_object_text(struct topk_object *object, const char *key, const char *text);
/* A number above 2^63-1 becomes a string of its digits. */
json_t *topk_number_json(uint64_t number);
void topk_object_number(struct topk_object *object, const char *key, uint64_t number);
void topk_object_flag(struct topk_object *object, const char *key, bool flag);

/* The same for an array. */
struct topk_array {
    json_t *json;
    bool ok;
};

struct topk_array topk_array_new(void);
json_t *topk_array_take(struct topk_array *array);
/* Consumes item. */
void topk_array_add(struct topk_array *array, json_t *item);

/* JSON as text, like json_dumps(), but with hidden characters (topk_text_hidden) as \uXXXX: the
 * plain text misleads no reader, and a parser gets the same value. The caller frees it; NULL if
 * memory is short. */
char *topk_json_text(const json_t *json, size_t flags);
/* Parses a text from an untrusted source, such as a line of a log, with a memory limit of many
 * times what a record of its length needs. Returns NULL, with the reason, if it is not JSON;
 * *large: it has too many values. Release it with json_decref(). */
json_t *topk_json_read(const char *line, size_t length, json_error_t *reason, bool *large);

/* Whether text of json_dumps() contains no character that topk_json_text() would escape. */
bool topk_json_plain(const char *text, size_t length);

#endif
