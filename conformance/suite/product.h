/* Products: a small language for the cases of a test, one string per row.
 *
 * A row is a list of statements. Each says how often the rest of the row is executed. The end of
 * the row yields a case.
 *
 *   type: f32, u8                     an axis: once for each item, in this order
 *   n: 1..8, 100                      items can be ranges of numbers
 *   k: distinct 1, n/2, n             skips a number that occurred before in the list
 *   (sizes, k): ([2,5], 1), ([9], 3)  several names; each item has as many parts
 *   seed = mix(n, k, 1)               a name for an expression, evaluated at each use
 *   if k <= n                         only if the condition holds
 *   count                             sets `number` to how often the row got here before
 *   once                              only if the case did not get here before
 *   { ... } { ... }                   each of these rows, one after another; must come last
 *
 * A name that is bound twice has its last meaning. These names define the case. All but the first
 * three are optional:
 *
 *   mode, type, k        modes are top_k, largest (of TOP_K1) and smallest
 *   sizes                [2,n]; or `rank`, and `size` of dimension d; or [1,1,1,n]
 *   axis                 default: the last one
 *   wide                 whether the index is UINT64
 *   data                 RECIPE(PARAMETERS) or RECIPE.VERSION(PARAMETERS); inside the other
 *                        parameters, `first` is the first one
 *   bits                 instead of data: the bits of element e, in row-major order
 *   level, direction, execution, padding, check
 *
 * These names define each tensor. `role` is the tensor in question: input, value or index, which
 * are 0, 1 and 2:
 *
 *   layout               a word or {strides}; with an input-only layout, outputs stay packed
 *   total                in it, `least` is what the tensor needs, `dense` the same if packed
 *   offset, alignment, flags
 *
 * These names make a description invalid: op_axis and op_k, which do not change the outputs; and
 * for each tensor other_type, missing, and `dimensions` with `dimension` d, where `own` is the list
 * of its sizes before.
 *
 * Expressions are those of C on integers. The functions are mix, bytes(TYPE), float(TYPE),
 * orders(N), the number of weak orders, and ranked(TYPE, I, COUNT), value I of COUNT. #n is the
 * position of n's item in its list, from 0. LIST[i] is item i of a list, modulo its length. A name,
 * LIST[i] and A ? B : C can also stand for a word or a list.
 *
 * Predefined lists are types, floats, modes, both (the directions of TOP_K1), levels,
 * input_layouts, and layouts, which suit all tensors. These values describe the case, as far as its
 * names are bound: rank, length (of Axis), elements (of the input), least_level (the lowest that
 * accepts the call), applies (whether its check makes a second call) and invalid (at its level).
 */
#ifndef TOPK_PRODUCT_H
#define TOPK_PRODUCT_H

#include "generate/generate.h"

/* Passes the cases of a row to a sink. If the row is malformed, sink->broken says why and where. */
void topk_product(const char *row, struct topk_sink *sink);

#endif
