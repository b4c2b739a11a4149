/* The worked examples of the documents, in every type. corpus/examples.txt has them with their
 * original numbers. */
#include "group.h"

const struct topk_test topk_group_examples[] = {
    /* of 25 values around 0, the one with rank 12 + v is v, or 12 + v in an unsigned type */
    {"examples", "types", "examples 1 to 4 in every element and index type",
     .product = "first = 0, 1, 10, 11, 3, 2, 9, 8, 4, 5, 6, 7;"
                "tied = 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6, 6; sizes = [1,1,3,4];"
                "(values, axis, k, mode): (first, 3, 2, largest), (first, 2, 2, largest),"
                "  (tied, 3, 3, largest), (tied, 3, 3, smallest);"
                "type: types; wide: 0, 1; bits = ranked(type, 12 + values[e], 25)"},
    {0},
};
