/* What is asked: tests in groups, and the profiles that list them. */
#ifndef TOPK_SUITE_H
#define TOPK_SUITE_H

#include "group.h"
#include "product.h"
#include "profile.h"

#endif
