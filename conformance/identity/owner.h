/* Finds the system package that a file belongs to, from dpkg or rpm. */
#ifndef TOPK_IDENTITY_OWNER_H
#define TOPK_IDENTITY_OWNER_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a package and its version, with the terminator. */
#define TOPK_OWNER_TEXT 256

/* Asks for the packages of `count` files at once. Each of owners gets a text such as "libfoo1:amd64
 * 1.2-3", or "" if no package owns the file or there is neither dpkg nor rpm. False if memory is
 * short. */
bool topk_owners_find(const char *const *paths, size_t count, char (*owners)[TOPK_OWNER_TEXT]);

#endif
