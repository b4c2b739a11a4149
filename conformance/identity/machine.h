/* Describes the machine of a run: system, processor and GPUs, as the system names them. The text
 * never contains host or user names. */
#ifndef TOPK_IDENTITY_MACHINE_H
#define TOPK_IDENTITY_MACHINE_H

#include "log/log.h"

/* Adds all parts that are known. False if memory is short. */
bool topk_machine_add(struct topk_log_parts *parts);

#endif
