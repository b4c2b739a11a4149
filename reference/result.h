/* The result of a case: the verdict, the judge's findings, and the line that transports it from the
 * worker to the runner. */
#ifndef TOPK_RESULT_H
#define TOPK_RESULT_H

#include "crash.h"
#include "diagnosis.h"
#include "outputs.h"

/* VERDICT(NAME, word, failure, meaning): failure says whether it makes a run not conformant. */
#define TOPK_VERDICT_LIST(VERDICT)                                                                 \
    VERDICT(PASS, "pass", false, "every clause holds")                                             \
    VERDICT(FAIL, "fail", true, "a clause is broken")                                              \
    VERDICT(REFUSED, "refused", true, "a valid call was refused")                                  \
    VERDICT(ACCEPTED, "accepted", true, "an invalid call was accepted")                            \
    VERDICT(UNSUPPORTED, "unsupported", false, "the backend does not claim to serve the call")     \
    VERDICT(ERROR, "error", true, "the backend says that the call went wrong")                     \
    VERDICT(CRASH, "crash", true, "the worker died while it ran the case")                         \
    VERDICT(TIMEOUT, "timeout", true, "the case was not done in time")                             \
    VERDICT(DEVICE_LOST, "device-lost", true, "the device was lost")                               \
    VERDICT(FLAKY, "flaky", true, "the case did not end the same way twice")                       \
    VERDICT(HARNESS_ERROR, "harness-error", true, "the suite itself could not run or judge it")    \
    VERDICT(EXPECTED_FAIL, "expected-fail", false, "it failed, as an expectation says")            \
    VERDICT(UNEXPECTED_PASS, "unexpected-pass", false, "it passed, although an expectation says")

enum topk_verdict {
#define VERDICT(name, word, failure, meaning) TOPK_VERDICT_##name,
    TOPK_VERDICT_LIST(VERDICT)
#undef VERDICT
    TOPK_VERDICT_COUNT
};

/* The word of a verdict, such as "pass" or "device-lost". */
const char *topk_verdict_word(enum topk_verdict verdict);
/* Returns the verdict with a word of `length` characters; TOPK_VERDICT_COUNT if there is none. */
enum topk_verdict topk_verdict_parse(const char *word, size_t length);
/* Whether a verdict makes a run not conformant. */
bool topk_verdict_failure(enum topk_verdict verdict);
/* Why a verdict is impossible together with these facts: there are findings, wrong outputs (a
 * sequence, a window, a cause), a reason. NULL if it is possible. expected-fail and unexpected-pass
 * are impossible: only expectations turn other verdicts into them. */
const char *topk_verdict_wrong(enum topk_verdict verdict, bool findings, bool outputs, bool reason);

/* Number of outputs of the first wrong sequence in a result, around the first wrong position. */
#define TOPK_WINDOW 16

#define TOPK_REASON 256

struct topk_result {
    enum topk_verdict verdict;
    /* the one that allows UNSUPPORTED; else the first broken one, or none */
    enum topk_clause clause;
    bool by_status;   /* a PASS without judged outputs */
    bool by_contract; /* UNSUPPORTED because of the declared contract */
    /* in a sequence of calls, the call, from 1, that the result is about; 0: all of them */
    uint32_t call;
    uint64_t nanoseconds; /* spent in the backend */
    struct topk_judgement judgement;
    uint32_t window_from;  /* the position of window_values[0] */
    uint32_t window_count; /* 0: none */
    uint64_t window_values[TOPK_WINDOW];
    uint64_t window_indices[TOPK_WINDOW];
    enum topk_reading reading;   /* the first of the next */
    topk_reading_set readings;   /* all that explain the whole wrong result */
    bool guess;                  /* there are too few outputs to be certain */
    struct topk_outputs outputs; /* if requested: topk-worker --results outputs */
    char reason[TOPK_REASON];    /* for readers; any bytes */
    struct topk_crash crash;     /* of CRASH, as far as reported; not in the line below */
    /* If the case was run several times, how often and how often it failed; 0: it was run once. Not
     * in the line below. */
    uint32_t runs, failed;
};

/* Sets what explains a wrong result. */
void topk_result_explain(struct topk_result *result, struct topk_diagnosis diagnosis);

/* The clauses that a result breaks: those of its findings; but if one cause explains the outputs,
 * only its clause and those of memory (M01, M02), which it does not explain. */
void topk_result_clauses(const struct topk_result *result, struct topk_clause_set *clauses);

/* Greatest length of the text of topk_result_print, with the terminator. */
#define TOPK_RESULT_TEXT 6144

/* Writes a result as one line of printable ASCII without a line end; returns its length. */
size_t topk_result_print(const struct topk_result *result, char text[TOPK_RESULT_TEXT]);

/* Parses such a line of `length` characters; accepts only what topk_result_print writes. Returns
 * false if it is malformed; *result is then undefined. */
bool topk_result_parse(const char *text, size_t length, struct topk_result *result);

/* Writes text as one word: bytes other than printable ASCII, space, '%', ',' and '=' become %XX.
 * Truncates it to size, at least 1; returns the length. */
size_t topk_word_print(const char *text, char *word, size_t size);
/* Parses such a word of `length` characters into text, terminated. Returns false if it is malformed
 * or does not fit. */
bool topk_word_parse(const char *word, size_t length, char *text, size_t size);

#endif
