/* What the log writer has to know of a finding beside its texts, which log.h declares. */
#ifndef TOPK_FINDING_H
#define TOPK_FINDING_H

#include "reference/judge.h"

/* Whether it has a place and values; a description that breaks a clause has none. */
bool topk_finding_has_values(const struct topk_finding *finding);

/* The type of its expected and actual; type, index_type are those of the case. Of a byte UINT8. */
uint32_t topk_finding_type(const struct topk_finding *finding, uint32_t type, uint32_t index_type);

#endif
