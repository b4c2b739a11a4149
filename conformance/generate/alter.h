/* Alterations: each makes another call of a valid one that differs from it in one property, and is
 * valid as well. What a backend keeps from call to call, under a key that forgets one property, is
 * wrong for the second of two such calls. Where a newcomer adds a property. */
#ifndef TOPK_ALTER_H
#define TOPK_ALTER_H

#include "case/case.h"
#include "choice.h"

struct topk_alteration {
    const char *name;
    /* Changes a valid call that belongs to no sequence. False if it offers no way: *tc may then be
     * anything that can be cleared. Its level rises if the call asks for that, and what is in the
     * way of the change goes with it: strides of tensors that would overlap, data of another shape.
     * It makes few choices. */
    bool (*change)(struct topk_choice *choice, struct topk_case *tc);
};

extern const struct topk_alteration topk_alterations[];
extern const uint32_t topk_alteration_count;

/* Applies one: 1. 0 if it offers no way, or what comes out is not valid or has a latitude that *tc
 * has not; -1 if memory is short. *tc is then as it was. */
int topk_alter(const struct topk_alteration *change, struct topk_choice *choice,
               struct topk_case *tc);

#endif
