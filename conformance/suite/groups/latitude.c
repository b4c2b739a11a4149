/* Where the documents contradict practice (grade PRACTICE) or are silent (OBSERVE): a backend may
 * choose, and its choice is recorded. K = n is in group k, denormals and NaN are in group
 * floats. */
#include "group.h"

const struct topk_test topk_group_latitude[] = {
    {"latitude", "directions", "AxisDirection outside 0 and 1 (V12)",
     .product =
         "direction: 2, 3, 0x7fffffff, 0xffffffff; type: types; mode = largest; n = 9; k = 4;"
         "data = shuffle(#type)"},
    {"latitude", "alignments", "alignments below 16 (T10b)",
     .product = "type: types; bytes: 1, 2, 4, 8; if bytes >= bytes(type); of: input, value, index;"
                "if of != index || bytes >= 4; alignment = role == of ? bytes : 0;"
                "mode = largest; n = 9; k = 4; data = shuffle(#type)"},
    /* the results are not judged, but writes outside the tensors are */
    {"latitude", "output-overlap", "outputs whose elements overlap (T14)",
     .product = "strides: {3,2,1}, {0,4,1}, {8,0,1}, {8,4,0}, {0,0,0}; of: value, index;"
                "layout = role == of ? strides : packed; mode = largest; type = f32;"
                "sizes = [2,2,6]; k = 4; data = shuffle(#strides)"},
    /* requested at a lower level, although the device may support the higher one */
    {"latitude", "above-level", "what only a higher feature level has (V08, V09, V14, V07)",
     .product = "level: levels; type: types; rank: 3..5; mode: modes; wide: 0, 1;"
                "size = [2,3,1,5,2][d]; axis = 1; k = 2;"
                "if least_level > level && (rank == 4 || #type % 3 == 0); data = shuffle(#type)"},
    {0},
};
