/* Dictionaries: the words of the project's tables. */
#ifndef TOPK_WORDS_H
#define TOPK_WORDS_H

/* Of case texts: operators, types, fields, paddings, checks, recipes. */
void fuzz_case_words(void (*word)(const char *word));

/* Of result lines: verdicts, clauses, mismatches, readings. */
void fuzz_result_words(void (*word)(const char *word));

#endif
