/* The worked examples of the documents in every type; with their own numbers they are in
 * corpus/examples.txt. */
#include "build.h"

static void types(struct topk_sink *sink)
{
    static const unsigned char first[] = {0, 1, 10, 11, 3, 2, 9, 8, 4, 5, 6, 7};
    static const unsigned char tied[] = {1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6, 6};
    static const struct {
        const unsigned char *data;
        uint32_t axis;
        uint32_t k;
        enum topk_mode mode;
    } examples[] = {{first, 3, 2, TOPK_MODE_LARGEST},
                    {first, 2, 2, TOPK_MODE_LARGEST},
                    {tied, 3, 3, TOPK_MODE_LARGEST},
                    {tied, 3, 3, TOPK_MODE_SMALLEST}};
    static const uint32_t sizes[] = {1, 1, 3, 4};
    for (int e = 0; e < 4; e++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (int wide = 0; wide < 2; wide++) {
                struct topk_case test;
                uint64_t literal[12];
                topk_build(&test, examples[e].mode, topk_types[t], 4, sizes, examples[e].axis,
                           examples[e].k);
                if (wide) {
                    topk_build_wide_index(&test);
                }
                /* of 25 values around 0 the one of rank 12 + v is v, or 12 + v if unsigned */
                for (int i = 0; i < 12; i++) {
                    literal[i] = topk_value_of_rank(topk_types[t], 12u + examples[e].data[i], 25);
                }
                test.literal = literal;
                test.literal_count = 12;
                topk_emit(sink, &test);
            }
        }
    }
}

const struct topk_test topk_group_examples[] = {
    {"examples", "types", "examples 1 to 4 in every element and index type", types, NULL, NULL},
    {0},
};
