/* The verdict on a sentence of the documents, by the verdicts on its clauses, with and without a
 * declared contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "reference/sentence.h"
#include "summary/summary.h"

/* A run: every case of every clause passed, but for those of one. */
struct run {
    const char *contract; /* its rules, "" for none */
    enum topk_clause clause;
    uint64_t cases, passing, failing, waived;
};

static size_t sentence_of(const char *id)
{
    size_t i = 0;
    while (i < topk_sentence_count && strcmp(topk_sentence_row(i)->id, id) != 0) {
        i++;
    }
    assert_true(i < topk_sentence_count);
    return i;
}

static void assert_verdict(const struct run *run, const char *sentence, const char *verdict)
{
    static struct topk_summary summary;
    char error[300] = "";
    memset(&summary, 0, sizeof summary);
    assert_true(topk_contract_parse(run->contract, strlen(run->contract), false, &summary.contract,
                                    error, sizeof error));
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        summary.clauses[i] = (struct topk_clause_count){.cases = 2, .passing = 2};
    }
    if (run->clause != TOPK_CLAUSE_NONE) {
        summary.clauses[run->clause] = (struct topk_clause_count){.cases = run->cases,
                                                                  .passing = run->passing,
                                                                  .failing = run->failing,
                                                                  .waived = run->waived};
    }
    assert_string_equal(topk_summary_sentence_claim(&summary, sentence_of(sentence)), verdict);
}

/* K1.19 leads to S07 and S08, K1.20 to S08, K1.27 to V12 (PRACTICE), K1.29 to it and S03, S04 */
static void verdicts(void **state)
{
    (void)state;
    const struct run passed = {"", TOPK_CLAUSE_NONE, 0, 0, 0, 0};
    const struct run broken = {"", TOPK_CLAUSE_S08, 2, 1, 1, 0};
    const struct run waived = {"", TOPK_CLAUSE_S08, 2, 1, 0, 1};
    const struct run partly = {"", TOPK_CLAUSE_S08, 2, 1, 0, 0};
    const struct run unshown = {"", TOPK_CLAUSE_S08, 2, 0, 0, 0};
    const struct run untested = {"", TOPK_CLAUSE_S08, 0, 0, 0, 0};
    assert_verdict(&passed, "K1.19", "held");
    assert_verdict(&passed, "K1.27", "open");
    assert_verdict(&passed, "K1.25", "held in part"); /* V03 is open */
    assert_verdict(&passed, "K1.29", "held in part");
    assert_verdict(&passed, "K1.4", "");
    assert_verdict(&broken, "K1.19", "broken");
    assert_verdict(&broken, "K1.17", "held");
    assert_verdict(&waived, "K1.19", "broken, waived");
    assert_verdict(&partly, "K1.19", "held in what passed");
    assert_verdict(&unshown, "K1.19", "held in part");
    assert_verdict(&unshown, "K1.20", "not shown");
    assert_verdict(&untested, "K1.19", "held in part");
    assert_verdict(&untested, "K1.20", "not shown");
}

/* what a run shows of a clause */
static void claims(void **state)
{
    static const struct {
        struct topk_clause_count count;
        enum topk_claim claim;
    } rows[] = {
        {{.cases = 0}, TOPK_CLAIM_UNTESTED},
        {{.cases = 2}, TOPK_CLAIM_UNSHOWN},
        {{.cases = 2, .passing = 1}, TOPK_CLAIM_PARTLY},
        {{.cases = 2, .passing = 2}, TOPK_CLAIM_HELD},
        {{.cases = 2, .passing = 1, .waived = 1}, TOPK_CLAIM_WAIVED},
        {{.cases = 3, .passing = 1, .waived = 1, .failing = 1}, TOPK_CLAIM_BROKEN},
    };
    static struct topk_summary summary;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&summary, 0, sizeof summary);
        summary.clauses[TOPK_CLAUSE_S08] = rows[i].count;
        assert_int_equal(topk_summary_claim(&summary, TOPK_CLAUSE_S08), rows[i].claim);
    }
}

static void verdicts_by_a_contract(void **state)
{
    (void)state;
    const struct run free_ties = {"ties=any", TOPK_CLAUSE_NONE, 0, 0, 0, 0};
    const struct run other_ties = {"ties=highest", TOPK_CLAUSE_NONE, 0, 0, 0, 0};
    const struct run gathered = {"memory=gathered", TOPK_CLAUSE_NONE, 0, 0, 0, 0};
    assert_verdict(&free_ties, "K1.20", "not promised");
    assert_verdict(&free_ties, "K1.19", "held in part");
    assert_verdict(&other_ties, "K1.20", "held as declared");
    assert_verdict(&other_ties, "K1.19", "held as declared");
    assert_verdict(&gathered, "BAR.2", "not observed");
    assert_verdict(&gathered, "K1.19", "held");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(claims),
        cmocka_unit_test(verdicts_by_a_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
