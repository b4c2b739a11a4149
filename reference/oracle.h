/* The oracle computes what TOP_K means, in a slow and obvious way. Except for descriptions, it
 * shares no code with the judge: it decodes values instead of comparing order keys, finds every
 * element by its coordinates, and sorts. */
#ifndef TOPK_ORACLE_H
#define TOPK_ORACLE_H

#include "contract.h"
#include "operator.h"

enum topk_oracle_status {
    TOPK_ORACLE_UNIQUE, /* S12: the clauses allow only one result */
    /* the sequence contains a NaN (F02): this is one of several allowed results */
    TOPK_ORACLE_NAN,
    TOPK_ORACLE_OPEN,     /* the contract leaves a choice: this is one of several allowed results */
    TOPK_ORACLE_NO_MEMORY /* nothing was computed */
};

/* Computes the result of one sequence of a valid operator. input: the first byte of the input
 * tensor. sequence: below topk_operator_sequences(op). values, indices: room for op->k entries
 * each; receive the bits of the values, and the indices. FLOAT32 denormals are ordered exactly
 * (F04); a direction other than 0 and 1 is DECREASING (V12); NaNs are greater than everything, in
 * order of index. */
enum topk_oracle_status topk_oracle_sequence(const struct topk_operator *op,
                                             const unsigned char *input, uint64_t sequence,
                                             uint64_t *values, uint64_t *indices);

/* The same by the rules of a contract. Where it leaves a choice, ties go to the lowest index,
 * outputs are sorted and denormals are exact; the status is then OPEN, whether or not the sequence
 * has a tie. */
enum topk_oracle_status topk_oracle_sequence_by(const struct topk_operator *op,
                                                const struct topk_contract *contract,
                                                const unsigned char *input, uint64_t sequence,
                                                uint64_t *values, uint64_t *indices);

/* Computes the whole result and stores it according to the outputs' descriptions. value, index: the
 * first byte of each output tensor; only logical elements are written. The status is NO_MEMORY; NAN
 * if any sequence contains one; else UNIQUE. */
enum topk_oracle_status topk_oracle_run(const struct topk_operator *op, const unsigned char *input,
                                        unsigned char *value, unsigned char *index);

#endif
