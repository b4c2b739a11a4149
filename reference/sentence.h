/* The sentences of the documents as data: which documents there are (documents.def), what each
 * sentence says and which clauses it leads to (sentences.def), how a clause follows where no
 * sentence says it, and what no case can show of it (traces.def). */
#ifndef TOPK_SENTENCE_H
#define TOPK_SENTENCE_H

#include "clause.h"

enum topk_document {
#define DOCUMENT(id, ...) TOPK_DOCUMENT_##id,
#include "documents.def"
#undef DOCUMENT
    TOPK_DOCUMENT_COUNT
};

enum topk_extent {
    TOPK_EXTENT_WHOLE,  /* each of its sentences is listed */
    TOPK_EXTENT_EXCERPT /* those that clauses come from */
};

enum topk_document_text {
    TOPK_DOCUMENT_TEXT_ENGLISH,
    TOPK_DOCUMENT_TEXT_TRANSLATED,
    TOPK_DOCUMENT_TEXT_BILINGUAL /* translated, with the English beside it */
};

/* All text is UTF-8 and lives forever. */
struct topk_document_row {
    const char *id;   /* "000" */
    const char *page; /* whose sentences it has: "K1" */
    enum topk_extent extent;
    enum topk_document_text text;
    const char *language;
    const char *title;
    const char *dated;   /* by its header, "2020-11-04"; "" if it has no date */
    const char *edition; /* what else tells it from others */
    const char *digest;  /* SHA-256 of the text; "" if it was not taken */
};

const struct topk_document_row *topk_document_row(enum topk_document document);

struct topk_sentence_row {
    const char *id;      /* "K1.25" */
    const char *page;    /* "K1" */
    const char *number;  /* "25" */
    const char *section; /* "K" */
    const char *words;   /* in English */
    const char *clauses; /* that it leads to: "V02 V03"; "" if none */
    const char *reason;  /* why none */
};

extern const size_t topk_sentence_count;
/* sentence < topk_sentence_count */
const struct topk_sentence_row *topk_sentence_row(size_t sentence);

/* The clauses that it leads to. */
struct topk_clause_set topk_sentence_clauses(size_t sentence);
bool topk_sentence_leads(size_t sentence, enum topk_clause clause);

/* Its words in a document, NULL if that does not have it. */
const char *topk_sentence_wording(size_t sentence, enum topk_document document);

/* Whether a document has the English words; else they are this suite's rendering. */
bool topk_sentence_quoted(size_t sentence);

struct topk_trace_row {
    const char *follows; /* how the clause follows; "" if sentences say it */
    const char *open;    /* what no case can show of it, and why; "" if nothing is known */
};

const struct topk_trace_row *topk_trace_row(enum topk_clause clause);

#endif
