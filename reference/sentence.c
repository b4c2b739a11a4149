/* The tables of documents, sentences and traces. */
#include "sentence.h"

#include <string.h>

static const struct topk_document_row documents[] = {
#define DOCUMENT(id, page, extent, text, language, title, dated, edition, digest)                  \
    {#id,     #page, TOPK_EXTENT_##extent, TOPK_DOCUMENT_TEXT_##text, language, title, dated,      \
     edition, digest},
#include "documents.def"
#undef DOCUMENT
};

static const struct topk_sentence_row sentences[] = {
#define SENTENCE(page, number, section, words, clauses, reason)                                    \
    {#page "." #number, #page, #number, section, words, clauses, reason},
#define WORDING(document, words)
#define SAME(document)
#include "sentences.def"
#undef SENTENCE
#undef WORDING
#undef SAME
};

const size_t topk_sentence_count = sizeof sentences / sizeof sentences[0];

/* The wordings of all sentences; a row without a document starts those of the next sentence. */
static const struct wording {
    enum topk_document document;
    const char *words; /* NULL: the same as the sentence's */
} wordings[] = {
#define SENTENCE(...)            {TOPK_DOCUMENT_COUNT, NULL},
#define WORDING(document, words) {TOPK_DOCUMENT_##document, words},
#define SAME(document)           {TOPK_DOCUMENT_##document, NULL},
#include "sentences.def"
#undef SENTENCE
#undef WORDING
#undef SAME
};

static const struct topk_trace_row traces[TOPK_CLAUSE_COUNT] = {
#define TRACE(clause, follows, open) [TOPK_CLAUSE_##clause] = {follows, open},
#include "traces.def"
#undef TRACE
};

const struct topk_document_row *topk_document_row(enum topk_document document)
{
    return &documents[document];
}

const struct topk_sentence_row *topk_sentence_row(size_t sentence)
{
    return &sentences[sentence];
}

struct topk_clause_set topk_sentence_clauses(size_t sentence)
{
    struct topk_clause_set set = {{0}};
    const char *at = sentences[sentence].clauses;
    while (*at != 0) {
        const size_t length = strcspn(at, " ");
        const enum topk_clause clause = topk_clause_parse(at, length);
        if (clause != TOPK_CLAUSE_NONE) {
            topk_clause_set_add(&set, clause);
        }
        at += length + strspn(at + length, " ");
    }
    return set;
}

bool topk_sentence_leads(size_t sentence, enum topk_clause clause)
{
    const struct topk_clause_set set = topk_sentence_clauses(sentence);
    return topk_clause_set_has(&set, clause);
}

/* the row that starts the wordings of a sentence */
static const struct wording *wordings_of(size_t sentence)
{
    const struct wording *at = wordings;
    for (size_t begun = 0; begun < sentence || at->document != TOPK_DOCUMENT_COUNT; at++) {
        begun += at->document == TOPK_DOCUMENT_COUNT;
    }
    return at;
}

static bool last(const struct wording *row)
{
    const struct wording *end = wordings + sizeof wordings / sizeof wordings[0];
    return row + 1 == end || row[1].document == TOPK_DOCUMENT_COUNT;
}

const char *topk_sentence_wording(size_t sentence, enum topk_document document)
{
    const struct wording *row = wordings_of(sentence);
    if (last(row)) {
        const bool own = strcmp(documents[document].page, sentences[sentence].page) == 0;
        return own ? sentences[sentence].words : NULL;
    }
    while (!last(row)) {
        row++;
        if (row->document == document) {
            return row->words != NULL ? row->words : sentences[sentence].words;
        }
    }
    return NULL;
}

bool topk_sentence_quoted(size_t sentence)
{
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const char *words = topk_sentence_wording(sentence, (enum topk_document)i);
        if (words != NULL && (documents[i].text != TOPK_DOCUMENT_TEXT_TRANSLATED ||
                              words == sentences[sentence].words)) {
            return true;
        }
    }
    return false;
}

const struct topk_trace_row *topk_trace_row(enum topk_clause clause)
{
    return &traces[clause];
}
