/* Compares documents with the tables. Texts and words are first made plain: front matter, tags,
 * links and Markdown's marks are removed, spaces become single. A document that is listed
 * completely must then consist of its sentences only, one after another; at each position the
 * longest matching sentence is used. */
#define _POSIX_C_SOURCE 200809L /* strndup */

#include "documents.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The separator of units in sentences.def. */
#define BETWEEN " / "

/* Greatest number of units in a document: sentences, headings, rows of tables. */
#define UNITS_MAX 512
/* Number of characters of the text that a fault shows. */
#define SHOWN 60

static void *need(void *room)
{
    if (room == NULL) {
        fputs("documents: no room\n", stderr);
        abort();
    }
    return room;
}

/* ---- plain text ------------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* the text after `to`, or the end */
static const char *behind(const char *text, const char *to)
{
    const char *found = strstr(text, to);
    return found == NULL ? text + strlen(text) : found + strlen(to);
}

static bool is_tag(const char *text)
{
    return text[0] == '<' && (isalpha((unsigned char)text[1]) || text[1] == '/');
}

/* The text after a tag. With `english`, skips the translated text of a bilingual document. */
static const char *skip_tag(const char *text, bool english)
{
    if (!english && begins(text, "<span class=\"sxs-lookup\">")) {
        return behind(text, "</span></span>");
    }
    if (english && begins(text, "<span data-ttu-id=")) {
        return behind(text, "</span>");
    }
    return behind(text, ">");
}

/* The text after the marks at the start of a line. */
static const char *skip_marks(const char *line)
{
    static const char *const marks[] = {"#", ">", "* ", "\u2022", " ", "[!IMPORTANT]"};
    const char *at = line;
    const size_t rule = strspn(line, "|-: ");
    if (rule > 1 && line[rule] == '\n') {
        return line + rule;
    }
    if (begins(line, "```")) {
        return line + strcspn(line, "\n");
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (begins(at, marks[i])) {
            at += strlen(marks[i]);
            i = (size_t)-1; /* starts again */
        }
    }
    return at;
}

/* The text after a mark that is replaced by `put`, a character or nothing; NULL if there is
 * none. */
static const char *skip_mark(const char *text, const char **put)
{
    static const struct {
        const char *mark, *put;
    } marks[] = {{"*", ""},         {"`", ""},   {"\\", ""},  {"|", " "},  {"&nbsp;", " "},
                 {"\xc2\xa0", " "}, {"\t", " "}, {"\n", " "}, {"\r", " "}, {"&mdash;", "\u2014"}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (begins(text, marks[i].mark)) {
            *put = marks[i].put;
            return text + strlen(marks[i].mark);
        }
    }
    return NULL;
}

struct plain {
    char *text; /* owned */
    size_t length;
};

static void put(struct plain *plain, const char *text, size_t length)
{
    const bool space = plain->length == 0 || plain->text[plain->length - 1] == ' ';
    if (length == 1 && *text == ' ' && space) {
        return;
    }
    memcpy(plain->text + plain->length, text, length);
    plain->length += length;
}

/* The end of a link's address, if one starts at ']'; else NULL. */
static const char *skip_address(const char *text)
{
    if (!begins(text, "](")) {
        return NULL;
    }
    const char *end = text + strcspn(text, ")\n");
    return *end == ')' ? end + 1 : NULL;
}

/* whether a link starts at '[': its text ends on the same line, and an address follows */
static bool is_link(const char *text)
{
    const char *end = text + 1 + strcspn(text + 1, "[]\n");
    return *text == '[' && skip_address(end) != NULL;
}

/* Returns the plain text, which the caller frees. */
static char *make_plain(const char *text, bool english)
{
    struct plain plain = {need(calloc(strlen(text) + 2, 1)), 0};
    const char *at = begins(text, "---\n") ? behind(text + 4, "\n---\n") : text;
    bool line = at != text || strchr(text, '\n') != NULL;
    while (*at != 0) {
        const char *as = "";
        const char *next;
        at = line ? skip_marks(at) : at;
        line = *at == '\n';
        if (is_tag(at)) {
            put(&plain, " ", begins(at, "<span") || begins(at, "</span") ? 1 : 0);
            at = skip_tag(at, english);
        } else if (is_link(at)) {
            at++;
        } else if ((next = skip_address(at)) != NULL) {
            at = next;
        } else if ((next = skip_mark(at, &as)) != NULL) {
            at = next;
            put(&plain, as, strlen(as));
        } else if (*at != 0) {
            put(&plain, at++, 1);
        }
    }
    while (plain.length > 0 && plain.text[plain.length - 1] == ' ') {
        plain.length--;
    }
    plain.text[plain.length] = 0;
    return plain.text;
}

/* ---- units ----------------------------------------------------------------------------------- */

struct unit {
    char *text; /* owned, plain */
    size_t sentence;
    bool found;
};

struct units {
    struct unit list[UNITS_MAX];
    size_t count;
};

/* Splits the words of a sentence into units. */
static void add_words(struct units *units, size_t sentence, const char *words)
{
    while (*words != 0) {
        const char *next = behind(words, BETWEEN);
        const size_t length = (size_t)(next - words) - (*next == 0 ? 0 : strlen(BETWEEN));
        char *part = need(strndup(words, length));
        need(units->count < UNITS_MAX ? units : NULL);
        units->list[units->count++] =
            (struct unit){.text = make_plain(part, false), .sentence = sentence};
        free(part);
        words = next;
    }
}

static void add_units(struct units *units, enum topk_document document, bool english)
{
    for (size_t i = 0; i < topk_sentence_count; i++) {
        const char *words = topk_sentence_wording(i, document);
        if (words != NULL) {
            add_words(units, i, english ? topk_sentence_row(i)->words : words);
        }
    }
}

static void free_units(struct units *units)
{
    for (size_t i = 0; i < units->count; i++) {
        free(units->list[i].text);
    }
    units->count = 0;
}

/* the length of the longest unit at `at`; marks all units with the same words as found */
static size_t match(struct units *units, const char *at)
{
    size_t longest = 0;
    for (size_t i = 0; i < units->count; i++) {
        const size_t length = strlen(units->list[i].text);
        const bool whole =
            at[length < strlen(at) ? length : strlen(at)] == ' ' || length >= strlen(at);
        if (length > longest && begins(at, units->list[i].text) && whole) {
            longest = length;
        }
    }
    for (size_t i = 0; longest > 0 && i < units->count; i++) {
        struct unit *unit = &units->list[i];
        unit->found = unit->found || (strlen(unit->text) == longest && begins(at, unit->text));
    }
    return longest;
}

/* ---- the check ------------------------------------------------------------------------------- */

static size_t missing(const struct units *units, const char *id, FILE *out)
{
    size_t faults = 0;
    for (size_t i = 0; i < units->count; i++) {
        const struct unit *unit = &units->list[i];
        if (!unit->found) {
            fprintf(out, "%s: the document does not have what %s says: %s\n", id,
                    topk_sentence_row(unit->sentence)->id, unit->text);
            faults++;
        }
    }
    return faults;
}

/* checks that the text consists of units only */
static size_t check_whole(struct units *units, const char *id, const char *plain, FILE *out)
{
    size_t faults = 0;
    bool lost = false; /* the preceding text was no unit */
    for (const char *at = plain; *at != 0;) {
        const size_t length = match(units, at);
        if (length == 0 && !lost) {
            fprintf(out, "%s: no sentence of sentences.def: %.*s ...\n", id, SHOWN, at);
            faults++;
        }
        lost = length == 0;
        at += length > 0 ? length : strcspn(at, " ");
        at += *at == ' ';
    }
    return faults + missing(units, id, out);
}

static size_t check_excerpt(struct units *units, const char *id, const char *plain, FILE *out)
{
    for (size_t i = 0; i < units->count; i++) {
        units->list[i].found = strstr(plain, units->list[i].text) != NULL;
    }
    return missing(units, id, out);
}

static size_t check_text(enum topk_document document, const char *text, bool english, FILE *out)
{
    static struct units units;
    const struct topk_document_row *row = topk_document_row(document);
    char *plain = make_plain(text, english);
    add_units(&units, document, english);
    const size_t faults = row->extent == TOPK_EXTENT_WHOLE
                              ? check_whole(&units, row->id, plain, out)
                              : check_excerpt(&units, row->id, plain, out);
    free_units(&units);
    free(plain);
    return faults;
}

size_t documents_check(enum topk_document document, const char *text, FILE *out)
{
    const bool both = topk_document_row(document)->text == TOPK_DOCUMENT_TEXT_BILINGUAL;
    return check_text(document, text, false, out) +
           (both ? check_text(document, text, true, out) : 0);
}
