/* From the start of a process to its greeting, and its end. */
#include <string.h>

#include "check.h"
#include "reference/result.h"
#include "steps.h"

/* a device that no process has, with all characters that words escape */
#define OTHER_DEVICE "no such device, 100% = \xc3\xa4"

static bool starts_with(const struct check *check, const char *text)
{
    return strncmp(check->line, text, strlen(text)) == 0;
}

/* Large arrays below are static, because the stack may be small. */

/* Sends a line that is answered by a line; without an answer, the rule is broken. */
static bool ask(struct check *check, const char *line, enum check_rule blame)
{
    check_request(check);
    check->blame = blame;
    return check_say(check, line) && check_hear(check);
}

/* whether the rest of the line from a character on is a well-formed word */
static bool check_word(struct check *check, size_t from, const char *what)
{
    static char text[CHECK_LINE + 1];
    return topk_word_parse(check->line + from, check->length - from, text, sizeof text) ||
           check_broken(check, CHECK_WORD, "what follows \"%s\" is not a word", what);
}

static bool say_unavailable(struct check *check)
{
    static char text[CHECK_LINE + 1];
    char said[400];
    char line[440];
    if (!check_word(check, 12, "unavailable") ||
        !topk_word_parse(check->line + 12, check->length - 12, text, sizeof text)) {
        return false;
    }
    topk_said_print(text, strlen(text), said, sizeof said);
    snprintf(line, sizeof line, "it is unavailable: %s", said);
    return check_stop(check, TOPK_CHECK_UNAVAILABLE, line);
}

static bool check_quiet_so_far(struct check *check)
{
    return !starts_with(check, "topk-backend ") ||
           check_broken(check, CHECK_JUDGE_FIRST, "it introduces itself before it is asked to");
}

/* ---- devices ---------------------------------------------------------------------------------
 */

static bool ask_devices(struct check *check)
{
    if (!ask(check, "devices", CHECK_DEVICES) || !check_quiet_so_far(check)) {
        return false;
    }
    if (starts_with(check, "unavailable ")) {
        return say_unavailable(check);
    }
    if (!starts_with(check, "devices=")) {
        return check_broken(check, CHECK_DEVICES, "that is not a list of devices");
    }
    snprintf(check->devices, sizeof check->devices, "%s", check->line + 8);
    for (const char *at = check->devices; *at != 0;) {
        static char text[CHECK_LINE + 1];
        const size_t length = strcspn(at, ",");
        if (!topk_word_parse(at, length, text, sizeof text)) {
            return check_broken(check, CHECK_WORD, "the name of a device is not a word");
        }
        if (length == 0 || (at[length] == ',' && at[length + 1] == 0)) {
            return check_broken(check, CHECK_DEVICES, "the name of a device is empty");
        }
        at += length + (at[length] == ',');
    }
    return check_silent(check);
}

bool check_step_devices(struct check *check)
{
    if (!check_start(check) || !ask_devices(check)) {
        return false;
    }
    check->listed = true;
    snprintf(check->note, sizeof check->note, "%s%.300s",
             check->devices[0] == 0 ? "there is no choice" : "lists ", check->devices);
    return true;
}

bool check_step_quit_early(struct check *check)
{
    check_request(check);
    check->blame = CHECK_DEVICES_WAIT;
    snprintf(check->note, sizeof check->note, "exits with 0 before it is opened");
    return check_say(check, "quit") && check_ends(check, 0, "\"quit\"", CHECK_QUIT);
}

/* ---- open ------------------------------------------------------------------------------------
 */

bool check_step_version(struct check *check)
{
    snprintf(check->note, sizeof check->note, "\"open 2 \" is refused");
    if (!check_start(check) || !ask(check, "open 2 ", CHECK_OPEN_VERSION)) {
        return false;
    }
    const bool error = starts_with(check, "error ");
    if (!error && !starts_with(check, "unavailable ")) {
        return check_broken(check, CHECK_OPEN_VERSION,
                            "it opens version 2 of a page of which there is version 1");
    }
    return check_word(check, error ? 6 : 12, error ? "error" : "unavailable") &&
           check_ends(check, error ? 3 : -1, "its answer", error ? CHECK_ERROR : CHECK_OPEN);
}

bool check_step_unavailable(struct check *check)
{
    char line[160] = "open 1 ";
    topk_word_print(OTHER_DEVICE, line + 7, sizeof line - 7);
    snprintf(check->note, sizeof check->note, "a device that it does not have is unavailable");
    if (!check_start(check) || !ask(check, line, CHECK_OPEN_DEVICE)) {
        return false;
    }
    if (!starts_with(check, "unavailable ")) {
        return check_broken(check, CHECK_OPEN_DEVICE, "it has no device \"%s\"", OTHER_DEVICE);
    }
    return check_word(check, 12, "unavailable") &&
           check_ends(check, -1, "\"unavailable\"", CHECK_OPEN);
}

/* checks the words of a greeting, before its fields */
static bool check_fields(struct check *check)
{
    for (const char *at = check->line; *at != 0; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const size_t label = strcspn(at, "= ");
        static char text[CHECK_LINE + 1];
        if (label < length &&
            !topk_word_parse(at + label + 1, length - label - 1, text, sizeof text)) {
            return check_broken(check, CHECK_WORD, "the value of %.*s is not a word",
                                (int)label + 1, at);
        }
        at += length;
    }
    return true;
}

/* Opens a device; the answer is in the line. */
static bool open_device(struct check *check, const char *device, enum check_rule blame,
                        struct topk_greeting *greeting)
{
    static char line[CHECK_LINE + 16];
    char why[TOPK_GREETING_ERROR];
    snprintf(line, sizeof line, "open 1 %s", device);
    if (!ask(check, line, blame)) {
        return false;
    }
    if (starts_with(check, "unavailable ")) {
        return say_unavailable(check);
    }
    if (starts_with(check, "misdeclared ")) {
        topk_greeting_parse(TOPK_SPEAKER_BACKEND, check->line, check->length, greeting, why);
        return check_word(check, 12, "misdeclared") &&
               check_broken(check, CHECK_INTRODUCTION, "its contract is wrong: %.900s", why);
    }
    if (!starts_with(check, "topk-backend ")) {
        return check_broken(check, CHECK_OPEN, "that is not an introduction");
    }
    if (!check_fields(check)) {
        return false;
    }
    if (topk_greeting_parse(TOPK_SPEAKER_BACKEND, check->line, check->length, greeting, why) !=
        TOPK_GREETING_HELLO) {
        return check_broken(check, CHECK_INTRODUCTION, "%.900s", why);
    }
    const uint32_t known = TOPK_FLAG_OWN_CONTRACT | TOPK_FLAG_STRICT_LEVEL | TOPK_FLAG_SOFTWARE |
                           TOPK_FLAG_SOFTWARE_DEVICE | TOPK_FLAG_PROBES | TOPK_FLAG_IN_PLACE |
                           TOPK_FLAG_MEMORY | TOPK_FLAG_GUARD_PAGES;
    if ((greeting->flags & ~known) != 0) {
        return check_broken(check, CHECK_FLAGS, "the page does not have the flags %x",
                            (unsigned)(greeting->flags & ~known));
    }
    if ((greeting->flags & TOPK_FLAG_OWN_CONTRACT) != 0 && greeting->own[0] == 0) {
        return check_broken(check, CHECK_OWN, "flag 1 is set, and own= is empty");
    }
    return check_silent(check);
}

bool check_step_open(struct check *check)
{
    if (!check_start(check) || !open_device(check, "", CHECK_OPEN, &check->greeting)) {
        return false;
    }
    const struct topk_greeting *greeting = &check->greeting;
    snprintf(check->introduction, sizeof check->introduction, "%s", check->line);
    char said[200];
    topk_said_print(greeting->name, strlen(greeting->name), said, sizeof said);
    snprintf(check->note, sizeof check->note,
             "introduces itself as '%s', level %u.%u, flags %x, batch %u", said,
             (unsigned)(greeting->level >> 12), (unsigned)(greeting->level >> 8 & 15),
             (unsigned)greeting->flags, (unsigned)greeting->batch);
    check->slowest = 0;
    return true;
}

bool check_reopen(struct check *check)
{
    static struct topk_greeting greeting;
    check->quiet = true;
    const bool open = check_start(check) && open_device(check, "", CHECK_OPEN, &greeting);
    check->quiet = false;
    if (!open) {
        check_kill(check);
    }
    return open;
}

/* ---- the end ---------------------------------------------------------------------------------
 */

bool check_step_quit(struct check *check)
{
    check_request(check);
    check->blame = CHECK_QUIT;
    snprintf(check->note, sizeof check->note, "exits with 0");
    return check_silent(check) && check_say(check, "quit") &&
           check_ends(check, 0, "\"quit\"", CHECK_QUIT);
}

/* copies a greeting without the fields that may change */
static void strip(const char *line, char *text)
{
    static const char *const may_change[] = {" batch=", " frame=", " align=", " parts="};
    for (const char *at = line; *at != 0;) {
        bool left_out = false;
        for (size_t i = 0; i < sizeof may_change / sizeof may_change[0]; i++) {
            left_out |= strncmp(at, may_change[i], strlen(may_change[i])) == 0;
        }
        const size_t length = strcspn(at + 1, " ") + 1;
        if (!left_out) {
            memcpy(text, at, length);
            text += length;
        }
        at += length;
    }
    *text = 0;
}

bool check_step_restart(struct check *check)
{
    static struct topk_greeting greeting;
    static char before[CHECK_LINE + 2];
    static char after[CHECK_LINE + 2];
    size_t place = 0;
    snprintf(check->note, sizeof check->note, "introduces itself as before");
    if (!check_start(check) || !ask_devices(check) ||
        !open_device(check, "", CHECK_DEVICES_WAIT, &greeting)) {
        return false;
    }
    strip(check->introduction, before);
    strip(check->line, after);
    if (strcmp(before, after) == 0) {
        return true;
    }
    while (before[place] == after[place]) {
        place++;
    }
    return check_broken(check, CHECK_RESTART, "it said \"%.60s\", and now says \"%.60s\"",
                        before + place, after + place);
}

bool check_step_end(struct check *check)
{
    snprintf(check->note, sizeof check->note, "exits with 0");
    return check_ends_with_input(check);
}

bool check_step_device(struct check *check)
{
    static struct topk_greeting greeting;
    static char first[CHECK_LINE + 2];
    if (check->devices[0] == 0) {
        snprintf(check->note, sizeof check->note, "there is no choice");
        return true;
    }
    if (!check_start(check) || !ask_devices(check)) {
        return false;
    }
    snprintf(first, sizeof first, "%.*s", (int)strcspn(check->devices, ","), check->devices);
    snprintf(check->note, sizeof check->note, "opens %.300s", first);
    return open_device(check, first, CHECK_DEVICES_WAIT, &greeting) && check_ends_with_input(check);
}

static bool ask_nonsense(struct check *check)
{
    snprintf(check->note, sizeof check->note, "reports a line that is not a request, exits with 3");
    if (!ask(check, "this is not a request", CHECK_ERROR) || !check_quiet_so_far(check)) {
        return false;
    }
    if (!starts_with(check, "error ")) {
        return check_broken(check, CHECK_ERROR, "that is not \"error W\"");
    }
    return check_word(check, 6, "error") && check_ends(check, 3, "\"error W\"", CHECK_ERROR);
}

bool check_step_error_early(struct check *check)
{
    return check_start(check) && ask_nonsense(check);
}

bool check_step_error(struct check *check)
{
    struct topk_greeting greeting;
    return check_start(check) && open_device(check, "", CHECK_OPEN, &greeting) &&
           ask_nonsense(check);
}
