/* Conditions: what a set of cases has in common. A condition is a list of terms that must all hold,
 * and has a text such as
 *
 *   rank>=5 and type=f16|bf16 and ties!=none
 *
 * A term has a feature (features.def), an operator and a value. For a category, = and != take one
 * word, or several joined by '|'. For a number, =, <, <=, > and >= take one number. `k` is a
 * number, and also a category with classes as words: k=n|n-1. Some features require a look at the
 * data; they are unknown for a case that is too large for that. A term that asks for an unknown
 * feature is neither true nor false.
 *
 * The text written by topk_condition_print() parses to the same condition. */
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

/* Greatest number of words in a category. */
#define TOPK_CATEGORY_WORDS 128u
/* Marks an unknown word, or number. */
#define TOPK_WORD_UNKNOWN   UINT8_MAX
#define TOPK_NUMBER_UNKNOWN UINT64_MAX

/* The features of a case. */
struct topk_features {
    uint8_t words[TOPK_CATEGORY_COUNT];
    uint64_t numbers[TOPK_NUMBER_COUNT];
};

/* Greatest number of input elements for which the data of many cases can be examined. */
#define TOPK_FEATURES_ELEMENTS ((uint64_t)1 << 14)

/* Computes the features of any description, valid or not. Features that require a look at the data
 * are unknown, as are those that the calls of check= vary. */
void topk_features_describe(const struct topk_case *tc, struct topk_features *features);

/* Adds the features of the data. Adds none if the input has more than `elements` elements, the case
 * is invalid or too large to run, or memory is short. */
void topk_features_look(const struct topk_case *tc, uint64_t elements,
                        struct topk_features *features);

/* Number of the failed call of a sequence if it is not known which one failed, for example after a
 * crash. */
#define TOPK_CALL_UNKNOWN UINT32_MAX
/* Returns the number of the call whose features describe a sequence: the wrong call if the case
 * failed, otherwise 0, the last call. `call` is the number in a result or record; 0 if it has
 * none. */
uint32_t topk_features_call(bool failed, uint32_t call);
/* Like topk_features_describe() and topk_features_look(), for that call of a sequence. If the call
 * is TOPK_CALL_UNKNOWN, all features are unknown. If its data is the output of an earlier call,
 * what the data would show is unknown. A single call is described whatever the number is. */
void topk_features_describe_call(const struct topk_case *tc, uint32_t call,
                                 struct topk_features *features);
void topk_features_look_call(const struct topk_case *tc, uint32_t call, uint64_t elements,
                             struct topk_features *features);

/* Return the name of a feature, such as "rank", and a description of it. */
const char *topk_category_name(enum topk_category category);
const char *topk_category_about(enum topk_category category);
const char *topk_number_name(enum topk_number number);
const char *topk_number_about(enum topk_number number);
/* Returns a word of a category by its number; NULL after the last. */
const char *topk_category_word(enum topk_category category, unsigned word);
/* Returns whether a category is an aspect of coverage. */
bool topk_category_of_aspect(enum topk_category category);
/* Returns whether a feature requires a look at the data. */
bool topk_category_of_data(enum topk_category category);
bool topk_number_of_data(enum topk_number number);

struct topk_term {
    bool is_number;
    unsigned char feature;                    /* enum topk_category or topk_number */
    uint64_t words[TOPK_CATEGORY_WORDS / 64]; /* category: bits of the words that satisfy it */
    uint64_t least, most;                     /* number: bounds; 0 and UINT64_MAX are none */
};

#define TOPK_CONDITION_TERMS 12
/* A condition of zeros holds for every case. */
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

/* Returns the index of the only term that does not hold; `count` if all hold; `count` + 1 if
 * several do not hold or one is unknown. */
size_t topk_condition_missed(const struct topk_condition *condition,
                             const struct topk_features *features);

/* Room for a parse error, with the terminator. */
#define TOPK_CONDITION_ERROR 256
/* Parses a text of `length` characters. Returns false if it is not a condition, with the column
 * (from 1) and the reason in `error`. */
bool topk_condition_parse(const char *text, size_t length, struct topk_condition *condition,
                          size_t *column, char error[TOPK_CONDITION_ERROR]);

/* Writes explanations for terms whose names are not obvious: "n-divisor: the greatest power of two
 * that divides n"; "" if there are none. */
#define TOPK_CONDITION_ABOUT 1024
void topk_condition_about(const struct topk_condition *condition, char text[TOPK_CONDITION_ABOUT]);

/* Room for the text of any condition, with the terminator. */
#define TOPK_CONDITION_TEXT 4096
/* Writes the text of a condition; "" if it has no terms. */
void topk_condition_print(const struct topk_condition *condition, char text[TOPK_CONDITION_TEXT]);

#endif
