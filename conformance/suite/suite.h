/* The tests of the suite, in groups, and the profiles that list them. */
#ifndef TOPK_SUITE_H
#define TOPK_SUITE_H

#include "group.h"
#include "product.h"
#include "profile.h"

#endif
