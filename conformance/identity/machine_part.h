/* Adds parts of the log that describe the machine. */
#ifndef TOPK_IDENTITY_MACHINE_PART_H
#define TOPK_IDENTITY_MACHINE_PART_H

#include "log/log.h"

/* Room for a name or a version. */
#define TOPK_MACHINE_TEXT 256

/* Adds a part, unless its name is "". False if memory is short. */
bool topk_machine_part_add(struct topk_log_parts *parts, enum topk_log_part_role role,
                           const char *name, const char *version);

#endif
