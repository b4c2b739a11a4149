/* Fuzz targets: what a target is, and how it reports a failure.
 *
 * A target is a file targets/NAME.c that defines fuzz_target. It is linked with one engine:
 * engine_libfuzzer.c (libFuzzer, and others that call LLVMFuzzerTestOneInput), engine_afl.c (AFL++)
 * or engine_replay.c (none: runs files, under any compiler). A target keeps no state between
 * inputs. */
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
    const char *about; /* what it asserts, one line */
    size_t max_bytes;  /* longest input of use */
    /* Once, before the first input. False after a message. NULL: nothing to do. */
    bool (*open)(void);
    /* Runs an input; calls fuzz_fail...() if an assertion does not hold. */
    void (*run)(const unsigned char *bytes, size_t length);
    /* The input is choices: makes all that run() makes of it, for what they are. NULL: it is not.
     */
    void (*draw)(struct topk_choice *choice);
    /* The input is a text: words that its reader knows, NULL behind the last, and a function that
     * hands on more. Each may be NULL. */
    const char *const *words;
    void (*more_words)(void (*word)(const char *word));
    /* Makes the case that an input stands for; false if it stands for no case. NULL: inputs of
     * this target are no cases. */
    bool (*decode)(const unsigned char *bytes, size_t length, struct topk_case *tc);
};
extern const struct fuzz_target fuzz_target;

/* Whether an input is choices, and no text of a case: the mutator takes it apart then. */
bool fuzz_has_pieces(const unsigned char *bytes, size_t length);

/* What is run now, for messages; "" if it has no name. */
extern const char *fuzz_input_name;

/* An assertion failed: says so in one line, "fuzz NAME: FAILED WHAT: detail", and aborts. Engines
 * tell failures apart by the place of the abort, so each clause and each verdict has one of its
 * own. WHAT is two words, "S08 tie-order": scripts/fuzz puts failures together by it. */
_Noreturn void fuzz_fail(const char *what, const char *detail);
_Noreturn void fuzz_fail_clause(enum topk_clause clause, const char *how, const char *detail);
_Noreturn void fuzz_fail_result(const struct topk_case *tc, const struct topk_result *result);

/* Asserts; WHAT is two words for fuzz_fail(), which aborts, at one place for all of them. */
#define FUZZ_REQUIRE(condition, what, detail)                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_fail(what, detail);                                                               \
        }                                                                                          \
    } while (0)

#endif
