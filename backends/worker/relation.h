/* Relations between calls (check.def): prepares the second calls of a case and compares them.
 *
 * Second calls come in rounds. Most checks have one round, whose calls may be run together with
 * others. AFTER, CONCURRENT and SOAK run separately, in a fixed order: first the first call alone,
 * then each round in as few run() as the backend accepts.
 */
#ifndef TOPK_RELATION_H
#define TOPK_RELATION_H

#include "call.h"

/* Greatest number of second calls in a round: with ROW, one for each of the first sequences. */
#define TOPK_SECOND_CALLS_MAX ((uint32_t)TOPK_CHECK_CALLS_ROW)

/* Whether the calls of a case must be run separately, round by round. */
bool topk_relation_alone(enum topk_check check);

/* Prepares second call `number` of round `round`, both from 0; the first call must be prepared.
 * Returns 1; 0 if there is no such call (with number 0: no such round); -1 if memory is short.
 * second: in later rounds the call with the same number in the previous round, or any other. Does
 * not use the outputs of `first`. */
int topk_relation_prepare(struct topk_call *second, const struct topk_call *first, uint32_t round,
                          uint32_t number);

/* Whether a second call is compared. A call that is not compared only disturbs; it is judged by
 * itself, as is everything that is not compared. */
bool topk_relation_compared(enum topk_check check, uint32_t round, uint32_t number);

/* Compares second call `number` with the first, both done, and adds differences to judgement.
 * Expected and actual values refer to the first call: its coordinates and element type. Exceptions
 * are MONOTONE, whose values correspond to no others, and the indices of PERMUTE, which are those
 * of the second call.
 *
 * What the clauses leave open is not compared. If the same call is repeated, that is nothing (S14).
 * Otherwise it is sequences with a NaN (F02). Between calls that differ in shape, layout or values,
 * it is also FLOAT32 sequences with denormals (F04) and, if FLOAT16 arithmetic is allowed, those
 * with a value that is no FLOAT16 (F06), because each call may order such values in its own way.
 * The same holds for what a contract leaves open (ties, the order of outputs, flushed denormals);
 * for a repeated call only with repeat=values.
 */
void topk_relation_compare(const struct topk_call *second, const struct topk_call *first,
                           uint32_t number, const struct topk_contract *contract,
                           struct topk_judgement *judgement);

/* Maps the coordinates `at` in the first call to those in second call `number`. of: the first
 * call's case. PERMUTE additionally moves the input's elements, see topk_data_permutation. */
void topk_relation_at(const struct topk_case *of, uint32_t number, const uint32_t at[TOPK_RANK_MAX],
                      uint32_t to[TOPK_RANK_MAX]);

/* Whether a compared second call repeats the first call and must return the same bytes, so that it
 * is correct if the first one is. For other second calls, what is left open is not compared. */
bool topk_relation_promised_same(enum topk_check check, const struct topk_contract *contract);

#endif
