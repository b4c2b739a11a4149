/* Aspects classify a case. The classes are computed from the case itself, its description and its
 * data, so that coverage states what a case really contains.
 *
 * Some classes in words (aspects.def has all):
 *   layouts   explicit: the packed strides, written out. slack: more bytes in total than needed.
 *             size-one: a meaningless stride on a dimension of size 1. padded: gaps between packed
 *             runs. permuted: the dimensions in another order. interleaved: no two elements are
 *             neighbours. broadcast: a stride of 0. windows: elements overlap by other strides.
 *   ties      unselected: only elements that are not selected are equal. inside: selected ones.
 *             boundary: the last one selected equals one that is not. all: there is one value.
 *             unordered: every sequence has a NaN, so that no order is prescribed (F02).
 *   specials  extremes: the least or greatest integer, or finite float, of the type. zeros: +0 and
 *             -0 in one sequence.
 */
#ifndef TOPK_ASPECT_H
#define TOPK_ASPECT_H

#include "case/case.h"
#include "reference/element.h"

enum topk_aspect {
#define ASPECT(id, name, about) TOPK_ASPECT_##id,
#define CLASS(aspect, id, name)
#include "aspects.def"
#undef ASPECT
#undef CLASS
    TOPK_ASPECT_COUNT
};

/* The classes of all aspects, numbered so that those of one aspect are consecutive. */
enum topk_class {
#define ASPECT(id, name, about)
#define CLASS(aspect, id, name) TOPK_CLASS_##aspect##_##id,
#include "aspects.def"
#undef ASPECT
#undef CLASS
    TOPK_CLASS_COUNT
};

/* Whether a case counts for coverage: it is valid at its level, and a backend cannot pass it by
 * refusing it (V12, T10b, T14). */
bool topk_aspects_count(const struct topk_case *tc);

/* Whether a case requires a computed result: it counts, its buffers are bound validly (M08), and it
 * is small enough to be run. A backend that supports no such case has computed nothing. */
bool topk_aspects_ask(const struct topk_case *tc);

/* Determines the class of a case in every aspect: classes[TOPK_ASPECT_TIES] becomes
 * TOPK_CLASS_TIES_... Makes the case's data for this. Returns false, with classes undefined, if the
 * case does not count (see above), is too large to be run, or if memory is short. */
bool topk_aspects_of(const struct topk_case *tc, unsigned char classes[TOPK_ASPECT_COUNT]);

/* The same without the data: ties and specials become none. Accepts cases of any size. Returns
 * false if the case is invalid. */
bool topk_aspects_described(const struct topk_case *tc, unsigned char classes[TOPK_ASPECT_COUNT]);

/* The name of an aspect, such as "ties", and its description. aspect < TOPK_ASPECT_COUNT */
const char *topk_aspect_name(enum topk_aspect aspect);
const char *topk_aspect_about(enum topk_aspect aspect);

/* The first class of an aspect, and the number of its classes. */
unsigned topk_aspect_first(enum topk_aspect aspect);
unsigned topk_aspect_classes(enum topk_aspect aspect);

/* The name of a class, such as "boundary", and its aspect; class < TOPK_CLASS_COUNT. Names are
 * unique only within an aspect. */
const char *topk_aspect_class_name(unsigned class);
enum topk_aspect topk_aspect_of_class(unsigned class);

/* The class of a length, and of a K for a length: 1 <= k <= length. */
enum topk_class topk_aspect_length_class(uint32_t length);
enum topk_class topk_aspect_k_class(uint32_t k, uint32_t length);

#endif
