/* Macros for proofs, which only CBMC reads. A function nondet_NAME has no body: it returns any
 * value of its type. */
#ifndef TOPK_PROVE_H
#define TOPK_PROVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint8_t nondet_u8(void);
uint16_t nondet_u16(void);
uint32_t nondet_u32(void);
uint64_t nondet_u64(void);
bool nondet_bool(void);

#define ASSUME(condition) __CPROVER_assume(condition)

/* PROVE(claim) must hold. REACHED(case) says that a proof must reach a case: with -D REACH, which
 * removes the claims, each of these must fail, so that no claim is vacuous. */
#ifdef REACH
#define PROVE(claim)  ((void)(claim))
#define REACHED(case) __CPROVER_assert(!(case), "reached: " #case)
#else
#define PROVE(claim)  __CPROVER_assert(claim, #claim)
#define REACHED(case) ((void)(case))
#endif

#endif
