/* Compares the text of a document with documents.def and sentences.def. */
#ifndef TOPK_TEST_DOCUMENTS_H
#define TOPK_TEST_DOCUMENTS_H

#include <stdio.h>

#include "reference/sentence.h"

/* Writes a line to `out` for each fault: words that the document lacks and, for a document that is
 * completely listed, text that is not in sentences.def. Returns the number of faults. */
size_t documents_check(enum topk_document document, const char *text, FILE *out);

#endif
