/* Stores the current input in a file that outlives the process. Engines save a failing input only
 * if they see the failure, but not if the process is killed, calls _exit() or dies of a signal
 * without a handler. Then scripts/fuzz, which names the file in TOPK_FUZZ_CURRENT, reads the input
 * from it. The file contains, in the machine's byte order: 32 bits, 0 if no input is running, else
 * its length + 1; 32 bits, the number of inputs that fuzz_current_save() saved; and the input. */
#ifndef TOPK_FUZZ_CURRENT_H
#define TOPK_FUZZ_CURRENT_H

#include <stddef.h>

/* Call it once, before the first input. Without TOPK_FUZZ_CURRENT inputs are not stored. Exits with
 * 1, after a message, if the file cannot be created. */
void fuzz_current_open(void);

/* Calls fuzz_target.run() while the input is stored. */
void fuzz_current_run(const unsigned char *bytes, size_t length);

/* For an engine that starts new processes itself: saves the input that an earlier process left as
 * FILE.0, FILE.1 and so on, at most 100. */
void fuzz_current_save(void);

#endif
