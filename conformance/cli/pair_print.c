/* Prints a disagreement: what is wrong, what each implementation returned, and whose outputs the
 * documents support. */
#include "pair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reference/outputs.h"

/* a value and its bits */
#define VALUE_TEXT ((size_t)2 * TOPK_ELEMENT_TEXT)

static const char *const names[2] = {"A", "B"};

/* ---- what each returned ---------------------------------------------------------------------- */

/* "0.1 (3dcccccd)" */
static void print_value(char text[VALUE_TEXT], uint32_t type, uint64_t bits)
{
    char value[TOPK_ELEMENT_TEXT];
    char hex[TOPK_TEXT_BITS];
    topk_element_print(type, bits, value);
    topk_text_bits(type, bits, hex);
    snprintf(text, VALUE_TEXT, "%s (%s)", value, hex);
}

static int width_of(const struct topk_outputs *outputs, uint32_t type)
{
    char text[VALUE_TEXT];
    int width = 1;
    for (uint32_t i = 0; i < outputs->count; i++) {
        print_value(text, type, outputs->value[i]);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return width;
}

static void print_outputs(FILE *out, const struct topk_operator *op,
                          const struct topk_outputs *const outputs[2])
{
    const uint32_t type = op->tensors[TOPK_VALUE].type;
    const int widths[2] = {width_of(outputs[0], type), width_of(outputs[1], type)};
    fprintf(out, "    sequence  position  %-*s  %10s  %-*s  %10s\n", widths[0], names[0], "index",
            widths[1], names[1], "index");
    for (uint32_t i = 0; i < outputs[0]->count && i < outputs[1]->count; i++) {
        char values[2][VALUE_TEXT];
        print_value(values[0], type, outputs[0]->value[i]);
        print_value(values[1], type, outputs[1]->value[i]);
        const bool differs =
            strcmp(values[0], values[1]) != 0 || outputs[0]->index[i] != outputs[1]->index[i];
        fprintf(out, "    %8" PRIu32 "  %8" PRIu32 "  %-*s  %10" PRIu64 "  %-*s  %10" PRIu64 "%s\n",
                i / op->k, i % op->k, widths[0], values[0], outputs[0]->index[i], widths[1],
                values[1], outputs[1]->index[i], differs ? "  <--" : "");
    }
    if (topk_operator_sequences(op) > outputs[0]->count / op->k) {
        fputs("    these are the first outputs\n", out);
    }
}

/* ---- whose outputs the documents support ----------------------------------------------------- */

/* prints "B breaks S08" for outputs that were judged */
static void print_judged(FILE *out, const char *name, const struct topk_judgement *judgement)
{
    if (judgement->count == 0) {
        fprintf(out, "%s holds", name);
    } else {
        fprintf(out, "%s breaks %s", name, topk_clause_id(judgement->findings[0].clause));
    }
}

static void print_support(FILE *out, const char *whose, const struct topk_contract *contract,
                          const struct topk_operator *op, unsigned char *input,
                          const struct topk_outputs *const outputs[2])
{
    char text[TOPK_CONTRACT_RULES];
    char reason[TOPK_REASON] = "";
    topk_contract_rules_print(contract, text);
    fprintf(out, "  by %s%s%s", whose, text[0] == 0 ? "" : ", ", text);
    if (contract->source[0] != 0) {
        fputs(", ", out);
        topk_text_print(out, contract->source);
    }
    fputs(": ", out);
    if (!topk_contract_serves(contract, op, reason, sizeof reason)) {
        fputs("it is left open: ", out);
        topk_text_print(out, reason);
        fputc('\n', out);
        return;
    }
    const char *between = "";
    for (int i = 0; i < 2; i++) {
        struct topk_judgement judgement;
        if (outputs[i]->known && topk_outputs_judge(op, contract, input, outputs[i], &judgement)) {
            fputs(between, out);
            print_judged(out, names[i], &judgement);
            between = ", ";
        }
    }
    fputc('\n', out);
}

/* Judges outputs that are small enough again by each of the contracts, which may differ. */
static void print_documents(FILE *out, const struct pair *pair, const struct topk_case *tc,
                            const struct topk_outputs *const outputs[2])
{
    const struct topk_operator *op = &tc->op;
    const struct topk_contract directml = {0};
    const struct topk_contract *const contracts[] = {&pair->sides[0].workers.greeting.contract,
                                                     &pair->sides[1].workers.greeting.contract,
                                                     &directml};
    static const char *const whose[] = {"the contract of A", "the contract of B",
                                        "DirectML's specification"};
    const int known = outputs[0]->known ? 0 : 1;
    const bool all_shown =
        outputs[known]->known && topk_operator_sequences(op) <= outputs[known]->count / op->k;
    unsigned char *input = all_shown && op->direction <= TOPK_DECREASING
                               ? malloc((size_t)op->tensors[TOPK_INPUT].total_bytes)
                               : NULL;
    if (input != NULL && topk_case_fill(tc, input)) {
        const bool a = !topk_contract_plain(contracts[0]);
        const bool b = !topk_contract_plain(contracts[1]);
        const bool same =
            topk_contract_differs(contracts[0], contracts[1]) == TOPK_CONTRACT_RULE_COUNT;
        /* if both have DirectML's rules, the verdicts already say it */
        const bool printed[] = {a, b && !same, a != b};
        for (int i = 0; i < 3; i++) {
            if (printed[i]) {
                print_support(out, whose[i], contracts[i], op, input, outputs);
            }
        }
    }
    free(input);
}

/* prints how a right result decided what the clauses leave open */
static void print_right(FILE *out, const struct topk_result *result)
{
    fputs(result->outputs.known ? "right" : "right, without outputs that are judged", out);
    if (result->reason[0] != 0) {
        fputs(": ", out);
        topk_text_print(out, result->reason);
    }
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if ((result->judgement.observations >> i & 1) != 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            fprintf(out, " [%s %s]", topk_clause_id(row->clause), row->word);
        }
    }
    fputc('\n', out);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* prints the command that runs the case on both: "topk-cts explore --backend cpu --against
 * ./mine.so 'CASE'" */
static void print_again(FILE *out, const struct pair *pair, const char *text)
{
    char *quoted = topk_text_shell(text);
    if (quoted != NULL) {
        fprintf(out, "  %s %s\n", pair->again, quoted);
    }
    free(quoted);
}

void pair_print(FILE *out, const struct pair *pair, bool colour, const char *id,
                const struct topk_result results[2])
{
    const struct topk_outputs *const outputs[2] = {&results[0].outputs, &results[1].outputs};
    size_t name_length;
    const char *text;
    struct topk_case tc;
    topk_case_id_split(id, strlen(id), &name_length, &text);
    fprintf(out, "  %s\n", text);
    for (int i = 0; i < 2; i++) {
        const struct cli_workers *workers = &pair->sides[i].workers;
        const struct topk_failure_style mine = {
            .colour = colour,
            .replay = pair->sides[i].replay,
            .software_device = cli_software_device(&workers->greeting),
            .contract = workers->greeting.contract,
        };
        fprintf(out, "%s: ", names[i]);
        if (topk_verdict_failure(results[i].verdict)) {
            topk_failure_print(out, &mine, id, &results[i]);
        } else {
            print_right(out, &results[i]);
        }
    }
    if (cli_case_parse(id, strlen(id), &tc)) {
        if (outputs[0]->known && outputs[1]->known) {
            print_outputs(out, &tc.op, outputs);
        }
        print_documents(out, pair, &tc, outputs);
        topk_case_clear(&tc);
    }
    print_again(out, pair, text);
}
