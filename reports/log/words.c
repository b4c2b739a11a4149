/* The words for what the header of a log says: who judged, where guard pages are, and what is
 * software. */
#include <string.h>

#include "log.h"

static const struct {
    const char *word, *phrase;
} judges[] = {
#define JUDGE(name, word, phrase) {word, phrase},
    TOPK_JUDGE_LIST(JUDGE)
#undef JUDGE
};

const char *topk_log_guard_pages_phrase(const char *word)
{
    return word == NULL || word[0] == 0 ? ""
           : strcmp(word, "both") == 0  ? "at the end of each tensor, then at its start"
           : strcmp(word, "end") == 0   ? "at the end of each tensor"
                                        : "at the start of each tensor";
}

static const struct {
    uint32_t flag;
    const char *who, *note;
} softwares[] = {
#define SOFTWARE(flag, who, note) {flag, who, note},
    TOPK_SOFTWARE_LIST(SOFTWARE)
#undef SOFTWARE
};
#define SOFTWARES (sizeof softwares / sizeof softwares[0])

const char *topk_log_software(uint32_t flags)
{
    size_t at = 0;
    while (at + 1 < SOFTWARES && (flags & softwares[at].flag) == 0) {
        at++;
    }
    return softwares[at].who;
}

const char *topk_log_software_note(const char *who)
{
    size_t at = 0;
    while (at + 1 < SOFTWARES && strcmp(who, softwares[at].who) != 0) {
        at++;
    }
    return softwares[at].note;
}

const char *topk_judge_phrase(enum topk_judge judge)
{
    return judges[judge].phrase;
}

const char *topk_judge_word(enum topk_judge judge)
{
    return judges[judge].word;
}

enum topk_judge topk_judge_parse(const char *word)
{
    int judge = 0;
    while (judge < TOPK_JUDGE_COUNT && strcmp(judges[judge].word, word) != 0) {
        judge++;
    }
    return (enum topk_judge)judge;
}
