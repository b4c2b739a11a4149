/* The output of the check: a line for each step, and for a broken rule what was sent and received,
 * and how to fix it. */
#include <inttypes.h>
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

/* Prints the line that skipped steps share. */
static void put_skipped(struct check *check)
{
    char names[80];
    if (check->why_skipped == NULL) {
        return;
    }
    if (check->first_skipped == check->last_skipped) {
        snprintf(names, sizeof names, "%s", check->first_skipped);
    } else {
        snprintf(names, sizeof names, "%s to %s", check->first_skipped, check->last_skipped);
    }
    fprintf(check->out, "--    %-*s not checked, because %s\n", STEP_WIDTH, names,
            check->why_skipped);
    check->why_skipped = NULL;
}

void check_skipped(struct check *check, const char *why)
{
    if (check->why_skipped != why) {
        put_skipped(check);
        check->first_skipped = check->step;
        check->why_skipped = why;
    }
    check->last_skipped = check->step;
}

void check_passed(struct check *check)
{
    static const char not_asked[] = "not asked";
    const bool asked = strncmp(check->note, not_asked, sizeof not_asked - 1) != 0;
    put_skipped(check);
    fprintf(check->out, "%s    %-*s %s\n", asked ? "ok" : "--", STEP_WIDTH, check->step,
            check->note);
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
    if (check->quiet) {
        return false;
    }
    put_skipped(check);
    check->code = TOPK_CHECK_BROKEN;
    if (check->broke[rule]++ > 0) {
        fprintf(check->out, "FAIL  %-*s breaks rule %s again\n", STEP_WIDTH, check->step,
                rules[rule].key);
        put_folded(check->out, "what:", what);
        fflush(check->out);
        return false;
    }
    fprintf(check->out, "FAIL  %-*s breaks rule %s\n", STEP_WIDTH, check->step, rules[rule].key);
    put_folded(check->out, "what:", what);
    put_folded(check->out, "sent:", check->sent_length == 0 ? "nothing yet" : check->sent);
    put_folded(check->out, "came:", check->came[0] == 0 ? "nothing" : check->came);
    snprintf(quoted, sizeof quoted, "docs/backend-protocol.md, \"%s\": \"%s\"", rules[rule].section,
             rules[rule].quote);
    put_folded(check->out, "rule:", quoted);
    put_folded(check->out, "fix:", rules[rule].fix);
    fflush(check->out);
    return false;
}

enum check_rule check_garbled(const struct check *check, enum check_rule rule)
{
    return check->suspect == CHECK_NO_RULE ? rule : check->suspect;
}

bool check_stop(struct check *check, int code, const char *text)
{
    if (check->quiet) {
        return false;
    }
    put_skipped(check);
    fprintf(check->out, "%s  %-*s %s\n", code == TOPK_CHECK_UNAVAILABLE ? "none" : "STOP",
            STEP_WIDTH, check->step, text);
    fflush(check->out);
    check->code = check->code == TOPK_CHECK_GOOD ? code : check->code;
    check->stopped = true;
    return false;
}

void check_summary(struct check *check, size_t left)
{
    uint32_t broken = 0;
    uint32_t failed = 0;
    put_skipped(check);
    if (left > 0 && !check->stopped) {
        fprintf(check->out, "STOP  the other %zu step%s not checked: %s\n", left,
                left == 1 ? " is" : "s are",
                check->was_late ? "each could take as long"
                                : "the command ended without a word; see its standard error");
    }
    for (size_t rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        broken += check->broke[rule] > 0;
        failed += check->broke[rule];
    }
    if (broken > 0) {
        fprintf(check->out,
                "%" PRIu32 " rule%s of docs/backend-protocol.md %s broken, by %" PRIu32
                " step%s.%s\n",
                broken, broken == 1 ? "" : "s", broken == 1 ? "is" : "are", failed,
                failed == 1 ? "" : "s",
                failed == 1 ? "" : " Start with the first: others may follow from it.");
    } else if (check->code == TOPK_CHECK_GOOD) {
        fputs("No rule of docs/backend-protocol.md is broken. Next: topk-cts run.\n", check->out);
    }
}
