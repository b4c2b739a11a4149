/* The system package that a file belongs to, from dpkg or rpm. */
#ifndef TOPK_IDENTITY_OWNER_H
#define TOPK_IDENTITY_OWNER_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a package and its version, with the terminator. */
#define TOPK_OWNER_TEXT 256

/* Asks for the packages of `count` files at once. owners gets "libfoo1:amd64 1.2-3" for each, "" of
 * a file that belongs to none. Where there is neither dpkg nor rpm all are "". False if memory is
 * short. */
bool topk_owners_find(const char *const *paths, size_t count, char (*owners)[TOPK_OWNER_TEXT]);

#endif
