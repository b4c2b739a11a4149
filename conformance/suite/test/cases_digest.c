/* Prints digests of the cases on this system: of the texts that the generator draws, and of the
 * data of each recipe. Programs from several compilers must print the same (portable_test.sh,
 * scripts/emulated). Numbers are hashed as little-endian bytes. Links only the tables of cases, no
 * library and no POSIX. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/build.h"
#include "generate/generate.h"

static char text[TOPK_CASE_TEXT];

/* FNV-1a */
static uint64_t add(uint64_t digest, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

#define START UINT64_C(0xcbf29ce484222325)

static int print_generated(uint32_t cases)
{
    uint64_t texts = START;
    uint64_t data = START;
    for (uint32_t i = 0; i < cases; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, 7, i);
        if (!topk_generate(&choice, &topk_limits_usual, &tc)) {
            return 1;
        }
        size_t length = topk_case_print(&tc, text, sizeof text);
        texts = add(texts, text, length + 1);
        struct topk_validity validity;
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        uint64_t bytes = topk_tensor_least_bytes(&tc.op.tensors[TOPK_INPUT]);
        if (topk_clause_set_empty(&validity.broken) && bytes < 65536) {
            unsigned char *tensor = calloc(bytes, 1);
            if (tensor == NULL || !topk_case_fill(&tc, tensor)) {
                return 1;
            }
            topk_elements_turn(tensor, topk_type_bytes(tc.op.tensors[TOPK_INPUT].type), bytes);
            data = add(data, tensor, bytes);
            free(tensor);
        }
        topk_case_clear(&tc);
    }
    printf("generated %" PRIu32 " texts %016" PRIx64 " data %016" PRIx64 "\n", cases, texts, data);
    return 0;
}

static void print_recipe(const struct topk_recipe *recipe)
{
    static uint64_t bits[1000];
    uint64_t digest = START;
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t s = 0; s < 4; s++) {
            const uint64_t parameters[TOPK_RECIPE_PARAMETERS] = {s, 5 + s};
            struct topk_row row = {.type = topk_types[t],
                                   .length = 1000,
                                   .k = 100,
                                   .increasing = s % 2 != 0,
                                   .sequence = s,
                                   .parameters = parameters,
                                   .bits = bits};
            topk_recipe_fill(recipe, &row);
            topk_elements_turn(bits, sizeof bits[0], sizeof bits);
            digest = add(digest, bits, sizeof bits);
        }
    }
    printf("%s.%" PRIu32 " %016" PRIx64 "\n", recipe->name, recipe->version, digest);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < topk_recipe_count; i++) {
        print_recipe(&topk_recipes[i]);
    }
    return print_generated(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000);
}
