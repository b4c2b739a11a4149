/* The driver of scripts/torture: finds the points, tries several at once and prints the
 * outcomes. */
#define _GNU_SOURCE
#include "torture.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WHY 480

struct options {
    const char *bin;
    const char *library;
    uint64_t seed;
    double seconds; /* 0 for no time limit */
    uint64_t most;  /* most points per subject, program and class; 0 for all */
    unsigned jobs;
    bool list;
    char **selections;
    size_t selection_count;
};

static const struct argp_option known_options[] = {
    {"bin", 'b', "DIR", 0, "Folder of topk-cts and the other programs", 0},
    {"library", 'l', "FILE", 0, "The library that makes calls fail", 0},
    {"seed", 's', "SEED", 0, "Order of the points, and which are taken", 0},
    {"seconds", 't', "SECONDS", 0, "Start no point after this time", 0},
    {"most", 'm', "N", 0,
     "Of the calls of a class in a command take N at most: the first that each place in the "
     "program makes, and others by the seed; 0, the default: all",
     0},
    {"jobs", 'j', "N", 0, "Points at once; default: one for each processor", 0},
    {"list", 'L', 0, 0, "Print the points instead of trying them", 0},
    {0}};

static uint64_t number_of(const char *text, struct argp_state *state)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || *text == '-') {
        argp_error(state, "'%s' is not a number", text);
    }
    return value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'b':
        options->bin = text;
        break;
    case 'l':
        options->library = text;
        break;
    case 's':
        options->seed = number_of(text, state);
        break;
    case 't':
        options->seconds = (double)number_of(text, state);
        break;
    case 'm':
        options->most = number_of(text, state);
        break;
    case 'j':
        options->jobs = (unsigned)number_of(text, state);
        break;
    case 'L':
        options->list = true;
        break;
    case ARGP_KEY_ARGS:
        options->selections = state->argv + state->next;
        options->selection_count = (size_t)(state->argc - state->next);
        break;
    case ARGP_KEY_END:
        if (options->bin == NULL || options->library == NULL) {
            argp_error(state, "--bin and --library are needed");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- points ---------------------------------------------------------------------------------- */

static struct point *points;
static size_t point_count;
static size_t point_room;

static bool selected(const struct options *options, const struct point *point)
{
    char id[POINT_ID];
    point_id(point, id);
    for (size_t i = 0; i < options->selection_count; i++) {
        const char *want = options->selections[i];
        const size_t length = strlen(want);
        if (fnmatch(want, id, 0) == 0 ||
            (strncmp(want, id, length) == 0 && (id[length] == '/' || id[length] == 0))) {
            return true;
        }
    }
    return options->selection_count == 0;
}

/* Returns whether options may select a point of this subject in this program. */
static bool may_be_selected(const struct options *options, const char *subject, const char *program)
{
    for (size_t i = 0; i < options->selection_count; i++) {
        char want[2 * POINT_ID];
        char name[2 * POINT_ID];
        snprintf(want, sizeof want, "%s", options->selections[i]);
        char *slash = strchr(want, '/');
        char *second = slash == NULL ? NULL : strchr(slash + 1, '/');
        if (second != NULL) {
            *second = 0;
        }
        snprintf(name, sizeof name, "%s%s%s", subject, slash == NULL ? "" : "/",
                 slash == NULL ? "" : program);
        if (fnmatch(want, name, 0) == 0 || strncmp(want, name, strlen(want)) == 0 ||
            strcmp(want, "*") == 0) {
            return true;
        }
    }
    return options->selection_count == 0;
}

static void add_point(const struct options *options, struct point point)
{
    if (!selected(options, &point)) {
        return;
    }
    if (point_count == point_room) {
        point_room = 2 * point_room + 1024;
        points = realloc(points, point_room * sizeof *points);
        if (points == NULL) {
            die("out of memory");
        }
    }
    points[point_count++] = point;
}

static uint64_t mixed(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* Chooses which calls of a class to try: the first one from each place in the code, then others at
 * random. chosen[] starts at 1. */
static size_t choose(const struct options *options, const struct torture_shared *shared,
                     uint32_t class, uint64_t count, bool *chosen)
{
    size_t taken = 0;
    const uint64_t told =
        atomic_load(&shared->told) < TORTURE_POINTS ? atomic_load(&shared->told) : TORTURE_POINTS;
    size_t size = 1;
    while (size < 2 * (count + 1)) {
        size *= 2;
    }
    uint64_t *seen = calloc(size, sizeof *seen);
    if (seen == NULL) {
        die("out of memory");
    }
    for (uint64_t i = 0; i < told; i++) {
        if (shared->calls[i].class == class && shared->calls[i].number <= count) {
            size_t at = mixed(shared->calls[i].stack) & (size - 1);
            while (seen[at] != 0 && seen[at] != shared->calls[i].stack) {
                at = (at + 1) & (size - 1);
            }
            if (seen[at] == 0) {
                seen[at] = shared->calls[i].stack;
                chosen[shared->calls[i].number] = true;
                taken++;
            }
        }
    }
    free(seen);
    /* There are too many, so the seed chooses. */
    for (uint64_t i = 0; options->most != 0 && taken > options->most && i < 64 * count; i++) {
        const uint64_t at = mixed(options->seed * 31 + i) % count + 1;
        if (chosen[at]) {
            chosen[at] = false;
            taken--;
        }
    }
    for (uint64_t i = 0;
         taken < count && (options->most == 0 || taken < options->most) && i < 64 * count; i++) {
        const uint64_t at =
            options->most == 0 ? i % count + 1 : mixed(options->seed * 37 + i) % count + 1;
        if (!chosen[at]) {
            chosen[at] = true;
            taken++;
        }
    }
    return taken;
}

static void find_faults(const struct options *options, struct torture_shared *shared,
                        uint16_t subject, uint8_t program)
{
    for (size_t f = 0; f < fault_count; f++) {
        const uint64_t count = atomic_load(&shared->count[faults[f].class]);
        bool *chosen = calloc(count + 1, sizeof *chosen);
        if (chosen == NULL) {
            die("out of memory");
        }
        choose(options, shared, faults[f].class, count, chosen);
        for (uint64_t i = 1; i <= count; i++) {
            if (chosen[i]) {
                add_point(options, (struct point){subject, program, FAULT, (uint16_t)f, i});
            }
        }
        free(chosen);
    }
}

static void find_others(const struct options *options, uint16_t subject)
{
    for (uint64_t closed = 1; closed < 8; closed++) {
        add_point(options, (struct point){subject, CTS, CLOSED, 0, closed});
    }
    for (size_t i = 0; i < limit_count; i++) {
        for (uint64_t value = limits[i].least; value <= limits[i].most; value += limits[i].step) {
            add_point(options, (struct point){subject, CTS, LIMIT, (uint16_t)i, value});
        }
    }
    if (strcmp(subjects[subject].name, "run") != 0) {
        return;
    }
    for (uint64_t i = 0; i < SIGNAL_POINTS; i++) {
        const uint64_t chance = mixed(options->seed * 1000 + i);
        add_point(options, (struct point){subject, (uint8_t)(chance % PROGRAMS), SIGNAL,
                                          (uint16_t)((chance >> 16) % signal_count), chance >> 40});
    }
    for (size_t i = 0; i < hostile_count; i++) {
        add_point(options, (struct point){subject, BACKEND, HOSTILE, (uint16_t)i, 0});
    }
}

/* ---- undisturbed ----------------------------------------------------------------------------- */

static struct outcome *calm; /* outcome of each subject without disturbance */

static struct torture_shared *map_shared(const struct place *place, unsigned slot)
{
    struct text path = {0};
    text_print(&path, "%s/%u", place->work, slot);
    if (mkdir(path.at, 0777) != 0 || chmod(path.at, 0777) != 0) {
        die("cannot make %s", path.at);
    }
    text_print(&path, "/shared");
    const int file = open(path.at, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || fchmod(file, 0666) != 0 ||
        ftruncate(file, sizeof(struct torture_shared)) != 0) {
        die("cannot make %s", path.at);
    }
    struct torture_shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (shared == MAP_FAILED) {
        die("cannot map %s", path.at);
    }
    close(file);
    text_free(&path);
    return shared;
}

/* Runs each selected subject once undisturbed, and once more per program to count its calls. */
static void count(const struct options *options, const struct place *place,
                  struct torture_shared *shared)
{
    for (uint16_t s = 0; s < subject_count; s++) {
        bool made = false;
        for (unsigned p = 0; p < PROGRAMS; p++) {
            if ((subjects[s].programs >> p & 1) == 0 ||
                !may_be_selected(options, subjects[s].name, program_names[p])) {
                continue;
            }
            if (!made) {
                memset(shared->program, 0, sizeof shared->program);
                outcome_make(&calm[s], place, 0, shared, &subjects[s], NULL, NULL, false);
                if (!WIFEXITED(calm[s].status) || calm[s].hung) {
                    die("%s: does not end well undisturbed: %s", subjects[s].name,
                        calm[s].err.at == NULL ? "" : calm[s].err.at);
                }
                find_others(options, s);
                made = true;
            }
            struct outcome counted;
            snprintf(shared->program, sizeof shared->program, "%s", program_names[p]);
            shared->stacks = 1;
            outcome_make(&counted, place, 0, shared, &subjects[s], NULL, NULL, false);
            shared->stacks = 0;
            if (counted.status != calm[s].status) {
                die("%s: ends with %d when %s is counted, and with %d undisturbed: %s",
                    subjects[s].name, counted.status, program_names[p], calm[s].status,
                    counted.err.at == NULL ? "" : counted.err.at);
            }
            outcome_free(&counted);
            find_faults(options, shared, s, (uint8_t)p);
        }
    }
}

/* ---- slots ----------------------------------------------------------------------------------- */

struct result {
    uint8_t tried;
    uint8_t verdict;
    char why[WHY];
};

struct board {
    _Atomic size_t next;
    _Atomic size_t done;
    _Atomic size_t bad;
    struct result results[];
};

static _Noreturn void work(const struct options *options, const struct place *place, unsigned slot,
                           struct board *board, double end, bool show)
{
    struct torture_shared *shared = map_shared(place, slot);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    for (;;) {
        const size_t at = atomic_fetch_add(&board->next, 1);
        if (at >= point_count || (options->seconds > 0 && now() > end)) {
            _exit(0);
        }
        const struct point *point = &points[at];
        struct text why = {0};
        const enum verdict verdict =
            point_try(place, slot, shared, &calm[point->subject], point, show, &why);
        fflush(stdout);
        board->results[at].verdict = (uint8_t)verdict;
        snprintf(board->results[at].why, WHY, "%s", why.at == NULL ? "" : why.at);
        board->results[at].tried = 1;
        atomic_fetch_add(&board->done, 1);
        if (verdict > MISSED) {
            atomic_fetch_add(&board->bad, 1);
        }
        text_free(&why);
    }
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

static void try_all(const struct options *options, const struct place *place, struct board *board)
{
    const double start = now();
    const double end = start + options->seconds;
    pid_t slots[64];
    const bool show = point_count == 1 && options->selection_count == 1;
    const unsigned jobs = show ? 1 : options->jobs;
    unsigned left = jobs;
    fflush(stdout);
    for (unsigned i = 0; i < jobs; i++) {
        slots[i] = fork();
        if (slots[i] < 0) {
            die("cannot start a slot");
        }
        if (slots[i] == 0) {
            work(options, place, i + 1, board, end, show);
        }
    }
    while (left > 0) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0) {
            left--;
            if (status != 0 && !interrupted) {
                for (unsigned i = 0; i < jobs; i++) {
                    if (slots[i] != pid) {
                        kill(slots[i], SIGTERM);
                    }
                }
                die("a slot has ended with status %d", status);
            }
        } else {
            nanosleep(&(struct timespec){0, 100000000}, NULL);
            if (isatty(STDERR_FILENO)) {
                fprintf(stderr, "\r%zu of %zu points, %zu failures, %.0f s ",
                        atomic_load(&board->done), point_count, atomic_load(&board->bad),
                        now() - start);
            }
        }
        if (interrupted) {
            for (unsigned i = 0; i < jobs; i++) {
                kill(slots[i], SIGTERM);
            }
        }
    }
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
}

/* ---- results
 * ----------------------------------------------------------------------------------- */

static const char *const verdict_words[VERDICTS] = {"survived", "not reached", "FALSE VERDICT",
                                                    "HANG",     "ABORT",       "LOST"};

static int print_results(const struct board *board, const struct options *options)
{
    static const struct {
        enum verdict verdict;
        const char *words;
    } totals[] = {
        {FALSE_VERDICT, "false verdicts"}, {HANG, "hangs"}, {ABORT, "aborts"}, {LOST, "lost"}};
    size_t tried = 0;
    size_t counts[VERDICTS] = {0};
    for (size_t i = 0; i < point_count; i++) {
        if (board->results[i].tried != 0) {
            tried++;
            counts[board->results[i].verdict]++;
        }
    }
    /* One row per subject and class; few enough for a linear search. */
    struct row {
        uint16_t subject;
        const char *class;
        size_t tried, survived;
    } *rows = NULL;
    size_t row_count = 0;
    for (size_t i = 0; i < point_count; i++) {
        if (board->results[i].tried == 0) {
            continue;
        }
        size_t r = 0;
        while (r < row_count && (rows[r].subject != points[i].subject ||
                                 strcmp(rows[r].class, point_class(&points[i])) != 0)) {
            r++;
        }
        if (r == row_count) {
            rows = realloc(rows, (row_count + 1) * sizeof *rows);
            if (rows == NULL) {
                die("out of memory");
            }
            rows[row_count++] = (struct row){points[i].subject, point_class(&points[i]), 0, 0};
        }
        rows[r].tried++;
        rows[r].survived += board->results[i].verdict <= MISSED;
    }
    for (uint16_t s = 0; s < subject_count; s++) {
        for (size_t r = 0; r < row_count; r++) {
            if (rows[r].subject == s) {
                printf("%-20s %-20s %6zu tried %6zu survived\n", subjects[s].name, rows[r].class,
                       rows[r].tried, rows[r].survived);
            }
        }
    }
    free(rows);
    for (size_t i = 0; i < point_count; i++) {
        if (board->results[i].tried != 0 && board->results[i].verdict > MISSED) {
            char id[POINT_ID];
            point_id(&points[i], id);
            printf("%s: scripts/torture '%s': %s\n", verdict_words[board->results[i].verdict], id,
                   board->results[i].why);
        }
    }
    if (tried < point_count) {
        printf("%zu points were left out (seed %llu)\n", point_count - tried,
               (unsigned long long)options->seed);
    }
    printf("%zu points:", tried);
    size_t bad = 0;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        printf("%s %zu %s", i == 0 ? "" : ",", counts[totals[i].verdict], totals[i].words);
        bad += counts[totals[i].verdict];
    }
    printf("\n%zu passed, %zu failed\n", tried - bad, bad);
    return interrupted ? 5 : bad > 0 ? 1 : tried == 0 ? 5 : 0;
}

static void shuffle(uint64_t seed)
{
    for (size_t i = point_count; i > 1; i--) {
        const size_t j = mixed(seed * UINT64_C(1000003) + i) % i;
        const struct point kept = points[j];
        points[j] = points[i - 1];
        points[i - 1] = kept;
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        known_options,
        parse,
        "[POINT...]",
        "Attacks topk-cts, its worker and its backend process at POINTs: "
        "SUBJECT/PROGRAM/WAY/NUMBER, the start of one, or a glob.",
        NULL,
        NULL,
        NULL};
    struct options options = {.seed = 1, .jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    options.jobs = options.jobs == 0 ? 1 : options.jobs > 64 ? 64 : options.jobs;
    const char *folder = getenv("TMPDIR");
    struct text work_folder = {0};
    text_print(&work_folder, "%s/torture-XXXXXX", folder == NULL ? "/tmp" : folder);
    umask(0);
    if (mkdtemp(work_folder.at) == NULL || chmod(work_folder.at, 0755) != 0) {
        die("cannot make %s", work_folder.at);
    }
    struct place place = {.bin = realpath(options.bin, NULL),
                          .library = realpath(options.library, NULL),
                          .work = work_folder.at,
                          .limit = 100}; /* a backend has 60 seconds to introduce itself */
    calm = calloc(subject_count, sizeof *calm);
    if (place.bin == NULL || place.library == NULL || calm == NULL) {
        die("%s or %s is not there", options.bin, options.library);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fixtures_make(&place);
    hostiles_find(&place);
    count(&options, &place, map_shared(&place, 0));
    shuffle(options.seed);
    int code = 0;
    if (options.list) {
        for (size_t i = 0; i < point_count; i++) {
            char id[POINT_ID];
            point_id(&points[i], id);
            puts(id);
        }
        printf("%zu points\n", point_count);
    } else {
        const size_t bytes = sizeof(struct board) + point_count * sizeof(struct result);
        struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (board == MAP_FAILED) {
            die("out of memory");
        }
        try_all(&options, &place, board);
        code = print_results(board, &options);
    }
    struct text remove = {0};
    text_print(&remove, "rm -rf '%s'", place.work);
    return system(remove.at) == 0 ? code : 3;
}
