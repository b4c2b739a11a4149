/* The points of a subject, which are the ways to attack it, and their names. */
#define _GNU_SOURCE
#include "torture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

const struct limit limits[] = {
    {"limit-files", RLIMIT_NOFILE, 3, 32, 1},
    {"limit-file-size", RLIMIT_FSIZE, 1000, 40000, 1500},
    {"limit-memory", RLIMIT_AS, 50u << 20, 400u << 20, 7u << 20},
    {"limit-stack", RLIMIT_STACK, 96u << 10, 1u << 20, 96u << 10},
    {"limit-processes", RLIMIT_NPROC, 0, 8, 1},
    {"limit-locked", RLIMIT_MEMLOCK, 0, 0, 1},
    {"limit-core", RLIMIT_CORE, 0, 0, 1},
};
const size_t limit_count = sizeof limits / sizeof limits[0];

const int signal_numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGKILL,  SIGPIPE, SIGALRM,
                              SIGUSR1, SIGUSR2, SIGCHLD, SIGCONT, SIGWINCH, SIGXFSZ};
const char *const signal_words[] = {"HUP",  "INT",  "QUIT", "TERM", "KILL",  "PIPE", "ALRM",
                                    "USR1", "USR2", "CHLD", "CONT", "WINCH", "XFSZ"};
const size_t signal_count = sizeof signal_numbers / sizeof signal_numbers[0];

struct hostile *hostiles;
size_t hostile_count;

static void add_hostile(const char *word, size_t length, bool worker)
{
    hostiles = realloc(hostiles, (hostile_count + 1) * sizeof *hostiles);
    char *copy = strndup(word, length);
    if (hostiles == NULL || copy == NULL) {
        die("out of memory");
    }
    hostiles[hostile_count++] = (struct hostile){copy, worker};
}

/* Collects the first word of each line that a program prints. */
static void find(const char *command, bool worker)
{
    FILE *list = popen(command, "r");
    char line[1024];
    if (list == NULL) {
        die("cannot start %s", command);
    }
    while (fgets(line, sizeof line, list) != NULL) {
        const char *word = line + strspn(line, " \t");
        add_hostile(word, strcspn(word, " \t\n"), worker);
    }
    if (pclose(list) != 0) {
        die("%s does not list its modes", command);
    }
}

void hostiles_find(const struct place *place)
{
    static const char *const kinds[] = {
#define TOPK_CHAOS(kind, word, place, verdict, about) word,
#include "run/test/chaos.def"
    };
    struct text command = {0};
    text_print(&command, "'%s/hostile' --list", place->bin);
    find(command.at, false);
    text_free(&command);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        add_hostile(kinds[i], strlen(kinds[i]), true);
    }
}

const char *point_class(const struct point *point)
{
    static const char *const words[WAYS] = {"", "signals", "closed descriptors", "", "hostile"};
    switch (point->way) {
    case FAULT:
        return faults[point->which].word;
    case LIMIT:
        return limits[point->which].word;
    default:
        return words[point->way];
    }
}

void point_id(const struct point *point, char id[POINT_ID])
{
    const char *subject = subjects[point->subject].name;
    const char *program = program_names[point->program];
    switch (point->way) {
    case SIGNAL:
        snprintf(id, POINT_ID, "%s/%s/signal-%s/%llu", subject, program, signal_words[point->which],
                 (unsigned long long)point->number);
        break;
    case CLOSED:
        snprintf(id, POINT_ID, "%s/%s/closed/%s%s%s", subject, program,
                 (point->number & 1) != 0 ? "0" : "", (point->number & 2) != 0 ? "1" : "",
                 (point->number & 4) != 0 ? "2" : "");
        break;
    case HOSTILE:
        snprintf(id, POINT_ID, "%s/%s/hostile/%s", subject,
                 hostiles[point->which].worker ? "chaos_worker" : "hostile",
                 hostiles[point->which].word);
        break;
    default:
        snprintf(id, POINT_ID, "%s/%s/%s/%llu", subject, program, point_class(point),
                 (unsigned long long)point->number);
        break;
    }
}
