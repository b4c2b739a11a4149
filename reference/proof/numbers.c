/* The numbers of the protocols: topk_wire_digits() accepts exactly the decimal numbers up to `most`
 * without leading zeros, and reads what put_number() prints. For all texts of at most LENGTH bytes,
 * all bounds, and all numbers of at most DIGITS digits. */
#include "../../conformance/protocol/wire.c"
#include "prove.h"

bool topk_wire_digits(const char **at, const char *end, uint64_t most, uint64_t *number);

static void prove_reading(void)
{
    char text[LENGTH];
    for (uint32_t i = 0; i < LENGTH; i++) {
        text[i] = (char)nondet_u8();
    }
    const uint64_t most = nondet_u64();
    uint32_t digits = 0;
    uint64_t wanted = 0;
    for (; digits < LENGTH && text[digits] >= '0' && text[digits] <= '9'; digits++) {
        wanted = wanted * 10 + (uint64_t)(text[digits] - '0');
    }
    const char *at = text;
    uint64_t number = 0;
    const bool taken = topk_wire_digits(&at, text + LENGTH, most, &number);
    PROVE(taken == (digits > 0 && (digits == 1 || text[0] != '0') && wanted <= most));
    PROVE(!taken || (number == wanted && at == text + digits));
    REACHED(taken && digits == LENGTH);
    REACHED(!taken && digits > 0);
}

static void prove_printing(void)
{
    char line[DIGITS];
    struct topk_writer to = {.line = line};
    uint64_t number = nondet_u64();
    uint64_t least = 1;
    for (uint32_t i = 0; i < DIGITS; i++) {
        least *= 10;
    }
    ASSUME(number < least);
    put_number(&to, number);
    const char *at = line;
    uint64_t read = 0;
    PROVE(topk_wire_digits(&at, line + to.length, number, &read) && read == number);
    PROVE(at == line + to.length);
    REACHED(to.length == DIGITS);
}

int main(void)
{
    prove_reading();
    prove_printing();
}
