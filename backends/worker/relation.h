/* Relations between calls (check.def): the second calls that a case asks for, and their comparison.
 *
 * Second calls come in rounds. Most checks have one, which may be run beside anything else. Those
 * that are alone (AFTER, CONCURRENT, SOAK) say what comes before what: the first call by itself,
 * then round for round, each in as few run() as the backend takes. */
#ifndef TOPK_RELATION_H
#define TOPK_RELATION_H

#include "call.h"

/* Most second calls of one round: of ROW, one for each of the first so many sequences. */
#define TOPK_SECOND_CALLS_MAX ((uint32_t)TOPK_CHECK_CALLS_ROW)

/* Whether a case's calls are to be run by themselves, round for round. */
bool topk_relation_alone(enum topk_check check);

/* Prepares second call `number` of round `round`, both from 0, of a case whose first call is
 * prepared. Returns 1, or 0 if there is no such call (if number is 0: no such round), or -1 if
 * memory is short. second: in a later round the call of that number of the round before, or any
 * other. What the outputs of `first` hold is not looked at. */
int topk_relation_prepare(struct topk_call *second, const struct topk_call *first, uint32_t round,
                          uint32_t number);

/* Whether a second call is to be compared. One that is not is there to be in the way; like what
 * is not compared, it is judged by itself. */
bool topk_relation_compared(enum topk_check check, uint32_t round, uint32_t number);

/* Compares second call `number` with the first, both done, and adds what differs to judgement. What
 * is expected and actual is in terms of the first call: its coordinates, its element type; of
 * MONOTONE, whose values stand for no others, and of the indices of PERMUTE in those of the second.
 *
 * What the clauses leave open is not compared. If the same call is made again, that is nothing
 * (S14). Else sequences with a NaN (F02). Between calls that differ in shape, layout or values also
 * FLOAT32 sequences with denormals (F04) and, where computing by FLOAT16 is allowed, those with a
 * value that is no FLOAT16 (F06): the order of such values is up to each call. What a contract
 * leaves open besides (ties, the order of outputs, denormals that may be flushed) is up to each
 * call, too; but if the same call is made again only with repeat=values. */
void topk_relation_compare(const struct topk_call *second, const struct topk_call *first,
                           uint32_t number, const struct topk_contract *contract,
                           struct topk_judgement *judgement);

/* The coordinates in second call `number` of what is at `at` in the first. of: the first call's
 * case. PERMUTE moves the input's elements beyond that, see topk_data_place. */
void topk_relation_at(const struct topk_case *of, uint32_t number, const uint32_t at[TOPK_RANK_MAX],
                      uint32_t to[TOPK_RANK_MAX]);

/* Whether second calls that are compared are the first call again, and have to give the same bytes,
 * so that what equals a right first one is right. What is left open of other second calls is not
 * compared. */
bool topk_relation_promised_same(enum topk_check check, const struct topk_contract *contract);

#endif
