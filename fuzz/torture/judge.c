/* Tries a point and decides whether its outcome is allowed. */
#define _GNU_SOURCE
#include "torture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The exit codes of topk-cts. */
enum {
    CONFORMANT = 0,
    FAILURES = 1,
    USAGE = 2,
    HARNESS = 3,
    UNAVAILABLE = 4,
    INCOMPLETE = 5,
    SKIPPED = 77
};

/* ---- what is compared
 * -------------------------------------------------------------------------- */

/* Returns the start and length of the last line that is not empty. */
static const char *last_line(const struct text *text, size_t *length)
{
    size_t end = text->length;
    while (end > 0 && text->at[end - 1] == '\n') {
        end--;
    }
    size_t start = end;
    while (start > 0 && text->at[start - 1] != '\n') {
        start--;
    }
    *length = end - start;
    return text->at == NULL ? "" : text->at + start;
}

/* Appends a line without the values of members that differ from run to run. */
static void add_without(struct text *to, const char *line, size_t length,
                        const char *const *members)
{
    for (size_t i = 0; i < length;) {
        size_t skip = 0;
        for (const char *const *member = members; *member != NULL && skip == 0; member++) {
            const size_t known = strlen(*member);
            if (length - i > known && strncmp(line + i, *member, known) == 0) {
                skip = known;
                while (i + skip < length && strchr(",} \"", line[i + skip]) == NULL) {
                    skip++;
                }
            }
        }
        if (skip > 0) {
            i += skip;
        } else {
            text_add(to, line + i, 1);
            i++;
        }
    }
    text_add(to, "\n", 1);
}

static bool starts(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && strncmp(line, with, strlen(with)) == 0;
}

/* Appends what is compared of files: of a log, its cases with verdicts and findings, and whether it
 * is complete; of a JUnit file, all but the times. Bug files are left out, because what else is
 * tried beside the cases depends on the time it takes. */
static void compared_files(struct text *to, const struct text *files, enum subject_kind kind)
{
    static const char *const of_cases[] = {"\"nanoseconds\":", "\"chain\":\"", NULL};
    static const char *const of_junit[] = {"time=\"", "timestamp=\"", NULL};
    struct text end = {0};
    bool log = false;
    bool junit = false;
    bool other = false;
    bool empty = false; /* the last line was empty, so it may only separate two files */
    for (size_t at = 0; at < files->length;) {
        const char *line = files->at + at;
        const char *stop = memchr(line, '\n', files->length - at);
        const size_t length = stop == NULL ? files->length - at : (size_t)(stop - line);
        at += length + 1;
        if (empty && !starts(line, length, "== ") && !log && !other) {
            text_add(to, "\n", 1);
        }
        empty = length == 0;
        if (empty) {
            continue;
        }
        if (starts(line, length, "== ")) {
            log = kind == RUN && memmem(line, length, "results.jsonl", 13) != NULL;
            junit = memmem(line, length, "junit.xml", 9) != NULL;
            other = kind == RUN && !log && !junit;
            other |=
                memmem(line, length, ".tmp", 4) != NULL || memmem(line, length, ".lock", 5) != NULL;
            if (!other) {
                text_print(to, "%.*s\n", (int)length, line);
            }
        } else if (log) {
            if (starts(line, length, "{\"record\":\"case\"")) {
                add_without(to, line, length, of_cases);
            } else if (starts(line, length, "{\"record\":\"end\"")) {
                end.length = 0;
                text_print(&end, "%s\n",
                           memmem(line, length, "\"complete\":true", 15) != NULL ? "complete"
                                                                                 : "incomplete");
            }
        } else if (junit && memmem(line, length, "<property ", 10) != NULL) {
            /* when it ran, and what was found on the machine in the time available */
        } else if (junit) {
            add_without(to, line, length, of_junit);
        } else if (!other) {
            text_print(to, "%.*s\n", (int)length, line);
        }
    }
    text_add(to, end.at, end.length);
    text_free(&end);
}

/* Replaces the path of the slot's folder, which differs every time. */
static void compared_text(struct text *to, const struct text *from, const struct place *place,
                          unsigned slot)
{
    struct text folder = {0};
    text_print(&folder, "%s/%u", place->work, slot);
    for (size_t i = 0; i < from->length;) {
        if (from->length - i >= folder.length &&
            memcmp(from->at + i, folder.at, folder.length) == 0) {
            text_add(to, "@", 1);
            i += folder.length;
        } else {
            text_add(to, from->at + i, 1);
            i++;
        }
    }
    text_free(&folder);
}

static bool same_bytes(const struct text *a, const struct text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->at, b->at, a->length) == 0);
}

/* Returns what differs, or NULL. */
static const char *differs(const struct place *place, unsigned slot, enum subject_kind kind,
                           const struct outcome *calm, const struct outcome *now)
{
    const char *what = NULL;
    struct text a = {0};
    struct text b = {0};
    if (kind == EXACT) {
        compared_text(&a, &calm->out, place, 0);
        compared_text(&b, &now->out, place, slot);
    } else {
        size_t length;
        const char *line = last_line(&calm->out, &length);
        text_add(&a, line, length);
        line = last_line(&now->out, &length);
        text_add(&b, line, length);
    }
    if (!same_bytes(&a, &b)) {
        what = "what is printed";
    }
    a.length = 0;
    b.length = 0;
    struct text files[2] = {{0}, {0}};
    compared_text(&files[0], &calm->files, place, 0);
    compared_text(&files[1], &now->files, place, slot);
    compared_files(&a, &files[0], kind);
    compared_files(&b, &files[1], kind);
    if (what == NULL && !same_bytes(&a, &b)) {
        what = "what is written";
    }
    if (what != NULL && getenv("TORTURE_DIFF") != NULL) { /* for looking into a single point */
        fprintf(stderr, "---- undisturbed:\n%s\n---- now:\n%s\n", a.at == NULL ? "" : a.at,
                b.at == NULL ? "" : b.at);
    }
    text_free(&files[0]);
    text_free(&files[1]);
    text_free(&a);
    text_free(&b);
    return what;
}

/* Returns whether the files of a subject marked exact are those of the undisturbed run. */
static bool same_files(const struct place *place, unsigned slot, const struct outcome *calm,
                       const struct outcome *now)
{
    struct text files[2] = {{0}, {0}};
    struct text compared[2] = {{0}, {0}};
    compared_text(&files[0], &calm->files, place, 0);
    compared_text(&files[1], &now->files, place, slot);
    for (int i = 0; i < 2; i++) {
        compared_files(&compared[i], &files[i], EXACT);
        text_free(&files[i]);
    }
    const bool same = same_bytes(&compared[0], &compared[1]);
    text_free(&compared[0]);
    text_free(&compared[1]);
    return same;
}

/* ---- what is allowed
 * --------------------------------------------------------------------------- */

/* Returns the exit code that the printed verdict line stands for; -1 if there is none. */
static int verdict_line_code(const struct text *out)
{
    static const struct {
        const char *start;
        int code;
    } lines[] = {{"CONFORMANT", CONFORMANT},
                 {"PASSED", CONFORMANT},
                 {"NOT CONFORMANT", FAILURES},
                 {"FAILED", FAILURES},
                 {"VERIFIED", CONFORMANT}};
    int code = -1;
    for (size_t at = 0; at < out->length;) {
        const char *line = out->at + at;
        const char *stop = memchr(line, '\n', out->length - at);
        const size_t length = stop == NULL ? out->length - at : (size_t)(stop - line);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
            if (starts(line, length, lines[i].start)) {
                code = lines[i].code;
            }
        }
        at += length + 1;
    }
    return code;
}

static bool has_log(const struct outcome *outcome)
{
    return outcome->files.length > 0 && strstr(outcome->files.at, "\n== results.jsonl\n") != NULL;
}

/* Returns whether the log says that a process really broke or ran out of a resource. */
static bool log_tells(const struct outcome *outcome)
{
    static const char *const verdicts[] = {
        "\"verdict\":\"crash\"",       "\"verdict\":\"error\"",
        "\"verdict\":\"timeout\"",     "\"verdict\":\"harness-error\"",
        "\"verdict\":\"unsupported\"", "\"verdict\":\"device-lost\"",
        "\"verdict\":\"refused\"",     "\"record\":\"process\"",
        "\"kind\":\"flaky\""};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        if (outcome->files.length > 0 && strstr(outcome->files.at, verdicts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool was_killed(const struct point *point)
{
    return (point->way == FAULT && faults[point->which].error == TORTURE_KILLED) ||
           point->way == SIGNAL;
}

/* Decides, from the disturbed run alone, how it ended. */
static enum verdict ended(const struct place *place, unsigned slot, const struct outcome *calm,
                          const struct outcome *now, const struct point *point, struct text *why)
{
    const struct subject *subject = &subjects[point->subject];
    const bool real =
        point->program != CTS; /* what is under test, or runs beside it, has really failed */
    if (now->hung) {
        text_print(why, "does not end within %.0f seconds", place->limit);
        return HANG;
    }
    if (now->orphans) {
        text_print(why, "leaves processes behind that do not end");
        return LOST;
    }
    if (WIFSIGNALED(now->status)) {
        if (was_killed(point) && point->program == CTS) {
            return SURVIVED;
        }
        text_print(why, "killed by signal %d", WTERMSIG(now->status));
        return ABORT;
    }
    const int code = WEXITSTATUS(now->status);
    const int wanted = WEXITSTATUS(calm->status);
    const int line = verdict_line_code(&now->out);
    if (code == 126 && strstr(now->err.at == NULL ? "" : now->err.at, "torture:") != NULL) {
        die("%s", now->err.at);
    }
    if (code == 127 && point->way == LIMIT) {
        return MISSED; /* the program was not even loaded */
    }
    if (code > INCOMPLETE && code != SKIPPED) {
        text_print(why, "exits with %d", code);
        return ABORT;
    }
    if (line >= 0 && line != code) {
        text_print(why, "the verdict line stands for %d, but the exit code is %d", line, code);
        return FALSE_VERDICT;
    }
    if (point->way == HOSTILE) {
        if (code != CONFORMANT && code != FAILURES && code != SKIPPED && now->err.length == 0) {
            text_print(why, "exits with %d without a message", code);
            return LOST;
        }
        return SURVIVED;
    }
    if (code == wanted && code != HARNESS) {
        const bool closed_output = point->way == CLOSED && (point->number & 2) != 0;
        const char *what = closed_output ? NULL : differs(place, slot, subject->kind, calm, now);
        const bool admitted =
            (now->out.length > 0 && strstr(now->out.at, "memory is too short") != NULL) ||
            (now->out.length > 0 && strstr(now->out.at, "was ended from outside") != NULL) ||
            (!real && now->err.length > 0 &&
             strstr(now->err.at, "that failed can be run again") != NULL) ||
            (!real && now->out.length > 0 &&
             strstr(now->out.at, "put the folder of topk_backend.h in place") != NULL);
        if (what != NULL && !admitted &&
            !(real && (subject->kind == RUN ? log_tells(now) : code == FAILURES))) {
            text_print(why, "exits with %d as if all were well, but %s differs", code, what);
            return real ? FALSE_VERDICT : LOST;
        }
        if (closed_output && calm->out.length > 0 && code != FAILURES) {
            text_print(why, "exits with %d although standard output is closed", code);
            return LOST;
        }
        return SURVIVED;
    }
    if (code == CONFORMANT || code == FAILURES || code == SKIPPED) {
        if (real && code != CONFORMANT && (subject->kind != RUN || log_tells(now))) {
            return SURVIVED;
        }
        /* A backend that runs out of memory supports less, and the run reports that. */
        if (real && point->way == FAULT && subject->kind == RUN && now->out.length > 0 &&
            strstr(now->out.at, "cases  out of memory") != NULL) {
            return SURVIVED;
        }
        text_print(why, "exits with %d instead of %d", code, wanted);
        return FALSE_VERDICT;
    }
    /* A user who names a file without access rights is told so. */
    const int error = point->way == FAULT ? faults[point->which].error : 0;
    if (code == USAGE && error != EACCES && error != EPERM) {
        text_print(why, "calls it a wrong command line");
        return LOST;
    }
    const bool said = now->err.length > 0 ||
                      (now->out.length > 0 && (strstr(now->out.at, "NOT VERIFIED: ") != NULL ||
                                               strstr(now->out.at, " harness-error") != NULL ||
                                               strstr(now->out.at, "HARNESS-ERROR ") != NULL));
    if (!said && !(point->way == CLOSED && (point->number & 4) != 0)) {
        text_print(why, "exits with %d without a message", code);
        return LOST;
    }
    return SURVIVED;
}

/* Checks that a file that existed before is either the old or the new one. */
static bool old_or_new(const struct place *place, unsigned slot, const struct outcome *calm,
                       const struct outcome *now, const char *name, struct text *why)
{
    struct text head = {0};
    struct text before = {0};
    struct text after = {0};
    compared_text(&before, &calm->files, place, 0);
    compared_text(&after, &now->files, place, slot);
    text_print(&head, "\n== %s\n", name);
    const char *is = after.length == 0 ? NULL : strstr(after.at, head.at);
    const char *should = before.length == 0 ? NULL : strstr(before.at, head.at);
    bool ok = is != NULL && should != NULL;
    if (ok) {
        const char *end = strstr(is + 1, "\n== ");
        const size_t length = (end == NULL ? strlen(is) : (size_t)(end - is)) - head.length;
        ok = (length == 4 && memcmp(is + head.length, "old\n", 4) == 0) ||
             (strlen(should) - head.length == length &&
              memcmp(is + head.length, should + head.length, length) == 0);
    }
    if (!ok) {
        text_print(why, "%s is neither the old file nor the whole new one", name);
    }
    text_free(&head);
    text_free(&before);
    text_free(&after);
    return ok;
}

enum verdict point_try(const struct place *place, unsigned slot, struct torture_shared *shared,
                       const struct outcome *calm, const struct point *point, bool show,
                       struct text *why)
{
    const struct subject *subject = &subjects[point->subject];
    struct outcome now;
    shared->trace = show;
    outcome_make(&now, place, slot, shared, subject, point, NULL, false);
    enum verdict verdict = ended(place, slot, calm, &now, point, why);
    if (show) {
        printf("---- standard output\n%s\n---- standard error\n%s\n---- ends with %s %d\n",
               now.out.at == NULL ? "" : now.out.at, now.err.at == NULL ? "" : now.err.at,
               WIFSIGNALED(now.status) ? "signal" : "exit code",
               WIFSIGNALED(now.status) ? WTERMSIG(now.status) : WEXITSTATUS(now.status));
    }
    const bool stopped =
        !WIFEXITED(now.status) || WEXITSTATUS(now.status) != WEXITSTATUS(calm->status);
    if (verdict == SURVIVED && point->way != HOSTILE && stopped) {
        if (subject->old != NULL && point->program == CTS &&
            !old_or_new(place, slot, calm, &now, subject->old, why)) {
            verdict = LOST;
        }
        /* An interrupted run is continued and must end as if nothing had happened; a command that
         * leaves nothing behind is repeated. */
        struct outcome again;
        memset(shared->program, 0, sizeof shared->program);
        outcome_make(&again, place, slot, shared, subject, NULL,
                     subject->kind == RUN && has_log(&now) ? "--resume" : subject->again, true);
        const char *what = differs(place, slot, subject->kind, calm, &again);
        /* A real failure stays in the log, and a complete log need not be made again. */
        const bool known =
            (point->program != CTS && subject->kind == RUN && log_tells(&now)) ||
            (subject->kind == EXACT && WIFEXITED(again.status) &&
             WEXITSTATUS(again.status) == USAGE &&
             (same_files(place, slot, calm, &now) ||
              (again.err.length > 0 && strstr(again.err.at, " already exists: ") != NULL)));
        if (verdict == SURVIVED && !known &&
            (again.hung || again.status != calm->status || what != NULL)) {
            text_print(why, "done again, it ends with %d, and %s differs: %.300s",
                       WIFEXITED(again.status) ? WEXITSTATUS(again.status)
                                               : -WTERMSIG(again.status),
                       what == NULL ? "nothing" : what, again.err.at == NULL ? "" : again.err.at);
            verdict = LOST;
        }
        if (show) {
            printf("---- done again\n%s%s\n", again.out.at == NULL ? "" : again.out.at,
                   again.err.at == NULL ? "" : again.err.at);
        }
        outcome_free(&again);
    }
    if (verdict == SURVIVED && !now.hit) {
        verdict = MISSED;
    }
    outcome_free(&now);
    return verdict;
}
