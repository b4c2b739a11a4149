/* The worked examples of the documents, with their own numbers (S11), and the same in every type.
 */
#include "build.h"

/* clang-format off: one case a line */
static const char *const documents[] = {
    /* example 1, TOP_K and TOP_K1 */
    "top_k fl=2.0 in=f32[1,1,3,4] axis=3 k=2 "
    "data=hex:00000000,3f800000,41200000,41300000,40400000,40000000,41100000,41000000,40800000,"
    "40a00000,40c00000,40e00000",
    "top_k1 fl=2.1 in=f32[1,1,3,4] axis=3 k=2 dir=dec "
    "data=hex:00000000,3f800000,41200000,41300000,40400000,40000000,41100000,41000000,40800000,"
    "40a00000,40c00000,40e00000",
    /* example 2: another axis */
    "top_k fl=2.0 in=f32[1,1,3,4] axis=2 k=2 "
    "data=hex:00000000,3f800000,41200000,41300000,40400000,40000000,41100000,41000000,40800000,"
    "40a00000,40c00000,40e00000",
    "top_k1 fl=2.1 in=f32[1,1,3,4] axis=2 k=2 dir=dec "
    "data=hex:00000000,3f800000,41200000,41300000,40400000,40000000,41100000,41000000,40800000,"
    "40a00000,40c00000,40e00000",
    /* example 3: ties */
    "top_k fl=2.0 in=f32[1,1,3,4] axis=3 k=3 "
    "data=hex:3f800000,40000000,40000000,40400000,40400000,40800000,40a00000,40a00000,40c00000,"
    "40c00000,40c00000,40c00000",
    "top_k1 fl=2.1 in=f32[1,1,3,4] axis=3 k=3 dir=dec "
    "data=hex:3f800000,40000000,40000000,40400000,40400000,40800000,40a00000,40a00000,40c00000,"
    "40c00000,40c00000,40c00000",
    /* example 4: increasing */
    "top_k1 fl=2.1 in=f32[1,1,3,4] axis=3 k=3 dir=inc "
    "data=hex:3f800000,40000000,40000000,40400000,40400000,40800000,40a00000,40a00000,40c00000,"
    "40c00000,40c00000,40c00000",
    NULL,
};
/* clang-format on */

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
    {"examples", "documents", "examples 1 to 4 with the documents' own numbers", NULL, documents,
     "S11"},
    {"examples", "types", "examples 1 to 4 in every element and index type", types, NULL, NULL},
    {0},
};
