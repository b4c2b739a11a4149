/* A comparison of runs as text, for a terminal. */
#include <inttypes.h>
#include <string.h>

#include "compare_report.h"
#include "log/log.h"

/* ---- texts ----------------------------------------------------------------------------------- */

/* Prints a fact with words before it, or nothing if the text is empty. */
static void put_fact(FILE *out, const char *before, const char *text)
{
    if (text[0] != 0) {
        fputs(before, out);
        topk_text_print(out, text);
    }
}

static void print_totals(FILE *out, const struct topk_run *run)
{
    const char *none =
        topk_totals_print(out, "   ", run->totals, run->by_status) ? "" : "   no results";
    fprintf(out, "%s\n", none);
    if (!run->complete) {
        fprintf(out, "   incomplete: %" PRIu64 " of %" PRIu64 " cases have a result\n",
                run->recorded, run->selected);
    }
    if (run->judge != TOPK_JUDGE_APART) {
        fprintf(out, "   %s\n", topk_judge_phrase(run->judge));
    }
}

static void print_run(FILE *out, const struct topk_run *run, const char *letter, const char *path)
{
    char *const *facts = run->facts;
    fprintf(out, "%s  %s\n   ", letter, path);
    topk_text_print(out, topk_name_shown(facts[TOPK_FACT_BACKEND]));
    put_fact(out, " ", facts[TOPK_FACT_VERSION]);
    put_fact(out, " on ", facts[TOPK_FACT_DEVICE]);
    put_fact(out, ", driver ", facts[TOPK_FACT_DRIVER]);
    fputs(topk_log_software_note(facts[TOPK_FACT_SOFTWARE]), out);
    fputs("\n   topk-cts ", out);
    topk_text_print(out, facts[TOPK_FACT_SUITE]);
    fputs(", profile ", out);
    topk_text_print(out, facts[TOPK_FACT_PROFILE]);
    fprintf(out, " (digest %.12s), %" PRIu64 " cases", facts[TOPK_FACT_DIGEST], run->selected);
    put_fact(out, " selected by ", facts[TOPK_FACT_SELECTIONS]);
    fputs(", started ", out);
    topk_text_print(out, run->started);
    fputc('\n', out);
    print_totals(out, run);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void print_facts(FILE *out, const struct topk_run *a, const struct topk_run *b,
                        const char *letter)
{
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        if (strcmp(a->facts[i], b->facts[i]) != 0) {
            fprintf(out, "  different %s:\n    A  ", topk_fact_name((enum topk_fact)i));
            topk_text_print(out, a->facts[i][0] == 0 ? "(none)" : a->facts[i]);
            fprintf(out, "\n    %s  ", letter);
            topk_text_print(out, b->facts[i][0] == 0 ? "(none)" : b->facts[i]);
            fputc('\n', out);
        }
    }
    if (strcmp(a->facts[TOPK_FACT_PROFILE], b->facts[TOPK_FACT_PROFILE]) != 0 ||
        strcmp(a->facts[TOPK_FACT_DIGEST], b->facts[TOPK_FACT_DIGEST]) != 0) {
        fprintf(out, "%s\n", "  The profiles are not the same: cases are compared by their ids.");
    }
}

static void print_parts(FILE *out, const struct topk_comparison *comparison,
                        const struct topk_run *a, const struct topk_run *b, const char *letter)
{
    if ((a->parts.count == 0) != (b->parts.count == 0)) {
        fprintf(out, "  what was tested is recorded in %s only, and not compared\n",
                a->parts.count == 0 ? letter : "A");
    }
    for (size_t i = 0; i < comparison->part_count; i++) {
        const struct topk_change_part *change = &comparison->parts[i];
        const struct topk_log_part *part = change->before == NULL ? change->after : change->before;
        char words[TOPK_PART_WORDS];
        fprintf(out, "  different %s", topk_log_part_role_title(part->role));
        put_fact(out, " ",
                 topk_log_part_role_file(part->role) ? topk_log_part_text(part, TOPK_LOG_PART_NAME)
                                                     : "");
        fputs(":\n    A  ", out);
        topk_part_words(change->before, words);
        topk_text_print(out, words);
        fprintf(out, "\n    %s  ", letter);
        topk_part_words(change->after, words);
        topk_text_print(out, words);
        fputc('\n', out);
    }
}

static void print_observations(FILE *out, const struct topk_run *a, const struct topk_run *b)
{
    const char *before = "  observed, cases of each run:\n";
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (a->observations[i] != b->observations[i]) {
            fprintf(out, "%s    %s %s: %" PRIu64 " -> %" PRIu64 "\n", before,
                    topk_clause_id(row->clause), row->word, a->observations[i], b->observations[i]);
            before = "";
        }
    }
}

static void print_probes(FILE *out, const struct topk_comparison *comparison,
                         const struct topk_run *a, const struct topk_run *b, const char *letter)
{
    if ((a->probe_count == 0) != (b->probe_count == 0)) {
        fprintf(out, "  probes are in %s only, and not compared\n",
                a->probe_count == 0 ? letter : "A");
    }
    for (size_t i = 0; i < comparison->probe_count; i++) {
        const struct topk_change_probe *c = &comparison->probes[i];
        fprintf(out, "%s    %s: ", i == 0 ? "  probes that differ:\n" : "",
                c->before == NULL ? c->after->name : c->before->name);
        char before[TOPK_OUTCOME_TEXT];
        char after[TOPK_OUTCOME_TEXT];
        topk_probe_words(c->before, before);
        topk_probe_words(c->after, after);
        fprintf(out, "%s -> %s%s\n", before, after, c->worse ? " (new finding)" : "");
    }
}

static void print_verdict(FILE *out, const struct topk_comparison *comparison, const char *letter)
{
    const char *before = " ";
    fprintf(out, "%s IS %s A:", letter, topk_comparison_words(comparison));
    for (int i = 0; i < TOPK_CHANGE_COUNT; i++) {
        uint64_t count = comparison->counts[i];
        if (count > 0) {
            fprintf(out, "%s%" PRIu64 " %s", before, count,
                    topk_change_name((enum topk_change)i, count));
            before = ", ";
        }
    }
    if (comparison->case_count == 0) {
        fprintf(out, "%severy case has the same result", before);
        before = ", ";
    }
    if (comparison->probe_count > 0) {
        fprintf(out, "%s%zu %s", before, comparison->probe_count,
                comparison->probe_count == 1 ? "probe differs" : "probes differ");
        before = ", ";
    }
    if (comparison->part_count > 0) {
        fprintf(out, "%s%zu %s of what was tested %s", before, comparison->part_count,
                comparison->part_count == 1 ? "part" : "parts",
                comparison->part_count == 1 ? "differs" : "differ");
        before = ", ";
    }
    if (comparison->judge_worse) {
        fprintf(out, "%sits judge is less trustworthy", before);
        before = ", ";
    }
    if (comparison->ends_worse) {
        fprintf(out, "%sits processes did not end well", before);
    }
    fputc('\n', out);
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void print_group(FILE *out, const struct topk_comparison *comparison,
                        const struct topk_change_group *group)
{
    const struct topk_change_case *c = &comparison->cases[group->first];
    fprintf(out, "  %zu of %.*s: ", group->count, c->test_length == 0 ? 5 : (int)c->test_length,
            c->test_length == 0 ? "cases" : c->id);
    char before[TOPK_OUTCOME_TEXT];
    char after[TOPK_OUTCOME_TEXT];
    topk_group_words(comparison, group, before, after);
    fprintf(out, "%s -> %s\n", before, after);
    for (uint64_t i = 0; i < group->shown; i++) {
        fputs("    ", out);
        topk_text_print(out, c[i].id);
        fputc('\n', out);
    }
}

/* Prints the groups of one change, from `from` up to but excluding `to`. */
static void print_change(FILE *out, const struct topk_comparison *comparison, size_t from,
                         size_t to)
{
    enum topk_change change = comparison->cases[comparison->groups[from].first].change;
    uint64_t rest = comparison->counts[change];
    fprintf(out, "\n%s: %" PRIu64 "\n", topk_change_name(change, 2), rest);
    for (; from < to && comparison->groups[from].shown > 0 && ferror(out) == 0; from++) {
        print_group(out, comparison, &comparison->groups[from]);
        rest -= comparison->groups[from].shown;
    }
    if (rest > 0) {
        fprintf(out, "  and %" PRIu64 " more cases; --max-shown=%" PRIu64 " shows all\n", rest,
                comparison->counts[change]);
    }
}

static void print_changes(FILE *out, const struct topk_comparison *comparison)
{
    for (size_t from = 0, to = 0; from < comparison->group_count; from = to) {
        enum topk_change change = comparison->cases[comparison->groups[from].first].change;
        while (to < comparison->group_count &&
               comparison->cases[comparison->groups[to].first].change == change) {
            to++;
        }
        if (comparison->groups[from].shown > 0) {
            print_change(out, comparison, from, to);
        }
    }
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* How many tests are named, by what factor their time must have changed, and how long they must
 * take at least. */
#define TESTS_SHOWN    3
#define CHANGED_TIMES  1.5
#define TAKEN_AT_LEAST UINT64_C(1000000)

static void print_time(FILE *out, uint64_t nanoseconds)
{
    double time = (double)nanoseconds;
    fprintf(out, "%.3g %s",
            time / (time < 1e6   ? 1e3
                    : time < 1e9 ? 1e6
                                 : 1e9),
            time < 1e6   ? "us"
            : time < 1e9 ? "ms"
                         : "s");
}

static void print_speed(FILE *out, const struct topk_speed *speed)
{
    print_time(out, speed->before);
    fputs(" -> ", out);
    print_time(out, speed->after);
    fprintf(out, ", a case takes %.2f times as long (median of %" PRIu64 ")\n", speed->median,
            speed->cases);
}

static void print_speeds(FILE *out, const struct topk_comparison *comparison)
{
    size_t shown = 0;
    if (comparison->speed.cases == 0) {
        return;
    }
    fputs("  time of cases that passed in both: ", out);
    print_speed(out, &comparison->speed);
    for (size_t i = 0; i < comparison->speed_count && shown < TESTS_SHOWN; i++) {
        const struct topk_speed *speed = &comparison->speeds[i];
        bool changed = speed->median >= CHANGED_TIMES || speed->median <= 1 / CHANGED_TIMES;
        if (changed && (speed->before >= TAKEN_AT_LEAST || speed->after >= TAKEN_AT_LEAST)) {
            fputs("    ", out);
            topk_text_print(out, speed->test);
            fputs(": ", out);
            print_speed(out, speed);
            shown++;
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool topk_compare_text_write(FILE *out, const struct topk_compare_report *report)
{
    const struct topk_compared *a = &report->runs[0];
    print_run(out, &a->run, a->letter, a->path);
    for (size_t i = 1; i < report->count; i++) {
        const struct topk_compared *b = &report->runs[i];
        fputs(i > 1 ? "\n" : "", out);
        print_run(out, &b->run, b->letter, b->path);
        fprintf(out, "\n%s against A: %" PRIu64 " cases have a result in both\n", b->letter,
                b->comparison.both);
        print_facts(out, &a->run, &b->run, b->letter);
        print_parts(out, &b->comparison, &a->run, &b->run, b->letter);
        print_observations(out, &a->run, &b->run);
        print_probes(out, &b->comparison, &a->run, &b->run, b->letter);
        print_speeds(out, &b->comparison);
        print_verdict(out, &b->comparison, b->letter);
        print_changes(out, &b->comparison);
    }
    return true;
}
