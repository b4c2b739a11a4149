/* Makes dictionaries from the tables that the readers use. */
#include "words.h"

#include <stdio.h>
#include <string.h>

#include "case/case.h"
#include "generate/decode.h"
#include "reference/element.h"
#include "reference/probe.h"
#include "reference/result.h"

/* Adds the field names as cases print them: the text up to each '=' of some cases, and the text
 * between numbers. */
static void field_words(void (*word)(const char *word))
{
    static char text[TOPK_CASE_TEXT];
    static char seen[4096];
    size_t used = 0;
    for (uint64_t i = 0; i < 256; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, 1, i);
        if (!topk_case_decode_choices(&choice, &tc)) {
            return;
        }
        topk_case_print(&tc, text, sizeof text);
        topk_case_clear(&tc);
        for (char *start = text, *equals; (equals = strchr(start, '=')) != NULL;) {
            while (strchr(start, ' ') != NULL && strchr(start, ' ') < equals) {
                start = strchr(start, ' ') + 1;
            }
            char field[64];
            snprintf(field, sizeof field, " %.*s", (int)(equals + 1 - start), start);
            if (strstr(seen, field) == NULL && used + strlen(field) < sizeof seen) {
                used += (size_t)snprintf(seen + used, sizeof seen - used, "%s", field);
                word(field);
            }
            start = equals + 1;
        }
    }
}

void fuzz_case_words(void (*word)(const char *word))
{
    static const char *const numbers[] = {"4294967295", "4294967296", "18446744073709551615",
                                          "none",       "hex:",       "inc",
                                          "dec",        "top_k ",     "top_k1 ",
                                          " then ",     "out:1"};
    char text[64];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        word(numbers[i]);
    }
    field_words(word);
    for (int i = 0; i < TOPK_TYPE_COUNT; i++) {
        topk_type_print(topk_types[i], text);
        word(text);
    }
#define PADDING(name, text, about) word(text);
    TOPK_PADDING_LIST(PADDING)
#undef PADDING
    for (int i = 0; i < TOPK_CHECK_COUNT; i++) {
        word(topk_check_row((enum topk_check)i)->word);
    }
    for (size_t i = 0; i < topk_recipe_count; i++) {
        const struct topk_recipe *recipe = &topk_recipes[i];
        int used = snprintf(text, sizeof text, "%s.%u", recipe->name, (unsigned)recipe->version);
        for (uint32_t p = 0; p < recipe->parameters && used > 0; p++) {
            used += snprintf(text + used, sizeof text - (size_t)used, ":1");
        }
        word(text);
    }
}

void fuzz_result_words(void (*word)(const char *word))
{
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        word(topk_verdict_word((enum topk_verdict)i));
    }
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        word(topk_clause_id((enum topk_clause)i));
    }
    for (int i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        word(topk_mismatch_row((enum topk_mismatch)i)->word);
    }
    for (int i = TOPK_READING_NONE + 1; i < TOPK_READING_COUNT; i++) {
        word(topk_reading_row((enum topk_reading)i)->word);
    }
    for (int i = 0; i < TOPK_PROBE_VERDICT_COUNT; i++) {
        word(topk_probe_verdict_word((enum topk_probe_verdict)i));
    }
    for (int i = 0; i < TOPK_ROLE_COUNT; i++) {
        word(topk_role_name((enum topk_role)i));
    }
}
