/* Decides which cases chaos spoils, and how. */
#include "chaos.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/pcg.h"

static const struct topk_chaos_row rows[TOPK_CHAOS_KINDS] = {
    {"none", TOPK_CHAOS_AT_NONE, TOPK_VERDICT_PASS, "nothing"},
#define TOPK_CHAOS(kind, word, place, verdict, about)                                              \
    {word, TOPK_CHAOS_AT_##place, TOPK_VERDICT_##verdict, about},
#include "chaos.def"
#undef TOPK_CHAOS
};
#define ALL ((UINT32_C(1) << TOPK_CHAOS_KINDS) - 2)

const struct topk_chaos_row *topk_chaos_row(enum topk_chaos_kind kind)
{
    return &rows[kind];
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool parse_rate(const char *text, double *rate)
{
    char *end;
    *rate = strtod(text, &end);
    return text[strspn(text, "0123456789.e-")] == 0 && end != text && *end == 0 && *rate >= 0 &&
           *rate <= 1;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    *seed = strtoull(text, NULL, 10);
    return text[0] != 0 && text[strspn(text, "0123456789")] == 0 && strlen(text) < 20;
}

static bool parse_kinds(const char *text, uint32_t *kinds)
{
    *kinds = 0;
    for (;;) {
        size_t length = strcspn(text, "+");
        int kind = 1;
        while (kind < TOPK_CHAOS_KINDS &&
               (strlen(rows[kind].word) != length || memcmp(rows[kind].word, text, length) != 0)) {
            kind++;
        }
        if (kind == TOPK_CHAOS_KINDS) {
            return false;
        }
        *kinds |= UINT32_C(1) << kind;
        if (text[length] == 0) {
            return true;
        }
        text += length + 1;
    }
}

static void print_kinds(char *text, size_t size)
{
    text[0] = 0;
    for (int kind = 1; kind < TOPK_CHAOS_KINDS; kind++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", kind == 1 ? "" : " ", rows[kind].word);
    }
}

static bool wrong(const char *what, char *error, size_t error_bytes)
{
    char kinds[256];
    print_kinds(kinds, sizeof kinds);
    snprintf(error, error_bytes,
             "'%s' is not understood; it is rate=R,seed=N,kinds=WORD+WORD: a rate from 0 to 1 and, "
             "if wanted, a number and of the kinds: %s",
             what, kinds);
    return false;
}

bool topk_chaos_parse(const char *spec, struct topk_chaos *chaos, char *error, size_t error_bytes)
{
    bool had[3] = {false};
    *chaos = (struct topk_chaos){.seed = 1, .kinds = ALL};
    while (*spec != 0) {
        char item[256];
        size_t length = strcspn(spec, ",");
        snprintf(item, sizeof item, "%.*s", length < 255 ? (int)length : 255, spec);
        bool read;
        int which = 0;
        if (strncmp(item, "rate=", 5) == 0) {
            read = parse_rate(item + 5, &chaos->rate);
        } else if (strncmp(item, "seed=", 5) == 0) {
            which = 1;
            read = parse_seed(item + 5, &chaos->seed);
        } else {
            which = 2;
            read = strncmp(item, "kinds=", 6) == 0 && parse_kinds(item + 6, &chaos->kinds);
        }
        if (!read || had[which]) {
            return wrong(item, error, error_bytes);
        }
        had[which] = true;
        spec += length + (spec[length] == ',' && spec[length + 1] != 0);
        if (*spec == ',') {
            return wrong(spec, error, error_bytes);
        }
    }
    if (!had[0]) {
        snprintf(error, error_bytes, "it needs a rate=R, the part of the cases to be spoiled");
    }
    return had[0];
}

/* ---- the choice ------------------------------------------------------------------------------ */

enum topk_chaos_kind topk_chaos_pick(const struct topk_chaos *chaos, const char *text,
                                     size_t length)
{
    /* FNV-1a */
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, hash, chaos->seed);
    if ((double)topk_pcg_next(&pcg) >= chaos->rate * 4294967296.0) {
        return TOPK_CHAOS_NONE;
    }
    enum topk_chaos_kind kinds[TOPK_CHAOS_KINDS];
    uint32_t count = 0;
    for (int kind = 1; kind < TOPK_CHAOS_KINDS; kind++) {
        if ((chaos->kinds >> kind & 1) != 0) {
            kinds[count++] = (enum topk_chaos_kind)kind;
        }
    }
    return kinds[topk_pcg_below(&pcg, count)];
}
