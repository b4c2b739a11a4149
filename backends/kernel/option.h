/* The options of a backend: "key=value" parted by commas, a value may be missing. */
#ifndef TOPK_OPTION_H
#define TOPK_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hands each option of text to take(context, key, value), value "" if it is missing, each key once;
 * that returns false if it does not know the key or the value. False, with error saying which
 * option that is, if one is not taken, is empty, is longer than 4095 bytes, or has the key of an
 * earlier one; known: what is said of the options that there are. What was taken before stays
 * taken. */
bool topk_options_read(const char *text,
                       bool (*take)(void *context, const char *key, const char *value),
                       void *context, const char *known, char *error, size_t error_bytes);

/* The time limit of what a device is given at once, unless an option says otherwise. */
#define TOPK_OPTION_TIMEOUT_MS 120000u

/* A time limit: seconds from 1 to 99999, as milliseconds. False if text is no such number. */
bool topk_option_seconds(const char *text, uint32_t *milliseconds);

/* Whether the name of a device has a value in it, in small letters or large. */
bool topk_option_names(const char *value, const char *name);

#endif
