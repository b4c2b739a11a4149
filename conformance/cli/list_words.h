/* What the text of a case is made of, as `topk-cts list --recipes` and its like print it. */
#ifndef TOPK_LIST_WORDS_H
#define TOPK_LIST_WORDS_H

void cli_list_types(void);
void cli_list_recipes(void);
void cli_list_layouts(void);
void cli_list_paddings(void);
void cli_list_checks(void);
void cli_list_features(void);

#endif
