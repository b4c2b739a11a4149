/* The machine that a run is on: its system, processor and GPUs, in the words that the system has
 * for them. No name of the machine or of a user is among them. */
#ifndef TOPK_IDENTITY_MACHINE_H
#define TOPK_IDENTITY_MACHINE_H

#include "log/log.h"

/* Adds what is known. False if memory is short. */
bool topk_machine_add(struct topk_log_parts *parts);

#endif
