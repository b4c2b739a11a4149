/* Products: the cases of a test, said in one row of text.
 *
 * A row is a list of statements, each of which says how often what stands behind it is done; at its
 * end there is a case.
 *
 *   type: f32, u8                     an axis: once with each item, in this order
 *   n: 1..8, 100                      items may be ranges of numbers
 *   k: distinct 1, n/2, n             without numbers that came before in the list
 *   (sizes, k): ([2,5], 1), ([9], 3)  several names, with items of as many parts
 *   seed = mix(n, k, 1)               a name for what stands there, worked out wherever it is used
 *   if k <= n                         only if this is so
 *   count                             `number` gets how often the row came here before
 *   once                              only with a case that did not come here before
 *   { ... } { ... }                   each of these rows in turn; always the last of its row
 *
 * A name that is given twice means what it was given last. The case has what its row says of these;
 * all but the first three may be left out:
 *
 *   mode, type, k        modes are top_k, largest (of TOP_K1) and smallest
 *   sizes                [2,n]; or `rank`, and `size` of dimension d; or [1,1,1,n]
 *   axis                 the last one
 *   wide                 whether the index is UINT64
 *   data                 RECIPE(PARAMETERS) or RECIPE.VERSION(PARAMETERS); in those behind it,
 *                        `first` is the first one
 *   bits                 instead of data: those of element e, in row-major order
 *   level, direction, execution, padding, check
 *
 * and of each tensor; `role` is the one that is asked for, input, value or index, which are 0, 1,
 * 2:
 *
 *   layout               a word or {strides}; outputs stay packed in one that is for inputs only
 *   total                where `least` is what the tensor needs, `dense` if it were packed
 *   offset, alignment, flags
 *
 * What makes a description wrong: op_axis and op_k, which change no output; and of each tensor
 * other_type, missing, and `dimensions` with `dimension` d, where `own` is the list of those it
 * had.
 *
 * Expressions are those of C on whole numbers. mix, bytes(TYPE), float(TYPE), orders(N) (weak ones)
 * and ranked(TYPE, I, COUNT) (value I of so many) are functions; #n is the place of n's item in its
 * list, from 0; LIST[i] is item i of a list, which goes round. A name may stand for a word or a
 * list, too, and so may LIST[i] and A ? B : C. Known are the lists types, floats, modes, both
 * (directions of TOP_K1), levels, input_layouts, and layouts, those for all tensors; and of the
 * case as far as its names are given rank, length (of the axis), elements (of the input),
 * least_level (that has the call), applies (whether its check asks anything) and invalid (at its
 * level). */
#ifndef TOPK_PRODUCT_H
#define TOPK_PRODUCT_H

#include "generate/generate.h"

/* Yields the cases of a row; sink->broken says what of it cannot be read, with the place. */
void topk_product(const char *row, struct topk_sink *sink);

#endif
