/* Copies and frees what a case owns, and lists the calls of a sequence. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

void topk_case_clear(struct topk_case *tc)
{
    for (uint32_t i = 0; i < tc->before_count; i++) {
        free(tc->before[i].literal);
    }
    free(tc->before);
    free(tc->literal);
    memset(tc, 0, sizeof *tc);
}

/* copies one call without its list; on failure, *to owns nothing */
static bool copy_call(struct topk_case *to, const struct topk_case *from)
{
    *to = *from;
    to->before = NULL;
    to->before_count = 0;
    if (from->literal == NULL) {
        return true;
    }
    to->literal = malloc(from->literal_count * sizeof *to->literal);
    if (to->literal == NULL) {
        to->literal_count = 0;
        return false;
    }
    memcpy(to->literal, from->literal, from->literal_count * sizeof *to->literal);
    return true;
}

bool topk_case_copy(struct topk_case *to, const struct topk_case *from)
{
    bool ok = copy_call(to, from);
    if (ok && from->before_count > 0) {
        to->before = calloc(from->before_count, sizeof *to->before);
        ok = to->before != NULL;
    }
    for (; ok && to->before_count < from->before_count; to->before_count++) {
        ok = copy_call(&to->before[to->before_count], &from->before[to->before_count]);
    }
    return ok;
}

bool topk_case_push(struct topk_case *tc)
{
    const uint32_t count = tc->before_count;
    struct topk_case *grown =
        count + 1 >= TOPK_CALLS_MAX ? NULL : realloc(tc->before, (count + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    grown[count] = *tc;
    grown[count].before = NULL;
    grown[count].before_count = 0;
    *tc = (struct topk_case){.before = grown, .before_count = count + 1};
    return true;
}

const struct topk_case *topk_case_call(const struct topk_case *tc, uint32_t number)
{
    return number == 0 || number > tc->before_count ? tc : &tc->before[number - 1];
}

uint64_t topk_case_elements(const struct topk_case *tc)
{
    uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    for (uint32_t i = 0; i < tc->before_count; i++) {
        const uint64_t more = topk_tensor_elements(&tc->before[i].op.tensors[TOPK_INPUT]);
        elements = elements > UINT64_MAX - more ? UINT64_MAX : elements + more;
    }
    return elements;
}
