/* The table of all tests. A group is a file groups/NAME.c, which exports an array of tests, or a
 * file corpus/NAME.txt, which lists cases. */
#include "group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "product.h"

/* GROUP(topk_group_NAME): defined in groups/, or in corpus/ as topk_corpus_NAME. New groups go at
 * the end: profiles list by name, but people read this order. */
#define TOPK_GROUP_LIST(GROUP)                                                                     \
    GROUP(topk_corpus_examples)                                                                    \
    GROUP(topk_group_examples)                                                                     \
    GROUP(topk_group_order)                                                                        \
    GROUP(topk_group_ties)                                                                         \
    GROUP(topk_group_axis)                                                                         \
    GROUP(topk_group_k)                                                                            \
    GROUP(topk_group_sizes)                                                                        \
    GROUP(topk_group_types)                                                                        \
    GROUP(topk_group_floats)                                                                       \
    GROUP(topk_group_layout)                                                                       \
    GROUP(topk_group_memory)                                                                       \
    GROUP(topk_group_relations)                                                                    \
    GROUP(topk_group_latitude)                                                                     \
    GROUP(topk_group_rows)                                                                         \
    GROUP(topk_group_masks)                                                                        \
    GROUP(topk_group_paths)                                                                        \
    GROUP(topk_group_reach)                                                                        \
    GROUP(topk_group_invalid)                                                                      \
    GROUP(topk_corpus_faults)                                                                      \
    GROUP(topk_corpus_regressions)                                                                 \
    GROUP(topk_group_cover)                                                                        \
    GROUP(topk_group_edges)                                                                        \
    GROUP(topk_group_exhaustive)                                                                   \
    GROUP(topk_group_random)                                                                       \
    GROUP(topk_group_stress)                                                                       \
    GROUP(topk_group_sequences)                                                                    \
    GROUP(topk_group_giant)                                                                        \
    GROUP(topk_corpus_peers)

#define GROUP(name) extern const struct topk_test name[];
TOPK_GROUP_LIST(GROUP)
#undef GROUP

static const struct topk_test *const groups[] = {
#define GROUP(name) name,
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

/* whether a row of a corpus does not belong to the test; *error says why */
static bool misplaced(const struct topk_test *test, const struct topk_text *row,
                      struct topk_case_error *error)
{
    size_t group = strlen(test->group);
    size_t length = strlen(row->name);
    error->column = 1;
    if (strncmp(row->name, test->group, group) != 0 || row->name[group] != '.' ||
        length == group + 1) {
        snprintf(error->message, sizeof error->message,
                 "a case of this file starts with its id, %.60s.TEST:", test->group);
        return true;
    }
    const struct topk_test *first = topk_test_find(row->name, length);
    if (first == NULL || first->texts == NULL || first->texts[0].line != test->texts[0].line) {
        snprintf(error->message, sizeof error->message,
                 "the cases of %.100s stand together, and nowhere else", row->name);
        return true;
    }
    for (const struct topk_text *other = test->texts; other != row; other++) {
        if (strcmp(other->text, row->text) == 0) {
            snprintf(error->message, sizeof error->message, "the same case as in line %" PRIu32,
                     other->line);
            return true;
        }
    }
    return false;
}

static void enumerate_texts(const struct topk_test *test, struct topk_sink *sink)
{
    for (const struct topk_text *row = test->texts; row->file != NULL && !sink->stopped; row++) {
        struct topk_case parsed;
        struct topk_case_error error;
        bool broken = misplaced(test, row, &error);
        if (!broken && !topk_case_parse(row->text, strlen(row->text), &parsed, &error)) {
            error.column += strlen(row->name) + 1;
            broken = true;
        }
        if (broken) {
            snprintf(sink->broken, sizeof sink->broken, "%s:%" PRIu32 ":%zu: %s", row->file,
                     row->line, error.column, error.message);
            return;
        }
        sink->stopped = !sink->take(sink->context, &parsed);
        topk_case_clear(&parsed);
    }
}

void topk_test_enumerate(const struct topk_test *test, struct topk_sink *sink)
{
    if (test->product != NULL) {
        topk_product(test->product, sink);
    } else if (test->enumerate != NULL) {
        test->enumerate(sink);
    } else {
        enumerate_texts(test, sink);
    }
}
