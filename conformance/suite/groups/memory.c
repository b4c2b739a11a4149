/* Memory around the logical elements: padding, offsets, alignments, slack, flags. */
#include "group.h"

const struct topk_test topk_group_memory[] = {
    {"memory", "padding", "the input's padding holds all kinds of values",
     .product =
         "type: types; mode: both; padding: 0..4;"
         "of: padded-row, interleaved, scattered, slack; layout = role == input ? of : packed;"
         "sizes = [1,2,3,5]; axis = 1 + (#type + padding + #of) % 3; k = length - 1;"
         "data = few(4, mix(#type, padding, 1))"},
    {"memory", "offsets", "binding offsets on each tensor and on all",
     .product = "type: types; bytes: 16, 32, 48, 256, 4112, 65536; roles: 1, 2, 4, 7;"
                "offset = roles >> role & 1 ? bytes : 0; mode = modes[#type + #bytes]; n = 11;"
                "k = 4; data = few(5, bytes + roles)"},
    /* the same for all three tensors, or one for each */
    {"memory", "alignments", "guaranteed alignments, with and without an offset",
     .product = "list = 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 65536, 131072, 1048576;"
                "type: types; bytes: list; alignment = #type % 3 ? bytes : list[#bytes + role * 3];"
                "offset = #bytes % 2 && alignment <= 65536 ? alignment : 0;"
                "mode = modes[#type + #bytes]; n = 9; k = 5; data = few(4, bytes)"},
    /* also by less than 4 bytes, for each tensor */
    {"memory", "slack", "total sizes larger than needed",
     .product =
         "type: types; bytes: 1, 2, 3, 4, 12, 20000; mode = modes[#type + #bytes]; n = 7; k = 3;"
         "total = least + (role == #bytes % 3) * bytes + (role == input) * 4;"
         "data = few(4, bytes)"},
    /* ends inside a word of 4 bytes, which a kernel for wider words overwrites */
    {"memory", "tails", "outputs that end within a word",
     .product = "type: u8, i8, f16, u16; k: 1..9; mode: both; n = 9; data = uniform(k)"},
    {"memory", "owned", "OWNED_BY_DML on the input",
     .product =
         "flags = role == input; type: types; mode: modes; n = 6; k = 2; data = shuffle(#type);"
         "layout = role == input && mode == smallest ? interleaved : packed"},
    /* FLOAT32 values that are equal as FLOAT16: ALLOW_HALF permits to confuse them (F06) */
    {"memory", "execution", "every combination of execution flags",
     .product = "type: types; mode: modes; execution: 1..7; n = 12; k = 5;"
                "data = execution % 2 ? hidden(2, execution) : few(4, execution)"},
    {0},
};
