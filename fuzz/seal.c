/* Makes result logs from inputs, and adds the words that occur in logs to the dictionary. */
#include "seal.h"

#include <string.h>

#include "log/line.h"
#include "reference/result.h"
#include "words.h"

const char *fuzz_seal(const char *text, size_t length, bool spaced, size_t *size)
{
    /* Each line feed becomes a chain tail, and each line gets one more space. */
    static char log[FUZZ_SEAL_INPUT * (TOPK_LINE_TAIL + 2) + 1];
    struct topk_chain chain = {""};
    char *at = log;
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        const size_t line = end == NULL ? length : (size_t)(end - text);
        const size_t taken = end == NULL ? line : line + 1;
        if (*text == '!' || end == NULL) {
            const bool mark = *text == '!';
            memcpy(at, text + mark, taken - mark);
            at += taken - mark;
        } else {
            char *body = at;
            memcpy(at, text, line);
            at[line] = ' ';
            at += line + spaced;
            topk_chain_seal(&chain, body, line + spaced, at);
            at += TOPK_LINE_TAIL;
        }
        text += taken;
        length -= taken;
    }
    *size = (size_t)(at - log);
    return log;
}

void fuzz_log_words(void (*word)(const char *word))
{
    static const char *const members[] = {"{\"record\":\"header\",\"format\":2,",
                                          "{\"record\":\"case\",\"number\":0,\"id\":\"",
                                          "{\"record\":\"probe\",\"name\":\"",
                                          "{\"record\":\"again\",\"number\":0,\"kind\":\"",
                                          "{\"record\":\"shrunk\",\"id\":\"",
                                          ",\"of\":[0],\"minimal\":true",
                                          ",\"shard\":{\"index\":1,\"count\":2,\"cases\":4}",
                                          ",\"judge\":\"apart\"",
                                          ",\"merged\":2",
                                          "{\"record\":\"end\",\"complete\":true,\"totals\":{",
                                          "\"verdict\":\"",
                                          "\"nanoseconds\":",
                                          ",\"observations\":[{\"clause\":\"",
                                          "\",\"word\":\"",
                                          ",\"findings\":[{",
                                          "\"expected\":",
                                          "\"actual\":",
                                          "\"bits\":\"",
                                          "\"window\":",
                                          "\\u0000",
                                          "18446744073709551615"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        word(members[i]);
    }
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        word(topk_observation_row((enum topk_observation)i)->word);
    }
    fuzz_result_words(word);
}
