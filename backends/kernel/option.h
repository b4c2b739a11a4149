/* The options of a backend: "key=value" separated by commas; a value may be missing. */
#ifndef TOPK_OPTION_H
#define TOPK_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Passes each option of text to take(context, key, value), with value "" if it is missing; take()
 * returns false for an unknown key or value. Returns false, with the option in error, if one is
 * refused, empty, longer than 4095 bytes, or has the key of an earlier one. known: a description of
 * the valid options. Options before that one have been passed. */
bool topk_options_read(const char *text,
                       bool (*take)(void *context, const char *key, const char *value),
                       void *context, const char *known, char *error, size_t error_bytes);

/* Default time limit for the work that a device gets at once. */
#define TOPK_OPTION_TIMEOUT_MS 120000u

/* Parses a time limit, 1 to 99999 seconds, into milliseconds. Returns false if text is no such
 * number. */
bool topk_option_seconds(const char *text, uint32_t *milliseconds);

/* Whether the name of a device contains a value, ignoring case. */
bool topk_option_names(const char *value, const char *name);

#endif
