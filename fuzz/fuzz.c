/* What targets and engines share: how a target reports a failure. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "generate/decode.h"

const char *fuzz_input_name = "";

bool fuzz_has_pieces(const unsigned char *bytes, size_t length)
{
    return fuzz_target.draw != NULL &&
           !(fuzz_target.decode != NULL && topk_decode_like_text(bytes, length));
}

/* Differs per function below, so that a linker does not fold them into one. */
static const char *volatile place;

/* maximum length of a case in a message; the input itself is what gets saved */
#define SHOWN 2000

static void say(const char *first, const char *second, const char *detail)
{
    fflush(stdout);
    fprintf(stderr, "fuzz %s: FAILED %s%s%s: %.*s\n", fuzz_target.name, first,
            *second == 0 ? "" : " ", second, SHOWN, detail);
    if (*fuzz_input_name != 0) {
        fprintf(stderr, "fuzz %s: input %s\n", fuzz_target.name, fuzz_input_name);
    }
}

/* ABORT(NAME) defines a function abort_NAME that aborts. AFL++ tells crashes apart by the
 * instrumented code that ran, and it does not instrument a function that cannot return; this one
 * could return as far as the compiler knows. */
#define ABORT(name)                                                                                \
    __attribute__((noinline)) static void abort_##name(void)                                       \
    {                                                                                              \
        place = #name;                                                                             \
        if (place != NULL) {                                                                       \
            abort();                                                                               \
        }                                                                                          \
    }

#define CLAUSE(id, grade, sentence) ABORT(id)
#include "reference/clauses.def"
#undef CLAUSE
#define VERDICT(name, word, failure, meaning) ABORT(name)
TOPK_VERDICT_LIST(VERDICT)
#undef VERDICT

static void (*const clause_aborts[])(void) = {
#define CLAUSE(id, grade, sentence) abort_##id,
#include "reference/clauses.def"
#undef CLAUSE
};

static void (*const verdict_aborts[])(void) = {
#define VERDICT(name, word, failure, meaning) abort_##name,
    TOPK_VERDICT_LIST(VERDICT)
#undef VERDICT
};

void fuzz_fail(const char *what, const char *detail)
{
    say(what, "", detail);
    abort();
}

void fuzz_fail_clause(enum topk_clause clause, const char *how, const char *detail)
{
    say(topk_clause_id(clause), how, detail);
    if (clause < TOPK_CLAUSE_COUNT) {
        clause_aborts[clause]();
    }
    abort();
}

void fuzz_fail_result(const struct topk_case *tc, const struct topk_result *result)
{
    static char text[TOPK_CASE_TEXT];
    topk_case_print(tc, text, sizeof text);
    const char *how = topk_verdict_word(result->verdict);
    if (result->verdict == TOPK_VERDICT_FAIL && result->reading != TOPK_READING_NONE) {
        how = topk_reading_row(result->reading)->word;
    } else if (result->verdict == TOPK_VERDICT_FAIL && result->judgement.count > 0) {
        how = topk_mismatch_row(result->judgement.findings[0].mismatch)->word;
    }
    if (result->clause < TOPK_CLAUSE_COUNT) {
        fuzz_fail_clause(result->clause, how, text);
    }
    say(how, result->reason, text);
    verdict_aborts[result->verdict]();
    abort();
}
