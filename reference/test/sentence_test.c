/* The tables of documents, sentences and traces agree with each other and with the clauses; and the
 * comparison with documents finds what is missing. The documents themselves are compared by
 * scripts/check-documents. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "support.h"

#include "documents.h"

#include <stdio.h>

/* ---- the tables ------------------------------------------------------------------------------ */

static void each_sentence_leads_somewhere_or_says_why_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < topk_sentence_count; i++) {
        const struct topk_sentence_row *row = topk_sentence_row(i);
        const struct topk_clause_set set = topk_sentence_clauses(i);
        size_t names = row->clauses[0] != 0;
        size_t known = 0;
        for (const char *at = row->clauses; *at != 0; at++) {
            names += *at == ' ';
        }
        for (int j = 0; j < TOPK_CLAUSE_COUNT; j++) {
            known += topk_clause_set_has(&set, (enum topk_clause)j);
        }
        if (names != known || (names == 0) == (row->reason[0] == 0)) {
            fail_msg("%s leads to '%s', for the reason '%s'", row->id, row->clauses, row->reason);
        }
    }
}

static void ids_are_known_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < topk_sentence_count; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(topk_sentence_row(i)->id, topk_sentence_row(j)->id);
        }
        bool page = false;
        bool worded = false;
        for (int j = 0; j < TOPK_DOCUMENT_COUNT; j++) {
            const struct topk_document_row *document = topk_document_row((enum topk_document)j);
            const bool same = strcmp(document->page, topk_sentence_row(i)->page) == 0;
            page = page || same;
            worded = worded || topk_sentence_wording(i, (enum topk_document)j) != NULL;
            /* a document has sentences of its own page only */
            assert_true(same || topk_sentence_wording(i, (enum topk_document)j) == NULL);
        }
        assert_true(page && worded);
    }
}

static void documents(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const struct topk_document_row *row = topk_document_row((enum topk_document)i);
        const size_t digits = strspn(row->digest, "0123456789abcdef");
        assert_true(digits == strlen(row->digest) && (digits == 64 || digits == 0));
        /* without a digest, the commit identifies the text */
        assert_true(digits == 64 ||
                    (row->extent == TOPK_EXTENT_EXCERPT && strstr(row->edition, "commit") != NULL));
    }
}

/* Asserts that each word of a text that looks like a clause or a sentence exists. */
static void assert_names_known(const char *text)
{
    while (*text != 0) {
        const size_t length = strcspn(text, " ,;:()");
        char word[32] = "";
        const bool stop = length > 0 && text[length - 1] == '.';
        snprintf(word, sizeof word, "%.*s", (int)(length - stop), text);
        const char *dot = strchr(word, '.');
        const size_t digits = dot == NULL ? 0 : strspn(dot + 1, "0123456789");
        if (digits > 0 && dot > word && word[0] >= 'A' && word[0] <= 'Z') {
            bool known = false;
            for (size_t i = 0; i < topk_sentence_count; i++) {
                known = known || strcmp(topk_sentence_row(i)->id, word) == 0;
            }
            if (!known) {
                fail_msg("there is no sentence %s", word);
            }
        }
        if (strlen(word) == 3 && strchr("SVTMF", word[0]) != NULL &&
            strspn(word + 1, "0123456789") == 2 && topk_clause_parse(word, 3) == TOPK_CLAUSE_NONE) {
            fail_msg("there is no clause %s", word);
        }
        text += length + strspn(text + length, " ,;:()");
    }
}

static void each_clause_comes_from_somewhere(void **state)
{
    (void)state;
    bool led[TOPK_CLAUSE_COUNT] = {false};
    for (size_t i = 0; i < topk_sentence_count; i++) {
        const struct topk_clause_set set = topk_sentence_clauses(i);
        for (int j = 0; j < TOPK_CLAUSE_COUNT; j++) {
            led[j] = led[j] || topk_clause_set_has(&set, (enum topk_clause)j);
        }
        assert_names_known(topk_sentence_row(i)->reason);
    }
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_trace_row *trace = topk_trace_row((enum topk_clause)i);
        const char *id = topk_clause_id((enum topk_clause)i);
        if (trace->follows == NULL || trace->open == NULL) {
            fail_msg("traces.def has no row for %s", id);
            return;
        }
        if (!led[i] && trace->follows[0] == 0) {
            fail_msg("no sentence leads to %s, and traces.def does not say how it follows", id);
        }
        /* clauses that leave a choice need a trace that says what this means */
        const enum topk_grade grade = topk_clause_row((enum topk_clause)i)->grade;
        if ((grade == TOPK_GRADE_PRACTICE || grade == TOPK_GRADE_OBSERVE) && trace->open[0] == 0) {
            fail_msg("traces.def does not say what is open of %s", id);
        }
        assert_names_known(trace->follows);
        assert_names_known(trace->open);
    }
}

static void wordings(void **state)
{
    (void)state;
    size_t i = 0;
    while (strcmp(topk_sentence_row(i)->id, "K1.25") != 0) {
        i++;
    }
    assert_non_null(strstr(topk_sentence_wording(i, TOPK_DOCUMENT_000), "debe ser mayor que 0"));
    assert_non_null(strstr(topk_sentence_wording(i, TOPK_DOCUMENT_003), "supérieur à 0"));
    assert_null(topk_sentence_wording(i, TOPK_DOCUMENT_001));
    assert_true(topk_sentence_quoted(i));
    /* only the Japanese edition has feature level 5.0, with wording that is not English */
    while (strstr(topk_sentence_row(i)->section, "feature level 5.0") == NULL) {
        i++;
    }
    assert_null(topk_sentence_wording(i, TOPK_DOCUMENT_004));
    assert_false(topk_sentence_quoted(i));
    /* a translated edition that keeps the words, as in examples, quotes them */
    for (i = 0; strcmp(topk_sentence_row(i)->id, "K1.30") != 0; i++) {
    }
    assert_ptr_equal(topk_sentence_wording(i, TOPK_DOCUMENT_000), topk_sentence_row(i)->words);
    assert_true(topk_sentence_quoted(i));
    /* the last and the first sentence of pages with one English document */
    i = topk_sentence_count - 1;
    assert_ptr_equal(topk_sentence_wording(i, TOPK_DOCUMENT_FPR), topk_sentence_row(i)->words);
    assert_ptr_equal(topk_sentence_wording(0, TOPK_DOCUMENT_001), topk_sentence_row(0)->words);
    assert_true(topk_sentence_quoted(0));
}

/* ---- the comparison with documents ----------------------------------------------------------- */

/* Returns a document with all that the tables list, except the sentence `without`. */
static char *compose(enum topk_document document, size_t without)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("---\ntitle: one\n---\n", out);
    for (size_t i = 0; i < topk_sentence_count; i++) {
        const char *words = topk_sentence_wording(i, document);
        while (words != NULL && *words != 0) {
            const char *next = strstr(words, " / ");
            const int length = next == NULL ? (int)strlen(words) : (int)(next - words);
            if (i != without) {
                fprintf(out, "\n* %.*s\n", length, words);
            }
            words = next == NULL ? NULL : next + 3;
        }
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Returns the messages about a text, which the caller frees, and the number of faults. */
static char *said_of(enum topk_document document, const char *text, size_t *faults)
{
    char *said = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&said, &size);
    assert_non_null(out);
    *faults = documents_check(document, text, out);
    assert_int_equal(fclose(out), 0);
    return said;
}

static void assert_said(enum topk_document document, const char *text, size_t faults,
                        const char *words)
{
    size_t found = 0;
    char *said = said_of(document, text, &found);
    if (found != faults || strstr(said, words) == NULL) {
        fail_msg("%zu faults, '%s' instead of %zu, '%s'", found, said, faults, words);
    }
    free(said);
}

static void a_document_that_is_whole(void **state)
{
    (void)state;
    static const enum topk_document whole[] = {TOPK_DOCUMENT_000, TOPK_DOCUMENT_001,
                                               TOPK_DOCUMENT_002};
    for (size_t i = 0; i < COUNT(whole); i++) {
        char *text = compose(whole[i], topk_sentence_count);
        assert_said(whole[i], text, 0, "");
        free(text);
    }
}

static void a_sentence_that_the_document_does_not_have(void **state)
{
    (void)state;
    char *text = compose(TOPK_DOCUMENT_001, 0);
    assert_said(TOPK_DOCUMENT_001, text, 1,
                "001: the document does not have what K.1 says: Selects");
    free(text);
}

static void a_sentence_that_is_not_listed(void **state)
{
    (void)state;
    char *text = compose(TOPK_DOCUMENT_001, topk_sentence_count);
    char *longer = malloc(strlen(text) + 64);
    assert_non_null(longer);
    sprintf(longer, "%s\nK may be *negative* [on Sundays](./sunday.md).\n", text);
    assert_said(TOPK_DOCUMENT_001, longer, 1,
                "001: no sentence of sentences.def: K may be negative on Sundays. ...");
    free(longer);
    free(text);
}

static void marks_of_markdown_are_no_words(void **state)
{
    (void)state;
    static const char text[] =
        "DirectML guarantees that it will **only ever** read\nfrom (and [never](/x) write to) "
        "<i>input tensors</i>.\nThat is, nothing else.\n";
    size_t faults = 0;
    char *said = said_of(TOPK_DOCUMENT_BAR, text, &faults);
    /* an excerpt may contain more, and these words are found */
    assert_null(strstr(said, "BAR.2"));
    assert_non_null(strstr(said, "BAR.3"));
    free(said);
}

static void a_translation_and_the_english_beside_it(void **state)
{
    (void)state;
    static const char text[] = "<span data-ttu-id=\"1-1\">Nombre d’éléments à sélectionner.</span>"
                               "<span class=\"sxs-lookup\"><span data-stu-id=\"1-1\">The number of "
                               "elements to choose.</span></span>\n";
    size_t faults = 0;
    char *said = said_of(TOPK_DOCUMENT_003, text, &faults);
    assert_null(strstr(said, "what K1.24 says: Nombre"));
    assert_non_null(strstr(said, "what K1.24 says: The number of elements to select."));
    assert_non_null(
        strstr(said, "no sentence of sentences.def: The number of elements to choose."));
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sentence_leads_somewhere_or_says_why_not),
        cmocka_unit_test(ids_are_known_once),
        cmocka_unit_test(documents),
        cmocka_unit_test(each_clause_comes_from_somewhere),
        cmocka_unit_test(wordings),
        cmocka_unit_test(a_document_that_is_whole),
        cmocka_unit_test(a_sentence_that_the_document_does_not_have),
        cmocka_unit_test(a_sentence_that_is_not_listed),
        cmocka_unit_test(marks_of_markdown_are_no_words),
        cmocka_unit_test(a_translation_and_the_english_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
