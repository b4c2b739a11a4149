/* The machine of a run: its system, processor and GPUs, in the system's own words. It never
 * contains names of the machine or of users. */
#ifndef TOPK_IDENTITY_MACHINE_H
#define TOPK_IDENTITY_MACHINE_H

#include "log/log.h"

/* Adds what is known. False if memory is short. */
bool topk_machine_add(struct topk_log_parts *parts);

#endif
