/* Memory that is short: each allocation of a step fails once by itself, and once with all that
 * follow. The linker puts these functions in the place of the C library's, by the options that
 * cmake/tests.cmake gives to the tests that use them. */
#ifndef TOPK_SCARCE_H
#define TOPK_SCARCE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the allocation of a number fails, from 1 on, or that and all that follow; 0: none. */
void scarce_start(uint32_t number, bool and_all_that_follow);

/* Ends that; returns how many failed. */
uint32_t scarce_end(void);

/* Takes a step whose allocations fail one after the other. It asserts itself that what it says is
 * right, calls scarce_start() with what it is given and scarce_end() around what may fail, and
 * returns whether it said more than that memory is short; that has to be so if none failed. Returns
 * how often it said only that. */
uint32_t scarce_try(bool (*step)(uint32_t number, bool and_all_that_follow));

#endif
