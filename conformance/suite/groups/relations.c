/* Relations between calls that the clauses require; see check.def. */
#include "group.h"

/* includes denormals: a backend must decide what F04 leaves open in the same way for each call */
#define SPREAD                                                                                     \
    "type: types; (sizes, axis, k, layout, data): ([13], 0, 6, packed, few(4, s)),"                \
    "  ([2,6,3], 1, 3, scattered, few(4, s)), ([4,20], 1, 20, padded-row, few(4, s)),"             \
    "  ([3,1,2,300], 3, 33, packed, boundary(4)), ([9,2,1,2,2], 0, 5, reversed, uniform(4)),"      \
    "  ([2,40], 1, 20, padded-row, denormals(4)); mode: modes; wide = #k % 2;"                     \
    "s = mix(type, mode, #k);"

/* ---- relations to another form of the call --------------------------------------------------- */

/* Calls that are made in another form. From denormals on, the clauses may allow different results:
 * F04, F02, and F06 if FLOAT16 arithmetic is allowed, for colliding values and whole numbers. */
#define CALLS                                                                                      \
    "calls = ([13], 0, 6, packed, 0, few(4, s)), ([2,7,3], 1, 4, scattered, 0, boundary(s)),"      \
    "  ([3,1,2,300], 3, 33, packed, 0, few(40, s)), ([9,2,1,2,2], 0, 5, reversed, 0, uniform(s))," \
    "  ([4,20], 1, 20, padded-row, 0, zeros(s)), ([3,16,2], 1, 7, packed, 0, extremes(s)),"        \
    "  ([2,40], 1, 20, packed, 0, denormals(s)), ([4,1,12], 2, 5, packed, 0, nan(2, s)),"          \
    "  ([3,64], 1, 20, packed, 1, hidden(2, s)), ([3,64], 1, 20, packed, 1, few(9, s));"
#define FORMS                                                                                      \
    CALLS "type: types; (sizes, axis, k, layout, execution, data): calls; mode: modes;"            \
          "s = mix(type, mode, #k); if execution == 0 || type == f32; if applies"

/* ---- relations to other calls around it ------------------------------------------------------ */

#define AMONG                                                                                      \
    "type: types; (sizes, axis, k, layout, data): ([13], 0, 6, packed, few(4, s)),"                \
    "  ([5,300], 1, 40, padded-row, boundary(s)), ([2,9,3], 1, 4, packed, nan(1, s));"             \
    "mode = modes[#type + #k];"

const struct topk_test topk_group_relations[] = {
    {"relations", "repeat", "the same call gives the same bytes",
     .product = "check = repeat;" SPREAD},
    /* TOP_K1 with INCREASING has no twin */
    {"relations", "twin", "TOP_K equals TOP_K1 with DECREASING",
     .product = "check = twin;" SPREAD "if mode != smallest"},
    {"relations", "prefix", "the result for K-1 is a prefix", .product = "check = prefix;" SPREAD},
    {"relations", "row", "a sequence alone gives what it gives in a batch",
     .product = "check = row;" SPREAD},
    {"relations", "flags", "execution flags change nothing", .product = "check = flags;" SPREAD},
    {"relations", "padding", "input padding changes nothing", .product = "check = padding;" SPREAD},
    {"relations", "offset", "offset and alignment change nothing",
     .product = "check = offset;" SPREAD},
    {"relations", "half", "the same where computing by FLOAT16 is allowed (F06)",
     .product = CALLS
     "check: repeat, twin, prefix, row, flags, padding, offset; mode: modes; type = f32; i: 8, 9;"
     "(sizes, axis, k, layout, execution, data) = calls[i]; s = mix(#check, mode, i); if applies"},
    {"relations", "layout", "layouts change nothing", .product = "check = layout;" FORMS},
    {"relations", "axes", "the transposed tensors give the transposed result",
     .product = "check = axes;" FORMS},
    {"relations", "permute", "the order of elements changes nothing but the indices",
     .product = "check = permute;" FORMS},
    {"relations", "dual", "the K smallest are the K largest of reversed values",
     .product = "check = dual;" FORMS},
    {"relations", "monotone", "only the order of values decides",
     .product = "check = monotone;" FORMS},
    {"relations", "widen", "a wider type changes nothing", .product = "check = widen;" FORMS},
    /* A backend may keep what an owned tensor holds, but not use it for another call. Each check
     * makes a call with other elements, or other calls next to it. */
    {"relations", "owned", "tensors owned by DirectML are not mistaken for each other",
     .product = CALLS
     "check: repeat, prefix, padding, permute, dual, after, monotone, concurrent; type: types;"
     "i = #check + #type; (sizes, axis, k, layout, execution, data) = calls[i % 5]; flags = role "
     "== input;"
     "mode = modes[i]; s = mix(#check, #type, 0); if applies"},
    {"relations", "after", "other calls before it change nothing",
     .product = "check = after;" AMONG "s = mix(type, 14, #k); if applies"},
    {"relations", "concurrent", "other calls beside it change nothing",
     .product = "check = concurrent;" AMONG "s = mix(type, 15, #k); if applies"},
    /* few cases: each makes a hundred calls */
    {"relations", "soak", "a hundred runs give the same bytes",
     .product = "check = soak; type: types; s = mix(type, 0, 0); mode = modes[#type];"
                "(sizes, axis, k, layout, data) = [([2000], 0, 100, packed, few(50, s)),"
                "  ([6,129], 1, 64, padded-row, boundary(s))][#type]; if applies"},
    {0},
};
