/* Fuzz targets, and how they report failures.
 *
 * A target is a file targets/NAME.c that defines fuzz_target. It is linked with one engine:
 * engine_libfuzzer.c (libFuzzer, and others that call LLVMFuzzerTestOneInput), engine_afl.c (AFL++)
 * or engine_replay.c (none: runs files, with any compiler). A target keeps no state between inputs.
 */
#ifndef TOPK_FUZZ_H
#define TOPK_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "case/case.h"
#include "generate/choice.h"
#include "reference/result.h"

struct fuzz_target {
    const char *name;  /* "differential" */
    const char *about; /* what it asserts, in one line */
    size_t max_bytes;  /* greatest useful length of an input */
    /* Called once, before the first input. Returns false after a message. NULL: nothing to do. */
    bool (*open)(void);
    /* Runs an input; calls fuzz_fail...() if an assertion fails. */
    void (*run)(const unsigned char *bytes, size_t length);
    /* If inputs are choices: makes all choices of run() and ignores the results. Otherwise NULL. */
    void (*draw)(struct topk_choice *choice);
    /* If inputs are texts: the words of their grammar, ended by NULL, and a function that passes
     * more words. Each may be NULL. */
    const char *const *words;
    void (*more_words)(void (*word)(const char *word));
    /* Makes the case of an input; returns false if it has none. NULL: inputs are not cases. */
    bool (*decode)(const unsigned char *bytes, size_t length, struct topk_case *tc);
};
extern const struct fuzz_target fuzz_target;

/* Whether an input is choices, and not the text of a case: the mutator can then split it. */
bool fuzz_has_pieces(const unsigned char *bytes, size_t length);

/* The current input, for messages; "" if it has no name. */
extern const char *fuzz_input_name;

/* Reports a failed assertion in one line, "fuzz NAME: FAILED WHAT: detail", and aborts. Engines
 * distinguish failures by the place of the abort, so each clause and each verdict has its own. WHAT
 * is two words such as "S08 tie-order", by which scripts/fuzz groups failures. */
_Noreturn void fuzz_fail(const char *what, const char *detail);
_Noreturn void fuzz_fail_clause(enum topk_clause clause, const char *how, const char *detail);
_Noreturn void fuzz_fail_result(const struct topk_case *tc, const struct topk_result *result);

/* Asserts a condition; WHAT is two words for fuzz_fail(), which aborts at one place for all of
 * these. */
#define FUZZ_REQUIRE(condition, what, detail)                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_fail(what, detail);                                                               \
        }                                                                                          \
    } while (0)

#endif
