/* Conditions: what cases have in common, as terms that all have to hold, and their text:
 *
 *   rank>=5 and type=f16|bf16 and ties!=none
 *
 * A term is a feature (features.def), an operator and a value. Of a category = and != take one word
 * or several with '|' between them; of a number =, <, <=, > and >= take one number. `k` also takes
 * the words of its classes: k=n|n-1. Some features need a look at the data; of a case that is too
 * large for that they are not known. A term that asks for one then neither holds nor fails.
 *
 * The text that topk_condition_print() writes parses to the same condition. */
#ifndef TOPK_CONDITION_H
#define TOPK_CONDITION_H

#include "case/case.h"

enum topk_category {
#define ASPECT_OF(id)             TOPK_CATEGORY_##id,
#define CATEGORY(id, name, about) TOPK_CATEGORY_##id,
#define LISTED(id, name, about)   TOPK_CATEGORY_##id,
#define WORD(category, id, word)
#define NUMBER(id, name, about)
#include "features.def"
#undef ASPECT_OF
#undef CATEGORY
#undef LISTED
#undef WORD
#undef NUMBER
    TOPK_CATEGORY_COUNT
};

enum topk_number {
#define ASPECT_OF(id)
#define CATEGORY(id, name, about)
#define LISTED(id, name, about)
#define WORD(category, id, word)
#define NUMBER(id, name, about) TOPK_NUMBER_##id,
#include "features.def"
#undef ASPECT_OF
#undef CATEGORY
#undef LISTED
#undef WORD
#undef NUMBER
    TOPK_NUMBER_COUNT
};

/* Most words of a category. */
#define TOPK_CATEGORY_WORDS 128u
/* A word, or a number, that is not known. */
#define TOPK_WORD_UNKNOWN   UINT8_MAX
#define TOPK_NUMBER_UNKNOWN UINT64_MAX

/* What conditions can ask of a case. */
struct topk_features {
    uint8_t words[TOPK_CATEGORY_COUNT];
    uint64_t numbers[TOPK_NUMBER_COUNT];
};

/* Largest input, in elements, whose data a look at many cases can afford. */
#define TOPK_FEATURES_ELEMENTS ((uint64_t)1 << 14)

/* Reads the features off a case: of any description, valid or not. What takes a look at the data is
 * not known, nor is what the further calls of check= have otherwise. */
void topk_features_describe(const struct topk_case *tc, struct topk_features *features);

/* Adds what the data shows, unless the input has more than `elements` elements, the case is invalid
 * or too large to be run, or memory is short. */
void topk_features_look(const struct topk_case *tc, uint64_t elements,
                        struct topk_features *features);

/* Stands for the call of a sequence that failed if it is not known, as after a crash. */
#define TOPK_CALL_UNKNOWN UINT32_MAX
/* The number of the call whose features a case has: the wrong call of a sequence that failed, else
 * 0, the last call. call: the number in a result or record, 0 if it has none. */
uint32_t topk_features_call(bool failed, uint32_t call);
/* Like topk_features_describe() and topk_features_look(), for that call of a sequence. If the call
 * is TOPK_CALL_UNKNOWN, all features are unknown. If its data is the output of an earlier call,
 * what the data would show is unknown. A single call is described whatever the number is. */
void topk_features_describe_call(const struct topk_case *tc, uint32_t call,
                                 struct topk_features *features);
void topk_features_look_call(const struct topk_case *tc, uint32_t call, uint64_t elements,
                             struct topk_features *features);

/* "rank", and what it is. */
const char *topk_category_name(enum topk_category category);
const char *topk_category_about(enum topk_category category);
const char *topk_number_name(enum topk_number number);
const char *topk_number_about(enum topk_number number);
/* The words of a category by number, NULL behind the last. */
const char *topk_category_word(enum topk_category category, unsigned word);
/* Whether it is an aspect of coverage. */
bool topk_category_of_aspect(enum topk_category category);
/* Whether it takes a look at the data. */
bool topk_category_of_data(enum topk_category category);
bool topk_number_of_data(enum topk_number number);

struct topk_term {
    bool is_number;
    unsigned char feature;                    /* enum topk_category or topk_number */
    uint64_t words[TOPK_CATEGORY_WORDS / 64]; /* of a category: the bits of those that hold */
    uint64_t least, most;                     /* of a number; 0 and UINT64_MAX are no bounds */
};

#define TOPK_CONDITION_TERMS 12
/* Zero holds of every case. */
struct topk_condition {
    size_t count;
    struct topk_term terms[TOPK_CONDITION_TERMS];
};

enum topk_holds {
    TOPK_HOLDS_NOT,
    TOPK_HOLDS_UNKNOWN,
    TOPK_HOLDS
};
enum topk_holds topk_term_holds(const struct topk_term *term, const struct topk_features *features);
enum topk_holds topk_condition_holds(const struct topk_condition *condition,
                                     const struct topk_features *features);

/* The term that alone does not hold; `count` if all hold, `count` + 1 if several do not, or one is
 * not known. */
size_t topk_condition_missed(const struct topk_condition *condition,
                             const struct topk_features *features);

/* Room for what is wrong with a text, with the terminator. */
#define TOPK_CONDITION_ERROR 256
/* Reads a text of `length` characters. False, with the column (1..) and what is wrong there in
 * error, if it is no condition. */
bool topk_condition_parse(const char *text, size_t length, struct topk_condition *condition,
                          size_t *column, char error[TOPK_CONDITION_ERROR]);

/* Writes what the terms are about whose names do not say so: "n-divisor: the greatest power of two
 * that divides n"; "" if there is none. */
#define TOPK_CONDITION_ABOUT 1024
void topk_condition_about(const struct topk_condition *condition, char text[TOPK_CONDITION_ABOUT]);

/* Room for the text of any condition, with the terminator. */
#define TOPK_CONDITION_TEXT 4096
/* Writes the text; "" of a condition without terms. */
void topk_condition_print(const struct topk_condition *condition, char text[TOPK_CONDITION_TEXT]);

#endif
