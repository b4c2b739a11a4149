/* The sentences of the documents as data: which documents there are (documents.def), what each
 * sentence says and which clauses follow from it (sentences.def); for a clause that no sentence
 * states, how it follows, and what no case can show about a clause (traces.def). */
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
    TOPK_EXTENT_WHOLE,  /* all its sentences are listed */
    TOPK_EXTENT_EXCERPT /* only the sentences from which clauses follow */
};

enum topk_document_text {
    TOPK_DOCUMENT_TEXT_ENGLISH,
    TOPK_DOCUMENT_TEXT_TRANSLATED,
    TOPK_DOCUMENT_TEXT_BILINGUAL /* translated, with the English text next to it */
};

/* All texts are UTF-8 with static lifetime. */
struct topk_document_row {
    const char *id;   /* "000" */
    const char *page; /* the page whose sentences it contains: "K1" */
    enum topk_extent extent;
    enum topk_document_text text;
    const char *language;
    const char *title;
    const char *dated;   /* according to its header, such as "2020-11-04"; "" if it has no date */
    const char *edition; /* other distinguishing properties */
    const char *digest;  /* SHA-256 of the text; "" if there is none */
};

const struct topk_document_row *topk_document_row(enum topk_document document);

struct topk_sentence_row {
    const char *id;      /* "K1.25" */
    const char *page;    /* "K1" */
    const char *number;  /* "25" */
    const char *section; /* "K" */
    const char *words;   /* in English */
    const char *clauses; /* that follow from it: "V02 V03"; "" if none */
    const char *reason;  /* why none follow */
};

extern const size_t topk_sentence_count;
/* sentence < topk_sentence_count */
const struct topk_sentence_row *topk_sentence_row(size_t sentence);

/* The clauses that follow from a sentence. */
struct topk_clause_set topk_sentence_clauses(size_t sentence);
bool topk_sentence_leads(size_t sentence, enum topk_clause clause);

/* The wording of a sentence in a document; NULL if it does not contain it. */
const char *topk_sentence_wording(size_t sentence, enum topk_document document);

/* Whether some document contains the English words; otherwise they are this suite's translation. */
bool topk_sentence_quoted(size_t sentence);

struct topk_trace_row {
    const char *follows; /* how the clause follows; "" if sentences state it */
    const char *open;    /* what no case can show about it, and why; "" if nothing is known */
};

const struct topk_trace_row *topk_trace_row(enum topk_clause clause);

#endif
