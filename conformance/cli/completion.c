/* topk-cts completion: prints completion scripts, generated from the tables of the usage texts. */
#include <string.h>

#include "completion.h"
#include "man.h"

/* ---- options --------------------------------------------------------------------------------- */

static bool has_letter(const struct argp_option *option)
{
    return option->key > ' ' && option->key < 0x7f;
}

/* Prints the first clause of a text for single quotes, without characters that are special in any
 * of the shells. */
static void print_about(const char *text)
{
    for (size_t i = 0; text[i] != 0 && strchr(".;", text[i]) == NULL; i++) {
        if (text[i] == ',' && i > 40) {
            break;
        }
        putchar(strchr("'`\"\\[]:$\n", text[i]) != NULL ? ' ' : text[i]);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_option(const struct argp_option *option, const char *command)
{
    (void)command;
    printf(" --%s%s", option->name, option->arg == NULL ? "" : "=");
}

static void print_bash(const struct cli_command *commands, size_t count)
{
    puts("# Made by `topk-cts completion bash'.\n"
         "_topk_cts() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} words=\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" = 1 ]; then");
    fputs("        words='", stdout);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i == 0 ? "" : " ", commands[i].name);
    }
    puts("'\n"
         "    elif [[ $current == -* ]]; then\n"
         "        case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < count; i++) {
        printf("        %s) words='--help", commands[i].name);
        cli_each_option(commands[i].argp, bash_option, commands[i].name);
        puts("' ;;");
    }
    puts("        esac\n"
         "    fi\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "    # the value of an option follows at once\n"
         "    if [ \"${#COMPREPLY[@]}\" = 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then\n"
         "        compopt -o nospace\n"
         "    fi\n"
         "}\n"
         "# where it has nothing to say, files: plugins, runs, lists of cases\n"
         "complete -o default -F _topk_cts topk-cts");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void zsh_option(const struct argp_option *option, const char *command)
{
    (void)command;
    for (int letter = has_letter(option); letter >= 0; letter--) {
        fputs("            '", stdout);
        if (letter == 1) {
            printf("-%c%s[", option->key, option->arg == NULL ? "" : "+");
        } else {
            printf("--%s%s[", option->name, option->arg == NULL ? "" : "=");
        }
        print_about(option->doc);
        putchar(']');
        if (option->arg != NULL) {
            printf(":%s:_files", option->arg);
        }
        puts("' \\");
    }
}

static void print_zsh(const struct cli_command *commands, size_t count)
{
    puts("#compdef topk-cts\n"
         "# Made by `topk-cts completion zsh'.\n"
         "_topk_cts() {\n"
         "    local -a commands=(");
    for (size_t i = 0; i < count; i++) {
        printf("        '%s:", commands[i].name);
        print_about(commands[i].summary);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    for (size_t i = 0; i < count; i++) {
        printf("    %s)\n        _arguments \\\n", commands[i].name);
        cli_each_option(commands[i].argp, zsh_option, commands[i].name);
        puts("            '--help[print the options]' '*:argument:_files'\n        ;;");
    }
    puts("    esac\n"
         "}\n"
         "_topk_cts \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_option(const struct argp_option *option, const char *command)
{
    printf("complete -c topk-cts -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
    if (has_letter(option)) {
        printf(" -s %c", option->key);
    }
    printf("%s -d '", option->arg == NULL ? "" : " -r");
    print_about(option->doc);
    puts("'");
}

static void print_fish(const struct cli_command *commands, size_t count)
{
    puts("# Made by `topk-cts completion fish'.");
    for (size_t i = 0; i < count; i++) {
        printf("complete -c topk-cts -f -n __fish_use_subcommand -a %s -d '", commands[i].name);
        print_about(commands[i].summary);
        puts("'");
        cli_each_option(commands[i].argp, fish_option, commands[i].name);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const struct {
    const char *shell;
    void (*print)(const struct cli_command *commands, size_t count);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

bool cli_completion_print(const char *shell, const struct cli_command *commands, size_t count)
{
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].shell) == 0) {
            shells[i].print(commands, count);
            return true;
        }
    }
    return false;
}
