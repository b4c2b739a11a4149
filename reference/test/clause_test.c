/* The clause table, and sets of clauses. */
#include "support.h"

#include "reference/result.h"

static bool printable(const char *text)
{
    for (const char *c = text; *c != 0; c++) {
        if (*c < ' ' || *c > '~') {
            return false;
        }
    }
    return text[0] != 0;
}

static void ids(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const char *id = topk_clause_id((enum topk_clause)i);
        size_t length = strlen(id);
        assert_ptr_equal(id, topk_clause_row((enum topk_clause)i)->id);
        assert_in_range(length, 3, 4);
        assert_non_null(strchr("SVTMF", id[0]));
        assert_int_equal(topk_clause_parse(id, length), i);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(id, topk_clause_id((enum topk_clause)j));
        }
        /* a longer or shorter text is no id */
        char longer[8];
        snprintf(longer, sizeof longer, "%sx", id);
        assert_int_equal(topk_clause_parse(longer, length), i);
        assert_int_equal(topk_clause_parse(longer, length + 1), TOPK_CLAUSE_NONE);
        assert_int_equal(topk_clause_parse(id, 2), TOPK_CLAUSE_NONE);
    }
    assert_int_equal(topk_clause_parse("V03", 3), TOPK_CLAUSE_V03);
    assert_int_equal(topk_clause_parse("V03b", 4), TOPK_CLAUSE_V03b);
    assert_int_equal(topk_clause_parse("s01", 3), TOPK_CLAUSE_NONE);
    assert_int_equal(topk_clause_parse("-", 1), TOPK_CLAUSE_NONE);
    assert_int_equal(topk_clause_parse("", 0), TOPK_CLAUSE_NONE);
    assert_string_equal(topk_clause_id(TOPK_CLAUSE_NONE), "-");
}

static void texts(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        assert_true(printable(row->id));
        assert_true(printable(row->sentence));
        assert_true(row->sentence[strlen(row->sentence) - 1] != '.');
        assert_in_range(row->grade, TOPK_GRADE_MUST, TOPK_GRADE_OBSERVE);
        assert_true(printable(topk_grade_name(row->grade)));
    }
    assert_string_equal(topk_grade_name(TOPK_GRADE_MUST), "MUST");
    assert_string_equal(topk_grade_name(TOPK_GRADE_EXAMPLE), "EXAMPLE");
    assert_string_equal(topk_grade_name(TOPK_GRADE_PRACTICE), "PRACTICE");
    assert_string_equal(topk_grade_name(TOPK_GRADE_OBSERVE), "OBSERVE");
}

/* the grades other than MUST, according to the specification */
static void grades(void **state)
{
    (void)state;
    static const struct {
        enum topk_clause clause;
        enum topk_grade grade;
    } others[] = {{TOPK_CLAUSE_S09, TOPK_GRADE_EXAMPLE},  {TOPK_CLAUSE_V03, TOPK_GRADE_PRACTICE},
                  {TOPK_CLAUSE_V12, TOPK_GRADE_PRACTICE}, {TOPK_CLAUSE_T10b, TOPK_GRADE_PRACTICE},
                  {TOPK_CLAUSE_T13, TOPK_GRADE_PRACTICE}, {TOPK_CLAUSE_T14, TOPK_GRADE_OBSERVE},
                  {TOPK_CLAUSE_M03, TOPK_GRADE_OBSERVE},  {TOPK_CLAUSE_M08, TOPK_GRADE_OBSERVE},
                  {TOPK_CLAUSE_F02, TOPK_GRADE_OBSERVE},  {TOPK_CLAUSE_F04, TOPK_GRADE_PRACTICE},
                  {TOPK_CLAUSE_F06, TOPK_GRADE_PRACTICE}};
    size_t seen = 0;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        enum topk_grade expected = TOPK_GRADE_MUST;
        for (size_t j = 0; j < COUNT(others); j++) {
            if ((int)others[j].clause == i) {
                expected = others[j].grade;
                seen++;
            }
        }
        assert_int_equal(topk_clause_row((enum topk_clause)i)->grade, expected);
    }
    assert_int_equal(seen, COUNT(others));
}

static void sets(void **state)
{
    (void)state;
    struct topk_clause_set all = {{0}};
    assert_true(topk_clause_set_empty(&all));
    assert_int_equal(topk_clause_set_first(&all), TOPK_CLAUSE_NONE);
    for (int i = TOPK_CLAUSE_COUNT; i-- > 0;) {
        enum topk_clause clause = (enum topk_clause)i;
        struct topk_clause_set one = {{0}};
        topk_clause_set_add(&one, clause);
        topk_clause_set_add(&one, clause);
        for (int j = 0; j < TOPK_CLAUSE_COUNT; j++) {
            assert_int_equal(topk_clause_set_has(&one, (enum topk_clause)j), i == j);
        }
        assert_false(topk_clause_set_empty(&one));
        assert_int_equal(topk_clause_set_first(&one), clause);
        topk_clause_set_merge(&all, &one);
        assert_int_equal(topk_clause_set_first(&all), clause);
        topk_clause_set_remove(&one, clause);
        assert_true(topk_clause_set_empty(&one));
        topk_clause_set_remove(&one, clause);
        assert_true(topk_clause_set_empty(&one));
    }
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        assert_true(topk_clause_set_has(&all, (enum topk_clause)i));
        topk_clause_set_remove(&all, (enum topk_clause)i);
        assert_int_equal(topk_clause_set_first(&all),
                         i + 1 < TOPK_CLAUSE_COUNT ? i + 1 : TOPK_CLAUSE_NONE);
    }
}

/* the related tables: mismatches, observations, verdicts */
static void neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        const struct topk_mismatch_row *row = topk_mismatch_row((enum topk_mismatch)i);
        assert_true(printable(row->word) && printable(row->sentence));
        /* separators between words in the line of a result */
        assert_null(strpbrk(row->word, " ,=%"));
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(row->word, topk_mismatch_row((enum topk_mismatch)j)->word);
        }
    }
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        assert_true(printable(row->word));
        for (int j = 0; j < i; j++) {
            const struct topk_observation_row *other =
                topk_observation_row((enum topk_observation)j);
            assert_true(row->clause != other->clause || strcmp(row->word, other->word) != 0);
        }
        /* V13 is a MUST, but half of it is left open */
        assert_true(row->clause == TOPK_CLAUSE_V13 ||
                    topk_clause_row(row->clause)->grade >= TOPK_GRADE_PRACTICE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ids), cmocka_unit_test(texts),
                                       cmocka_unit_test(grades), cmocka_unit_test(sets),
                                       cmocka_unit_test(neighbours)};
    return cmocka_run_group_tests_name("clause", tests, NULL, NULL);
}
