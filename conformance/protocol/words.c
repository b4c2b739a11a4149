/* The elements of all lines: texts, numbers in one form, and quoted foreign text. */
#include "words.h"

#include <stdio.h>
#include <string.h>

#include "protocol.h"

void topk_put_text(struct topk_writer *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to->line + to->length, text, length);
    to->length += length;
}

bool topk_take_text(struct topk_reader *from, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(from->end - from->at) < length || memcmp(from->at, text, length) != 0) {
        return false;
    }
    from->at += length;
    return true;
}

bool topk_wire_digits(const char **at, const char *end, uint64_t most, uint64_t *number)
{
    const char *start = *at;
    uint64_t value = 0;
    while (*at < end && **at >= '0' && **at <= '9') {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (value > most / 10 || digit > most - value * 10) {
            return false;
        }
        value = value * 10 + digit;
        (*at)++;
    }
    *number = value;
    return *at > start && (*start != '0' || *at == start + 1);
}

bool topk_wire_number(const char **at, const char *end, uint64_t most, uint64_t *number)
{
    const char *next = *at;
    if (!topk_wire_digits(&next, end, most, number) || (next < end && *next != ' ')) {
        return false;
    }
    *at = next + (next + 1 < end); /* a line that ends with a space is not at its end */
    return true;
}

void topk_said_print(const char *said, size_t length, char *text, size_t size)
{
    size_t most = length > 60 ? 60 : length;
    size_t used = 0;
    for (size_t i = 0; i < most && used + 8 < size; i++) {
        unsigned char c = (unsigned char)said[i];
        if (c >= ' ' && c < 0x7f) {
            text[used++] = (char)c;
        } else {
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", c);
        }
    }
    snprintf(text + used, size - used, "%s", most < length ? "..." : "");
}
