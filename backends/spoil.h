/* Spoils what a backend computed or answered, as --chaos wants it. */
#ifndef TOPK_SPOIL_H
#define TOPK_SPOIL_H

#include "call.h"
#include "chaos.h"

/* Does to a call that was run what the kind says, if it can be done to this one and is sure to be
 * wrong, and says so in the reason of its answer. Kinds that are none of an output or an answer do
 * nothing. */
void topk_spoil(enum topk_chaos_kind kind, struct topk_call *call);

#endif
