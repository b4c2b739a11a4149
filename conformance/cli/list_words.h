/* The words of a case's text, which `topk-cts list --recipes` and similar options print. */
#ifndef TOPK_LIST_WORDS_H
#define TOPK_LIST_WORDS_H

void cli_list_types(void);
void cli_list_recipes(void);
void cli_list_layouts(void);
void cli_list_paddings(void);
void cli_list_checks(void);
void cli_list_features(void);
void cli_list_causes(void);

#endif
