/* The introductions of workers and backend processes: contracts in them. The runner's tests and
 * check-backend's have the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/protocol.h"

#define START "topk-backend 1 name=a version= device= driver= features= level=5.0 flags="
#define END   " batch=1 frame=0 align=1 own="

static void a_contract_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *rules; /* NULL: it is refused */
        uint32_t flags;
        const char *error;
    } rows[] = {
        {START "0" END, "", 0, ""},
        {START "1" END "a", "invalid=own", 1, ""},
        {START "0" END " contract=", "", 0, ""},
        {START "0" END " contract=ties%3Dany%20k%3D4", "ties=any k=4", 0, ""},
        {START "0" END " contract=invalid%3Down", "invalid=own", 1, ""},
        {START "4" END "b contract=topk-contract%201%0Anan%3Dlast%0Aname%3Da%20b", "nan=last", 4,
         ""},
        {START "0" END " contract=ties%3Dnone", NULL, 0, "its contract, line 1: ties is 'none'"},
        {START "0" END " contract=topk-contract%202", NULL, 0, "is of another version"},
        {START "0" END " contract=ties=any", NULL, 0, "contract= has to be a word"},
        {START "0" END " contract=ties%3Dany more", NULL, 0, "\" more\" stands behind its end"},
        {START "0" END " contracts=", NULL, 0, "stands behind its end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        char rules[TOPK_CONTRACT_RULES];
        error[0] = 0;
        const enum topk_greeting_kind kind = topk_greeting_parse(
            TOPK_SPEAKER_BACKEND, rows[i].line, strlen(rows[i].line), &greeting, error);
        if (rows[i].rules == NULL) {
            assert_int_equal(kind, TOPK_GREETING_NONE);
            if (strstr(error, rows[i].error) == NULL) {
                fail_msg("'%s' does not say '%s'", error, rows[i].error);
            }
            continue;
        }
        assert_int_equal(kind, TOPK_GREETING_HELLO);
        topk_contract_rules_print(&greeting.contract, rules);
        assert_string_equal(rules, rows[i].rules);
        assert_int_equal(greeting.flags, rows[i].flags);
    }
}

/* every option that is not DirectML's, all texts at their longest: what is cut is no rule */
static void the_longest_contract_keeps_its_rules(void **state)
{
    (void)state;
    static char line[TOPK_GREETING_LINE];
    static char error[TOPK_GREETING_ERROR];
    static struct topk_greeting greeting;
    static char text[TOPK_GREETING_TEXT];
    struct topk_contract contract = {.types = 0x1ff};
    memset(text, '=', sizeof text - 1);
    memset(contract.name, '%', sizeof contract.name - 1);
    memset(contract.source, ' ', sizeof contract.source - 1);
    contract.source[0] = '.';
    for (int i = 0; i < TOPK_OPTION_COUNT; i++) {
        topk_contract_choose(&contract, (enum topk_contract_option)i);
    }
    contract.least[TOPK_CONTRACT_RULE_RANKS] = 1;
    contract.most[TOPK_CONTRACT_RULE_RANKS] = 7;
    contract.least[TOPK_CONTRACT_RULE_K] = 1000000000;
    contract.most[TOPK_CONTRACT_RULE_K] = UINT32_MAX;
    topk_contract_choose(&contract, TOPK_OPTION_NAN_GREATEST);
    const struct topk_backend_info info = {.name = text,
                                           .version = text,
                                           .device = text,
                                           .driver = text,
                                           .features = text,
                                           .invalid_calls_reason = text,
                                           .feature_level = 0x5000,
                                           .batch = UINT32_MAX};
    topk_contract_choose(&contract, TOPK_OPTION_REPEAT_BYTES);
    const size_t length =
        topk_greeting_print(TOPK_SPEAKER_BACKEND, &info, &contract, UINT32_MAX, 4096, line);
    assert_true(length < sizeof line);
    assert_int_equal(line[length - 1], '\n');
    if (topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length - 1, &greeting, error) !=
        TOPK_GREETING_HELLO) {
        fail_msg("%s", error);
    }
    assert_int_equal(topk_contract_differs(&greeting.contract, &contract),
                     TOPK_CONTRACT_RULE_COUNT);
    assert_string_equal(greeting.contract.name, contract.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contract_is_read),
        cmocka_unit_test(the_longest_contract_keeps_its_rules),
    };
    return cmocka_run_group_tests_name("greeting", tests, NULL, NULL);
}
