/* Tests how DirectML reacts to wrong uses of its interface, each in its own process, because a
 * wrong binding removes the device, and some crash. Prints rows of the table in
 * docs/directml-findings.md.
 *
 *   directml_probe NAME    prints one row
 *   directml_probe --all   prints all rows, each from a process of its own
 *   directml_probe --list  prints the names
 *
 * Exit code: 0 the row was printed, 1 a process of --all ended without one, 2 wrong usage, 4 no
 * DirectML.
 */
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <io.h>

#include "directml_use.h"
#include "platform/platform.h"

#define CHILD_MS 120000u
#define LARGE_N  300u
#define LARGE_K  100u

struct probe {
    const char *name;
    const char *clause;
    const char *what;
    void (*change)(struct topk_use_plan *plan);
};

static struct topk_use use;
static const struct probe *running;

/* ---- the rows -------------------------------------------------------------------------------- */

/* an input that DirectML owns, bound at initialization instead of execution */
static void owned(struct topk_use_plan *plan)
{
    plan->input_flags = TOPK_TENSOR_OWNED_BY_DML;
    plan->init_in.when = ALWAYS;
    plan->bind[SOURCE].type = TOPK_DML_BINDING_NONE;
}

/* more than 256 elements, so that temporary memory is needed */
static void large(struct topk_use_plan *plan)
{
    plan->n = LARGE_N;
    plan->k = LARGE_K;
    plan->bind[SOURCE].bytes = plan->init_in.bytes = (UINT64)plan->n * 4;
    plan->bind[VALUES].bytes = plan->bind[INDICES].bytes = (UINT64)plan->k * 4;
}

#define PROBE(name, clause, what, change)                                                          \
    static void change_##name(struct topk_use_plan *plan)                                          \
    {                                                                                              \
        change;                                                                                    \
    }
#include "directml_probe.def"
#undef PROBE

static const struct probe probes[] = {
#define PROBE(name, clause, what, change) {#name, clause, what, change_##name},
#include "directml_probe.def"
#undef PROBE
};
#define PROBE_COUNT (sizeof probes / sizeof probes[0])

static void print_row(const struct probe *probe, const char *answer)
{
    printf("| %s | %s | %s | %s |\n", probe->name, probe->clause, probe->what, answer);
    fflush(stdout);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* the last handler of a crash */
static LONG WINAPI end_crash(EXCEPTION_POINTERS *exception)
{
    snprintf(use.answer, sizeof use.answer, "%s crashes, %08lx", use.step,
             (unsigned long)exception->ExceptionRecord->ExceptionCode);
    print_row(running, use.answer);
    TerminateProcess(GetCurrentProcess(), 0);
    return EXCEPTION_EXECUTE_HANDLER;
}

static int run_probe(const struct probe *probe)
{
    char error[512];
    running = probe;
    use.step = "the start";
    SetUnhandledExceptionFilter(end_crash);
    if (!topk_use_open(&use, CHILD_MS / 2, error, sizeof error)) {
        fprintf(stderr, "directml_probe: %s\n", error);
        return 4;
    }
    probe->change(&use.plan);
    topk_use_run(&use);
    print_row(probe, use.answer);
    /* releasing the objects of a wrong use may fail */
    TerminateProcess(GetCurrentProcess(), 0);
    return 0;
}

static int run_child(const struct probe *probe)
{
    char program[MAX_PATH];
    char command[MAX_PATH + 80];
    char answer[80] = "";
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    DWORD code = 1;
    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(command, sizeof command, "\"%s\" %s", program, probe->name);
    bool started = false;
    /* Wine gives up starting a process on a busy machine */
    for (int i = 0; i < 3 && !started; i++) {
        started = CreateProcessA(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child);
        if (!started && GetLastError() != ERROR_INTERNAL_ERROR) {
            break;
        }
    }
    if (!started) {
        fprintf(stderr, "directml_probe: %s cannot be started: error %lu\n", command,
                GetLastError());
        return 1;
    }
    if (WaitForSingleObject(child.hProcess, CHILD_MS) != WAIT_OBJECT_0) {
        TerminateProcess(child.hProcess, 1);
        snprintf(answer, sizeof answer, "no answer in %u seconds", CHILD_MS / 1000);
    } else if (!GetExitCodeProcess(child.hProcess, &code) || code != 0) {
        snprintf(answer, sizeof answer, "the process ended with %08lx", code);
    }
    CloseHandle(child.hProcess);
    CloseHandle(child.hThread);
    if (answer[0] != 0) {
        print_row(probe, answer);
    }
    return answer[0] != 0;
}

int main(int argc, char **argv)
{
    char **arguments = topk_process_start(argc, argv);
    _setmode(_fileno(stdout), _O_BINARY); /* line ends as on other systems */
    const char *name = arguments != NULL && argc == 2 ? arguments[1] : "";
    int failed = 0;
    for (size_t i = 0; i < PROBE_COUNT; i++) {
        if (strcmp(name, probes[i].name) == 0) {
            return run_probe(&probes[i]);
        }
        if (strcmp(name, "--list") == 0) {
            printf("%s\n", probes[i].name);
        } else if (strcmp(name, "--all") == 0) {
            failed |= run_child(&probes[i]);
        }
    }
    if (strcmp(name, "--list") != 0 && strcmp(name, "--all") != 0) {
        fprintf(stderr, "usage: directml_probe NAME | --all | --list\n");
        return 2;
    }
    return failed;
}
