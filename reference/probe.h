/* The result of a probe of the driver below a backend, and its text between worker and runner. */
#ifndef TOPK_PROBE_H
#define TOPK_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PROBE_VERDICT(NAME, word, finding, meaning): finding says whether it deserves attention. The
 * first four are those of enum topk_backend_probe_verdict. */
#define TOPK_PROBE_VERDICT_LIST(PROBE_VERDICT)                                                     \
    PROBE_VERDICT(OBSERVED, "observed", false, "nothing that is not allowed")                      \
    PROBE_VERDICT(VIOLATION, "violation", true, "something that is not allowed")                   \
    PROBE_VERDICT(UNSUPPORTED, "unsupported", false, "what is probed is not claimed to be there")  \
    PROBE_VERDICT(FAILED, "failed", true, "the probe could not be run to its end")                 \
    PROBE_VERDICT(CRASHED, "crashed", true, "the worker died while it ran the probe")              \
    PROBE_VERDICT(HUNG, "hung", true, "the probe was not done in time")

enum topk_probe_verdict {
#define PROBE_VERDICT(name, word, finding, meaning) TOPK_PROBE_##name,
    TOPK_PROBE_VERDICT_LIST(PROBE_VERDICT)
#undef PROBE_VERDICT
    TOPK_PROBE_VERDICT_COUNT
};

const char *topk_probe_verdict_word(enum topk_probe_verdict verdict);
/* Returns the verdict with a word of `length` characters; TOPK_PROBE_VERDICT_COUNT if there is
 * none. */
enum topk_probe_verdict topk_probe_verdict_parse(const char *word, size_t length);
/* Whether a verdict is a finding. */
bool topk_probe_verdict_finding(enum topk_probe_verdict verdict);

/* Greatest number of probes of a backend. */
#define TOPK_PROBES_MAX 64
/* Sizes of their texts, with the terminators. */
#define TOPK_PROBE_NAME   48
#define TOPK_PROBE_VALUE  64
#define TOPK_PROBE_DETAIL 512

/* Texts are printable ASCII, by topk_probe_text(). */
struct topk_probe {
    char name[TOPK_PROBE_NAME];
    enum topk_probe_verdict verdict;
    char value[TOPK_PROBE_VALUE];   /* the observation, in one or two words */
    char detail[TOPK_PROBE_DETAIL]; /* for readers */
};

/* Copies text, truncated to size; bytes other than printable ASCII become '?'. */
void topk_probe_text(char *to, size_t size, const char *text);

/* Whether a text of `length` characters is the name of a probe: a-z, 0-9, '.' and '-'. */
bool topk_probe_name_valid(const char *name, size_t length);

/* Size of the text of topk_probe_print, with the terminator. */
#define TOPK_PROBE_TEXT 2048

/* Writes everything except the name: "verdict=W value=W detail=W"; returns the length. */
size_t topk_probe_print(const struct topk_probe *probe, char text[TOPK_PROBE_TEXT]);
/* Parses such a text of `length` characters; the name stays unchanged. Returns false if it is
 * malformed; then the rest of *probe is undefined. */
bool topk_probe_parse(const char *text, size_t length, struct topk_probe *probe);

#endif
