/* The table of all tests. A group is a file, groups/NAME.c, that exports an array of its tests. */
#include "group.h"

#include <string.h>

/* GROUP(symbol): defined in groups/. New groups go at the end: profiles list by name, but people
 * read this order. */
#define TOPK_GROUP_LIST(GROUP)                                                                     \
    GROUP(examples)                                                                                \
    GROUP(order)                                                                                   \
    GROUP(ties)                                                                                    \
    GROUP(axis)                                                                                    \
    GROUP(k)                                                                                       \
    GROUP(sizes)                                                                                   \
    GROUP(types)                                                                                   \
    GROUP(floats)                                                                                  \
    GROUP(layout)                                                                                  \
    GROUP(memory)                                                                                  \
    GROUP(relations)                                                                               \
    GROUP(latitude)                                                                                \
    GROUP(reach)                                                                                   \
    GROUP(cover)                                                                                   \
    GROUP(invalid)

#define GROUP(name) extern const struct topk_test topk_group_##name[];
TOPK_GROUP_LIST(GROUP)
#undef GROUP

static const struct topk_test *const groups[] = {
#define GROUP(name) topk_group_##name,
    TOPK_GROUP_LIST(GROUP)
#undef GROUP
};
#define GROUP_COUNT (sizeof groups / sizeof groups[0])

size_t topk_test_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (const struct topk_test *test = groups[i]; test->name != NULL; test++) {
            count++;
        }
    }
    return count;
}

const struct topk_test *topk_test_at(size_t number)
{
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (const struct topk_test *test = groups[i]; test->name != NULL; test++) {
            if (number-- == 0) {
                return test;
            }
        }
    }
    return NULL;
}

const struct topk_test *topk_test_find(const char *name, size_t length)
{
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (const struct topk_test *test = groups[i]; test->name != NULL; test++) {
            size_t group = strlen(test->group);
            if (length == group + 1 + strlen(test->name) && memcmp(name, test->group, group) == 0 &&
                name[group] == '.' &&
                memcmp(name + group + 1, test->name, length - group - 1) == 0) {
                return test;
            }
        }
    }
    return NULL;
}

void topk_test_enumerate(const struct topk_test *test, struct topk_sink *sink)
{
    if (test->enumerate != NULL) {
        test->enumerate(sink);
        return;
    }
    for (const char *const *text = test->texts; *text != NULL && !sink->stopped; text++) {
        struct topk_case parsed;
        struct topk_case_error error;
        if (!topk_case_parse(*text, strlen(*text), &parsed, &error)) {
            sink->broken = *text; /* group_test.c fails on it */
            return;
        }
        sink->stopped = !sink->take(sink->context, &parsed);
        topk_case_clear(&parsed);
    }
}

void topk_case_id_split(const char *id, size_t length, size_t *name_length, const char **text)
{
    /* a case text has a ':' only behind data=, and a space before that */
    size_t i = 0;
    while (i < length && id[i] != ':' && id[i] != ' ') {
        i++;
    }
    bool named = i < length && id[i] == ':';
    *name_length = named ? i : 0;
    *text = named ? id + i + 1 : id;
}
