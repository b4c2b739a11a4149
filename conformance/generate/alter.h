/* Alterations: each turns a valid call into another valid call that differs from it in one
 * property. A backend that caches something under a key without this property fails at the second
 * of two such calls. Add a new property here. */
#ifndef TOPK_ALTER_H
#define TOPK_ALTER_H

#include "case/case.h"
#include "choice.h"

struct topk_alteration {
    const char *name;
    /* Changes a valid call without earlier calls. Returns false if the call has nothing to change;
     * then clear *tc or restore it. Raises the feature level if the changed call needs it, and
     * drops what would prevent the change: strides that would overlap, data of another shape. Makes
     * few choices. */
    bool (*change)(struct topk_choice *choice, struct topk_case *tc);
};

extern const struct topk_alteration topk_alterations[];
extern const uint32_t topk_alteration_count;

/* Applies an alteration. Returns 1; 0 if the call has nothing to change, or if the result would be
 * invalid or have a latitude that *tc does not have; -1 if memory is short. Unless it returns 1,
 * *tc is unchanged. */
int topk_alter(const struct topk_alteration *change, struct topk_choice *choice,
               struct topk_case *tc);

/* The same, of K, of the length of the sequences, or of another size, whichever is chosen: it
 * becomes `number`. */
int topk_alter_number(uint32_t number, struct topk_choice *choice, struct topk_case *tc);

#endif
