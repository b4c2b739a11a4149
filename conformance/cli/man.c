/* topk-cts man: prints the manual page, generated from the tables of the usage texts. */
#include "man.h"

#include <ctype.h>
#include <string.h>

#include "engine.h"

/* Prints a text with the special characters of roff escaped. `quoted' becomes bold. */
static void print_roff(const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        bool line_start = i == 0 || text[i - 1] == '\n';
        if (line_start && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", stdout);
        }
        if (text[i] == '`') {
            quoted = true;
            fputs("\\fB", stdout);
        } else if (text[i] == '\'' && quoted) {
            quoted = false;
            fputs("\\fR", stdout);
        } else if (text[i] == '\'') {
            fputs("\\(aq", stdout);
        } else if (text[i] == '\\') {
            fputs("\\e", stdout);
        } else if (text[i] == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(text[i]);
        }
    }
}

static void print_text(const char *text)
{
    print_roff(text, strlen(text));
}

void cli_each_option(const struct argp *argp,
                     void (*take)(const struct argp_option *option, const char *command),
                     const char *command)
{
    for (const struct argp_option *option = argp->options; option != NULL && option->name != NULL;
         option++) {
        if ((option->flags & OPTION_HIDDEN) == 0) {
            take(option, command);
        }
    }
    const struct argp_child *child = argp->children;
    while (child != NULL && child->argp != NULL) {
        cli_each_option(child->argp, take, command);
        child++;
    }
}

static void print_option(const struct argp_option *option, const char *command)
{
    (void)command;
    fputs(".TP\n", stdout);
    if (option->key > ' ' && option->key < 0x7f) {
        printf("\\fB\\-%c\\fR, ", option->key);
    }
    fputs("\\fB\\-\\-", stdout);
    print_text(option->name);
    fputs("\\fR", stdout);
    if (option->arg != NULL) {
        fputs("=\\fI", stdout);
        print_text(option->arg);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_text(option->doc);
    puts(".");
}

static bool has_options(const struct argp *argp)
{
    bool has = argp->options != NULL && argp->options[0].name != NULL;
    const struct argp_child *child = argp->children;
    while (!has && child != NULL && child->argp != NULL) {
        has = has_options(child->argp);
        child++;
    }
    return has;
}

/* prints a heading for each form of the arguments: args_doc has one per line */
static void print_headings(const struct cli_command *command)
{
    const char *form = command->argp->args_doc == NULL ? "" : command->argp->args_doc;
    for (bool more = true; more;) {
        const size_t length = strcspn(form, "\n");
        printf(".SS topk\\-cts %s", command->name);
        if (has_options(command->argp)) {
            fputs(" [\\fIOPTION\\fR...]", stdout);
        }
        if (length > 0) {
            fputs(" \\fI", stdout);
            print_roff(form, length);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        more = form[length] != 0;
        form += length + more;
    }
}

static void print_command(const struct cli_command *command)
{
    const struct argp *argp = command->argp;
    print_headings(command);
    /* argp's texts have a part before the options, a vertical tab, and a part after the options */
    const char *rest = strchr(argp->doc, '\v');
    print_roff(argp->doc, rest == NULL ? strlen(argp->doc) : (size_t)(rest - argp->doc));
    putchar('\n');
    if (rest != NULL) {
        fputs(".PP\n", stdout);
        print_text(rest + 1);
        putchar('\n');
    }
    cli_each_option(argp, print_option, command->name);
}

static void print_items(const char *const items[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(".TP\n\\fB", stdout);
        print_text(items[i][0]);
        fputs("\\fR\n", stdout);
        print_text(items[i][1]);
        putchar('\n');
    }
}

static const char *const files[][2] = {
    {"topk-results/BACKEND-PROFILE-DATE-TIME/results.jsonl",
     "The log of a run: one JSON object per line, chained by digests. It is complete up to its "
     "last line, whatever ends the run. All reports are made from it. With --zstd it becomes "
     "results.jsonl.zst when the run ends."},
    {"topk-results/BACKEND-PROFILE-DATE-TIME/junit.xml", "The same for continuous integration."},
    {"topk-worker", "The process that judges: in the folder of topk-cts, in ../libexec/topk-cts or "
                    "in PATH. The environment variable TOPK_WORKER names another."},
    {"topk-backend", "The process that hosts a backend, in the same places."},
};

static const char *const variables[][2] = {
    {"TOPK_BACKEND", "The path of topk-backend."},
    {"TOPK_WORKER", "The path of topk-worker."},
    {"TOPK_HEARTBEAT", "Seconds between two lines of progress, which a run prints on standard "
                       "error if it is not a terminal; default 60, 0 for no lines."},
    {"NO_COLOR", "If set, the output has no colours, even on a terminal."},
#define VARIABLE(name, meaning) {#name, meaning " (`topk-cts run')."},
    CLI_ENGINE_VARIABLES(VARIABLE)
#undef VARIABLE
};

static const char *const examples[][2] = {
    {"topk-cts run --backend cpu", "Tests the processor's own implementation with profile core."},
    {"topk-cts run ties floats --backend ./vendor.so --jobs 0",
     "Tests a plugin with the cases of two groups, on all processors."},
    {"topk-cts check-backend 'node adapter.mjs'",
     "Says which rule of the backend protocol a program breaks, and how to fix it."},
    {"topk-cts run --backend-command 'ssh board topk-backend vulkan' --out board",
     "Tests a device on another machine."},
    {"topk-cts run --backend-command 'ssh board topk-backend vulkan' --out board --resume",
     "Continues that run after it was interrupted."},
    {"topk-cts run --backend-command 'ssh a topk-backend vulkan' --backend-command 'ssh b "
     "topk-backend vulkan' --out boards",
     "Tests two devices that are alike, on two other machines."},
    {"topk-cts replay --backend cpu 'top_k1 fl=5.0 in=f32[1,1,3,4] axis=3 k=2 dir=dec "
     "data=few.1:3:7'",
     "Runs one case and shows what is wrong with it."},
    {"topk-cts compare before after",
     "Shows what became better or worse between the runs in the folders `before' and `after'."},
    {"topk-cts list --tests", "Shows what there is to select from."},
};

#define COUNT(items) (sizeof(items) / sizeof(items)[0])

static void print_exit_status(void)
{
    puts(".SH \"EXIT STATUS\"");
    for (const char *const *meaning = cli_exit_meanings; *meaning != NULL; meaning += 2) {
        printf(".TP\n\\fB%s\\fR\n", meaning[0]);
        print_text(meaning[1]);
        putchar('\n');
    }
}

void cli_man_print_command(const struct cli_command *command)
{
    char upper[sizeof command->name];
    for (size_t i = 0; i < sizeof upper; i++) {
        upper[i] = (char)toupper((unsigned char)command->name[i]);
    }
    puts(".\\\" Made by `topk-cts man'.");
    fputs(".TH TOPK\\-CTS\\-", stdout);
    print_text(upper);
    printf(" 1 \"\" \"topk\\-cts %s\" \"User Commands\"\n.SH NAME\ntopk\\-cts\\-", TOPK_VERSION);
    print_text(command->name);
    fputs(" \\- ", stdout);
    print_text(command->summary);
    puts("\n.SH DESCRIPTION");
    print_command(command);
    print_exit_status();
    puts(".SH \"SEE ALSO\"\n\\fBtopk\\-cts\\fR(1)");
}

void cli_man_print(const struct cli_command *commands, size_t count)
{
    puts(".\\\" Made by `topk-cts man'.");
    printf(".TH TOPK\\-CTS 1 \"\" \"topk\\-cts %s\" \"User Commands\"\n", TOPK_VERSION);
    puts(".SH NAME\ntopk\\-cts \\- conformance tests for DML_TOP_K and DML_TOP_K1\n"
         ".SH SYNOPSIS\n\\fBtopk\\-cts\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
         ".SH DESCRIPTION");
    print_text(cli_description);
    puts("\n"
         "A case is one call of a backend, written as one line of text. Cases run in separate\n"
         "processes, the workers, so a crash or a hang is a result like any other.");
    puts("Each result is judged by clauses, which \\fBtopk\\-cts spec\\fR lists.\n"
         ".SH COMMANDS\nEach takes \\fB\\-\\-help\\fR, \\fB\\-\\-usage\\fR and "
         "\\fB\\-\\-version\\fR too.");
    for (size_t i = 0; i < count; i++) {
        print_command(&commands[i]);
    }
    print_exit_status();
    puts(".SH FILES");
    print_items(files, COUNT(files));
    puts(".SH ENVIRONMENT");
    print_items(variables, COUNT(variables));
    puts(".SH EXAMPLES");
    print_items(examples, COUNT(examples));
}
