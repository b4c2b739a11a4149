/* Checks the reader of expectations: rules that are read can be written with all values in quotes
 * and read back the same; any other text is refused at a line and column in it; and any rules can
 * be applied to any case. A case that passes must then be passed or passed unexpectedly, and a case
 * that fails must stay failed or be expected by a rule that exists. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "expectations/expectations.h"
#include "fuzz.h"
#include "words.h"

#define INPUT_MAX 2048u

/* What the rules are judged with, besides what they themselves contain. */
static const char backend[] = "mine";
static const char version[] = "1.4.2";
static const char driver[] = "Mesa 25.0.7-2 (LLVM 15)";
static const char started[] = "2026-06-30T12:00:00Z";

static void put_value(FILE *out, const char *key, const char *value)
{
    if (*value != 0 || strcmp(key, "backend") == 0) {
        fprintf(out, "%s=\"", key);
        for (; *value != 0; value++) {
            if (*value == '"' || *value == '\\') {
                putc('\\', out);
            }
            putc(*value, out);
        }
        fputs("\" ", out);
    }
}

static void put_rules(FILE *out, const struct topk_expectations *expectations)
{
    for (size_t i = 0; i < expectations->count; i++) {
        const struct topk_expectation *rule = &expectations->rules[i];
#define KEY(name, needed) put_value(out, #name, rule->name);
        TOPK_EXPECTATION_LIST(KEY)
#undef KEY
        putc('\n', out);
    }
}

static void check_same(const struct topk_expectations *a, const struct topk_expectations *b)
{
    FUZZ_REQUIRE(a->count == b->count, "expectations count", "other rules are read again");
    for (size_t i = 0; i < a->count; i++) {
        const struct topk_expectation *x = &a->rules[i];
        const struct topk_expectation *y = &b->rules[i];
        FUZZ_REQUIRE(x->expect == y->expect && topk_verdict_failure(x->expect) &&
                         topk_expectation_date_valid(x->expires),
                     "expectations rule", x->verdict);
#define KEY(name, needed)                                                                          \
    FUZZ_REQUIRE(strcmp(x->name, y->name) == 0 &&                                                  \
                     (x->name[0] != 0 || !(needed) || x->name == x->backend),                      \
                 "expectations value", x->name);
        TOPK_EXPECTATION_LIST(KEY)
#undef KEY
    }
}

static void read_again(const struct topk_expectations *expectations)
{
    char error[512] = "";
    char *text = NULL;
    size_t size = 0;
    struct topk_expectations again;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return;
    }
    put_rules(out, expectations);
    if (fclose(out) == 0) {
        FUZZ_REQUIRE(topk_expectations_parse(&again, "again", text, size, error, sizeof error),
                     "expectations unread", error);
        check_same(expectations, &again);
        topk_expectations_free(&again);
    }
    free(text);
}

static void judge_ended(struct topk_expectations *expectations, const struct topk_ended *ended)
{
    const struct topk_expectation *nearly = NULL;
    uint32_t line = UINT32_MAX;
    char differs[TOPK_DIFFERS_TEXT];
    const enum topk_verdict judged = topk_expectations_judge(expectations, ended, &line, &nearly);
    FUZZ_REQUIRE(judged == ended->verdict ? line == 0
                                          : line > 0 && nearly == NULL &&
                                                judged == (ended->verdict == TOPK_VERDICT_PASS
                                                               ? TOPK_VERDICT_UNEXPECTED_PASS
                                                               : TOPK_VERDICT_EXPECTED_FAIL),
                 "expectations judge", ended->id);
    FUZZ_REQUIRE(nearly == NULL ||
                     (topk_verdict_failure(judged) && nearly->others > 0 &&
                      topk_expectation_differs(nearly, ended, differs) && differs[0] != 0),
                 "expectations nearly", ended->id);
}

/* Judges any verdict, once with nothing else known about it and once with what the rules name. */
static void judge_one(struct topk_expectations *expectations, const char *id)
{
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        struct topk_ended ended = {.id = id, .verdict = (enum topk_verdict)i};
        judge_ended(expectations, &ended);
        for (size_t j = 0; j < expectations->count && j < 4; j++) {
            ended.clauses = expectations->rules[j].clauses;
            ended.causes = expectations->rules[j].causes;
            ended.mismatches = expectations->rules[j].mismatches;
            judge_ended(expectations, &ended);
        }
    }
}

static void judge(struct topk_expectations *expectations)
{
    /* Uses the values that the rules themselves ask for, so that they apply. */
    for (size_t i = 0; i <= expectations->count && i < 4; i++) {
        const struct topk_expectation *rule =
            i < expectations->count ? &expectations->rules[i] : NULL;
        topk_expectations_start(expectations, rule == NULL ? backend : rule->backend,
                                rule == NULL || rule->version[0] == 0 ? version : rule->version,
                                rule == NULL || rule->driver[0] == 0 ? driver : rule->driver,
                                started);
        judge_one(expectations, "ties.boundary:top_k fl=2.0 in=f32[4] axis=0 k=2");
        if (rule != NULL) {
            judge_one(expectations, rule->select);
        }
    }
}

/* Checks that an error has the form "path:LINE:COLUMN: reason" and points into the text. */
static void check_refusal(const char *text, size_t length, const char *error)
{
    unsigned long line = 0;
    unsigned long column = 0;
    FUZZ_REQUIRE(sscanf(error, "path:%lu:%lu: ", &line, &column) == 2 && line >= 1 && column >= 1,
                 "expectations no-reason", error);
    for (unsigned long i = 1; i < line; i++) {
        const char *feed = memchr(text, '\n', length);
        FUZZ_REQUIRE(feed != NULL, "expectations line", error);
        length -= (size_t)(feed + 1 - text);
        text = feed + 1;
    }
    const char *feed = memchr(text, '\n', length);
    FUZZ_REQUIRE(column <= (feed == NULL ? length : (size_t)(feed - text)) + 1,
                 "expectations column", error);
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_expectations expectations;
    char error[512] = "";
    const char *text = (const char *)bytes;
    if (length > INPUT_MAX) {
        return;
    }
    if (topk_expectations_parse(&expectations, "path", text, length, error, sizeof error)) {
        read_again(&expectations);
        judge(&expectations);
    } else {
        check_refusal(text, length, error);
    }
    topk_expectations_free(&expectations);
}

#define KEY(name, needed) #name "=",
static const char *const words[] = {TOPK_EXPECTATION_LIST(KEY) "\"",
                                    "\\\"",
                                    "2026-12-31",
                                    "1.0..1.4",
                                    "Mesa 22.3..25.0",
                                    "ties.*",
                                    "owner=a reason=b backend=mine",
                                    "S08|M01",
                                    "ties-descending",
                                    "tie-order",
                                    "rank>=5",
                                    "type=f16|i8",
                                    "ties!=none",
                                    " and ",
                                    NULL};
#undef KEY

const struct fuzz_target fuzz_target = {
    .name = "expectations",
    .about = "rules that are read are read again as the same, and judge any case",
    .max_bytes = INPUT_MAX,
    .run = run,
    .words = words,
    .more_words = fuzz_result_words,
};
