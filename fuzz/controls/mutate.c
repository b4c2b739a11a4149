/* Makes the mutants of a C source: copies that differ in one place.
 *
 *   control_mutants FILE          lists them: number, line, operator, old text, new text
 *   control_mutants FILE NUMBER   writes one
 *
 * It knows tokens and what is declared, no more: many mutants do not compile, and some are no
 * change. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS  20000
#define MAX_NAMES   2000
#define MAX_MUTANTS 20000
#define TEXT        400

enum kind {
    NAME,
    NUMBER,
    MARK,
    OTHER
};

struct token {
    size_t from;
    size_t to;
    enum kind kind;
    int scope; /* which definition or declaration of the file it belongs to */
    int depth; /* braces around it */
};

/* A variable, parameter or member, with its type as text. */
struct declared {
    char name[48];
    char type[48];
    int scope;
    bool member;
};

struct mutant {
    size_t from;
    size_t to;
    const char *by;
    char text[TEXT];
};

static char *source;
static struct token tokens[MAX_TOKENS];
static int token_count;
static struct declared names[MAX_NAMES];
static int name_count;
static struct mutant mutants[MAX_MUTANTS];
static int mutant_count;

static bool is(int t, const char *text)
{
    return t >= 0 && t < token_count && strlen(text) == tokens[t].to - tokens[t].from &&
           memcmp(source + tokens[t].from, text, strlen(text)) == 0;
}

static int length_of(int first, int last)
{
    return (int)(tokens[last].to - tokens[first].from);
}

/* ---- Reading ------------------------------------------------------------------------------------
 */

static bool load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    size_t most = 1u << 20;
    source = calloc(most + 1, 1);
    size_t got = source != NULL ? fread(source, 1, most, file) : 0;
    (void)fclose(file);
    return got > 0 && got < most;
}

/* The end of what is no token at `at`: space, a comment, a line for the preprocessor. */
static size_t skip(size_t at)
{
    if (isspace((unsigned char)source[at])) {
        return at + 1;
    }
    if (strncmp(source + at, "/*", 2) == 0) {
        const char *end = strstr(source + at, "*/");
        return end != NULL ? (size_t)(end - source) + 2 : strlen(source);
    }
    if (source[at] == '#') {
        while (source[at] != 0 && (source[at] != '\n' || source[at - 1] == '\\')) {
            at++;
        }
    }
    return at;
}

static size_t end_of_token(size_t at, enum kind *kind)
{
    static const char *const marks[] = {
        "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->",
        "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    char first = source[at];
    *kind = MARK;
    if (isalnum((unsigned char)first) || first == '_') {
        *kind = isdigit((unsigned char)first) ? NUMBER : NAME;
        while (isalnum((unsigned char)source[at]) || source[at] == '_') {
            at++;
        }
        return at;
    }
    if (first == '"' || first == '\'') {
        *kind = OTHER;
        for (at++; source[at] != 0 && source[at] != first; at++) {
            at += source[at] == '\\';
        }
        return at + 1;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strncmp(source + at, marks[i], strlen(marks[i])) == 0) {
            return at + strlen(marks[i]);
        }
    }
    return at + 1;
}

static void tokenize(void)
{
    int scope = 0;
    int depth = 0;
    for (size_t at = 0; source[at] != 0 && token_count < MAX_TOKENS;) {
        size_t next = skip(at);
        if (next != at) {
            at = next;
            continue;
        }
        struct token *token = &tokens[token_count++];
        token->from = at;
        token->to = at = end_of_token(at, &token->kind);
        token->scope = scope;
        token->depth = depth;
        depth += source[token->from] == '{';
        depth -= source[token->from] == '}';
        if (depth == 0 && (source[token->from] == ';' || source[token->from] == '}')) {
            scope++;
        }
    }
}

static bool is_type(int t)
{
    static const char *const types[] = {"uint8_t",  "uint16_t", "uint32_t", "uint64_t",
                                        "int32_t",  "int64_t",  "size_t",   "int",
                                        "unsigned", "char",     "bool"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (is(t, types[i])) {
            return true;
        }
    }
    return t > 0 && tokens[t].kind == NAME && is(t - 1, "struct");
}

/* Finds what is declared as TYPE NAME, TYPE *NAME or TYPE NAME[...]; not functions. */
static void find_names(void)
{
    for (int t = 0; t + 2 < token_count && name_count < MAX_NAMES; t++) {
        if (!is_type(t)) {
            continue;
        }
        int name = t + 1;
        while (is(name, "*") || is(name, "const")) {
            name++;
        }
        if (name + 1 >= token_count || tokens[name].kind != NAME || is(name + 1, "(") ||
            is_type(name)) {
            continue;
        }
        struct declared *found = &names[name_count++];
        int start = t;
        while (start > 0 && tokens[start - 1].scope == tokens[t].scope && !is(start - 1, "{")) {
            start--;
        }
        snprintf(found->name, sizeof found->name, "%.*s", length_of(name, name),
                 source + tokens[name].from);
        snprintf(found->type, sizeof found->type, "%.*s%s%s", length_of(t, t),
                 source + tokens[t].from, is(name - 1, "*") ? "*" : "",
                 is(name + 1, "[") ? "[" : "");
        found->scope = tokens[t].scope;
        found->member = tokens[t].depth == 1 && is(start, "struct") && !is(start + 2, "*");
    }
}

/* ---- The operators ------------------------------------------------------------------------------
 */

static void add(const char *by, int first, int last, const char *text)
{
    if (mutant_count == MAX_MUTANTS || strlen(text) >= TEXT) {
        return;
    }
    struct mutant *mutant = &mutants[mutant_count++];
    mutant->by = by;
    mutant->from = tokens[first].from;
    mutant->to = tokens[last].to;
    snprintf(mutant->text, TEXT, "%s", text);
}

/* Tokens that become others. */
static void replace_tokens(int t)
{
    static const struct {
        const char *by;
        const char *from;
        const char *to;
    } rows[] = {
        {"relation", "<", "<="},
        {"relation", "<=", "<"},
        {"relation", ">", ">="},
        {"relation", ">=", ">"},
        {"relation", "<", ">="},
        {"relation", ">", "<="},
        {"relation", "==", "!="},
        {"relation", "!=", "=="},
        {"relation", "<=", "=="},
        {"relation", ">=", "=="},
        {"bound", "<", "+ 1 <"},
        {"bound", "<=", "+ 1 <="},
        {"bound", ">=", "+ 1 >="},
        {"bound", ">", "- 1 >"},
        {"logic", "&&", "||"},
        {"logic", "||", "&&"},
        {"arithmetic", "+", "-"},
        {"arithmetic", "-", "+"},
        {"arithmetic", "*", "+"},
        {"arithmetic", "/", "*"},
        {"arithmetic", "%", "/"},
        {"arithmetic", "+=", "-="},
        {"arithmetic", "-=", "+="},
        {"arithmetic", "+=", "="},
        {"arithmetic", "*=", "="},
        {"arithmetic", "|=", "="},
        {"arithmetic", "^=", "="},
        {"arithmetic", "++", "--"},
        {"arithmetic", "--", "++"},
        {"bits", "&", "|"},
        {"bits", "|", "&"},
        {"bits", "^", "|"},
        {"bits", "<<", ">>"},
        {"bits", ">>", "<<"},
        {"bits", "~", ""},
        {"logic", "!", ""},
        {"narrow", "uint64_t", "uint32_t"},
        {"narrow", "uint32_t", "uint16_t"},
        {"narrow", "uint32_t", "uint8_t"},
        {"narrow", "size_t", "uint32_t"},
        {"narrow", "int64_t", "int32_t"},
        {"narrow", "int32_t", "int16_t"},
        {"narrow", "uint16_t", "uint8_t"},
        {"narrow", "uint64_t", "int64_t"},

        {"sentinel", "UINT64_MAX", "0"},
        {"sentinel", "UINT64_MAX", "UINT32_MAX"},
        {"sentinel", "UINT32_MAX", "0"},
        {"sentinel", "UINT32_MAX", "UINT16_MAX"},
        {"sentinel", "UINT64_MAX", "(UINT64_MAX - 1)"},
        {"sentinel", "UINT32_MAX", "(UINT32_MAX - 1)"},
        {"logic", "true", "false"},
        {"logic", "false", "true"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is(t, rows[i].from)) {
            add(rows[i].by, t, t, rows[i].to);
        }
    }
}

/* Numbers one more and one less; large ones half, too. Those of #define, which are no tokens, are
 * found in change_macros(). */
static void change_number(const char *by, int t)
{
    char text[TEXT];
    char *end;
    unsigned long long value = strtoull(source + tokens[t].from, &end, 0);
    int suffix = (int)(source + tokens[t].to - end);
    const char *form = is(t, "0") || source[tokens[t].from + 1] != 'x' ? "%llu%.*s" : "%#llx%.*s";
    snprintf(text, sizeof text, form, value + 1, suffix, end);
    add(by, t, t, text);
    if (value > 0) {
        snprintf(text, sizeof text, form, value - 1, suffix, end);
        add(by, t, t, text);
    }
    if (value > 2) {
        snprintf(text, sizeof text, form, value / 2, suffix, end);
        add(by, t, t, text);
    }
}

/* The numbers of lines such as #define LIMIT 32u. */
static void change_macros(void)
{
    for (const char *at = source; (at = strstr(at, "\n#define ")) != NULL;) {
        at += strlen("\n#define ");
        const char *end = strchr(at, '\n');
        const char *number = strchr(at, ' ');
        while (number != NULL && *number == ' ') {
            number++;
        }
        if (number == NULL || end == NULL || number > end || !isdigit((unsigned char)*number) ||
            token_count == MAX_TOKENS) {
            continue;
        }
        tokens[token_count] = (struct token){.from = (size_t)(number - source), .kind = NUMBER};
        tokens[token_count].to = tokens[token_count].from + strcspn(number, " \n");
        change_number("limit", token_count);
    }
}

static int closing(int open)
{
    int depth = 0;
    for (int t = open; t < token_count; t++) {
        depth += is(t, "(") || is(t, "[") || is(t, "{");
        depth -= is(t, ")") || is(t, "]") || is(t, "}");
        if (depth == 0) {
            return t;
        }
    }
    return -1;
}

static void negate_condition(int t)
{
    int end = is(t, "if") || is(t, "while") ? closing(t + 1) : -1;
    char text[TEXT];
    if (end > 0 && length_of(t + 1, end) < TEXT - 10) {
        snprintf(text, sizeof text, "(!%.*s)", length_of(t + 1, end), source + tokens[t + 1].from);
        add("condition", t + 1, end, text);
        if (is(t, "if")) {
            add("condition", t + 1, end, "(0)");
            add("condition", t + 1, end, "(1)");
        }
    }
}

/* Operands of && and || that are left out: from the operator to the end of its operand. */
static void drop_operand(int t)
{
    if (!is(t, "&&") && !is(t, "||")) {
        return;
    }
    int depth = 0;
    for (int end = t + 1; end < token_count; end++) {
        if (depth == 0 && (is(end, "&&") || is(end, "||") || is(end, ")") || is(end, ";") ||
                           is(end, "?") || is(end, ":") || is(end, ","))) {
            add("operand", t, end - 1, "");
            return;
        }
        depth += is(end, "(") || is(end, "[");
        depth -= is(end, ")") || is(end, "]");
    }
}

static void remove_statement(int t)
{
    if (tokens[t].depth == 0 || tokens[t].kind != NAME ||
        !(is(t - 1, ";") || is(t - 1, "{") || is(t - 1, "}")) || is_type(t) || is(t, "const") ||
        is(t, "static") || is(t, "struct") || is(t, "return") || is(t, "case")) {
        return;
    }
    for (int end = t; end < token_count && !is(end, "{"); end++) {
        if (is(end, ";")) {
            add("statement", t, end, ";");
            return;
        }
    }
}

/* Two neighbouring arguments that change places. */
static void swap_arguments(int t)
{
    if (tokens[t].kind != NAME || !is(t + 1, "(") || is(t, "if") || is(t, "while") ||
        is(t, "for") || is(t, "switch") || is(t, "return") || is(t, "sizeof") ||
        tokens[t].depth == 0) {
        return;
    }
    int end = closing(t + 1);
    int before = -1;
    int start = t + 2;
    for (int at = start; at <= end && end > 0; at++) {
        if (is(at, "(") || is(at, "[") || is(at, "{")) {
            at = closing(at);
        } else if (is(at, ",") || at == end) {
            if (before >= 0) {
                int comma = start - 1;
                char text[TEXT];
                snprintf(text, sizeof text, "%.*s, %.*s", length_of(start, at - 1),
                         source + tokens[start].from, length_of(before, comma - 1),
                         source + tokens[before].from);
                add("arguments", before, at - 1, text);
            }
            before = start;
            start = at + 1;
        }
    }
}

/* Another variable or member of the same type, the next one declared beside it. */
static void exchange_name(int t)
{
    static const char *const foreign[][2] = {{"input", "value"},
                                             {"value", "index"},
                                             {"index", "value"},
                                             {"sizes", "strides"},
                                             {"strides", "sizes"},
                                             {"input_buffer", "value_buffer"},
                                             {"value_buffer", "index_buffer"},
                                             {"axis", "k"},
                                             {"k", "axis"},
                                             {"offset", "bytes"},
                                             {"direction", "operator_type"},
                                             {"operator_type", "direction"},
                                             {"total_bytes", "flags"}};
    bool member = is(t - 1, ".") || is(t - 1, "->");
    if (tokens[t].kind != NAME || is_type(t - 1) || is(t - 1, "*") == is_type(t - 2)) {
        if (tokens[t].kind != NAME || is_type(t - 1) || is_type(t - 2)) {
            return;
        }
    }
    for (int i = 0; i < name_count; i++) {
        if (names[i].member != member || (!member && names[i].scope != tokens[t].scope) ||
            !is(t, names[i].name)) {
            continue;
        }
        for (int step = 1; step < name_count; step++) {
            const struct declared *other = &names[(i + step) % name_count];
            if (other->scope == names[i].scope && strcmp(other->type, names[i].type) == 0 &&
                strcmp(other->name, names[i].name) != 0) {
                add("name", t, t, other->name);
                return;
            }
        }
        return;
    }
    for (size_t i = 0; member && i < sizeof foreign / sizeof foreign[0]; i++) {
        if (is(t, foreign[i][0])) {
            add("name", t, t, foreign[i][1]);
        }
    }
}

/* A member, or an element of it, that is cut to fewer bits where it is read. */
static void cut_member(int t)
{
    static const char *const types[] = {"uint8_t", "uint16_t", "uint32_t"};
    if (tokens[t].kind != NAME || !(is(t - 1, "->") || is(t - 1, "."))) {
        return;
    }
    int end = is(t + 1, "[") ? closing(t + 1) : t;
    int start = t;
    while (is(start - 1, "->") || is(start - 1, ".")) {
        for (start -= 2; is(start, "]");) {
            while (!is(start--, "[")) {
            }
        }
    }
    if (is(end + 1, "->") || is(end + 1, ".") || is(end + 1, "=") || is(start - 1, "&") ||
        end < 0) {
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[TEXT];
        snprintf(text, sizeof text, "(%s)%.*s", types[i], length_of(start, end),
                 source + tokens[start].from);
        add("cut", start, end, text);
    }
}

static void find_mutants(void)
{
    int count = token_count;
    for (int t = 0; t < count; t++) {
        replace_tokens(t);
        if (tokens[t].kind == NUMBER) {
            change_number("number", t);
        }
        negate_condition(t);
        drop_operand(t);
        remove_statement(t);
        swap_arguments(t);
        exchange_name(t);
        if (is(t, "(") || is(t, "[")) {
            int end = closing(t);
            if (end == t + 2 && tokens[t + 1].kind == NAME && is(t, "[")) {
                char text[TEXT];
                snprintf(text, sizeof text, "[%.*s + 1]", length_of(t + 1, t + 1),
                         source + tokens[t + 1].from);
                add("place", t, end, text);
            }
        }
    }
    change_macros();
    for (int t = 0; t < count; t++) {
        cut_member(t);
    }
}

static void print_one_line(const char *text, size_t length)
{
    bool space = false;
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)text[i])) {
            space = true;
            continue;
        }
        if (space && i > 0) {
            putchar(' ');
        }
        space = false;
        putchar(text[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || !load(argv[1])) {
        fputs("usage: control_mutants FILE [NUMBER]\n", stderr);
        return 2;
    }
    tokenize();
    find_names();
    find_mutants();
    if (argc == 3) {
        long wanted = strtol(argv[2], NULL, 10);
        if (wanted < 1 || wanted > mutant_count) {
            fputs("control_mutants: there is no mutant of that number\n", stderr);
            return 2;
        }
        const struct mutant *mutant = &mutants[wanted - 1];
        printf("%.*s%s%s", (int)mutant->from, source, mutant->text, source + mutant->to);
        return 0;
    }
    for (int m = 0; m < mutant_count; m++) {
        int line = 1;
        for (size_t i = 0; i < mutants[m].from; i++) {
            line += source[i] == '\n';
        }
        printf("%d\t%d\t%s\t", m + 1, line, mutants[m].by);
        print_one_line(source + mutants[m].from, mutants[m].to - mutants[m].from);
        printf("\t");
        print_one_line(mutants[m].text, strlen(mutants[m].text));
        printf("\n");
    }
    return 0;
}
