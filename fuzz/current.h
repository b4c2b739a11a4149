/* The current input, in a file that outlives the process. Engines save a failing input only when
 * they see the failure, not when the process is killed, leaves by _exit() or dies of a signal
 * without a handler. scripts/fuzz, which names the file in TOPK_FUZZ_CURRENT, then takes the input
 * from it. The file holds, in the machine's byte order: 32 bits, 0 if no input runs, else its
 * length + 1; 32 bits, the number of inputs that fuzz_current_save() saved; and the input. */
#ifndef TOPK_FUZZ_CURRENT_H
#define TOPK_FUZZ_CURRENT_H

#include <stddef.h>

/* Once, before the first input. Without TOPK_FUZZ_CURRENT inputs run all the same. Exits with 1,
 * after a message, if the file cannot be made. */
void fuzz_current_open(void);

/* fuzz_target.run(), in view of whoever reads the file. */
void fuzz_current_run(const unsigned char *bytes, size_t length);

/* For an engine that begins new processes by itself: what an earlier process left is saved as
 * FILE.0, FILE.1 and so on, not more than 100. */
void fuzz_current_save(void);

#endif
