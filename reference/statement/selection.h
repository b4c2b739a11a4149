/* What S02 to S12 say of the outputs of one sequence, and what F02 leaves of that where there is
 * NaN: each clause as its text has it, over all pairs of elements. Proofs, fuzz targets and tests
 * share it, with values in a type that suits each. So a file that includes it defines before:
 *
 *   SEQUENCE    the type of a sequence, whose members `length`, `k` and `increasing` it uses
 *   BITS        an unsigned type that holds the bits of an element
 *   VIEW        an arithmetic type in which an order compares elements by C's <, > and ==
 *   BITS input_at(const SEQUENCE *s, uint64_t i)       element i, below `length`
 *   BITS output_at(const SEQUENCE *s, uint32_t j)      output value j, below `k`
 *   uint64_t index_at(const SEQUENCE *s, uint32_t j)   output index j
 *   bool bits_are_nan(const SEQUENCE *s, BITS bits)
 */
#ifndef TOPK_STATEMENT_SELECTION_H
#define TOPK_STATEMENT_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

/* How an order sees an element: as it is (F01), denormals as zeros (F04), as FLOAT16 (F06). */
typedef VIEW seen_as(const SEQUENCE *s, BITS bits);

static inline bool stated_has_nan(const SEQUENCE *s)
{
    bool found = false;
    for (uint32_t i = 0; i < s->length; i++) {
        found = found || bits_are_nan(s, input_at(s, i));
    }
    return found;
}

static inline bool stated_selected(const SEQUENCE *s, uint64_t i)
{
    bool found = false;
    for (uint32_t j = 0; j < s->k; j++) {
        found = found || index_at(s, j) == i;
    }
    return found;
}

/* S12: whether element x of index i comes before element y of index j. */
static inline bool stated_before(const SEQUENCE *s, VIEW x, uint64_t i, VIEW y, uint64_t j)
{
    return (s->increasing ? x < y : x > y) || (x == y && i < j);
}

/* S05, S07: each output is an element that its index names, and none is there twice. F02: a NaN
 * may come out as another NaN, which only `any_nan` allows. */
static inline bool stated_are_elements(const SEQUENCE *s, bool any_nan)
{
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t i = index_at(s, j);
        if (i >= s->length ||
            (output_at(s, j) != input_at(s, i) &&
             !(any_nan && bits_are_nan(s, output_at(s, j)) && bits_are_nan(s, input_at(s, i))))) {
            return false;
        }
        for (uint32_t before = 0; before < j; before++) {
            if (index_at(s, before) == i) {
                return false;
            }
        }
    }
    return true;
}

/* S04, S08: of two neighbouring outputs the first comes before the second. */
static inline bool stated_in_order(const SEQUENCE *s, seen_as *see)
{
    for (uint32_t j = 1; j < s->k; j++) {
        if (!stated_before(s, see(s, output_at(s, j - 1)), index_at(s, j - 1),
                           see(s, output_at(s, j)), index_at(s, j))) {
            return false;
        }
    }
    return true;
}

/* S02, S03, S09: no element that is left out comes before an output. */
static inline bool stated_are_first(const SEQUENCE *s, seen_as *see)
{
    for (uint32_t i = 0; i < s->length; i++) {
        const bool selected = stated_selected(s, i);
        for (uint32_t j = 0; j < s->k; j++) {
            if (!selected && stated_before(s, see(s, input_at(s, i)), i, see(s, output_at(s, j)),
                                           index_at(s, j))) {
                return false;
            }
        }
    }
    return true;
}

/* S12: the outputs are the first K elements of the sequence, as an order sees them. No NaN. */
static inline bool stated_right(const SEQUENCE *s, seen_as *see)
{
    return stated_are_elements(s, false) && stated_in_order(s, see) && stated_are_first(s, see);
}

#endif
