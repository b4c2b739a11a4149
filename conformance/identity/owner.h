/* Finds the system package that a file belongs to, from dpkg or rpm. */
#ifndef TOPK_IDENTITY_OWNER_H
#define TOPK_IDENTITY_OWNER_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a package and its version, with the terminator. */
#define TOPK_OWNER_TEXT 256

/* A question that the system's package database is answering. */
struct topk_owners;

/* Starts to ask for the packages of `count` files. Copies the paths. Returns NULL if memory is
 * short. */
struct topk_owners *topk_owners_ask(const char *const *paths, size_t count);

/* Returns the package of a file after waiting for the answer: a text such as "libfoo1:amd64 1.2-3",
 * or "" if no package owns the file, there is neither dpkg nor rpm, or the file is outside of the
 * system's folders and dpkg has no package that its name suggests. Returns NULL if this file was
 * not asked for. The text is valid until topk_owners_free(). */
const char *topk_owners_of(struct topk_owners *owners, const char *path);

/* Waits for the program that still looks for the answer. NULL is allowed. */
void topk_owners_free(struct topk_owners *owners);

#endif
