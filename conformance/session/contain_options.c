/* Parses the options --memory, --cpu, --env and others, and prints them for a log, for a command,
 * and for topk-worker. */
#define _POSIX_C_SOURCE 200809L
#include "contain_options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

extern char **environ; /* NOLINT(readability-redundant-declaration): not every system declares it */

enum {
    KEY_MEMORY = 2000,
    KEY_CPU,
    KEY_ENV
};

/* ---- the options ---------------------------------------------------------------------------- */

static void add_variable(const struct argp_state *state, struct cli_contain *contain, char *text)
{
    const size_t name = strcspn(text, "=");
    bool good = name > 0 && !isdigit((unsigned char)text[0]);
    for (size_t i = 0; i < name; i++) {
        good = good && (isalnum((unsigned char)text[i]) || text[i] == '_');
    }
    if (!good) {
        argp_error(state, "--env takes NAME or NAME=VALUE, not '%s'", text);
    }
    contain->variables = (const char **)cli_need(realloc(
        (void *)contain->variables, (contain->variable_count + 1) * sizeof *contain->variables));
    contain->variables[contain->variable_count++] = text;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct cli_contain *contain = state->input;
    switch (key) {
    case KEY_MEMORY:
        contain->memory = cli_size(state, "memory", argument);
        return 0;
    case KEY_CPU:
        contain->cpu = cli_seconds(state, "cpu", argument);
        return 0;
    case KEY_ENV:
        add_variable(state, contain, argument);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_contain_argp = {
    .options =
        (const struct argp_option[]){
            {"memory", KEY_MEMORY, "SIZE", 0,
             "Kill a backend process and all that it started if they take more memory than this, "
             "such as 2G; the case counts as a crash",
             0},
            {"cpu", KEY_CPU, "SECONDS", 0,
             "Kill a backend process and all that it started if they take more processor time than "
             "this for a call, or for the calls sent together; the case counts as a timeout",
             0},
            {"env", KEY_ENV, "NAME[=VALUE]", 0,
             "Set this variable for backends, or pass it on although its name looks like a secret; "
             "can be given several times",
             0},
            {"clean-env", CLI_FLAG(struct cli_contain, clean), NULL, 0,
             "Pass backends only the variables of --env and PATH, HOME, USER, LOGNAME, SHELL, "
             "LANG, LC_*, TZ, TERM",
             0},
            {"keep-folder", CLI_FLAG(struct cli_contain, keep_folder), NULL, 0,
             "Run --backend in the current folder, not in a new one", 0},
            {"core-dumps", CLI_FLAG(struct cli_contain, core_dumps), NULL, 0,
             "Allow core dumps of backends", 0},
            {"new-privileges", CLI_FLAG(struct cli_contain, new_privileges), NULL, 0,
             "Allow backends to raise their privileges, for example with sudo", 0},
            {0},
        },
    .parser = parse,
};

/* ---- variables ------------------------------------------------------------------------------ */

/* parts of variable names, separated by underscores, that mark a secret */
static const char *const secrets[] = {"TOKEN",  "TOKENS", "SECRET",     "SECRETS",    "PASSWORD",
                                      "PASSWD", "PASS",   "PASSPHRASE", "CREDENTIAL", "CREDENTIALS",
                                      "APIKEY", "KEY",    "PAT",        "JWT",        "COOKIE"};
/* basic variables, which --clean-env passes */
static const char *const plain[] = {
    "PATH", "HOME",        "USER",        "LOGNAME",      "SHELL",   "LANG",        "TZ",
    "TERM",
#if defined(_WIN32)
    "Path", "SystemRoot",  "SystemDrive", "windir",       "ComSpec", "PATHEXT",     "TEMP",
    "TMP",  "USERPROFILE", "USERNAME",    "LOCALAPPDATA", "APPDATA", "ProgramData", "ProgramFiles",
#endif
};

/* prefixes of variables that can change what a driver or a library does */
static const char *const telling[] = {
    "VK_",    "MESA_", "LP_",   "GALLIUM_", "LIBGL_",  "RADV_",          "ANV_",  "NVK_",
    "VKD3D_", "DXVK_", "WINE",  "CUDA",     "NVIDIA_", "HIP_",           "ROCR_", "HSA_",
    "ZE_",    "SYCL_", "ORT_",  "OMP_",     "MKL_",    "OPENBLAS",       "GOMP_", "ASAN_",
    "UBSAN_", "TSAN_", "LSAN_", "LD_",      "MALLOC_", "GLIBC_TUNABLES", "TOPK_",
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool is_among(const char *word, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && strncmp(word, list[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* whether the name of a variable marks it as a secret; "NAME" or "NAME=VALUE" */
static bool is_secret(const char *variable)
{
    char name[256];
    size_t length = 0;
    for (; length < sizeof name - 1 && variable[length] != 0 && variable[length] != '='; length++) {
        name[length] = (char)toupper((unsigned char)variable[length]);
    }
    name[length] = 0;
    for (const char *at = name; *at != 0;) {
        const size_t part = strcspn(at, "_");
        if (is_among(at, part, secrets, COUNT(secrets))) {
            return true;
        }
        at += part + (at[part] == '_');
    }
    return false;
}

/* the value of the last --env that names this variable; NULL: none does */
static const char *said_of(const struct cli_contain *contain, const char *variable)
{
    const size_t length = strcspn(variable, "=");
    for (size_t i = contain->variable_count; i-- > 0;) {
        if (strcspn(contain->variables[i], "=") == length &&
            strncmp(contain->variables[i], variable, length) == 0) {
            return contain->variables[i];
        }
    }
    return NULL;
}

/* whether a variable of this program is passed on unchanged */
static bool passes(const struct cli_contain *contain, const char *variable)
{
    const char *said = said_of(contain, variable);
    if (said != NULL) {
        return strchr(said, '=') == NULL;
    }
    if (contain->clean) {
        return strncmp(variable, "LC_", 3) == 0 ||
               is_among(variable, strcspn(variable, "="), plain, COUNT(plain));
    }
    return !is_secret(variable);
}

char **cli_contain_environment(const struct cli_contain *contain)
{
    size_t count = 0;
    size_t used = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **list = (char **)cli_need(calloc(count + contain->variable_count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++) {
        if (passes(contain, environ[i])) {
            list[used++] = cli_need(strdup(environ[i]));
        }
    }
    for (size_t i = 0; i < contain->variable_count; i++) {
        const char *variable = contain->variables[i];
        if (strchr(variable, '=') != NULL && said_of(contain, variable) == variable) {
            list[used++] = cli_need(strdup(variable));
        }
    }
    return list;
}

void cli_contain_environment_free(char **environment)
{
    for (char **at = environment; at != NULL && *at != NULL; at++) {
        free(*at);
    }
    free((void *)environment);
}

/* ---- as text -------------------------------------------------------------------------------- */

/* a text that grows */
struct text {
    char *text;
    size_t length;
};

static void add(struct text *text, const char *before, const char *word)
{
    const size_t more = strlen(before) + strlen(word);
    text->text = cli_need(realloc(text->text, text->length + more + 1));
    snprintf(text->text + text->length, more + 1, "%s%s", before, word);
    text->length += more;
}

/* the two styles of printing settings: as options of a command, and as words */
struct style {
    const char *flag;  /* before a name */
    const char *value; /* between name and value */
    bool quoted;
};

static void add_value(struct text *text, const struct style *style, const char *name,
                      const char *value)
{
    char *quoted = style->quoted ? cli_need(topk_text_shell(value)) : NULL;
    add(text, style->flag, name);
    add(text, style->value, quoted != NULL ? quoted : value);
    free(quoted);
}

char *cli_contain_variables(const struct cli_contain *contain)
{
    struct text text = {NULL, 0};
    char **environment = cli_contain_environment(contain);
    add(&text, "", "");
    for (char **at = environment; *at != NULL; at++) {
        bool tells = false;
        for (size_t i = 0; i < COUNT(telling); i++) {
            tells = tells || strncmp(*at, telling[i], strlen(telling[i])) == 0;
        }
        if (tells && !is_secret(*at)) {
            add(&text, text.length == 0 ? "" : " ", *at);
        }
    }
    cli_contain_environment_free(environment);
    return text.text;
}

static char *print(const struct cli_contain *contain, const struct style *style)
{
    struct text text = {NULL, 0};
    char number[64];
    add(&text, "", "");
    if (contain->memory > 0) {
        snprintf(number, sizeof number, "%" PRIu64, contain->memory);
        add_value(&text, style, "memory", number);
    }
    if (contain->cpu > 0) {
        snprintf(number, sizeof number, "%g", contain->cpu);
        add_value(&text, style, "cpu", number);
    }
    const struct {
        bool set;
        const char *name;
    } flags[] = {{contain->clean, "clean-env"},
                 {contain->keep_folder, "keep-folder"},
                 {contain->core_dumps, "core-dumps"},
                 {contain->new_privileges, "new-privileges"}};
    for (size_t i = 0; i < COUNT(flags); i++) {
        if (flags[i].set) {
            add(&text, style->flag, flags[i].name);
        }
    }
    for (size_t i = 0; i < contain->variable_count; i++) {
        const char *variable = contain->variables[i];
        char *name = cli_need(strndup(variable, strcspn(variable, "=")));
        add_value(&text, style, "env", is_secret(variable) ? name : variable);
        free(name);
    }
    return text.text;
}

char *cli_contain_print(const struct cli_contain *contain)
{
    char *text = print(contain, &(struct style){" ", "=", false});
    if (text[0] == ' ') {
        memmove(text, text + 1, strlen(text));
    }
    return text;
}

char *cli_contain_command(const struct cli_contain *contain)
{
    return print(contain, &(struct style){" --", " ", true});
}

void cli_contain_words(const struct cli_contain *contain, bool own_folder,
                       char words[CLI_CONTAIN_WORDS])
{
    snprintf(words, CLI_CONTAIN_WORDS, "memory=%" PRIu64 ",cpu=%" PRIu64 "%s%s%s", contain->memory,
             (uint64_t)(contain->cpu * 1000 + 0.5), contain->core_dumps ? ",core-dumps" : "",
             contain->new_privileges ? ",new-privileges" : "",
             own_folder && !contain->keep_folder ? ",own-folder" : "");
}
