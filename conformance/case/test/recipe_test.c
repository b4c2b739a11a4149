/* The recipes: each keeps what its row of the table promises, and what it made once it always
 * makes. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/recipe.h"
#include "case/value.h"
#include "reference/element.h"

#define LENGTH_MAX 5000u

static const uint32_t lengths[] = {1, 2, 3, 17, 256, LENGTH_MAX};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

/* with the sanitizers, long rows are checked less often */
#ifdef TOPK_SANITIZED
#define STEP 3u
#else
#define STEP 1u
#endif

/* first parameters that are tried; the second one, where there are two, is the seed */
static const uint64_t firsts[] = {0, 1, 2, 3, 4, 5, 1000003};
#define FIRSTS (sizeof firsts / sizeof firsts[0])

/* a row as it was filled */
struct filled {
    struct topk_row row;
    uint64_t parameters[TOPK_RECIPE_PARAMETERS];
    const struct topk_recipe *recipe;
    uint64_t bits[LENGTH_MAX];
    uint64_t best[LENGTH_MAX]; /* order keys, the best first */
};

static uint64_t mask_of(uint32_t type)
{
    return UINT64_MAX >> (64 - 8 * topk_type_bytes(type));
}

static uint64_t sign_of(uint32_t type)
{
    return mask_of(type) ^ mask_of(type) >> 1;
}

static uint64_t key_of(const struct filled *f, uint64_t bits)
{
    uint64_t key = topk_element_key(f->row.type, bits);
    return f->row.increasing ? key : ~key;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

static uint32_t distinct(const struct filled *f)
{
    uint32_t count = 1;
    for (uint32_t i = 1; i < f->row.length; i++) {
        count += f->best[i] != f->best[i - 1];
    }
    return count;
}

static uint32_t count_of(const struct filled *f, uint64_t bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->row.length; i++) {
        count += f->bits[i] == bits;
    }
    return count;
}

/* whether every element is one of the values */
static bool all_among(const struct filled *f, const uint64_t *values, uint32_t count)
{
    uint32_t among = 0;
    for (uint32_t v = 0; v < count; v++) {
        among += count_of(f, values[v]);
    }
    return among >= f->row.length;
}

static bool ascending(const struct filled *f, uint32_t from, uint32_t to, bool down)
{
    for (uint32_t i = from + 1; i < to; i++) {
        uint64_t before = topk_element_key(f->row.type, f->bits[i - 1]);
        uint64_t here = topk_element_key(f->row.type, f->bits[i]);
        if (down ? before < here : before > here) {
            return false;
        }
    }
    return true;
}

/* ---- what each promises ---------------------------------------------------------------------- */

typedef bool promise(const struct filled *f);

static bool constant(const struct filled *f)
{
    return count_of(f, f->parameters[0] & mask_of(f->row.type)) == f->row.length;
}

static bool shuffled(const struct filled *f)
{
    uint32_t room = topk_type_bytes(f->row.type) == 1 ? 256 : LENGTH_MAX;
    return distinct(f) == (f->row.length < room ? f->row.length : room);
}

static bool sorted(const struct filled *f)
{
    return shuffled(f) && ascending(f, 0, f->row.length, f->parameters[0] & 1);
}

static bool organ(const struct filled *f)
{
    uint32_t half = (f->row.length + 1) / 2;
    bool dip = f->parameters[0] & 1;
    return ascending(f, 0, half, dip) && ascending(f, f->row.length - half, f->row.length, !dip) &&
           (f->row.length < 3 || distinct(f) > 1);
}

static bool uniform(const struct filled *f)
{
    uint32_t room = topk_type_bytes(f->row.type) == 1 ? 200 : 4500;
    return f->row.length < LENGTH_MAX || distinct(f) > room;
}

static bool few(const struct filled *f)
{
    uint64_t most = f->parameters[0] == 0 ? 1 : f->parameters[0] & 0xffff;
    return distinct(f) <= most && (f->row.length < LENGTH_MAX || most > 5 || distinct(f) == most);
}

static bool inside(const struct filled *f)
{
    uint32_t k = f->row.k;
    bool roomy = topk_type_bytes(f->row.type) > 1 || f->row.length - k / 2 <= 256;
    bool tie = false;
    for (uint32_t i = 1; i < k; i++) {
        tie = tie || f->best[i] == f->best[i - 1];
    }
    return (k < 2 || tie) && (!roomy || k == f->row.length || f->best[k - 1] != f->best[k]);
}

static bool boundary(const struct filled *f)
{
    return f->row.k == f->row.length || f->best[f->row.k - 1] == f->best[f->row.k];
}

static bool walk(const struct filled *f)
{
    uint64_t at = (f->parameters[0] + f->row.sequence) % f->row.length;
    return key_of(f, f->bits[at]) == f->best[0] &&
           (f->row.length == 1 || (f->best[0] != f->best[1] && distinct(f) == 2));
}

static bool extremes(const struct filled *f)
{
    return f->row.length < 8 || (count_of(f, topk_element_least(f->row.type)) > 0 &&
                                 count_of(f, topk_element_greatest(f->row.type)) > 0);
}

static bool zeros(const struct filled *f)
{
    uint32_t type = f->row.type;
    if (!topk_type_float(type)) {
        return few(f);
    }
    uint64_t one = type == TOPK_TYPE_F32 ? 0x3f800000 : 0x3c00;
    const uint64_t values[] = {0, sign_of(type), one, one | sign_of(type)};
    return all_among(f, values, f->row.length < 12 ? 2 : 4) &&
           (f->row.length < 2 || (count_of(f, 0) > 0 && count_of(f, sign_of(type)) > 0));
}

static bool infinities(const struct filled *f)
{
    return f->row.length < 2 || (count_of(f, topk_element_least(f->row.type)) > 0 &&
                                 count_of(f, topk_element_greatest(f->row.type)) > 0);
}

static bool denormals(const struct filled *f)
{
    uint32_t type = f->row.type;
    if (!topk_type_float(type)) {
        return few(f);
    }
    uint64_t normal = type == TOPK_TYPE_F32 ? 0x00800000 : 0x0400;
    uint32_t denormal = 0;
    for (uint32_t i = 0; i < f->row.length; i++) {
        if ((f->bits[i] & ~sign_of(type)) > normal) {
            return false;
        }
        denormal += topk_element_denormal(type, f->bits[i]);
    }
    return f->row.length < 2 || denormal > 0;
}

/* NaN is looked at for all recipes */
static bool nans(const struct filled *f)
{
    return f->row.length > 0;
}

static bool sentinels(const struct filled *f)
{
    uint32_t type = f->row.type;
    uint64_t worst = f->row.increasing ? topk_element_greatest(type) : topk_element_least(type);
    uint64_t finite = topk_type_float(type) ? worst - 1 : worst;
    const uint64_t values[] = {worst, finite,
                               topk_type_float(type) ? (worst ^ sign_of(type)) - 1 : 0};
    switch (f->parameters[0] % 4) {
    case 0:
        return count_of(f, worst) == f->row.length;
    case 1:
        return count_of(f, finite) == f->row.length;
    case 2:
        return all_among(f, values, 2);
    default:
        return all_among(f, values, 3) &&
               (f->row.length < LENGTH_MAX || count_of(f, values[2]) > 0);
    }
}

/* what a narrower view sees of an element; no float is narrower than 16 bits */
static uint64_t narrow(const struct filled *f, uint64_t bits)
{
    uint32_t type = f->row.type;
    uint32_t half = 4 * topk_type_bytes(type);
    switch (f->parameters[0] % 4) {
    case 0:
        return bits & (((uint64_t)1 << half) - 1);
    case 1:
        return bits >> half;
    case 2:
        if (type == TOPK_TYPE_F32) {
            return topk_element_key_half(bits);
        }
        return topk_type_bytes(type) == 8   ? (uint64_t)(double)bits
               : topk_type_bytes(type) == 4 ? (uint64_t)(float)bits
                                            : 0;
    default:
        return (bits & ~sign_of(type)) >> 4;
    }
}

static bool hidden(const struct filled *f)
{
    for (uint32_t i = 1; i < f->row.length; i++) {
        if (narrow(f, f->bits[i]) != narrow(f, f->bits[0])) {
            return false;
        }
    }
    return f->row.length < 256 || distinct(f) > 3;
}

static uint32_t nan_count(const struct filled *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->row.length; i++) {
        count += topk_element_nan(f->row.type, f->bits[i]);
    }
    return count;
}

static bool nan_shares(const struct filled *f)
{
    uint32_t count = nan_count(f);
    if (!topk_type_float(f->row.type)) {
        return few(f);
    }
    switch (f->parameters[0] % 4) {
    case 0:
        return f->row.length < 256 || (count > f->row.length / 8 && count < f->row.length / 2);
    case 1:
        return f->row.length < 256 || (count > f->row.length / 2 && count < f->row.length);
    case 2:
        return count_of(f, f->bits[0]) == f->row.length && count == f->row.length;
    default:
        return count == f->row.length &&
               (f->row.length < 256 || count_of(f, f->bits[0]) < f->row.length / 2);
    }
}

/* version 1 and the turn of the top bit */
static bool extremes_turn(const struct filled *f)
{
    uint64_t sign = sign_of(f->row.type);
    return f->row.length < 256 ||
           (count_of(f, sign) > 0 && count_of(f, sign + 1) > 0 && count_of(f, 1) > 0 &&
            count_of(f, topk_element_least(f->row.type)) > 0 &&
            (topk_type_float(f->row.type) || count_of(f, sign - 1) > 0));
}

static bool mixed(const struct filled *f)
{
    return nan_count(f) == 0 &&
           (f->row.length < 256 ||
            (count_of(f, 0) > 0 && count_of(f, sign_of(f->row.type)) > 0 && distinct(f) > 12 &&
             count_of(f, topk_element_least(f->row.type)) > 0 &&
             count_of(f, topk_element_greatest(f->row.type)) > 0));
}

/* what lies behind the first 12 is equal and no better than any of them */
static bool orders(const struct filled *f)
{
    for (uint32_t i = 12; i < f->row.length; i++) {
        if (key_of(f, f->bits[i]) != f->best[f->row.length - 1]) {
            return false;
        }
    }
    return distinct(f) <= 13;
}

static bool every(const struct filled *f)
{
    bool nan = f->parameters[0] & 1;
    uint32_t room = topk_type_bytes(f->row.type) == 1 ? 256 : LENGTH_MAX;
    uint32_t wanted = f->row.length < room ? f->row.length : room;
    /* +0 and -0 are one value */
    return nan || (nan_count(f) == 0 && distinct(f) + 1 >= wanted);
}

/* where the ties of a sequence are, as recipe tied numbers it */
static unsigned where_tied(const struct filled *f)
{
    unsigned where = 0;
    for (uint32_t i = 1; i < f->row.length; i++) {
        if (f->best[i] == f->best[i - 1]) {
            unsigned here = i < f->row.k ? 2 : i == f->row.k ? 3 : 1;
            where = here > where ? here : where;
        }
    }
    return f->row.length > 1 && distinct(f) == 1 ? 4 : where;
}

/* whether so many elements of a type can tie as asked */
static bool can_tie(const struct filled *f, unsigned where)
{
    uint32_t room = topk_type_bytes(f->row.type) == 1 ? 254 : UINT32_MAX;
    uint32_t length = f->row.length;
    switch (where) {
    case 0:
        return length <= room;
    case 1:
        return length >= f->row.k + 2 && f->row.k < room;
    case 2:
        return f->row.k > 1 && length > 2;
    case 3:
        return f->row.k < length && length > 2;
    default:
        return length > 1;
    }
}

static bool tied_around(const struct filled *f, unsigned where, unsigned around)
{
    uint32_t type = f->row.type;
    uint64_t greatest = topk_element_greatest(type);
    uint64_t least = topk_element_least(type);
    bool is_float = topk_type_float(type);
    bool none = true; /* nothing is special */
    uint32_t denormal = 0;
    for (uint32_t i = 0; i < f->row.length; i++) {
        uint64_t bits = f->bits[i];
        bool high = bits == greatest || (is_float && (bits == least || bits + 1 == greatest));
        denormal += topk_element_denormal(type, bits);
        none = none && !high && (is_float || bits != least) && !topk_element_denormal(type, bits);
    }
    switch (is_float || around == 1 ? around : 0) {
    case 1:
        return count_of(f, is_float ? greatest - 1 : greatest) > 0 ||
               count_of(f, is_float ? least - 1 : least) > 0;
    case 2:
        return where == 0 || (count_of(f, 0) > 0 && count_of(f, sign_of(type)) > 0);
    case 3:
        return count_of(f, greatest) > 0 || count_of(f, least) > 0;
    case 4:
        return denormal > 0;
    default:
        return none;
    }
}

static bool tied(const struct filled *f)
{
    unsigned where = (unsigned)(f->parameters[0] % 5);
    unsigned around = (unsigned)(f->parameters[1] % 7);
    bool nan = around == 5 || (around == 6 && f->row.sequence % 2 == 1);
    if (!can_tie(f, where) || (topk_type_float(f->row.type) && nan)) {
        return true; /* that there is a NaN, and only then, is looked at for all recipes */
    }
    return where_tied(f) == where && tied_around(f, where, around);
}

static bool comb(const struct filled *f)
{
    uint32_t period = (uint32_t)f->parameters[0] == 0 ? 1 : (uint32_t)f->parameters[0] & 0xffff;
    bool worst = f->parameters[1] & 1;
    uint64_t tooth = key_of(f, f->bits[0]);
    uint64_t before = UINT64_MAX;
    for (uint32_t i = 0; i < f->row.length; i++) {
        uint64_t key = key_of(f, f->bits[i]);
        if (i % period == 0 ? key != tooth : worst ? key > tooth : key < tooth) {
            return false;
        }
        if (i % period != 0 && (f->parameters[1] & 2) != 0) {
            if (key > before) {
                return false; /* they come from the worst to the best */
            }
            before = key;
        }
    }
    return true;
}

/* all but few are as good as the one before, or as bad */
static bool nearly(const struct filled *f)
{
    uint32_t turns = 0;
    for (uint32_t i = 1; i < f->row.length; i++) {
        uint64_t before = key_of(f, f->bits[i - 1]);
        uint64_t here = key_of(f, f->bits[i]);
        turns += f->parameters[0] & 1 ? here > before : here < before;
    }
    return turns <= 4 * (f->row.length / 64 + 1);
}

/* neighbours, each once while there is room */
static bool close_by(const struct filled *f)
{
    uint32_t room = topk_type_bytes(f->row.type) == 1 ? 60 : 1000;
    uint64_t span = f->best[f->row.length - 1] - f->best[0];
    return span < f->row.length && (f->row.length > room || distinct(f) == f->row.length);
}

/* whether elements go from the best to the worst, or back */
static bool in_order(const struct filled *f, uint32_t from, uint32_t to, bool rises)
{
    return ascending(f, from, to, f->row.increasing == rises);
}

static bool one_value(const struct filled *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i < to; i++) {
        if (f->bits[i] != f->bits[from]) {
            return false;
        }
    }
    return true;
}

/* whether all elements have the top bit, or none has */
static bool top_bit(const struct filled *f, uint32_t from, uint32_t to, bool set)
{
    for (uint32_t i = from; i < to; i++) {
        if (((f->bits[i] & sign_of(f->row.type)) != 0) != set) {
            return false;
        }
    }
    return true;
}

/* nothing above the least normal, nothing in the high half */
static bool all_small(const struct filled *f)
{
    uint64_t bound = f->row.type == TOPK_TYPE_F32 ? 0x800000
                     : f->row.type == TOPK_TYPE_F16
                         ? 0x400
                         : mask_of(f->row.type) >> 4 * topk_type_bytes(f->row.type);
    uint64_t sign = topk_type_float(f->row.type) ? sign_of(f->row.type) : 0;
    for (uint32_t i = 0; i < f->row.length; i++) {
        if ((f->bits[i] & ~sign) > bound) {
            return false;
        }
    }
    return true;
}

static bool uneven(const struct filled *f)
{
    const uint64_t step = 1 + f->parameters[0] / 10 % 9;
    const uint32_t length = f->row.length;
    const uint64_t kind = (f->parameters[0] + f->row.sequence * step) % 10;
    const bool odd = kind == 9 && topk_type_float(f->row.type);
    if (odd ? length == LENGTH_MAX && nan_count(f) == 0 : nan_count(f) != 0) {
        return false;
    }
    switch (kind) {
    case 0:
        return distinct(f) <= 7;
    case 1:
        return one_value(f, 0, length);
    case 2:
    case 3:
        return in_order(f, 0, length, kind == 3);
    case 4:
        return length < LENGTH_MAX ||
               (distinct(f) > 200 && !top_bit(f, 0, length, false) && !top_bit(f, 0, length, true));
    case 5:
    case 6:
        return top_bit(f, 0, length, kind == 6);
    case 7:
        return distinct(f) <= 6 &&
               (length < LENGTH_MAX || (count_of(f, topk_element_least(f->row.type)) > 0 &&
                                        count_of(f, topk_element_greatest(f->row.type)) > 0));
    case 8:
        return all_small(f);
    default:
        return odd || length < 2 || count_of(f, f->bits[0]) < length;
    }
}

static bool tiles(const struct filled *f)
{
    const uint64_t tile = f->parameters[0] == 0 ? 1 : f->parameters[0];
    const unsigned kind = (unsigned)(f->parameters[1] % 4);
    const uint32_t first = (uint32_t)(tile < f->row.length ? tile : f->row.length);
    const bool set = top_bit(f, 0, first, true);
    const bool rises = first > 1 && in_order(f, 0, first, true);
    uint32_t number = 0;
    for (uint64_t from = 0; from < f->row.length; from += tile, number++) {
        const uint64_t rest = f->row.length - from;
        const uint32_t to = (uint32_t)(from + (rest < tile ? rest : tile));
        if ((kind == 1 && !top_bit(f, (uint32_t)from, to, set != (number % 2 != 0))) ||
            (kind == 2 && !one_value(f, (uint32_t)from, to)) ||
            (kind == 3 && !in_order(f, (uint32_t)from, to, rises != (number % 2 != 0)))) {
            return false;
        }
    }
    return nan_count(f) == 0;
}

static bool masked(const struct filled *f, uint64_t bits)
{
    const unsigned kind = (unsigned)(f->parameters[0] % 5);
    const bool least = (kind >= 3) == f->row.increasing;
    const uint64_t extreme =
        least ? topk_element_least(f->row.type) : topk_element_greatest(f->row.type);
    const uint64_t finite = topk_type_float(f->row.type) ? extreme - 1 : extreme;
    return (bits == extreme && kind != 1 && kind != 4) ||
           (bits == finite && kind != 0 && kind != 3);
}

/* fewer than K elements are not masked, and they lie where PLACE says */
static bool mask(const struct filled *f)
{
    const unsigned place = (unsigned)(f->parameters[1] % 4);
    const uint32_t length = f->row.length;
    uint32_t open = 0;
    for (uint32_t i = 0; i < length; i++) {
        open += !masked(f, f->bits[i]);
    }
    for (uint32_t i = 0; i < length; i++) {
        const bool here = !masked(f, f->bits[i]);
        if ((place == 0 && here != (i >= length - open)) || (place == 1 && here != (i < open))) {
            return false;
        }
    }
    return open < f->row.k && (place != 3 || open == 0);
}

/* By name and version. The digest is of the bits of all ten types at lengths 17, 256 and 5000, for
 * K of half of that, in both directions: see digest_of(). Never change one: a case text always
 * means the same bytes. A recipe that is to make other data gets another version, and a row here.
 */
static const struct {
    const char *name;
    uint32_t version;
    uint32_t parameters;
    promise *promise;
    uint64_t digest;
} rows[] = {
    {"const", 1, 1, constant, UINT64_C(0x9900ee4ae0024925)},
    {"shuffle", 1, 1, shuffled, UINT64_C(0x3402f346c0bb966d)},
    {"sorted", 1, 1, sorted, UINT64_C(0x7474083f7f6eb66d)},
    {"organ", 1, 1, organ, UINT64_C(0x34406463f0359ae5)},
    {"uniform", 1, 1, uniform, UINT64_C(0x466e9fe356cf923a)},
    {"few", 1, 2, few, UINT64_C(0x81339d7b376f73c0)},
    {"inside", 1, 1, inside, UINT64_C(0x1fbfbc9f91bc0555)},
    {"boundary", 1, 1, boundary, UINT64_C(0x3c4fdab6b24cbd65)},
    {"walk", 1, 1, walk, UINT64_C(0x37fec8838bae9039)},
    {"extremes", 1, 1, extremes, UINT64_C(0x3b0eecfb78da23ae)},
    {"zeros", 1, 1, zeros, UINT64_C(0x63f95160f62991fd)},
    {"infinities", 1, 1, infinities, UINT64_C(0x7d3d73dc18d12b56)},
    {"denormals", 1, 1, denormals, UINT64_C(0x3d28a204f700e0a7)},
    {"nan", 1, 2, nans, UINT64_C(0xd99d70fe541757b4)},
    {"sentinels", 1, 2, sentinels, UINT64_C(0x6b754251b8423d16)},
    {"hidden", 1, 2, hidden, UINT64_C(0x78e8515c58529ab8)},
    {"nan", 2, 2, nan_shares, UINT64_C(0xb2538adddf4a458d)},
    {"extremes", 2, 1, extremes_turn, UINT64_C(0x2ab2f54271eab9d4)},
    {"mixed", 1, 1, mixed, UINT64_C(0x488d9996488397bd)},
    {"orders", 1, 1, orders, UINT64_C(0x720c7ed754278929)},
    {"every", 1, 2, every, UINT64_C(0x71c9879bab7daab4)},
    {"tied", 1, 3, tied, UINT64_C(0x382c57edbb7e0e15)},
    {"comb", 1, 3, comb, UINT64_C(0x52fb92f65f166444)},
    {"nearly", 1, 2, nearly, UINT64_C(0x173e7cec09aef559)},
    {"close", 1, 3, close_by, UINT64_C(0x40daf9f9135678e6)},
    {"uneven", 1, 2, uneven, UINT64_C(0x5c0863624c7dd703)},
    {"tiles", 1, 3, tiles, UINT64_C(0x675a2d893f1c4e3e)},
    {"mask", 1, 3, mask, UINT64_C(0x243fc398c27489ac)},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* ---- filling --------------------------------------------------------------------------------- */

static void fill(struct filled *f, const struct topk_recipe *recipe, unsigned char mark)
{
    memset(f->bits, mark, sizeof f->bits);
    f->recipe = recipe;
    f->row.parameters = f->parameters;
    f->row.bits = f->bits;
    topk_recipe_fill(recipe, &f->row);
    for (uint32_t i = 0; i < f->row.length; i++) {
        f->best[i] = key_of(f, f->bits[i]);
    }
    qsort(f->best, f->row.length, sizeof f->best[0], by_number);
}

static void say(const struct filled *f, const char *what)
{
    fail_msg("%s.%" PRIu32 ":%" PRIu64 ":%" PRIu64 " of type %" PRIu32 ", %" PRIu32
             " elements, K %" PRIu32 ", %s, sequence %" PRIu64 ": %s",
             f->recipe->name, f->recipe->version, f->parameters[0], f->parameters[1], f->row.type,
             f->row.length, f->row.k, f->row.increasing ? "increasing" : "decreasing",
             f->row.sequence, what);
}

static void check_nan(const struct filled *f)
{
    uint32_t nan = nan_count(f);
    if (strcmp(f->recipe->name, "every") == 0 || strcmp(f->recipe->name, "uneven") == 0 ||
        f->recipe->version > 1) {
        return; /* their promises say */
    }
    uint64_t every = f->parameters[0] == 0 ? 1 : f->parameters[0];
    uint64_t around = f->parameters[1] % 7;
    bool wanted = strcmp(f->recipe->name, "nan") == 0 && f->row.sequence % every == 0;
    wanted |= strcmp(f->recipe->name, "tied") == 0 &&
              (around == 5 || (around == 6 && f->row.sequence % 2 == 1));
    wanted = wanted && topk_type_float(f->row.type);
    if ((nan > 0) != wanted) {
        say(f, wanted ? "no NaN" : "a NaN");
    }
}

/* filled in parts of uneven sizes, it is the same */
static void check_parts(const struct filled *f, struct filled *other)
{
    uint32_t count = 1;
    for (uint32_t from = 0; f->recipe->parts && from < f->row.length; from += count) {
        count = from == 0 ? 1 : 3 * count + 4;
        count = count < f->row.length - from ? count : f->row.length - from;
        other->row.bits = other->bits;
        memset(other->bits, 0xaa, sizeof other->bits);
        topk_recipe_fill_part(f->recipe, &other->row, from, count);
        if (memcmp(other->bits, f->bits + from, count * sizeof other->bits[0]) != 0) {
            say(f, "not the same in parts");
        }
        if (count < LENGTH_MAX && other->bits[count] != UINT64_C(0xaaaaaaaaaaaaaaaa)) {
            say(f, "written beyond a part");
        }
    }
}

static void check_fill(struct filled *f, const struct topk_recipe *recipe, promise *kept)
{
    static struct filled other;
    fill(f, recipe, 0x55);
    other.row = f->row;
    memcpy(other.parameters, f->parameters, sizeof other.parameters);
    fill(&other, recipe, 0xaa);
    for (uint32_t i = 0; i < f->row.length; i++) {
        if (f->bits[i] != other.bits[i]) {
            say(f, "not filled, or not the same again");
        }
        if (f->bits[i] & ~mask_of(f->row.type)) {
            say(f, "bits that the type does not have");
        }
    }
    if (f->row.length < LENGTH_MAX && f->bits[f->row.length] != UINT64_C(0x5555555555555555)) {
        say(f, "written beyond the end");
    }
    check_parts(f, &other);
    check_nan(f);
    if (!kept(f)) {
        say(f, "not as promised");
    }
}

static const struct topk_recipe *recipe_of(size_t row)
{
    return topk_recipe_find(rows[row].name, strlen(rows[row].name), rows[row].version);
}

static uint32_t count_colons(const char *text)
{
    uint32_t count = 0;
    for (; *text != 0; text++) {
        count += *text == ':';
    }
    return count;
}

static void recipes_are_known(void **state)
{
    (void)state;
    assert_int_equal(topk_recipe_count, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        const struct topk_recipe *recipe = recipe_of(r);
        assert_non_null(recipe);
        assert_int_equal(recipe->parameters, rows[r].parameters);
        assert_in_range(recipe->parameters, 1, TOPK_RECIPE_PARAMETERS);
        assert_true(strlen(recipe->about) > 0);
        assert_int_equal(count_colons(recipe->names) + 1, recipe->parameters);
        assert_int_equal(count_colons(recipe->example) + 1, recipe->parameters);
        assert_null(topk_recipe_find(rows[r].name, strlen(rows[r].name), 0));
        assert_null(topk_recipe_find(rows[r].name, strlen(rows[r].name), rows[r].version + 2));
        assert_null(topk_recipe_find(rows[r].name, strlen(rows[r].name) - 1, 1));
    }
    assert_null(topk_recipe_find("", 0, 1));
}

static void recipes_keep_their_promise(void **state)
{
    (void)state;
    static struct filled f;
    for (size_t r = 0; r < ROWS; r++) {
        const struct topk_recipe *recipe = recipe_of(r);
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (size_t n = 0; n < LENGTHS; n++) {
                const uint32_t ks[] = {1, 2, (lengths[n] + 1) / 2, lengths[n] - 1, lengths[n]};
                const unsigned step = lengths[n] == LENGTH_MAX ? STEP : 1;
                for (unsigned i = 0; i < 5 * FIRSTS * 2; i += step) {
                    uint32_t k = ks[i % 5];
                    if (k == 0 || k > lengths[n]) {
                        continue;
                    }
                    f.row = (struct topk_row){.type = topk_types[t],
                                              .length = lengths[n],
                                              .k = k,
                                              .increasing = i / (5 * FIRSTS),
                                              .sequence = (i + n) % 4};
                    f.parameters[0] = firsts[i / 5 % FIRSTS];
                    f.parameters[1] = rows[r].parameters > 1 ? i * 7 : 0;
                    if (rows[r].parameters == 3) {
                        f.parameters[1] = i + n + (uint64_t)t;
                        f.parameters[2] = (uint64_t)i * 7;
                    }
                    check_fill(&f, recipe, rows[r].promise);
                }
            }
        }
    }
}

/* each sequence and each seed has data of its own, where a recipe is random */
static void seeds_and_sequences_differ(void **state)
{
    (void)state;
    static struct filled f;
    static struct filled other;
    static const char *const names[] = {
        "shuffle", "uniform",    "few",       "inside", "boundary",  "extremes",
        "zeros",   "infinities", "denormals", "nan",    "sentinels", "hidden",
        "tied",    "nearly",     "close",     "tiles",  "mask"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct topk_recipe *recipe = topk_recipe_find(names[i], strlen(names[i]), 1);
        assert_non_null(recipe);
        f.row = (struct topk_row){.type = TOPK_TYPE_F32, .length = 100, .k = 50};
        other.row = f.row;
        f.parameters[0] = recipe->parameters == 2 ? 3 : 0;
        f.parameters[1] = 0;
        f.parameters[2] = 0;
        memcpy(other.parameters, f.parameters, sizeof other.parameters);
        fill(&f, recipe, 0);
        other.row.sequence = 1;
        fill(&other, recipe, 0);
        assert_memory_not_equal(f.bits, other.bits, 100 * sizeof f.bits[0]);
        other.row.sequence = 0;
        other.parameters[recipe->parameters - 1]++;
        fill(&other, recipe, 0);
        assert_memory_not_equal(f.bits, other.bits, 100 * sizeof f.bits[0]);
    }
}

/* by rank: 0 for the least class, and so on */
static uint64_t pattern(const struct topk_row *row)
{
    uint64_t text = 0;
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t rank = 0;
        for (uint32_t j = 0; j < row->length; j++) {
            rank += topk_element_key(row->type, row->bits[j]) <
                    topk_element_key(row->type, row->bits[i]);
        }
        text = text * 8 + rank;
    }
    return text;
}

static void orders_are_all_weak_orders(void **state)
{
    (void)state;
    static const uint64_t fubini[] = {1, 1, 3, 13, 75, 541, 4683, 47293};
    static uint64_t seen[47293];
    const struct topk_recipe *recipe = topk_recipe_find("orders", 6, 1);
    for (uint32_t n = 1; n <= 7; n++) {
        assert_int_equal(topk_order_count(n), fubini[n]);
        for (uint64_t s = 0; s < fubini[n]; s++) {
            uint64_t bits[7];
            uint64_t first = 0;
            struct topk_row row = {.type = topk_types[s % TOPK_TYPE_COUNT],
                                   .length = n,
                                   .k = 1,
                                   .increasing = true,
                                   .sequence = s,
                                   .parameters = &first,
                                   .bits = bits};
            topk_recipe_fill(recipe, &row);
            seen[s] = pattern(&row);
        }
        qsort(seen, fubini[n], sizeof seen[0], by_number);
        for (uint64_t s = 1; s < fubini[n]; s++) {
            assert_true(seen[s - 1] < seen[s]);
        }
    }
}

static void every_is_every_pattern(void **state)
{
    (void)state;
    static uint64_t bits[65536];
    static unsigned seen[65536];
    const struct topk_recipe *recipe = topk_recipe_find("every", 5, 1);
    for (uint64_t nan = 0; nan < 2; nan++) {
        const uint64_t parameters[] = {nan, 7};
        struct topk_row row = {.type = TOPK_TYPE_F16,
                               .length = nan ? 65536 : 65536 - 2046,
                               .k = 1,
                               .parameters = parameters,
                               .bits = bits};
        memset(seen, 0, sizeof seen);
        topk_recipe_fill(recipe, &row);
        for (uint32_t i = 0; i < row.length; i++) {
            seen[bits[i]]++;
        }
        for (uint64_t b = 0; b < 65536; b++) {
            assert_int_equal(seen[b], nan || !topk_element_nan(TOPK_TYPE_F16, b));
        }
    }
}

/* The last element of a sequence is the first of the next, so that the sequences of recipe tied can
 * share it. */
static void tied_sequences_overlap(void **state)
{
    (void)state;
    static struct filled f;
    static struct filled next;
    const struct topk_recipe *recipe = topk_recipe_find("tied", 4, 1);
    for (uint32_t i = 0; i < 5 * 6 * 20; i++) {
        f.row = (struct topk_row){.type = i % 2 ? TOPK_TYPE_F16 : TOPK_TYPE_I8,
                                  .length = 1 + i % 37,
                                  .k = 1 + i % 37 / 2,
                                  .sequence = i % 5};
        f.parameters[0] = i % 5;
        f.parameters[1] = i / 5 % 6;
        f.parameters[2] = i;
        next.row = f.row;
        next.row.sequence++;
        memcpy(next.parameters, f.parameters, sizeof next.parameters);
        fill(&f, recipe, 0);
        fill(&next, recipe, 0);
        assert_int_equal(f.bits[f.row.length - 1], next.bits[0]);
        assert_memory_equal(f.best, next.best, f.row.length * sizeof f.best[0]);
        /* with a NaN in odd sequences only, the first of which two may share theirs */
        f.parameters[1] = next.parameters[1] = 6;
        fill(&f, recipe, 0);
        fill(&next, recipe, 0);
        assert_true(f.row.length == 1 || f.row.sequence % 2 == 1 ||
                    f.bits[f.row.length - 1] == next.bits[0]);
    }
}

static void values_of_ranks_ascend(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 255, 256, 257, 2048, 2049, 63487, 65536, 70000};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            uint32_t type = topk_types[t];
            uint64_t room = type == TOPK_TYPE_F16       ? 63487
                            : topk_type_bytes(type) < 4 ? mask_of(type) + 1
                                                        : UINT64_MAX;
            uint64_t values = 1;
            uint64_t before = topk_element_key(type, topk_value_of_rank(type, 0, counts[c]));
            for (uint64_t i = 1; i < counts[c]; i++) {
                uint64_t bits = topk_value_of_rank(type, i, counts[c]);
                uint64_t key = topk_element_key(type, bits);
                assert_false(topk_element_nan(type, bits) || topk_element_inf(type, bits));
                assert_int_equal(bits & ~mask_of(type), 0);
                assert_true(key >= before);
                values += key != before;
                before = key;
            }
            assert_int_equal(values, counts[c] < room ? counts[c] : room);
        }
    }
}

/* ---- golden ---------------------------------------------------------------------------------- */

/* FNV-1a over bytes, the lowest first */
static uint64_t digest_add(uint64_t digest, uint64_t bits)
{
    for (int i = 0; i < 8; i++) {
        digest = (digest ^ (bits >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static uint64_t digest_of(const struct topk_recipe *recipe)
{
    static struct filled f;
    const bool kinds = strcmp(recipe->name, "uneven") == 0;
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (size_t n = 3; n < LENGTHS; n++) {
            for (unsigned i = 0; i < 4; i++) {
                f.row = (struct topk_row){.type = topk_types[t],
                                          .length = lengths[n],
                                          .k = lengths[n] / 2,
                                          .increasing = i % 2,
                                          .sequence = i};
                /* the kinds of uneven: each once, and two twice */
                f.parameters[0] = kinds ? 4 * (n - 3) : 2 + i;
                f.parameters[1] = recipe->parameters > 1 ? 77 + i : 0;
                if (recipe->parameters == 3) {
                    f.parameters[1] = 4 * (n - 3) + i;
                    f.parameters[2] = 77 + i;
                }
                fill(&f, recipe, 0);
                for (uint32_t e = 0; e < f.row.length; e++) {
                    digest = digest_add(digest, f.bits[e]);
                }
            }
        }
    }
    return digest;
}

static void recipes_make_what_they_made(void **state)
{
    (void)state;
    unsigned changed = 0;
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t digest = digest_of(recipe_of(r));
        if (digest != rows[r].digest) {
            print_error("%s.%" PRIu32 " has digest 0x%016" PRIx64 ", not 0x%016" PRIx64 "\n",
                        rows[r].name, rows[r].version, digest, rows[r].digest);
            changed++;
        }
    }
    assert_int_equal(changed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_are_known),           cmocka_unit_test(recipes_keep_their_promise),
        cmocka_unit_test(seeds_and_sequences_differ),  cmocka_unit_test(values_of_ranks_ascend),
        cmocka_unit_test(recipes_make_what_they_made), cmocka_unit_test(orders_are_all_weak_orders),
        cmocka_unit_test(every_is_every_pattern),      cmocka_unit_test(tied_sequences_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
