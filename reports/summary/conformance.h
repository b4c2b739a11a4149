/* The outcome of a run, decided in one place for its last line and exit code, its reports, and the
 * statement of a package. */
#ifndef TOPK_CONFORMANCE_H
#define TOPK_CONFORMANCE_H

#include <stdio.h>

#include "gate.h"
#include "log/log.h"
#include "tested.h"

/* CONFORMANCE(NAME, good, words, word, sentence): the first that applies. good: gates accept it;
 * words start the last line of a run, word is for programs, sentence follows "the backend". */
#define TOPK_CONFORMANCE_LIST(CONFORMANCE)                                                         \
    /* cases have no result */                                                                     \
    CONFORMANCE(INCOMPLETE, false, "INCOMPLETE", "incomplete", "was not tested to the end")        \
    CONFORMANCE(FAILED, false, "NOT CONFORMANT", "not-conformant", "does not conform")             \
    /* only the suite itself failed */                                                             \
    CONFORMANCE(UNJUDGED, false, "NOT JUDGED", "not-judged", "could not be judged")                \
    /* topk_gate_clean(), topk_gate_steady() */                                                    \
    CONFORMANCE(UNCLEAN, false, "DID NOT END WELL", "unclean",                                     \
                "gives no wrong result, but its processes do not end well")                        \
    CONFORMANCE(UNSTEADY, false, "ENDED FROM OUTSIDE TOO OFTEN", "unsteady",                       \
                "gives no wrong result, but its processes were ended from outside too often")      \
    /* topk_gate_lasts() */                                                                        \
    CONFORMANCE(EXPIRED, false, "WAIVERS EXPIRED", "waivers-expired",                              \
                "passes by waivers, of which some are expired")                                    \
    /* topk_tested_nothing() */                                                                    \
    CONFORMANCE(UNTESTED, false, "NOT TESTED", "not-tested",                                       \
                "does not support what these cases test")                                          \
    /* topk_gate_required(), topk_gate_enough() */                                                 \
    CONFORMANCE(LACKING, false, "NOT AS REQUIRED", "not-as-required",                              \
                "does not serve all that was required of it")                                      \
    CONFORMANCE(TOO_LITTLE, false, "SERVES TOO LITTLE", "serves-too-little",                       \
                "serves too little of what these cases ask for")                                   \
    /* nothing failed, as somebody says whom the suite cannot believe */                           \
    CONFORMANCE(BY_WORKER, false, "JUDGED BY THE WORKER, not by this suite", "judged-by-worker",   \
                "passes, judged by the worker, not by this suite")                                 \
    CONFORMANCE(IN_PROCESS, false, "JUDGED IN ONE PROCESS WITH THE BACKEND", "judged-in-process",  \
                "passes, judged in one process with it, where it could reach its judge")           \
    CONFORMANCE(UNKNOWN_JUDGE, false, "NOT KNOWN WHO JUDGED", "judge-not-known",                   \
                "passes; whether it could reach its judge is not known")                           \
    CONFORMANCE(WAIVED, true, "PASSED WITH WAIVERS", "waived",                                     \
                "does not conform without the waivers that it declares")                           \
    /* not all of a profile was run */                                                             \
    CONFORMANCE(PASSED, true, "PASSED", "passed", "passes what was selected")                      \
    /* by other rules than DirectML's; what is unsupported is what the contract leaves out, or     \
     * more */                                                                                     \
    CONFORMANCE(DECLARED_PARTLY, true, "CONFORMANT to the declared contract in what it supports",  \
                "conformant-to-contract-in-part",                                                  \
                "conforms to the declared contract in what it supports")                           \
    CONFORMANCE(DECLARED, true, "CONFORMANT to the declared contract", "conformant-to-contract",   \
                "conforms to the declared contract")                                               \
    CONFORMANCE(PARTLY, true, "CONFORMANT in what it supports", "conformant-in-part",              \
                "conforms in what it supports")                                                    \
    CONFORMANCE(WHOLE, true, "CONFORMANT", "conformant", "conforms")

enum topk_conformance {
#define CONFORMANCE(name, good, words, word, sentence) TOPK_CONFORMANCE_##name,
    TOPK_CONFORMANCE_LIST(CONFORMANCE)
#undef CONFORMANCE
    TOPK_CONFORMANCE_COUNT
};

/* Everything that the outcome depends on. */
struct topk_standing {
    const uint64_t *totals; /* cases by verdict */
    const struct topk_tested *tested;
    enum topk_judge judge;
    bool complete; /* all cases of the run have a result */
    bool early;    /* it was ended on purpose before that; failures until then count */
    bool whole;    /* the whole profile was run: no selection, level or shard */
    const struct topk_gate *gate;         /* its requirements; NULL: none */
    const struct topk_contract *contract; /* by which it was judged; NULL: DirectML's rules */
};

enum topk_conformance topk_conformance_of(const struct topk_standing *standing);
bool topk_conformance_good(enum topk_conformance conformance);
const char *topk_conformance_words(enum topk_conformance conformance);
const char *topk_conformance_word(enum topk_conformance conformance);
const char *topk_conformance_sentence(enum topk_conformance conformance);

/* Size of the words with the share, with the terminator. */
#define TOPK_LEAD_TEXT (192 + TOPK_CONTRACT_RULES)
/* Writes the words, the rules of a declared contract and, unless everything was supported or it is
 * unknown, the share: "CONFORMANT in what it supports, 79 % of the valid calls served", "CONFORMANT
 * to the declared contract (ties=any)". The last line of a run and every report start with this. */
void topk_conformance_lead(enum topk_conformance conformance, const struct topk_standing *standing,
                           char *text, size_t size);

/* Size of a sentence with numbers, with the terminator. */
#define TOPK_SENTENCE_TEXT (800 + TOPK_ENDED_TEXT)
/* Writes the numbers of a run without failures: "9 passed (3 by status alone), 0 failed, 1
 * unsupported", preceded by the gate's requirements that are not met. */
void topk_passed_sentence(const struct topk_standing *standing, char *text, size_t size);

/* Prints the totals, and how many passes are by status alone, after the words before: "20 pass, 1
 * fail; 5 of the passes by status alone". Prints nothing if there are no cases; returns whether
 * there are. */
bool topk_totals_print(FILE *out, const char *before, const uint64_t totals[TOPK_VERDICT_COUNT],
                       uint64_t by_status);

#endif
