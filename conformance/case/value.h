/* Values that all element types have in common: whole numbers, and lists of distinct ones. */
#ifndef TOPK_VALUE_H
#define TOPK_VALUE_H

#include "reference/element.h"

/* All bits that a type has, and how many of a float are its fraction. */
uint64_t topk_value_mask(uint32_t type);
int topk_value_fraction_bits(uint32_t type);

/* The bits of a whole number; of a float one that it holds exactly. */
uint64_t topk_value_whole(uint32_t type, int64_t number);

/* How many whole numbers in a row a type holds; 0: as many as a sequence can have. */
uint64_t topk_value_whole_room(uint32_t type);

/* The bits of the value of rank i in an ascending list of `count` values of a type, i < count:
 * distinct as far as the type has room, and small whole numbers where it can be. */
uint64_t topk_value_of_rank(uint32_t type, uint64_t i, uint64_t count);

#endif
