/* Dictionaries for fuzzers: the words of the project's tables. */
#ifndef TOPK_WORDS_H
#define TOPK_WORDS_H

/* For case texts: operators, types, fields, paddings, checks, recipes. */
void fuzz_case_words(void (*word)(const char *word));

/* For result lines: verdicts, clauses, mismatches, readings. */
void fuzz_result_words(void (*word)(const char *word));

#endif
