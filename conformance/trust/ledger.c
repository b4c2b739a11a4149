/* The ledger, a reviewed file with a line for each fault: trust --check compares it with a run. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

#define HEAD "# topk-cts ledger 1"
#define OPEN "relations left open: "
/* figures of --verdicts, each as "A of B" */
#define CONTAINED "conditions that contain the trigger: "
#define SINGLE    "faults with one entry: "
#define WRONG     "failing cases with a wrong cause: "
#define OF        "%" PRIu64 " of %" PRIu64 "\n"
/* of the faults that must die */
#define PERCENT_LEAST 95

/* ---- writing --------------------------------------------------------------------------------- */

static void print_version(char *text, size_t size, const struct trust_suite *suite)
{
    snprintf(text, size, "%s, suite %s, profile %s v%" PRIu32 ", digest %.16s", HEAD, TOPK_VERSION,
             suite->profile->name, suite->profile->version, suite->profile->digest);
}

static void print_row(FILE *out, const struct trust *trust, size_t i)
{
    const struct cli_fault *fault = &trust->faults[i];
    const char *first;
    uint32_t killers = trust_killers(trust, i, &first);
    fprintf(out, "%-28s %-12s %2" PRIu32 " %-11s %s\n", fault->name, fault->class, killers, first,
            fault->allowed ? "allowed"
            : killers > 0  ? "dead"
                           : "alive");
}

void trust_print_ledger(FILE *out, const struct trust *trust)
{
    struct trust_totals totals;
    char version[256];
    print_version(version, sizeof version, &trust->suite);
    fprintf(out, "%s\n", version);
    fputs(
        "# What is left of each fault of backends/faulty/: how many groups of cases kill it, the\n"
        "# first of them, and whether it is dead. docs/trust.md says how this file is made.\n"
        "# fault class groups first state\n",
        out);
    trust_count(trust, &totals);
    fprintf(out, OPEN "%" PRIu32 "\n", totals.unrelated);
    if (trust->measured) {
        const struct trust_figures *figures = &trust->figures;
        fprintf(out, CONTAINED OF, figures->contained, figures->triggers);
        fprintf(out, SINGLE OF, figures->single, figures->faults);
        fprintf(out, WRONG OF, figures->wrong, figures->failed);
    }
    for (size_t i = 0; i < trust->fault_count; i++) {
        print_row(out, trust, i);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

struct row {
    char name[CLI_FAULT_NAME];
    char class[24];
    unsigned groups;
    char first[32];
    char state[16];
};

/* state of reading other than rows */
struct reading {
    unsigned line;
    bool bad; /* the line is malformed */
    unsigned open;
    struct trust_figures figures; /* all 0: the ledger has none */
};

static bool read_share(const char *text, const char *name, uint64_t *part, uint64_t *whole)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 &&
           sscanf(text + length, "%9" SCNu64 " of %9" SCNu64, part, whole) == 2;
}

static bool read_figure(const char *text, struct trust_figures *figures)
{
    return read_share(text, CONTAINED, &figures->contained, &figures->triggers) ||
           read_share(text, SINGLE, &figures->single, &figures->faults) ||
           read_share(text, WRONG, &figures->wrong, &figures->failed);
}

/* Reads the next row. False at the end or at a malformed line. */
static bool read_row(FILE *file, struct reading *reading, struct row *row)
{
    char text[512];
    while (fgets(text, sizeof text, file) != NULL) {
        reading->line++;
        if (text[0] == '#' || sscanf(text, OPEN "%9u", &reading->open) == 1 ||
            read_figure(text, &reading->figures)) {
            continue;
        }
        reading->bad = sscanf(text, "%63s %23s %3u %31s %15s", row->name, row->class, &row->groups,
                              row->first, row->state) != 5;
        return !reading->bad;
    }
    return false;
}

static FILE *open_file(const char *path, char *head, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        cli_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fgets(head, (int)size, file) == NULL) {
        head[0] = 0;
    }
    head[strcspn(head, "\r\n")] = 0;
    return file;
}

/* With --brief the group that killed a fault first is run first. */
static void note_likely(struct trust *trust, const struct row *row)
{
    for (size_t i = 0; trust->brief && i < trust->fault_count; i++) {
        for (uint32_t group = 0; group < trust->suite.group_count; group++) {
            if (strcmp(trust->faults[i].name, row->name) == 0 &&
                strcmp(trust->suite.groups[group], row->first) == 0) {
                trust->likely[i] = (unsigned char)group;
            }
        }
    }
}

static bool has_figures(const struct trust_figures *figures)
{
    return figures->triggers > 0 && figures->faults > 0 && figures->failed > 0;
}

void trust_ledger_open(const char *path, struct trust *trust, bool figures)
{
    char version[256];
    char head[256];
    FILE *file = open_file(path, head, sizeof head);
    if (file == NULL) {
        exit(CLI_USAGE);
    }
    struct row row;
    struct reading reading = {.line = 1};
    while (read_row(file, &reading, &row)) {
        note_likely(trust, &row);
    }
    fclose(file);
    print_version(version, sizeof version, &trust->suite);
    if (strncmp(head, HEAD ",", sizeof HEAD) != 0) {
        cli_fail(CLI_USAGE,
                 "%s is not a ledger of this format: its first line does not start with '%s,'",
                 path, HEAD);
    }
    if (strcmp(head, version) != 0) {
        cli_fail(CLI_USAGE,
                 "%s is of another version, nothing was run:\n  it is of %s\n  this is  %s", path,
                 head + sizeof HEAD + 1, version + sizeof HEAD + 1);
    }
    if (reading.bad) {
        cli_fail(CLI_USAGE, "%s:%u: not 'fault class groups first state'", path, reading.line);
    }
    if (figures && !has_figures(&reading.figures)) {
        cli_fail(CLI_USAGE,
                 "%s lacks a figure of --verdicts, nothing was run: what `topk-cts trust --out "
                 "DIR' writes has them",
                 path);
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

struct differences {
    unsigned worse;
    unsigned other;
    unsigned open; /* relations, as the file says */
    bool met[CLI_FAULTS_MAX];
};

static void compare_row(const struct trust *trust, const struct row *row,
                        struct differences *differences)
{
    size_t i = 0;
    while (i < trust->fault_count && strcmp(trust->faults[i].name, row->name) != 0) {
        i++;
    }
    if (i == trust->fault_count) {
        if (!trust->drills) {
            return; /* not all faults were run */
        }
        cli_error("%s is in the ledger, but is no longer a fault", row->name);
        differences->worse++;
        return;
    }
    differences->met[i] = true;
    const char *first;
    uint32_t killers = trust_killers(trust, i, &first);
    if (strcmp(row->state, "dead") == 0 && killers == 0) {
        cli_error("%s was killed by %u groups, the first of them %s; now it is alive", row->name,
                  row->groups, row->first);
        differences->worse++;
    } else if (!trust->brief && (killers != row->groups || strcmp(first, row->first) != 0)) {
        cli_error("%s was killed by %u groups from %s on, now by %" PRIu32 " from %s on", row->name,
                  row->groups, row->first, killers, first);
        differences->other++;
    }
}

static bool compare_file(const char *path, const struct trust *trust,
                         struct differences *differences)
{
    char head[256];
    struct row row;
    struct reading reading = {.line = 1};
    FILE *file = open_file(path, head, sizeof head);
    while (file != NULL && read_row(file, &reading, &row)) {
        compare_row(trust, &row, differences);
    }
    differences->open = reading.open;
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL && !reading.bad;
}

int trust_ledger_check(const char *path, const struct trust *trust)
{
    struct differences differences = {0};
    struct trust_totals totals;
    if (!compare_file(path, trust, &differences)) {
        return CLI_USAGE;
    }
    for (size_t i = 0; i < trust->fault_count; i++) {
        if (!differences.met[i]) {
            cli_error("%s is not in the ledger", trust->faults[i].name);
            differences.worse++;
        }
    }
    trust_count(trust, &totals);
    if (trust->drills && totals.dead * 100 < totals.faults * PERCENT_LEAST) {
        cli_error("profile %s kills %" PRIu32 " of %" PRIu32 " faults, less than %d %%",
                  trust->suite.profile->name, totals.dead, totals.faults, PERCENT_LEAST);
        differences.worse++;
    }
    if (totals.rejected > 0 || totals.unnamed > 0 || totals.mistrusted > 0 || totals.thin > 0) {
        cli_error("see above: %" PRIu32 " kernels that are right fail, of %" PRIu32
                  " faults a clause is not named, of %" PRIu32
                  " the row is wrong about how many tests fail, %" PRIu32 " cases are mistrusted",
                  totals.rejected, totals.unnamed, totals.thin, totals.mistrusted);
        differences.worse++;
    }
    if (trust->drills && totals.unrelated > differences.open) {
        cli_error("of %" PRIu32 " relations the second call may be anything, which were %u",
                  totals.unrelated, differences.open);
        differences.worse++;
    }
    if (differences.worse + differences.other > 0) {
        cli_error("if all of that is meant to be, review what --out DIR writes to DIR/ledger.txt "
                  "and put it in the place of %s",
                  path);
    }
    return differences.worse > 0 ? CLI_FAILURES : CLI_CONFORMANT;
}

/* ---- the figures of --verdicts --------------------------------------------------------------- */

/* Whether a share is less than another; a share with a whole of 0 never is. */
static bool is_less(uint64_t part, uint64_t whole, uint64_t than, uint64_t of)
{
    return part * of < than * whole;
}

static int tell_share(bool worse, const char *name, uint64_t part, uint64_t whole, uint64_t before,
                      uint64_t of)
{
    if (worse) {
        cli_error("%s%" PRIu64 " of %" PRIu64 ", which were %" PRIu64 " of %" PRIu64, name, part,
                  whole, before, of);
    }
    return worse ? CLI_FAILURES : CLI_CONFORMANT;
}

int trust_ledger_check_figures(const char *path, const struct trust_figures *now)
{
    char head[256];
    struct row row;
    struct reading reading = {.line = 1};
    FILE *file = open_file(path, head, sizeof head);
    while (file != NULL && read_row(file, &reading, &row)) {
        /* read_row() also reads the figures between the rows */
    }
    if (file == NULL) {
        return CLI_USAGE;
    }
    fclose(file);
    const struct trust_figures *then = &reading.figures;
    const int contained =
        tell_share(is_less(now->contained, now->triggers, then->contained, then->triggers),
                   CONTAINED, now->contained, now->triggers, then->contained, then->triggers);
    const int single = tell_share(is_less(now->single, now->faults, then->single, then->faults),
                                  SINGLE, now->single, now->faults, then->single, then->faults);
    const int wrong = tell_share(is_less(then->wrong, then->failed, now->wrong, now->failed), WRONG,
                                 now->wrong, now->failed, then->wrong, then->failed);
    return contained | single | wrong;
}
