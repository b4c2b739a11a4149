/* UTF-8 of logs: topk_text_character() accepts exactly the shortest encodings of the Unicode scalar
 * values, among all sequences of four bytes. topk_text_hidden() finds by bisection the same as a
 * linear search of its table. */
#include "../../reports/log/text.c"
#include "prove.h"

/* RFC 3629: writes the encoding of a scalar value; returns its length */
static size_t encode(uint32_t character, unsigned char text[4])
{
    if (character < 0x80) {
        text[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        text[0] = (unsigned char)(0xc0 + (character >> 6));
        text[1] = (unsigned char)(0x80 + character % 64);
        return 2;
    }
    if (character < 0x10000) {
        text[0] = (unsigned char)(0xe0 + (character >> 12));
        text[1] = (unsigned char)(0x80 + (character >> 6) % 64);
        text[2] = (unsigned char)(0x80 + character % 64);
        return 3;
    }
    text[0] = (unsigned char)(0xf0 + (character >> 18));
    text[1] = (unsigned char)(0x80 + (character >> 12) % 64);
    text[2] = (unsigned char)(0x80 + (character >> 6) % 64);
    text[3] = (unsigned char)(0x80 + character % 64);
    return 4;
}

static bool is_scalar(uint32_t character)
{
    return character < 0xd800 || (character > 0xdfff && character < 0x110000);
}

int main(void)
{
    /* every encoding is accepted */
    const uint32_t any = nondet_u32();
    uint32_t read = 0;
    unsigned char text[4] = {0};
    ASSUME(is_scalar(any));
    const size_t length = encode(any, text);
    PROVE(topk_text_character(text, &read) == length && read == any);
    REACHED(length == 4);
    /* nothing else is accepted */
    unsigned char bytes[4] = {nondet_u8(), nondet_u8(), nondet_u8(), nondet_u8()};
    unsigned char again[4] = {0};
    const size_t taken = topk_text_character(bytes, &read);
    PROVE(taken == 0 || (is_scalar(read) && encode(read, again) == taken));
    for (size_t i = 0; i < 4; i++) {
        PROVE(i >= taken || again[i] == bytes[i]);
    }
    REACHED(taken == 0);
    REACHED(taken == 3);
    /* the table */
    bool listed = false;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        listed = listed || (any >= hidden[i].first && any <= hidden[i].last);
    }
    PROVE(topk_text_hidden(any) == listed);
    REACHED(listed);
}
