/* The valid values of a rule. For expectations.c. */
#ifndef TOPK_EXPECTATIONS_VALUES_H
#define TOPK_EXPECTATIONS_VALUES_H

#include "expectations.h"

struct topk_value_error {
    size_t at; /* the character of the value that is wrong */
    char message[TOPK_CONDITION_ERROR + 64];
};

/* Checks the value of a key, and puts what it means into the rule; of `when` into condition. */
bool topk_expectation_value(const char *key, const char *value, struct topk_expectation *rule,
                            struct topk_condition *condition, struct topk_value_error *error);

#endif
