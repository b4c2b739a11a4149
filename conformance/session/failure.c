/* Prints one result for a reader.
 *
 *   FAIL ties.boundary (S09 EXAMPLE)
 *     top_k1 fl=5.0 in=f32[1,1,1,4] ...
 *     S09: Of equal values across the K boundary those with the lowest indices are selected
 *       index[0,0,0,1]: index 3 is selected, the lower index 1 of equal value is not
 *     sequence 0, outputs 0 to 1 of 2:
 *       position  expected      index  actual        index
 *              0  3 (40400000)      0  3 (40400000)      0
 *              1  1 (3f800000)      1  1 (3f800000)      3  <--
 *     topk-cts replay --backend cpu 'ties.boundary:top_k1 ...'
 */
#define _POSIX_C_SOURCE 200809L
#include "failure.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_lookup.h"
#include "log/log.h"
#include "reference/element.h"
#include "suite/suite.h"
#include "summary/summary.h"

/* tensors with more elements are not made again to show the expected outputs */
#define ELEMENTS_MAX ((uint64_t)1 << 26)
/* characters of a case that are shown; its replay command has all */
#define CASE_SHOWN 200
/* stack frames of a crash that are shown; the log has more */
#define FRAMES_SHOWN 6u
/* the longest argument of a command that Linux accepts, with some margin */
#define ARGUMENT_MAX 120000u

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

#define VALUE_TEXT (TOPK_ELEMENT_TEXT + TOPK_TEXT_BITS + 4)

struct row {
    uint64_t expected_index;
    uint64_t actual_index;
    char expected[VALUE_TEXT];
    char actual[VALUE_TEXT];
    bool differs;
};

static const char *colour(const struct topk_failure_style *style, const char *code)
{
    return style->colour ? code : "";
}

static void print_header(FILE *out, const struct topk_failure_style *style, const char *id,
                         size_t name_length, const struct topk_result *result)
{
    const char *code = topk_verdict_failure(result->verdict)         ? RED
                       : result->verdict == TOPK_VERDICT_UNSUPPORTED ? YELLOW
                                                                     : GREEN;
    fputs(colour(style, code), out);
    for (const char *word = topk_verdict_word(result->verdict); *word != 0; word++) {
        fputc(toupper((unsigned char)*word), out);
    }
    fprintf(out, "%s %s%.*s%s", colour(style, PLAIN), colour(style, BOLD),
            name_length > 0 ? (int)name_length : 4, name_length > 0 ? id : "case",
            colour(style, PLAIN));
    enum topk_clause clause = result->clause;
    if (clause < TOPK_CLAUSE_COUNT) {
        const bool declared =
            topk_contract_promise(&style->contract, clause, NULL) != TOPK_PROMISE_DOCUMENTED;
        fprintf(out, " (%s %s)", topk_clause_id(clause),
                declared ? "DECLARED" : topk_grade_name(topk_clause_row(clause)->grade));
    }
}

static void print_some(FILE *out, const char *text, size_t length)
{
    if (length > CASE_SHOWN) {
        fprintf(out, "%.*s... (%zu characters)", CASE_SHOWN, text, length);
    } else {
        fwrite(text, 1, length, out);
    }
}

static void print_text(FILE *out, const char *text)
{
    print_some(out, text, strlen(text));
}

/* each call of a sequence on a line of its own */
static void print_calls(FILE *out, const char *text)
{
    static const char between[] = " then ";
    const char *end;
    for (; (end = strstr(text, between)) != NULL; text = end + strlen(between)) {
        fputs("\n  ", out);
        print_some(out, text, (size_t)(end - text));
        fputs(" then", out);
    }
    fputs("\n  ", out);
    print_text(out, text);
    fputc('\n', out);
}

static void print_observations(FILE *out, const struct topk_failure_style *style,
                               uint32_t observations)
{
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if ((observations >> i & 1) != 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            bool another = style->software_device && row->of == TOPK_OBSERVATION_OF_DEVICE;
            fprintf(out, " [%s %s%s]", topk_clause_id(row->clause), row->word,
                    another ? ", of the software device" : "");
        }
    }
}

static void print_finding(FILE *out, const struct topk_finding *finding, uint32_t type,
                          uint32_t index_type)
{
    char place[TOPK_FINDING_TEXT];
    char sentence[TOPK_FINDING_TEXT];
    topk_finding_place(finding, place, sizeof place);
    topk_finding_sentence(finding, type, index_type, sentence, sizeof sentence);
    fprintf(out, "    %s: %s", place, sentence);
    if (finding->count > 1) {
        fprintf(out, " (the first of %" PRIu64 " places)", finding->count);
    }
    fputc('\n', out);
}

static void print_crash(FILE *out, const struct topk_crash *crash)
{
    char text[TOPK_CRASH_TEXT];
    if (crash->signal[0] == 0) {
        return;
    }
    topk_crash_signal_print(crash, text);
    fprintf(out, "  %s%s\n", text, crash->frame_count > 0 ? ", the innermost call first:" : "");
    for (uint32_t i = 0; i < crash->frame_count && i < FRAMES_SHOWN; i++) {
        topk_crash_frame_print(&crash->frames[i], text);
        fprintf(out, "    %s\n", text);
    }
}

static void print_clause(FILE *out, const struct topk_failure_style *style, enum topk_clause clause)
{
    char text[TOPK_CONTRACT_SENTENCE];
    topk_contract_sentence_print(&style->contract, clause, text);
    fprintf(out, "  %s%s\n", topk_clause_id(clause), text);
}

static void print_cause(FILE *out, const struct topk_failure_style *style,
                        const struct topk_result *result)
{
    if (result->reading != TOPK_READING_NONE) {
        unsigned causes = 0;
        for (topk_reading_set set = result->readings; set != 0; set &= set - 1) {
            causes++;
        }
        print_clause(out, style, result->clause);
        fputs("    ", out);
        if (result->guess) {
            fputs("possible cause", out);
        } else if (causes > 1) {
            fprintf(out, "%u causes explain every wrong output of this case, one of them", causes);
        } else {
            fputs("one cause explains every wrong output of this case", out);
        }
        fprintf(out, ": %s\n", topk_reading_row(result->reading)->sentence);
    }
}

static void print_findings(FILE *out, const struct topk_failure_style *style,
                           const struct topk_result *result, uint32_t type, uint32_t index_type)
{
    enum topk_clause last =
        result->reading == TOPK_READING_NONE ? TOPK_CLAUSE_NONE : result->clause;
    for (uint32_t i = 0; i < result->judgement.count; i++) {
        const struct topk_finding *finding = &result->judgement.findings[i];
        if (finding->clause != last) {
            last = finding->clause;
            print_clause(out, style, last);
        }
        if (finding->mismatch != TOPK_MISMATCH_DESCRIPTION) {
            print_finding(out, finding, type, index_type);
        }
    }
    if (result->judgement.count == 0 && result->clause < TOPK_CLAUSE_COUNT) {
        print_clause(out, style, result->clause);
    }
}

/* ---- expected against actual ----------------------------------------------------------------- */

static void fill_row(struct row *row, uint32_t type, const struct topk_expected *expected,
                     const struct topk_result *result, uint32_t i)
{
    char value[TOPK_ELEMENT_TEXT];
    char bits[TOPK_TEXT_BITS];
    topk_element_print(type, result->window_values[i], value);
    topk_text_bits(type, result->window_values[i], bits);
    snprintf(row->expected, VALUE_TEXT, "%s (%s)", expected->outputs[i].value,
             expected->outputs[i].bits);
    snprintf(row->actual, VALUE_TEXT, "%s (%s)", value, bits);
    row->expected_index = expected->outputs[i].index;
    row->actual_index = result->window_indices[i];
    row->differs =
        strcmp(bits, expected->outputs[i].bits) != 0 || row->expected_index != row->actual_index;
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void print_rows(FILE *out, const struct topk_failure_style *style, const struct row *rows,
                       uint32_t count, uint32_t from)
{
    char number[24];
    int expected = 8; /* as wide as its heading */
    int actual = 6;
    int index = 5;
    for (uint32_t i = 0; i < count; i++) {
        expected = wider(expected, rows[i].expected);
        actual = wider(actual, rows[i].actual);
        snprintf(number, sizeof number, "%" PRIu64, rows[i].expected_index);
        index = wider(index, number);
        snprintf(number, sizeof number, "%" PRIu64, rows[i].actual_index);
        index = wider(index, number);
    }
    fprintf(out, "    position  %-*s  %*s  %-*s  %*s\n", expected, "expected", index, "index",
            actual, "actual", index, "index");
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "    %8" PRIu32 "  %-*s  %*" PRIu64 "  %s%-*s  %*" PRIu64 "%s%s\n", from + i,
                expected, rows[i].expected, index, rows[i].expected_index,
                rows[i].differs ? colour(style, RED) : "", actual, rows[i].actual, index,
                rows[i].actual_index, rows[i].differs ? colour(style, PLAIN) : "",
                rows[i].differs ? "  <--" : "");
    }
}

static void print_table(FILE *out, const struct topk_failure_style *style,
                        const struct topk_case *tc, const struct topk_result *result)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_judgement *judgement = &result->judgement;
    uint32_t bytes = topk_type_bytes(input->type);
    if (!judgement->has_sequence || result->window_count == 0 ||
        !cli_expectable(tc, judgement->sequence, result->window_from)) {
        return;
    }
    uint32_t last = result->window_from + result->window_count - 1;
    fprintf(out, "  sequence %" PRIu64 ", outputs %" PRIu32 " to %" PRIu32 " of %" PRIu32,
            judgement->sequence, result->window_from, last < op->k ? last : op->k - 1, op->k);
    if (input->total_bytes / bytes > ELEMENTS_MAX || topk_tensor_elements(input) > ELEMENTS_MAX) {
        fputs(": the input is too large to compute the expected outputs here\n", out);
        return;
    }
    struct topk_expected expected;
    if (!cli_expect(tc, &style->contract, judgement->sequence, result->window_from,
                    result->window_count, &expected)) {
        fputs(": too little memory to compute the expected outputs\n", out);
        return;
    }
    struct row rows[TOPK_WINDOW];
    for (uint32_t i = 0; i < expected.count; i++) {
        fill_row(&rows[i], op->tensors[TOPK_VALUE].type, &expected, result, i);
    }
    fprintf(out, "%s:\n", expected.one_of ? " (expected: one allowed result)" : "");
    print_rows(out, style, rows, expected.count, result->window_from);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void print_replay(FILE *out, const struct topk_failure_style *style, const char *id)
{
    char *quoted = topk_text_shell(id);
    if (style->replay == NULL || quoted == NULL) {
        free(quoted);
        return;
    }
    if (strlen(id) > ARGUMENT_MAX) {
        /* too long for an argument; printf is a builtin of the shell */
        fprintf(out, "  printf '%%s\\n' %s | %s -\n", quoted, style->replay);
    } else {
        fprintf(out, "  %s %s\n", style->replay, quoted);
    }
    free(quoted);
}

void topk_failure_print(FILE *out, const struct topk_failure_style *style, const char *id,
                        const struct topk_result *result)
{
    size_t length = strlen(id);
    size_t name_length;
    const char *text;
    struct topk_case whole;
    struct topk_case tc;
    struct topk_case_error error;
    topk_case_id_split(id, length, &name_length, &text);
    print_header(out, style, id, name_length, result);
    if (!topk_verdict_failure(result->verdict)) {
        fputs(name_length > 0 ? ": " : " ", out);
        print_text(out, text);
        if (result->runs > 1) {
            fprintf(out, ": %" PRIu32 " times", result->runs);
        }
        if (result->reason[0] != 0) {
            fputs(": ", out);
            topk_text_print(out, result->reason);
        }
        print_observations(out, style, result->judgement.observations);
        fputc('\n', out);
        return;
    }
    print_calls(out, text);
    if (result->runs > 1) {
        fprintf(out, "  failed %" PRIu32 " of %" PRIu32 " times%s\n", result->failed, result->runs,
                result->failed < result->runs ? ", the first time so:" : "");
    }
    if (result->reason[0] != 0) {
        fputs("  ", out);
        topk_text_print(out, result->reason);
        fputc('\n', out);
    }
    print_crash(out, &result->crash);
    if (topk_case_parse(text, length - (size_t)(text - id), &whole, &error)) {
        if (!topk_case_alone(&tc, &whole, result->call)) {
            topk_memory_fail();
        }
        print_cause(out, style, result);
        print_findings(out, style, result, tc.op.tensors[TOPK_VALUE].type,
                       tc.op.tensors[TOPK_INDEX].type);
        print_table(out, style, &tc, result);
        topk_case_clear(&tc);
        topk_case_clear(&whole);
    }
    print_replay(out, style, id);
}
