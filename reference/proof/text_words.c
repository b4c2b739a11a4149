/* Words of results, greetings and logs: topk_word_parse() accepts exactly what topk_word_print()
 * prints, and the two are inverse. For all texts and words of at most LENGTH bytes, and all sizes
 * up to that. */
#include <stdarg.h>
#include <stdio.h>

#include "prove.h"
#include "result.h"

/* What topk_word_print() uses of the C library: the format "%%%02X". */
int snprintf(char *text, size_t size, const char *format, ...)
{
    static const char digits[] = "0123456789ABCDEF";
    va_list arguments;
    va_start(arguments, format);
    const unsigned byte = va_arg(arguments, unsigned char); /* CBMC does not promote it to int */
    va_end(arguments);
    PROVE(size == 4 && format[0] == '%' && format[1] == '%' && format[2] == '%' && byte < 256);
    text[0] = '%';
    text[1] = digits[byte / 16];
    text[2] = digits[byte % 16];
    text[3] = 0;
    return 3;
}

static void prove_printed(void)
{
    char text[LENGTH + 1];
    char word[3 * LENGTH + 1];
    char again[LENGTH + 1];
    for (uint32_t i = 0; i < LENGTH; i++) {
        text[i] = (char)nondet_u8();
    }
    text[LENGTH] = 0;
    const size_t length = topk_word_print(text, word, sizeof word);
    PROVE(topk_word_parse(word, length, again, sizeof again));
    PROVE(strcmp(again, text) == 0);
    REACHED(length == 3 * LENGTH);
    REACHED(length == LENGTH);
}

static void prove_parsed(void)
{
    char word[LENGTH];
    char text[LENGTH + 1];
    char again[3 * LENGTH + 1];
    for (uint32_t i = 0; i < LENGTH; i++) {
        word[i] = (char)nondet_u8();
    }
    const size_t size = nondet_u64();
    ASSUME(size <= sizeof text);
    const bool taken = topk_word_parse(word, LENGTH, text, size);
    if (taken) {
        PROVE(topk_word_print(text, again, sizeof again) == LENGTH);
        PROVE(memcmp(again, word, LENGTH) == 0);
    }
    REACHED(taken && word[0] == '%');
    REACHED(!taken);
}

int main(void)
{
    prove_printed();
    prove_parsed();
}
