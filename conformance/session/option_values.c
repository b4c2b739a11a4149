/* Parses the values of options: flags, texts, numbers, seconds, sizes. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
error_t cli_store(int key, char *argument, struct argp_state *state)
{
    char *const member = (char *)state->input + (key & 0xffff);
    switch (key & ~0xffff) {
    case CLI_FLAGS:
        *(bool *)(void *)member = true;
        return 0;
    case CLI_TEXTS:
        *(const char **)(void *)member = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

uint64_t cli_number_from(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least, uint64_t most)
{
    uint64_t number = 0;
    bool fits = *text != 0;
    for (const char *at = text; *at != 0; at++) {
        unsigned digit = (unsigned)*at - '0';
        if (digit > 9 || number > (most - digit) / 10) {
            fits = false;
            break;
        }
        number = number * 10 + digit;
    }
    if (!fits || number < least) {
        argp_error(state, "--%s takes a number from %llu to %llu, not '%s'", option,
                   (unsigned long long)least, (unsigned long long)most, text);
    }
    return number;
}

uint64_t cli_number(const struct argp_state *state, const char *option, const char *text,
                    uint64_t most)
{
    return cli_number_from(state, option, text, 0, most);
}

double cli_seconds(const struct argp_state *state, const char *option, const char *text)
{
    char *end;
    errno = 0;
    const double seconds = strtod(text, &end);
    if (*text == 0 || *end != 0 || !(seconds >= 0.001 && seconds <= 1e6)) {
        argp_error(state, "--%s takes seconds from 0.001 to 1000000, not '%s'", option, text);
    }
    return seconds;
}

uint64_t cli_size(const struct argp_state *state, const char *option, const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end == 0 ? NULL : strchr(units, toupper((unsigned char)*end));
    double bytes = number;
    if (unit != NULL) {
        for (const char *at = units; at <= unit; at++) {
            bytes *= 1024;
        }
        end += strncmp(end + 1, "iB", 2) == 0 ? 3 : 1;
    }
    if (!isdigit((unsigned char)*text) || *end != 0 || !(bytes >= 1 << 20 && bytes <= 1e15)) {
        argp_error(state, "--%s takes a size from 1M to 900T, such as 512M or 2G, not '%s'", option,
                   text);
    }
    return (uint64_t)bytes;
}
