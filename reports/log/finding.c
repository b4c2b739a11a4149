/* The text of a finding. */
#include <inttypes.h>
#include <string.h>

#include "log.h"
#include "reference/element.h"

bool topk_finding_has_values(const struct topk_finding *finding)
{
    return finding->mismatch != TOPK_MISMATCH_DESCRIPTION;
}

uint32_t topk_finding_type(const struct topk_finding *finding, uint32_t type, uint32_t index_type)
{
    if (finding->rank == 0) {
        return TOPK_TYPE_U8;
    }
    return finding->role == TOPK_INDEX ? index_type : type;
}

/* A byte is printed as hexadecimal, an index as a number, and a value as both. */
static void print_bits(const struct topk_finding *finding, uint32_t type, uint64_t bits, char *text,
                       size_t size)
{
    char value[TOPK_ELEMENT_TEXT];
    char hex[TOPK_TEXT_BITS];
    topk_element_print(type, bits, value);
    topk_text_bits(type, bits, hex);
    if (finding->rank == 0) {
        snprintf(text, size, "0x%s", hex);
    } else if (finding->role == TOPK_INDEX) {
        snprintf(text, size, "%s", value);
    } else {
        snprintf(text, size, "%s (%s)", value, hex);
    }
}

/* Appends as much as fits. */
static size_t append(char *text, size_t size, size_t length, const char *more, size_t count)
{
    size_t room = size - length - 1;
    count = count < room ? count : room;
    memcpy(text + length, more, count);
    text[length + count] = 0;
    return length + count;
}

void topk_finding_sentence(const struct topk_finding *finding, uint32_t type, uint32_t index_type,
                           char *text, size_t size)
{
    uint32_t own_type = topk_finding_type(finding, type, index_type);
    char expected[TOPK_ELEMENT_TEXT + TOPK_TEXT_BITS + 3];
    char actual[sizeof expected];
    print_bits(finding, own_type, finding->expected, expected, sizeof expected);
    print_bits(finding, own_type, finding->actual, actual, sizeof actual);
    if (size == 0) {
        return;
    }
    size_t length = 0;
    text[0] = 0;
    for (const char *from = topk_mismatch_row(finding->mismatch)->sentence; *from != 0;) {
        if (strncmp(from, "{e}", 3) == 0) {
            length = append(text, size, length, expected, strlen(expected));
            from += 3;
        } else if (strncmp(from, "{a}", 3) == 0) {
            length = append(text, size, length, actual, strlen(actual));
            from += 3;
        } else {
            length = append(text, size, length, from++, 1);
        }
    }
}

void topk_finding_place(const struct topk_finding *finding, char *text, size_t size)
{
    if (!topk_finding_has_values(finding)) {
        snprintf(text, size, "description");
        return;
    }
    if (finding->rank == 0) {
        snprintf(text, size, "%s byte %" PRId64, topk_role_name(finding->role), finding->byte);
        return;
    }
    char place[TOPK_FINDING_TEXT];
    size_t length = (size_t)snprintf(place, sizeof place, "%s", topk_role_name(finding->role));
    for (uint32_t i = 0; i < finding->rank && i < TOPK_RANK_VALID; i++) {
        length += (size_t)snprintf(place + length, sizeof place - length, "%c%" PRIu32,
                                   i == 0 ? '[' : ',', finding->at[i]);
    }
    snprintf(text, size, "%s]", place);
}
