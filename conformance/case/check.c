/* What the relations between calls ask of a case. */
#include "check.h"

#include <string.h>

#include "reference/element.h"

uint32_t topk_type_wider(uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_F16:
        return TOPK_TYPE_F32;
    case TOPK_TYPE_I8:
        return TOPK_TYPE_I16;
    case TOPK_TYPE_I16:
        return TOPK_TYPE_I32;
    case TOPK_TYPE_I32:
        return TOPK_TYPE_I64;
    case TOPK_TYPE_U8:
        return TOPK_TYPE_U16;
    case TOPK_TYPE_U16:
        return TOPK_TYPE_U32;
    case TOPK_TYPE_U32:
        return TOPK_TYPE_U64;
    default:
        return 0;
    }
}

static uint32_t level_of_both(const struct topk_case *tc, uint32_t least)
{
    uint32_t wanted = least;
    uint32_t wider = topk_type_wider(tc->op.tensors[TOPK_INPUT].type);
    if (tc->check == TOPK_CHECK_TWIN || tc->check == TOPK_CHECK_DUAL) {
        wanted = TOPK_LEVEL_2_1; /* the level of TOP_K1 */
    } else if (tc->check == TOPK_CHECK_WIDEN && topk_type_bytes(wider) == 8) {
        wanted = TOPK_LEVEL_5_0;
    }
    return least == 0 || least > wanted ? least : wanted;
}

uint32_t topk_check_level(const struct topk_case *tc)
{
    return level_of_both(tc, topk_operator_least_level(&tc->op));
}

uint32_t topk_check_valid_level(const struct topk_case *tc)
{
    return level_of_both(tc, topk_operator_valid_level(&tc->op));
}

bool topk_check_applies(const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    uint32_t level = tc->check == TOPK_CHECK_NONE ? 0 : topk_check_level(tc);
    if (level == 0) {
        return false;
    }
    switch (tc->check) {
    case TOPK_CHECK_TWIN:
        return op->level >= level && !topk_operator_increasing(op) &&
               op->direction == TOPK_DECREASING;
    case TOPK_CHECK_PREFIX:
        return op->k > 1;
    case TOPK_CHECK_AXES:
        return op->tensors[TOPK_INPUT].rank > 1;
    case TOPK_CHECK_DUAL:
        return op->level >= level && op->direction <= TOPK_DECREASING;
    case TOPK_CHECK_WIDEN:
        return op->level >= level && topk_type_wider(op->tensors[TOPK_INPUT].type) != 0;
    default:
        return true;
    }
}

uint32_t topk_check_text_calls(const char *text, size_t length)
{
    static const char key[] = "check=";
    static const char then[] = "then"; /* each one adds a call */
    uint32_t calls = 1;
    const char *end = text + length;
    const char *field = text;
    while (field != NULL) {
        size_t left = (size_t)(end - field);
        const char *space = memchr(field, ' ', left);
        calls += left >= sizeof then && memcmp(field, then, sizeof then - 1) == 0 &&
                 space == field + sizeof then - 1;
        if (left > sizeof key - 1 && memcmp(field, key, sizeof key - 1) == 0) {
            const char *word = field + sizeof key - 1;
            size_t size = (size_t)((space == NULL ? end : space) - word);
            for (int i = 0; i < TOPK_CHECK_COUNT; i++) {
                const struct topk_check_row *row = topk_check_row((enum topk_check)i);
                if (strlen(row->word) == size && memcmp(row->word, word, size) == 0) {
                    calls += row->calls;
                }
            }
        }
        field = space == NULL ? NULL : space + 1;
    }
    return calls;
}
