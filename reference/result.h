/* The result of one case: the verdict, what the judge found, and the line that carries it from the
 * worker to the runner. */
#ifndef TOPK_RESULT_H
#define TOPK_RESULT_H

#include "crash.h"
#include "diagnosis.h"
#include "outputs.h"

/* VERDICT(NAME, word, failure, meaning): failure says whether a run with one is not conformant. */
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

/* The word of a verdict: "pass", "device-lost". */
const char *topk_verdict_word(enum topk_verdict verdict);
/* The verdict of a word of `length` characters; TOPK_VERDICT_COUNT if there is none. */
enum topk_verdict topk_verdict_parse(const char *word, size_t length);
/* Whether one such verdict makes a run not conformant. */
bool topk_verdict_failure(enum topk_verdict verdict);
/* Why a case cannot have come to a verdict with what is said of it: with findings, with wrong
 * outputs (a sequence, a window, a cause), with a reason. NULL if it can. To expected-fail and
 * unexpected-pass it never comes: expectations make them of another verdict. */
const char *topk_verdict_wrong(enum topk_verdict verdict, bool findings, bool outputs, bool reason);

/* Outputs of the first wrong sequence that go with a result, around the first wrong position. */
#define TOPK_WINDOW 16

#define TOPK_REASON 256

struct topk_result {
    enum topk_verdict verdict;
    enum topk_clause clause; /* what allows UNSUPPORTED; else the first broken one, or none */
    bool by_status;          /* a PASS that rests on a status alone: no output was judged */
    bool by_contract;        /* UNSUPPORTED, as the declared contract says */
    uint32_t call;           /* of a sequence: the call, from 1, that this is about; 0: all of it */
    uint64_t nanoseconds;    /* spent in the backend */
    struct topk_judgement judgement;
    uint32_t window_from;  /* the position of window_values[0] */
    uint32_t window_count; /* 0: none */
    uint64_t window_values[TOPK_WINDOW];
    uint64_t window_indices[TOPK_WINDOW];
    enum topk_reading reading;   /* what explains the whole wrong result: the first of the next */
    topk_reading_set readings;   /* all that do */
    bool guess;                  /* the outputs show so little that these are guesses */
    struct topk_outputs outputs; /* if they were asked for: topk-worker --results outputs */
    char reason[TOPK_REASON];    /* for a reader; any bytes */
    struct topk_crash crash;     /* of CRASH, as far as it was told; not of the line below */
    /* Of a case that was run several times, how often and how often it failed; 0: it was run once.
     * Neither is of the line below. */
    uint32_t runs, failed;
};

/* Notes what explains a wrong result. */
void topk_result_explain(struct topk_result *result, struct topk_diagnosis diagnosis);

/* The clauses that a result breaks: those of its findings; but if one cause explains the outputs,
 * its clause alone, and those of memory (M01, M02), which it does not explain. */
void topk_result_clauses(const struct topk_result *result, struct topk_clause_set *clauses);

/* Longest text of topk_result_print, with the terminator. */
#define TOPK_RESULT_TEXT 6144

/* Writes a result as one line of printable ASCII without a line end; returns its length. */
size_t topk_result_print(const struct topk_result *result, char text[TOPK_RESULT_TEXT]);

/* Reads such a line, `length` characters. False if it is malformed: *result is then undefined.
 * Accepts nothing that topk_result_print does not write. */
bool topk_result_parse(const char *text, size_t length, struct topk_result *result);

/* Writes text as one word: bytes other than printable ASCII, space, '%', ',' and '=' become %XX.
 * Cuts what does not fit in size, at least 1; returns the length. */
size_t topk_word_print(const char *text, char *word, size_t size);
/* Reads such a word of `length` characters into text, terminated. False if it is malformed or does
 * not fit. */
bool topk_word_parse(const char *word, size_t length, char *text, size_t size);

#endif
