/* topk-cts trust: reads the trigger and the true causes in the row of a fault. */
#include <string.h>

#include "trust.h"

bool trust_trigger_read(const struct cli_fault *fault, struct trust_trigger *trigger,
                        char error[TRUST_ERROR])
{
    const char *at = fault->trigger;
    memset(trigger, 0, sizeof *trigger);
    if (strcmp(at, "-") == 0) {
        return true;
    }
    trigger->known = true;
    while (*at != 0) {
        char message[TOPK_CONDITION_ERROR];
        size_t column;
        const char *end = strstr(at, " or ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        if (trigger->count == TRUST_TRIGGER_CONDITIONS ||
            !topk_condition_parse(at, length, &trigger->conditions[trigger->count], &column,
                                  message)) {
            snprintf(error, TRUST_ERROR, "its trigger '%.100s': %.200s", fault->trigger,
                     trigger->count == TRUST_TRIGGER_CONDITIONS ? "too many conditions" : message);
            return false;
        }
        trigger->count++;
        at += length + (end == NULL ? 0 : strlen(" or "));
    }
    return true;
}

enum topk_holds trust_trigger_holds(const struct trust_trigger *trigger,
                                    const struct topk_features *features)
{
    enum topk_holds most = trigger->count == 0 ? TOPK_HOLDS : TOPK_HOLDS_NOT;
    for (size_t i = 0; i < trigger->count; i++) {
        const enum topk_holds holds = topk_condition_holds(&trigger->conditions[i], features);
        most = holds > most ? holds : most;
    }
    return most;
}

/* Returns the next word of a list, *length characters; NULL after the last. */
static const char *next_word(const char *at, size_t *length)
{
    at += strspn(at, " ");
    *length = strcspn(at, " ");
    return *length == 0 ? NULL : at;
}

bool trust_cause_true(const struct cli_fault *fault, enum topk_reading reading)
{
    const char *word = topk_reading_row(reading)->word;
    size_t length;
    for (const char *at = fault->causes; (at = next_word(at, &length)) != NULL; at += length) {
        if (strlen(word) == length && memcmp(word, at, length) == 0) {
            return true;
        }
    }
    return false;
}

bool trust_causes_exist(const struct cli_fault *fault, char error[TRUST_ERROR])
{
    size_t length;
    if (strcmp(fault->causes, "-") == 0) {
        return true;
    }
    for (const char *at = fault->causes; (at = next_word(at, &length)) != NULL; at += length) {
        if (topk_reading_parse(at, length) == TOPK_READING_NONE) {
            snprintf(error, TRUST_ERROR, "there is no reading '%.*s'", (int)length, at);
            return false;
        }
    }
    return true;
}
