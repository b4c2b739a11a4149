/* Checks the readers on the runner's end of the worker protocol: text that is read as a greeting,
 * result, probe, crash or word must be printed back the same (except for a greeting, which must
 * only contain what the runner needs), and any other text must be refused with a reason. Every
 * reader gets each input, once with and once without the prefix that its line has. */
#include <string.h>

#include "fuzz.h"
#include "reference/probe.h"
#include "run/runner.h"
#include "words.h"

static void check_result(const char *text, size_t length)
{
    struct topk_result result;
    struct topk_clause_set clauses = {{0}};
    char printed[TOPK_RESULT_TEXT];
    if (topk_result_parse(text, length, &result)) {
        size_t count = topk_result_print(&result, printed);
        FUZZ_REQUIRE(count == length && memcmp(printed, text, length) == 0, "result text", printed);
        topk_result_clauses(&result, &clauses);
    }
}

/* Characters that cannot be printed are replaced on reading, so only what was read can be printed
 * and read back unchanged. */
static void check_probe(const char *text, size_t length)
{
    struct topk_probe probe = {.name = ""};
    char printed[TOPK_PROBE_TEXT];
    char again[TOPK_PROBE_TEXT];
    if (topk_probe_parse(text, length, &probe)) {
        const size_t count = topk_probe_print(&probe, printed);
        FUZZ_REQUIRE(topk_probe_parse(printed, count, &probe), "probe unread", printed);
        FUZZ_REQUIRE(topk_probe_print(&probe, again) == count && memcmp(printed, again, count) == 0,
                     "probe text", printed);
    }
    (void)topk_probe_name_valid(text, length);
}

static void check_word(const char *text, size_t length)
{
    char word[TOPK_REASON];
    char printed[3 * TOPK_REASON];
    if (topk_word_parse(text, length, word, sizeof word)) {
        size_t count = topk_word_print(word, printed, sizeof printed);
        FUZZ_REQUIRE(count == length && memcmp(printed, text, length) == 0, "word text", printed);
    }
}

static void check_crash(const char *text, size_t length)
{
    static struct topk_crash crash;
    char printed[TOPK_WIRE_LINE];
    char sentence[TOPK_CRASH_TEXT];
    if (topk_wire_crash_parse(text, length, &crash)) {
        const size_t count = topk_wire_crash_print(&crash, printed);
        FUZZ_REQUIRE(count == length && memcmp(printed, text, length) == 0, "crash text", printed);
        FUZZ_REQUIRE(topk_crash_alike(&crash, &crash), "crash unlike", printed);
        topk_crash_site_print(&crash, sentence);
    }
}

/* Checks that a printed contract is read back as the same. */
static void check_contract(const struct topk_contract *contract)
{
    struct topk_contract again;
    char text[TOPK_CONTRACT_TEXT];
    char error[300] = "";
    topk_contract_print(contract, text);
    FUZZ_REQUIRE(topk_contract_parse(text, strlen(text), false, &again, error, sizeof error),
                 "contract unread", error);
    FUZZ_REQUIRE(memcmp(&again, contract, sizeof again) == 0, "contract other", text);
}

static void check_greeting(const char *text, size_t length)
{
    static struct topk_greeting greeting;
    char error[TOPK_RUNNER_ERROR] = "";
    char said[300];
    const enum topk_speaker speakers[] = {TOPK_SPEAKER_WORKER, TOPK_SPEAKER_BACKEND};
    for (int i = 0; i < 2; i++) {
        if (topk_greeting_parse(speakers[i], text, length, &greeting, error) ==
            TOPK_GREETING_HELLO) {
            FUZZ_REQUIRE(greeting.batch > 0 && greeting.level >= 0x1000, "greeting numbers", error);
            check_contract(&greeting.contract);
            FUZZ_REQUIRE(topk_told_check(greeting.parts, error, sizeof error), "parts unread",
                         error);
        }
    }
    topk_said_print(text, length, said, sizeof said);
    for (const char *c = said; *c != 0; c++) {
        FUZZ_REQUIRE(*c >= ' ' && *c < 0x7f, "said unprintable", said);
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    uint32_t level;
    check_greeting(text, length);
    check_result(text, length);
    check_probe(text, length);
    check_word(text, length);
    check_crash(text, length);
    topk_level_parse(text, length, &level);
}

static const char *const words[] = {"topk-worker 1",
                                    " name=",
                                    " version=",
                                    " device=",
                                    " driver=",
                                    " features=",
                                    " level=5.0",
                                    " flags=",
                                    " batch=",
                                    " own=",
                                    "%20",
                                    "unavailable ",
                                    " clause=",
                                    " obs=",
                                    " ns=",
                                    " finding=",
                                    " cause=",
                                    " guess=",
                                    " sequence=",
                                    " got=",
                                    " why=",
                                    "verdict=",
                                    " value=",
                                    " detail=",
                                    "crash ",
                                    "SIGSEGV@0x10",
                                    ";m+0x1:f+0x2",
                                    " contract=",
                                    "ties%3Dany",
                                    "nan%3Dlast",
                                    "types%3Df32",
                                    "ranks%3D1..4",
                                    "order%3Dany",
                                    " parts=",
                                    "a.dll%201.2",
                                    "%0A",
                                    NULL};

const struct fuzz_target fuzz_target = {
    .name = "protocol",
    .about = "what a worker says is read as the one form of what it means, or refused",
    .max_bytes = 4096,
    .run = run,
    .words = words,
    .more_words = fuzz_result_words,
};
