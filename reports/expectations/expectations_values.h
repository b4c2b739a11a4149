/* Validates the values of a rule, for expectations.c. */
#ifndef TOPK_EXPECTATIONS_VALUES_H
#define TOPK_EXPECTATIONS_VALUES_H

#include "expectations.h"

/* Bytes of a word that a message shows. */
#define TOPK_WORD_SHOWN 60

struct topk_value_error {
    size_t at; /* position of the error in the value */
    char message[TOPK_CONDITION_ERROR + 64];
};

/* Validates the value of a key and stores it in the rule; for `when` in condition. */
bool topk_expectation_value(const char *key, const char *value, struct topk_expectation *rule,
                            struct topk_condition *condition, struct topk_value_error *error);

#endif
