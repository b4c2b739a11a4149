/* The output of the check: a line for each step, and for a broken rule what was sent and received,
 * and how to fix it. */
#include <stdarg.h>
#include <string.h>

#include "check.h"
#include "state.h"

static const struct {
    const char *key;
    const char *section;
    const char *quote;
    const char *fix;
} rules[] = {
    [CHECK_NO_RULE] = {"", "", "", ""},
#define RULE(name, key, section, quote, fix) [CHECK_##name] = {key, section, quote, fix},
#include "rules.def"
#undef RULE
};

#define STEP_WIDTH 14

void check_passed(struct check *check)
{
    fprintf(check->out, "ok    %-*s %s\n", STEP_WIDTH, check->step, check->note);
    fflush(check->out);
}

/* Writes a text after a heading, wrapped at spaces, with aligned lines. */
static void put_folded(FILE *out, const char *heading, const char *text)
{
    const size_t width = 86;
    fprintf(out, "  %-7s ", heading);
    while (*text != 0) {
        size_t length = strcspn(text, "\n");
        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ') {
                length--;
            }
            length = length == 0 ? width : length;
        }
        fprintf(out, "%.*s\n", (int)length, text);
        text += length;
        text += *text == ' ' || *text == '\n';
        if (*text != 0) {
            fputs("          ", out);
        }
    }
}

bool check_broken(struct check *check, enum check_rule rule, const char *format, ...)
{
    char what[1000];
    char quoted[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fprintf(check->out, "FAIL  %-*s breaks rule %s\n", STEP_WIDTH, check->step, rules[rule].key);
    put_folded(check->out, "what:", what);
    put_folded(check->out, "sent:", check->sent_length == 0 ? "nothing yet" : check->sent);
    put_folded(check->out, "came:", check->came[0] == 0 ? "nothing" : check->came);
    snprintf(quoted, sizeof quoted, "docs/backend-protocol.md, \"%s\": \"%s\"", rules[rule].section,
             rules[rule].quote);
    put_folded(check->out, "rule:", quoted);
    put_folded(check->out, "fix:", rules[rule].fix);
    fflush(check->out);
    check->code = TOPK_CHECK_BROKEN;
    return false;
}

enum check_rule check_garbled(const struct check *check, enum check_rule rule)
{
    return check->suspect == CHECK_NO_RULE ? rule : check->suspect;
}

bool check_stop(struct check *check, int code, const char *text)
{
    fprintf(check->out, "%s  %-*s %s\n", code == TOPK_CHECK_UNAVAILABLE ? "none" : "STOP",
            STEP_WIDTH, check->step, text);
    fflush(check->out);
    check->code = code;
    return false;
}
