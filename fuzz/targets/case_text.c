/* Checks the case reader. Text that is accepted must be printed back unchanged. Any other text must
 * be refused with a position and a message. Everything that can be asked of a case (its clauses,
 * aspects, copy and calls) must work on any case, and answers given without looking at the data, or
 * from the text alone, must agree with those from the data. */
#include <string.h>

#include "case/check.h"
#include "coverage/aspect.h"
#include "fuzz.h"
#include "suite/group.h"
#include "words.h"

/* Limits for a case whose data is looked at; a larger case is not run. */
#define ELEMENTS_MAX 4096u
#define BYTES_MAX    ((uint64_t)1 << 20)
/* Cases with more elements than this are also asked without looking at the data. */
#define UNSEEN 8u

static bool small(const struct topk_case *tc)
{
    bool small = true;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        small = small && topk_tensor_elements(tensor) <= ELEMENTS_MAX &&
                topk_tensor_least_bytes(tensor) <= BYTES_MAX && tensor->total_bytes <= BYTES_MAX &&
                tc->offset[role] <= BYTES_MAX;
    }
    return small;
}

static void ask_clauses(const struct topk_case *tc)
{
    struct topk_clause_set clauses = {{0}};
    struct topk_clause_set sure = {{0}};
    struct topk_clause_set maybe = {{0}};
    FUZZ_REQUIRE(topk_case_clauses(tc, &clauses), "case clauses", "out of memory");
    FUZZ_REQUIRE(!topk_clause_set_empty(&clauses), "case no-clause", "a case asks nothing");
    FUZZ_REQUIRE(!topk_aspects_ask(tc) || topk_clause_set_has(&clauses, TOPK_CLAUSE_S12),
                 "case asked", "of what has no result");
    FUZZ_REQUIRE(topk_case_clauses_within(tc, UNSEEN, &sure, &maybe), "case clauses",
                 "out of memory");
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const enum topk_clause clause = (enum topk_clause)i;
        const bool has = topk_clause_set_has(&clauses, clause);
        const bool must = topk_clause_set_has(&sure, clause);
        const bool may = must || topk_clause_set_has(&maybe, clause);
        FUZZ_REQUIRE(must ? has : !has || may, "case clauses-unseen", topk_clause_id(clause));
    }
}

static void ask_aspects(const struct topk_case *tc)
{
    unsigned char classes[TOPK_ASPECT_COUNT];
    unsigned char described[TOPK_ASPECT_COUNT];
    const bool valid = topk_aspects_described(tc, described);
    FUZZ_REQUIRE(valid || !topk_aspects_count(tc), "case aspects", "of an invalid case");
    if (!topk_aspects_of(tc, classes)) {
        return;
    }
    for (int i = 0; i < TOPK_ASPECT_COUNT; i++) {
        const bool seen = i == TOPK_ASPECT_TIES || i == TOPK_ASPECT_SPECIALS;
        FUZZ_REQUIRE(seen || classes[i] == described[i], "case aspects",
                     topk_aspect_name((enum topk_aspect)i));
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    static char printed[TOPK_CASE_TEXT];
    struct topk_case tc;
    struct topk_case copy;
    struct topk_case_error error = {.column = 0};
    const char *text = (const char *)bytes;
    size_t name;
    const char *rest;
    topk_case_id_split(text, length, &name, &rest);
    FUZZ_REQUIRE(rest >= text && rest <= text + length && name <= length, "id split", "outside");
    const uint32_t calls = topk_check_text_calls(text, length);
    FUZZ_REQUIRE(calls >= 1, "case calls", "none");
    if (!topk_case_parse(text, length, &tc, &error)) {
        FUZZ_REQUIRE(error.column >= 1 && error.column <= length + 1, "case column", error.message);
        FUZZ_REQUIRE(error.message[0] != 0, "case message", "no reason");
        FUZZ_REQUIRE(tc.literal == NULL && tc.before == NULL, "case cleared",
                     "what failed owns something");
        return;
    }
    size_t count = topk_case_print(&tc, printed, sizeof printed);
    FUZZ_REQUIRE(count == length && memcmp(printed, text, length) == 0, "case text", printed);
    uint32_t expected = 0;
    for (uint32_t i = 1; i <= tc.before_count + 1; i++) {
        expected += 1 + topk_check_row(topk_case_call(&tc, i)->check)->calls;
    }
    FUZZ_REQUIRE(calls == expected, "case calls", printed);
    FUZZ_REQUIRE(topk_case_connected(&tc), "case connected", printed);
    if (topk_case_copy(&copy, &tc)) {
        count = topk_case_print(&copy, printed, sizeof printed);
        FUZZ_REQUIRE(count == length && memcmp(printed, text, length) == 0, "case copy", printed);
        topk_case_clear(&copy);
    }
    if (small(&tc) || topk_case_too_large(&tc)) {
        ask_clauses(&tc);
        ask_aspects(&tc);
    }
    topk_case_clear(&tc);
}

const struct fuzz_target fuzz_target = {
    .name = "case_text",
    .about = "a text that is read as a case is the one form of that case",
    .max_bytes = 2048,
    .run = run,
    .more_words = fuzz_case_words,
};
