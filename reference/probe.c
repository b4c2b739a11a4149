/* The text of probes. */
#include "probe.h"

#include <stdio.h>
#include <string.h>

#include "result.h"

_Static_assert(3 * (TOPK_PROBE_VALUE + TOPK_PROBE_DETAIL) + 64 < TOPK_PROBE_TEXT,
               "every character may become %XX");

static const struct {
    const char *word;
    bool finding;
} verdicts[] = {
#define PROBE_VERDICT(name, word, finding, meaning) {word, finding},
    TOPK_PROBE_VERDICT_LIST(PROBE_VERDICT)
#undef PROBE_VERDICT
};

const char *topk_probe_verdict_word(enum topk_probe_verdict verdict)
{
    return verdicts[verdict].word;
}

enum topk_probe_verdict topk_probe_verdict_parse(const char *word, size_t length)
{
    int verdict = 0;
    while (verdict < TOPK_PROBE_VERDICT_COUNT &&
           (strlen(verdicts[verdict].word) != length ||
            memcmp(verdicts[verdict].word, word, length) != 0)) {
        verdict++;
    }
    return (enum topk_probe_verdict)verdict;
}

bool topk_probe_verdict_finding(enum topk_probe_verdict verdict)
{
    return verdicts[verdict].finding;
}

bool topk_probe_name_valid(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (name[i] == 0 || strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", name[i]) == NULL) {
            return false;
        }
    }
    return length > 0 && length < TOPK_PROBE_NAME;
}

void topk_probe_text(char *to, size_t size, const char *text)
{
    size_t length = 0;
    for (; text[length] != 0 && length + 1 < size; length++) {
        to[length] = text[length];
        if (text[length] < ' ' || text[length] > '~') {
            to[length] = '?';
        }
    }
    to[length] = 0;
}

size_t topk_probe_print(const struct topk_probe *probe, char text[TOPK_PROBE_TEXT])
{
    char value[3 * TOPK_PROBE_VALUE];
    char detail[3 * TOPK_PROBE_DETAIL];
    topk_word_print(probe->value, value, sizeof value);
    topk_word_print(probe->detail, detail, sizeof detail);
    return (size_t)snprintf(text, TOPK_PROBE_TEXT, "verdict=%s value=%s detail=%s",
                            topk_probe_verdict_word(probe->verdict), value, detail);
}

/* decodes a word into a text of a probe */
static bool take_text(const char *word, size_t length, char *text, size_t size)
{
    char said[TOPK_PROBE_DETAIL];
    if (!topk_word_parse(word, length, said, size)) {
        return false;
    }
    topk_probe_text(text, size, said);
    return true;
}

/* reads "label=WORD" and the space after it, if any */
static bool take(const char **at, const char *end, const char *label, const char **word,
                 size_t *length)
{
    size_t expected = strlen(label);
    if ((size_t)(end - *at) < expected || memcmp(*at, label, expected) != 0) {
        return false;
    }
    *word = *at + expected;
    const char *space = memchr(*word, ' ', (size_t)(end - *word));
    *length = (size_t)((space == NULL ? end : space) - *word);
    *at = space == NULL ? end : space + 1;
    return true;
}

bool topk_probe_parse(const char *text, size_t length, struct topk_probe *probe)
{
    const char *at = text;
    const char *end = text + length;
    const char *word;
    size_t count;
    if (!take(&at, end, "verdict=", &word, &count)) {
        return false;
    }
    probe->verdict = topk_probe_verdict_parse(word, count);
    return probe->verdict != TOPK_PROBE_VERDICT_COUNT && take(&at, end, "value=", &word, &count) &&
           take_text(word, count, probe->value, sizeof probe->value) &&
           take(&at, end, "detail=", &word, &count) &&
           take_text(word, count, probe->detail, sizeof probe->detail) && at == end &&
           word + count == end;
}
