/* Prints the words of a case's text, from the tables of its parser. docs/case-text.md shows this
 * output. */
#include "list_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "condition/condition.h"
#include "reference/diagnosis.h"
#include "reference/element.h"

/* the start of the examples: two sequences of a few elements */
#define EXAMPLE "top_k fl=2.0 in=f32[1,1,2,8] axis=3 k=3 data="

/* ---- types ----------------------------------------------------------------------------------- */

void cli_list_types(void)
{
#define ROW(name, text, number, bytes, kind)                                                       \
    printf("%-4s %d byte%s, DML_TENSOR_DATA_TYPE %d\n", text, bytes, (bytes) == 1 ? "" : "s",      \
           number);
    TOPK_TYPE_LIST(ROW)
#undef ROW
}

/* ---- recipes --------------------------------------------------------------------------------- */

/* prints a line for each sequence of the input */
static void print_elements(const struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    const uint32_t bytes = topk_type_bytes(input->type);
    const uint32_t length = input->sizes[tc->op.axis];
    unsigned char *data = cli_need(calloc(1, (size_t)input->total_bytes));
    cli_need_memory(topk_case_fill(tc, data));
    for (uint64_t i = 0; i < topk_tensor_elements(input); i++) {
        char text[TOPK_ELEMENT_TEXT];
        topk_element_print(input->type, topk_element_load(data + i * bytes, bytes), text);
        text[strcspn(text, " (")] = 0; /* without the bits */
        printf("%s %s%s", i % length == 0 ? "   " : "", text, i % length == length - 1 ? "\n" : "");
    }
    free(data);
}

static void print_example(const struct topk_recipe *recipe)
{
    char text[sizeof EXAMPLE + 64];
    struct topk_case tc;
    struct topk_case_error error;
    const int length = snprintf(text, sizeof text, EXAMPLE "%s.%" PRIu32 ":%s", recipe->name,
                                recipe->version, recipe->example);
    if (!topk_case_parse(text, (size_t)length, &tc, &error)) {
        cli_fail(CLI_HARNESS, "the example '%s' is not a case: %s", text, error.message);
    }
    printf("  %s.%" PRIu32 ":%s\n", recipe->name, recipe->version, recipe->example);
    print_elements(&tc);
    topk_case_clear(&tc);
}

/* prints a text in lines of at most 78 characters, each indented by two spaces */
static void print_paragraph(const char *text)
{
    for (size_t length; *text != 0; text += length + (text[length] == ' ')) {
        length = strlen(text);
        if (length > 76) {
            for (length = 76; text[length] != ' '; length--) {
            }
        }
        printf("  %.*s\n", (int)length, text);
    }
}

void cli_list_recipes(void)
{
    for (size_t i = 0; i < topk_recipe_count; i++) {
        const struct topk_recipe *recipe = &topk_recipes[i];
        printf("%s.%" PRIu32 ":%s\n", recipe->name, recipe->version, recipe->names);
        print_paragraph(recipe->about);
        print_example(recipe);
    }
}

/* ---- layouts --------------------------------------------------------------------------------- */

void cli_list_layouts(void)
{
    for (int i = 0; i < TOPK_LAYOUT_COUNT; i++) {
        char text[256];
        struct topk_case tc = {0};
        struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
        *input = (struct topk_tensor){
            .present = true, .type = TOPK_TYPE_F32, .rank = 4, .sizes = {1, 2, 3, 4}};
        topk_layout_apply((enum topk_layout)i, input);
        topk_case_print(&tc, text, sizeof text);
        const char *tensor = strstr(text, "in=");
        printf("%-15s %s%s\n  %.*s\n", topk_layout_word((enum topk_layout)i),
               topk_layout_about((enum topk_layout)i),
               topk_layout_input_only((enum topk_layout)i) ? "; of inputs only" : "",
               (int)strcspn(tensor, " "), tensor);
    }
}

/* ---- paddings and checks --------------------------------------------------------------------- */

void cli_list_paddings(void)
{
    for (int i = 0; i < TOPK_PADDING_COUNT; i++) {
        const struct topk_padding_row *row = topk_padding_row((enum topk_padding)i);
        printf("%-6s %s\n", row->word, row->about);
    }
}

void cli_list_checks(void)
{
    for (int i = 0; i < TOPK_CHECK_COUNT; i++) {
        const struct topk_check_row *row = topk_check_row((enum topk_check)i);
        if (i != TOPK_CHECK_NONE) {
            printf("%-10s %s  %s\n", row->word, topk_clause_id(row->clause), row->about);
        }
    }
}

/* ---- features -------------------------------------------------------------------------------- */

/* whether a word was listed before: two versions of a recipe are one word */
static bool is_listed(enum topk_category category, unsigned word)
{
    bool listed = false;
    for (unsigned i = 0; i < word && !listed; i++) {
        listed = strcmp(topk_category_word(category, i), topk_category_word(category, word)) == 0;
    }
    return listed;
}

void cli_list_features(void)
{
    for (int i = 0; i < TOPK_NUMBER_COUNT; i++) {
        printf("%-13s %s\n", topk_number_name((enum topk_number)i),
               topk_number_about((enum topk_number)i));
    }
    for (int i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        const enum topk_category category = (enum topk_category)i;
        printf("%-13s %s\n ", topk_category_name(category), topk_category_about(category));
        for (unsigned word = 0; topk_category_word(category, word) != NULL; word++) {
            if (!is_listed(category, word)) {
                printf(" %s", topk_category_word(category, word));
            }
        }
        putchar('\n');
    }
}

/* ---- causes ---------------------------------------------------------------------------------- */

void cli_list_causes(void)
{
    for (int i = TOPK_READING_NONE + 1; i < TOPK_READING_COUNT; i++) {
        const struct topk_reading_row *row = topk_reading_row((enum topk_reading)i);
        printf("%-22s %s\n", row->word, row->sentence);
    }
}
