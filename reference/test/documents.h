/* Holds the text of a document against documents.def and sentences.def. */
#ifndef TOPK_TEST_DOCUMENTS_H
#define TOPK_TEST_DOCUMENTS_H

#include <stdio.h>

#include "reference/sentence.h"

/* Writes a line to `out` for each fault: words that the document does not have and, of a document
 * that is listed whole, text that is no sentence of sentences.def. Returns how many there are. */
size_t documents_check(enum topk_document document, const char *text, FILE *out);

#endif
