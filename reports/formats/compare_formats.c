/* The formats of a comparison of runs. */
#include "compare/compare.h"

const struct topk_compare_format topk_compare_formats[] = {
    {"text", false, 10, false, topk_compare_text_write},
    {"html", true, 1000, true, topk_compare_html_write},
    {"json", false, UINT64_MAX, true, topk_compare_json_write},
};
const size_t topk_compare_format_count =
    sizeof topk_compare_formats / sizeof topk_compare_formats[0];
