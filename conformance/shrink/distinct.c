/* A list of distinct failures with linear search: there are few kinds of failure. */
#include "distinct.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"

/* greatest input whose ties are computed */
#define LOOK_ELEMENTS ((uint64_t)1 << 12)

static enum topk_mismatch mismatch_of(const struct topk_result *result)
{
    return result->judgement.count == 0 ? TOPK_MISMATCH_COUNT
                                        : result->judgement.findings[0].mismatch;
}

/* whether the place of both crashes is known */
static bool crashes_known(const struct topk_result *a, const struct topk_result *b)
{
    return a->crash.signal[0] != 0 && b->crash.signal[0] != 0;
}

static bool alike(const struct topk_distinct_failure *entry,
                  const struct topk_distinct_failure *other)
{
    if (entry->result.verdict != other->result.verdict ||
        entry->result.clause != other->result.clause ||
        entry->result.reading != other->result.reading) {
        return false;
    }
    if (crashes_known(&entry->result, &other->result)) {
        return topk_crash_alike(&entry->result.crash, &other->result.crash);
    }
    return entry->result.reading != TOPK_READING_NONE ||
           (entry->type == other->type && entry->ties == other->ties &&
            mismatch_of(&entry->result) == mismatch_of(&other->result));
}

/* adopts the example of another entry if that is smaller */
static void merge(struct topk_distinct_failure *entry, struct topk_distinct_failure *other)
{
    bool smaller = other->elements < entry->elements ||
                   (other->elements == entry->elements && other->number < entry->number);
    entry->count += other->count;
    entry->first = other->first < entry->first ? other->first : entry->first;
    if (smaller) {
        char *id = entry->id;
        entry->id = other->id;
        other->id = id;
        entry->id_length = other->id_length;
        entry->number = other->number;
        entry->elements = other->elements;
        entry->result = other->result;
    }
    free(other->id);
    free(other->shrunk);
}

bool topk_distinct_add(struct topk_distinct *distinct, uint64_t number, const char *id,
                       size_t id_length, const struct topk_case *tc,
                       const struct topk_result *result)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    unsigned char classes[TOPK_ASPECT_COUNT];
    struct topk_distinct_failure failure = {
        .type = input->type,
        .ties = TOPK_CLASS_COUNT,
        .count = 1,
        .first = number,
        .number = number,
        .elements = topk_case_elements(tc),
        .id = malloc(id_length + 1),
        .id_length = id_length,
        .result = *result,
    };
    if (failure.id == NULL) {
        return false;
    }
    memcpy(failure.id, id, id_length);
    failure.id[id_length] = 0;
    /* the ties are computed only without a known cause, because they require the data */
    if (result->reading == TOPK_READING_NONE && topk_tensor_elements(input) <= LOOK_ELEMENTS &&
        topk_aspects_of(tc, classes)) {
        failure.ties = classes[TOPK_ASPECT_TIES];
    }
    distinct->failures++;
    for (size_t i = 0; i < distinct->count; i++) {
        if (alike(&distinct->list[i], &failure)) {
            merge(&distinct->list[i], &failure);
            return true;
        }
    }
    if (distinct->count == TOPK_DISTINCT_KINDS) {
        distinct->left_out++;
        free(failure.id);
        return true;
    }
    if (distinct->count == distinct->room) {
        size_t room = distinct->room == 0 ? 16 : 2 * distinct->room;
        struct topk_distinct_failure *list = realloc(distinct->list, room * sizeof *list);
        if (list == NULL) {
            free(failure.id);
            return false;
        }
        distinct->list = list;
        distinct->room = room;
    }
    distinct->list[distinct->count++] = failure;
    return true;
}

static int by_first(const void *a, const void *b)
{
    const struct topk_distinct_failure *x = a;
    const struct topk_distinct_failure *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

void topk_distinct_sort(struct topk_distinct *distinct)
{
    if (distinct->count > 1) {
        qsort(distinct->list, distinct->count, sizeof *distinct->list, by_first);
    }
}

bool topk_distinct_shrunk(struct topk_distinct *distinct, size_t entry, const struct topk_case *tc,
                          const struct topk_result *result, bool minimal)
{
    struct topk_distinct_failure *mine = &distinct->list[entry];
    size_t length = topk_case_print(tc, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        return false;
    }
    topk_case_print(tc, text, length + 1);
    for (size_t i = 0; i < distinct->count; i++) {
        struct topk_distinct_failure *other = &distinct->list[i];
        bool same = result->reading != TOPK_READING_NONE ? other->result.reading == result->reading
                    : crashes_known(&other->result, result)
                        ? topk_crash_alike(&other->result.crash, &result->crash)
                        : other->shrunk != NULL && strcmp(other->shrunk, text) == 0;
        if (i != entry && other->shrunk != NULL && same &&
            other->result.verdict == result->verdict && other->result.clause == result->clause) {
            struct topk_result kept = other->result;
            if (other->of_count < TOPK_DISTINCT_OF) {
                other->of[other->of_count++] = mine->number;
            }
            merge(other, mine);
            other->result = kept; /* the result of the shrunk case */
            distinct->count--;
            memmove(mine, mine + 1, (distinct->count - entry) * sizeof *mine);
            free(text);
            return true;
        }
    }
    free(mine->shrunk);
    mine->shrunk = text;
    mine->of[0] = mine->number;
    mine->of_count = 1;
    mine->result = *result;
    mine->minimal = minimal;
    return false;
}

void topk_distinct_free(struct topk_distinct *distinct)
{
    for (size_t i = 0; i < distinct->count; i++) {
        free(distinct->list[i].id);
        free(distinct->list[i].shrunk);
    }
    free(distinct->list);
    *distinct = (struct topk_distinct){0};
}
